"""scipy.linalg, by JAX's functions of the same names."""

from __future__ import annotations

import jax.scipy.linalg
import numpy as np
import scipy.linalg
from scipy.linalg import blas, lapack

from xlapy.dispatch import registry
from xlapy.dispatch.numpy.rule_operands import array_type, known, sequence_items
from xlapy.dispatch.scipy.scipy_leaves import leaf
from xlapy.domain.values import Const
from xlapy.library.scipy import lapack_functions  # noqa: F401

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


def _get_functions(find):
    """`scipy.linalg.get_lapack_funcs` and its like, which look at the types of arrays alone."""

    @registry.function(find)
    def rule(machine, names, arrays=None, dtype=None, ilp64=None):
        shown = []
        for array in [] if arrays is None else sequence_items(machine, arrays) or []:
            type_ = array_type(machine, array)
            shown.append(np.zeros((1,) * len(type_.shape), type_.dtype))
        wanted = known(machine, names)
        options = {} if ilp64 is None else {"ilp64": known(machine, ilp64)}
        found = find(wanted, shown, None if dtype is None else known(machine, dtype), **options)
        return Const(found) if isinstance(wanted, str) else machine.new_list([Const(f) for f in found])


_get_functions(lapack.get_lapack_funcs)
_get_functions(blas.get_blas_funcs)
