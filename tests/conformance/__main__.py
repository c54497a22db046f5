"""Runs test modules of NumPy and CPython, each in a process of its own, and tells what became of the calls."""

from __future__ import annotations

import argparse
import collections
import importlib.util
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance import rewrite
from tests.conformance.calls import CRASHES, DIFFERS, REFUSED, SAME, SKIPPED, Checker, Log
from tests.conformance.python_calls import PythonChecker

#: test modules of NumPy's that are about numbers
MODULES = [
    "numpy._core.tests.test_numeric",
    "numpy._core.tests.test_umath",
    "numpy._core.tests.test_umath_complex",
    "numpy._core.tests.test_ufunc",
    "numpy._core.tests.test_multiarray",
    "numpy._core.tests.test_indexing",
    "numpy._core.tests.test_shape_base",
    "numpy._core.tests.test_einsum",
    "numpy._core.tests.test_function_base",
    "numpy._core.tests.test_scalarmath",
    "numpy._core.tests.test_item_selection",
    "numpy.lib.tests.test_function_base",
    "numpy.lib.tests.test_arraysetops",
    "numpy.lib.tests.test_arraypad",
    "numpy.lib.tests.test_histograms",
    "numpy.lib.tests.test_index_tricks",
    "numpy.lib.tests.test_nanfunctions",
    "numpy.lib.tests.test_polynomial",
    "numpy.lib.tests.test_shape_base",
    "numpy.lib.tests.test_stride_tricks",
    "numpy.lib.tests.test_twodim_base",
    "numpy.lib.tests.test_type_check",
    "numpy.lib.tests.test_ufunclike",
    "numpy.linalg.tests.test_linalg",
    "numpy.fft.tests.test_pocketfft",
    "numpy.fft.tests.test_helper",
    "numpy.matrixlib.tests.test_numeric",
    "numpy._core.tests.test_array_coercion",
    "numpy._core.tests.test_casting_floatingpoint_errors",
    "numpy._core.tests.test_deprecations",
    "numpy._core.tests.test_errstate",
    "numpy._core.tests.test_half",
    "numpy._core.tests.test_indexerrors",
    "numpy._core.tests.test_mem_overlap",
    "numpy._core.tests.test_nep50_promotions",
    "numpy._core.tests.test_numerictypes",
    "numpy._core.tests.test_regression",
    "numpy._core.tests.test_scalar_ctors",
    "numpy._core.tests.test_scalar_methods",
    "numpy._core.tests.test_umath_accuracy",
    "numpy.lib.tests.test_array_utils",
    "numpy.lib.tests.test_packbits",
    "numpy.lib.tests.test_regression",
    "numpy.lib.tests.test_utils",
    "numpy.linalg.tests.test_deprecations",
    "numpy.linalg.tests.test_regression",
    "numpy.polynomial.tests.test_chebyshev",
    "numpy.polynomial.tests.test_classes",
    "numpy.polynomial.tests.test_hermite",
    "numpy.polynomial.tests.test_hermite_e",
    "numpy.polynomial.tests.test_laguerre",
    "numpy.polynomial.tests.test_legendre",
    "numpy.polynomial.tests.test_polynomial",
    "numpy.polynomial.tests.test_polyutils",
]


#: test modules of CPython's own, which not every installation has
PYTHON = [
    f"test.test_{name}"
    for name in (
        "math cmath float int long complex bool list tuple dict set itertools functools operator statistics heapq"
        " bisect collections deque format slice builtin range enumerate sort fractions numeric_tower string unpack"
        " unpack_ex bytes ordered_dict generators compare contains augassign binop pow userlist"
    ).split()
]


class Plugin:
    """Imports the module that is tested with its checks."""

    def __init__(self, name: str, path: Path, log: Log) -> None:
        self.name, self.path = name, path
        self.checker = PythonChecker(log) if name.startswith("test.") else Checker(log)

    def pytest_pycollect_makemodule(self, module_path: Path, parent):
        """The module as pytest collects it, made of the rewritten source."""
        if module_path != self.path:
            return None
        module = pytest.Module.from_parent(parent, path=module_path)
        module._getobj = self._import  # type: ignore[method-assign]
        return module

    def _import(self):
        name = self.name
        spec = importlib.util.spec_from_file_location(name, self.path)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        checker = self.checker
        vars(module).update({rewrite.CALL: checker.call, rewrite.METHOD: checker.method})
        vars(module).update({rewrite.OPERATOR: checker.operator, rewrite.ITEM: checker.item})
        vars(module).update({rewrite.SET_ITEM: checker.set_item, rewrite.ATTRIBUTE: checker.attribute})
        exec(compile(rewrite.rewritten(self.path.read_text(), str(self.path)), str(self.path), "exec"), vars(module))
        return module


def run_one(module: str, options: argparse.Namespace, more: list[str]) -> int:
    """Runs one module in this process."""
    out = options.out
    os.environ["NPY_AVAILABLE_MEM"] = "1 GB"  # tests that ask for gigabytes are left out
    resource.setrlimit(resource.RLIMIT_DATA, (options.memory << 30, options.memory << 30))
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        print(f"{module} is not installed")
        return 1
    path = Path(spec.origin)
    with (out / f"{module}.jsonl").open("w") as file:
        log = Log(file, options.every, options.seconds)
        flags = [
            "-q",
            "-x",
            "--maxfail=100000",
            "-m",
            "not slow",
            "-p",
            "no:cacheprovider",
            "--no-header",
            "-W",
            "ignore",
            "--tb=no",
        ]
        pytest.main([str(path), *flags, "-rN", "-o", "addopts=", *more], plugins=[Plugin(module, path, log)])
    (out / f"{module}.json").write_text(json.dumps(log.counts))
    return 0


def main() -> int:
    """See `--help`."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument(
        "modules",
        nargs="*",
        default=MODULES,
        help="test modules, or the word python for CPython's own; else those of NumPy's",
    )
    parser.add_argument("--every", type=int, default=1, help="compare every n-th call only")
    parser.add_argument(
        "--out", type=Path, default=Path("results/conformance"), help="folder for the calls that differ"
    )
    parser.add_argument("--seconds", type=float, help="compare no calls of a module after that time")
    parser.add_argument("--memory", type=int, default=8, help="GiB that the process of a module may have")
    parser.add_argument("--select", help="as pytest's -k")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    more = ["-k", options.select] if options.select else []
    if options.here:
        return run_one(options.modules[0], options, more)
    total: collections.Counter[str] = collections.Counter()
    died = []
    for module in PYTHON if options.modules == ["python"] else options.modules:
        command = [sys.executable, "-m", "tests.conformance", module, "--here", "--every", str(options.every)]
        command += ["--out", str(options.out), "--memory", str(options.memory)]
        command += ["--select", options.select] if options.select else []
        command += ["--seconds", str(options.seconds)] if options.seconds else []
        done = subprocess.run(command, capture_output=True, text=True)
        report = options.out / f"{module}.json"
        if done.returncode or not report.exists():
            died.append(module)
            print(f"{module}: the process ended with {done.returncode}", flush=True)
            continue
        counts = collections.Counter(json.loads(report.read_text()))
        total += counts
        print(f"{module}: {dict(counts)}", flush=True)
    print(", ".join(f"{total[v]} {v}" for v in (SAME, REFUSED, DIFFERS, CRASHES, SKIPPED)))
    print(f"the calls that are not the same: {options.out}")
    return int(bool(died or total[DIFFERS] or total[CRASHES]))


if __name__ == "__main__":
    sys.exit(main())
