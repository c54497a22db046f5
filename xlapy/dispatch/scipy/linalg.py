"""scipy.linalg, by JAX's functions of the same names."""

from __future__ import annotations

import jax.scipy.linalg
import scipy.linalg

from xlapy.dispatch.scipy.leaf import leaf

for _name, _arrays in {
    "cholesky": "a",
    "solve": "a b",
    "solve_triangular": "a b",
    "expm": "A",
    "det": "a",
    "inv": "a",
    "lu": "a",
    "lu_factor": "a",
    "svd": "a",
    "qr": "a",
    "toeplitz": "c r",
}.items():
    leaf(getattr(scipy.linalg, _name), getattr(jax.scipy.linalg, _name), _arrays)


def _eigh(a, b=None, lower=True, eigvals_only=False):
    return jax.scipy.linalg.eigh(a, b, lower=lower, eigvals_only=eigvals_only)


leaf(scipy.linalg.eigh, _eigh, "a b")
