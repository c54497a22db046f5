"""Linked lists whose links change under conditions on data: one name stands for a node or for None."""

from .runner import Programs

program = Programs()


class Node:
    def __init__(self, value, following=None):
        self.value = value
        self.following = following


def linked(values):
    head = None
    for v in reversed(values):
        head = Node(v, head)
    return head


def values_of(node):
    found = []
    while node is not None:
        found.append(node.value)
        node = node.following
    return found


@program(([3, 5, 8, 5, 1], 5), ([3, 5, 2, 9, 9], 9))
def small_ones_first(values, x):
    small = first_small = Node(0)
    large = first_large = Node(0)
    node = linked(values)
    while node:
        if node.value < x:
            small.following = node
            small = small.following
        else:
            large.following = node
            large = large.following
        node = node.following
    large.following, small.following = None, first_large.following
    return values_of(first_small.following)


@program(([1, 2, 3], 2), ([1, 2, 3], 1), ([1, 1, 1], 1), ([1, 2, 3], 7))
def removed(values, x):
    previous, node = None, linked(values)
    head = node
    while node:
        if node.value == x:
            if previous is None:
                head = node.following
            else:
                previous.following = node.following
        else:
            previous = node
        node = node.following
    return values_of(head)


@program(([1], 1), ([1], -1), raises=AttributeError)
def attribute_of_none_is_set(values, k):
    node = Node(values[0])
    other = node if k > 0 else None
    other.following = 5
    return node.following


@program(([], {}, Node(1), 1), ([], {}, Node(2), 2))
def new_nodes_that_refer_to_each_other(values, named, node, x):
    first, second = Node(x), Node(x + 1)
    first.following, second.following = second, first
    values.append(first)
    named["second"] = second
    node.following = lone = Node(x * 2)
    lone.following = lone
    whole = [x]
    whole.append(whole)
    values.append(whole)


test_programs = program.test()
