"""scipy.sparse: what SciPy does in compiled code, in plain Python; it checks and chooses in Python itself.

A matrix is an object with the arrays `data`, `indices` and `indptr` (or `coords`, or `offsets`). That these have no
room for more elements than there are, as SciPy's constructors see to, is assumed, and checked at run time: so `nnz` is
known.
"""

from __future__ import annotations

import math

import numpy as np
from scipy._lib import _util
from scipy.linalg import lapack
from scipy.sparse import _compressed, _sparsetools, _sputils

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH
from xlapy.dispatch.arrays.views import buffer_type
from xlapy.dispatch.numbers.scalar_values import refuse_where
from xlapy.dispatch.numpy import matrix_class
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.scipy import sparse_blocks  # noqa: F401
from xlapy.dispatch.scipy.sparse_structure import at_most, known_length, room
from xlapy.domain.values import NONE, BoundedArray, NdArray

_ROOM = "a sparse matrix whose arrays have room for more elements than it has"
_ROOM_HINT = "call its method prune() before"
_UNSORTED = "a sparse matrix with columns that are out of order or twice in a row"
_UNSORTED_HINT = "call its method sum_duplicates() before"


def _function(name):
    """SciPy's compiled function of that name, which an older SciPy may lack, is what is decorated."""
    found = getattr(_sparsetools, name, None)
    return registry.replacement(found) if found is not None else lambda implementation: implementation


def _refuse_room(bad):
    """Refuse the program at run time where a matrix has room that is not used."""


def _refuse_unsorted(bad):
    """Refuse the program at run time where elements of a matrix would have to be sorted or added up."""


@registry.function(_refuse_room)
def _refuse_room_rule(machine, bad):
    refuse_where(machine, machine.truth(bad), "XP0010", _ROOM, _ROOM_HINT)
    return NONE


@registry.function(_refuse_unsorted)
def _refuse_unsorted_rule(machine, bad):
    refuse_where(machine, machine.truth(bad), "XP0010", _UNSORTED, _UNSORTED_HINT)
    return NONE


@registry.function(_util._prune_array)
def _prune_array(machine, array):
    """The array, or a copy if it is a view of a much larger one that the program knows."""
    if isinstance(array, BoundedArray):
        return array
    if not isinstance(array, NdArray):
        raise Refused("XP0010", "a sparse matrix whose number of elements depends on data")
    size, whole = (math.prod(kind.shape) for kind in (array.type, buffer_type(machine, array)))
    return machine.call(machine.getattr(array, "copy"), ()) if size < whole // 2 else array


registry.replacement(_sputils.asmatrix)(matrix_class.as_matrix)


# -- how many elements there are --------------------------------------------------------------------------------------


@registry.replacement(_compressed._cs_matrix._getnnz)
def _getnnz(self, axis=None):
    if axis is None:
        count = known_length(self.data)
        if count is None:
            return at_most(int(self.indptr[-1]), room(self.data))
        _refuse_room(self.indptr[-1] != count)
        return count
    if self.ndim == 1:
        if axis in (0, -1):
            return self._getnnz()
        raise ValueError("axis out of bounds")
    if axis < 0:
        axis += 2
    axis, _ = self._swap((axis, 1 - axis))
    _, n = self._swap(self.shape)
    if axis == 0:
        return np.bincount(self.indices, minlength=n)
    elif axis == 1:
        return np.diff(self.indptr)
    raise ValueError("axis out of bounds")


registry.function(_util._prune_array, kind=DYNAMIC_LENGTH)(_prune_array)


@_function("csr_has_canonical_format")
def _csr_has_canonical_format(n_row, indptr, indices):
    bad = False
    for i in range(n_row):
        for k in range(indptr[i] + 1, indptr[i + 1]):
            bad = bad or indices[k - 1] >= indices[k]
    _refuse_unsorted(bad)
    return True


@_function("csr_has_sorted_indices")
def _csr_has_sorted_indices(n_row, indptr, indices):
    bad = False
    for i in range(n_row):
        for k in range(indptr[i] + 1, indptr[i + 1]):
            bad = bad or indices[k - 1] > indices[k]
    return not bad


# -- products with vectors and with several vectors -------------------------------------------------------------------


@_function("csr_matvec")
def _csr_matvec(n_row, n_col, indptr, indices, data, x, y):
    data, x = data.astype(y.dtype, copy=False), x.astype(y.dtype, copy=False)
    for i in range(n_row):
        total = y[i]
        for k in range(indptr[i], indptr[i + 1]):
            total += data[k] * x[indices[k]]
        y[i] = total


@_function("csc_matvec")
def _csc_matvec(n_row, n_col, indptr, indices, data, x, y):
    data, x = data.astype(y.dtype, copy=False), x.astype(y.dtype, copy=False)
    for j in range(n_col):
        factor = x[j]
        for k in range(indptr[j], indptr[j + 1]):
            y[indices[k]] += data[k] * factor


