"""Hypothesis tries the same examples in every run of the suite; `python -m tests.fuzz` searches on."""

import gc

import jax
import pytest
from hypothesis import settings

from xlapy.runtime import program_sharing

settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")
# No test keeps executables in files, which JAX would look for: for that it hashes each program.
jax.config.update("jax_enable_compilation_cache", False)


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
