"""Whether two results are the same, before a time is shown for either."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np


def leaves(tree: Any, path: str = "result") -> list[tuple[str, np.ndarray]]:
    """The arrays and scalars of nested tuples, lists, dicts and dataclasses, each with its path, as NumPy arrays."""
    if tree is None:
        return []
    if isinstance(tree, Mapping):
        return [leaf for key in sorted(tree) for leaf in leaves(tree[key], f"{path}[{key!r}]")]
    if isinstance(tree, tuple | list):
        return [leaf for i, item in enumerate(tree) for leaf in leaves(item, f"{path}[{i}]")]
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        names = [f.name for f in dataclasses.fields(tree)]
        return [leaf for name in names for leaf in leaves(getattr(tree, name), f"{path}.{name}")]
    if (detach := getattr(tree, "detach", None)) is not None:  # a torch tensor
        tree = detach().numpy()
    return [(path, np.asarray(tree))]


def disagreement(expected: Any, actual: Any, rtol: float, atol: float = 0.0, dtypes: bool = False) -> str | None:
    """What differs between two results, in a few words, or None where they agree.

    Structure and shapes have to be equal, values within atol + rtol * |expected|, NaNs in the same places. `dtypes`
    asks for equal dtypes as well, as NumPy programs may expect of xlapy."""
    want, got = leaves(expected), leaves(actual)
    if [path for path, _ in want] != [path for path, _ in got]:
        return f"results have {len(got)} parts {[p for p, _ in got][:4]}, not {len(want)} {[p for p, _ in want][:4]}"
    for (path, a), (_, b) in zip(want, got, strict=True):
        if a.shape != b.shape:
            return f"{path} has shape {b.shape}, not {a.shape}"
        if dtypes and a.dtype != b.dtype:
            return f"{path} has dtype {b.dtype}, not {a.dtype}"
        kinds = {a.dtype.kind, b.dtype.kind}
        if kinds <= set("biu"):
            same = a == b
        else:
            a, b = widened(a), widened(b)
            same = np.isclose(b, a, rtol=rtol, atol=atol, equal_nan=True)
        if not np.all(same):
            where = tuple(int(i[0]) for i in np.nonzero(~np.atleast_1d(same)))
            wrong, first = (
                int(np.size(same) - np.count_nonzero(same)),
                (np.atleast_1d(b)[where], np.atleast_1d(a)[where]),
            )
            return f"{path} differs in {wrong} of {a.size} values, first at {where}: {first[0]!r}, not {first[1]!r}"
    return None


def widened(array: np.ndarray) -> np.ndarray:
    """In double precision, so that bfloat16 and float16 can be compared with anything."""
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)
