"""Unique records in one file (Dalenius 1986): found, explained, and rated.

Read `transforms` first (a P-set becomes one exact key), then `find` (who shares a cell), `costs`
(which way is cheapest), `minimal` (which few variables make a record alone) and `risk`.
"""
