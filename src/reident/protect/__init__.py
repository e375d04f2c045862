"""What is done to a file before it is released; each action returns a new table."""
