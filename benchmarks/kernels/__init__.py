"""NumPy kernels as people write them, one file per family, each with a hand-written JAX version beside it where
sensible."""
