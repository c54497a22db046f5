"""The files of programs: where they lie, and how many.

A file is never changed: it is written under another name and then put in its place, so that a reader sees all of it or
none. It holds data and machine code, which runs as it is. So the folder has to be the user's, and nobody else may
write to it; a file that is damaged is removed.

    XLAPY_CACHE=0            nothing is read or written
    XLAPY_CACHE_DIR=FOLDER   the folder; else $XDG_CACHE_HOME/xlapy, or ~/.cache/xlapy
    XLAPY_CACHE_SIZE=BYTES   that all files may have together; 268435456 (256 MiB) if nothing is said
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import struct
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

_MAGIC, _SUFFIX = b"xlapy program 1\n", ".xlapy"
#: bytes of all files, and files of one function
_MOST_BYTES, _MOST_FILES = 1 << 28, 16
#: bytes of one file
_LARGEST = 1 << 24
#: how many files are written before all are counted again, and the share that is kept where there are too many
_WRITTEN, _KEPT = 32, 0.75
#: seconds after which a file that was used is marked as used again, and a half-written one is given up
_FRESH, _FORGOTTEN = 3600, 600
_count = 0


def is_on() -> bool:
    """Whether programs are kept on disk."""
    return os.environ.get("XLAPY_CACHE", "1") not in ("0", "off", "false", "no") and hasattr(os, "getuid")


def place() -> Path:
    """The folder, which need not be there."""
    given = os.environ.get("XLAPY_CACHE_DIR")
    if given:
        return Path(given)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    # Where there is no home, there can be no folder either.
    return Path(home if os.path.isabs(home) else os.devnull) / "xlapy"


def _is_safe(path: str | Path) -> bool:
    """Whether a folder is the user's own, and nobody else may write to it."""
    try:
        found = os.stat(path)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022


def _folder_of(key: str) -> Path:
    return place() / key[:2]


def names_of(key: str) -> list[str]:
    """The files of a key, the newest first."""
    if not _is_safe(place()) or not _is_safe(_folder_of(key)):
        return []
    found = []
    with contextlib.suppress(OSError), os.scandir(_folder_of(key)) as entries:
        for entry in entries:
            if entry.name.startswith(key) and entry.name.endswith(_SUFFIX):
                with contextlib.suppress(OSError):
                    found.append((entry.stat(follow_symlinks=False).st_mtime, entry.path))
    return [path for _, path in sorted(found, reverse=True)]


def read(path: str) -> tuple[Any, list[bytes]] | None:
    """The data of a file and its parts of bytes; None if it is not there or damaged, in which case it is removed."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        with open(handle, "rb") as file:
            status = os.fstat(handle)
            if status.st_uid != os.getuid() or status.st_mode & 0o022 or status.st_size > _LARGEST:
                return None
            content = file.read()
    except OSError:
        return None
    try:
        found = _unpacked(content)
    except (ValueError, struct.error, UnicodeDecodeError, RecursionError):
        remove(path)
        return None
    with contextlib.suppress(OSError):
        if time.time() - status.st_mtime > _FRESH:
            os.utime(path)
    return found


def remove(path: str) -> None:
    """Remove a file, which another process may have done."""
    with contextlib.suppress(OSError):
        os.remove(path)


def _packed(data: Any, parts: Sequence[bytes]) -> bytes:
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).encode()
    sizes = struct.pack(f"<QQ{len(parts)}Q", len(text), len(parts), *map(len, parts))
    body = b"".join((sizes, text, *parts))
    return _MAGIC + hashlib.sha256(body).digest() + body


def _unpacked(content: bytes) -> tuple[Any, list[bytes]]:
    start = len(_MAGIC) + 32
    body = content[start:]
    if not content.startswith(_MAGIC) or hashlib.sha256(body).digest() != content[len(_MAGIC) : start]:
        raise ValueError("a damaged file")
    length, count = struct.unpack_from("<QQ", body)
    sizes = struct.unpack_from(f"<{count}Q", body, 16)
    at = 16 + 8 * count
    data = json.loads(body[at : at + length])
    parts, at = [], at + length
    for size in sizes:
        parts.append(body[at : at + size])
        at += size
    return data, parts


def write(key: str, data: Any, parts: Sequence[bytes]) -> str | None:
    """Write a file for a key; its path, or None where there is no folder for it, or it is too large."""
    global _count
    content = _packed(data, parts)
    folder = _folder_of(key)
    if len(content) > _LARGEST:
        return None
    try:
        os.makedirs(place(), 0o700, exist_ok=True)
        os.makedirs(folder, 0o700, exist_ok=True)
    except OSError:
        return None
    if not _is_safe(place()) or not _is_safe(folder):
        return None
    path = str(folder / f"{key}-{hashlib.sha256(content).hexdigest()[:16]}{_SUFFIX}")
    half = f"{path}.{os.getpid()}.{time.monotonic_ns()}"
    try:
        handle = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(half, path)
    except OSError:
        remove(half)
        return None
    for old in names_of(key)[_MOST_FILES:]:
        remove(old)
    if _count % _WRITTEN == 0:
        evict()
    _count += 1
    return path


def _files() -> Iterator[tuple[float, int, str]]:
    """All files of ours: when each was used last, its bytes and its path."""
    if not _is_safe(place()):
        return
    for folder in place().glob("[0-9a-f][0-9a-f]"):
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if _SUFFIX in entry.name:
                    with contextlib.suppress(OSError):
                        status = entry.stat(follow_symlinks=False)
                        yield status.st_mtime, status.st_size, entry.path


def _limit() -> int:
    given = os.environ.get("XLAPY_CACHE_SIZE", "")
    return int(given) if given.isdigit() else _MOST_BYTES


def evict() -> None:
    """Remove the files that were not used for longest, if there are too many."""
    found = sorted(_files())
    for used, _, path in found:
        if not path.endswith(_SUFFIX) and time.time() - used > _FORGOTTEN:
            remove(path)  # its writer has ended
    total = sum(size for _, size, _ in found)
    limit = _limit()
    if total <= limit:
        return
    for _, size, path in found:
        remove(path)
        total -= size
        if total <= limit * _KEPT:
            return


def info() -> tuple[int, int]:
    """How many files there are, and their bytes."""
    sizes = [size for _, size, path in _files() if path.endswith(_SUFFIX)]
    return len(sizes), sum(sizes)


def clear() -> int:
    """Remove all files, and say how many."""
    found = list(_files())
    for _, _, path in found:
        remove(path)
    return len(found)


__all__ = ["clear", "evict", "info", "is_on", "names_of", "place", "read", "remove", "write"]
