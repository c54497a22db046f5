"""Structured arrays: fields, records, views of both, and what makes them."""

import copy

import numpy as np
from numpy.lib import recfunctions

import xlapy

from .runner import Programs, do, set_global

program = Programs()

POINT = np.dtype([("x", "f8"), ("m", "i4")])
BODY = np.dtype([("pos", "f8", 3), ("vel", "f4", (3,)), ("m", "f8")])
NESTED = np.dtype([("a", "f8"), ("inner", [("b", "i2"), ("c", "f8")])])
NAMED = np.dtype([("name", "U5"), ("m", "f8")])
ALIGNED = np.dtype([("flag", "?"), ("x", "f4"), ("z", "c16")], align=True)


def points(n=5):
    made = np.zeros(n, POINT)
    made["x"] = [1.5, -0.5, 3.0, 2.0, 0.25][:n]
    made["m"] = [3, 1, 3, 2, 1][:n]
    return made


def bodies(n=4):
    random = np.random.default_rng(3)
    made = np.zeros(n, BODY)
    made["pos"], made["vel"], made["m"] = random.random((n, 3)), random.random((n, 3)), random.random(n)
    return made


P, B = points(), bodies()
N = np.array([(1.0, (2, 3.0)), (4.0, (5, 6.0))], NESTED)
Z = np.zeros((2, 3), ALIGNED)
R = points().view(np.recarray)


@program(P, P[:3])
def fields_are_arrays(p):
    return p["x"].sum(), p["m"] * 2, p["x"].dtype, p["m"].shape


@program(P, P[::2], P[::-1])
def a_field_is_a_view(p):
    x = p["x"]
    x[1] = 7.0
    p["m"][0] += 10
    p["x"] *= 2
    p["m"] = np.arange(len(p))
    return x


@program((P, 2), (P, -1))
def a_record_is_a_view(p, i):
    r = p[i]
    r["x"] = 9.0
    r[1] = 4
    p["x"][i] += 1
    return r["x"], r["m"], r[0], len(r)


@program((P, 2), (P, 7), (P, -6), raises=IndexError)
def a_record_that_may_not_be_there(p, i):
    return p[i]["x"]


@program((P, 1))
def a_record_is_returned(p, i):
    r = p[i]
    r["x"] = 8.0
    return r


@program(P)
def records_are_unpacked(p):
    total = 0.0
    for x, m in p:
        total += x * m
    return total


@program(P)
def records_in_a_loop_are_written(p):
    for r in p:
        if r["m"] > 1:
            r["x"] = r["x"] * 2 + r["m"]
    return [float(r["x"]) for r in p if r["x"] > 0], {int(r["m"]): r["x"] for r in p}


@program(P)
def the_best_record_so_far(p):
    best = p[0]
    for r in p:
        if r["x"] > best["x"]:
            best = r
    best["m"] = 100
    return best["x"]


@program((P, 1.0), (P, 10.0))
def a_loop_that_data_ends(p, limit):
    i = 0
    while i < len(p) and p[i]["x"] < limit:
        p[i]["m"] = i
        i += 1
    return i


@program((B, 3))
def bodies_that_attract_each_other(p, steps):
    for _ in range(steps):
        for i in range(len(p)):
            for j in range(len(p)):
                if i != j:
                    d = p[j]["pos"] - p[i]["pos"]
                    p[i]["vel"] += p[j]["m"] * d / (d @ d + 0.1) ** 1.5
        p["pos"] += 0.1 * p["vel"]
    return (0.5 * p["m"] * (p["vel"] ** 2).sum(axis=1)).sum()


@program(B)
def fields_with_axes(p):
    p[0]["pos"][1] = 5.0
    p["vel"][:, 0] = 2.0
    p[1]["vel"] = 3.0
    return p["pos"].shape, p[2]["pos"], p[1:3]["vel"].T


@program((P, np.array([True, False, True, True, False]), np.array([3, 0, 3])))
def parts_of_it(p, mask, places):
    p[1:3]["x"][:] = -1.0
    p[mask]["x"][:] = 50.0  # of a copy
    return p[1:4], p[mask], p[places], p[p["m"] > 1]["x"], p[::-2], p[...], p[None].shape, p[p["x"] > 1e9].shape


@program((P, np.array([3, 0])), (P, np.array([4, 1])))
def parts_of_it_are_replaced(p, places):
    p[1] = (7.0, 8)
    p[2:] = p[:-2]
    p[places] = p[1]
    p[-1] = p[0]
    p[p["m"] > 7] = (0.0, 0)
    return len(p)


@program(P)
def one_number_for_all_fields(p):
    p[1:3] = 6
    p[0] = 2.5
    p[[True, False, False, False, True]] = 1
    return p["m"].sum()


@program(P)
def tuples_in_a_list(p):
    p[:2] = [(1.0, 2), (3.0, 4)]
    return p["x"]


