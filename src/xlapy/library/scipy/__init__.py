"""What SciPy has in compiled code, or in Python that does not compile: in plain Python over NumPy."""
