"""Texts of objects of classes that make theirs of what they hold, which may be themselves."""

import dataclasses
import reprlib

from .runner import Programs

program = Programs()


@dataclasses.dataclass
class Part:
    mass: float
    of: object = None


@dataclasses.dataclass(frozen=True)
class Whole:
    count: int
    part: Part
    scale: float = 2.0


class Group:
    def __init__(self, *members):
        self.members = list(members)

    @reprlib.recursive_repr("<...>")
    def __repr__(self):
        return f"Group({', '.join(map(repr, self.members))})"


@program((1.0, 2.5), (3.0, -1.0))
def printed(mass, scale):
    part = Part(mass)
    print(part, Whole(3, part, scale))
    return repr(part), str(Part(scale, (1, mass))), f"{part}", f"{Whole(1, part)!r:>60}"


@program((1.0, 2.5), (3.0, -1.0), raises=(ValueError, KeyError))
def raised(mass, scale):
    part = Part(mass)
    if scale < 0:
        raise ValueError(part)
    raise KeyError(str(Part(scale, part)))


@program(2.5)
def of_themselves(mass):
    part, group = Part(mass), Group(mass)
    part.of = part
    group.members += [group, part]
    return repr(part), repr(group), repr(Part(1.0, part))


@program((Part(1.0), 3), (Part(2.0), 0))
def in_a_loop(part, n):
    found = []
    for k in range(n):
        part.mass += k
        found.append(str(part))
    return found, repr(part)


test_programs = program.test()
