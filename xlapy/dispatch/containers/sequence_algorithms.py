"""heapq and bisect in plain Python: the same comparisons as CPython's, interpreted like any callee."""

from __future__ import annotations

import bisect
import heapq

from xlapy.dispatch import table


@table.replacement(heapq.heappush)
def _heappush(heap, item, /):
    heap.append(item)
    _sift_down(heap, 0, len(heap) - 1)


@table.replacement(heapq.heappop)
def _heappop(heap, /):
    last = heap.pop()
    if not heap:
        return last
    first = heap[0]
    heap[0] = last
    _sift_up(heap, 0)
    return first


@table.replacement(heapq.heapreplace)
def _heapreplace(heap, item, /):
    first = heap[0]
    heap[0] = item
    _sift_up(heap, 0)
    return first


@table.replacement(heapq.heappushpop)
def _heappushpop(heap, item, /):
    if heap and heap[0] < item:
        first = heap[0]
        heap[0] = item
        _sift_up(heap, 0)
        return first
    return item


@table.replacement(heapq.heapify)
def _heapify(heap, /):
    for position in range(len(heap) // 2 - 1, -1, -1):
        _sift_up(heap, position)


def _sift_down(heap, start, position):
    """Move the item at a position towards the root, until its parent is no larger."""
    item = heap[position]
    while position > start:
        parent = (position - 1) >> 1
        above = heap[parent]
        if not item < above:
            break
        heap[position] = above
        position = parent
    heap[position] = item


def _sift_up(heap, position):
    """Move the smaller child up until a leaf is free, and sift the item down from there."""
    end, start = len(heap), position
    item = heap[position]
    child = 2 * position + 1
    while child < end:
        right = child + 1
        if right < end and not heap[child] < heap[right]:
            child = right
        heap[position] = heap[child]
        position = child
        child = 2 * position + 1
    heap[position] = item
    _sift_down(heap, start, position)


@table.replacement(heapq.nsmallest)
def _nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[: max(n, 0)]


@table.replacement(heapq.nlargest)
def _nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


@table.replacement(bisect.bisect_right)
def _bisect_right(a, x, lo=0, hi=None, *, key=None):
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if hi is None:
        hi = len(a)
    while lo < hi:
        middle = (lo + hi) // 2
        if x < (a[middle] if key is None else key(a[middle])):
            hi = middle
        else:
            lo = middle + 1
    return lo


@table.replacement(bisect.bisect_left)
def _bisect_left(a, x, lo=0, hi=None, *, key=None):
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if hi is None:
        hi = len(a)
    while lo < hi:
        middle = (lo + hi) // 2
        if (a[middle] if key is None else key(a[middle])) < x:
            lo = middle + 1
        else:
            hi = middle
    return lo


@table.replacement(bisect.insort_right)
def _insort_right(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect.bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


@table.replacement(bisect.insort_left)
def _insort_left(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect.bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)
