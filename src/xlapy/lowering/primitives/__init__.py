"""Kernels that `jax.lax` does not have, one in each file: what each computes in terms of `jax.lax`, on any device."""
