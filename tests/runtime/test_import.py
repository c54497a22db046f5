"""`import xlapy` is quick: the compiler is imported by the first call of a compiled function, and libraries that take
long to import are left alone until a program uses them."""

import re
import subprocess
import sys

import pytest

from xlapy import compiler  # noqa: F401  (reads the rules)
from xlapy.dispatch import registry
from xlapy.library import replacement
from xlapy.runtime import on_demand

PROGRAM = """
import sys
import xlapy

heavy = set("scipy equinox flax optax sklearn torch numba".split())
assert not heavy & set(sys.modules), heavy & set(sys.modules)
import numpy as np

def by_name(x):
    from scipy import special
    return special.gammaln(x)

def of_a_module(x):
    from scipy.linalg import toeplitz
    return toeplitz(x, x)

def of_an_attribute(x):
    import scipy
    return scipy.signal.convolve(x, x)

def under_another_name(x):
    import scipy.fft as transforms
    return transforms.rfft(x)

def of_a_global(x):
    return function(x)

x = np.linspace(0.1, 1.0, 8)
for f in (by_name, of_a_module, of_an_attribute, under_another_name):
    compiled = xlapy.jit(f)
    got, expected = compiled(x), f(x)
    assert compiled.cache_info().misses == 1 and got.dtype == expected.dtype, f
    np.testing.assert_allclose(got, expected, rtol=1e-9)
compiled, function = xlapy.jit(of_a_global), np.sin
np.testing.assert_allclose(compiled(x), np.sin(x), rtol=1e-9)
from scipy.special import erf as function
np.testing.assert_allclose(compiled(x), function(x), rtol=1e-9)
print("fine")
"""


def test_rules_of_libraries_are_read_once_they_are_imported():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.stdout == "fine\n", done.stderr


#: what an import of xlapy reads of its own code
LIGHT = """
import sys
import xlapy

@xlapy.jit
def f(x):
    return x + 1

class A:
    @xlapy.jit(returns="numpy")
    def method(self, x):
        return x

xlapy.grad(f), xlapy.vmap(f), xlapy.bound(1, 2), xlapy.device_array([1.0])
with xlapy.disable_jit():
    pass
ours = {name for name in sys.modules if name.startswith("xlapy.dispatch.")}
assert ours == {"xlapy.dispatch.registry"}, ours
late = {"xlapy." + name for name in ("compiler", "frontend", "interpreter", "lowering", "passes", "runtime.cache")}
others = set("bytecode equinox flax llvmlite numba optax scipy sklearn torch".split())
assert not (late | others) & set(sys.modules), (late | others) & set(sys.modules)
assert dir(xlapy) == sorted([*xlapy.__all__, "__version__"])
f(1.0)
assert late < set(sys.modules)
print("fine")
"""

THREADS = """
import sys
import threading
import numpy as np
import xlapy

x, start, found = np.arange(5.0), threading.Barrier(8), []

@xlapy.jit
def shared(x):
    return np.cumsum(x)

def work(number):
    own = xlapy.jit(lambda x: np.sort(x * number))
    start.wait()
    found.append((np.asarray(shared(x)), np.asarray(own(x)) - np.sort(x * number)))

threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(found) == 8 and shared.cache_info().misses == 1, shared.cache_info()
for a, b in found:
    np.testing.assert_array_equal(a, np.cumsum(x))
    assert not b.any()
print("fine")
"""

FORK = """
import os
import numpy as np
import xlapy

compiled = xlapy.jit(lambda x: np.cumsum(x)[::2])
child = os.fork()
np.testing.assert_array_equal(compiled(np.arange(5.0)), [0.0, 3.0, 10.0])
if not child:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
print("fine")
"""

AT_THE_END = """
import threading
import xlapy

compiled = xlapy.jit(lambda x: x + 1.0)

def late():
    threading.main_thread().join()
    assert compiled(1.0) == 2.0
    print("fine")

threading.Thread(target=late).start()
"""

AT_EXIT = """
import atexit
import xlapy

compiled = xlapy.jit(lambda x: x + 1.0)
atexit.register(lambda: print("fine" if compiled(1.0) == 2.0 else "wrong"))
"""

INTERRUPTED = """
import signal
import numpy as np
import xlapy

compiled = xlapy.jit(lambda x: np.cumsum(x)[::2])
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.1)
try:
    compiled(np.arange(5.0))
except KeyboardInterrupt:
    print("interrupted", end=" ")
np.testing.assert_array_equal(compiled(np.arange(5.0)), [0.0, 3.0, 10.0])
print("fine")
"""

SURROUNDINGS = """
import sys
import warnings
import jax
import numpy as np
import xlapy

program = lambda x: np.exp(x) - np.sin(x)
compiled = xlapy.jit(program)

def deep(depth, x):
    return deep(depth - 1, x) if depth else jax.jit(compiled)(x)

sine, np.sin = np.sin, lambda x: x * 100
sys.setrecursionlimit(400)
with np.errstate(all="raise"), warnings.catch_warnings(), jax.checking_leaks():
    warnings.simplefilter("error")
    try:
        deep(300, np.float32(0.5))
    except RecursionError:  # of the compilation itself
        pass
sys.setrecursionlimit(1000)
np.testing.assert_allclose(compiled(0.5), np.exp(0.5) - 50.0)
np.sin = sine
np.testing.assert_allclose(xlapy.jit(program)(0.5), np.exp(0.5) - np.sin(0.5))
with np.errstate(all="ignore"):
    for name in ("log", "sqrt", "tan", "cumsum", "prod", "std"):
        np.testing.assert_allclose(xlapy.jit(getattr(np, name))(0.5), getattr(np, name)(0.5))
print("fine")
"""

OVERLOADS = """
import numpy as np
import scipy.special
import xlapy

@xlapy.overload(np.cumsum)
def first(x):
    return x * 2

@xlapy.overload(scipy.special.erf)
def second(x):
    return x * 3

compiled = xlapy.jit(lambda x: scipy.special.erf(np.cumsum(x)) + scipy.special.gamma(x))
np.testing.assert_allclose(compiled(np.ones(2)), 7.0)
print("fine")
"""


@pytest.mark.parametrize(
    "program",
    [LIGHT, THREADS, FORK, AT_THE_END, AT_EXIT, INTERRUPTED, SURROUNDINGS, OVERLOADS],
    ids="light threads fork at-the-end at-exit interrupted surroundings overloads".split(),
)
def test_the_compiler_is_imported_by_the_first_call(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.removeprefix("interrupted ") == "fine\n", done.stderr


#: functions with rules that stay as they are found: nobody replaces them, or only those whose business it is
LEFT_ALONE = {"ExtendNameStackContextManager", "exc_info", "exception", "get_ident", "get_opaque_trace_state"}


def test_functions_with_rules_are_known_before_the_compiler_is_imported():
    """All but methods, and SciPy's: what replaces one of them must not get its rule."""
    known = {id(item) for *_, item in on_demand._ORIGINALS}
    registered = [item for table in (registry.FUNCTIONS, replacement.REPLACEMENTS) for item, _ in table.values()]
    outside = [item for item in registered if id(item) not in known]
    named = [item for item in outside if re.fullmatch(r"(?!_)\w+", getattr(item, "__qualname__", "_"))]
    foreign = {item.__name__ for item in named if item.__module__.split(".")[0] not in ("scipy", "xlapy")}
    assert foreign <= LEFT_ALONE
