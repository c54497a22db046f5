"""The same program on two processes and on four, which have eight devices together."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sharding.devices import ARE_HERE

HERE = Path(__file__).parents[2]
PROGRAM = """
import hashlib
import sys
import jax

jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize("localhost:" + sys.argv[2], int(sys.argv[4]), int(sys.argv[1]))
import numpy as np
import xlapy

sys.stdout = open(sys.argv[3], "w")  # Gloo writes to the other one
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
rows = NamedSharding(mesh, P("d"))
known = np.arange(32.0, dtype=np.float32).reshape(16, 2)
x = jax.make_array_from_callback(known.shape, rows, lambda place: known[place])


def shown(x):
    print(x, x.sum())
    return x.sum()


def checked(x, limit):
    if x.max() > limit:
        raise ValueError(f"too large: {x.max()} {x[0]}")
    return x


def stencil(u):
    for _ in range(10):
        u[1:-1] = 0.5 * (u[2:] + u[:-2])


def kept(x, found, a):
    found.append(float(x.sum()))
    found.append(x * 2)
    a += x


assert xlapy.jit(lambda x: x.sum())(x) == known.sum()
assert xlapy.jit(lambda x: x.sum(), in_shardings=rows)(known) == known.sum()
np.testing.assert_array_equal(xlapy.jit(lambda x: x * 2, returns="numpy")(x), known * 2)
assert xlapy.jit(shown)(x) == known.sum()
try:
    xlapy.jit(checked)(x, 5.0)
except ValueError as error:
    assert str(error) == f"too large: {known.max()} {known[0]}", error
else:
    raise AssertionError
found, a = [], known.copy()
xlapy.jit(kept)(x, found, a)
assert found[0] == known.sum()
assert found[1].sharding.spec == P("d")
np.testing.assert_array_equal(a, known * 2)
u, plain = xlapy.device_array(x, device=rows), known.copy()
xlapy.jit(stencil)(u)
stencil(plain)
np.testing.assert_array_equal(xlapy.jit(lambda u: u.copy(), returns="numpy")(u), plain)
assert u.device == rows
slope = xlapy.jit(lambda x: xlapy.grad(lambda v: (v ** 3).sum())(x), returns="numpy")(x)
np.testing.assert_allclose(slope, 3 * known**2)
text = "".join(xlapy.jit(f).lower(*a).as_text() for f, a in [(stencil, (u,)), (kept, (x, [], known)), (shown, (x,))])
print("program", hashlib.sha256(text.encode()).hexdigest())
sys.stdout.close()
"""


@pytest.mark.skipif(ARE_HERE, reason="starts processes of its own")
@pytest.mark.parametrize("count", [2, 4])
def test_processes(count, tmp_path):
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    flags = f"--xla_force_host_platform_device_count={8 // count}"
    started = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(k), str(port), str(tmp_path / str(k)), str(count)],
            env={**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu", "PYTHONHASHSEED": str(k)},
            cwd=HERE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for k in range(count)
    ]
    try:
        texts = [process.communicate(timeout=240) for process in started]
    finally:
        for process in started:
            process.kill()
    assert [process.returncode for process in started] == [0] * count, texts
    # the same was printed, and the same program was made, whatever the order of sets is
    printed = [(tmp_path / str(k)).read_text().splitlines() for k in range(count)]
    assert all(lines == printed[0] for lines in printed)
    assert printed[0][-1].startswith("program")
