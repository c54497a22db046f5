"""Writes programs that were compiled to disk (see `stored_programs`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from xlapy.interpreter.analyse import Analysis
from xlapy.machine_code import addresses, images, thread_pools
from xlapy.runtime import stored_programs
from xlapy.runtime.loggers import LOGGERS
from xlapy.stored import folder
from xlapy.stored.encoding import Encoder, checks_of, find_again, is_about_ours
from xlapy.stored.fingerprints import Unstorable

if TYPE_CHECKING:
    from xlapy.runtime.specialisation import Specialisation

#: bytes of known arrays in a file
_MOST_BYTES = 1 << 20


def store(entry: Specialisation, analysis: Analysis, call: Any) -> None:
    """Write a program to disk, if all that it depends on can be told in another process.

    Args:
        entry: where it belongs.
        analysis: what it was made of.
        call: calls its machine code.
    """
    cache = entry.cache
    if not stored_programs.is_usable() or not stored_programs.is_plain(cache.policy):
        return
    try:
        key = stored_programs.key_of(cache)
        data, parts = _written(entry, analysis, call.code)
        done = folder.write(key, data, parts) is not None
        LOGGERS["cache"].info("%s: %s", cache.name, "written to disk" if done else "not written to disk")
    except Unstorable as reason:
        LOGGERS["cache"].info("%s: not written to disk: %s", cache.name, reason)
    except Exception as error:  # an object of the caller's that is none of what is known: the call goes on
        LOGGERS["cache"].info("%s: not written to disk: %r", cache.name, error)


def _written(entry: Specialisation, analysis: Analysis, code: Any) -> tuple[dict[str, Any], list[bytes]]:
    if analysis.momentary:
        raise Unstorable(analysis.momentary[0])
    image = _image_of(code)
    _check_shapes(entry, code)
    guards = [g for g in entry.guards if g.kind != "shape" and not is_about_ours(g)]
    encoder = Encoder(entry.cache.function, guards)
    value: Callable[[Any], Any] = encoder.value
    find_again(encoder, analysis.taken)
    data = {
        "guards": [encoder.guard(guard) for guard in guards],
        "imports": analysis.imports,
        "checks": checks_of(encoder, analysis.of_libraries),
        "operands": [value(source) for source in entry.sources],
        "result": value(analysis.result),
        "effects": value(tuple(analysis.effects)),
        "errors": len(analysis.errors),
        "kind": entry.result_kind.value,
        "x64": entry.x64 if analysis.reads_ambient else None,
        "precision": [entry.precision] if analysis.has_products else [],
        "frame": value(code.frame),
        **_of_image(image, *(name for name in ("entry", "objects") if name in image.entries)),
        "arrays": list(code.arrays),
        "table": encoder.table,
    }
    return data, [image.code, *(array.tobytes() for array in code.arrays.values())]


def _check_shapes(entry: Specialisation, code: Any) -> None:
    """Machine code looks at the shapes of its operands by itself: guards may say no more than that."""
    given = dict(zip(entry.sources, code.frame.given, strict=True))
    for guard in entry.guards:
        if guard.kind == "shape":
            found = given.get(guard.source)
            if found is None or found.shape != tuple(guard.value[0]):
                raise Unstorable("sizes that vary")


def _image_of(code: Any) -> images.Image:
    """The machine code of a program, for any process."""
    if sum(array.nbytes for array in code.arrays.values()) > _MOST_BYTES:
        raise Unstorable("it knows large arrays")
    try:
        image = images.image_of(code.object_file)
    except images.UnknownFormat as reason:
        raise Unstorable(f"its code is for this process alone ({reason})") from None
    for patch in image.patches:
        name = patch.symbol
        if name is None or name in code.arrays or addresses.address_of(name) is not None:
            continue
        if name == thread_pools.SHARE:
            _keep_threads()
        elif images.outside(name) is None:
            raise Unstorable(f"it calls {name}")
    return image


def _of_image(image: images.Image, *entries: str) -> dict[str, Any]:
    """An image without its bytes as data."""
    return {"fixed": image.fixed, "entries": {n: image.entries[n] for n in entries}, "patches": image.patches}


def _keep_threads() -> None:
    """Write the code of the pool of threads, which the programs of many functions call."""
    key, found = stored_programs.key_of_threads(), thread_pools.started()
    if folder.names_of(key):
        return
    if found is None or found.image is None:
        raise Unstorable("its threads are for this process alone")
    functions = ("begin", *thread_pools.ThreadPool._fields)
    folder.write(key, {**_of_image(found.image, *functions), "threads": found.threads}, [found.image.code])


__all__ = ["store"]
