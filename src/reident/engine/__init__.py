"""How work is cut, run and folded. An engine knows no attack."""
