"""Derivatives of convolutions by their weights (`winograd`), at a quarter of the multiplications.

A derivative of a linear function is its transpose: what the results' derivatives are, as coefficients of polynomials,
is evaluated at the six points; for each pair of points the product of that with the numbers of the images, over all
tiles, takes the place of the convolution; and the transpose of what is done with weights gives their derivatives.

A block is some rows of tiles: first numbers of both are transformed, of sixteen channels in each iteration; then each
pair of points adds to the products of sixteen filters with all channels.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any

import jax
import llvmlite.binding as llvm
import numpy as np

from xlapy.lowering.llvm.engine import applied, compiled
from xlapy.lowering.llvm.vector_code import DECLARED, LANES, READ, VECTOR, Code, called_with_context, entry, threads
from xlapy.lowering.llvm.winograd import (
    PAIRS,
    POINTS,
    RESULTS,
    WINDOW,
    A,
    B,
    Convolution,
    both_ways,
    is_large,
    of_numbers,
    rows_in_registers,
)

#: bytes of what is transformed at a time
_BLOCK = 1 << 25
#: tiles from which on it pays
_TILES = 16
#: what the functions are told: see `winograd`; rows of tiles in all images, and in a block; of how many filters there
#: is room for the products, which is in a slot for sixteen, and where. The rows of the block are in the context
_NAMES = (
    "channels height width filters top left rows columns down across tile_rows block in_row vectors threads slot"
    " numbers held products".split()
)
_Transform = Callable[[Code, Sequence[str]], list[str]]


def derivative_of(equation: Any) -> Convolution | None:
    """The convolution of which an equation computes the derivative by its weights, as `jax.vjp` writes it; None if it
    does not, or if that is not done here."""
    x, y = (v.aval for v in equation.invars)
    result, params = equation.outvars[0].aval, equation.params
    numbers = params["dimension_numbers"]
    turned = (1, 0, 2, 3)
    if (
        x.ndim != 4
        or tuple(numbers.lhs_spec) != turned
        or tuple(numbers.rhs_spec) != turned
        or tuple(numbers.out_spec) != turned
        or result.shape[2:] != (WINDOW, WINDOW)
    ):
        return None
    before = [low for low, _ in params["padding"]]
    after = [n - m + WINDOW - 1 - low for n, m, low in zip(y.shape[2:], x.shape[2:], before, strict=True)]
    padding = (before[0], after[0], before[1], after[1])
    images, channels, height, width = x.shape
    given = Convolution(images, channels, height, width, y.shape[1], padding, False)
    # With other padding XLA does not multiply all zeros in it, which matters where a derivative is not finite.
    is_usual = padding in ((0,) * 4, (1,) * 4) and given.channels % LANES == 0
    is_enough = given.images * prod(-(-n // RESULTS) for n in given.shape) >= _TILES
    return given if is_usual and is_enough and is_large(given, equation) else None


def derived(given: Convolution, x: jax.Array, y: jax.Array) -> jax.Array:
    """The derivatives of the weights, from images and the derivatives of the results, on a CPU."""
    sizes = _sizes(given)
    address = _library().get_function_address("derive")
    body = entry(address, sizes, _NAMES, "%x", "%y", "%w", "%numbers", "%products", "%slots")
    lengths = (
        sizes["numbers"] + PAIRS * sizes["block"] * sizes["across"] * given.filters,
        1 if sizes["block"] == sizes["tile_rows"] else PAIRS * given.channels * given.filters,
        sizes["threads"] * sizes["slot"] + LANES,
    )
    room = [((length,), np.float32) for length in lengths]
    result = (given.filters, given.channels, WINDOW, WINDOW)
    return applied(body, [(result, np.float32), *room], x, y, level=1)


@functools.cache
def _library() -> llvm.ExecutionEngine:
    """The functions, which all convolutions share."""
    return compiled(_text(), 2, long_vectors=True)


def _sizes(given: Convolution) -> dict[str, int]:
    rows, columns = given.shape
    down, across = (-(-n // RESULTS) for n in (rows, columns))
    tile_rows = given.images * down
    bytes = 4 * PAIRS * across * (given.channels + given.filters)
    block = min(tile_rows, max(1, _BLOCK // bytes))
    vectors = max(n for n in rows_in_registers() if given.channels % (n * LANES) == 0)
    in_row = RESULTS * across + READ
    return {
        "channels": given.channels,
        "height": given.height,
        "width": given.width,
        "filters": given.filters,
        "top": given.padding[0],
        "left": given.padding[2],
        "rows": rows,
        "columns": columns,
        "down": down,
        "across": across,
        "tile_rows": tile_rows,
        "block": block,
        "in_row": in_row,
        "vectors": vectors,
        "threads": threads(),
        "slot": LANES * POINTS * in_row + (PAIRS * LANES * given.channels if block == tile_rows else 0),
        "numbers": PAIRS * block * across * given.channels,
        "held": LANES if block == tile_rows else given.filters,
        "products": LANES * POINTS * in_row,
    }


# -- polynomials ------------------------------------------------------------------------------------------------------


def _of_results(code: Code, d: Sequence[str]) -> list[str]:
    """The values of the polynomials of four numbers at the six points."""
    found = [d[0]]
    for x in (A, B):
        even, odd = code.more(d[2], x**2, d[0]), code.scaled(code.more(d[3], x**2, d[1]), x)
        found += [code.add(even, odd), code.sub(even, odd)]
    return [*found, d[3]]


def _of_products(code: Code, u: Sequence[str]) -> list[str]:
    """The derivatives of three weights, from those of the values that they have at the six points."""
    a, b = 1 / (2 * A**2 * (A**2 - B**2)), 1 / (2 * B**2 * (B**2 - A**2))
    s, t, v, w = code.add(u[1], u[2]), code.sub(u[1], u[2]), code.add(u[3], u[4]), code.sub(u[3], u[4])
    return [
        code.more(v, b, code.more(s, a, code.scaled(u[0], 1 / (A * B) ** 2))),
        code.more(w, B * b, code.scaled(t, A * a)),
        code.more(v, B**2 * b, code.more(s, A**2 * a, u[5])),
    ]


# -- the text of the functions ----------------------------------------------------------------------------------------


def _text() -> str:
    functions = [
        _transform("numbers", of_numbers, POINTS, ("channels", "height", "width", "top", "left")),
        _transform("slopes", _of_results, RESULTS, ("filters", "rows", "columns", None, None)),
        *map(_add, rows_in_registers()),
        _exactly(),
        _weights(),
        _first(),
        _second(),
        _third(),
        _derive(),
    ]
    return "\n".join([DECLARED, *functions, *map(called_with_context, ("first", "second", "third"))])


def _code(name: str, parameters: str) -> Code:
    return Code(name, parameters, _NAMES)


def _transform(name: str, transform: _Transform, read: int, of: Sequence[str | None]) -> str:
    """Transforms what the tiles of a row read of sixteen channels, for the products: by pair of points, tile, and
    channel. `of` names how many channels there are, of how many rows and columns, and the zeros before these."""
    code = _code(name, "ptr %x, ptr %slot, ptr %to, i64 %begin, i64 %row, i64 %channel")
    channels, height, width = (code.size(n) for n in of[:3] if n is not None)
    top, left = (0 if n is None else code.size(n) for n in of[3:])
    in_row, across = code.size("in_row"), code.size("across")
    size = code.times(code.size("products"), 4)
    code.do(f"call void @llvm.memset.p0.i64(ptr %slot, i8 0, i64 {size}, i1 false)")
    image, down = (code.new(f"{kind} i64 %row, {code.size('down')}") for kind in ("udiv", "urem"))
    first = code.times(down, RESULTS)
    first = code.minus(first, top) if isinstance(top, str) else first
    plane, area = code.plus(code.times(image, channels), "%channel"), code.times(height, width)
    with code.loop(LANES) as lane:
        source = code.times(code.plus(plane, lane.index), area)
        target = code.plus(code.times(code.times(lane.index, in_row), POINTS), left)
        for k in range(read):
            row = code.plus(first, k)
            to = code.at("%slot", code.plus(target, code.times(in_row, k)))
            code.copy_row(row, height, width, ("%x", source), to)
    tiles = code.times(code.size("block"), across)
    apart = code.times(tiles, channels)
    here = code.times(code.minus("%row", "%begin"), across)
    with code.loop(across) as tile:
        start = code.at("%slot", code.times(tile.index, RESULTS))
        step = code.times(in_row, POINTS)
        lanes = [code.at(start, code.times(step, k)) for k in range(LANES)]
        rows = [code.columns([code.at(lane, code.times(in_row, k)) for lane in lanes])[:read] for k in range(read)]
        values = [value for row in both_ways(code, transform, rows) for value in row]
        to = code.at("%to", code.plus(code.times(code.plus(here, tile.index), channels), "%channel"))
        for k, value in enumerate(values):
            code.store(value, code.at(to, code.times(apart, k)))
    return code.text()


def _add(vectors: int) -> str:
    """Adds to the products of sixteen filters with all channels at a pair of points, over some tiles, or makes them if
    these are the `first` ones: so many vectors of channels at a time."""
    height = rows_in_registers()[vectors]
    code = _code(f"add{vectors}", "ptr %slopes, ptr %numbers, ptr %to, i64 %tiles, i1 %is.first")
    channels, filters = code.size("channels"), code.size("filters")
    for part in range(0, LANES, height):
        with code.loop(code.new(f"udiv i64 {channels}, {vectors * LANES}")) as column:
            start = code.times(column.index, vectors * LANES)
            rows = [code.at("%to", code.plus(code.times(channels, part + k), start)) for k in range(height)]
            places = [code.at(row, j * LANES) for row in rows for j in range(vectors)]
            before, more, begin = code.block, code.label(), code.label()
            code.do(f"br i1 %is.first, label %{begin}, label %{more}")
            code.begin(more)
            loaded = [code.load(place) for place in places]
            code.do(f"br label %{begin}")
            code.begin(begin)
            none = f"[zeroinitializer, %{before}]"
            carried = [code.new(f"phi {VECTOR} {none}, [{value}, %{more}]") for value in loaded]
            numbers = code.at("%numbers", start)
            with code.loop("%tiles", carried=carried) as tile:
                read = code.at(numbers, code.times(tile.index, channels))
                row = [code.load(code.at(read, j * LANES)) for j in range(vectors)]
                factors = code.at("%slopes", code.times(tile.index, filters))
                for k in range(height):
                    factor = code.spread(code.load(code.at(factors, part + k), "float"))
                    for j, value in enumerate(row):
                        tile.following.append(code.more(value, factor, tile.carried[k * vectors + j]))
            for place, value in zip(places, tile.carried, strict=True):
                code.store(value, place)
    return code.text()


def _exactly() -> str:
    """The derivatives of the weights of a filter for a channel, as they are defined."""
    code = _code("exactly", "ptr %x, ptr %y, ptr %to, i64 %filter, i64 %channel")
    height, width, rows, columns = (code.size(name) for name in ("height", "width", "rows", "columns"))
    images = code.new(f"udiv i64 {code.size('tile_rows')}, {code.size('down')}")
    for i, j in product(range(WINDOW), repeat=2):
        with code.loop(images, carried=["zeroinitializer"]) as image:
            x = code.times(code.plus(code.times(image.index, code.size("channels")), "%channel"), height)
            y = code.times(code.plus(code.times(image.index, code.size("filters")), "%filter"), rows)
            with code.loop(rows, carried=image.carried) as row:
                down = code.minus(code.plus(row.index, i), code.size("top"))
                left, right = code.times(code.plus(x, down), width), code.times(code.plus(y, row.index), columns)
                with code.loop(columns, carried=row.carried) as column:
                    across = code.minus(code.plus(column.index, j), code.size("left"))
                    inside = [code.new(f"icmp ult i64 {k}, {n}") for k, n in ((down, height), (across, width))]
                    is_there = code.new(f"and i1 {inside[0]}, {inside[1]}")
                    place = code.new(f"select i1 {is_there}, i64 {code.plus(left, across)}, i64 0")
                    number = code.load(code.at("%x", place), "float")
                    number = code.new(f"select i1 {is_there}, float {number}, float 0.0")
                    slope = code.load(code.at("%y", code.plus(right, column.index)), "float")
                    term = code.new(f"fmul float {number}, {slope}")
                    column.following.append(code.add(column.carried[0], code.spread(term)))
                row.following.append(column.carried[0])
            image.following.append(row.carried[0])
        one = code.new(f"extractelement {VECTOR} {image.carried[0]}, i64 0")
        code.store(one, code.at("%to", WINDOW * i + j), "float")
    return code.text()


# -- the loops --------------------------------------------------------------------------------------------------------


def _block(code: Code) -> tuple[str, str]:
    """The first row of tiles of the block that is computed, and how many it has."""
    begin = code.new(f"load i64, ptr {code.new('getelementptr ptr, ptr %context, i64 7')}")
    return begin, code.least(code.minus(code.size("tile_rows"), begin), code.size("block"))


def _groups(code: Code, name: str) -> str:
    """How many sixteen channels or filters there are."""
    return code.new(f"udiv i64 {code.size(name)}, {LANES}")


def _first() -> str:
    """The first loop: sixteen channels of a row of tiles of the images, and then of the derivatives."""
    code = _code("first", "ptr %context, i64 %first, i64 %end")
    with code.iterations(5) as (x, y, _, numbers, _, slot):
        begin, rows = _block(code)
        channels, filters = _groups(code, "channels"), _groups(code, "filters")
        images, slopes = code.times(rows, channels), code.at(numbers, code.size("numbers"))
        with code.loop("%end", "%first") as loop:
            of_images, of_slopes, after = code.label(), code.label(), code.label()
            is_image = code.new(f"icmp slt i64 {loop.index}, {images}")
            rest = code.minus(loop.index, images)
            code.do(f"br i1 {is_image}, label %{of_images}, label %{of_slopes}")
            for label, name, arrays, number, groups in (
                (of_images, "numbers", (x, numbers), loop.index, channels),
                (of_slopes, "slopes", (y, slopes), rest, filters),
            ):
                code.begin(label)
                row, group = (code.new(f"{kind} i64 {number}, {groups}") for kind in ("udiv", "urem"))
                operands = f"ptr {arrays[0]}, ptr {slot}, ptr {arrays[1]}, i64 {begin}, i64 {code.plus(row, begin)}"
                code.do(f"call void @{name}(ptr %sizes, {operands}, i64 {code.times(group, LANES)})")
                code.do(f"br label %{after}")
            code.begin(after)
    return code.text()


def _second() -> str:
    """The second loop: a pair of points of sixteen filters; where there is one block, all pairs of these filters, and
    their weights."""
    code = _code("second", "ptr %context, i64 %first, i64 %end")
    with code.iterations(5) as (x, y, w, numbers, products, slot):
        begin, rows = _block(code)
        groups, across = _groups(code, "filters"), code.size("across")
        channels, filters = code.size("channels"), code.size("filters")
        slopes, room = code.at(numbers, code.size("numbers")), code.times(code.size("block"), across)
        is_first, tiles = code.new(f"icmp eq i64 {begin}, 0"), code.times(rows, across)
        is_whole = _is_whole(code)
        own = code.at(slot, code.size("products"))
        products = code.new(f"select i1 {is_whole}, ptr {own}, ptr {products}")
        with code.loop("%end", "%first") as loop:
            first, group = (code.new(f"{kind} i64 {loop.index}, {groups}") for kind in ("udiv", "urem"))
            start = code.times(group, LANES)
            row = code.new(f"select i1 {is_whole}, i64 0, i64 {start}")
            end = code.new(f"select i1 {is_whole}, i64 {PAIRS}, i64 {code.plus(first, 1)}")
            with code.loop(end, first) as pair:
                one = code.at(slopes, code.plus(code.times(code.times(pair.index, room), filters), start))
                other = code.at(numbers, code.times(code.times(pair.index, room), channels))
                place = code.plus(code.times(pair.index, code.size("held")), row)
                to = code.at(products, code.times(place, channels))
                operands = f"ptr {one}, ptr {other}, ptr {to}, i64 {tiles}, i1 {is_first}"
                code.choose("add", rows_in_registers(), operands)
            with code.loop(code.new(f"select i1 {is_whole}, i64 {LANES}, i64 0")) as row:
                operands = f"ptr {x}, ptr {y}, ptr {w}, ptr {products}, i64 {row.index}"
                code.do(f"call void @weights(ptr %sizes, {operands}, i64 {code.plus(start, row.index)})")
    return code.text()


def _is_whole(code: Code) -> str:
    """Whether all rows of tiles are one block."""
    return code.new(f"icmp sle i64 {code.size('tile_rows')}, {code.size('block')}")


def _third() -> str:
    """The third loop, where there are several blocks: the weights of a filter."""
    code = _code("third", "ptr %context, i64 %first, i64 %end")
    with code.iterations(5) as (x, y, w, _, products, _), code.loop("%end", "%first") as loop:
        operands = f"ptr {x}, ptr {y}, ptr {w}, ptr {products}, i64 {loop.index}"
        code.do(f"call void @weights(ptr %sizes, {operands}, i64 {loop.index})")
    return code.text()


def _weights() -> str:
    """The derivatives of the weights of a filter, of its products, which are in a row of these."""
    code, size = _code("weights", "ptr %x, ptr %y, ptr %w, ptr %products, i64 %row, i64 %filter"), WINDOW * WINDOW
    channels = code.size("channels")
    products, weights = (
        code.at("%products", code.times("%row", channels)),
        code.at("%w", code.times(code.times("%filter", channels), size)),
    )
    apart = code.times(code.size("held"), channels)
    with code.loop(_groups(code, "channels")) as group:
        place = code.times(group.index, LANES)
        here, to = code.at(products, place), code.at(weights, code.times(place, size))
        values = [code.load(code.at(here, code.times(apart, k))) for k in range(PAIRS)]
        rows = both_ways(code, _of_products, [values[k : k + POINTS] for k in range(0, PAIRS, POINTS)])
        found = [value for some in rows for value in some]
        for k, lane in product(range(size), range(LANES)):
            number = code.new(f"extractelement {VECTOR} {found[k]}, i64 {lane}")
            code.store(number, code.at(to, size * lane + k), "float")
        good, again, after = code.are_finite(found), code.label(), code.label()
        code.do(f"br i1 {good}, label %{after}, label %{again}, !prof !0")
        code.begin(again)
        with code.loop(LANES) as lane:
            channel = code.plus(code.times(group.index, LANES), lane.index)
            one = code.at(to, code.times(lane.index, size))
            code.do(f"call void @exactly(ptr %sizes, ptr %x, ptr %y, ptr {one}, i64 %filter, i64 {channel})")
        code.do(f"br label %{after}")
        code.begin(after)
    return code.text()


def _derive() -> str:
    """All loops, shared out to the threads."""
    code = _code("derive", "ptr %x, ptr %y, ptr %w, ptr %numbers, ptr %products, ptr %slots")
    code.open_context("%x", "%y", "%w", "%numbers", "%products", "%slots", integers=1)
    place = code.new("getelementptr ptr, ptr %context, i64 7")
    filters, block = _groups(code, "filters"), code.size("block")
    groups = code.plus(_groups(code, "channels"), filters)
    blocks = code.new(f"udiv i64 {code.plus(code.plus(code.size('tile_rows'), block), -1)}, {block}")
    is_whole = _is_whole(code)
    with code.loop(blocks) as loop:
        code.do(f"store i64 {code.times(loop.index, block)}, ptr {place}")
        _, rows = _block(code)
        code.share("first", code.times(rows, groups), "1")
        pairs = code.new(f"select i1 {is_whole}, i64 1, i64 {PAIRS}")
        code.share("second", code.times(filters, pairs), "1")
    code.share("third", code.new(f"select i1 {is_whole}, i64 0, i64 {code.size('filters')}"), "1")
    return code.text().replace("define internal", "define", 1)


__all__ = ["derivative_of", "derived"]
