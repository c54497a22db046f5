"""Loops in terms of `jax.lax` with derivatives of every kind, whatever their number of iterations."""
