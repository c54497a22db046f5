"""Keys of random streams, and what is drawn with them: Threefry-2x32 (Salmon, Moraes, Dror and Shaw, "Parallel Random
Numbers: As Easy as 1, 2, 3", 2011), counted as JAX does, so that all programs draw the same numbers.

A key is one number with two parts of 32 bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import jax
import numpy as np

from xlapy.lowering.llvm.lazy_arrays import Lazy, Place, Value, element, reads
from xlapy.lowering.llvm.scalar_instructions import RULES, convert, select
from xlapy.lowering.llvm.text import INDEX, KEY, Number, Text, Unsuitable, literal, part_of, plus, times

_NAME = "threefry"
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = 0x1BD11BDA
_ROUNDS = 5
_WORD, _WIDE = part_of(KEY), np.dtype(np.uint64)
_BITS = 32


def is_key(dtype: Any) -> bool:
    """Whether a dtype of JAX's is that of such keys."""
    return str(dtype) == "key<fry>"


#: the primitives of JAX's for keys
PRIMITIVES = ("random_wrap", "random_unwrap", "random_fold_in", "random_split", "random_bits", "random_seed")


def drawn(text: Text, equation: Any, operands: Sequence[Value]) -> Value:
    """What an equation of one of these primitives computes.

    Raises:
        Unsuitable: it has other keys, or several at once, or counts in another way.
    """
    name = equation.primitive.name
    avals = [v.aval for v in (*equation.invars[:1], *equation.outvars)]
    keys = [a for a in avals if not isinstance(a.dtype, np.dtype)]
    if not keys or not all(is_key(a.dtype) for a in keys) or not jax.threefry_partitionable.value:
        raise Unsuitable("random numbers of another kind")
    (x, *rest), shape = operands, tuple(avals[-1].shape)
    if name == "random_wrap":
        return _made(shape, KEY, lambda at: _wrapped(text, x, at), x)
    if name == "random_unwrap":
        return _made(shape, _WORD, lambda at: _word(text, element(text, x, at[:-1]), at[-1]), x)
    if not isinstance(x, Number):
        raise Unsuitable("several keys at once")
    if name == "random_seed":
        return _seeded(text, x)
    if name == "random_fold_in":
        return _hashed(text, x, ("0", convert(text, element(text, rest[0], ()), _WORD).name))

    def counted(at: Place) -> Number:
        index = "0"
        for k, place in enumerate(at):
            index = plus(text, index, times(text, place, prod(shape[k + 1 :])))
        return _hashed(text, x, _words(text, Number(INDEX, (index,))))

    if name == "random_split":
        return _made(shape, KEY, counted)
    dtype = np.dtype(avals[-1].dtype)
    return _made(shape, dtype, lambda at: _bits(text, counted(at), dtype))


def _made(shape: tuple[int, ...], dtype: np.dtype, at: Any, *values: Value) -> Value:
    return at(("0",) * len(shape)) if prod(shape) == 1 else Lazy(dtype, shape, at, reads(*values))


def _wrapped(text: Text, x: Value, at: Place) -> Number:
    return Number(KEY, tuple(element(text, x, (*at, k)).name for k in ("0", "1")))


def _word(text: Text, key: Number, place: str) -> Number:
    one, two = (Number(_WORD, (part,)) for part in key.parts)
    if not place.startswith("%"):
        return two if int(place) else one
    first = RULES["eq"](text, Number(INDEX, (place,)), literal(0, INDEX))
    return select(text, first, one, two)


def _words(text: Text, x: Number) -> tuple[str, str]:
    """The high and the low half of an integer of 64 bits."""
    high = RULES["shift_right_logical"](text, x, literal(_BITS, x.dtype))
    return convert(text, high, _WORD).name, convert(text, x, _WORD).name


def _seeded(text: Text, seed: Number) -> Number:
    if seed.dtype.itemsize < 8:
        return Number(KEY, ("0", convert(text, seed, _WORD).name))
    return Number(KEY, _words(text, seed))


def _bits(text: Text, words: Number, dtype: np.dtype) -> Number:
    high, low = (Number(_WORD, (part,)) for part in words.parts)
    if dtype.itemsize < 8:
        return convert(text, RULES["bitwise_xor"](text, high, low), dtype)
    high, low = (convert(text, x, _WIDE) for x in (high, low))
    return RULES["bitwise_or"](text, RULES["shift_left"](text, high, literal(_BITS, _WIDE)), low)


def _hashed(text: Text, key: Number, counter: tuple[str, str]) -> Number:
    """The two words that a key and a counter give."""
    if _NAME not in text.declared:
        text.declared[_NAME] = "declare i32 @llvm.fshl.i32(i32, i32, i32)"
        text.functions.append(_definition())
    operands = ", ".join(f"i32 {x}" for x in (*key.parts, *counter))
    both = text.new(f"call i64 @{_NAME}({operands})")
    high = text.new(f"lshr i64 {both}, {_BITS}")
    return Number(KEY, tuple(text.new(f"trunc i64 {x} to i32") for x in (high, both)))


def _definition() -> str:
    """The function of two words of a key and two of a counter."""
    lines: list[str] = []

    def new(name: str, instruction: str) -> str:
        lines.append(f"  {name} = {instruction}")
        return name

    both = new("%both", "xor i32 %k0, %k1")
    keys = ["%k0", "%k1", new("%k2", f"xor i32 {both}, {_PARITY}")]
    x, y = new("%x", "add i32 %c0, %k0"), new("%y", "add i32 %c1, %k1")
    for k in range(_ROUNDS):
        for n, by in enumerate(_ROTATIONS[k % 2]):
            x = new(f"%x.{k}.{n}", f"add i32 {x}, {y}")
            turned = new(f"%t.{k}.{n}", f"call i32 @llvm.fshl.i32(i32 {y}, i32 {y}, i32 {by})")
            y = new(f"%y.{k}.{n}", f"xor i32 {x}, {turned}")
        x = new(f"%x.{k}", f"add i32 {x}, {keys[(k + 1) % 3]}")
        y = new(f"%i.{k}", f"add i32 {y}, {keys[(k + 2) % 3]}")
        y = new(f"%y.{k}", f"add i32 {y}, {k + 1}")
    high, low = new("%high", f"zext i32 {x} to i64"), new("%low", f"zext i32 {y} to i64")
    high = new("%shifted", f"shl i64 {high}, {_BITS}")
    new("%both.words", f"or i64 {high}, {low}")
    # LLVM would look for seconds at words that are made of words, to find what changes by the same in each iteration.
    new("%words", "freeze i64 %both.words")
    head = f"define internal i64 @{_NAME}(i32 %k0, i32 %k1, i32 %c0, i32 %c1) alwaysinline nounwind {{"
    return "\n".join([head, *lines, "  ret i64 %words", "}"])


__all__ = ["PRIMITIVES", "drawn", "is_key"]
