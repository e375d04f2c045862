"""Texts that are the same for every study: methods, limits of the method, glossary."""

from __future__ import annotations

UNTITLED = "Re-identification study"

RATES = (
    (
        "Rates (Primer 1.2). A record of the public-use file is suspected when an attack links it "
        "to at least one intruder record, and confirmed when one of those links is true. The "
        "suspected and the confirmed rate are shares of all records of the public-use file, also "
        "of those that could not be compared. The conditional rate is the share of confirmed "
        "among suspected records; the Primer calls it the critical statistic for a release. It is "
        "undefined, not 0, when nothing is suspected."
    ),
    (
        "Interval. The 95 % interval of the conditional rate is Wilson's. It treats records as "
        "independent, which members of one household are not."
    ),
    (
        "Blind guessing. For each suspected record a guesser who knows nothing draws as many "
        "intruder records of the same stratum as the attack linked. The number shown is how many "
        "records are expected to be guessed right."
    ),
)

IDENTIFY_EUC = (
    "Identify-euc: Re-identification by Euclidean distance, on the competition PWSCUP2015; see the "
    "documentation."
)

GUESS = (
    "Each record gets at most one guess. The one listed is the first of those that tie; the "
    "expected number counts every one of them by its chance, exactly."
)

METHODS = {
    "unicity": (
        "Primer 2.1",
        (
            "Numeric variables become bins. On a set of linking variables a record is a sample "
            "unique when nothing in the set is missing and no other record of its own file and "
            "stratum has the same values. A pair is suspected when, for some set, both records "
            "are sample uniques with the same values."
        ),
    ),
    "taxicab": (
        "Primer 2.2 and 2.2.1",
        (
            "Numeric variables become bins. A variable scores 0 if equal, 1 if different, and the "
            "missing score if either side is missing; the mean over the variables must lie below "
            "the threshold. Of the pairs that pass, whole ranks are kept, closest first, while "
            "there are at most as many pairs as the option keep says."
        ),
    ),
    "euclidean": (
        "Primer 2.2 and 2.2.2",
        (
            "As taxicab, but numeric variables are compared by their distance in standard "
            "deviations of the public-use file, capped at six and brought to the range 0 to 1. "
            "The metric is the root of the sum of squares, divided by the number of variables. "
            "Its largest value is 1/sqrt(v), not 1, so the printed threshold lets more through as "
            "variables are added; the notes say how much."
        ),
    ),
    "adhoc": (
        "Primer 2.2 and 2.2.3",
        (
            "The data owner's rules give each variable a score from 0 (no match, or missing) to 5 "
            "(match). The sum must exceed the threshold. Ranks are kept as for taxicab, highest "
            "first."
        ),
    ),
    "microagg_interval": (
        "Winkler 2002, Basic Situation",
        (
            "A released value that stands for a group of originals tells between which values "
            "they lie: within half the gap to the nearer neighbour, between the midpoints to both, "
            "or at the ranks that the sizes of the groups give. The intruder record that lies in "
            "most of these intervals is the guess; where several do, there is none."
        ),
    ),
    "microagg_nearest": (
        "Winkler 2002, First Extension",
        (
            "Of the 3k intruder records nearest on the first variable the nearest on the second is "
            "the guess, ties being settled by the next variables; where some remain, there is none."
        ),
    ),
    "microagg_windows": (
        "Winkler 2002, Second Extension",
        (
            "Around each released value lies a window: so many nearest intruder records, or those "
            "that deviate by no more than declared from a value between the midpoints to the "
            "neighbouring released values. The record in most windows, in as many as the option "
            "agree says at least, is the guess; where several are, there is none."
        ),
    ),
    "microagg_trimmed": (
        "after Winkler 2002, Second Extension",
        (
            "Differences are taken relative to the released value. The intruder record with the "
            "smallest sum of its smallest differences, as many as the option agree says, is the "
            "guess; where several have it, there is none."
        ),
    ),
    "identify_rand": (
        "Identify-euc 2.3, E1",
        "Of the intruder records with the same categories one is guessed at random. " + GUESS,
    ),
    "identify_sa": (
        "Identify-euc 2.3, E2",
        (
            "Of the intruder records with the same categories the nearest on one number is "
            "guessed; where no record has the same categories, the nearest of all. " + GUESS
        ),
    ),
    "identify_sort": (
        "Identify-euc 2.3, E3",
        (
            "Both files are sorted by the sum of their numbers; the record at the same place is "
            "guessed. Records with the same sum share their places. " + GUESS
        ),
    ),
    "identify_sa21": (
        "Identify-euc 2.3, E4",
        "The intruder record nearest on one number is guessed, whatever its categories. " + GUESS,
    ),
    "euc1": (
        "Identify-euc 3, EUC1",
        (
            "Of the intruder records with the same categories the nearest in Euclidean distance "
            "on the numbers is guessed; without any, the attack gives the record up. " + GUESS
        ),
    ),
    "euc2": (
        "Identify-euc 3, EUC2",
        (
            "As euc1, but where no record has the same categories the nearest of all is guessed. "
            + GUESS
        ),
    ),
}
"""Method -> where it is defined, and what it does."""

