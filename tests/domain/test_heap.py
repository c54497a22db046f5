"""The heap: what is read of the caller's world is read once, what is written does not touch it."""

from xlapy.domain.facts import Facts
from xlapy.domain.heap import Heap
from xlapy.domain.sources import Anchor, Source, anchor, argument, attribute, item
from xlapy.domain.values import UNBOUND, Const


def test_slots_of_the_callers_world_are_loaded_once():
    loads = []

    def load(number, name):
        loads.append(name)
        return Const(name)

    heap = Heap(load, Facts())
    number = heap.external("instance", object, argument("x"), object())
    assert heap.read(number, "a") is heap.read(number, "a")
    assert loads == ["a"]


def test_writes_hide_and_keep_the_initial_value():
    heap = Heap(lambda number, name: Const(name), Facts())
    number = heap.external("instance", object, argument("x"), object())
    new = Const(1)
    heap.write(number, "a", new)
    assert heap.read(number, "a") is new
    assert heap.entry_value(number, "a").value == "a"
    assert "a" in heap.objects[number].fields


def test_new_objects_load_nothing():
    def load(number, name):
        raise AssertionError

    heap = Heap(load, Facts())
    number = heap.new("instance", object, a=Const(1))
    assert heap.read(number, "a").value == 1
    assert heap.read(number, "b") is UNBOUND


def test_branches_copy_slots_only():
    heap = Heap(lambda number, name: UNBOUND, Facts())
    number = heap.new("cell", object, value=Const(1))
    before = heap.slots.copy()
    heap.write(number, "value", Const(2))
    heap.slots = before
    assert heap.read(number, "value").value == 1


def test_identities_are_fresh():
    heap = Heap(lambda number, name: UNBOUND, Facts())
    assert len({heap.identity() for _ in range(5)} | {heap.new("cell", object)}) == 6


def test_sources():
    things = [object(), object()]
    where = attribute(item(argument("model"), 0), "w")
    assert str(where) == "model[0].w" and where.root() == argument("model")
    assert anchor(things[0]) == anchor(things[0]) != anchor(things[1])
    assert Source("global", (Anchor(things), "k")) == Source("global", (Anchor(things), "k"))
    assert hash(where) == hash(attribute(item(argument("model"), 0), "w"))
