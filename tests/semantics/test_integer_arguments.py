"""Arguments that have to be integers, given numbers and objects that are some only to NumPy, or to nobody."""

import numpy as np
import pytest
import scipy.fft

from .runner import Programs, check


class Index:
    """An integer to those who ask for `__index__`."""

    def __index__(self):
        return 1


WORLD = {"np": np, "scipy": scipy, "Index": Index}
ARRAYS = {
    "x": np.arange(6.0),
    "m": np.arange(12.0).reshape(3, 4),
    "s": np.arange(9.0).reshape(3, 3) + np.eye(3),
    "i": np.array([0, 1, 2, 1]),
    "t": np.arange(24.0).reshape(2, 3, 4),
}
#: integers to everybody, and those to NumPy
INTEGERS = ("1", "np.int8(1)", "np.array(1)")
OTHERS = (
    "np.array([1])",
    "np.array(1.0)",
    "True",
    "np.bool_(True)",
    "1.0",
    "2.5",
    "'2'",
    "None",
    "-1",
    "10**20",
    "(1,)",
    "[1]",
)
GIVEN = (2, np.int64(1), np.array(1), True, 1.0, 2.5, "2", (1,))
CALLS = """
np.eye(?)
np.eye(3, ?)
np.eye(3, 3, ?)
np.tri(3, 3, ?)
np.zeros(?)
np.ones((2, ?))
np.diag(x, ?)
np.diag(m, ?)
m.diagonal(?)
np.linspace(0, 1, ?)
np.partition(x, ?)
m.argpartition(?)
np.bincount(i, minlength=?)
np.linalg.matrix_power(s, ?)
np.rot90(m, ?)
np.indices((?, 2))
np.random.default_rng(1).random(?).shape
np.random.default_rng(1).permutation(?).shape
np.random.default_rng(1).choice(?, 3).shape
np.random.default_rng(1).choice(m, 2, axis=?).shape
np.random.randn(2, ?).shape
x.reshape((?, -1))
np.split(x, ?)
np.split(m, 1, axis=?)
np.repeat(x, ?)
np.tile(x, (?, 1))
np.roll(x, ?)
np.roll(m, 1, axis=?)
np.sum(m, axis=?)
m.mean(axis=?)
np.var(m, ddof=?)
np.average(m, axis=?)
np.cumsum(m, axis=?)
np.add.accumulate(m, axis=?)
np.gradient(m, edge_order=?)
np.sort(m, axis=?)
np.expand_dims(m, ?)
np.swapaxes(m, 0, ?)
np.transpose(m, (0, ?))
np.concatenate([m, m], axis=?)
np.take(m, 1, axis=?)
np.take_along_axis(m, np.zeros((3, 4), int), axis=?)
np.compress([True, False], m, axis=?)
np.unique(m, axis=?)
np.apply_along_axis(np.sum, ?, m)
np.fromiter([1.0, 2.0], float, count=?)
np.fft.fft(x, ?)
np.fft.fftfreq(?)
np.histogram(x, ?)
np.tril_indices(3, ?)
x.round(?)
scipy.fft.dct(x, n=?)
""".strip().splitlines()


def program_of(call: str, value: str):
    names = [name for name in ARRAYS if f"{name}." in call or f"({name}" in call or f"{name}," in call]
    parameters = ", ".join(names) if value != "k" else ", ".join([*names, "k"])
    namespace = dict(WORLD)
    exec(compile(f"def program({parameters}):\n    return {call.replace('?', value)}\n", __file__, "exec"), namespace)
    return namespace["program"], tuple(ARRAYS[name] for name in names)


def outcome(program, arguments) -> type | None:
    """The class of what CPython raises."""
    try:
        program(*arguments)
    except Exception as error:
        return type(error)
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS)
def test_what_stands_for_an_integer(call):
    for value in (*INTEGERS, *OTHERS):
        program, arguments = program_of(call, value)
        check(program, *arguments, raises=outcome(program, arguments), refuse="maybe" if value in OTHERS else False)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS[::2])
def test_what_is_given_for_an_integer(call):
    program, arguments = program_of(call, "k")
    for value in GIVEN:
        given = (*arguments, value)
        check(
            program,
            *given,
            raises=outcome(program, given),
            refuse="maybe" if type(value) in (float, str, tuple) else False,
        )


#: calls that take several integers, and integers for which each is right
SEQUENCES = {
    "scipy.fft.fftn(m, axes=?)": "0, 1",
    "scipy.fft.rfft2(m, s=?, axes=(0, 1))": "3, 5",
    "scipy.fft.ifftn(m, (4, 5), ?)": "-2, -1",
    "np.fft.fftn(m, axes=?)": "0, 1",
    "np.fft.fftshift(m, axes=?)": "0, 1",
    "np.median(t, axis=?)": "1, 2",
    "np.average(t, axis=?)": "1, 2",
    "np.quantile(t, 0.5, axis=?)": "0, 2",
    "np.sum(t, axis=?)": "1, 2",
    "np.flip(t, ?)": "0, 1",
    "np.transpose(t, ?)": "2, 0, 1",
    "np.moveaxis(t, ?, (2, 1))": "0, 1",
    "np.roll(m, ?, (0, 1))": "1, 2",
    "np.gradient(m, axis=?)": "0, 1",
    "np.zeros(?)": "2, 3",
    "t.reshape(?)": "4, 6",
    "np.pad(m, ?)": "1, 2",
    "np.split(m, ?)": "1, 2",
    "np.tile(m, ?)": "2, 3",
    "np.unravel_index(7, ?)": "3, 4",
    "np.ravel_multi_index((1, 2), ?)": "3, 4",
    "np.tensordot(t, t, (?, ?))": "1, 2",
    "np.tensordot(m, m, ?)": "[0, 1], [0, 1]",
    "np.lib.stride_tricks.sliding_window_view(m, ?)": "2, 3",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", SEQUENCES)
def test_what_stands_for_several_integers(call):
    several = SEQUENCES[call]
    forms = ["({},)", "[{}]", "np.array([{}])", "np.array([{}], np.int32)", "np.array([{}]) + 0", "(*np.array([{}]),)"]
    for form in forms:
        program, arguments = program_of(call, form.format(several))
        check(program, *arguments, raises=outcome(program, arguments))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("value", ["np.array(2)", "np.uint8(2)", "np.array([2])", "2.0"])
def test_how_many_parts(value):
    for call in ("np.split(x, ?)", "np.vsplit(s[:2], ?)", "np.hsplit(m, ?)", "np.array_split(x, ?)"):
        program, arguments = program_of(call, value)
        check(program, *arguments, raises=outcome(program, arguments))


program = Programs()


@program((ARRAYS["x"], 2))
def an_object_with_an_index(x, n):
    one = Index()
    return x.reshape(one, -1), np.zeros((n, one)), np.linspace(0, 1, one), np.roll(x, one), x.sum(axis=-1)


test_programs = program.test()
