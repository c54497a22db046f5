"""Numerical methods with control flow that depends on data, in plain NumPy, each with a hand-written JAX version."""
