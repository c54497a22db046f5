"""The whole analysis of a function for given arguments: bytecode to a typed program, with everything the host needs."""

from __future__ import annotations

import types
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from xlapy.dispatch import libraries
from xlapy.dispatch.protocol import NeedStatic, PythonError, Refused, Settings
from xlapy.dispatch.python import exceptions
from xlapy.domain.facts import NO_FACTS, Facts, Learn
from xlapy.domain.heap import STATE
from xlapy.domain.join import JoinFailure
from xlapy.domain.ownership import SHARED, OwnedObjectChanged
from xlapy.domain.recipes import Effect, Raised, Reconstruction
from xlapy.domain.rooms import Room, Span
from xlapy.domain.sources import Source, anchor, argument, attribute
from xlapy.domain.storage import Storage
from xlapy.domain.values import Const, Tuple, Union, Value, number_var
from xlapy.interpreter import calls, error_tag, generator_stepping, walk
from xlapy.interpreter.caller_environment import CallerEnvironment, Guard, Parameter
from xlapy.interpreter.describe import locate, unjoined
from xlapy.interpreter.loops import refusal_of_change
from xlapy.interpreter.machine import Machine
from xlapy.interpreter.output_reconstruction import Outputs
from xlapy.interpreter.specialise import entry_parameters, loop_parameters, origins
from xlapy.interpreter.steps import FEW_JOINS, MAXIMUM_JOINS, MOST_EMITTED, TooLarge
from xlapy.ir import Location, Module, Region, constant_value
from xlapy.report import NotOffloadableError, first_line

_MAXIMUM_RESTARTS = 100
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
    static: frozenset[Source] = frozenset()
    raises: Raised | None = None
    prints: tuple = ()
    written: list[tuple[str, Source]] = field(default_factory=list)
    reads_ambient: bool = True
    #: whether it has products, of which JAX's settings say how precise they are
    has_products: bool = True
    #: whether it says how arrays are laid out over devices
    spans_devices: bool = False
    #: room that was guessed for lists that grow in loops
    guesses: dict[object, int] = field(default_factory=dict)
    #: how many outputs before the error code only `errors` refer to
    payloads: int = 0
    #: the loops that were executed: where their heads are, and the names of the strategies
    loops: list[tuple[Location, str]] = field(default_factory=list)
    #: for what became static in this analysis: what asked for it, and where
    reasons: dict[Source, tuple[str, Location | None]] = field(default_factory=dict)
    #: what was found in libraries, and where; and objects that were taken as they are
    of_libraries: dict[Source, object] = field(default_factory=dict)
    taken: Sequence[object] = ()
    #: modules that it imports, and what it depends on that another process cannot tell
    imports: Sequence[str] = ()
    momentary: list[str] = field(default_factory=list)
    #: loops behind which numbers are wider than in CPython, where there are too few iterations
    widening: frozenset[Location] = frozenset()
    #: exceptions that the program may meet and handles, each with the line of its function where that is
    caught: frozenset[tuple[type, int | None]] = frozenset()
    #: those among them which an operation raises whatever the data is
    caught_for_certain: frozenset[tuple[type, int | None]] = frozenset()

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
    rooms: dict[Source, Room | Span] | None = None,
) -> Analysis:
    """Interpret `function` abstractly for `arguments` (by parameter name; `*args` and `**kwargs` under their names).
    Where `sizes_vary` from call to call, the room of lists does not depend on them. What it returns may be views of the
    caller's arrays, if `returns_views`, or copies. Arrays with `rooms` may be of any size up to that,
    and integers in spans anything within these.

    Raises:
        NotOffloadableError: with every obstacle found.
    """
    libraries.read_rules()
    settings = Settings(ambient_x64, narrow, capacities or {}, sizes_vary, returns_views)
    call = _Call(function, arguments, dynamic, storages, settings, rooms)
    given = Facts(static=frozenset(static))
    first = _Search(call, hurries=True)
    try:
        return first.run(given)
    except NotOffloadableError as refusal:
        if not first.options.grows_lists and not first.options.grows_lists_of_objects:
            raise
        refused = refusal
    lists = Facts(grows_lists=first.options.grows_lists)
    tries = [
        (Facts(grows_lists=True), lists.grows_lists),
        (NO_FACTS, first.hurried),
        (lists | Facts(grows_lists_of_objects=True), first.options.grows_lists_of_objects),
    ]
    for preferred, worthwhile in tries:
        try:
            if worthwhile:
                return _Search(call).run(given | preferred)
        except NotOffloadableError as refusal:
            refused = refusal if preferred is NO_FACTS else refused
    raise refused


