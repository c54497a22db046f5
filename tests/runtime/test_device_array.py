"""Mutable arrays on a device: NumPy's interface, views, updates in place without the host, donation."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy
from xlapy import device_array

A = np.arange(12.0).reshape(3, 4)


@xlapy.jit
def shift(x):
    x += 1
    x[0] = 7


@xlapy.jit
def set_item(x, k, v):
    x[k] = v
    return x


@xlapy.jit
def write_first_read_second(x, y):
    x[0] = 100
    return y[0] + 0


def same(device, host):
    assert (device.shape, device.dtype) == (host.shape, host.dtype)
    np.testing.assert_array_equal(np.asarray(device), host)


@pytest.mark.parametrize(
    "x", [3.0, [1, 2], A, A.astype(np.float32), A > 3, A + 1j, np.zeros((0, 3)), jnp.arange(3.0), np.int8(3)]
)
def test_is_a_copy_of_the_same_type(x):
    d = device_array(x)
    same(d, np.asarray(x))
    assert (d.ndim, d.size, d.nbytes) == (np.ndim(x), np.size(x), np.asarray(x).nbytes)


def test_does_not_share_memory_with_the_caller():
    host, given = A.copy(), jnp.arange(3.0)
    d, e = device_array(host), device_array(given)
    host[0, 0] = 99
    shift(e)
    assert float(d[0, 0]) == 0 and float(given[0]) == 0


def test_refuses_what_is_no_number():
    with pytest.raises(TypeError, match="XLA has no type"):
        device_array(np.array(["a"]))


def test_takes_a_device():
    device = jax.devices()[0]
    assert device_array(A, device).device == device


# -- compiled functions that write ------------------------------------------------------------------------------------


def test_is_updated_in_place_and_its_memory_donated():
    d, host = device_array(A), A.copy()
    shift(d)
    before = d.device_buffer.array
    with jax.transfer_guard("disallow"):
        shift(d)
    assert before.is_deleted()
    shift.__wrapped__(host)
    shift.__wrapped__(host)
    same(d, host)


def test_explain_says_what_is_donated_and_copied():
    text = shift.explain(device_array(A))
    assert "donates x" in text and "copies" not in text
    assert "96 donated; 0 bytes to the host, 96 left on the device" in text
    text = shift.explain(A.copy())
    assert "reads x where it lies" in text and "copies x to the device" not in text and "copies x back" in text


def test_reading_donates_nothing():
    d = device_array(A)
    before = d.device_buffer.array
    assert float(xlapy.jit(lambda x: x.sum())(d)) == A.sum()
    assert d.device_buffer.array is before and not before.is_deleted()


def test_failure_leaves_it_untouched():
    d = device_array(A[0])
    with pytest.raises(IndexError, match="out of bounds"):
        set_item(d, 10, 5.0)
    same(d, A[0])
    assert set_item(d, 1, 5.0) is d
    assert float(d[1]) == 5


def test_what_was_shown_to_others_stays():
    d = device_array(A)
    seen, shared, host = jnp.asarray(d), np.from_dlpack(d), np.asarray(d)
    shift(d)
    shift(d)
    for found in (seen, shared, host):
        np.testing.assert_array_equal(np.asarray(found), A)


def test_a_result_that_is_the_new_value_stays():
    @xlapy.jit
    def program(x):
        x *= 2
        return x.copy(), x + 0

    d = device_array(A)
    first, second = program(d)
    shift(d)
    np.testing.assert_array_equal(np.asarray(first), A * 2)
    np.testing.assert_array_equal(np.asarray(second), A * 2)


def test_two_arguments_that_are_one_array():
    d, e = device_array(A[0]), device_array(A[1])
    assert float(write_first_read_second(d, e)) == 4
    assert float(write_first_read_second(d, d)) == 100
    d = device_array(A[0])
    assert float(write_first_read_second(d[1:], d[1:])) == 100
    assert float(write_first_read_second(d[1:], d)) == 0
    assert float(write_first_read_second(d, e)) == 4
    same(d, np.array([100.0, 100.0, 2.0, 3.0]))


def test_views_as_arguments():
    def program(x):
        x[0] = -1
        x *= 2

    for key in (np.s_[1], np.s_[:, 1], np.s_[1:, ::2], np.s_[::-1, 1:3], np.s_[..., -1], np.s_[None, 1:]):
        d, host = device_array(A), A.copy()
        xlapy.jit(program)(d[key])
        program(host[key])
        same(d, host)
    for turn in (lambda x: x.T, lambda x: x.reshape(4, 3), lambda x: x.ravel(), lambda x: x.T[1:].T):
        d, host = device_array(A), A.copy()
        xlapy.jit(program)(turn(d))
        program(turn(host))
        same(d, host)


def test_narrow_mode_keeps_the_dtype():
    d = device_array(A)
    xlapy.jit(shift.__wrapped__, dtypes="32bit")(d)
    host = A.copy()
    shift.__wrapped__(host)
    same(d, host)


def test_beside_numpy_arrays():
    @xlapy.jit
    def add_to_both(x, y):
        x += y
        y += x

    d, host, other = device_array(A), A.copy(), A + 1
    mine = other.copy()
    add_to_both(d, mine)
    add_to_both.__wrapped__(host, other)
    same(d, host)
    np.testing.assert_array_equal(mine, other)


def test_a_jax_array_that_is_written_raises_jax_s_error():
    with pytest.raises(TypeError, match="JAX arrays are immutable"):
        set_item(jnp.ones(3), 0, 1.0)


def test_held_by_an_object():
    class Model:
        def __init__(self):
            self.w = device_array(A)

        def step(self):
            self.w -= 0.5

    model = Model()
    step = xlapy.jit(Model.step)
    for _ in range(3):
        step(model)
    same(model.w, A - 1.5)


# -- outside of compiled functions ------------------------------------------------------------------------------------


def apply(program, x):
    result = program(x)
    return x if result is None else result


def assigned(key, value):
    def program(x):
        x[key] = value

    return program


def augmented(x):
    x += 2
    x[1:] *= x[:-1]
    x -= x.T[0, 0]
    x /= 4
    x **= 2


def cascade(x):
    v = x[1:]
    w = v[:, ::-1]
    w[0] = 5
    v += w
    x[:2] = x[1:]


EAGER = {
    "operators": lambda x: (x + x) * 2 - x / 3,
    "reflected": lambda x: 1 - x,
    "integer power": lambda x: 2 ** (x // 2),
    "comparison": lambda x: (x > 3) & (x != 5),
    "unary": lambda x: abs(-x),
    "product": lambda x: x @ x.T,
    "with numpy on the left": lambda x: A @ x.T + A[:, :3],
    "basic indexing": lambda x: x[1:, -2],
    "advanced indexing": lambda x: x[[0, 2], 1:],
    "mask": lambda x: x[x > 3],
    "new axis": lambda x: x[None, :, 1],
    "reductions": lambda x: x.sum(axis=0) + np.max(x, axis=0),
    "functions": lambda x: np.concatenate([x, np.sort(x, axis=1)]),
    "where": lambda x: np.where(x > 2, x, 0),
    "linear algebra": lambda x: np.linalg.norm(x @ x.T, axis=0),
    "reduce": lambda x: np.add.reduce(x, axis=1),
    "outer": lambda x: np.multiply.outer(x[0], x[1]),
    "methods": lambda x: x.cumsum(axis=1).astype(np.float32),
    "assign number": assigned(np.s_[1], 3),
    "assign row": assigned(np.s_[:, 1:3], np.array([7.0, 8.0])),
    "assign mask": assigned(A > 4, 0),
    "assign indices": assigned(([0, 1], [2, 3]), [5, 6]),
    "assign step": assigned(np.s_[::2, ::-1], 1),
    "augmented": augmented,
    "cascade of views": cascade,
    "overlap": lambda x: assigned(np.s_[1:], x[:-1])(x),
}


@pytest.mark.parametrize("name", EAGER)
def test_eagerly_as_numpy(name):
    d, host = device_array(A), A.copy()
    found, expected = apply(EAGER[name], d), apply(EAGER[name], host)
    assert isinstance(found, xlapy.DeviceArray)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-13)
    same(d, host)


def test_types_are_numpy_s():
    i, f = device_array(np.array([4, 2], np.int32)), device_array(np.array([1, 2], np.float32))
    assert (i / i).dtype == np.float64 and (i + 1).dtype == np.int32 and (i + f).dtype == np.float64
    assert (f * 2.0).dtype == np.float32 and i.mean().dtype == np.float64


def test_errors_are_numpy_s():
    d = device_array(A)
    with pytest.raises(IndexError):
        d[7]
    with pytest.raises(ValueError, match="could not be broadcast"):
        d + np.ones(3)
    with pytest.raises(AttributeError):
        d.nothing
    with pytest.raises(ValueError, match="copy"):
        np.asarray(d, copy=False)
    with pytest.raises(TypeError):
        hash(d)
    same(d, A)


def test_python_protocols():
    d = device_array(3.5)
    assert (float(d), int(d), complex(d), bool(d), len(device_array(A))) == (3.5, 3, 3.5 + 0j, True, 3)
    assert [1, 2][device_array(1)] == 2
    assert [float(v) for v in device_array(A[0])] == list(A[0])
    assert "device_array(" in repr(d)


def test_functions_that_are_refused_run_on_the_host():
    d = device_array(A)
    assert np.array2string(d) == np.array2string(A)
    out = np.zeros((3, 4))
    assert np.add(d, 1, out=out) is out
    np.testing.assert_array_equal(out, A + 1)
    assert np.add(d, 1, out=d) is d
    same(d, A + 1)


def test_in_jax():
    d = device_array(A)
    assert float(jnp.sum(jnp.asarray(d))) == A.sum()
    assert float(jax.jit(lambda x: x.sum())(jnp.asarray(d))) == A.sum()


def test_copies():
    d = device_array(A)
    e = d.copy()
    shift(d)
    same(e, A)
    f = device_array(e)
    shift(f)
    same(e, A)
