"""Functions of SciPy that design filters, windows and rules of quadrature: of known arguments, SciPy itself is asked.

Of others they are interpreted from SciPy's own bytecode, as far as that goes.
"""

from __future__ import annotations

import types
import warnings
from typing import Any

import numpy as np
import scipy.linalg
import scipy.signal
import scipy.special

from xlapy.dispatch import registry
from xlapy.dispatch.numpy.rule_operands import sequence_items
from xlapy.domain.values import Const, NdArray, Tuple, Value
from xlapy.ir import constant_value

_SIGNAL = """
    bessel besselap bilinear bilinear_zpk buttap butter buttord cheb1ap cheb1ord cheb2ap cheb2ord cheby1 cheby2 ellip
    ellipap ellipord firls firwin firwin2 freqs freqz freqz_sos get_window group_delay iircomb iirdesign iirfilter
    iirnotch iirpeak kaiser_atten kaiser_beta kaiserord lfilter_zi lp2bp lp2bp_zpk lp2bs lp2bs_zpk lp2hp lp2hp_zpk lp2lp
    lp2lp_zpk minimum_phase normalize remez savgol_coeffs sos2tf sos2zpk sosfilt_zi tf2sos tf2zpk zpk2sos zpk2tf
""".split()
_SPECIAL = [name for name in dir(scipy.special) if name.startswith("roots_")]
_LINALG = "dft hadamard hilbert invhilbert invpascal pascal".split()
_FUNCTIONS = [
    *(getattr(scipy.signal, name, None) for name in _SIGNAL),
    *(getattr(scipy.signal.windows, name) for name in scipy.signal.windows.__all__),
    *(getattr(scipy.special, name) for name in _SPECIAL),
    *(getattr(scipy.linalg, name) for name in _LINALG),
]


class _Unknown(Exception):
    """Data says what an argument is."""


def _copy_of(function: types.FunctionType) -> types.FunctionType:
    """The same function under another identity, which is interpreted."""
    made = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _known(machine, value: Value) -> Any:
    """A copy of what an argument is."""
    if isinstance(value, NdArray):
        constant = constant_value(machine.read(value))
        if constant is None:
            raise _Unknown
        return constant.copy()
    items = sequence_items(machine, value) if not isinstance(value, Const) else None
    if items is not None:
        found = [_known(machine, item) for item in items]
        return tuple(found) if isinstance(value, Tuple) else found
    if not machine.is_static(value):
        raise _Unknown
    return machine.static(value)


def _result(machine, found: Any) -> Value:
    if isinstance(found, np.ndarray):
        if found.dtype.kind not in "biufc":
            raise _Unknown
        return machine.new_array(machine.builder.constant(found))
    if type(found) is tuple:
        return Tuple(tuple(_result(machine, item) for item in found))
    if found is None or isinstance(found, int | float | complex | np.generic):
        return Const(found)
    raise _Unknown


def _folded(function: types.FunctionType) -> None:
    copy = _copy_of(function)

    def rule(machine, /, *args: Value, **kwargs: Value) -> Value:
        try:
            given = [_known(machine, v) for v in args]
            named = {name: _known(machine, v) for name, v in kwargs.items()}
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                found = function(*given, **named)
            return _result(machine, found)
        except Exception:  # SciPy's own exceptions, too: they are raised where its code raises them
            return machine.call(Const(copy), list(args), kwargs)

    registry.function(function)(rule)


for _function in _FUNCTIONS:
    if type(_function) is types.FunctionType and not hasattr(_function, "__wrapped__"):
        _folded(_function)

__all__: list[str] = []
