"""Programs that are called without XLA: those that are machine code as a whole (`lowering.llvm.entry_points`).

Such a program gets NumPy's arrays and Python's numbers, and computes in the thread that calls it; it looks into
`jax.Array`s of a CPU as if they were NumPy's. What it is not made for goes to the program that XLA has, which is
compiled when it is first wanted: other types, arrays of other devices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from xlapy.domain.numbers import SCALAR_DTYPES
from xlapy.domain.recipes import Attribute
from xlapy.interpreter.analyse import Analysis
from xlapy.ir import TensorType
from xlapy.lowering.llvm import Errors, Given, gained_by_machine_code, whole_as_machine_code
from xlapy.machine_code.c_calls import plainly
from xlapy.machine_code.object_calls import Plan
from xlapy.passes.native_loop_forms import plain
from xlapy.runtime.compile_log import compiled, stage
from xlapy.runtime.jax_internals import MAY_CHECK_RESULTS, Adopting, ConcreteArray, checks_results, memory_of
from xlapy.runtime.packing import Packing, Travelling
from xlapy.runtime.transfer_report import outputs_of

#: the classes of operands that a program may have
_KNOWN = (np.ndarray, np.generic, bool, int, float, complex, ConcreteArray)
#: what makes of the results of a program what it returns
Finished = Callable[[Analysis], Callable[[tuple], Any]]


class Direct:
    """Calls the machine code that suits the operands, or `otherwise` what XLA has.

    Args:
        otherwise: the program of XLA's, of the same operands.
        python: the classes of those operands that are Python's numbers.
        program: finds the program for the types of operands, which of its results become `jax.Array`s, and of which
            parts do; None if there is none yet.
        finished: for a program, what makes of its outputs what `otherwise` returns.
        plan: for a program, what a C function does that is called with the operands, and what is done then.
        store: keeps the code of a program for other processes.

    Attributes:
        objects: that C function of the newest types, which may return `OTHER`, or None; and a function of what it
            returns and of the arguments, or None.
    """

    def __init__(
        self,
        otherwise: Callable,
        python: Sequence[type | None],
        program: Callable[[Sequence[Given]], tuple[Analysis, Travelling, Sequence[int], Sequence[int]] | None],
        finished: Finished,
        plan: Callable[[Analysis], tuple[Plan, Callable | None] | None],
        store: Callable[[Analysis, Callable], None],
    ) -> None:
        self.otherwise, self.python, self.program, self.finished = otherwise, python, program, finished
        self.plan, self.store = plan, store
        self.objects: tuple[Callable | None, Callable | None] = (None, None)
        #: the newest one, and what its operands have to become first
        self._run: Callable | None = None
        self._prepared: Callable[[Any], Any] | None = None
        #: whether there is none for any types that were met
        self._is_idle = False
        self._known: dict[tuple, tuple[Callable, Sequence[Given], tuple] | None] = {}

    def __call__(self, *operands: Any) -> Any:
        """The outputs of the program for the types of the operands."""
        run = self._run
        if MAY_CHECK_RESULTS[0] and checks_results():
            return self.otherwise(*operands)
        if run is not None:
            found = run(operands if self._prepared is None else list(map(self._prepared, operands)))
            if found is not None:
                return found
        elif self._is_idle:
            return self.otherwise(*operands)
        return self._any_types(operands)

    def look_again(self) -> None:
        """There is a program for other types."""
        self._is_idle = False

    def suits(self, operands: Sequence) -> bool:
        """Whether machine code is called for such operands, or for what stands for them."""
        if not all(isinstance(x, (*_KNOWN, jax.ShapeDtypeStruct)) for x in operands):
            return False
        types = tuple(map(_given, operands, self.python))
        if not self._is_known(types) or self._known[types] is None:
            return False
        return not any(type(_in_memory(x)) is ConcreteArray for x in operands)

    def _is_known(self, types: tuple) -> bool:
        """Whether there is a program for types, which is machine code from now on if it can be."""
        if types not in self._known:
            program = self.program(types)
            if program is None:
                return False
            with stage("LLVM"):
                self._known[types] = self._made(*program)
        return True

    def _any_types(self, operands: Sequence) -> Any:
        if not all(isinstance(x, _KNOWN) for x in operands):
            return self.otherwise(*operands)
        types = tuple(map(_given, operands, self.python))
        if not self._is_known(types):
            return self.otherwise(*operands)
        known = self._known[types]
        found = [] if known is None else [_in_memory(x) for x in operands]
        if known is None or any(type(x) is ConcreteArray for x in found):
            self._is_idle = not any(self._known.values())
            return self.otherwise(*operands)
        run, given, objects = known
        compiled("machine code")
        prepared = None
        if any(type(x) is ConcreteArray for x in operands):
            prepared = _in_memory
        if any(isinstance(x, np.generic) for x in operands):
            prepared = _as_array
        # Other threads may set these to what suits them.
        self._run, self._prepared, self.objects = run, prepared, objects
        return run([plainly(x, one) for x, one in zip(found, given, strict=True)])

    def _made(
        self, analysis: Analysis, program: Travelling, places: Sequence[int], parts: Sequence[int]
    ) -> tuple[Callable, Sequence[Given], tuple] | None:
        """A program as a function of its operands, and what these have to be; it returns None where they are others.
        And its `objects`."""
        entry = program.module.entry
        given = [Given(p.type.dtype, p.type.shape, python) for p, python in zip(entry.params, self.python, strict=True)]
        gained = gained_by_machine_code(entry.fast or entry)
        if gained < 0:
            return None
        aligned = {*places, *parts}
        plan, finish = self.plan(analysis) or (None, None)
        errors = errors_of(analysis, program.results)
        call = whole_as_machine_code(plain(program.module), given, aligned, errors, gained, 3, plan)
        if call is None:
            return None
        delivered = [(k, _adopting(entry.results[k].type)) for k in places]
        self.store(analysis, call)
        finished = self.finished(analysis)

        def run(operands: Sequence) -> Any:
            values: Any = call(*operands)
            if values is None:
                return None
            if delivered:
                values = list(values)
                for k, adopted in delivered:
                    values[k] = adopted(values[k])
            return finished(values)

        return run, given, (getattr(call, "objects", None), finish)


def _in_memory(operand: Any) -> Any:
    """An operand, or the elements of a `jax.Array` where they lie."""
    if type(operand) is not ConcreteArray:
        return operand
    found = memory_of(operand)
    return operand if found is None else found


def _as_array(operand: Any) -> Any:
    """The same, and a NumPy scalar as an array."""
    return np.asarray(operand) if isinstance(operand, np.generic) else _in_memory(operand)


def _given(operand: Any, python: type | None) -> Given:
    if python is not None:
        return Given(SCALAR_DTYPES[python], (), python)
    return Given(operand.dtype, operand.shape)


def errors_of(analysis: Analysis, packing: Packing | None) -> Errors | None:
    """Where the host finds out about errors; None if it looks at other results too where there is one. Results may be
    packed."""
    if not analysis.errors:
        return Errors(None, ())
    if analysis.prints:
        return None

    def place(k: int) -> tuple[int, int | None]:
        return (k, None) if packing is None else packing.place(k)

    messages = []
    for raised in analysis.errors:
        parts = [part.reconstruction if isinstance(part, Attribute) else part for part in raised.parts]
        messages.append([place(k) for k in sorted({k for part in parts for k in outputs_of(part)})])
    return Errors(place(len(analysis.module.entry.results) - 1), messages)


def _adopting(type_: TensorType) -> Adopting:
    weak = type_.weak and type_.shape == () and type_.dtype != np.bool_
    return Adopting(tuple(type_.shape), type_.dtype, weak)


__all__ = ["Direct", "errors_of"]
