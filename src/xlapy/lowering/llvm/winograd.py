"""Convolutions of many channels with windows of 3 x 3, at a quarter of the multiplications: S. Winograd, *Arithmetic
Complexity of Computations* (SIAM 1980), after A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks"
(CVPR 2016): F(4 x 4, 3 x 3).

An image is cut into tiles of 4 x 4 results, each of which reads 6 x 6 numbers. Polynomials of which these are the
coefficients are evaluated at six points, and so are the weights; products of matrices over the channels, one for each
of the 36 pairs of points, take the place of the convolution; and the coefficients of their product are the results.
The points 0, +-3/4, +-3/2 and infinity keep the error small: with normally distributed numbers and 256 channels its
root mean square is 1.6e-6 of the results', that of sums in order 0.9e-6 (B. Barabasz et al., "Error Analysis and
Improving the Accuracy of Winograd Convolution for Deep Neural Networks", ACM TOMS 46, 2020, compare such points).

Where a result of a tile is not finite, which an infinity or a NaN among its 6 x 6 numbers makes of all of them, and
numbers near the largest may, its results are computed as they are defined.

Two loops are shared out to the threads. With many tiles the first one transforms all weights, and each iteration of the
second one makes all channels of some tiles; with few tiles the first one transforms these, and each iteration of the
second one makes some channels of all tiles. So what is read over and over lies near to the processor.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from math import prod
from typing import Any, NamedTuple

import jax
import llvmlite.binding as llvm
import numpy as np
from jax import lax

from xlapy.lowering.llvm.engine import applied, compiled
from xlapy.lowering.llvm.vector_code import (
    BACK,
    DECLARED,
    FRONT,
    HIGH,
    LANES,
    LOW,
    READ,
    VECTOR,
    Code,
    called_with_context,
    entry,
    threads,
)
from xlapy.lowering.thresholds import CHANNELS_OF_WINOGRAD, WORK_OF_WINOGRAD

#: results of a tile along an axis, weights of a window, and numbers that a tile reads: points of evaluation
RESULTS, WINDOW, POINTS = 4, 3, 6
PAIRS = POINTS * POINTS
#: the points besides infinity: 0, and two with either sign
A, B = 0.75, 1.5
#: bytes that are read over and over while a product is computed, which are to lie near to a processor
_NEAR = 3 << 19
#: channels of results that are made of a product's results at a time, where there are many tiles, and where few
_FILTERS_OF_MANY, _FILTERS_OF_FEW = 64, 32
#: rows of a part of a product that lies in registers, by how many vectors a row has, with the longest vectors, and
#: with shorter ones
_ROWS_LONG, _ROWS_SHORT = {1: 16, 2: 8, 3: 8}, {1: 4}


class Convolution(NamedTuple):
    """What is convolved: images of channels, with filters, which make channels of results.

    Attributes:
        images: how many images there are.
        channels: of each of them.
        height: rows of a channel.
        width: numbers in each.
        filters: channels of results.
        padding: zeros above, below, left and right.
        swapped: whether weights lie by channel and then by filter; else by filter and then by channel.
    """

    images: int
    channels: int
    height: int
    width: int
    filters: int
    padding: tuple[int, int, int, int]
    swapped: bool

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of a result."""
        top, bottom, left, right = self.padding
        return self.height + top + bottom - WINDOW + 1, self.width + left + right - WINDOW + 1


def convolution_of(equation: Any) -> Convolution | None:
    """What an equation of `lax.conv_general_dilated` convolves; None if it is not done here."""
    x, w = (v.aval for v in equation.invars)
    numbers, padding = (equation.params[name] for name in ("dimension_numbers", "padding"))
    usual, swapped = (0, 1, 2, 3), tuple(numbers.rhs_spec) == (1, 0, 2, 3)
    if (
        x.ndim != 4
        or not tuple(numbers.lhs_spec) == tuple(numbers.out_spec) == usual
        or not (swapped or tuple(numbers.rhs_spec) == usual)
        or w.shape[2:] != (WINDOW, WINDOW)
        or any(not 0 <= n < WINDOW for pair in padding for n in pair)
    ):
        return None
    filters, channels = w.shape[:2][::-1] if swapped else w.shape[:2]
    (top, bottom), (left, right) = padding
    images, _, height, width = x.shape
    given = Convolution(images, channels, height, width, filters, (top, bottom, left, right), swapped)
    return given if is_large(given, equation) else None


