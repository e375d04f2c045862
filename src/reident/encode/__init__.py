"""Tables become matrices: cells, strata, bins, moments, codes."""
