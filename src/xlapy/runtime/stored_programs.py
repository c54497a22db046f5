"""Programs that another process has compiled, and left on disk: found, looked at, and called without the compiler.

What is on disk is machine code that is called directly, what it reads, what it assumes, and a plan of what is to be
done with its outputs. All that it assumes is looked at for the first call, by its contents; from then on by identity,
as in the process that compiled it. A call with which the program cannot deal, since it meets an exception for example,
is left to the compiler, and nothing has happened then.
"""

from __future__ import annotations

import os
import sys
import threading
import weakref
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import numpy as np

from xlapy.domain.assumptions import Guard
from xlapy.domain.sources import Source
from xlapy.machine_code import addresses, images, object_calls, thread_pools
from xlapy.machine_code.c_calls import Frame, Given, call_of, plainly
from xlapy.runtime import quick, result_code
from xlapy.runtime.codegen import MISS, Writer, is_implied, locate
from xlapy.runtime.collection import uncollected
from xlapy.runtime.jax_internals import MAY_CHECK_RESULTS, ambient_x64, checks_results, set_x64, swap_x64
from xlapy.runtime.leaf_makers import cut_on_host
from xlapy.runtime.loggers import LOGGERS
from xlapy.runtime.operand_checks import NewTypes, is_foreign, is_nested, overflows
from xlapy.runtime.options import Policy
from xlapy.runtime.result_kinds import ResultKind
from xlapy.runtime.switch import off
from xlapy.stored import folder
from xlapy.stored.encoding import Decoder, Stale
from xlapy.stored.fingerprints import Unstorable, fingerprint
from xlapy.stored.surroundings import digest, environment

if TYPE_CHECKING:
    from xlapy.runtime.cache import Cache
    from xlapy.runtime.on_demand import LazyCache

#: programs of one function: a file may become several, for functions among the arguments that are made anew
_MOST = 16
#: why nothing is read or written in this process, if that is so
_REASON: list[str] = []
#: the code of files that were loaded, by their paths
_CALLS: dict[str, tuple[Callable, images.Loaded]] = {}
#: the stored programs of all functions
_ALL: weakref.WeakSet[StoredPrograms] = weakref.WeakSet()
#: what a damaged or foreign file may lead to
_DAMAGES = (KeyError, IndexError, TypeError, ValueError, AttributeError)


class Plan(NamedTuple):
    """What is to be done with the outputs of a program, as an `Analysis` tells it."""

    result: Any
    effects: Sequence
    errors: Sequence
    raises: None = None
    prints: tuple = ()


def is_usable() -> bool:
    """Whether programs are read from disk, and written."""
    return not _REASON and folder.is_on() and images.is_possible() and not os.environ.get("XLAPY_GUARD")


def is_plain(policy: Policy) -> bool:
    """Whether a function is compiled in the usual way, so that its programs may be on disk."""
    usual = Policy(returns=policy.returns, fallback=policy.fallback, static=policy.static)
    return policy == usual and policy.returns != "jax"


def key_of(owner: LazyCache | Cache) -> str:
    """What the programs of a function have in common with those of another process.

    Raises:
        Unstorable: nothing.
    """
    function, policy = owner.function, owner.policy
    return digest(environment(), function.__module__, fingerprint(function), policy.returns, sorted(policy.static))


def requested_precision() -> str | None:
    """JAX's setting of how precise products are."""
    config: Any = jax.config
    return config.jax_default_matmul_precision


