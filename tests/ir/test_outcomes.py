"""Which values an integer may have: an answer must hold for every way through random branches."""

import itertools
import random

import numpy as np
import pytest

from xlapy.ir import Builder, Outcomes, Region, TensorType, constant_value

BOOL, INT = TensorType((), np.dtype(bool)), TensorType((), np.dtype(np.int32))
INPUTS = 4


def value(var, known):
    """What a scalar is for some inputs."""
    if var in known:
        return known[var]
    owner = var.owner
    constant = constant_value(var)
    if constant is not None:
        return int(constant)
    if owner.kind == "if":
        region = owner.regions[0 if value(owner.operands[0], known) else 1]
        return value(region.results[owner.results.index(var)], known)
    first, *others = owner.operands
    if owner.kind == "select":
        return value(others[0] if value(first, known) else others[1], known)
    if owner.kind == "bitwise_not":
        return not value(first, known)
    one, two = value(first, known), value(others[0], known)
    return {"eq": one == two, "bitwise_and": one and two, "bitwise_or": one or two}[owner.kind]


def grow(builder, chance, predicates, numbers, depth):
    """Emit random operations after others."""
    predicates, numbers = predicates.copy(), numbers.copy()
    for _ in range(chance.randint(2, 5)):
        kind = chance.choice("eq bitwise_not bitwise_and bitwise_or select if if if".split())
        if kind == "eq":
            number = builder.constant(chance.randrange(3), INT.dtype)
            predicates.append(builder.elementwise(kind, chance.choice(numbers), number))
        elif kind == "bitwise_not":
            predicates.append(builder.elementwise(kind, chance.choice(predicates)))
        elif kind.startswith("bitwise"):
            predicates.append(builder.elementwise(kind, *chance.choices(predicates, k=2)))
        elif kind == "select":
            numbers.append(builder.elementwise(kind, chance.choice(predicates), *chance.choices(numbers, k=2)))
        elif depth:
            regions = (builder.open_region(), builder.open_region())
            for region in regions:
                with builder.inside(region):
                    inner = grow(builder, chance, predicates, numbers, depth - 1)
                    region.results = [chance.choice(inner[0]), *chance.choices(inner[1], k=2)]
            predicate = chance.choice(predicates)
            flag, *made = builder.emit("if", (predicate,), {}, (BOOL, INT, INT), regions)
            predicates.append(flag)
            numbers += made
    return predicates, numbers


@pytest.mark.parametrize("seed", range(200))
def test_random_branches(seed):
    chance = random.Random(seed)
    entry = Region((BOOL,) * INPUTS)
    builder = Builder(entry, lambda: None)
    constants = [builder.constant(n, INT.dtype) for n in range(3)]
    _, numbers = grow(builder, chance, entry.params.copy(), constants, 3)
    for number in numbers:
        real = {
            value(number, dict(zip(entry.params, inputs, strict=True)))
            for inputs in itertools.product((False, True), repeat=INPUTS)
        }
        found = Outcomes().of(number)
        assert found is None or real <= found


def test_label_tells_selector():
    """Beside the label on which a way leaves, what the way left behind is known."""
    entry = Region((BOOL,))
    builder = Builder(entry, lambda: None)
    regions = (builder.open_region(), builder.open_region())
    for region, results in zip(regions, ((7, 0), (5, 1)), strict=True):
        with builder.inside(region):
            region.results = [builder.constant(n, INT.dtype) for n in results]
    label, selector = builder.emit("if", (entry.params[0],), {}, (INT, INT), regions)
    after = (builder.open_region(), builder.open_region())
    for region, result in zip(after, (selector, builder.constant(3, INT.dtype)), strict=True):
        region.results = [result]
    landed = builder.elementwise("eq", label, builder.constant(5, INT.dtype))
    (selected,) = builder.emit("if", (landed,), {}, (INT,), after)
    assert Outcomes().of(selector) == {0, 1}
    assert Outcomes().of(selected) == {1, 3}
    assert Outcomes().of(entry.params[0]) is None
