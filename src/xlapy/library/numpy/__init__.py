"""What NumPy has in C, in Python."""
