"""scipy.sparse: what decides anew which elements a matrix has: products and sums of matrices, rows, other forms.

How many elements such a matrix has depends on data: its arrays have a dynamic length, and room for all that there can
be. The order of elements is SciPy's.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np
from scipy.sparse import _compressed, _coo, _sparsetools, _sputils

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.numbers.scalar_values import device, refuse_where, scalar
from xlapy.dispatch.numpy.rule_operands import operand, sequence_items
from xlapy.dispatch.scipy.refusing import refuse
from xlapy.domain.numbers import known_bounds
from xlapy.domain.values import NONE, BoundedArray, Const, NumpyScalar, Ref, Scalar, Tuple, Value

_LARGE = "a sparse matrix with indices of more than 32 bits"
_NO_ARRAYS, _FALSE = Const(()), Const(False)
_matrix = _compressed._cs_matrix


def _function(name):
    """SciPy's compiled function of that name, which an older SciPy may lack, is what is decorated."""
    found = getattr(_sparsetools, name, None)
    return registry.replacement(found) if found is not None else lambda implementation: implementation


# -- what is known at compile time ------------------------------------------------------------------------------------


def room(array) -> Any:
    """How many elements an array has room for."""


def known_length(array) -> Any:
    """The length of an array; None where data says it."""


def at_most(number, most) -> Any:
    """An int that is known to lie between 0 and `most`."""


def is_given(matrix) -> Any:
    """Whether a matrix is the caller's, which the program has not made."""


def _is_known(flag, value) -> Any:
    """Whether `flag` is certainly `value`."""


def _helper(function):
    """A rule of a function of this module, which takes arrays of dynamic length, too."""

    def register(rule):
        registry.function(function, kind=DYNAMIC_LENGTH)(rule)
        return registry.function(function)(rule)

    return register


@_helper(room)
def _room_rule(machine, array: Value) -> Value:
    found = masked_axes.parts(machine, array)
    return Const(int((found[0].type if found else operand(machine, array).type).shape[0]))


@_helper(known_length)
def _known_length_rule(machine, array: Value) -> Value:
    return NONE if isinstance(array, BoundedArray) and array.axes[0] is not None else _room_rule(machine, array)


@_helper(at_most)
def _at_most_rule(machine, number: Value, most: Value) -> Value:
    high = machine.static(most)
    return number if isinstance(number, Const) else scalar(machine, int, device(machine, number, int), (0, int(high)))


@_helper(is_given)
def _is_given_rule(machine, matrix: Value) -> Value:
    return Const(isinstance(matrix, Ref) and machine.heap.objects[matrix.object].source is not None)


@_helper(_is_known)
def _is_known_rule(machine, flag: Value, value: Value) -> Value:
    return Const(machine.is_static(flag) and machine.is_static(value) and machine.static(flag) == machine.static(value))


# -- types of indices --------------------------------------------------------------------------------------------------

_get_index_dtype = types.FunctionType(
    _sputils.get_index_dtype.__code__,
    _sputils.get_index_dtype.__globals__,
    argdefs=_sputils.get_index_dtype.__defaults__,
)


@registry.function(_sputils.get_index_dtype)
def _index_dtype_rule(
    machine, arrays: Value = _NO_ARRAYS, maxval: Value = NONE, check_contents: Value = _FALSE
) -> Value:
    """What is certain of a number that data says is its bound."""
    if isinstance(maxval, Scalar | NumpyScalar):
        bounds = known_bounds(maxval)
        if bounds is not None and bounds[1] <= np.iinfo(np.int32).max:
            maxval = Const(0)
    items = sequence_items(machine, arrays)
    if items is not None and machine.static(check_contents):
        arrays = Tuple(tuple(v for v in items if not _has_small_numbers(machine, v)))
    return machine.call(Const(_get_index_dtype), (arrays, maxval, check_contents))


def _has_small_numbers(machine, array: Value) -> bool:
    """Whether an array has 64-bit integers, which fit 32 bits: the program is refused at run time where they do not."""
    found = masked_axes.parts(machine, array)
    if found is None or found[0].type.dtype not in (np.int64, np.uint32, np.uint64):
        return False
    bad = machine.truth(machine.call(Const(_are_large), (array,)))
    refuse_where(machine, bad, "XP0010", _LARGE)
    return True


def _are_large(array):
    limits = np.iinfo(np.int32)
    return np.any((array > limits.max) | (array < limits.min))


registry.function(_sputils.get_index_dtype, kind=DYNAMIC_LENGTH)(_index_dtype_rule)

# -- elements of one row or column after another -----------------------------------------------------------------------


