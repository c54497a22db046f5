"""Hypothesis tries the same examples in every run of the suite; `python -m tests.fuzz` searches on."""

import gc

import pytest
from hypothesis import settings

from xlapy.runtime import relocation

settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def _own_programs():
    """Functions that are defined in several tests share no program, so that tests may count compilations."""
    relocation.forget_all()


def pytest_collection_finish():
    """What was imported and collected stays: looking through it for garbage over and over takes a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