STRATA = (
    "Strata (Primer 3). A record meets only intruder records with the same values of all strata. "
    "Finer strata never lose a true pair whose records share a stratum, though the conditional "
    "rate can fall: the inference from finer to coarser strata holds for counts, not for rates."
)

CANNOT_SHOW = (
    (
        "It does not prove that nobody can be re-identified. Low rates say that these attacks, "
        "with this intruder file, did not succeed often."
    ),
    (
        "It looks at one intruder file. Another intruder may hold other variables, fresher values "
        "or more people."
    ),
    (
        "It looks at one point in time. Files that appear later may be linked to the released "
        "file, which cannot be called back."
    ),
    "It does not cover someone who knows a respondent well and looks for that one person.",
    (
        "A low rate can mean good protection or a badly harmonised intruder file. The table of "
        "agreement between true pairs helps to tell one from the other."
    ),
    (
        "It judges links between records, not what could be inferred about a person or a group "
        "without a link."
    ),
)

UNIQUES_CANNOT_SHOW = (
    "It looks at the variables that were named. Others may know more.",
    (
        "A record that shares its data with many can still be found by a value that was not "
        "looked at, and those who share them may share what is confidential too."
    ),
    "Who is unique in a sample need not be unique in the population, and the other way round.",
    "It does not link the file with another one: a study with an intruder file does.",
)

GLOSSARY = (
    ("Attack", "A method, with its settings, by which an intruder links the two files."),
    ("Blind guessing", "A guesser who knows nothing but the strata; what an attack must beat."),
    ("Conditional rate", "Confirmed records as a share of suspected records."),
    ("Confirmed", "A suspected record for which at least one link is true."),
    ("EIF", "External intruder file: what an intruder could hold."),
    ("Interaction, order", "A set of linking variables taken together, and its size."),
    ("IUF", "Internal use file: the truth, which record is which."),
    ("Lift", "Confirmed records divided by what blind guessing would confirm."),
    ("Linking variable", "A variable that both files have and the intruder compares."),
    ("Missing", "A value that is not known. It equals nothing, not even another missing value."),
    (
        "Not applicable",
        "A question that rightly has no answer, such as the rent of an owner. It equals itself.",
    ),
    ("Overlap", "Records of the public-use file that have a true partner in the intruder file."),
    ("Pair precision", "True pairs as a share of suspected pairs."),
    ("PUF", "Public-use file: what would be released."),
    (
        "Rank",
        "The place of a score among the distinct scores of one record; tied pairs share a rank.",
    ),
    ("Recall", "Confirmed records as a share of the overlap."),
    ("Sample unique", "A record that is alone in its file and stratum with its values."),
    ("Set aside", "A record that could be compared with nobody, by a named rule; still counted."),
    ("SHA-256", "A fingerprint of a file: it changes when any byte of the file changes."),
    ("Stratum", "A part of the files inside which records are compared, such as a state."),
    ("Suspected", "A record that an attack links to at least one intruder record."),
    ("Threshold", "How close a pair must be to be looked at at all."),
    ("-", "Undefined, or not known without the truth."),
)

SETTINGS = {
    "vacuous_threshold": "A threshold lets every pair pass; ranks alone decide.",
    "mismatches_pass": "A threshold lets pairs pass that differ on some variables.",
    "all_missing_pairs_pass": "A threshold lets pairs pass that have nothing but missing values.",
    "unperturbed": "The attacks used unperturbed values in place of those to be released.",
}
"""Notes that speak of settings, not of records, in words for everybody."""

PAPERS = {
    "identify": IDENTIFY_EUC,
    "euc1": IDENTIFY_EUC,
    "euc2": IDENTIFY_EUC,
    "microagg": (
        "Winkler 2002: W. E. Winkler, Single-Ranking Micro-aggregation and Re-identification, "
        "U.S. Census Bureau, 2002."
    ),
}
"""Papers beside the Primer, by the beginning of their methods' names."""