@registry.replacement(_matrix._get_intXint)
def _get_intxint(self, row, col):
    major, minor = self._swap((row, col))
    total = self.dtype.type(0)
    for k in range(self.indptr[major], self.indptr[major + 1]):
        if self.indices[k] == minor:
            total = total + self.data[k]
    return total


@_function("get_csr_submatrix")
def _get_csr_submatrix(n_row, n_col, indptr, indices, data, first_row, end_row, first_col, end_col):
    start, end = indptr[first_row], indptr[end_row]
    columns, values = indices[start:end], data[start:end]
    starts = indptr[first_row : end_row + 1] - start
    if _is_known(first_col, 0) and _is_known(end_col, n_col):
        return starts, columns.copy(), values.copy()
    inside = (columns >= first_col) & (columns < end_col)
    before = np.concatenate((np.zeros(1, indptr.dtype), np.cumsum(inside, dtype=indptr.dtype)))
    return before[starts], (columns[inside] - first_col).astype(indices.dtype), values[inside]


@registry.replacement(_matrix._major_index_fancy)
def _major_index_fancy(self, idx):
    idx_dtype = self._get_index_dtype((self.indptr, self.indices))
    chosen = np.asarray(idx, dtype=idx_dtype).ravel()
    other = self._swap(self._shape_as_2d)[1]
    count = len(chosen)
    shape = self._swap((count, other)) if self.ndim == 2 else (count,)
    indptr = self.indptr.astype(idx_dtype, copy=False)
    ends = np.concatenate((np.zeros(1, idx_dtype), np.cumsum(indptr[chosen + 1] - indptr[chosen], dtype=idx_dtype)))
    size = at_most(ends[-1], room(chosen) * min(other, room(self.indices)))
    indices, data = np.empty(size, idx_dtype), np.empty(size, self.dtype)
    place = 0
    for row in chosen:
        for k in range(indptr[row], indptr[row + 1]):
            indices[place] = self.indices[k]
            data[place] = self.data[k]
            place += 1
    return self.__class__((data, indices, ends), shape=shape, copy=False)


@registry.replacement(_matrix._minor_index_fancy)
def _minor_index_fancy(self, idx):
    idx_dtype = self._get_index_dtype((self.indices, self.indptr))
    chosen = np.asarray(idx, dtype=idx_dtype).ravel()
    count = len(chosen)
    rows, columns = self._swap(self._shape_as_2d)
    shape = self._swap((rows, count)) if self.ndim == 2 else (count,)
    ends = np.cumsum(np.bincount(chosen, minlength=columns))
    order = np.argsort(chosen)
    most = min(rows * room(chosen), room(self.indices) * room(chosen))
    indptr, indices, data = np.zeros(rows + 1, idx_dtype), np.zeros(most, idx_dtype), np.zeros(most, self.dtype)
    place = 0
    for i in range(rows):
        for k in range(self.indptr[i], self.indptr[i + 1]):
            column = self.indices[k]
            for n in range(ends[column - 1] if column > 0 else 0, ends[column]):
                indices[place] = order[n]
                data[place] = self.data[k]
                place += 1
        indptr[i + 1] = place
    size = at_most(place, most)
    return self.__class__((data[:size], indices[:size], indptr), shape=shape, copy=False)


@_function("csr_row_slice")
def _csr_row_slice(start, stop, step, indptr, indices, data, new_indices, new_data):
    place = 0
    for row in range(start, stop, step):
        for k in range(indptr[row], indptr[row + 1]):
            new_indices[place] = indices[k]
            new_data[place] = data[k]
            place += 1


@_function("csr_sample_values")
def _csr_sample_values(n_row, n_col, indptr, indices, data, count, rows, columns, values):
    for n in range(count):
        row, column = rows[n], columns[n]
        row = row + n_row if row < 0 else row
        column = column + n_col if column < 0 else column
        total = data.dtype.type(0)
        for k in range(indptr[row], indptr[row + 1]):
            if indices[k] == column:
                total = total + data[k]
        values[n] = total


# -- in order, without duplicates, without zeros -----------------------------------------------------------------------


@_function("coo_tocsr")
def _coo_tocsr(n_row, n_col, nnz, rows, columns, data, indptr, new_columns, new_data):
    ends = np.zeros(n_row + 1, indptr.dtype)
    for k in range(nnz):
        ends[rows[k] + 1] += 1
    for i in range(n_row):
        ends[i + 1] += ends[i]
    indptr[:] = ends
    for k in range(nnz):
        place = ends[rows[k]]
        new_columns[place] = columns[k]
        new_data[place] = data[k]
        ends[rows[k]] = place + 1


