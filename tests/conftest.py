"""Hypothesis tries the same examples in every run of the suite; `python -m tests.fuzz` searches on."""

import pytest
from hypothesis import settings

from xlapy.runtime import relocation

settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def _own_programs():
    """Functions that are defined in several tests share no program, so that tests may count compilations."""
    relocation.forget_all()
