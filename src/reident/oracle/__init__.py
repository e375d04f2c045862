"""The papers as slow, plain Python: the judge of the fast code, which it shares no line with.

Reading guide, beside the Primer (CED-DA-FY20-001):

=================  ====================================================  ====================
file               idea                                                  Primer, or as said
=================  ====================================================  ====================
``values.py``      records, cells, the text of a value                   1.1, 1.4
``bins.py``        numbers become categories                             2.1 (1), 2.2.1 (1)
``moments.py``     z-score differences                                   2.2.2 (3)
``unicity.py``     sample uniques by interaction, and by agreement sets  2.1
``scores.py``      taxicab and euclidean in whole numbers                2.2.1, 2.2.2, 2.3
``rules.py``       adhoc: the data owner's rules                         2.2.3
``ranks.py``       distinct ranks, at most five pairs                    2.2 (3-5)
``prepared.py``    both files made ready for an attack                   2.1, 2.2, 3
``links.py``       the suspected pairs                                   2.1 (5), 2.2 (5)
``guesses.py``     one guess a record: PWSCUP2015                        Identify-euc 2.3, 3
``utility.py``     U1 to U6, S1, S2                                      Identify-euc, Table 1
``truth.py``       the truth file                                        1.1 (3), 1.2 (3)
``rates.py``       rates, interval, blind guesser                        1.2 (2-6)
``tables.py``      by rank, order, reading, stratum; histograms          2.1 (6), 2.2 (4)
``microagg.py``    attacks on micro-aggregated values                    Winkler 2002
``study.py``       all of it in one call                                 1.2
=================  ====================================================  ====================

``study`` runs everything; ``prepare`` and ``suspects`` re-derive single records of large files.
"""

from .guesses import Guess, guess
from .links import suspects
from .prepared import Prepared, prepare
from .study import study
from .values import Key, NotApplicable, Raw, Record, Variable, stratum_text, text_of

__all__ = [
    "Guess",
    "Key",
    "NotApplicable",
    "Prepared",
    "Raw",
    "Record",
    "Variable",
    "guess",
    "prepare",
    "stratum_text",
    "study",
    "suspects",
    "text_of",
]
