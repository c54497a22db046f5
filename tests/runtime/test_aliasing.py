"""Arrays and objects passed twice, and results that share memory with arguments."""

import numpy as np
import pytest

import xlapy


def vector():
    return np.array([1.0, 2.0, 3.0])


def both(f, *make):
    """Run in CPython and compiled on arguments made anew; everything must agree, or the call be refused."""
    plain = make[0]()
    expected = f(*plain)
    given = make[0]()
    before = [np.copy(a) if isinstance(a, np.ndarray) else a for a in given]
    try:
        made = xlapy.jit(f)(*given)
    except xlapy.NotOffloadableError as refusal:
        assert {b.code for b in refusal.blockers} == {"XP0012"} and all(b.line for b in refusal.blockers)
        for a, b in zip(given, before, strict=True):
            np.testing.assert_array_equal(a, b)
        return "refused"
    np.testing.assert_array_equal(made, expected)
    for a, b in zip(given, plain, strict=True):
        np.testing.assert_array_equal(a, b)
    return "right"


def add_into(x, y):
    x += y
    x[0] = y[-1] * 10
    return y.sum()


def test_the_same_array_twice():
    def same():
        x = vector()
        return x, x

    assert both(add_into, same) == "right"


def test_overlapping_views():
    def overlap():
        base = np.arange(5.0)
        return base[:-1], base[1:]

    assert both(add_into, overlap) == "right"


@pytest.mark.parametrize("shape, strides", [((4,), (0,)), ((4, 3), (8, 8)), ((2, 3), (0, 8)), ((2, 2, 2), (16, 8, 8))])
def test_elements_that_share_memory(shape, strides):
    """An argument that shows an element twice may be read, and is not written."""

    def shown():
        return np.lib.stride_tricks.as_strided(np.arange(9.0), shape, strides), np.arange(float(shape[-1]))

    assert both(add_into, shown) == "refused"
    assert both(lambda x, y: (x + y).sum() + x[0], shown) == "right"


def test_elements_that_share_no_memory():
    def shown():
        return np.lib.stride_tricks.as_strided(np.arange(9.0), (2, 3), (8, 24)), np.arange(3.0)

    assert both(add_into, shown) == "right"
    compiled = xlapy.jit(add_into)
    for x, y in (shown(), (np.zeros((2, 3)), np.arange(3.0)), (np.zeros((2, 6))[:, ::-2], np.arange(3.0))):
        compiled(x, y)
    twice = np.lib.stride_tricks.as_strided(np.zeros(3), (2, 3), (0, 8))
    with pytest.raises(xlapy.NotOffloadableError, match="share memory"):
        compiled(twice, np.arange(3.0))
    np.testing.assert_array_equal(twice, np.zeros((2, 3)))


def views_of(base):
    """Views of many kinds of an array, itself first."""
    if base.ndim == 1:
        m = base.reshape(-1, 4)
        rows = [m, m.T, m[1], m[:, 1], m[::2], m[1:, ::-1], m[:, :, None]]
        return [base, base[1:], base[::2], base[::-1], base[::-3], *rows]
    parts = [base.real, base.imag.T] if base.dtype.kind == "c" else []
    return [base, base.T, base[1], base[:, 1], base[1:], base[::2, ::-1], base.swapaxes(0, -1), base[None], *parts]


def entangle(a, b):
    a[...] = a * 2 + 1
    b += a.sum().real
    a -= b.sum().real
    return a.sum() + b.sum()


BASES = {
    "vector": lambda: np.arange(20.0),
    "integers": lambda: np.arange(24).reshape(4, 6).copy(),
    "columns": lambda: np.asfortranarray(np.arange(24.0).reshape(4, 6)),
    "cube": lambda: np.arange(24.0).reshape(2, 3, 4).copy(),
    "complex": lambda: np.arange(12.0).reshape(3, 4) + 1j,
}


@pytest.mark.parametrize("base", BASES)
def test_views_of_one_array(base):
    make, f = BASES[base], xlapy.jit(entangle)
    count = len(views_of(make()))
    for i in range(count):
        for j in {0, 1, (i + 3) % count, (i + 7) % count} - {i}:
            plain, given = make(), make()
            expected = entangle(views_of(plain)[i], views_of(plain)[j])
            np.testing.assert_array_equal(f(views_of(given)[i], views_of(given)[j]), expected)
            np.testing.assert_array_equal(given, plain)


def test_programs_for_layouts_do_not_mix():
    f = xlapy.jit(add_into)
    for low in (0, 1, 2, 5, 1, 0, 5):
        plain, given = np.arange(9.0), np.arange(9.0)
        expected = add_into(plain[:4], plain[low : low + 4])
        assert f(given[:4], given[low : low + 4]) == expected
        np.testing.assert_array_equal(given, plain)
    assert f.cache_info().misses == 4
    assert f(vector(), vector()) == add_into(vector(), vector())


def test_a_view_that_is_returned_is_the_same_object():
    def f(x, y):
        x[0] = 1.0
        return y

    base = np.arange(5.0)
    y = base[:3]
    assert xlapy.jit(f)(base, y) is y


def test_views_in_objects_and_globals():
    class Grid:
        def __init__(self):
            self.cells = np.zeros((4, 4))
            self.inside = self.cells[1:-1, 1:-1]

        def step(self, source):
            self.inside += source
            self.cells[1] *= 2
            return self.cells.sum()

    plain, given = Grid(), Grid()
    step = xlapy.jit(Grid.step)
    for source in (1.0, 2.0, 3.0):
        assert step(given, source) == plain.step(source)
        np.testing.assert_array_equal(given.cells, plain.cells)
        np.testing.assert_array_equal(given.inside, plain.inside)


