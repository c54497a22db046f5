"""Functions of numbers in terms of `jax.lax`, as exact as those of CPython and NumPy, and made of operations of which
XLA makes vectors."""
