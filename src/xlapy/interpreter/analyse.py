"""The whole analysis of a function for given arguments: bytecode to a typed program, with everything the host needs."""

from __future__ import annotations

import collections
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from xlapy.dispatch import libraries
from xlapy.dispatch.protocol import NeedGuess, NeedLoop, NeedNamespace, NeedStatic, PythonError, Refused
from xlapy.dispatch.python import exceptions
from xlapy.domain.heap import STATE, AliasRisk, SharedRisk
from xlapy.domain.join import JoinFailure
from xlapy.domain.ownership import SHARED, OwnedObjectChanged
from xlapy.domain.sources import Source, anchor, argument, attribute
from xlapy.domain.storage import Storage
from xlapy.domain.values import Const, Tuple, Union, Value, number_var
from xlapy.frontend import Call
from xlapy.interpreter import calls, error_tag, generator_stepping, walk
from xlapy.interpreter.caller_environment import CallerEnvironment, Guard, Parameter
from xlapy.interpreter.describe import locate, unjoined
from xlapy.interpreter.frame import place_of
from xlapy.interpreter.loops import refusal_of_change
from xlapy.interpreter.machine import Machine
from xlapy.interpreter.output_reconstruction import Effect, Outputs, Raised, Reconstruction
from xlapy.interpreter.specialise import entry_parameters, loop_parameters, origins
from xlapy.interpreter.steps import FEW_JOINS, MAXIMUM_JOINS, MOST_EMITTED, TooLarge
from xlapy.ir import Location, Module, constant_value
from xlapy.report import NotOffloadableError, first_line

_MAXIMUM_RESTARTS = 100
#: a loop that has to be unrolled in so many calls of its function is so in the others, if it is short
_SEVERAL = 2
#: of so many static values on, those next to them are static as well
_MANY_STATIC = 16


@dataclass
class Analysis:
    """A program, what it reads, what it assumes, and what to do with its outputs.

    The outputs of `module` are the values that `result`, `effects` and `errors` refer to by number; the last one is
    the error code where `errors` is not empty. `raises` is set instead if the function raises for certain.
    """

    module: Module
    parameters: list[Parameter]
    guards: list[Guard]
    result: Reconstruction | None
    effects: list[Effect]
    errors: list[Raised]
    static: set[Source] = field(default_factory=set)
    raises: Raised | None = None
    prints: tuple = ()
    written: list[tuple[str, Source]] = field(default_factory=list)
    reads_ambient: bool = True
    #: whether it has products, of which JAX's settings say how precise they are
    has_products: bool = True
    #: room that was guessed for lists that grow in loops
    guesses: dict[object, int] = field(default_factory=dict)
    #: how many outputs before the error code only `errors` refer to
    payloads: int = 0

    def forget_errors(self) -> None:
        """Where it has turned out that no error can occur, nobody has to ask for the code."""
        entry = self.module.entry
        code = constant_value(entry.results[-1]) if self.errors else None
        if code is not None and code == 0:
            for region in (entry, entry.fast):
                if region is not None:
                    del region.results[-1 - self.payloads :]
            self.errors, self.payloads = [], 0


def analyse(
    function: types.FunctionType,
    arguments: dict[str, object],
    static: set[Source],
    dynamic: set[Source],
    ambient_x64: bool,
    narrow: bool,
    capacities: dict[object, int] | None = None,
    storages: Sequence[Storage] = (),
    sizes_vary: bool = False,
    returns_views: bool = False,
) -> Analysis:
    """Interpret `function` abstractly for `arguments` (by parameter name; `*args` and `**kwargs` under their names).
    Where `sizes_vary` from call to call, the room of lists does not depend on them. What it returns may be views of the
    caller's arrays, if `returns_views`, or copies.

    Raises:
        NotOffloadableError: with every obstacle found.
    """
    libraries.read_rules()
    world = lambda static: CallerEnvironment(static, dynamic - static, storages)  # noqa: E731
    settings = (ambient_x64, narrow, capacities or {}, sizes_vary, returns_views)
    first = Approach(hurries=True)
    try:
        return _settled(function, arguments, set(static), world, settings, first)
    except NotOffloadableError as refusal:
        if not first.could_prefer_growable and not first.could_prefer_growable_objects:
            raise
        refused = refusal
    several = first.could_prefer_growable
    tries = [(Approach(prefers_growable=True), several), (Approach(), first.hurried)]
    tries.append(
        (Approach(prefers_growable=several, prefers_growable_objects=True), first.could_prefer_growable_objects)
    )
    for approach, worthwhile in tries:
        try:
            if worthwhile:
                return _settled(function, arguments, set(static), world, settings, approach)
        except NotOffloadableError as refusal:
            refused = refused if approach.prefers_growable or approach.prefers_growable_objects else refusal
    raise refused