@program(P, raises=ValueError)
def a_tuple_that_is_too_long(p):
    p[0] = (1.0, 2, 3)


@program(P)
def an_exchange_goes_wrong_as_in_numpy(p):
    p[0], p[1] = p[1], p[0]
    kept = p[2].copy()
    p[2] = p[3]
    p[3] = kept


@program(P)
def some_fields(p):
    q = p[["m", "x"]]
    q["m"][0] = 50
    return q[0]["m"], p[["x"]].dtype.names


@program(P)
def some_fields_are_replaced(p):
    p[["m"]] = 5
    return p["x"]


@program(P, raises=ValueError)
def fields_that_are_not_there(p):
    return p["nothing"]


@program(P)
def facts(p):
    return p.shape, p.ndim, p.size, p.nbytes, p.itemsize, len(p), p.dtype, p.dtype.names, p.dtype["x"], type(p)


@program(P)
def classes(p):
    return (
        isinstance(p, np.ndarray),
        isinstance(p[0], np.void),
        isinstance(p["x"][0], np.float64),
        type(p[0]) is np.void,
    )


@program((P, True), (P, False))
def one_of_two(p, flag):
    q = p if flag else p[::-1]
    q["x"][0] = 4.5
    return q is p, q["x"]


@program((P, np.array([1, 1])), (P, np.array([3, 1])), (P, np.array([3, 2])))
def of_a_length_that_data_says(p, v):
    q = p[int(v.sum()) :]
    q["x"][:] = 1.0
    return len(q), q["m"], q.copy()


@program(P)
def copies(p):
    q, r = p.copy(), copy.copy(p)
    q["x"][:] = 0
    r["m"][:] = 0
    return q, r, np.copy(p), np.array(p), copy.deepcopy(p)["x"]


@program(P)
def shapes(p):
    q = np.concatenate([p, p[:1]]).reshape(2, 3)
    r = q.ravel()
    r["m"][0] = 50
    return q["x"] * 1, r, q.flatten()["m"], q[1, 2].copy(), q[:, 1].copy(), q[..., 0]["x"], q[0][1]["x"], q.shape


@program(P)
def compared(p):
    return p[0] == p[1], p == p[::-1], p != p.copy(), p[2] != p[2], np.array_equal(p, p), np.array_equal(p, p[:2])


@program(B)
def compared_with_axes(p):
    q = p.copy()
    q["pos"][1, 2] = 0
    return p == q, p[0] == q[0], p[1] == q[1]


@program(P)
def sorted_by_fields(p):
    q = p[np.argsort(p["x"])]
    order = np.argsort(p, order="m")
    r = np.sort(p, order=["m", "x"])
    p.sort(order="x")
    return q, order[-1], r, p.argsort(order=["m"])[:1], np.sort(p), p[np.lexsort((p["x"], p["m"]))]


@program(P)
def as_tuples(p):
    return p.tolist(), p[1].item(), p[2].tolist(), sorted(p.tolist())[0], max(p, key=lambda r: r["x"])["m"]


@program(4, 2)
def made_by_the_program(n):
    p = np.zeros(n, dtype=[("x", "f8"), ("v", "f4", 2), ("kind", np.int8)])
    p["x"] = np.arange(n) * 0.5
    p["v"][1] = (1, 2)
    p[0]["kind"] = 7
    return p, p["v"].sum()


@program()
def made_of_tuples():
    one = np.array([(1.0, 2), (3.0, 4)], dtype=POINT)
    return one, np.array((1.0, 2), POINT), np.full(2, 3, POINT), np.ones((2, 2), "f8,i4"), np.zeros_like(one)


@program(P)
def made_like_another_one(p):
    q = np.empty_like(p)
    q["x"], q["m"] = p["m"], p["x"]
    d = np.dtype([("a", "i8"), ("b", "f4")])
    r = np.empty(len(p), d)
    r["a"], r["b"] = p["m"], p["x"]
    return q, r, np.zeros_like(p, shape=2), np.zeros_like(p, dtype=float), np.ones_like(p["x"], dtype=POINT)


@program(P)
def joined(p):
    return np.concatenate([p, p[::-1], p[:0]]), np.shape(p), np.ndim(p), np.size(p), np.asarray(p) is p


@program(N)
def fields_in_fields(p):
    p["inner"]["b"][1] = 30
    p[0]["inner"]["c"] = 0.5
    p[1]["inner"] = (7, 8.0)
    return p["inner"]["c"].sum(), p[0]["inner"]["b"], p["inner"], p[0].item(), p["inner"][1]["c"]


@program(Z)
def aligned_fields_and_two_axes(p):
    p[1, 2] = (True, 1.5, 2j)
    p[0]["x"] = np.arange(3)
    p[:, 1]["flag"][:] = True
    return p["z"].sum(), p["flag"].any(axis=0), p.shape, p[1]