@dataclass(frozen=True)
class _Call:
    """What is analysed: a function and what it is called with."""

    #: a `types.FunctionType`, which type checkers take for a method here
    function: Any
    arguments: dict[str, object]
    #: inputs that are not known at compile time, although others of their kind are
    dynamic: set[Source]
    storages: Sequence[Storage]
    settings: Settings
    rooms: dict[Source, Room | Span] | None = None

    def machine(self, facts: Facts) -> Machine:
        """The interpreter for a round that begins with these facts."""
        world = CallerEnvironment(facts.static, self.dynamic - facts.static, self.storages, self.rooms)
        return Machine(world, self.settings, facts)


class _Search:
    """The analysis of a call, begun again with what each round has learnt until there is nothing more to learn."""

    def __init__(self, call: _Call, hurries: bool = False) -> None:
        self.call = call
        #: whether it is given up early if there is another way
        self.hurries = hurries
        #: what else might be tried, and whether the search was given up early for that
        self.options, self.hurried = NO_FACTS, False
        #: what the joins of all rounds have cost
        self.joins = 0
        #: why a program with functions that call themselves was refused when they were loops
        self.as_loop: NotOffloadableError | None = None
        #: for what has become static: what asked for it, and where
        self.reasons: dict[Source, tuple[str, Location | None]] = {}

    def run(self, facts: Facts) -> Analysis:
        """The program.

        Raises:
            NotOffloadableError: there is none.
        """
        given, function = facts.static, self.call.function
        for _ in range(_MAXIMUM_RESTARTS):
            machine = self.call.machine(facts)
            machine.hurries, machine.joins = self.hurries, self.joins
            try:
                analysis = _attempt(machine, function, self.call.arguments)
                analysis.static, analysis.reasons = facts.static, self.reasons
                return analysis
            except (Learn, NeedStatic, OwnedObjectChanged) as cause:
                learnt = _learnt_or_flags(machine, function, cause)
                if isinstance(cause, NeedStatic):
                    reason = cause.what, getattr(cause, "location", None) or machine.location()
                    self.reasons |= dict.fromkeys(learnt.static - facts.static, reason)
                facts |= learnt
            except NotOffloadableError as refusal:
                facts = self._way_around(machine, given, refusal)
            finally:
                self.joins = machine.joins
                if machine.options is not NO_FACTS:
                    self.options |= machine.options
                self.hurried |= machine.is_hurried() and FEW_JOINS < machine.joins <= MAXIMUM_JOINS
        blocker = locate("XP0099", "the analysis does not settle", "", _start(function))
        raise NotOffloadableError(function.__qualname__, [blocker])

    def _way_around(self, machine: Machine, given: frozenset[Source], refusal: NotOffloadableError) -> Facts:
        """The facts with which a program is tried again that was refused.

        Raises:
            NotOffloadableError: it was tried in every way.
        """
        facts, within = machine.facts, machine.joins <= machine.most_joins()
        flags = _flags(machine)
        if flags - facts.static:
            return facts | Facts(static=flags)
        if facts.recursions:
            machine.joins = 0
            if within and not facts.peels_recursions:
                # The call from outside may be another case than those within: `def go(x, found=None)`.
                self.as_loop = refusal
                return facts.without_loops(given, peels_recursions=True)
            # Integers among the inputs may decide how deep it goes, or no more than that.
            self.as_loop = self.as_loop or refusal
            return facts.without_loops(given, recursions={}, unrolls_recursions=True)
        if self.as_loop is not None:
            raise _plainer(refusal, self.as_loop) from None
        if within and machine.options.no_tables:
            return facts | Facts(no_tables=True)
        if within and machine.options.unrolls_more and not facts.unrolls_more:
            return facts | Facts(unrolls_more=True)
        raise refusal


def _flags(machine: Machine) -> frozenset[Source]:
    """Integers among the inputs that alone decide whether an obstacle is met, and all truth values among them: with
    `verbose=False`, what `if verbose:` leads to does no harm."""
    numbers = {id(p.var): p for p in machine.world.parameters if p.is_number and p.python in (bool, int)}
    found = {p for p in numbers.values() if p.python is bool and p.source.kind != "item"}
    for condition in {id(v): v for v in machine.deciding}.values():
        decide = entry_parameters(condition, machine.entry) or ()
        if all(id(v) in numbers for v in decide):
            found.update(numbers[id(v)] for v in decide)
    return frozenset(p.source for p in found if _may_be_known(p))


def _learnt_or_flags(
    machine: Machine, function: types.FunctionType, cause: Learn | NeedStatic | OwnedObjectChanged
) -> Facts:
    """What is learnt where the interpreter stopped; the flags that may decide whether it does, where nothing helps."""
    try:
        return _learnt(machine, function, cause)
    except NotOffloadableError:
        flags = _flags(machine)
        if flags <= machine.facts.static:
            raise
        return Facts(static=flags)


