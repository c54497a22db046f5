"""Lists of objects: which are left data says, and the objects are changed; what is taken out of a list and put back."""

import collections
import dataclasses

import numpy as np

from .runner import Programs

program = Programs()


class Particle:
    def __init__(self, x, v, life):
        self.x, self.v, self.life = x, v, life

    @property
    def alive(self):
        return self.life > 0

    def step(self, dt):
        self.x += self.v * dt
        self.life -= dt


def particles(x, v, life):
    return [Particle(float(a), float(b), float(c)) for a, b, c in zip(x, v, life, strict=True)]


rng = np.random.default_rng(3)
FEW = (
    (np.array([0.0, 1.0, 2.0]), np.array([1.0, -1.0, 0.5]), np.array([0.25, 0.55, 1.0])),
    (np.array([0.0, 1.0, 2.0]), np.array([1.0, -1.0, 0.5]), np.array([0.95, 0.05, 0.31])),
)
MANY = tuple((rng.normal(size=20), rng.normal(size=20), rng.uniform(size=20) * k) for k in (0.5, 0.3))


# -- what is left of a list -------------------------------------------------------------------------------------------


def filtered_and_changed(x, v, life):
    ps = particles(x, v, life)
    counts = []
    for _ in range(3):
        for p in ps:
            p.step(0.1)
        ps = [p for p in ps if p.alive]
        counts.append(len(ps))
    return counts, [p.x for p in ps]


def filtered_first(x, v, life):
    ps = particles(x, v, life)
    for _ in range(3):
        ps = [p for p in ps if p.alive]
        for p in ps:
            p.step(0.1)
    return [p.x for p in ps]


def changed_while_filtered(x, v, life):
    ps = particles(x, v, life)
    for _ in range(3):
        kept = []
        for p in ps:
            p.step(0.1)
            if p.alive:
                kept.append(p)
        ps = kept
    return [p.x for p in ps]


def parted_in_two(x, v, life):
    left, right = [], []
    for p in particles(x, v, life):
        (left if p.x > 0 else right).append(p)
    for p in left:
        p.step(0.1)
    return [p.x for p in left]


class Simulation:
    def __init__(self, ps):
        self.ps, self.dead = ps, 0

    def tick(self):
        for p in self.ps:
            p.step(0.1)
        before = len(self.ps)
        self.ps = [p for p in self.ps if p.alive]
        self.dead += before - len(self.ps)


def filtered_in_an_object(x, v, life):
    s = Simulation(particles(x, v, life))
    while s.dead < 2:
        s.tick()
    return s.dead, [p.x for p in s.ps]


def others_are_born(x, v, life):
    ps = particles(x, v, life)
    born = 0
    for _ in range(4):
        for p in ps:
            p.step(0.1)
        ps = [p for p in ps if p.alive]
        if len(ps) < 2 + len(x) // 2:
            ps.append(Particle(0.0, 1.0, 0.3))
            born += 1
    return [p.x for p in ps], born


def dicts(x, v, life):
    records = [{"id": i, "life": float(a), "hits": 0} for i, a in enumerate(life)]
    for _ in range(3):
        for r in records:
            r["life"] *= 0.7
            r["hits"] += 1
        records = [r for r in records if r["life"] > 0.15]
    return [(r["id"], r["hits"]) for r in records]


def lists(x, v, life):
    records = [[i, float(a)] for i, a in enumerate(life)]
    total = 0.0
    for _ in range(3):
        for r in records:
            r[1] *= 0.7
        records = [r for r in records if r[1] > 0.15]
        total += sum(r[1] for r in records)
    return records, total


for function in (
    dicts,
    lists,
    filtered_and_changed,
    filtered_first,
    changed_while_filtered,
    parted_in_two,
    filtered_in_an_object,
    others_are_born,
):
    program.add(f"{function.__name__}_few", function, *FEW, compiles=1)
    program.add(f"{function.__name__}_many", function, *MANY, compiles=1)


# -- two lists hold the objects: right, or refused --------------------------------------------------------------------


def both_are_read(x, v, life):
    ps = particles(x, v, life)
    qs = [p for p in ps if p.life > 0.2]
    for p in qs:
        p.step(0.1)
    return [p.x for p in qs], sum(p.x for p in ps)


def the_first_is_changed(x, v, life):
    ps = particles(x, v, life)
    qs = [p for p in ps if p.alive]
    for p in ps:
        p.step(0.1)
    return [p.x for p in qs]


def some_are_there_twice(x, v, life):
    qs = []
    for p in particles(x, v, life):
        qs.append(p)
        if p.x > 0:
            qs.append(p)
    for p in qs:
        p.step(0.1)
    return [p.x for p in qs]


def put_there_by_two_loops(x, v, life):
    ps = particles(x, v, life)
    qs = []
    for p in ps:
        qs.append(p)
    for p in ps:
        if p.x > 0:
            qs.append(p)
    for p in qs:
        p.step(0.1)
    return [p.x for p in qs]


