"""Calls with other numbers again and again: after a program for each of the first, one for all of them, where only
the room of lists, dicts and sets depends on the number."""

from .runner import Programs

program = Programs()

NUMBERS = [(n,) for n in (40, 50, 60, 70, 0, 3, 55, 41)]


@program(*NUMBERS, compiles=3)
def every_item(n):
    found = []
    for i in range(n):
        found.append(i * i)
    return found


@program(*NUMBERS, compiles=3)
def some_items(n):
    found = [-1]
    for i in range(n):
        if i % 3:
            found.append(i * i)
    return found, len(found), found[-1], sum(found)


@program(*NUMBERS, compiles=3)
def comprehensions(n):
    return sum(i for i in range(n) if i % 3), [i for i in range(n) if i % 7 == 2], [i / 2 for i in range(n)]


@program(*NUMBERS, compiles=3)
def counts(n):
    found, members = {}, set()
    for i in range(n):
        found[i % 7] = found.get(i % 7, 0) + i
        members.add(i * i % 13)
    return found, len(members)


@program(*NUMBERS, compiles=3)
def items_of_several_kinds(n):
    found = []
    for i in range(n):
        found.append((i, i / 2, [i, i + 1]))
    return found


@program((40,), (50,), (60,), (2000,), (1500,), (70,), compiles=4)
def more_than_there_is_room_for(n):
    found = []
    for i in range(n):
        if i % 2:
            found.append(i)
    return found


@program(*NUMBERS, compiles=8)
def a_list_of_that_length(n):
    found = [0] * n
    for i in range(n):
        found[i] = i * 2
    return found


@program(*NUMBERS, raises=IndexError)
def the_last_item(n):
    found = []
    for i in range(n):
        found.append(i / 4)
    return found[-1], found[n // 2], found[3]


test_programs = program.test()