@dataclass
class Approach:
    """How a program is analysed."""

    #: whether lists become growable lists that need not be, see `Machine.prefers_growable`
    prefers_growable: bool = False
    #: the same of lists of objects that loops go through
    prefers_growable_objects: bool = False
    #: whether it is given up early if that would be another way
    hurries: bool = False
    #: what has been found: whether there is another way, and whether it has been given up for that
    could_prefer_growable: bool = False
    could_prefer_growable_objects: bool = False
    hurried: bool = False


def _settled(
    function: types.FunctionType,
    arguments: dict[str, object],
    static: set[Source],
    world_of: Callable[[set[Source]], CallerEnvironment],
    settings: tuple[bool, bool, dict[object, int], bool, bool],
    approach: Approach,
) -> Analysis:
    """The analysis, begun again until it settles."""
    ambient_x64, narrow, capacities, sizes_vary, returns_views = settings
    modes: dict[tuple, str] = {}
    recursions: dict[types.CodeType, frozenset[Call]] = {}
    as_loop: NotOffloadableError | None = None
    peeled: NotOffloadableError | None = None
    given = set(static)
    optimistic = may_share = may_hand_over = True
    unrolls_more, tables, joins = False, True, 0
    with_namespaces: set[type] = set()
    loops_of_items: dict[object, int] = {}
    for _ in range(_MAXIMUM_RESTARTS):
        machine = Machine(world_of(static), ambient_x64, narrow)
        machine.loop_modes.update(modes)
        machine.unrolled_places |= {place_of(key) for key, mode in modes.items() if mode == "unroll"}
        often = collections.Counter(node for node, _ in machine.unrolled_places)
        machine.unrolled_nodes |= {node for node, count in often.items() if count >= _SEVERAL}
        machine.heap.optimistic, machine.heap.may_share = optimistic, may_share
        machine.heap.may_hand_over = may_hand_over
        machine.world.with_namespaces |= with_namespaces
        machine.capacities.update(capacities)
        machine.loops_of_items = loops_of_items
        machine.prefers_growable, machine.hurries = approach.prefers_growable, approach.hurries
        machine.prefers_growable_objects = machine.heap.hopeful = approach.prefers_growable_objects
        machine.sizes_vary, machine.returns_views = sizes_vary, returns_views
        machine.unrolls_more, machine.tables, machine.joins = unrolls_more, tables, joins
        machine.recursions, machine.loops_recursions = recursions, as_loop is None
        machine.peels_recursions = peeled is not None
        try:
            analysis = _attempt(machine, function, arguments)
        except NeedLoop as need:
            recursions = {**recursions, need.code: recursions.get(need.code, frozenset()) | need.calls}
            continue
        except NotOffloadableError as refusal:
            if recursions and peeled is None and machine.joins <= machine.most_joins():
                # The call from outside may be another case than those within: `def go(x, found=None)`.
                peeled, modes, static = refusal, {}, set(given)
                machine.joins = 0
                continue
            if recursions:
                # Integers among the inputs may decide how deep it goes, or no more than that.
                as_loop, recursions, modes, static = peeled or refusal, {}, {}, set(given)
                machine.joins = 0
                continue
            if as_loop is not None:
                raise _plainer(refusal, as_loop) from None
            if machine.joins > machine.most_joins():
                raise
            if machine.has_tables:
                tables = False
                continue
            if unrolls_more or not machine.could_unroll_more:
                raise
            unrolls_more = True
            continue
        except NeedStatic as need:
            _specialise(machine, function, need, static, modes)
            continue
        except NeedGuess as need:
            loops_of_items = {**loops_of_items, **need.loops}
            continue
        except NeedNamespace as need:
            with_namespaces.add(need.cls)
            continue
        except SharedRisk:
            if machine.heap.handed_over:
                may_hand_over = False
            else:
                may_share = False
            continue
        except AliasRisk:
            optimistic = False
            continue
        except OwnedObjectChanged as owned:
            if owned.loop in (None, SHARED) or modes.get(owned.loop) == "unroll":
                refusal = refusal_of_change(owned)
                refusal.location = getattr(owned, "location", None)
                machine.block(refusal)
                _place(machine, function)
                raise NotOffloadableError(function.__qualname__, machine.blockers) from None
            modes[owned.loop] = "unroll"
            continue
        finally:
            joins = machine.joins
            approach.could_prefer_growable |= machine.could_prefer_growable
            approach.could_prefer_growable_objects |= machine.could_prefer_growable_objects
            approach.hurried |= machine.is_hurried() and FEW_JOINS < machine.joins <= MAXIMUM_JOINS
        analysis.static = static
        return analysis
    blocker = locate("XP0099", "the analysis does not settle", "", _start(function))
    raise NotOffloadableError(function.__qualname__, [blocker])