def put_there_in_each_trip(x, v, life):
    ps = particles(x, v, life)
    qs = []
    for k in range(3):
        for p in ps:
            if p.x > k:
                qs.append(p)
    for p in qs:
        p.step(0.1)
    return [p.x for p in qs]


def the_list_shifts_under_the_loop(x, v, life):
    ps = particles(x, v, life)
    qs = []
    for p in ps:
        qs.append(p)
        if len(qs) < 4 and p.x > 0:
            ps.insert(0, Particle(1.0, 1.0, 1.0))
    for p in qs:
        p.step(0.1)
    return [p.x for p in qs]


def both_parts_are_changed(x, v, life):
    left, right = [], []
    for p in particles(x, v, life):
        if p.x > 0:
            left.append(p)
        else:
            right.append(p)
    for p in left:
        p.step(0.1)
    for p in right:
        p.step(0.2)
    return [p.x for p in left], [p.x for p in right]


def copies_are_read(x, v, life):
    ps = particles(x, v, life)
    qs = [p for p in ps if p.x > 0]
    ts = qs[:]
    for p in ps:
        p.step(0.1)
    return [p.x for p in ts]


def earlier_lists_are_read(x, v, life):
    ps = particles(x, v, life)
    history = []
    for _ in range(3):
        for p in ps:
            p.step(0.1)
        ps = [p for p in ps if p.alive]
        history.append(ps)
    return [[p.x for p in q] for q in history]


def one_is_remembered(x, v, life):
    ps = particles(x, v, life)
    best = ps[0]
    for _ in range(3):
        for p in ps:
            p.step(0.1)
            if p.x > best.x:
                best = p
        ps = [p for p in ps if p.alive]
    return best.x, len(ps)


def one_is_held_before_the_loop(x, v, life):
    ps = particles(x, v, life)
    first = ps[0]
    for _ in range(2):
        ps = [p for p in ps if p.x > -5]
        for p in ps:
            p.step(0.1)
    return first.x, len(ps)


def some_are_held_between(x, v, life):
    ps = [p for p in particles(x, v, life) if p.x > -4]
    held = [ps[0], ps[-1]]
    ps = [p for p in ps if p.x > -5]
    for _ in range(2):
        for p in ps:
            p.step(0.1)
    return held[0].x, held[1].x, len(ps)


def one_that_is_held_is_changed(x, v, life):
    ps = [p for p in particles(x, v, life) if p.x > -4]
    first = ps[0]
    ps = [p for p in ps if p.x > -5]
    total = 0.0
    for p in ps:
        total += p.x
    first.step(1.0)
    return ps[0].x, len(ps), total


for function in (
    one_is_held_before_the_loop,
    some_are_held_between,
    one_that_is_held_is_changed,
    both_are_read,
    the_first_is_changed,
    some_are_there_twice,
    put_there_by_two_loops,
    put_there_in_each_trip,
    the_list_shifts_under_the_loop,
    both_parts_are_changed,
    copies_are_read,
    earlier_lists_are_read,
    one_is_remembered,
):
    program.add(function.__name__, function, *MANY, refuse="maybe")


# -- taken out, changed and put back ----------------------------------------------------------------------------------


@dataclasses.dataclass
class Process:
    pid: int
    left: int


@dataclasses.dataclass
class Node:
    value: int
    log: list


BURSTS = ((np.array([5, 3, 8, 1]), 2), (np.array([2, 2, 2, 9]), 3))


@program(*BURSTS)
def round_robin(bursts, quantum):
    queue = collections.deque(Process(i, int(b)) for i, b in enumerate(bursts))
    t = 0
    finish = [0] * len(bursts)
    while queue:
        p = queue.popleft()
        run = min(quantum, p.left)
        t += run
        p.left -= run
        if p.left:
            queue.append(p)
        else:
            finish[p.pid] = t
    return finish, t


@program(*BURSTS)
def with_lists_inside(bursts, quantum):
    queue = [Node(int(b), []) for b in bursts]
    done = []
    while queue:
        p = queue.pop(0)
        p.value -= quantum
        p.log.append(p.value)
        (queue if p.value > 0 else done).append(p)
    return [(d.value, d.log) for d in done]


@program(*BURSTS)
def from_one_queue_to_another(bursts, quantum):
    first, second = collections.deque(Process(i, int(b)) for i, b in enumerate(bursts)), collections.deque()
    t = 0
    while first or second:
        p = (first if first else second).popleft()
        p.left -= quantum
        t += 1
        if p.left > 0:
            second.append(p)
    return t


@program(*BURSTS)
def given_back_when_done(bursts, quantum):
    queue = [Process(i, int(b)) for i, b in enumerate(bursts)]
    done = []
    while queue:
        p = queue.pop()
        p.left -= quantum
        (queue if p.left > 0 else done).append(p)
    return done