def is_large(given: Convolution, equation: Any) -> bool:
    """Whether it pays to compute a convolution here, or one of its derivatives, which an equation computes; and whether
    that is one of floats of 32 bits, and without strides."""
    params = equation.params
    ones = ("window_strides", "lhs_dilation", "rhs_dilation")
    return (
        all(v.aval.dtype == np.float32 for v in equation.invars)
        and params["preferred_element_type"] in (None, np.float32)
        and params["precision"] in (None, (lax.Precision.DEFAULT, lax.Precision.DEFAULT))
        and params["feature_group_count"] == params["batch_group_count"] == 1
        and all(tuple(params[name]) == (1, 1) for name in ones)
        and given.channels >= CHANNELS_OF_WINOGRAD
        and given.filters % LANES == 0
        and min(given.shape) > 0
        and given.images * prod(given.shape) * given.channels * given.filters >= WORK_OF_WINOGRAD
        and bool(features().get("avx2"))
    )


def convolved(given: Convolution, x: jax.Array, w: jax.Array) -> jax.Array:
    """`lax.conv_general_dilated` of images `(images, channels, height, width)` and weights, on a CPU."""
    sizes = _sizes(given)
    address = _library().get_function_address("convolve")
    body = entry(address, sizes, _NAMES, "%x", "%w", "%y", "%shared", "%slots")
    result = (given.images, given.filters, *given.shape)
    slots = (sizes["threads"] * sizes["slot"] + LANES,)
    room = [((sizes["room"],), np.float32), (slots, np.float32)]
    return applied(body, [(result, np.float32), *room], x, w, level=1)


def features() -> Any:
    """What this processor can do."""
    return llvm.get_host_cpu_features()


def rows_in_registers() -> dict[int, int]:
    """Rows of a part of a product that lies in registers, by how many vectors a row has."""
    return _ROWS_LONG if features().get("avx512f") and features().get("avx512vl") else _ROWS_SHORT


@functools.cache
def _library() -> llvm.ExecutionEngine:
    """The functions, which all convolutions share."""
    return compiled(_text(), 2, long_vectors=True)


# -- sizes ------------------------------------------------------------------------------------------------------------

#: parts of a slot, which is the memory of a thread: padded rows of what some tiles read, rows of their results, where
#: the rows of each tile begin in these, 16 vectors of results, what an iteration transforms, and the products
_PARTS = ("in", "out", "in_places", "out_places", "exact", "own", "products")
#: what the functions are told: the shapes; rows of tiles and tiles in each, tiles of all results, those of an iteration
#: with their rows, and the filters that are made at a time; how far apart weights, channels and padded rows are;
#: whether an iteration makes some filters of all tiles, else all filters of some tiles; vectors of a part of a product;
#: the threads; and where the parts of a slot are
_NAMES = (
    "channels height width filters top left rows columns down across all tiles tile_rows block by_filter"
    " by_channel in_row out_row few vectors threads slot iterations".split()
) + [*_PARTS]


