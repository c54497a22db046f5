"""NumPy's functions, methods, attributes and ufuncs."""