@_function("csr_sort_indices")
def _csr_sort_indices(n_row, indptr, indices, data):
    rows = np.zeros(room(indices), np.int64)
    for i in range(n_row):
        for k in range(indptr[i], indptr[i + 1]):
            rows[k] = i
    order = np.lexsort((indices, rows[: len(indices)]))
    indices[:] = indices[order]
    data[:] = data[order]


@registry.replacement(_matrix.sum_duplicates)
def _sum_duplicates(self):
    if is_given(self):
        if self.has_canonical_format:
            return
    elif hasattr(self, "_has_canonical_format") and _is_known(self._has_canonical_format, True):
        return
    self.sort_indices()
    place = 0
    start = 0
    for i in range(len(self.indptr) - 1):
        k, end = start, self.indptr[i + 1]
        start = end
        while k < end:
            column, total = self.indices[k], self.data[k]
            k += 1
            while k < end and self.indices[k] == column:
                total = total + self.data[k]
                k += 1
            self.indices[place] = column
            self.data[place] = total
            place += 1
        self.indptr[i + 1] = place
    _cut(self, place)
    self.has_canonical_format = True


@registry.replacement(_coo._coo_base._sum_duplicates)
def _sum_duplicates_of_coordinates(self, coords, data):
    if len(data) == 0:
        return coords, data
    order = np.lexsort(coords[::-1])
    coords = [place[order] for place in coords]
    new = coords[0][1:] != coords[0][:-1]
    for place in coords[1:]:
        new = new | (place[1:] != place[:-1])
    new = np.concatenate((np.ones(1, bool), new))
    sums = np.zeros(len(data), self.dtype)
    numbers = np.cumsum(new) - 1
    for k in range(len(data)):
        sums[numbers[k]] += data[order[k]]
    size = at_most(numbers[-1] + 1, room(data))
    return tuple([place[new][:size] for place in coords]), sums[:size]


@registry.replacement(_matrix.eliminate_zeros)
def _eliminate_zeros(self):
    place = 0
    start = 0
    for i in range(len(self.indptr) - 1):
        end = self.indptr[i + 1]
        for k in range(start, end):
            if self.data[k] != 0:
                self.indices[place] = self.indices[k]
                self.data[place] = self.data[k]
                place += 1
        start = end
        self.indptr[i + 1] = place
    _cut(self, place)


def _cut(matrix, size):
    """Let a matrix have so many elements."""
    size = at_most(size, room(matrix.data))
    matrix.indices = matrix.indices[:size]
    matrix.data = matrix.data[:size]


@_function("dia_tocsr")
def _dia_tocsr(n_row, n_col, n_diags, length, offsets, diags, order, data, indices, indptr):
    place = 0
    indptr[0] = 0
    for i in range(n_row):
        for n in range(n_diags):
            d = order[n]
            j = i + offsets[d]
            if 0 <= j < min(n_col, length):
                value = diags[d, j]
                if value != 0:
                    indices[place] = j
                    data[place] = value
                    place += 1
        indptr[i + 1] = place
    return at_most(place, room(data))


# -- two matrices -----------------------------------------------------------------------------------------------------


@_function("csr_matmat_maxnnz")
def _csr_matmat_maxnnz(n_row, n_col, a_indptr, a_indices, b_indptr, b_indices):
    seen = np.full(n_col, -1)
    count = 0
    for i in range(n_row):
        for jj in range(a_indptr[i], a_indptr[i + 1]):
            j = a_indices[jj]
            for kk in range(b_indptr[j], b_indptr[j + 1]):
                k = b_indices[kk]
                if seen[k] != i:
                    seen[k] = i
                    count += 1
    return at_most(count, min(n_row * n_col, room(a_indices) * min(n_col, room(b_indices))))


@_function("csr_matmat")
def _csr_matmat(n_row, n_col, a_indptr, a_indices, a_data, b_indptr, b_indices, b_data, c_indptr, c_indices, c_data):
    following = np.full(n_col, -1)
    sums = np.zeros(n_col, c_data.dtype)
    a_data, b_data = a_data.astype(c_data.dtype, copy=False), b_data.astype(c_data.dtype, copy=False)
    place = 0
    c_indptr[0] = 0
    for i in range(n_row):
        head, length = -2, 0
        for jj in range(a_indptr[i], a_indptr[i + 1]):
            j, value = a_indices[jj], a_data[jj]
            for kk in range(b_indptr[j], b_indptr[j + 1]):
                k = int(b_indices[kk])
                sums[k] += value * b_data[kk]
                if following[k] == -1:
                    following[k] = head
                    head = k
                    length += 1
        for _ in range(length):
            if sums[head] != 0:
                c_indices[place] = head
                c_data[place] = sums[head]
                place += 1
            last, head = head, int(following[head])
            following[last] = -1
            sums[last] = 0
        c_indptr[i + 1] = place


