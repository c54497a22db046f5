"""Abstract values, the abstract heap, and their join."""
