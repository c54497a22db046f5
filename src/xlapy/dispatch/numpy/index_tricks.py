"""np.mgrid, np.ogrid, np.r_, np.c_, np.s_ and np.index_exp: objects that are subscripted, written in plain Python."""

from __future__ import annotations

import math

import numpy as np

from xlapy.dispatch.containers.container_protocol import GETITEM, register
from xlapy.domain.values import Const, Tuple, Value

_COMPLEX = (complex, np.complexfloating)
_SCALARS = (*np.ScalarType, bool, int, float, complex)


def _subscript(subject: object, implementation) -> None:
    """Let `implementation(subject, key)` stand for `subject[key]`."""

    def rule(machine, container: Value, key: Value) -> Value:
        return machine.call(Const(implementation), (container, key))

    register(GETITEM, type(subject))(rule)


# -- grids ------------------------------------------------------------------------------------------------------------


def _grid(grid, key):
    if isinstance(key, slice):
        start = 0 if key.start is None else key.start
        if isinstance(key.step, _COMPLEX):
            length = int(abs(key.step))
            step = (key.stop - start) / float(length - 1) if length != 1 else length
            return np.arange(0, length, 1, dtype=np.result_type(start, key.stop, abs(key.step))) * step + start
        return np.arange(start, key.stop, 1 if key.step is None else key.step)
    sizes, starts, steps, numbers = [], [], [], [0]
    for part in key:
        start = 0 if part.start is None else part.start
        step = 1 if part.step is None else part.step
        if isinstance(step, _COMPLEX):
            size = int(abs(step))
            numbers = [*numbers, start, part.stop, abs(step)]
            step = (part.stop - start) / float(size - 1) if size != 1 else size
        else:
            size = math.ceil(part.stop - start if type(step) is int and step == 1 else (part.stop - start) / step)
            numbers = [*numbers, start, part.stop, step]
        sizes.append(size)
        starts.append(start)
        steps.append(step)
    dtype = np.result_type(*numbers)
    axes = []
    for k in range(len(sizes)):
        ramp = (np.arange(sizes[k], dtype=dtype) * steps[k] + starts[k]).astype(dtype)
        axes.append(ramp[(None,) * k + (slice(None),) + (None,) * (len(sizes) - 1 - k)])
    if grid.sparse:
        return tuple(axes)
    result = np.empty((len(sizes), *sizes), dtype)
    for k in range(len(sizes)):
        result[k] = axes[k]
    return result


_subscript(np.mgrid, _grid)
_subscript(np.ogrid, _grid)


# -- joining ----------------------------------------------------------------------------------------------------------


def _joined(joiner, key):
    axis, least, place = joiner.axis, joiner.ndmin, joiner.trans1d
    pieces, kinds = [], []
    for number, item in enumerate(key if isinstance(key, tuple) else (key,)):
        if isinstance(item, str):
            if number != 0:
                raise ValueError("special directives must be the first entry.")
            fields = [int(part) for part in item.split(",")]
            axis = fields[0]
            least = fields[1] if len(fields) > 1 else least
            place = fields[2] if len(fields) > 2 else place
            continue
        if type(item) in _SCALARS:
            pieces.append(item)
            kinds.append(item)
            continue
        if isinstance(item, slice):
            start = 0 if item.start is None else item.start
            if isinstance(item.step, _COMPLEX):
                piece = np.linspace(start, item.stop, num=int(abs(item.step)))
            else:
                piece = np.arange(start, item.stop, 1 if item.step is None else item.step)
            if least > 1:
                piece = piece[(None,) * (least - 1)]
                if place != -1:
                    piece = piece.swapaxes(-1, place)
        else:
            rank = np.ndim(item)
            piece = np.asarray(item)[(None,) * (least - rank)]
            if place != -1 and rank < least:
                added = least - rank
                first = place + added + 1 if place < 0 else place
                axes = list(range(least))
                piece = piece.transpose(axes[:first] + axes[added:] + axes[first:added])
        pieces.append(piece)
        kinds.append(piece.dtype)
    if not pieces:
        raise ValueError("need at least one array to concatenate")
    dtype = np.result_type(*kinds)
    made = []
    for piece in pieces:
        made.append(np.array(piece, dtype, ndmin=least) if type(piece) in _SCALARS else piece.astype(dtype))
    return np.concatenate(tuple(made), axis=axis)


_subscript(np.r_, _joined)
_subscript(np.c_, _joined)


# -- keys -------------------------------------------------------------------------------------------------------------


@register(GETITEM, type(np.s_))
def _key(machine, container: Value, key: Value) -> Value:
    """np.s_[key] and np.index_exp[key]."""
    is_tuple = isinstance(key, Tuple) or (isinstance(key, Const) and isinstance(key.value, tuple))
    return Tuple((key,)) if machine.static(container).maketuple and not is_tuple else key
