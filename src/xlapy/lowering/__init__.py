"""From the representation to programs that run: to `jax.lax` on any device, and to what each platform has besides.

| | |
|---|---|
| `evaluate.py`, `lowering_rules.py` | each operation in terms of `jax.lax` |
| `loop_derivatives/` | loops that can be differentiated, whatever their number of iterations |
| `primitives/` | kernels that `jax.lax` does not have, one in each file |
| `numeric/` | functions of numbers in terms of `jax.lax` |
| `jaxprs/` | tools for JAX's programs |
| `cpu_xla/`, `llvm/`, `tpu/` | one folder for each backend, which `evaluate.py` asks by a few functions |
"""
