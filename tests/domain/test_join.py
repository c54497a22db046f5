"""The algebra of join: an upper bound, idempotent, commutative up to numbering, monotone; and `coerce` fits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xlapy.domain.coerce import coerce, instantiate
from xlapy.domain.facts import Facts
from xlapy.domain.heap import Heap
from xlapy.domain.join import MAXIMUM_ALTERNATIVES, Joiner, JoinFailure
from xlapy.domain.numbers import REACH, SCALAR_DTYPES, scalar_type
from xlapy.domain.values import (
    DEAD,
    NONE,
    UNBOUND,
    Const,
    Hole,
    JaxArray,
    NdArray,
    NumpyScalar,
    Range,
    Ref,
    Scalar,
    Slice,
    Tuple,
    Union,
    holes,
    variables,
)
from xlapy.ir import Builder, Region, TensorType, Var

DEPTH = 1
DTYPES = [np.dtype(d) for d in ("bool", "int32", "int64", "float32", "float64", "complex128")]


def local(type_):
    """A value defined inside the joined region."""
    return Var(type_, None, DEPTH)


def make_builder():
    entry = Region()
    builder = Builder(entry, lambda: None)
    builder.region = builder.open_region()
    return builder


def nothing(number, name):
    return UNBOUND


floats = st.sampled_from([0.0, -0.0, 1.5, float("nan")])
constants = st.one_of(st.integers(-3, 3), st.booleans(), floats, st.sampled_from(["a", "b", None])).map(Const)
scalars = st.sampled_from(list(SCALAR_DTYPES)).map(lambda kind: Scalar(kind, local(scalar_type(kind))))
bounded = st.tuples(st.integers(-5, 5), st.integers(0, 5)).map(
    lambda p: Scalar(int, local(scalar_type(int)), (p[0], p[0] + p[1]))
)
numpy_scalars = st.sampled_from(DTYPES).map(lambda d: NumpyScalar(local(TensorType((), d))))
arrays = st.tuples(st.sampled_from([(), (2,), (2, 3)]), st.sampled_from(DTYPES), st.booleans()).map(
    lambda t: JaxArray(local(TensorType(*t)))
)
leaves = st.one_of(constants, scalars, bounded, numpy_scalars, arrays)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: Tuple(tuple(items))),
        st.tuples(inner, inner, inner).map(lambda p: Slice(*p)),
        st.tuples(scalars, scalars).map(lambda p: Range(p[0], p[1], Const(1))),
    ),
    max_leaves=5,
)
options = st.tuples(st.booleans(), st.booleans())


def joiner(widen, unions):
    return Joiner(Heap(nothing, Facts()), DEPTH, widen, unions)


def join(how, a, b):
    """The join, or None."""
    try:
        return joiner(*how).join(a, b)
    except JoinFailure:
        return None


def shape(value, bounds=True):
    """What a value is, without the identity of device values; the alternatives of a union in any order."""
    if isinstance(value, Hole | Var):
        return (value.type.shape, str(value.type.dtype), value.type.weak)
    if isinstance(value, Union):
        return ("Union", frozenset(shape(part, bounds) for part in value.alternatives))
    if isinstance(value, Const):
        return ("Const", type(value.value), repr(value.value))
    extra = (getattr(value, "kind", None), getattr(value, "bounds", None) if bounds else None)
    return (type(value).__name__, extra, tuple(shape(part, bounds) for part in value.children()))


@given(options, values)
@settings(max_examples=200, deadline=None)
def test_idempotent(how, a):
    joined = join(how, a, a)
    assert joined is not None
    assert join(how, joined, a) is joined
    assert shape(joined) == shape(a)


@given(options, values, values)
@settings(max_examples=400, deadline=None)
def test_upper_bound(how, a, b):
    joined = join(how, a, b)
    if joined is not None:
        assert join(how, joined, b) is joined
        # a loop's join is directed: the head takes the type that the end of the body has, never the reverse
        widen = how[0]
        assert widen or join(how, joined, a) is joined


@given(options, values, values)
@settings(max_examples=400, deadline=None)
def test_commutative(how, a, b):
    how = (False, *how[1:])
    one, two = join(how, a, b), join(how, b, a)
    assert (one is None) == (two is None)
    if one is not None:
        assert shape(one) == shape(two)


def test_widening_is_directed():
    """An accumulator that starts as an int and is a float after every trip is a float; not the other way round."""
    widening = (True, False)
    number, wide = Const(0), Scalar(float, local(scalar_type(float)))
    assert join(widening, number, wide).kind is float
    assert join(widening, wide, Scalar(int, local(scalar_type(int)))) is None
    assert join(widening, NumpyScalar(local(TensorType((), np.dtype("f8")))), number) is None


@given(options, values, values, values)
@settings(max_examples=400, deadline=None)
def test_monotone(how, a, b, c):
    wide = join(how, a, b)
    if wide is None:
        return
    wider, narrower = join(how, wide, c), join(how, a, c)
    if wider is None or narrower is None:
        return
    again = join(how, wider, narrower)
    # the type of an accumulator depends on what it met first, and a number that is one of two kinds on one path has no
    # known value; one more round settles it
    assert again is wider or join(how, again, narrower) is again


@given(options, values, values)
@settings(max_examples=400, deadline=None)
def test_coerce_fills_the_holes(how, a, b):
    mine = joiner(*how)
    try:
        joined = mine.join(a, b)
    except JoinFailure:
        return
    builder = make_builder()
    for side in (a, b):
        found = coerce(side, joined, mine, builder)
        wanted = holes(joined)
        assert [(v.type.shape, v.type.dtype) for v in found] == [(h.type.shape, h.type.dtype) for h in wanted]
        filled = instantiate(joined, iter(found))
        assert all(isinstance(v, Var) for v in variables(filled))


@given(options, values)
@settings(max_examples=100, deadline=None)
def test_dead_values_cost_nothing(how, a):
    assert shape(join(how, a, DEAD)) == shape(join(how, DEAD, a)) == shape(a)


# -- single cases -----------------------------------------------------------------------------------------------------

LOOP, BRANCH = (True, False), (False, True)
INT, FLOAT = Scalar(int, local(scalar_type(int))), Scalar(float, local(scalar_type(float)))


def test_constants_become_scalars():
    joined = join(BRANCH, Const(1), Const(4))
    assert isinstance(joined, Scalar) and joined.kind is int and joined.bounds == (1, 4)
    assert join(LOOP, Const(1), Const(4)).bounds == (1, REACH)
    assert join(LOOP, Const(1), Const(10**6)).bounds == (1, 2**63 - 1)
    assert join(LOOP, Const(1), Const(0)).bounds == (0, 1)


def test_widening_is_for_loops():
    assert join(LOOP, Const(3), FLOAT).kind is float
    assert join(LOOP, INT, FLOAT) is None  # it may be no float, which shows if there is no iteration
    assert isinstance(join(BRANCH, INT, FLOAT), Union)
    assert join((False, False), INT, FLOAT) is None


def test_bool_does_not_widen():
    assert join(LOOP, Const(True), INT) is None


def test_outer_values_need_no_hole():
    outer = Var(TensorType((3,), np.dtype(float)), None, 0)
    a = JaxArray(outer)
    assert join(LOOP, a, JaxArray(outer)) is a


def test_unions_grow_to_a_limit():
    joined = Const("0")
    for k in range(1, MAXIMUM_ALTERNATIVES):
        joined = join(BRANCH, joined, Const(str(k)))
    assert len(joined.alternatives) == MAXIMUM_ALTERNATIVES
    assert join(BRANCH, joined, Const("one more")) is None


def test_unbound_is_a_union_even_in_loops():
    joined = join(LOOP, UNBOUND, INT)
    assert isinstance(joined, Union) and UNBOUND in joined.alternatives


def test_none_and_an_array():
    joined = join(BRANCH, NONE, JaxArray(local(TensorType((2,), np.dtype(float)))))
    assert isinstance(joined, Union) and len(joined.alternatives) == 2


@pytest.mark.parametrize("shapes", [((2,), (3,)), ((2,), (2, 1))])
def test_shapes_do_not_join(shapes):
    a, b = (JaxArray(local(TensorType(s, np.dtype(float)))) for s in shapes)
    assert join((True, False), a, b) is None


# -- objects ----------------------------------------------------------------------------------------------------------


def test_new_objects_of_one_kind_become_a_summary():
    heap = Heap(nothing, Facts())
    a, b = (heap.new("list", list, None, Tuple((Const(k),))) for k in (1, 2))
    mine = Joiner(heap, DEPTH, False, True)
    joined = mine.join(Ref(a), Ref(b))
    assert isinstance(joined, Ref) and joined.object not in (a, b)
    assert mine.merged == {(a, b): joined.object}
    assert mine.covers(joined.object, a) and mine.covers(joined.object, b)
    assert mine.join(Ref(a), Ref(b)) == joined


def test_objects_that_can_be_reached_otherwise_stay_apart():
    heap = Heap(nothing, Facts())
    a, b = (heap.new("list", list, None, Tuple(())) for _ in range(2))
    mine = Joiner(heap, DEPTH, False, True)
    mine.pinned = {a}
    assert isinstance(mine.join(Ref(a), Ref(b)), Union)


def test_objects_of_different_classes():
    heap = Heap(nothing, Facts())
    a, b = heap.new("list", list, None, Tuple(())), heap.new("dict", dict)
    with pytest.raises(JoinFailure):
        Joiner(heap, DEPTH, True, False).join(Ref(a), Ref(b))


def test_fresh_arrays_merge_their_buffers():
    heap = Heap(nothing, Facts())
    type_ = TensorType((2,), np.dtype(float))
    buffers = [heap.new("buffer", np.ndarray, None, JaxArray(local(type_))) for _ in range(2)]
    a, b = (NdArray(buffer, (), type_, heap.identity()) for buffer in buffers)
    mine = Joiner(heap, DEPTH, True, False)
    joined = mine.join(a, b)
    assert isinstance(joined, NdArray) and joined.buffer not in (a.buffer, b.buffer)
