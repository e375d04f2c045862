"""One file per family of formats: how a file becomes a table, and a table a file."""