@program(R)
def fields_as_attributes(p):
    p.x[0] = 5
    p.m = p.m + 1
    p[1].x = 2.5
    q = p[1:3]
    q.m[0] = 17
    return p.x.sum(), p[1].m, q.copy(), p[0]


@program(P)
def made_a_recarray(p):
    q = p.view(np.recarray)
    q.x[1] = 4.0
    return q.m, p["x"]


@program(np.array([("a", 1.0), ("b", 2.0)], NAMED))
def fields_of_text_that_nobody_reads(p):
    p["m"] *= 2
    return p["m"].sum(), len(p["m"])


class Simulation:
    def __init__(self, bodies):
        self.bodies, self.time = bodies, 0.0

    def step(self, dt):
        self.bodies["pos"] += dt * self.bodies["vel"]
        self.time += dt


@program((Simulation(B), 3))
def in_an_object(simulation, n):
    for _ in range(n):
        simulation.step(0.1)
    return simulation.bodies["pos"].sum()


TABLE = points()


def read_table(x):
    return TABLE["x"] + x


program(1.0, 2.0, set_global(read_table, "TABLE", points()[::-1]), 1.0)(read_table)


@program(P, do(lambda: TABLE["x"].__setitem__(0, 77.0)), P)
def of_a_global(p):
    TABLE["m"][1] = p["m"][0]
    return TABLE["x"].sum()


@program(P)
def as_one_matrix(p):
    return recfunctions.structured_to_unstructured(p)


@program(P)
def printed(p):
    for r in p[:2]:
        print(r["x"], f"{r['m']:03d}")


test_programs = program.test()


def refusal(function, *args):
    try:
        xlapy.jit(function)(*args)
    except xlapy.NotOffloadableError as error:
        return str(error)
    raise AssertionError("it compiled")


def test_what_a_whole_is_used_for_is_refused():
    assert "used as a whole" in refusal(lambda p: np.sum(p), points())
    assert "attribute 'sum'" in refusal(lambda p: p.sum(), points())
    assert "operators" in refusal(lambda p: p + 1, points())
    assert "used as a whole" in refusal(lambda p: np.ones(5) + p, points())
    assert "the text" in refusal(lambda p: str(p), points())
    assert "copy=True" in refusal(recfunctions.structured_to_unstructured, np.zeros(2, "f8,f8"))
    assert "field 'name'" in refusal(lambda: np.zeros(2, NAMED))
    assert "p['name']" in refusal(lambda p: p[0]["m"], np.zeros(2, NAMED))


def test_fields_that_share_memory_are_refused():
    overlapping = np.dtype({"names": ["a", "b"], "formats": ["f8", "f4"], "offsets": [0, 4]})
    assert "share memory" in refusal(lambda p: p["a"].sum(), np.zeros(2, overlapping))


def shifted(p, q):
    p["x"][:] = q["x"] * 2


def test_arguments_that_share_memory_are_refused_or_one():
    whole = points()
    assert "shares memory" in refusal(shifted, whole[1:4], whole[:3])
    assert "shares memory" in refusal(lambda p, x: p["x"].__setitem__(0, x[1]), whole, whole["x"])
    expected, mine = points(), points()
    shifted(expected, expected)
    xlapy.jit(shifted)(mine, mine)
    np.testing.assert_array_equal(mine, expected)


def test_a_later_call_with_shared_memory_is_not_taken_for_one_without():
    jitted = xlapy.jit(shifted)
    one, two = points(), points()
    jitted(one, two)
    np.testing.assert_array_equal(one["x"], points()["x"] * 2)
    try:
        jitted(two[1:], two[:-1])
    except xlapy.NotOffloadableError as error:
        assert "shares memory" in str(error)
    else:
        raise AssertionError("it compiled")
    np.testing.assert_array_equal(two, points())


def test_another_type_is_another_program():
    jitted = xlapy.jit(lambda p: p["x"] * 2, returns="numpy")
    for dtype in (POINT, [("x", "f4"), ("m", "i4")], [("m", "i4"), ("x", "f8")], [("x", "f8", 2)]):
        p = np.ones(3, dtype)
        found = jitted(p)
        np.testing.assert_array_equal(found, p["x"] * 2)
        assert found.dtype == p["x"].dtype


def test_gradients_of_fields():
    p = points()
    found = xlapy.jit(lambda p: xlapy.grad(lambda x: (x**2 * p["m"]).sum())(p["x"]))(p)
    np.testing.assert_allclose(found, 2 * p["x"] * p["m"])


def test_an_array_that_cannot_be_written():
    p, mine = points(), points()
    p.flags.writeable = mine.flags.writeable = False
    jitted = xlapy.jit(shifted)
    for function, argument in ((shifted, p), (jitted, mine)):
        try:
            function(argument, points())
        except ValueError as error:
            assert str(error) == "assignment destination is read-only"
        else:
            raise AssertionError("it was written")
