"""The suites by name: each module has `cases(plan)`, the list of what it measures under a plan."""

import importlib

from benchmarks.plan import Case, Plan


def cases(suite: str, plan: Plan) -> list[Case]:
    """The cases of a suite that match the plan's `only`. The suite's module is imported here, so that one whose
    libraries are missing fails alone."""
    module = importlib.import_module(f"benchmarks.suites.{suite}")
    return [case for case in module.cases(plan) if plan.only.lower() in case.name.lower()]
