"""Hypothesis tries the same examples in every run of the suite; `python -m tests.fuzz` searches on."""

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")