class StoredProgram:
    """One program from disk for one function.

    Raises:
        Stale: something is not as it was.
    """

    def __init__(self, programs: StoredPrograms, path: str, file: tuple[Any, list[bytes]], arguments: tuple) -> None:
        self.programs, owner = programs, programs.owner
        self.calls = 0
        data, parts = file
        named = owner.binder.named(arguments)
        decoder = Decoder(data["table"], owner.function, lambda source: locate(source, named))
        for name in data["imports"]:
            if name not in sys.modules:
                raise Stale(f"{name} has not been imported")
        for check in data["checks"]:
            decoder.check(check)
        guards: list[Guard] = [decoder.guard(guard) for guard in data["guards"]]
        self.sources: list[Source] = [decoder.value(source) for source in data["operands"]]
        self.x64, self.precision = data["x64"], data["precision"]
        self._given = decoder.value(data["frame"]).given
        plan = Plan(decoder.value(data["result"]), decoder.value(data["effects"]), (None,) * data["errors"])
        kind = ResultKind(data["kind"])
        self._make = quick.finisher(plan, owner.binder.names, kind, cut_on_host)
        frame = decoder.value(data["frame"])
        self._run, code = _CALLS.get(path) or _loaded(data, parts, frame)
        found = result_code.plan(plan, len(frame.outputs), self.sources, owner.binder.names, kind)
        #: the same as in `Direct`
        self.objects: tuple[Callable | None, Callable | None] = (None, None)
        if found is not None and "objects" in data["entries"]:
            constants = object_calls.constants_of(found[0].result)
            self.objects = object_calls.function_at(code.address("objects"), constants, (self._run, code)), found[1]
        self.prepare = self._writer(guards).prepare(self.sources)
        if self._make is None or self.operands(arguments) is None:
            raise Stale("the arguments are others")
        _CALLS[path] = self._run, code
        writer = self._writer(guards)
        self.call = writer.warm(
            self.sources,
            None,
            self._writer(guards, writer, plan.effects),
            is_moved=False,
            native=self,
            may_check=MAY_CHECK_RESULTS,
            OTHER=object_calls.OTHER,
            finished=False,
            swap_x64=swap_x64,
            set_x64=set_x64,
            wide=True,
            jitted=self._called,
            NewTypes=NewTypes,
            new_types=lambda arguments: programs.slow(*arguments),
            overflows=lambda operands: overflows(operands, False),
            is_foreign=is_foreign,
            is_nested=is_nested,
            JaxRuntimeError=jax.errors.JaxRuntimeError,
            without_native=_raised,
            run_at_once=self._called,
            finish=self._finish,
            entry=self,
            slow=programs.slow,
            miss=programs.slow,
        )

    def _writer(self, guards: Sequence[Guard], of: Writer | None = None, effects: Sequence = ()) -> Writer:
        """What writes the guards; for the C function of the operands, with the names `of` another writer, those that
        this does not look at itself."""
        writer = Writer(self.programs.owner.binder.names, False, of)
        operands = {s: (given.python, given.shape) for s, given in zip(self.sources, self._given, strict=True)}
        if self.x64 is not None:
            writer.require(f"{writer.name(ambient_x64)}() is {self.x64}")
        if self.precision:
            writer.require(f"{writer.name(requested_precision)}() == {self.precision[0]!r}")
        for guard in guards:
            if of is None or not is_implied(guard, operands, effects):
                writer.guard(guard)
        return writer

    def operands(self, arguments: tuple) -> tuple | None:
        """The operands of a call that it is for."""
        found = self.prepare(*arguments)
        if found is MISS or MAY_CHECK_RESULTS[0] and checks_results():
            return None
        return found if all(map(_suits, found, self._given)) and not overflows(found, False) else None

    def then(self, miss: Callable) -> None:
        """What is tried next where a guard of this one does not hold."""
        self.call.__globals__["miss"] = miss

    def _called(self, *operands: Any) -> tuple:
        if not (MAY_CHECK_RESULTS[0] and checks_results()):
            found = self._run(*operands)
            if found is None and all(map(_suits, operands, self._given)):
                found = self._run(*map(plainly, operands, self._given))
            if found is not None:
                return found
        raise NewTypes

    def _finish(self, outputs: tuple, arguments: tuple) -> Any:
        assert self._make is not None
        made = self._make(outputs, arguments)
        return self.programs.owner.cache.without_stored(arguments) if made is quick.NOT_QUICK else made


def _suits(operand: Any, given: Given) -> bool:
    """Whether machine code can take an operand, if need be as a copy."""
    if given.python is not None:
        return type(operand) is given.python
    known = type(operand) is np.ndarray or isinstance(operand, np.generic)
    return known and operand.dtype == given.dtype and operand.shape == given.shape


def _raised(error: Exception, operands: tuple) -> Any:
    raise error


def _loaded(data: Any, parts: Sequence[bytes], frame: Frame) -> tuple[Callable, images.Loaded]:
    """The function that calls the code of a file, and the code."""
    image = _image(data, parts[0])
    arrays = {name: np.frombuffer(part, np.uint8).copy() for name, part in zip(data["arrays"], parts[1:], strict=True)}
    known = {name: array.ctypes.data for name, array in arrays.items()}
    code = images.Loaded(image, known | _outside(image, known))
    return call_of(code.address("entry"), frame, (code, arrays)), code


def _image(data: Any, code: bytes) -> images.Image:
    patches = tuple(images.Patch(*patch) for patch in data["patches"])
    return images.Image(code, data["fixed"], patches, data["entries"])


