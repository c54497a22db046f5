"""Lists that lose items, or all of them, in loops in which they also grow, and lists that get items in their middle:
what is known of their length. Each in short loops, which may be unrolled, and in long ones, which are not."""

import bisect
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


# -- items in the middle ----------------------------------------------------------------------------------------------


@program(SHORT, LONG)
def insertions_by_data(x):
    found = []
    for v in x.tolist():
        found.insert(v, v * 2)
        found.insert(-v, 0.5)
        found.insert(100, 1)
        found.insert(-100, -1)
    return len(found), sum(found)


@program(SHORT, LONG)
def insertion_sort(x):
    out = []
    for v in x.tolist():
        i = 0
        while i < len(out) and out[i] <= v:
            i += 1
        out.insert(i, v)
    return out


@program(SHORT, LONG)
def pairs_kept_in_order(x):
    out = []
    for i, v in enumerate(x.tolist()):
        bisect.insort(out, (v, i))
    return out


@program(SHORT.astype(float), LONG.astype(float))
def moving_median(y):
    window, out = [], []
    for i, v in enumerate(y):
        bisect.insort(window, v)
        if len(window) > 5:
            window.remove(y[i - 5])
        out.append(window[len(window) // 2])
    return np.array(out)


@program(SHORT, LONG)
def removed_or_appended(x):
    found = list(range(9))
    for v in x.tolist():
        if v in found:
            found.remove(v)
        else:
            found.append(v)
    return found


@program(SHORT, LONG, raises=ValueError)
def nothing_to_remove(x):
    found = []
    for v in x.tolist():
        found.append(v)
        if len(found) == 7:
            found.remove(77)
    return found


@program(SHORT, LONG)
def deleted_by_data(x):
    found = list(range(60))
    for v in x.tolist():
        if len(found) > v:
            del found[v]
    return found


test_programs = program.test()
