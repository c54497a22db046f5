"""Arithmetic of functions that are computed without calls (see the package)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from xlapy.lowering.llvm.scalar_instructions import RULES, select
from xlapy.lowering.llvm.text import Number, Text, literal, type_of


class Writer:
    """Arithmetic with floats of a type, float32 or float64, and their bits, as instructions of a function."""

    def __init__(self, text: Text, dtype: np.dtype) -> None:
        self.text, self.dtype = text, dtype
        self._name, self._bits = (
            ("float", np.dtype(np.int32)) if dtype.itemsize == 4 else ("double", np.dtype(np.int64))
        )

    def __getattr__(self, name: str) -> Callable[..., Number]:
        """An operation of `RULES`; other operands than `Number` are literals of the first one's type."""

        def rule(*operands: Number | float) -> Number:
            dtype = next(x.dtype for x in operands if isinstance(x, Number))
            return RULES[name](self.text, *(x if isinstance(x, Number) else literal(x, dtype) for x in operands))

        return rule

    def choose(self, predicate: Number, x: Number | float, y: Number | float) -> Number:
        """`x` where a predicate holds, else `y`."""
        one, other = (v if isinstance(v, Number) else literal(v, self.dtype) for v in (x, y))
        return select(self.text, predicate, one, other)

    def of(self, value: float) -> Number:
        """A number of the type."""
        return literal(value, self.dtype)

    def bits(self, x: Number) -> Number:
        """The bits of a float."""
        return Number(self._bits, (self.text.new(f"bitcast {self._name} {x.name} to {type_of(self._bits)}"),))

    def of_bits(self, x: Number) -> Number:
        """The float of such bits."""
        return Number(self.dtype, (self.text.new(f"bitcast {type_of(self._bits)} {x.name} to {self._name}"),))

    def of_sign(self, x: Number, found: Number) -> Number:
        """An odd function of `x`, of which it is known for the size of that."""
        return self.choose(self.lt(x, 0.0), self.neg(found), self.choose(self.eq(x, 0.0), x, found))

    def fma(self, x: Number, y: Number | float, z: Number | float) -> Number:
        """`x * y + z`, rounded once."""
        numbers = (x, *(v if isinstance(v, Number) else literal(v, self.dtype) for v in (y, z)))
        name = f"llvm.fma.f{8 * self.dtype.itemsize}"
        return Number(self.dtype, (self.text.call(name, self._name, *(v.name for v in numbers)),))

    def fused(self, x: Number, coefficients: Sequence[float]) -> Number:
        """The value of a polynomial of many terms, of which each step is rounded once; the coefficient of the highest
        power comes first. Two sums, of the even and of the odd powers, do not wait for one another."""
        square = self.mul(x, x)
        sums = []
        for terms in (coefficients[-1::-2], coefficients[-2::-2]):
            *rest, found = terms
            found = literal(found, self.dtype)
            for c in reversed(rest):
                found = self.fma(found, square, c)
            sums.append(found)
        return self.fma(sums[1], x, sums[0])

    def horner(self, x: Number, coefficients: Sequence[float]) -> Number:
        """The same of few terms, one step after the other."""
        found = self.of(coefficients[0])
        for c in coefficients[1:]:
            found = self.fma(found, x, c)
        return found

    def polynomial(self, x: Number, coefficients: Sequence[float]) -> Number:
        """Its value, by Horner's scheme; the coefficient of the highest power comes first."""
        found = literal(coefficients[0], self.dtype)
        for c in coefficients[1:]:
            found = self.add(self.mul(found, x), c)
        return found


__all__ = ["Writer"]
