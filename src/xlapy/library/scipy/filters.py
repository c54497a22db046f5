"""scipy.signal's filters: what SciPy does in compiled code, in plain Python; it checks and chooses in Python itself."""

from __future__ import annotations

import numpy as np
from scipy.signal import _signaltools, _sigtools  # type: ignore[attr-defined]

from xlapy.library.replacement import replacement


@replacement(_sigtools._linear_filter)
def _linear_filter(b, a, x, axis=-1, zi=None):
    if not -x.ndim <= axis < x.ndim:
        raise ValueError("selected axis is out of range")
    given = [b.dtype, a.dtype, x.dtype]
    if zi is not None:
        given.append(zi.dtype)
    dtype = np.result_type(*given)
    if dtype.char not in "fdFD":
        raise NotImplementedError(f"input type '{dtype}' not supported\n")
    lead = a[0]
    if lead == 0:
        raise ValueError("BUG: filter coefficient a[0] == 0 not supported yet")
    order = max(len(a), len(b)) - 1
    rows = np.moveaxis(x, axis, -1)
    lines = rows.astype(dtype).reshape(-1, rows.shape[-1])
    state = np.zeros((lines.shape[0], order), dtype)
    if zi is not None:
        state[...] = np.moveaxis(_as_states(zi, x, axis, order), axis, -1).reshape(-1, order)
    over, under = np.zeros(order + 1, dtype), np.zeros(order + 1, dtype)
    over[: len(b)] = b / lead
    under[: len(a)] = a / lead
    for k in range(lines.shape[0]):
        _filter(over, under, lines[k], state[k])
    made = np.moveaxis(lines.reshape(rows.shape), -1, axis)
    if zi is None:
        return made
    return made, np.moveaxis(state.reshape(rows.shape[:-1] + (order,)), -1, axis)


def _as_states(zi, x, axis, order):
    """The initial states, one for each line of `x`."""
    if zi.ndim != x.ndim:
        raise ValueError("object of too small depth for desired array")
    wanted = list(x.shape)
    wanted[axis] = order
    for k in range(x.ndim):
        if zi.shape[k] != wanted[k] and (k == axis % x.ndim or zi.shape[k] != 1):
            expected = ",".join([str(n) for n in wanted])
            found = ",".join([str(n) for n in zi.shape])
            raise ValueError(f"Unexpected shape for zi: expected ({expected},), found ({found},).")
    return np.broadcast_to(zi, tuple(wanted))


def _filter(b, a, line, state):
    """One line in place: the transposed direct form II."""
    order = len(state)
    if order == 0:
        line *= b[0]
        return
    for n in range(len(line)):
        v = line[n]
        y = state[0] + b[0] * v
        for i in range(order - 1):
            state[i] = state[i + 1] + b[i + 1] * v - a[i + 1] * y
        state[order - 1] = b[order] * v - a[order] * y
        line[n] = y


@replacement(_signaltools._sosfilt)
def _sosfilt(sos, x, zi):
    for k in range(x.shape[0]):
        for s in range(sos.shape[0]):
            _filter(sos[s, :3], sos[s, 3:], x[k], zi[k, s])
