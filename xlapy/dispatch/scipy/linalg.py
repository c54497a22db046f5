"""scipy.linalg, by JAX's functions of the same names."""

from __future__ import annotations

import jax.scipy.linalg
import numpy as np
import scipy.linalg
from scipy.linalg import _misc

from xlapy.dispatch import table
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


def _eigvalsh(a, lower=True):
    return jax.scipy.linalg.eigh(a, lower=lower, eigvals_only=True)


leaf(scipy.linalg.eigvalsh, _eigvalsh, "a")


@table.replacement(scipy.linalg.norm)
def _norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    """scipy.linalg.norm, with what it says of NaN and infinities."""
    a = np.asarray_chkfinite(a) if check_finite else np.asarray(a)
    if a.size and a.dtype.char in "fdFD" and axis is None and not keepdims:
        # what BLAS and LAPACK compute are Python's floats
        if a.ndim == 1 and ord in (None, 2):
            # BLAS's does not overflow
            size = np.max(np.abs(a))
            size = np.where(size > 0, size, 1)
            return float(size * np.linalg.norm(a / size))
        if a.ndim == 2 and ord in (1, np.inf) and (np.isfortran(a) or np.isfortran(a.T)):
            return float(np.linalg.norm(a, ord=ord))
    return np.linalg.norm(a, ord=ord, axis=axis, keepdims=keepdims)


@table.replacement(_misc._datacopied)
def _datacopied(arr, original):
    """Whether SciPy may overwrite its argument, which is never needed."""
    return False
