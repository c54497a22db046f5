"""Machine code as an image: bytes that can be put anywhere in memory, and where in them addresses have to be written.

`image_of` makes one of an object file in ELF, as LLVM writes it for Linux on x86-64 (*System V Application Binary
Interface, AMD64 Architecture Processor Supplement*); `Loaded` puts one into memory. What it does not know it refuses:
the code is then compiled again in the next process.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import platform
import struct
import sys
from collections.abc import Mapping
from typing import NamedTuple

#: what is loaded of an object file, and what of that is written to, or has no bytes in the file
_LOADED, _WRITTEN, _ZERO = 0x2, 0x1, 8
_SYMBOLS, _ADDENDS = 2, 4
#: relocations: an address of 64 bits, and distances of 32 and of 64 bits
_ADDRESS, _NEAR, _CALL, _FAR = 1, 2, 4, 24
#: sections that nobody reads who does not unwind the stack
_UNWINDING = (".eh_frame",)


class Patch(NamedTuple):
    """Where an address of 64 bits is written: that of a symbol, or of the image itself, with something added."""

    place: int
    symbol: str | None
    addend: int


class Image(NamedTuple):
    """Machine code.

    Attributes:
        code: the bytes.
        fixed: how many bytes at the beginning are never written to; the others are the function's own memory.
        patches: the addresses in it.
        entries: where its functions begin, by name.
    """

    code: bytes
    fixed: int
    patches: tuple[Patch, ...]
    entries: dict[str, int]


class UnknownFormat(Exception):
    """Something in an object file that is not known here."""


def is_possible() -> bool:
    """Whether this is a machine whose object files are known."""
    return sys.platform == "linux" and platform.machine() == "x86_64" and struct.calcsize("P") == 8


class _Section(NamedTuple):
    name: str
    kind: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    align: int


def image_of(data: bytes) -> Image:
    """The image of an object file.

    Raises:
        UnknownFormat: there is something in it that is not known here.
    """
    if data[:6] != b"\x7fELF\x02\x01" or struct.unpack_from("<HH", data, 16) != (1, 62):
        raise UnknownFormat("not an object file for x86-64")
    sections = _sections(data)
    loaded = [k for k, s in enumerate(sections) if s.flags & _LOADED and s.size and s.name not in _UNWINDING]
    starts: dict[int, int] = {}
    code = bytearray()
    fixed = 0
    for written in (False, True):
        for k in loaded:
            section = sections[k]
            if bool(section.flags & _WRITTEN) is not written:
                continue
            code += bytes(-len(code) % max(section.align, 16))
            starts[k] = len(code)
            held = section.kind != _ZERO
            code += data[section.offset : section.offset + section.size] if held else bytes(section.size)
        if not written:
            code += bytes(-len(code) % mmap.PAGESIZE)
            fixed = len(code)
    symbols = _symbols(data, sections, starts)
    patches: list[Patch] = []
    for section in sections:
        if section.kind == _ADDENDS and section.info in starts:
            _relocate(data, section, starts[section.info], symbols, code, patches)
    entries = {name: place for name, place in symbols if name and place is not None}
    return Image(bytes(code), fixed, tuple(patches), entries)


def _sections(data: bytes) -> list[_Section]:
    (offset,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    found = []
    for k in range(count):
        name, kind, flags, _, start, length, link, info, align, _ = struct.unpack_from(
            "<IIQQQQIIQQ", data, offset + k * size
        )
        found.append((name, kind, flags, start, length, link, info, align))
    table = found[names][3]
    return [_Section(_text(data, table + name), *rest) for name, *rest in found]


def _symbols(data: bytes, sections: list[_Section], starts: Mapping[int, int]) -> list[tuple[str, int | None]]:
    """Each symbol with its place in the image; None for one that is outside."""
    found: list[tuple[str, int | None]] = []
    for section in sections:
        if section.kind != _SYMBOLS:
            continue
        for at in range(section.offset, section.offset + section.size, 24):
            name, kind, _, where, value, _ = struct.unpack_from("<IBBHQQ", data, at)
            place = starts[where] + value if where in starts else None
            if where not in starts and (where != 0 or kind & 15 == 3):
                name = 0  # a file, or a section that is not loaded
            found.append((_text(data, sections[section.link].offset + name) if name else "", place))
    return found


def _relocate(
    data: bytes,
    section: _Section,
    start: int,
    symbols: list[tuple[str, int | None]],
    code: bytearray,
    patches: list[Patch],
) -> None:
    for at in range(section.offset, section.offset + section.size, 24):
        offset, info, addend = struct.unpack_from("<QQq", data, at)
        name, target = symbols[info >> 32]
        kind, place = info & 0xFFFFFFFF, start + offset
        if target is None and not name:
            raise UnknownFormat("a symbol in a section that is not loaded")
        if kind == _ADDRESS:
            patches.append(Patch(place, None, target + addend) if target is not None else Patch(place, name, addend))
        elif target is not None and kind in (_NEAR, _CALL):
            struct.pack_into("<i", code, place, target + addend - place)
        elif target is not None and kind == _FAR:
            struct.pack_into("<q", code, place, target + addend - place)
        else:
            raise UnknownFormat(f"relocation {kind} to {name}")


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode()


@functools.cache
def outside(name: str) -> int | None:
    """The address of a function of the C library or of another one that Python itself is linked to; None if there is
    none of that name."""
    try:
        found = getattr(_libraries(), name)
    except AttributeError:
        return None
    return ctypes.cast(found, ctypes.c_void_p).value


@functools.cache
def _libraries() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


class Loaded:
    """An image in memory.

    Args:
        image: the image.
        addresses: what the symbols of its patches stand for.

    Raises:
        OSError: memory cannot be made executable here.
    """

    def __init__(self, image: Image, addresses: Mapping[str, int]) -> None:
        self._memory = mmap.mmap(-1, max(len(image.code), 1), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._memory[: len(image.code)] = image.code
        base = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        for place, symbol, addend in image.patches:
            value = (base if symbol is None else addresses[symbol]) + addend
            struct.pack_into("<Q", self._memory, place, value & (1 << 64) - 1)
        protect = _libraries().mprotect
        protect.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
        if image.fixed and protect(base, image.fixed, mmap.PROT_READ | mmap.PROT_EXEC):
            raise OSError(ctypes.get_errno(), "mprotect")
        self._entries = {name: base + place for name, place in image.entries.items()}

    def address(self, name: str) -> int:
        """Where a function begins."""
        return self._entries[name]


__all__ = ["Image", "Loaded", "Patch", "UnknownFormat", "image_of", "is_possible", "outside"]
