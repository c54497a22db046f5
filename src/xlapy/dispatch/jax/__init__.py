"""JAX's and SciPy's functions, and transformations of functions."""
