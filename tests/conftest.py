"""Hypothesis tries the same examples in every run of the suite; `python -m tests.fuzz` searches on.

Of tests over large grids of cases, a run takes every third; `--grids` runs them all.
"""

import gc
import os
import zlib

import jax
import pytest
from hypothesis import settings

from xlapy.runtime import program_sharing

settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")
# No test keeps executables in files, which JAX would look for: for that it hashes each program.
jax.config.update("jax_enable_compilation_cache", False)
# Nor do programs come from another run, in this process and in those that tests start, unless XLAPY_CACHE is 1.
os.environ.setdefault("XLAPY_CACHE", "0")


#: tests over grids of cases that are much alike
GRIDS = """
tests/benchmarks/test_broad_kernels.py
tests/covered/test_calls.py tests/covered/test_random.py tests/dispatch/test_lax_equivalents.py
tests/dispatch/test_numpy_sources.py tests/dispatch/test_python_scalars.py tests/gradients/test_sweep.py
tests/lowering/test_compaction.py tests/lowering/test_long_sorts.py tests/lowering/test_nvptx.py
tests/lowering/test_reversible_while.py
tests/runtime/test_traced_calls.py tests/semantics/test_arguments_of_containers.py
tests/semantics/test_fuzzed_arrays.py tests/semantics/test_integer_arguments.py tests/semantics/test_ufuncs.py
""".split()


def pytest_addoption(parser):
    """`--grids`."""
    parser.addoption("--grids", action="store_true", help="run all cases of tests over grids, not every third")


def pytest_collection_modifyitems(config, items):
    """A third of the cases, which is the same in every run; all of what is named on the command line."""
    if config.getoption("--grids") or any("::" in argument for argument in config.args):
        return
    left_out = [i for i in items if i.nodeid.startswith(tuple(GRIDS)) and zlib.crc32(i.nodeid.encode()) % 3]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


@pytest.fixture(autouse=True)
def _own_programs():
    """Functions that are defined in several tests share no program, so that tests may count compilations."""
    program_sharing.forget_all()


@pytest.fixture(autouse=True, scope="module")
def _kept_apart():
    """What the tests of a file leave behind (JAX keeps its programs) is not looked through for garbage by the next."""
    yield
    gc.collect()
    gc.freeze()


def pytest_collection_finish():
    """What was imported and collected stays: looking through it for garbage over and over takes a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_sessionfinish():
    """pytest looks for garbage five times at the end."""
    gc.freeze()
