"""Dicts and sets whose keys are texts, enum members or tuples of them, chosen by data: which are there, and in which
order, is not known; what they may be is."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from enum import Enum

import numpy as np

from .runner import Programs

program = Programs()

FEW, FEWER = np.array([1.5, -0.5, 0.0, 2.0, 0.3, -2.0]), np.array([-1.5, -0.5, -3.0, 2.0, -0.3, -2.0])
UP, DOWN = np.array([1.5, 0.5, 0.1, 2.0, 0.3, 2.0]), np.array([-1.5, -0.5, -0.1, -2.0, -0.3, -2.0])
MANY = np.random.default_rng(4).normal(size=50) * 1.5
SETS = ((FEW, FEWER, UP, DOWN), (MANY, -MANY, np.abs(MANY) + 0.1))


def counted(xs):
    counts = {}
    for v in xs:
        label = "positive" if v > 0 else "negative"
        counts[label] = counts.get(label, 0) + 1
    return counts


def counted_by_default(xs):
    counts = defaultdict(int)
    for v in xs:
        if v > 1:
            size = "large"
        elif v > 0:
            size = "small"
        else:
            size = "none"
        counts[size] += 1
    return dict(counts), len(counts), sum(counts.values())


def counted_in_branches(xs):
    counts = {}
    for v in xs:
        if v > 1:
            counts["large"] = counts.get("large", 0) + 1
        elif v > 0:
            counts["small"] = counts.get("small", 0) + 1
        else:
            counts["none"] = counts.get("none", 0) + 1
    return counts


def counted_by_a_counter(xs):
    counts = Counter("positive" if v > 0 else "zero" if v == 0 else "negative" for v in xs)
    return counts, counts["zero"], counts.most_common(1)


def summed_where_it_is_new(xs):
    sums = {}
    for v in xs:
        if v > 0:
            if "up" not in sums:
                sums["up"] = 0.0
            sums["up"] += v
        elif "down" in sums:
            sums["down"] += v
        else:
            sums["down"] = v
    total = 0.0
    for key in sums:
        total += sums[key]
    return total, len(sums), "down" in sums


class Move(Enum):
    UP = 1
    DOWN = 2
    NONE = 3


def enum_members(xs):
    moves = {}
    before = xs[0]
    for v in xs[1:]:
        move = Move.UP if v > before else Move.DOWN if v < before else Move.NONE
        moves[move] = moves.get(move, 0) + 1
        before = v
    return moves, moves.get(Move.NONE, 0), Move.UP in moves


def transitions(xs):
    seen = {}
    state = "idle"
    for v in xs:
        following = "run" if v > 1 else "walk" if v > 0 else "idle"
        seen[state, following] = seen.get((state, following), 0) + 1
        state = following
    return seen, ("idle", "run") in seen


def transitions_in_dicts(xs):
    rows = {}
    before = "start"
    for v in xs:
        now = "a" if v > 0 else "b"
        row = rows.setdefault(before, {})
        row[now] = row.get(now, 0) + 1
        before = now
    return rows


def counts_after_texts(xs):
    following = defaultdict(lambda: defaultdict(int))
    before = "start"
    for v in xs:
        now = "up" if v > 0.5 else "down" if v < -0.5 else "flat"
        following[before][now] += 1
        before = now
    shares = {}
    for key, row in following.items():
        total = sum(row.values())
        shares[key] = {other: n / total for other, n in row.items()}
    return shares


def key_that_is_none_at_first(xs):
    seen = {}
    before = None
    for v in xs:
        now = int(v > 0)
        seen[before, now] = seen.get((before, now), 0) + 1
        before = now
    return seen


def grouped(xs):
    groups = {}
    for v in xs:
        key = "a" if v > 0 else "b"
        if key not in groups:
            groups[key] = []
        groups[key].append(v)
    return groups


def grouped_by_default(xs):
    groups = defaultdict(list)
    for v in xs:
        groups["a" if v > 0 else "b"].append(v * 2)
    return {key: sum(group) for key, group in groups.items()}, {key: len(group) for key, group in groups.items()}


def grouped_by_setdefault(xs):
    groups = {}
    key = "first"
    for v in xs:
        groups.setdefault(key, []).append(v)
        key = "a" if v > 0 else "b"
    return groups


@dataclass
class Moments:
    n: int = 0
    total: float = 0.0

    def add(self, v):
        self.n += 1
        self.total += v


def objects_by_text(xs):
    found = {}
    for v in xs:
        key = "positive" if v > 0 else "negative"
        if key not in found:
            found[key] = Moments()
        found[key].add(v)
    return {key: m.total / m.n for key, m in found.items()}


def numbered(xs):
    codes, out = {}, []
    for v in xs:
        grade = "A" if v > 1 else "B" if v > 0 else "C"
        if grade not in codes:
            codes[grade] = len(codes)
        out.append(codes[grade])
    return out, codes


def in_order(xs):
    counts = {}
    for v in xs:
        grade = "A" if v > 1 else "B" if v > 0 else "C"
        counts[grade] = counts.get(grade, 0) + 1
    by_count = sorted(counts.items(), key=lambda pair: pair[1], reverse=True)
    return sorted(counts), sorted(counts.items()), by_count, list(counts), list(counts.values())


def best_of_them(xs):
    counts = {}
    for v in xs:
        grade = "A" if v > 1 else "B" if v > 0 else "C"
        counts[grade] = counts.get(grade, 0) + 1
    best, most = None, -1
    for grade, count in counts.items():
        if count > most:
            best, most = grade, count
    return best, most, max(counts, key=counts.get), min(counts), max(counts.items(), key=lambda pair: pair[1])


def taken_out(xs):
    last = {}
    for v in xs:
        last["positive" if v > 0 else "negative"] = v
    if "positive" in last:
        del last["positive"]
    return last, last.pop("negative", 0.5), last


def key_that_is_not_there(xs):
    found = {}
    for v in xs:
        key = "positive" if v > 0 else "negative"
        if v > 1.9:
            found[key] = v
    try:
        return found["positive" if xs[0] > 0 else "negative"]
    except KeyError as error:
        return str(error)


def members_of_a_set(xs):
    seen = set()
    for v in xs:
        seen.add("positive" if v > 0 else "negative")
    return len(seen), "positive" in seen, len({"a" if v > 1 else "b" for v in xs})


def names_of_numbers(xs):
    names = ["red", "green", "blue"]
    counts = {}
    for v in xs:
        name = names[int(abs(v)) % 3]
        counts[name] = counts.get(name, 0) + 1
    return counts


def sorted_by_text(xs):
    rows = []
    for v in xs:
        rows.append(("p" if v > 0 else "n", float(v)))
    rows.sort()
    labels = ["b" if v > 0 else "a" for v in xs]
    return rows, sorted(labels), labels.count("a")


for function in (
    counted,
    counted_by_default,
    counted_in_branches,
    counted_by_a_counter,
    enum_members,
    transitions,
    transitions_in_dicts,
    counts_after_texts,
    key_that_is_none_at_first,
    grouped,
    grouped_by_default,
    grouped_by_setdefault,
    objects_by_text,
    numbered,
    in_order,
    best_of_them,
    taken_out,
    key_that_is_not_there,
    members_of_a_set,
    names_of_numbers,
    sorted_by_text,
    summed_where_it_is_new,
):
    program.add(f"{function.__name__}_few", function, *SETS[0])
    program.add(f"{function.__name__}_many", function, *SETS[1])


NUMBERS, OTHERS = (np.random.default_rng(k).integers(0, 5 + 2 * k, 40) for k in (0, 1))


@program((NUMBERS, OTHERS), (OTHERS, NUMBERS), (NUMBERS, NUMBERS), compiles=1)
def arithmetic_of_counters(us, vs):
    a, b = Counter(int(u) for u in us), Counter(int(v) for v in vs)
    c, d, e = a.copy(), a.copy(), a.copy()
    c += b
    d -= b
    e |= b
    return a + b, a - b, a & b, a | b, c, d, e


@program((NUMBERS, OTHERS), (OTHERS, NUMBERS), (NUMBERS, NUMBERS), compiles=1)
def comparisons_of_counters(us, vs):
    a, b = Counter(int(u) for u in us), Counter(int(v) for v in vs)
    none = a.copy()
    none.subtract(a)
    more = a.copy()
    more.update(b)
    return a == b, a != b, a <= b, a < b, a >= (a & b), (a & b) < a, none == Counter(), none <= b, none, more


@program((1, 2), (5, 0), (-2, 3))
def counters_of_known_keys(x, y):
    a, b = Counter(p=x, q=2), Counter(p=3, r=y)
    return a + b, a - b, a & b, a | b, a == b, a <= b


@program((NUMBERS, OTHERS), (OTHERS, NUMBERS))
def dicts_that_make_dicts(us, vs):
    pairs, commonest = defaultdict(lambda: defaultdict(int)), defaultdict(Counter)
    for u, v in zip(us, vs):
        pairs[int(u)][int(v)] += 1
        commonest[int(u)][int(v)] += 1
    return pairs[1], {key: counts.most_common(1)[0] for key, counts in commonest.items()}


@program((1.0, 2.0), (-1.0, 2.0), (3.0, 0.0))
def keys_put_in_under_conditions(a, b):
    found = {}
    if a > 0:
        found["x"] = a
    if b > 1:
        found["y"] = b * 2.0
    total = 0.5
    for key in found:
        total += found[key]
    for key, value in found.items():
        total += 2 * value if key == "x" else value
    return total, len(found), list(found)


@program((FEW, 1), (FEW, 2), (UP, 1))
def key_chosen_by_a_number(xs, mode):
    settings = {}
    settings["fast" if mode == 1 else "slow"] = xs
    settings["name"] = "n"
    return settings["fast"] if "fast" in settings else settings["slow"] * 2, settings["name"]


test_programs = program.test()
