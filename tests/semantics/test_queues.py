"""The module queue, in one thread."""

import queue
from queue import PriorityQueue

import numpy as np
import pytest

import xlapy

from .runner import Programs

program = Programs()

GRAPH = [[1, 2], [0, 3], [0], [1, 4], [3], []]
OTHER = [[1, 3], [0, 2], [4], [1, 0], [2], []]
X = np.array([3, 1, 2, 5, 4])


@program((GRAPH, 0), (OTHER, 2))
def breadth_first(graph, start):
    seen, order = {start}, []
    waiting = queue.Queue()
    waiting.put(start)
    while not waiting.empty():
        node = waiting.get()
        order.append(node)
        for other in graph[node]:
            if other not in seen:
                seen.add(other)
                waiting.put(other)
    return order, waiting.qsize()


@program(X, -X)
def smallest_first(x):
    waiting = PriorityQueue()
    for k, v in enumerate(x):
        waiting.put((v, k))
    found = []
    while not waiting.empty():
        value, k = waiting.get_nowait()
        if value > 1 and k % 2:
            waiting.put((value - 4, k))
        found.append((value, k))
    return found


@program((X, 2), (X, 4))
def last_first(x, n):
    stack = queue.LifoQueue()
    for v in x:
        stack.put(v)
    return [stack.get() for _ in range(3)], stack.qsize(), stack.empty()


@program((X, 3), (X, 9), raises=queue.Full)
def bounded(x, most):
    waiting = queue.Queue(maxsize=most)
    for v in x:
        waiting.put_nowait(v)
    return waiting.get(), waiting.full()


@program((X, 3), (X, 9), raises=queue.Empty)
def taken_too_often(x, n):
    waiting, total = queue.SimpleQueue(), 0
    for v in x:
        waiting.put(v)
    for _ in range(n):
        total = total * 10 + waiting.get_nowait()
    return total


@program(X, -X)
def none_where_it_is_empty(x):
    waiting = queue.Queue()
    for v in x:
        if v > 2:
            waiting.put(v)
    try:
        return waiting.get(block=False)
    except queue.Empty:
        return None


test_programs = program.test()


def test_a_queue_does_not_leave_the_program():
    def filled(x):
        waiting = queue.Queue()
        waiting.put(x[0])
        return waiting

    with pytest.raises(xlapy.NotOffloadableError):
        xlapy.jit(filled)(X)
