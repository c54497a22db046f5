"""`sys.modules`, asked for one module: what else is imported is not assumed."""

import sys
import types

import numpy as np

import xlapy

from .runner import Programs

program = Programs()


def asked(x):
    modules = sys.modules
    known = "math" in modules, "no_such_module" in modules, modules.get("no_such_module") is None
    return known, modules["math"].sqrt(x), modules.get("no_such_module", 3), modules.get("numpy") is np


program.add("asked", asked, (2.0,), (3.0,))


@program((2.0,))
def not_there(x):
    try:
        sys.modules["no_such_module"]
    except KeyError as error:
        return x, error.args


@program((2.0,), (3.0,))
def looked_through(x):
    return x, len([name for name in sys.modules if name == "math"]), "math" in sys.modules, sys.modules.get("") is None


test_programs = program.test()


def test_other_modules_do_not_matter():
    jitted = xlapy.jit(asked)
    try:
        jitted(2.0)
        sys.modules["something_else"] = types.ModuleType("something_else")
        jitted(2.0)
        assert jitted.cache_info().misses == 1
        sys.modules["no_such_module"] = types.ModuleType("no_such_module")
        assert jitted(2.0)[0] == (True, True, False)
        assert jitted.cache_info().misses == 2
    finally:
        sys.modules.pop("something_else", None)
        sys.modules.pop("no_such_module", None)