@program(*BURSTS, refuse="maybe")
def seen_before_it_is_taken_out(bursts, quantum):
    queue = [Process(i, int(b)) for i, b in enumerate(bursts)]
    out = []
    while queue:
        first = queue[0]
        p = queue.pop(0)
        p.left -= quantum
        out.append(first.left)
        if p.left > 0:
            queue.append(p)
    return out


@program(*BURSTS, refuse="maybe")
def changed_after_it_is_put_back(bursts, quantum):
    queue = [Process(i, int(b)) for i, b in enumerate(bursts)]
    out = 0
    while queue:
        p = queue.pop(0)
        if p.left > 0:
            queue.append(p)
        p.left -= quantum
        out += p.left
    return out


@program(*BURSTS, refuse="maybe")
def held_while_others_come_and_go(bursts, quantum):
    queue = [Process(i, int(b)) for i, b in enumerate(bursts)]
    current = queue.pop(0)
    t = 0
    while queue:
        current.left -= quantum
        t += 1
        if current.left <= 0:
            current = queue.pop(0)
        elif current.left % 2:
            queue.append(current)
            current = queue.pop(0)
    return t, current.pid, current.left


@program(*BURSTS, refuse="maybe")
def put_back_twice(bursts, quantum):
    queue = [Process(i, int(b)) for i, b in enumerate(bursts)]
    n = 0
    while queue and n < 40:
        n += 1
        p = queue.pop(0)
        p.left -= 1
        if p.left > 0:
            queue.append(p)
            if n % 3 == 0:
                queue.append(p)
    return n, [p.left for p in queue]


@program(*BURSTS, refuse="maybe")
def in_another_list_too(bursts, quantum):
    queue = [Process(i, int(b)) for i, b in enumerate(bursts)]
    seen = []
    while queue:
        p = queue.pop()
        seen.append(p)
        p.left -= quantum
        if p.left > 0:
            queue.append(p)
    return [s.left for s in seen]


# -- objects made in a loop, which puts each of them into one of several lists -----------------------------------------


@dataclasses.dataclass
class Order:
    price: float
    quantity: int


SIDES, PRICES = np.array([1, -1, 1, -1, -1]), np.array([10.0, 11.0, 12.0, 9.5, 10.0])
QUANTITIES = np.array([5, 3, 4, 6, 2])
ORDERS = ((SIDES, PRICES, QUANTITIES), (-SIDES, PRICES[::-1].copy(), QUANTITIES))


@program(*ORDERS, *(tuple(np.tile(a, 5) for a in step) for step in ORDERS))
def order_book(sides, prices, quantities):
    bids, asks, trades = [], [], []
    for s, p, q in zip(sides, prices, quantities, strict=True):
        order = Order(float(p), int(q))
        if s > 0:
            while order.quantity and asks and asks[0].price <= order.price:
                best = asks[0]
                n = min(best.quantity, order.quantity)
                trades.append((best.price, n))
                best.quantity -= n
                order.quantity -= n
                if best.quantity == 0:
                    asks.pop(0)
            if order.quantity:
                bids.append(order)
                bids.sort(key=lambda b: -b.price)
        else:
            while order.quantity and bids and bids[0].price >= order.price:
                best = bids[0]
                n = min(best.quantity, order.quantity)
                trades.append((best.price, n))
                best.quantity -= n
                order.quantity -= n
                if best.quantity == 0:
                    bids.pop(0)
            if order.quantity:
                asks.append(order)
                asks.sort(key=lambda a: a.price)
    return trades, [(b.price, b.quantity) for b in bids], [(a.price, a.quantity) for a in asks]


@program(*ORDERS, refuse="maybe")
def in_one_list_or_in_both(sides, prices, quantities):
    a, b = [], []
    for s, p, q in zip(sides, prices, quantities, strict=True):
        order = Order(float(p), int(q))
        if s > 0:
            a.append(order)
        if p > 9.7:
            b.append(order)
        if a:
            a[0].quantity -= 1
    return [o.quantity for o in a], [o.quantity for o in b]


@program(*ORDERS)
def a_list_begun_again(sides, prices, quantities):
    a, b = [], []
    for s, p, q in zip(sides, prices, quantities, strict=True):
        order = Order(float(p), int(q))
        a = [] if len(a) > 2 else a
        (a if s > 0 else b).append(order)
        if a:
            a[0].quantity -= 1
        if b:
            b[-1].quantity += 1
    return [o.quantity for o in a], [o.quantity for o in b]


@program(*BURSTS)
def taken_from_where_data_says(bursts, quantum):
    queue = [Process(i, int(b)) for i, b in enumerate(bursts)]
    done = []
    while len(queue) > 1:
        p = queue.pop(queue[0].left % len(queue))
        p.left -= quantum
        if p.left > 0:
            queue.append(p)
        else:
            done.append(p.pid)
    return done, queue[0].left


test_programs = program.test()
