"""Values that a user writes and gets: frozen, validated, without input or output."""
