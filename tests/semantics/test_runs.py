"""Lists, dicts, objects and arrays that are put into a list on some trips of a loop, and start anew then."""

import dataclasses

import numpy as np

from .runner import Programs

program = Programs()

RNG = np.random.default_rng(11)
SHORT, LONG = RNG.integers(-4, 5, 12), RNG.integers(-4, 5, 70)
#: a few, where each of them is a trip of an unrolled loop that may make a list
BRIEF = np.array([3, 1, -2, 0, -1, 4, -3])
FEW, MANY = RNG.normal(size=14), RNG.normal(size=80)


@program(FEW, MANY)
def split_before_negatives(x):
    runs, run = [], []
    for v in x:
        if v < 0:
            if run:
                runs.append(run)
            run = []
        else:
            run.append(v)
    if run:
        runs.append(run)
    return runs


@program(FEW, MANY)
def increasing_runs(x):
    groups, group = [], [x[0]]
    for i in range(1, len(x)):
        if x[i] >= x[i - 1]:
            group.append(x[i])
        else:
            groups.append(group)
            group = [x[i]]
    groups.append(group)
    return groups


@program(SHORT, LONG)
def longest_of_them(x):
    runs, run = [], []
    for v in x.tolist():
        if v >= 0:
            run.append(v)
        else:
            runs.append(run)
            run = []
    runs.append(run)
    return max(len(r) for r in runs), [sum(r) for r in runs]


@program(FEW, MANY)
def records(x):
    done, record = [], {"n": 0, "total": 0.0}
    for v in x.tolist():
        record["n"] += 1
        record["total"] += v
        if v < 0:
            done.append(record)
            record = {"n": 0, "total": 0.0}
    return done, record


@dataclasses.dataclass
class Span:
    first: int
    last: int
    height: float = 0.0


@program(FEW, MANY)
def spans(x):
    found, span = [], None
    for i in range(len(x)):
        if x[i] > 0:
            if span is None:
                span = Span(i, i)
            span.last = i
            span.height = max(span.height, x[i])
        elif span is not None:
            found.append(span)
            span = None
    if span is not None:
        found.append(span)
    return [(s.first, s.last, s.height) for s in found]


@program(FEW, MANY)
def sums_in_arrays(x):
    out, sums = [], np.zeros(3)
    for v in x:
        sums[0] += v
        sums[1] = v
        if v < 0:
            out.append(sums)
            sums = np.zeros(3)
    return np.array(out), sums


@program(SHORT, LONG)
def two_that_start_anew(x):
    low, high, lows, highs = [], [], [], []
    for v in x.tolist():
        if v < 0:
            low.append(v)
            if len(low) == 3:
                lows.append(low)
                low = []
        else:
            high.append(v)
            if len(high) == 4:
                highs.append(high)
                high = []
    return lows, highs, low, high


@program(SHORT, LONG)
def batches(x):
    found, batch = [], []
    for v in x.tolist():
        batch.append(v)
        if len(batch) == 5:
            found.append(batch)
            batch = []
    if batch:
        found.append(batch)
    return found


@program(SHORT, LONG)
def renewed_in_place(x):
    total, out, last = np.zeros(2), [], [0]
    for v in x:
        total[0] += v
        last[0] += 2
        out = [total]
    return [o.sum() for o in out], last


@program(SHORT, LONG)
def arrays_of_another_type(x):
    out, state = [], np.zeros(2, int)
    for v in x:
        out.append(state)
        state = np.full(2, v / 2)
    return [s.sum() for s in out], state


class Best:
    def __init__(self):
        self.item, self.offers = None, 0

    def offer(self, v):
        if self.item is None:
            self.item = Span(0, 1, v)
        elif v > self.item.height:
            self.item.height = v
        self.item.last += 1
        self.offers += 1


@program(FEW, MANY)
def attribute_that_is_none_now_and_then(x):
    best = Best()
    for v in x:
        if v < -1:
            best.item = None
        else:
            best.offer(v)
    return best.offers, best.item is None


@program(FEW, MANY)
def lasts_for_some_trips(x):
    span, n, i = None, 0, 0
    while i < len(x):
        if span is None:
            span = Span(i, i)
        else:
            span.last += 1
            n += span.last - span.first
            if n % 3 == 1:
                span = None
        i += 1
    return n, span.first if span is not None else -1


@program(FEW, -np.abs(FEW), raises=AttributeError)
def attribute_of_none(x):
    span = None
    for v in x:
        if v > 0:
            span = Span(0, 0)
    span.last = 5
    return span.last


# -- the same object under two names -------------------------------------------------------------------------------


@program(BRIEF, LONG, refuse="maybe")
def grows_after_it_was_put_there(x):
    out, run = [], []
    for v in x.tolist():
        run.append(v)
        if v < 0:
            out.append(run)
    return out


@program(BRIEF, LONG, refuse="maybe")
def another_name(x):
    out, run = [], []
    other = run
    for v in x.tolist():
        run.append(v)
        other.append(-v)
        if v < 0:
            out.append(run)
            other = run
            run = []
    return out, other


@program(BRIEF)  # of LONG they are refused, after as many joins as there may be
def grows_after_the_loop(x):
    out, run = [], []
    for v in x.tolist():
        run.append(v)
        if v < 0:
            out.append(run)
            run = []
    out.append(run)
    run.append(100)
    return out


@program(BRIEF, LONG, refuse="maybe")
def starts_anew_now_and_then(x):
    out, run = [], []
    for v in x.tolist():
        run.append(v)
        out.append(run)
        if v < 0:
            run = []
    return out


@program(BRIEF)  # of LONG they are refused, after as many joins as there may be
def put_into_two_lists(x):
    out, kept, run = [], [], []
    for v in x.tolist():
        run.append(v)
        if v < 0:
            out.append(run)
            kept.append(run)
            run = []
    if kept:
        kept[0].append(5)
    return out


@program(BRIEF, LONG, refuse="maybe")
def whether_it_is_an_item(x):
    out, run = [], [0]
    for v in x.tolist():
        run[0] += v
        if v < 0:
            out.append(run)
            run = [0]
    out.append(run)
    return out[-1] is run, out[0] is run


@program(BRIEF, LONG, refuse="maybe")
def arrays_that_are_items(x):
    out, state = [], np.zeros(2)
    for v in x:
        state[0] += v
        if v < 0:
            out.append(state)
            state = np.zeros(2)
    out.append(state)
    state[1] = 3
    return np.array(out), out[-1] is state


@program(BRIEF, LONG, refuse="maybe")
def changed_in_one_of_two_lists(x):
    first, second = [], []
    for v in x.tolist():
        item = [v]
        first.append(item)
        second.append(item)
    first[0].append(7)
    return len(second[0]), len(first[0])


@program(BRIEF, LONG, refuse="maybe")
def changed_where_only_some_are_in_both(x):
    first, second = [], []
    for v in x.tolist():
        item = [v]
        first.append(item)
        if v > 2:
            second.append(item)
    for k in range(len(first)):
        first[k].append(k)
    return [len(s) for s in second]


@program(BRIEF, LONG, refuse="maybe")
def moved_from_one_stack_to_another(x):
    stack, done = [], []
    for v in x.tolist():
        stack.append([v])
        if v < 0:
            item = stack.pop()
            done.append(item)
        elif done:
            done[-1].append(v)
    return stack, done


test_programs = program.test()