def _sizes(given: Convolution) -> dict[str, int]:
    rows, columns = given.shape
    down, across = (-(-n // RESULTS) for n in (rows, columns))
    everything, channels, filters = given.images * down * across, given.channels, given.filters
    few = everything <= 4 * LANES
    if few:
        vectors, tiles = 1, -(-everything // LANES) * LANES
        most = _FILTERS_OF_FEW if tiles > LANES else LANES
    else:
        fitting = [n for n in rows_in_registers() if PAIRS * channels * n * LANES * 4 <= _NEAR]
        vectors, most = max(fitting, default=1), _FILTERS_OF_MANY
        tiles = vectors * LANES
    block = min(most, filters & -filters)
    size = WINDOW * WINDOW
    found = {
        "channels": channels,
        "height": given.height,
        "width": given.width,
        "filters": filters,
        "top": given.padding[0],
        "left": given.padding[2],
        "rows": rows,
        "columns": columns,
        "down": down,
        "across": across,
        "all": everything,
        "tiles": tiles,
        "tile_rows": min((tiles - 2) // across + 2, given.images * down),
        "block": block,
        "by_filter": size if given.swapped else size * channels,
        "by_channel": size * filters if given.swapped else size,
        "in_row": RESULTS * across + READ,
        "out_row": RESULTS * across,
        "few": int(few),
        "vectors": vectors,
        "threads": threads(),
        "room": PAIRS * channels * (tiles if few else filters),
        "iterations": filters // block if few else -(-everything // tiles),
    }
    parts = {
        "in": found["tile_rows"] * POINTS * found["in_row"],
        "out": (found["tile_rows"] + 1) * RESULTS * found["out_row"],
        "in_places": 2 * tiles,
        "out_places": 2 * tiles,
        "exact": LANES * LANES,
        "own": PAIRS * channels * (block if few else tiles),
        "products": PAIRS * block * tiles,
    }
    found["slot"] = 0
    for name in _PARTS:
        found[name] = found["slot"]
        found["slot"] += -(-parts[name] // LANES) * LANES
    return found


# -- polynomials ------------------------------------------------------------------------------------------------------


def of_numbers(code: Code, d: Sequence[str]) -> list[str]:
    """The values of the polynomials of six numbers at the six points."""
    a, b, sum, product = A, B, A**2 + B**2, (A * B) ** 2
    even = [code.more(d[2], -(x**2), d[4]) for x in (b, a)]
    odd = [code.scaled(code.more(d[1], -(x**2), d[3]), y) for x, y in ((b, a), (a, b))]
    ends = [code.more(d[k], product, code.more(d[k + 2], -sum, d[k + 4])) for k in (0, 1)]
    signed = [value for e, o in zip(even, odd, strict=True) for value in (code.add(e, o), code.sub(e, o))]
    return [ends[0], *signed, ends[1]]


def _of_weights(code: Code, g: Sequence[str]) -> list[str]:
    """The values of the polynomials of three weights at the six points, divided by what `_results` needs."""
    found = [code.scaled(g[0], 1 / (A * B) ** 2)]
    for x, y in ((A, B), (B, A)):
        factor = 1 / (2 * x**2 * (x**2 - y**2))
        even = code.scaled(code.more(g[2], x**2, g[0]), factor)
        odd = code.scaled(g[1], x * factor)
        found += [code.add(even, odd), code.sub(even, odd)]
    return [*found, g[2]]


def _results(code: Code, m: Sequence[str]) -> list[str]:
    """Four coefficients of the polynomials that have such values at the six points."""
    s, t, u, v = code.add(m[1], m[2]), code.sub(m[1], m[2]), code.add(m[3], m[4]), code.sub(m[3], m[4])
    return [
        code.add(code.add(m[0], s), u),
        code.more(v, B, code.scaled(t, A)),
        code.more(u, B**2, code.scaled(s, A**2)),
        code.more(v, B**3, code.more(t, A**3, m[5])),
    ]


def both_ways(code: Code, transform: Any, rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Each row transformed, and then each column: found by row."""
    found = [transform(code, row) for row in rows]
    columns = [transform(code, column) for column in zip(*found, strict=True)]
    return [list(row) for row in zip(*columns, strict=True)]


def _text() -> str:
    """The text of all functions. Some of their parameters are always the same arrays: images `x`, weights `w`, results
    `y`; a slot; the first of the tiles that an iteration is about."""
    functions = [
        _begin(),
        _rows(),
        _numbers(),
        _weights(),
        *map(_multiply, rows_in_registers()),
        _exactly(),
        _finish(),
    ]
    functions += [_products(), _first(), _second(), _convolve()]
    return "\n".join([DECLARED, *functions, *map(called_with_context, ("first", "second"))])


def _code(name: str, parameters: str) -> Code:
    """A function that is told the sizes."""
    return Code(name, parameters, _NAMES)


def _part(code: Code, slot: str, name: str) -> str:
    return code.at(slot, code.size(name))


# -- where tiles lie


def _tile_rows(code: Code) -> tuple[str, str, str]:
    """The rows of tiles in an iteration: the first one and the end; and the last tile."""
    first = code.new(f"udiv i64 %tile, {code.size('across')}")
    last = code.least(code.plus(code.plus("%tile", code.size("tiles")), -1), code.plus(code.size("all"), -1))
    return first, code.plus(code.new(f"udiv i64 {last}, {code.size('across')}"), 1), last


def _begin() -> str:
    """Sets the padded rows of a slot to zero, and notes where the rows of each tile begin."""
    code = _code("begin", "ptr %slot, i64 %tile")
    across, size = code.size("across"), code.times(code.size("out"), 4)
    code.do(f"call void @llvm.memset.p0.i64(ptr {_part(code, '%slot', 'in')}, i8 0, i64 {size}, i1 false)")
    first, *_ = _tile_rows(code)
    lengths = code.times(code.size("in_row"), POINTS), code.times(code.size("out_row"), RESULTS)
    others = 0, code.times(code.size("tile_rows"), lengths[1])
    tables = [_part(code, "%slot", name) for name in ("in_places", "out_places")]
    with code.loop(code.size("tiles")) as loop:
        tile = code.plus(loop.index, "%tile")
        there = code.new(f"icmp slt i64 {tile}, {code.size('all')}")
        row = code.minus(code.new(f"udiv i64 {tile}, {across}"), first)
        column = code.times(code.new(f"urem i64 {tile}, {across}"), RESULTS)
        for table, length, other in zip(tables, lengths, others, strict=True):
            place = code.new(f"select i1 {there}, i64 {code.plus(code.times(row, length), column)}, i64 {other}")
            code.do(f"store i64 {place}, ptr {code.new(f'getelementptr i64, ptr {table}, i64 {loop.index}')}, align 4")
    return code.text()


def _rows() -> str:
    """Copies what tiles read of a channel to the padded rows of a slot."""
    code = _code("rows", "ptr %x, ptr %slot, i64 %tile, i64 %channel")
    height, width, in_row = code.size("height"), code.size("width"), code.size("in_row")
    first, end, _ = _tile_rows(code)
    begin, area = _part(code, "%slot", "in"), code.times(height, width)
    with code.loop(end, first) as loop:
        image, down = (code.new(f"{kind} i64 {loop.index}, {code.size('down')}") for kind in ("udiv", "urem"))
        plane = code.times(code.plus(code.times(image, code.size("channels")), "%channel"), area)
        to = code.plus(code.times(code.times(code.minus(loop.index, first), in_row), POINTS), code.size("left"))
        top = code.minus(code.times(down, RESULTS), code.size("top"))
        for k in range(POINTS):
            row = code.plus(top, k)
            code.copy_row(row, height, width, ("%x", plane), code.at(begin, code.plus(to, code.times(in_row, k))))
    return code.text()


def _places(code: Code, table: str, part: str, first: str) -> list[str]:
    """Where the rows of sixteen tiles begin."""
    table, begin, found = _part(code, "%slot", table), _part(code, "%slot", part), []
    for k in range(LANES):
        place = code.new(f"getelementptr i64, ptr {table}, i64 {code.plus(first, k)}")
        found.append(code.at(begin, code.new(f"load i64, ptr {place}, align 4")))
    return found


def _patches(code: Code, group: str) -> list[list[str]]:
    """The numbers that sixteen tiles read: by row and column."""
    pointers = _places(code, "in_places", "in", code.times(group, LANES))
    steps = [code.times(code.size("in_row"), k) for k in range(POINTS)]
    return [code.columns([code.at(pointer, step) for pointer in pointers])[:POINTS] for step in steps]


# -- transforms


def _numbers() -> str:
    """Transforms some channels of what tiles read."""
    code = _code("numbers", "ptr %x, ptr %slot, ptr %to, i64 %tile, i64 %first, i64 %end")
    tiles = code.size("tiles")
    apart = code.times(code.size("channels"), tiles)
    with code.loop("%end", "%first") as channel:
        code.do(f"call void @rows(ptr %sizes, ptr %x, ptr %slot, i64 %tile, i64 {channel.index})")
        with code.loop(code.new(f"udiv i64 {tiles}, {LANES}")) as group:
            rows = both_ways(code, of_numbers, _patches(code, group.index))
            to = code.at("%to", code.plus(code.times(channel.index, tiles), code.times(group.index, LANES)))
            for k, value in enumerate(value for row in rows for value in row):
                code.store(value, code.at(to, code.times(apart, k)))
    return code.text()


def _weights() -> str:
    """Transforms the weights of sixteen filters: for each pair of points and channel, sixteen numbers."""
    code, size = _code("weights", "ptr %w, ptr %to, i64 %block"), WINDOW * WINDOW
    by_filter, by_channel = code.size("by_filter"), code.size("by_channel")
    begin = code.at("%w", code.times(code.times("%block", LANES), by_filter))
    apart = code.times(code.size("channels"), LANES)
    with code.loop(code.size("channels")) as channel:
        here = code.at(begin, code.times(channel.index, by_channel))
        pointers = [code.at(here, code.times(by_filter, k)) for k in range(LANES)]
        values = code.columns(pointers)
        last = "poison"
        for k, pointer in enumerate(pointers):
            number = code.load(code.at(pointer, size - 1), "float")
            last = code.new(f"insertelement {VECTOR} {last}, float {number}, i64 {k}")
        values.append(last)
        rows = both_ways(code, _of_weights, [values[k : k + WINDOW] for k in range(0, size, WINDOW)])
        to = code.at("%to", code.times(channel.index, LANES))
        for k, value in enumerate(value for row in rows for value in row):
            code.store(value, code.at(to, code.times(apart, k)))
    return code.text()


def _multiply(vectors: int) -> str:
    """The product of the weights of sixteen filters and the numbers of tiles at one pair of points: so many vectors of
    tiles at a time."""
    code = _code(f"multiply{vectors}", "ptr %weights, ptr %numbers, ptr %to")
    tiles, height = code.size("tiles"), rows_in_registers()[vectors]
    for part in range(0, LANES, height):
        with code.loop(code.new(f"udiv i64 {tiles}, {vectors * LANES}")) as column:
            start = code.times(column.index, vectors * LANES)
            numbers = code.at("%numbers", start)
            with code.loop(code.size("channels"), carried=["zeroinitializer"] * (height * vectors)) as channel:
                read = code.at(numbers, code.times(channel.index, tiles))
                row = [code.load(code.at(read, k * LANES)) for k in range(vectors)]
                factors = code.at("%weights", code.times(channel.index, LANES))
                for k in range(height):
                    factor = code.spread(code.load(code.at(factors, part + k), "float"))
                    for j, value in enumerate(row):
                        channel.following.append(code.more(value, factor, channel.carried[k * vectors + j]))
            for k in range(height):
                to = code.at(code.at("%to", start), code.times(tiles, part + k))
                for j in range(vectors):
                    code.store(channel.carried[k * vectors + j], code.at(to, j * LANES))
    return code.text()


# -- results


def _exactly() -> str:
    """The results of sixteen tiles for one filter, as they are defined."""
    code, size = _code("exactly", "ptr %x, ptr %w, ptr %slot, i64 %tile, i64 %group, i64 %filter"), WINDOW * WINDOW
    begin = code.at("%w", code.times("%filter", code.size("by_filter")))
    with code.loop(code.size("channels"), carried=["zeroinitializer"] * LANES) as channel:
        code.do(f"call void @rows(ptr %sizes, ptr %x, ptr %slot, i64 %tile, i64 {channel.index})")
        rows = _patches(code, "%group")
        here = code.at(begin, code.times(channel.index, code.size("by_channel")))
        weights = [code.spread(code.load(code.at(here, k), "float")) for k in range(size)]
        for i, j in product(range(RESULTS), repeat=2):
            total = channel.carried[RESULTS * i + j]
            for k, weight in enumerate(weights):
                total = code.more(rows[i + k // WINDOW][j + k % WINDOW], weight, total)
            channel.following.append(total)
    to = _part(code, "%slot", "exact")
    for k, value in enumerate(channel.carried):
        code.store(value, code.at(to, k * LANES))
    return code.text()


def _finish() -> str:
    """Makes the results of one filter of products: of those of the filter in a row of these."""
    code = _code("finish", "ptr %x, ptr %w, ptr %y, ptr %slot, i64 %tile, i64 %filter, i64 %row")
    tiles = code.size("tiles")
    products = code.at(_part(code, "%slot", "products"), code.times("%row", tiles))
    exact, apart = _part(code, "%slot", "exact"), code.times(code.size("block"), tiles)
    with code.loop(code.new(f"udiv i64 {tiles}, {LANES}")) as group:
        first = code.times(group.index, LANES)
        here = code.at(products, first)
        values = [code.load(code.at(here, code.times(apart, k))) for k in range(PAIRS)]
        rows = both_ways(code, _results, [values[k : k + POINTS] for k in range(0, PAIRS, POINTS)])
        found = [value for row in rows for value in row]
        again, after, before = code.label(), code.label(), code.block
        code.do(f"br i1 {code.are_finite(found)}, label %{after}, label %{again}, !prof !0")
        code.begin(again)
        operands = f"ptr %sizes, ptr %x, ptr %w, ptr %slot, i64 %tile, i64 {group.index}, i64 %filter"
        code.do(f"call void @exactly({operands})")
        others = [code.load(code.at(exact, k * LANES)) for k in range(len(found))]
        code.do(f"br label %{after}")
        code.begin(after)
        pairs = zip(found, others, strict=True)
        found = [code.new(f"phi {VECTOR} [{one}, %{before}], [{other}, %{again}]") for one, other in pairs]
        _put(code, _places(code, "out_places", "out", first), found)
    _copy(code)
    return code.text()


def _put(code: Code, pointers: Sequence[str], values: Sequence[str]) -> None:
    """Put the results of sixteen tiles into the rows of a slot."""
    for i in range(RESULTS):
        a, b, c, d = values[RESULTS * i : RESULTS * (i + 1)]
        halves = [(code.shuffled(a, b, places), code.shuffled(c, d, places)) for places in (LOW, HIGH)]
        quads = [code.shuffled(x, y, places) for x, y in halves for places in (FRONT, BACK)]
        step = code.times(code.size("out_row"), i)
        for k, pointer in enumerate(pointers):
            part = code.shuffled(quads[k % 4], "poison", range(k // 4 * 4, k // 4 * 4 + 4))
            code.store(part, code.at(pointer, step), "<4 x float>")


def _copy(code: Code) -> None:
    """Copy the results of a filter from the rows of a slot to where they belong."""
    across, columns, rows, out_row = (code.size(name) for name in ("across", "columns", "rows", "out_row"))
    out, (first, end, final) = _part(code, "%slot", "out"), _tile_rows(code)
    start = code.times(code.new(f"urem i64 %tile, {across}"), RESULTS)
    stop = code.least(code.times(code.plus(code.new(f"urem i64 {final}, {across}"), 1), RESULTS), columns)
    with code.loop(end, first) as loop:
        image, down = (code.new(f"{kind} i64 {loop.index}, {code.size('down')}") for kind in ("udiv", "urem"))
        channel = code.plus(code.times(image, code.size("filters")), "%filter")
        begin = code.new(f"select i1 {code.new(f'icmp eq i64 {loop.index}, {first}')}, i64 {start}, i64 0")
        last = code.new(f"icmp eq i64 {loop.index}, {code.plus(end, -1)}")
        size = code.times(code.minus(code.new(f"select i1 {last}, i64 {stop}, i64 {columns}"), begin), 4)
        source = code.plus(code.times(code.times(code.minus(loop.index, first), out_row), RESULTS), begin)
        row = code.times(down, RESULTS)
        target = code.plus(code.times(code.plus(code.times(channel, rows), row), columns), begin)
        with code.loop(code.least(code.minus(rows, row), RESULTS)) as line:
            to = code.at("%y", code.plus(target, code.times(line.index, columns)))
            code.copy(to, code.at(out, code.plus(source, code.times(line.index, out_row))), size)


def _products() -> str:
    """The results of some filters of some tiles: of transformed weights and numbers."""
    code = _code("products", "ptr %weights, ptr %numbers, ptr %x, ptr %w, ptr %y, ptr %slot, i64 %tile, i64 %filter")
    channels, tiles, rows = code.size("channels"), code.size("tiles"), code.size("block")
    products, size = _part(code, "%slot", "products"), code.times(channels, LANES)
    apart = code.times(channels, tiles)
    with code.loop(PAIRS) as pair, code.loop(code.new(f"udiv i64 {rows}, {LANES}")) as block:
        one = code.at("%weights", code.times(code.plus(code.times(block.index, PAIRS), pair.index), size))
        other = code.at("%numbers", code.times(pair.index, apart))
        row = code.plus(code.times(pair.index, rows), code.times(block.index, LANES))
        to = code.at(products, code.times(row, tiles))
        code.choose("multiply", rows_in_registers(), f"ptr {one}, ptr {other}, ptr {to}")
    with code.loop(rows) as row:
        operands = f"ptr %x, ptr %w, ptr %y, ptr %slot, i64 %tile, i64 {code.plus(row.index, '%filter')}"
        code.do(f"call void @finish(ptr %sizes, {operands}, i64 {row.index})")
    return code.text()


# -- the two loops


@contextmanager
def _either(code: Code) -> Iterator[Callable[[], None]]:
    """What is written inside is for few tiles up to a call of what is given, and for many behind it."""
    few, many, after = code.label(), code.label(), code.label()
    are_few = code.new(f"icmp ne i64 {code.size('few')}, 0")
    code.do(f"br i1 {are_few}, label %{few}, label %{many}")
    code.begin(few)

    def otherwise() -> None:
        code.do(f"br label %{after}")
        code.begin(many)

    yield otherwise
    code.do(f"br label %{after}")
    code.begin(after)


def _first() -> str:
    """The first loop: a channel of all tiles, or the weights of sixteen filters, in an iteration."""
    code = _code("first", "ptr %context, i64 %first, i64 %end")
    with code.iterations() as (x, w, _, shared, slot), _either(code) as otherwise:
        code.do(f"call void @begin(ptr %sizes, ptr {slot}, i64 0)")
        code.do(f"call void @numbers(ptr %sizes, ptr {x}, ptr {slot}, ptr {shared}, i64 0, i64 %first, i64 %end)")
        otherwise()
        size = code.times(code.size("channels"), PAIRS * LANES)
        with code.loop("%end", "%first") as block:
            to = code.at(shared, code.times(block.index, size))
            code.do(f"call void @weights(ptr %sizes, ptr {w}, ptr {to}, i64 {block.index})")
    return code.text()


def _second() -> str:
    """The second loop: some filters of all tiles, or all filters of some tiles, in an iteration."""
    code = _code("second", "ptr %context, i64 %first, i64 %end")
    channels, rows = code.size("channels"), code.size("block")
    with code.iterations() as (x, w, y, shared, slot), _either(code) as otherwise:
        arrays, size = f"ptr {x}, ptr {w}, ptr {y}, ptr {slot}", code.times(channels, PAIRS)
        own = _part(code, slot, "own")
        code.do(f"call void @begin(ptr %sizes, ptr {slot}, i64 0)")
        with code.loop("%end", "%first") as loop:
            filters = code.times(loop.index, rows)
            blocks = code.new(f"udiv i64 {rows}, {LANES}")
            with code.loop(blocks) as block:
                to = code.at(own, code.times(code.times(block.index, size), LANES))
                number = code.plus(code.times(loop.index, blocks), block.index)
                code.do(f"call void @weights(ptr %sizes, ptr {w}, ptr {to}, i64 {number})")
            code.do(f"call void @products(ptr %sizes, ptr {own}, ptr {shared}, {arrays}, i64 0, i64 {filters})")
        otherwise()
        size, own = code.times(channels, PAIRS), _part(code, slot, "own")
        with code.loop("%end", "%first") as loop:
            tile = code.times(loop.index, code.size("tiles"))
            code.do(f"call void @begin(ptr %sizes, ptr {slot}, i64 {tile})")
            operands = f"ptr {x}, ptr {slot}, ptr {own}, i64 {tile}, i64 0, i64 {channels}"
            code.do(f"call void @numbers(ptr %sizes, {operands})")
            with code.loop(code.new(f"udiv i64 {code.size('filters')}, {rows}")) as part:
                filters = code.times(part.index, rows)
                operands = f"ptr {code.at(shared, code.times(filters, size))}, ptr {own}, {arrays}"
                code.do(f"call void @products(ptr %sizes, {operands}, i64 {tile}, i64 {filters})")
    return code.text()


def _convolve() -> str:
    """Both loops, shared out to the threads."""
    code = _code("convolve", "ptr %x, ptr %w, ptr %y, ptr %shared, ptr %slots")
    code.open_context("%x", "%w", "%y", "%shared", "%slots")
    few = code.new(f"icmp ne i64 {code.size('few')}, 0")
    blocks = code.new(f"udiv i64 {code.size('filters')}, {LANES}")
    channels = code.size("channels")
    number = code.new(f"select i1 {few}, i64 {channels}, i64 {blocks}")
    most = code.new(f"udiv i64 {channels}, {code.times(code.size('threads'), 4)}")
    chunk = code.new(f"call i64 @llvm.smax.i64(i64 {code.new(f'select i1 {few}, i64 {most}, i64 1')}, i64 1)")
    for function, end, size in (("first", number, chunk), ("second", code.size("iterations"), "1")):
        code.share(function, end, size)
    return code.text().replace("define internal", "define", 1)


__all__ = ["Convolution", "convolution_of", "convolved"]
