"""scipy.sparse: matrices put together from blocks, which SciPy keeps in arrays of objects."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse import _sputils

from xlapy.library.intrinsics import refuse
from xlapy.library.replacement import replacement


def _are_all(blocks, form):
    return all(sp.issparse(block) and block.format == form for row in blocks for block in row)


def _together(blocks: Any, format, dtype, is_matrix):
    """A matrix of rows of blocks, None for blocks of zeros."""
    blocks = [list(row) for row in blocks]
    form = "csr" if format in (None, "csr") and _are_all(blocks, "csr") else None
    if form is None and format in (None, "csc") and _are_all(blocks, "csc"):
        form = "csc"
    heights, widths = [0] * len(blocks), [0] * len(blocks[0])
    found = []
    for i, row in enumerate(blocks):
        if len(row) != len(widths):
            refuse("scipy.sparse: rows of several numbers of blocks")
        for j, block in enumerate(row):
            if block is not None:
                part: Any = block.tocoo() if form is not None else sp.coo_array(block)
                height, width = part._shape_as_2d
                if form is not None and (heights[i] not in (0, height) or widths[j] not in (0, width)):
                    refuse("scipy.sparse: blocks whose sizes do not fit")
                if heights[i] not in (0, height):
                    raise ValueError(
                        f"blocks[{i},:] has incompatible row dimensions. "
                        f"Got blocks[{i},{j}].shape[0] == {height}, expected {heights[i]}."
                    )
                if widths[j] not in (0, width):
                    raise ValueError(
                        f"blocks[:,{j}] has incompatible column dimensions. "
                        f"Got blocks[{i},{j}].shape[1] == {width}, expected {widths[j]}."
                    )
                heights[i], widths[j] = height, width
                found.append((i, j, part))
    shape = (sum(heights), sum(widths))
    rows = [part.row + sum(heights[:i]) for i, _, part in found]
    columns = [part.col + sum(widths[:j]) for _, j, part in found]
    data = np.concatenate([part.data for _, _, part in found])
    if dtype is not None:
        data = data.astype(dtype, copy=False)
    index = _sputils.get_index_dtype([part.row for _, _, part in found], maxval=max(shape))
    place = np.concatenate(rows).astype(index, copy=False), np.concatenate(columns).astype(index, copy=False)
    whole = (sp.coo_matrix if is_matrix else sp.coo_array)((data, place), shape=shape)
    if form is None:
        return whole.asformat(format)
    container = whole._csr_container if form == "csr" else whole._csc_container
    swap = container._swap
    indptr, indices, data, _ = whole._coo_to_compressed(swap)
    return container((data, indices, indptr), shape=shape)


def _has_arrays(blocks):
    return any(isinstance(block, sp.sparray) for row in blocks for block in row)


@replacement(sp.bmat)
def _bmat(blocks, format=None, dtype=None):
    return _together(blocks, format, dtype, not _has_arrays(blocks))


@replacement(sp.vstack)
def _vstack(blocks, format=None, dtype=None):
    return _bmat([[block] for block in blocks], format, dtype)


@replacement(sp.hstack)
def _hstack(blocks, format=None, dtype=None):
    return _bmat([list(blocks)], format, dtype)


@replacement(sp.block_array)
def _block_array(blocks, *, format=None, dtype=None):
    return _together(blocks, format, dtype, False)
