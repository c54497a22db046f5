"""From the IR to `jax.lax` and machine code, and to an executable for a CPU, GPU or TPU."""