def _plainer(unrolled: NotOffloadableError, as_loop: NotOffloadableError) -> NotOffloadableError:
    """Of two refusals of a program in which a function calls itself, the one that says more: as a loop, if it is the
    depth that could not be followed otherwise, and not the loop itself."""
    deep = any(blocker.code in ("XP0008", "XP0009") for blocker in unrolled.blockers)
    large = all(blocker.code == "XP0009" for blocker in as_loop.blockers)
    return as_loop if deep and not large else unrolled


def _attempt(machine: Machine, function: types.FunctionType, arguments: dict[str, object]) -> Analysis:
    raises: Raised | None = None
    #: whether the function raises in any case, be it one of several exceptions
    always = False
    value: Value = Const(None)
    outputs = Outputs(machine)
    try:
        try:
            value = _interpret(machine, function, arguments)
        except PythonError as error:
            if machine.blockers:
                raise NotOffloadableError(function.__qualname__, machine.blockers) from None
            always = True
            several = isinstance(error.value, Union) or isinstance(exceptions.arguments(machine, error.value), Union)
            if several or machine.error_flag() is not None:
                if error.frame is not None:
                    machine.frames.append(error.frame)
                machine.register_error(machine.builder.constant(True), error.value)
                machine.frames.clear()
            else:
                cls, args = exceptions.exception_parts(machine, error.value)
                parts = outputs.exception(args, error_tag.attributes_of(machine, error.value))
                raises = Raised(cls, parts, error_tag.place_of(machine, error.value))
                prints = outputs.prints()
                machine.heap.slots.clear()
        if machine.blockers:
            raise NotOffloadableError(function.__qualname__, machine.blockers)
        if raises is None:
            generator_stepping.check_finished(machine)
            prints = outputs.prints()
        result = outputs.reconstruction(value) if raises is None else None
        effects = [] if always else outputs.effects()
        count = len(outputs.vars)
        errors = outputs.error_payloads() if raises is None else []
        emitted = machine.entry.size()
        if emitted > MOST_EMITTED:
            raise Refused(
                "XP0009",
                f"the program comes to {emitted} operations: to compile so many takes too long",
                "give the values that loops and branches change one type and shape each, so that each stays one",
            )
    except walk.Poison:
        raise NotOffloadableError(function.__qualname__, machine.blockers) from None
    except (TooLarge, RecursionError, calls.Endless) as error:
        refusal = Refused(
            "XP0009",
            "the analysis takes too many steps: a loop is unrolled that makes too many trips",
            "give the values that the loop changes one type and shape, so that it stays a loop",
        )
        if machine.joins > machine.most_joins():
            refusal = Refused(
                "XP0009",
                "the analysis takes too many steps: data chooses among too many different objects",
                "keep the values in arrays, or in objects of one class whose attributes have one type each",
            )
        if isinstance(error, RecursionError):
            refusal = Refused("XP0008", "calls nest too deeply", "write the recursion as a loop")
        if isinstance(error, calls.Endless):
            refusal = Refused("XP0008", str(error), "write the recursion as a loop")
        refusal.location = getattr(error, "location", None)
        machine.block(refusal)
        _place(machine, function)
        raise NotOffloadableError(function.__qualname__, machine.blockers) from None
    except Refused as refusal:
        machine.block(refusal)
        _place(machine, function)
        raise NotOffloadableError(function.__qualname__, machine.blockers) from refusal
    except JoinFailure as failure:
        refusal = Refused(
            "XP0007",
            f"the paths of a branch give values that {unjoined(machine, failure)}",
        )
        refusal.location = getattr(failure, "location", None)
        machine.block(refusal)
        _place(machine, function)
        raise NotOffloadableError(function.__qualname__, machine.blockers) from failure
    results = list(outputs.vars)
    if errors:
        results.append(number_var(machine.heap.read(STATE, "error")))
    machine.entry.results = results
    module = Module(machine.entry, [str(p.source) for p in machine.world.parameters])
    written = [(e.kind, e.source) for e in effects]
    return Analysis(
        module,
        machine.world.parameters,
        machine.world.assumptions(),
        result,
        effects,
        errors,
        raises=raises,
        prints=prints,
        written=written,
        reads_ambient=machine.reads_ambient,
        has_products=machine.builder.has_products or machine.reads_ambient,
        guesses=dict(machine.guesses),
        payloads=len(outputs.vars) - count,
    )