def test_a_read_only_view_of_what_is_written():
    base = np.arange(6.0)
    shown = base[::2]
    shown.flags.writeable = False

    def f(x, y):
        x += 1
        return y * 2

    np.testing.assert_array_equal(xlapy.jit(f)(base, shown), [2.0, 6.0, 10.0])

    def writes(x, y):
        x += 1
        y[0] = 0.0

    with pytest.raises(ValueError, match="read-only"):
        xlapy.jit(writes)(base, shown)


def test_memory_mapped_views(tmp_path):
    made = np.memmap(tmp_path / "numbers", np.float64, "w+", shape=(6,))
    assert xlapy.jit(add_into)(made[:-1], made[1:]) == add_into(np.zeros(5), np.zeros(5))
    plain = np.zeros(6)
    add_into(plain[:-1], plain[1:])
    np.testing.assert_array_equal(made, plain)


@pytest.mark.parametrize("question", [np.shares_memory, np.may_share_memory])
def test_questions_about_memory(question):
    def f(x, y):
        return question(x, y), question(x[::2], y[1::2]), question(x, x[:0]), question(x, y + 0)

    jitted = xlapy.jit(f)
    base = np.arange(8.0)
    for pair in ((base, base[::2]), (base, base.copy()), (base, base), (base[::2], base[1::2]), (base[:4], base[4:])):
        assert jitted(*pair) == f(*pair)


def test_disjoint_views():
    def halves():
        base = np.arange(6.0)
        return base[:3], base[3:]

    assert both(add_into, halves) == "right"


def test_programs_for_aliases_and_for_others_do_not_mix():
    f = xlapy.jit(add_into)
    for alias in (False, True, False, True):
        x, y = vector(), vector() * 2
        a, b = vector(), vector() * 2
        if alias:
            y, b = x, a
        expected = add_into(x, y)
        assert f(a, b) == expected
        np.testing.assert_array_equal(a, x)
        np.testing.assert_array_equal(b, y)
    assert f.cache_info().misses == 2


def test_identity():
    f = xlapy.jit(lambda x, y: 1 if x is y else 2)
    a, b = vector(), vector()
    assert [f(a, b), f(a, a), f(a, b), f(b, b)] == [2, 1, 2, 1]


def test_a_list_twice():
    def f(p, q):
        p.append(1.0)
        return len(q)

    jitted = xlapy.jit(f)
    for _ in range(2):
        p, q = [1.0], [2.0]
        assert jitted(p, q) == 1 and p == [1.0, 1.0]
        assert jitted(p, p) == 3


def test_result_does_not_see_later_writes():
    def old(u):
        before = u.copy()
        u[:] = 0.0
        return before

    u = vector()
    before = xlapy.jit(old)(u)
    np.testing.assert_array_equal(before, vector())
    np.testing.assert_array_equal(u, 0.0)


@pytest.mark.parametrize("returns", ["jax", "numpy"])
@pytest.mark.parametrize("size", [3, 1024, 65536])
def test_result_of_a_copy_is_independent(size, returns):
    u = np.arange(float(size))
    made = xlapy.jit(lambda u: u.copy(), returns=returns)(u)
    u[:] = -1.0
    np.testing.assert_array_equal(made, np.arange(float(size)))


def test_argument_may_be_changed_right_after_the_call():
    n = 600
    f = xlapy.jit(lambda a: (a @ a @ a @ a)[0, 0])
    for _ in range(3):
        a = np.ones((n, n))
        made = f(a)
        a[:] = 0.0
        assert made == float(n) ** 3


def test_an_argument_that_is_returned_is_the_same_object():
    u = vector()
    assert xlapy.jit(lambda u: (u, 1))(u)[0] is u
    assert xlapy.jit(lambda u: u)(u) is u


def some_views(x, m, i):
    """Views of arguments, moving ones too, and what is none."""
    x[0] = 9.0
    total = 0.0
    for v in x:
        total += v
    held = {"a": x[1:], "b": m.T}
    return held["a"], held["b"], x[i : i + 2], m[:, 1], m.ravel(), m.reshape(-1), x[::-1], m[1:2, ::2], total, m + 0


def chosen_view(x, m, i):
    return x[:2] if x[0] > m[0, 0] else x[2:], np.broadcast_to(x, (2, 4)), m.diagonal(), m[[0, 1]], m.flatten()


@pytest.mark.parametrize("function", [some_views, chosen_view])
def test_views_that_are_returned_show_the_arguments(function):
    jitted = xlapy.jit(function, returns="numpy")
    for start in (0.0, 1.0, 5.0):
        seen = []
        for run in (function, jitted):
            x, m = np.arange(4.0) + start, np.arange(12.0).reshape(3, 4)
            results = [r for r in run(x, m, 1) if isinstance(r, np.ndarray)]
            shares = [(np.shares_memory(r, x), np.shares_memory(r, m), r.flags.writeable) for r in results]
            values = [r.tolist() for r in results]
            for k, r in enumerate(results):
                if r.flags.writeable:
                    r[...] = k
            seen.append((shares, values, x.tolist(), m.tolist()))
        assert seen[0] == seen[1]
    frozen = np.arange(4.0)
    frozen.flags.writeable = False
    assert not xlapy.jit(lambda a: a[1:], returns="numpy")(frozen).flags.writeable


def test_a_saved_program_returns_copies(tmp_path):
    x = np.arange(4.0)
    pytest.importorskip("flatbuffers")
    xlapy.jit(lambda a: a[1:], returns="numpy").lower(x).save(tmp_path / "saved")
    np.testing.assert_array_equal(xlapy.load(tmp_path / "saved")(x), x[1:])