@_function("csr_matvecs")
def _csr_matvecs(n_row, n_col, n_vecs, indptr, indices, data, x, y):
    data, x = data.astype(y.dtype, copy=False), x.astype(y.dtype, copy=False).reshape(n_col, n_vecs)
    y = y.reshape(n_row, n_vecs)
    for i in range(n_row):
        for k in range(indptr[i], indptr[i + 1]):
            y[i] += data[k] * x[indices[k]]


@_function("csc_matvecs")
def _csc_matvecs(n_row, n_col, n_vecs, indptr, indices, data, x, y):
    data, x = data.astype(y.dtype, copy=False), x.astype(y.dtype, copy=False).reshape(n_col, n_vecs)
    y = y.reshape(n_row, n_vecs)
    for j in range(n_col):
        for k in range(indptr[j], indptr[j + 1]):
            y[indices[k]] += data[k] * x[j]


@_function("coo_matvec")
def _coo_matvec(nnz, rows, columns, data, x, y):
    data, x = data.astype(y.dtype, copy=False), x.astype(y.dtype, copy=False)
    for k in range(nnz):
        y[rows[k]] += data[k] * x[columns[k]]


@_function("coo_matmat_dense")
def _coo_matmat_dense(nnz, n_vecs, rows, columns, data, x, y):
    data, x = data.astype(y.dtype, copy=False), x.astype(y.dtype, copy=False).reshape(-1, n_vecs)
    y = y.reshape(-1, n_vecs)
    for k in range(nnz):
        y[rows[k]] += data[k] * x[columns[k]]


@_function("dia_matvec")
def _dia_matvec(n_row, n_col, n_diags, length, offsets, diags, x, y):
    diags, x = diags.astype(y.dtype, copy=False), x.astype(y.dtype, copy=False)
    for k in range(n_diags):
        offset = int(offsets[k])
        for j in range(max(0, offset), min(n_row + offset, n_col, length)):
            y[j - offset] += diags[k, j] * x[j]


@_function("dia_matvecs")
def _dia_matvecs(n_row, n_col, n_diags, length, offsets, diags, n_vecs, x, y):
    diags, x = diags.astype(y.dtype, copy=False), x.astype(y.dtype, copy=False)
    for k in range(n_diags):
        offset = int(offsets[k])
        for j in range(max(0, offset), min(n_row + offset, n_col, length)):
            y[j - offset] += diags[k, j] * x[j]


# -- other forms ------------------------------------------------------------------------------------------------------


@_function("csr_todense")
def _csr_todense(n_row, n_col, indptr, indices, data, dense):
    data = data.astype(dense.dtype, copy=False)
    for i in range(n_row):
        for k in range(indptr[i], indptr[i + 1]):
            dense[i, indices[k]] += data[k]


@_function("coo_todense")
def _coo_todense(n_row, n_col, nnz, rows, columns, data, dense, fortran):
    data = data.astype(dense.dtype, copy=False)
    for k in range(nnz):
        dense[rows[k] + n_row * columns[k] if fortran else rows[k] * n_col + columns[k]] += data[k]


@_function("csr_tocsc")
def _csr_tocsc(n_row, n_col, indptr, indices, data, new_indptr, new_indices, new_data):
    ends = np.zeros(n_col + 1, new_indptr.dtype)
    for k in range(len(indices)):
        ends[indices[k] + 1] += 1
    for j in range(n_col):
        ends[j + 1] += ends[j]
    new_indptr[:] = ends
    for i in range(n_row):
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            place = ends[j]
            new_indices[place] = i
            new_data[place] = data[k]
            ends[j] = place + 1


@_function("expandptr")
def _expandptr(n_row, indptr, rows):
    for i in range(n_row):
        for k in range(indptr[i], indptr[i + 1]):
            rows[k] = i


@_function("csr_diagonal")
def _csr_diagonal(shift, n_row, n_col, indptr, indices, data, diagonal):
    first_row = max(-shift, 0)
    first_column = max(shift, 0)
    for i in range(len(diagonal)):
        row, column = first_row + i, first_column + i
        total = diagonal[i] * 0
        for k in range(indptr[row], indptr[row + 1]):
            if indices[k] == column:
                total += data[k]
        diagonal[i] = total


@_function("csr_scale_rows")
def _csr_scale_rows(n_row, n_col, indptr, indices, data, factors):
    factors = factors.astype(data.dtype, copy=False)
    for i in range(n_row):
        for k in range(indptr[i], indptr[i + 1]):
            data[k] *= factors[i]


@_function("csr_scale_columns")
def _csr_scale_columns(n_row, n_col, indptr, indices, data, factors):
    data *= factors.astype(data.dtype, copy=False)[indices]


# -- solvers ----------------------------------------------------------------------------------------------------------


@registry.replacement(*(getattr(lapack, name) for name in ("slartg", "dlartg") if hasattr(lapack, name)))
def _lartg(f, g):
    """A rotation that takes (f, g) to (r, 0): c, s and r."""
    if g == 0:
        return f / f if f == f and f != 0 else f * 0 + 1, g * 0, f
    if f == 0:
        return f, np.sign(g), abs(g)
    r = np.copysign(np.hypot(f, g), f)
    return abs(f) / abs(r), g / r, r


__all__: list[str] = []