def _learnt(machine: Machine, function: types.FunctionType, cause: Learn | NeedStatic | OwnedObjectChanged) -> Facts:
    """What is learnt where the interpreter stopped.

    Raises:
        NotOffloadableError: nothing that helps.
    """
    if isinstance(cause, Learn):
        return cause.facts
    if isinstance(cause, NeedStatic):
        return _known(machine, function, cause)
    if cause.loop not in (None, SHARED) and cause.loop not in machine.facts.unrolled:
        return Facts(unrolled=frozenset((cause.loop,)))
    refusal = refusal_of_change(cause)
    refusal.location = getattr(cause, "location", None)
    machine.block(refusal)
    _place(machine, function)
    raise NotOffloadableError(function.__qualname__, machine.blockers) from None


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
    modes = machine.loop_modes
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
        spans_devices=machine.builder.spans_devices,
        guesses=dict(machine.guesses),
        payloads=len(outputs.vars) - count,
        loops=[(place, modes[key]) for key, place in machine.loop_places.items() if key in modes],
        of_libraries=machine.world.of_libraries,
        taken=list(machine.world.taken.values()),
        imports=sorted(machine.world.imports),
        momentary=machine.world.momentary,
        widening=frozenset(machine.loop_places[k] for k, widens in machine.widening.items() if widens and k in modes),
        caught=frozenset(machine.caught),
        caught_for_certain=frozenset(machine.caught_for_certain),
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


def _known(machine: Machine, function: types.FunctionType, need: NeedStatic) -> Facts:
    """The facts with which the value is known that `need` asks for: inputs, or loops to unroll.

    Raises:
        NotOffloadableError: it depends on the contents of arrays.
    """
    static = machine.facts.static
    if need.place is not None and need.place not in static and machine.world.is_up_to_data(need.var):
        if machine.world.work_out(need.var) is not None:
            return Facts(static=frozenset((need.place,)))
    numbers = {id(p.var): p for p in machine.world.parameters if p.is_number}
    if bodies := loop_parameters(need.var, machine.entry):
        return _known_in_loops(machine, function, need, bodies, numbers)
    wanted = entry_parameters(need.var, machine.entry)
    if wanted is None:
        _refuse(machine, function, need, "depends on the outcome of a loop")
    asked = [numbers[id(v)] for v in wanted if id(v) in numbers]
    scalars = frozenset(p.source for p in asked)
    if not scalars.isdisjoint(machine.world.lengths):
        _refuse(machine, function, need, "is the size of an array that varies")
    if len(asked) < len(wanted) or not all(map(_may_be_known, asked)) or scalars <= static:
        _refuse(machine, function, need, "depends on the contents of arrays")
    many = len(static | scalars) > _MANY_STATIC
    return Facts(static=scalars | _neighbours(machine, scalars) if many else scalars)


def _known_in_loops(
    machine: Machine,
    function: types.FunctionType,
    need: NeedStatic,
    bodies: Iterable[Region],
    numbers: dict[int, Parameter],
) -> Facts:
    """The same of a value that changes in loops, with these bodies."""
    sources = [numbers.get(id(origin)) for origin in origins(need.var)]
    integers = frozenset(p.source for p in sources if p is not None and p.var.type.dtype.kind in "iub")
    if not integers <= machine.facts.static:
        # With these known, it may not change from iteration to iteration.
        return Facts(static=integers)
    loops = [machine.loop_bodies.get(id(body)) for body in bodies]
    if fresh := frozenset(key for key in loops if key is not None) - machine.facts.unrolled:
        return Facts(unrolled=fresh)
    looped = "changes from one iteration to the next of a loop that cannot be unrolled"
    _refuse(machine, function, need, looped if any(loops) else "depends on what a transformation passes")


def _may_be_known(parameter: Parameter) -> bool:
    """Whether a call may be specialised for a number among its inputs."""
    return parameter.python is not None or parameter.var.type.dtype.kind in "iub"


def _neighbours(machine: Machine, scalars: frozenset[Source]) -> frozenset[Source]:
    """The other numbers that are with `scalars` in lists and tuples: all of them are asked for in turn."""
    holders = {source.base for source in scalars if source.kind == "item"}
    near = [p for p in machine.world.parameters if p.is_number and p.source.kind == "item" and p.source.base in holders]
    return frozenset(p.source for p in near if _may_be_known(p))


def _refuse(machine: Machine, function: types.FunctionType, need: NeedStatic, why: str) -> NoReturn:
    location = getattr(need, "location", None) or machine.location()
    blocker = locate("XP0006", f"{need.what} must be known at compile time, but {why}", "", location)
    machine.blockers.append(blocker)
    _place(machine, function)
    raise NotOffloadableError(function.__qualname__, machine.blockers)
