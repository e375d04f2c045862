"""Ways to anonymise a file (Identify-euc 4.2), one after another, with the truth kept.

Reading guide: `release` is a file on its way, `kanonymise` works on its QI, and `methods` is the
table of all ways; single values are changed by what `remedies` knows.
"""
