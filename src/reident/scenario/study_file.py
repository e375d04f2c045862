"""The study that links the made-up files, written for somebody who has never seen one."""

from __future__ import annotations

TEXT = """\
# A re-identification study: can the people in a public-use file be found by an intruder?
# All persons in these files are made up. Run it with:   reident run study.toml
schema = 1
title = "Example: a housing survey against an intruder's file"
seed = {seed}
marking = "EXAMPLE"                  # printed on every page of the report

# PUF, the public-use file: what would be released.
[puf]
path = "puf.csv"
key = ["household", "person"]        # together these name one record

# EIF, the external intruder file: what somebody outside could hold. Empty fields are missing.
[eif]
path = "eif.csv"
key = "eifid"

# IUF, the internal use file: the truth, which PUF record is which EIF record. Only its owner has
# it; without it a study can say who is suspected, but not who is found.
[iuf]
path = "iuf.csv"
values = true                        # it also holds the values before protection:
                                     # reident run study.toml --unperturbed uses those

# The linking variables: what both files say about a person, and the column names in each.
# "missing" are codes for "not known"; a missing value equals nothing. "not_applicable" is an
# answer of its own: owners pay no rent, and two owners agree on that.
[variables]
age        = {{ kind = "numeric", puf = "AGE", eif = "age_years" }}
income     = {{ kind = "numeric", puf = "INCOME", eif = "wage", missing = ["-9"] }}
rent       = {{ kind = "numeric", puf = "RENT", eif = "rent_paid", missing = ["-9"], \
not_applicable = ["-6"] }}
sex        = {{ kind = "categorical", puf = "SEX", eif = "gender" }}
race       = {{ kind = "categorical", puf = "RACE", eif = "race", missing = ["-9"] }}
occupation = {{ kind = "categorical", puf = "OCC", eif = "occ", missing = ["-9"] }}
county     = {{ kind = "categorical", puf = "CNTY", eif = "county_code" }}
moved      = {{ kind = "date", puf = "MOVED", eif = "moved_in", missing = ["9999-12-31"] }}
# One thing more that an intruder may know; take away the # here and below and see the rates rise.
# education = {{ kind = "numeric", puf = "EDUC", eif = "school_years", missing = ["-9"] }}

# Only records of the same state are compared.
[strata]
by = [{{ puf = "ST", eif = "st" }}]

# The attacks. Each has its own table; an empty one takes the defaults of the Primer.
[attacks.unicity]                    # unique in both files on the same values

[attacks.taxicab]                    # few differences, numbers in five bins
missing_score = 0.5
keep = 5

[attacks.euclidean]                  # few differences, numbers by their distance
threshold = "paper"                  # the default; "consistent" lets fewer pairs through

[attacks.adhoc]                      # the data owner's own rules, 0 (different) to 5 (a match)
threshold = "paper"                  # more than half of the highest sum
[attacks.adhoc.rules]
age        = {{ difference = [[1, 5], [2, 4], [4, 2]] }}      # at most 1 apart: 5; at most 2: 4; ..
income     = {{ ratio = [[0.10, 5], [0.30, 3]] }}            # at most 10 % of the PUF value apart
rent       = {{ ratio = [[0.05, 4], [0.20, 2]] }}
sex        = {{ equal = 1 }}                                 # half of all people agree on it
race       = {{ table = [["4", "5", 1]], equal = 2, otherwise = 0 }}  # 4 and 5 are easily confused
occupation = {{ prefix = [[2, 5], [1, 1]] }}                 # the first digit is the group
county     = {{ equal = 4 }}
moved      = {{ days = [[92, 5], [366, 3], [1096, 1]] }}
# education = {{ difference = [[0, 5], [1, 3]] }}

# Limits that were agreed before the run, in percent. A run that exceeds one ends with exit code 3.
[limits]
conditional_rate = 30

[report]
small_cell = 10                      # counts below this are hidden in reports for the public
"""


def study_text(seed: int) -> str:
    """The content of study.toml."""
    return TEXT.format(seed=seed)
