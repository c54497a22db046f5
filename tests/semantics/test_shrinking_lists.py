"""Lists that lose items, or all of them, in loops in which they also grow: what is known of their length. Each in short
loops, which may be unrolled, and in long ones, which are not."""

import collections

import numpy as np

from .runner import Programs

program = Programs()

RNG = np.random.default_rng(3)
SHORT, LONG = RNG.integers(0, 9, 12), RNG.integers(0, 9, 90)
RUNS = LONG // 4


@program(SHORT, LONG, np.zeros(12, int))
def starts_anew(x):
    current = []
    for v in x.tolist():
        if v == 3:
            current = []
        current.append(v)
    return current, len(current), bool(current)


@program(SHORT, LONG)
def keeps_the_last_ones(x):
    last = []
    for v in x.tolist():
        last = last[-3:]
        last.append(v)
    return last, sum(last)


@program(SHORT, LONG)
def keeps_a_beginning_that_depends_on_data(x):
    found = []
    for v in x.tolist():
        found = [*found[:v], v]
    return found, np.array(found).mean()


@program(SHORT, LONG)
def cleared_where_data_says_so(x):
    seen, most = [], 0
    for v in x.tolist():
        if v in seen:
            seen.clear()
        seen.append(v)
        most = max(most, len(seen))
    return seen, most


@program(SHORT, LONG, np.arange(90), np.arange(90)[::-1].copy())
def increasing_stack(x):
    stack, smaller = [], []
    for i in range(len(x)):
        while stack and x[stack[-1]] >= x[i]:
            stack.pop()
        smaller.append(stack[-1] if stack else -1)
        stack.append(i)
    return np.array(smaller), stack, len(stack)


@program(SHORT, LONG)
def stack_that_is_tested(x):
    stack, empty, deepest = [], 0, 0
    for v in x.tolist():
        while stack and stack[-1] > v:
            stack.pop()
        if not stack:
            empty += 1
        stack.append(v)
        deepest = max(deepest, len(stack))
    return empty, deepest, stack


@program((SHORT, 3), (LONG, 5))
def sliding_maximum(x, k):
    window, out = collections.deque(), []
    for i in range(len(x)):
        while window and x[window[-1]] <= x[i]:
            window.pop()
        window.append(i)
        if window[0] <= i - k:
            window.popleft()
        if i >= k - 1:
            out.append(int(x[window[0]]))
    return out, window


@program(SHORT + 1, LONG + 1)
def largest_rectangle(heights):
    stack, best = [], 0
    for i in range(len(heights) + 1):
        height = heights[i] if i < len(heights) else 0
        while stack and heights[stack[-1]] >= height:
            top = heights[stack.pop()]
            best = max(best, top * (i - stack[-1] - 1 if stack else i))
        stack.append(i)
    return best


@program(SHORT // 4, RUNS, np.zeros(5, int))
def runs_from_none(x):
    out, previous, count = [], None, 0
    for v in x.tolist():
        if v == previous:
            count += 1
        else:
            if previous is not None:
                out.append((previous, count))
            previous, count = v, 1
    out.append((previous, count))
    return out


@program(SHORT // 4, RUNS)
def runs_from_a_number(x):
    out, previous, count = [], -1, 0
    for v in x.tolist():
        if v == previous:
            count += 1
        else:
            out.append((previous, count))
            previous, count = v, 1
    return out


@program(SHORT, LONG)
def records(x):
    best, where = None, []
    for i in range(len(x)):
        if best is None or x[i] > best:
            best = x[i]
            where.append(i)
    return best, where


@program(np.sin(np.arange(20.0)), np.sin(np.arange(70.0)))
def segments_above_zero(y):
    found, start = [], None
    for i, v in enumerate(y):
        if v > 0 and start is None:
            start = i
        elif v <= 0 and start is not None:
            found.append((start, i))
            start = None
    if start is not None:
        found.append((start, len(y)))
    return found


@program(SHORT, LONG)
def merged_intervals(x):
    intervals = sorted((int(a), int(a + b)) for a, b in zip(x[::2], x[1::2]))
    out = []
    for start, end in intervals:
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out


@program(SHORT, LONG)
def one_item_for_each_pair(x):
    # the length is known: the shape of the array does not depend on data
    out = []
    for i in range(len(x)):
        for j in range(3):
            out.append(x[i] * j if x[i] > 2 else -1)
    return np.array(out).reshape(len(x), 3)


test_programs = program.test()