def _place(machine: Machine, function: types.FunctionType) -> None:
    """Blockers without a place get that of the function."""
    for index, blocker in enumerate(machine.blockers):
        if blocker.filename is None:
            machine.blockers[index] = locate(blocker.code, blocker.message, blocker.hint, _start(function))


def _start(function: types.FunctionType) -> Location:
    code = function.__code__
    return Location(code.co_filename, code.co_qualname, first_line(code), None, None, None)


def _interpret(machine: Machine, function: types.FunctionType, arguments: dict[str, Any]) -> Value:
    world = machine.world
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    bound = [world.wrap(arguments[name], argument(name)) for name in names]
    extra = code.co_argcount + code.co_kwonlyargcount
    if code.co_flags & 0x04:
        name = code.co_varnames[extra]
        items = arguments[name]
        base = argument(name)
        world.guard("len", base, len(items))
        bound.append(Tuple(tuple(world.wrap(v, Source("item", i, base)) for i, v in enumerate(items))))
        extra += 1
    if code.co_flags & 0x08:
        name = code.co_varnames[extra]
        entries: dict = arguments[name]
        base = argument(name)
        world.guard("keys", base, tuple(entries))
        bound.append(machine.new_dict({k: world.wrap(v, Source("item", k, base)) for k, v in entries.items()}))
    world.guard("is", attribute(anchor(function), "__code__"), code)
    frame = calls.frame_of(machine, code, world.globals_of(function.__globals__))
    return calls.run_frame(machine, frame, bound, world.cells(function))


def _specialise(
    machine: Machine, function: types.FunctionType, need: NeedStatic, static: set[Source], modes: dict[tuple, str]
) -> None:
    """Make what `need` asks for static, or unroll the loops it changes with; refuse if it depends on array data."""
    if machine.world.is_up_to_data(need.var) and _work_out(machine, need, static):
        return
    bodies = loop_parameters(need.var, machine.entry)
    numbers = {id(p.var): p for p in machine.world.parameters if p.is_number}
    if bodies:
        known = [numbers.get(id(origin)) for origin in origins(need.var)]
        integers = {p.source for p in known if p is not None and p.var.type.dtype.kind in "iub"}
        if not integers <= static:
            # With these known, it may not change from iteration to iteration.
            static.update(integers)
            return
        keys = {machine.loop_bodies.get(id(body)) for body in bodies}
        fresh = {k for k in keys if k is not None and modes.get(k) != "unroll"}
        if fresh:
            modes.update(dict.fromkeys(fresh, "unroll"))
            return
        looped = "changes from one iteration to the next of a loop that cannot be unrolled"
        _refuse(machine, function, need, looped if any(keys) else "depends on what a transformation passes")
    wanted = entry_parameters(need.var, machine.entry)
    if wanted is None:
        _refuse(machine, function, need, "depends on the outcome of a loop")
    found = [numbers.get(id(v)) for v in wanted or ()]
    scalars = [p.source for p in found if p is not None and (p.python is not None or p.var.type.dtype.kind in "iub")]
    if len(scalars) < len(found) or not scalars or all(s in static for s in scalars):
        _refuse(machine, function, need, "depends on the contents of arrays")
    static.update(scalars)
    if len(static) > _MANY_STATIC:
        _add_neighbours(machine, static, scalars)


def _add_neighbours(machine: Machine, static: set[Source], scalars: list[Source]) -> None:
    """Make the other numbers static that are with `scalars` in lists and tuples: all of them are asked for in turn."""
    holders = {source.base for source in scalars if source.kind == "item"}
    near = [p for p in machine.world.parameters if p.is_number and p.source.kind == "item" and p.source.base in holders]
    static.update(p.source for p in near if p.python is not None or p.var.type.dtype.kind in "iub")


def _work_out(machine: Machine, need: NeedStatic, static: set[Source]) -> bool:
    """Have what `need` asks for computed before the program runs, if that can be done."""
    if need.place is None or need.place in static or machine.world.work_out(need.var) is None:
        return False
    static.add(need.place)
    return True


def _refuse(machine: Machine, function: types.FunctionType, need: NeedStatic, why: str) -> NoReturn:
    location = getattr(need, "location", None) or machine.location()
    blocker = locate("XP0006", f"{need.what} must be known at compile time, but {why}", "", location)
    machine.blockers.append(blocker)
    _place(machine, function)
    raise NotOffloadableError(function.__qualname__, machine.blockers)
