"""`import xlapy` is quick: libraries that take long to import are left alone until a program uses them."""

import subprocess
import sys

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
