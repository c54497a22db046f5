"""What a call moves between host and device, what it finds there, and what it gives away."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import jax

from xlapy.domain.recipes import (
    Built,
    Choice,
    Closure,
    Cut,
    Leaf,
    Made,
    Number,
    OneOf,
    Rows,
    Shared,
    Text,
    View,
)
from xlapy.domain.recipes import Sequence as SequenceRecipe
from xlapy.domain.sources import Source
from xlapy.interpreter.analyse import Analysis
from xlapy.ir import TensorType
from xlapy.runtime.options import Policy
from xlapy.runtime.result_kinds import ResultKind, is_of_the_host, result_kind

NARROWED = {"float64": "float32", "int64": "int32", "uint64": "uint32", "complex128": "complex64"}


@dataclass(frozen=True)
class Input:
    """One input of the program: where it comes from, its bytes, and whether it is `transferred` to the device,
    `resident` there already, or resident and `donated`."""

    source: str
    bytes: int
    how: str


@dataclass(frozen=True)
class Traffic:
    """Bytes of one call.

    Attributes:
        host_to_device: inputs that the host holds: NumPy arrays and Python numbers.
        resident: inputs that are `jax.Array`s already.
        donated: of the resident ones, those whose memory XLA may reuse: by `donate_argnums`, and device arrays that
            are written.
        device_to_host: outputs that the host looks at: what is written to NumPy arrays and attributes, Python numbers,
            lengths of arrays, and the error code; all results with `returns="numpy"`.
        left_on_device: results that stay where they are.
        inputs: each input of the program.
    """

    host_to_device: int
    resident: int
    donated: int
    device_to_host: int
    left_on_device: int
    inputs: tuple[Input, ...] = ()

    def __str__(self) -> str:
        """One line."""
        return (
            f"{self.host_to_device:,} bytes to the device, {self.resident:,} there already, {self.donated:,} donated; "
            f"{self.device_to_host:,} bytes to the host, {self.left_on_device:,} left on the device"
        )


def traffic(policy: Policy, analysis: Analysis, found: Sequence) -> Traffic:
    """The traffic of a call, given what was found for each parameter of the program."""
    inputs = []
    buffers = donated_buffers(analysis, policy.narrow)
    for parameter, value in zip(analysis.parameters, found, strict=True):
        how = "transferred"
        if isinstance(value, jax.Array | jax.ShapeDtypeStruct):
            given = parameter.source.root().key in policy.donated or parameter.source.base in buffers
            how = "donated" if given else "resident"
        inputs.append(Input(str(parameter.source), _bytes(parameter.var.type), how))
    up, there, donated = (
        sum(i.bytes for i in inputs if i.how == how) for how in ("transferred", "resident", "donated")
    )
    sizes = [_bytes(v.type) for v in analysis.module.entry.results]
    kind = result_kind(policy.returns, analysis)
    fetched = set(outputs_where(analysis.result, lambda leaf: leaf.python is not None or not kind.delivers(leaf)))
    everything = set(outputs_of(analysis.result))
    for effect in analysis.effects:
        if is_device_buffer(effect.source):
            everything |= set(outputs_of(effect.reconstruction))
        else:
            everything |= set(outputs_of(effect.reconstruction))
            fetched |= set(outputs_where(effect.reconstruction, _always if effect.kind == "buffer" else is_of_the_host))
    everything |= fetched
    if analysis.errors:
        fetched.add(len(sizes) - 1)
    down, left = sum(sizes[i] for i in fetched), sum(sizes[i] for i in everything - fetched)
    return Traffic(up, there + donated, donated, down, left, tuple(inputs))


def delivered_outputs(analysis: Analysis, kind: ResultKind) -> set[int]:
    """The outputs that the caller gets as `jax.Array`s; the host only looks at the others."""
    delivered: set[int] = set()
    # Of an array that is cut to its length, the caller gets another one.
    if kind is ResultKind.JAX:
        delivered = set(outputs_of(analysis.result, cuts=False))
    elif kind is ResultKind.OWN:
        delivered = set(outputs_where(analysis.result, kind.delivers, cuts=False, choices=False))
    for effect in analysis.effects:
        if is_device_buffer(effect.source):
            delivered |= set(outputs_of(effect.reconstruction))
        elif effect.kind != "buffer":
            delivered |= set(outputs_where(effect.reconstruction, ResultKind.OWN.delivers))
    return delivered


def is_device_buffer(source: Source) -> bool:
    """Whether an array is one that `xlapy.device_array` made."""
    return source.kind == "attribute" and source.key == "device_buffer"


def donated_buffers(analysis: Analysis, narrow: bool) -> tuple[Source, ...]:
    """Device arrays that the program writes and whose memory it may reuse: those that no exception can leave half
    written, and whose elements have the type that the program computes with."""
    if analysis.errors or analysis.raises is not None:
        return ()
    written = {source for kind, source in analysis.written if kind == "buffer" and is_device_buffer(source)}
    wide = narrow and {
        p.source.base for p in analysis.parameters if str(p.var.type.dtype) in (*NARROWED.values(), *NARROWED)
    }
    return tuple(source for source in written if not wide or source not in wide)


def _bytes(type_: TensorType) -> int:
    return math.prod(type_.shape) * type_.dtype.itemsize


def _always(leaf: Leaf) -> bool:
    return True


def outputs_where(
    recipe: Any,
    wanted: Callable[[Leaf], bool],
    seen: set[int] | None = None,
    cuts: bool = True,
    choices: bool = True,
) -> Iterable[int]:
    """The outputs that the host looks at when it makes something: the leaves that are `wanted`, lengths; and what it
    chooses by, if `choices`."""
    seen = set() if seen is None else seen
    own: list[int] = []
    match recipe:
        case Leaf():
            return [recipe.index] if wanted(recipe) else []
        case Cut():
            return [recipe.whole.index, *(n for n in recipe.lengths if n is not None)] if cuts else []
        case View():
            return list(outputs_of(recipe))
        case Text() | Built():
            return [i for part in recipe.parts for i in outputs_of(part)]
        case Choice() | OneOf():
            own = [recipe.selector] if choices else []
        case Shared():
            own = [recipe.origin] if choices else []
    return [*own, *(i for part in _parts_but(recipe, seen) for i in outputs_where(part, wanted, seen, cuts, choices))]


def outputs_of(recipe: Any, seen: set[int] | None = None, cuts: bool = True) -> Iterable[int]:
    """All outputs that go into something; or all but those of which arrays are made that are cut to their lengths."""
    seen = set() if seen is None else seen
    if isinstance(recipe, Leaf):
        return [recipe.index]
    if isinstance(recipe, Cut):
        return [recipe.whole.index, *(n for n in recipe.lengths if n is not None)] if cuts else []
    if isinstance(recipe, View):
        return [start.index for _, params in recipe.steps for start in _leaves(params)]
    own = [recipe.selector] if isinstance(recipe, Choice | OneOf) else []
    own += [recipe.origin] if isinstance(recipe, Shared) else []
    return [*own, *(i for part in _parts_but(recipe, seen) for i in outputs_of(part, seen, cuts))]


def _parts_but(recipe: Any, seen: set[int]) -> list:
    """The parts of a recipe; none of an object that was `seen`, which may be a part of itself."""
    if isinstance(recipe, Made | Closure):
        if id(recipe) in seen:
            return []
        seen.add(id(recipe))
    return _parts(recipe)


def _leaves(part: Any) -> list[Leaf]:
    if isinstance(part, Leaf):
        return [part]
    return [leaf for inner in part for leaf in _leaves(inner)] if isinstance(part, tuple) else []


def _flat(entries: tuple) -> list:
    """Entries of a container, the pairs of a dict in line."""
    return [part for entry in entries for part in (entry if isinstance(entry, tuple) else (entry,))]


def _parts(recipe: Any) -> list:
    match recipe:
        case SequenceRecipe():
            return list(recipe.items)
        case Made():
            return [*recipe.fields.values(), *_flat(recipe.entries)]
        case Closure():
            held = [*recipe.kwdefaults.values(), *recipe.attributes.values()]
            return [*recipe.cells, *recipe.defaults, *held]
        case Choice():
            return list(recipe.alternatives)
        case Shared():
            return [recipe.copy, *recipe.originals.values()]
        case OneOf():
            return [part for entries in recipe.alternatives for part in _flat(entries)]
        case Rows():
            return [recipe.length, recipe.item]
        case Text() | Built():
            return list(recipe.parts)
        case Number():
            return [recipe.of]
    return []
