"""The classes of the module queue, for one thread: no locks. Where CPython would wait for ever for another thread,
`Empty` and `Full` are raised.

    waiting = queue.PriorityQueue()
    waiting.put((d, k)); d, k = waiting.get()
    while not waiting.empty(): ...
"""

from __future__ import annotations

import collections
import heapq
import queue
from typing import Any

from xlapy.library.replacement import replacement


class _Queue:
    def __init__(self, maxsize=0):
        self.maxsize = maxsize
        self.unfinished_tasks = 0
        self.queue: Any = self._empty()
        #: an object of this class cannot leave the program: one of the class in CPython has locks
        self.mutex = iter(())

    def _empty(self) -> Any:
        return collections.deque()

    def _put(self, item):
        self.queue.append(item)

    def _get(self):
        return self.queue.popleft()

    def qsize(self):
        return len(self.queue)

    def empty(self):
        return not self.queue

    def full(self):
        return 0 < self.maxsize <= len(self.queue)

    def put(self, item, block=True, timeout=None):
        if self.full():
            raise queue.Full
        self._put(item)
        self.unfinished_tasks += 1

    def put_nowait(self, item):
        self.put(item)

    def get(self, block=True, timeout=None):
        if not self.queue:
            raise queue.Empty
        return self._get()

    def get_nowait(self):
        return self.get()

    def task_done(self):
        if self.unfinished_tasks <= 0:
            raise ValueError("task_done() called too many times")
        self.unfinished_tasks -= 1


class _LifoQueue(_Queue):
    def _empty(self):
        return []

    def _get(self):
        return self.queue.pop()


class _PriorityQueue(_Queue):
    def _empty(self):
        return []

    def _put(self, item):
        heapq.heappush(self.queue, item)

    def _get(self):
        return heapq.heappop(self.queue)


@replacement(queue.Queue)
def _new_queue(maxsize=0):
    return _Queue(maxsize)


@replacement(queue.SimpleQueue)
def _new_simple_queue():
    return _Queue()


@replacement(queue.LifoQueue)
def _new_lifo_queue(maxsize=0):
    return _LifoQueue(maxsize)


@replacement(queue.PriorityQueue)
def _new_priority_queue(maxsize=0):
    return _PriorityQueue(maxsize)
