"""Ways to anonymise a file (Identify-euc 4.2), one after another, with the truth kept.

Reading guide: `release` is a file on its way; `classes` works inside classes of equal QI, `rows` on
whole records, `values` on single values, `hierarchies` and `kanonymise` on the QI; `methods` is the
table of all of them.
"""