def _is_canonical(indptr, indices):
    """Whether the columns of each row are in order, and none is there twice."""
    for i in range(len(indptr) - 1):
        if indptr[i] > indptr[i + 1]:
            return False
        for k in range(indptr[i] + 1, indptr[i + 1]):
            if indices[k - 1] >= indices[k]:
                return False
    return True


_OPERATIONS = {
    "_plus_": lambda x, y: x + y,
    "_minus_": lambda x, y: x - y,
    "_elmul_": lambda x, y: x * y,
    "_maximum_": lambda x, y: np.maximum(x, y),
    "_minimum_": lambda x, y: np.minimum(x, y),
    "_ne_": lambda x, y: x != y,
    "_lt_": lambda x, y: x < y,
    "_gt_": lambda x, y: x > y,
    "_le_": lambda x, y: x <= y,
    "_ge_": lambda x, y: x >= y,
}
_COMPARISONS = ("_ne_", "_lt_", "_gt_", "_le_", "_ge_")


@registry.replacement(_matrix._binopt)
def _binopt(self, other, op):
    other = self.__class__(other)
    if op not in _OPERATIONS:
        refuse(f"scipy.sparse: the operation '{op.strip('_')}' of two matrices")
    most = min(room(self.data) + room(other.data), self.shape[0] * self.shape[-1])
    idx_dtype = self._get_index_dtype((self.indptr, self.indices, other.indptr, other.indices), maxval=most)
    dtype = np.result_type(self.dtype, other.dtype)
    new_dtype = np.dtype(bool) if op in _COMPARISONS else dtype
    indptr, indices = np.zeros(self.indptr.shape, idx_dtype), np.zeros(most, idx_dtype)
    data = np.zeros(most, new_dtype)
    given = (self.indptr, self.indices, self.data.astype(dtype, copy=False))
    given += (other.indptr, other.indices, other.data.astype(dtype, copy=False))
    columns = self._swap(self._shape_as_2d)[1]
    if _is_canonical(self.indptr, self.indices) and _is_canonical(other.indptr, other.indices):
        size = _merged(columns, *given, indptr, indices, data, _OPERATIONS[op])
    else:
        size = _combined(columns, *given, indptr, indices, data, _OPERATIONS[op])
    size = at_most(size, most)
    return self.__class__((data[:size], indices[:size], indptr), shape=self.shape)


def _merged(columns, a_indptr, a_indices, a_data, b_indptr, b_indices, b_data, indptr, indices, data, operation):
    """Rows of which the columns are in order."""
    zero = a_data.dtype.type(0)
    place = 0
    for i in range(len(indptr) - 1):
        j, j_end = int(a_indptr[i]), int(a_indptr[i + 1])
        k, k_end = int(b_indptr[i]), int(b_indptr[i + 1])
        while j < j_end or k < k_end:
            one = int(a_indices[j]) if j < j_end else columns
            two = int(b_indices[k]) if k < k_end else columns
            x, y = zero, zero
            if one <= two:
                x = a_data[j]
                j += 1
            if two <= one:
                y = b_data[k]
                k += 1
            value = operation(x, y)
            if value != 0:
                indices[place] = min(one, two)
                data[place] = value
                place += 1
        indptr[i + 1] = place
    return place


def _combined(columns, a_indptr, a_indices, a_data, b_indptr, b_indices, b_data, indptr, indices, data, operation):
    """Rows of which the columns are in any order."""
    following = np.full(columns, -1)
    first, second = np.zeros(columns, a_data.dtype), np.zeros(columns, b_data.dtype)
    place = 0
    for i in range(len(indptr) - 1):
        head, length = -2, 0
        for k in range(a_indptr[i], a_indptr[i + 1]):
            j = int(a_indices[k])
            first[j] += a_data[k]
            if following[j] == -1:
                following[j] = head
                head = j
                length += 1
        for k in range(b_indptr[i], b_indptr[i + 1]):
            j = int(b_indices[k])
            second[j] += b_data[k]
            if following[j] == -1:
                following[j] = head
                head = j
                length += 1
        for _ in range(length):
            value = operation(first[head], second[head])
            if value != 0:
                indices[place] = head
                data[place] = value
                place += 1
            last, head = head, int(following[head])
            following[last] = -1
            first[last] = 0
            second[last] = 0
        indptr[i + 1] = place
    return place


__all__: list[str] = []
