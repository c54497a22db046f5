"""Remainders of floats without loops.

The C library subtracts bit by bit. Of numbers whose quotient is below 2**53 (2**24 for float32), the whole part of the
quotient, times the divisor, is what has to be subtracted, which a multiplication and a subtraction that are rounded
once do exactly: the difference is a multiple of the last place of both, and not larger than the divisor. As the
quotient is rounded, it may be one too large.
"""

from __future__ import annotations

from xlapy.lowering.llvm.text import Number, Text, literal, type_of

#: `frem` is in a function of its own, so that LLVM does not compute it for all numbers, and chooses then
_DEFINITION = """\
define internal {type} @{name}.far({type} %x, {type} %y) noinline memory(none) nounwind {{
  %found = frem {type} %x, %y
  ret {type} %found
}}
define internal {type} @{name}({type} %x, {type} %y) memory(none) nounwind {{
  %a = call {type} @llvm.fabs.f{bits}({type} %x)
  %b = call {type} @llvm.fabs.f{bits}({type} %y)
  %q = fdiv {type} %a, %b
  %many = fcmp uge {type} %q, {most}
  br i1 %many, label %slow, label %quick, !prof {unlikely}
quick:
  %n = call {type} @llvm.trunc.f{bits}({type} %q)
  %m = fneg {type} %n
  %d = call {type} @llvm.fma.f{bits}({type} %m, {type} %b, {type} %a)
  %under = fcmp olt {type} %d, {zero}
  %above = fadd {type} %d, %b
  %r = select i1 %under, {type} %above, {type} %d
  %less = fcmp olt {type} %a, %b
  %s = select i1 %less, {type} %a, {type} %r
  %found = call {type} @llvm.copysign.f{bits}({type} %s, {type} %x)
  ret {type} %found
slow:
  %far = call {type} @{name}.far({type} %x, {type} %y)
  ret {type} %far
}}"""


def remainder(text: Text, x: Number, y: Number) -> Number:
    """What is left of `x`, of its sign, when it is divided by `y`: C's `fmod`."""
    type, bits = type_of(x.dtype), 8 * x.dtype.itemsize
    name = f"remainder.f{bits}"
    if not any(f"@{name}(" in function for function in text.functions):
        for function, count in (("fabs", 1), ("trunc", 1), ("fma", 3), ("copysign", 2)):
            full, parameters = f"llvm.{function}.f{bits}", ", ".join([type] * count)
            text.declared[full] = f"declare {type} @{full}({parameters}) memory(none) nounwind willreturn"
        zero, most = (literal(value, x.dtype).name for value in (0, 2.0 ** (53 if bits == 64 else 24)))
        text.functions.append(
            _DEFINITION.format(type=type, bits=bits, name=name, zero=zero, most=most, unlikely=text.unlikely())
        )
    return Number(x.dtype, (text.new(f"call {type} @{name}({type} {x.name}, {type} {y.name})"),))


__all__ = ["remainder"]
