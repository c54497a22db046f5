"""`warnings.catch_warnings`, `simplefilter` and `filterwarnings`: what the program says about the warnings it gives.

NumPy's own warnings are not given on a device, so there is nothing to filter but what `warnings.warn` gives.
"""

from __future__ import annotations

import warnings

import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.values import FALSE, NONE, UNBOUND, Const, Value, is_none

_WARNING, _ZERO, _ANY = Const(Warning), Const(0), Const("")
#: a filter: the action, the category, and whether it looks at nothing else
Filter = tuple[str, type, bool]
#: warnings that may be made errors: what we compile gives none of the one, and the other with known dtypes only
_NEVER_GIVEN = (np.exceptions.VisibleDeprecationWarning, np.exceptions.ComplexWarning)


class _Filters:
    """A `catch_warnings`: the filters that are in force inside it are not outside."""

    def __init__(self, entered):
        self.entered = False
        self.filters = ()
        self.first = entered

    def __enter__(self):
        if self.entered:
            raise RuntimeError("Cannot enter twice")
        self.entered = True
        if self.first is not None:
            warnings.simplefilter(*self.first)

    def __exit__(self, *exception):
        self.entered = False


@registry.function(warnings.catch_warnings)
def _catch_warnings(
    machine: Machine,
    *,
    record: Value = FALSE,
    module: Value = NONE,
    action: Value = NONE,
    category: Value = _WARNING,
    lineno: Value = _ZERO,
    append: Value = FALSE,
) -> Value:
    if machine.static(record) or not is_none(module):
        raise Refused("XP0010", "warnings.catch_warnings that records them, or of a module")
    first = NONE if is_none(action) else Const(tuple(machine.static(v) for v in (action, category, lineno, append)))
    return machine.call(Const(_Filters), (first,))


def _entered(machine: Machine) -> list[int]:
    """The `catch_warnings` that the program is in, the innermost one first."""
    heap = machine.heap
    found = []
    for number, info in heap.objects.items():
        if info.cls is _Filters:
            state = heap.slots.get((number, "entered"), UNBOUND)
            if isinstance(state, Const) and state.value is True:
                found.append(number)
            elif state is not UNBOUND and not isinstance(state, Const):
                raise Refused("XP0010", "a catch_warnings that is entered on some paths only")
    return sorted(found, reverse=True)


def _filters(machine: Machine, number: int) -> tuple[Filter, ...]:
    known = machine.heap.slots.get((number, "filters"))
    if not isinstance(known, Const):
        found = getattr(known, "items", None)
        if found == ():
            return ()
        raise Refused("XP0010", "filters of warnings that depend on data")
    return known.value


def _add(machine: Machine, new: Filter | None) -> Value:
    inside = _entered(machine)
    if not inside:
        raise Refused(
            "XP0010", "filters of warnings of the whole process are changed", "use `with warnings.catch_warnings():`"
        )
    before = _filters(machine, inside[0])
    machine.heap.write(
        inside[0], "filters", Const((*before, new) if new is not None else (("default", Warning, True),))
    )
    return NONE


@registry.function(warnings.simplefilter)
def _simplefilter(
    machine: Machine,
    action: Value,
    category: Value = _WARNING,
    lineno: Value = _ZERO,
    append: Value = FALSE,
) -> Value:
    return _filterwarnings(machine, action, _ANY, category, _ANY, lineno, append)


@registry.function(warnings.filterwarnings)
def _filterwarnings(
    machine: Machine,
    action: Value,
    message: Value = _ANY,
    category: Value = _WARNING,
    module: Value = _ANY,
    lineno: Value = _ZERO,
    append: Value = FALSE,
) -> Value:
    how, text, kind, where, line, last = (
        machine.static(v) for v in (action, message, category, module, lineno, append)
    )
    if how == "error":
        if kind not in _NEVER_GIVEN:
            raise Refused(
                "XP0010",
                "warnings are made errors, and the device gives none of NumPy's warnings",
                "ask for what would be warned of, as by np.isfinite(x).all()",
            )
        # what is called inside must not be known from calls outside
        machine.forget_calls()
        machine.builder.discarding = lambda: _check_cast(machine)
    if last:
        raise Refused("XP0010", "a filter of warnings that is put behind the others (append=True)")
    return _add(machine, (str(how), kind, not (text or where or line)))


def _check_cast(machine: Machine) -> None:
    """Refuse a cast of complex numbers to real ones where NumPy's warning of it is an error."""
    for number in _entered(machine):
        for action, kind, _ in reversed(_filters(machine, number)):
            if issubclass(np.exceptions.ComplexWarning, kind):
                if action == "error":
                    raise Refused(
                        "XP0010",
                        "complex numbers are cast to real ones where np.exceptions.ComplexWarning is made an error",
                    )
                return


@registry.function(warnings.resetwarnings)
def _resetwarnings(machine: Machine) -> Value:
    return _add(machine, None)


def is_ignored(machine: Machine, category: type) -> bool:
    """Whether a warning that the program gives here is not to be shown.

    Raises:
        Refused: the program has other filters for it, which the host does not know.
    """
    for number in _entered(machine):
        for action, kind, plain in reversed(_filters(machine, number)):
            if issubclass(category, kind):
                if plain and action == "ignore":
                    return True
                raise Refused("XP0010", "a warning is given under a filter that does more than ignore it")
    return False
