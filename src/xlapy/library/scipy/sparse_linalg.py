"""scipy.sparse.linalg: what SciPy has in compiled code, for matrices that are small enough to be taken for dense."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg
from scipy.sparse.linalg._dsolve import _superlu, linsolve

from xlapy.library.intrinsics import refuse
from xlapy.library.replacement import replacement

# before SciPy 1.15 it is a bool
if not isinstance(linsolve.useUmfpack, bool) and not hasattr(linsolve.useUmfpack, "u"):
    linsolve.useUmfpack.u = not linsolve.noScikit  # as the first call of SciPy's does
#: equations, and rows of matrices whose eigenvalues are wanted
_MOST_EQUATIONS, _MOST_ROWS = 2048, 1024


@replacement(_superlu.gssv)
def _gssv(n, nnz, data, indices, indptr, b, by_columns, options=None):
    """The solution of a system of equations, and whether its matrix is singular."""
    if n > _MOST_EQUATIONS:
        refuse(f"scipy.sparse.linalg.spsolve of more than {_MOST_EQUATIONS} equations")
    dense = np.zeros((n, n), np.result_type(data.dtype, b.dtype))
    for i in range(n):
        for k in range(indptr[i], indptr[i + 1]):
            dense[i, indices[k]] += data[k]
    dense = dense.T if by_columns else dense
    try:
        return np.linalg.solve(dense, b), 0
    except np.linalg.LinAlgError:
        return np.zeros_like(b), 1


@replacement(scipy.sparse.linalg.eigsh)
def _eigsh(
    A,  # noqa: N803
    k=6,
    M=None,  # noqa: N803
    sigma=None,
    which="LM",
    v0=None,
    ncv=None,
    maxiter=None,
    tol=0,
    return_eigenvectors=True,
    Minv=None,  # noqa: N803
    OPinv=None,  # noqa: N803
    mode="normal",
    rng=None,
):
    """Some eigenvalues of a symmetric matrix, from the smallest to the largest of them."""
    if M is not None or sigma is not None or Minv is not None or OPinv is not None or mode != "normal":
        refuse("scipy.sparse.linalg.eigsh of a generalised or shifted problem")
    dense = A.toarray() if sp.issparse(A) else np.asarray(A)
    count = dense.shape[0]
    if dense.dtype != np.float64 or count > _MOST_ROWS or dense.shape != (count, count) or not 0 < k < count:
        refuse("scipy.sparse.linalg.eigsh of such a matrix, or of so many eigenvalues")
    if which not in ("LM", "SM", "LA", "SA"):
        refuse(f"scipy.sparse.linalg.eigsh with which={which!r}")
    values, vectors = np.linalg.eigh(dense)
    if which == "LA":
        values, vectors = values[count - k :], vectors[:, count - k :]
    elif which == "SA":
        values, vectors = values[:k], vectors[:, :k]
    else:
        order = np.argsort(np.abs(values), kind="stable")
        chosen = np.sort(order[count - k :] if which == "LM" else order[:k])
        values, vectors = values[chosen], vectors[:, chosen]
    return (values, vectors) if return_eigenvectors else values