def _outside(image: images.Image, known: Collection[str]) -> dict[str, int]:
    """The addresses of what is outside of an image."""
    found: dict[str, int] = {}
    for name in {patch.symbol for patch in image.patches} - {None, *known}:
        assert name is not None
        address = addresses.address_of(name) or images.outside(name)
        if name == thread_pools.SHARE:
            address = _threads().pool.share
        if address is None:
            raise Stale(f"there is no {name}")
        found[name] = address
    return found


def key_of_threads() -> str:
    """What the pools of threads of several processes have in common."""
    return digest(environment(), "threads")


def _threads() -> thread_pools.Started:
    """The pool of threads of this process, whose code may be on disk as well."""
    found = thread_pools.started()
    if found is not None:
        return found
    for path in folder.names_of(key_of_threads()):
        file = folder.read(path)
        if file is not None:
            data, (code,) = file
            image = _image(data, code)
            loaded = images.Loaded(image, _outside(image, ()))
            return thread_pools.start(loaded.address, data["threads"], image, loaded)
    raise Stale("there are no threads")


class StoredPrograms:
    """The programs from disk of one function.

    Args:
        owner: the function and what compiles it.
    """

    def __init__(self, owner: LazyCache) -> None:
        self.owner = owner
        self.programs: tuple[StoredProgram, ...] = ()
        #: the files by their paths; None before anybody has looked
        self._files: dict[str, tuple[Any, list[bytes]]] | None = None
        self._lock = threading.RLock()
        _ALL.add(self)

    def slow(self, *arguments: Any) -> Any:
        """A call for which no program in memory holds."""
        found = self.find(arguments) if not off() else None
        if found is None:
            return self.owner.cache.slow(*arguments)
        return found.call(*arguments)

    def find(self, arguments: tuple) -> StoredProgram | None:
        """A program for a call."""
        with self._lock, uncollected():
            known = next((p for p in self.programs if p.operands(arguments) is not None), None)
            if known is not None or not self._may_look():
                return known
            try:
                found = self._look(arguments)
            except RecursionError:  # of the caller's
                found = None
            if found is None:
                return None
            self.programs = (found, *self.programs)[:_MOST]
        self.owner.renew()
        return found

    def _may_look(self) -> bool:
        if self._files == {} or not is_usable() or not is_plain(self.owner.policy):
            return False
        return self._files is not None or _on_one_cpu()

    def _look(self, arguments: tuple) -> StoredProgram | None:
        """Read the files of the function, the first time, and find a program among them."""
        name, log = self.owner.function.__qualname__, LOGGERS["cache"]
        if self._files is None:
            try:
                key = key_of(self.owner)
            except Unstorable as reason:
                log.info("%s: not on disk: %s", name, reason)
                self._files = {}
                return None
            read = ((path, folder.read(path)) for path in folder.names_of(key))
            self._files = {path: found for path, found in read if found is not None}
            if not self._files:
                log.info("%s: not on disk", name)
        for path, file in list(self._files.items()):
            try:
                program = StoredProgram(self, path, file, arguments)
            except (Stale, OSError) as reason:  # memory may not be made executable here
                log.info("%s: on disk, but %s", name, reason)
            except _DAMAGES as reason:
                log.info("%s: a file is removed: %r", name, reason)
                folder.remove(path)
                del self._files[path]
            else:
                log.info("%s: from disk", name)
                return program
        return None

    def chain(self, last: Callable) -> Callable:
        """Chain the programs: each calls the next one where its guards do not hold, and in the end `last`."""
        for program, following in zip(self.programs, self.programs[1:], strict=False):
            program.then(following.call)
        if not self.programs:
            return last
        self.programs[-1].then(last)
        return self.programs[0].call

    def forget(self) -> None:
        """Use none of them, nor look for any again."""
        with self._lock:
            self.programs, self._files = (), {}

    def calls(self) -> int:
        """How many calls they have answered."""
        return sum(program.calls for program in self.programs)


def _on_one_cpu() -> bool:
    """Whether programs run on a CPU, and there is one device. The settings of which programs are kept apart tell that
    if they name the CPU; to ask JAX takes it some time, for the first time."""
    config: Any = jax.config
    if config.jax_platforms == "cpu" and not jax.distributed.is_initialized():
        return True
    return jax.default_backend() == "cpu" and jax.device_count() == 1


def switch_off(reason: str) -> None:
    """Neither read nor write programs from now on, since this process compiles in a way of its own."""
    _REASON.append(reason)
    for programs in list(_ALL):
        programs.forget()
        programs.owner.renew()


__all__ = [
    "StoredProgram",
    "StoredPrograms",
    "is_plain",
    "is_usable",
    "key_of",
    "requested_precision",
    "switch_off",
]
