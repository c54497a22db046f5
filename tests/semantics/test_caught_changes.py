"""Operations that change an object or raise: where they raise, and somebody catches it, nothing is changed."""

import numpy as np

from .runner import Programs

program = Programs()
X = np.array([1.0, -2.0, 3.0, 0.5])
PLACES = ((X, np.array([1])), (X, np.array([0])), (X, np.array([50])), (X, np.array([-9])))


@program(*PLACES)
def item_of_an_array(x, at):
    try:
        x[at[0]] = 3.0
    except IndexError as error:
        return str(error), x
    return x


@program(*PLACES)
def added_to_an_item_of_an_array(x, at):
    try:
        x[at[0]] += 3.0
    except IndexError as error:
        return str(error), x
    return x


@program(*PLACES)
def items_of_an_array(x, at):
    try:
        x[np.array([0, at[0]])] = 7.0
    except IndexError as error:
        return str(error), x
    return x


@program(*PLACES)
def item_of_a_list(x, at):
    items = list(x)
    try:
        items[at[0]] = 3.0
    except IndexError as error:
        return str(error), items
    return items


@program(*PLACES)
def item_of_a_list_of_unknown_length(x, at):
    items = []
    for v in x:
        if v > 0:
            items.append(v)
    try:
        items[at[0]] = 9.0
    except IndexError as error:
        return str(error), items
    return items


@program(*PLACES)
def item_popped(x, at):
    items = []
    for v in x:
        if v > 0:
            items.append(v)
    try:
        last = items.pop(at[0])
    except IndexError as error:
        return str(error), items
    return last, items


@program(*PLACES)
def item_deleted(x, at):
    items = []
    for v in x:
        if v > 0:
            items.append(v)
    try:
        del items[at[0]]
    except IndexError as error:
        return str(error), items
    return items


@program((X, 1.0), (X, -2.0), (X, 9.0))
def item_removed(x, gone):
    items = []
    for v in x:
        if v > 0:
            items.append(v)
    try:
        items.remove(gone + x[0] * 0)
    except ValueError as error:
        return str(error), items
    return items


@program(*PLACES)
def what_came_before_stays(x, at):
    class Box:
        pass

    box = Box()
    box.step, box.items = 0, [1, 2]

    def work():
        box.step = 1
        box.items.append(3)
        x[0] = 8.0
        x[at[0]] = 7.0
        box.step = 2

    try:
        work()
    except IndexError:
        return box.step, box.items, x
    return box.step, box.items, x


@program((X, np.array([1, 60, 2])), (X, np.array([1, 3, 2])))
def in_a_loop(x, at):
    missed = 0
    for i in at:
        try:
            x[i] *= 2.0
        except IndexError:
            missed += 1
    return x, missed


@program(*PLACES)
def read_from_nothing(x, at):
    items = []
    for v in x:
        if v > 10:
            items.append(v)
    try:
        return items[at[0]]
    except IndexError as error:
        return str(error)


test_programs = program.test()
