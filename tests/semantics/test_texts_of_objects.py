"""Texts of objects of classes that make theirs of what they hold, which may be themselves."""

import dataclasses
import reprlib

import numpy as np

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


class Length:
    def __init__(self, metres):
        self.metres = metres

    def __float__(self):
        return self.metres

    def __rmod__(self, other):
        raise AssertionError("str has its own %")

    def __getitem__(self, name):
        return self.metres if name == "m" else len(name)


@program(2.5, 3, np.float32(0.5), raises=TypeError)
def in_templates(metres):
    length, part, template = Length(metres), Part(metres), "no field"
    texts = "%s" % part, "%r|%8.2f" % (part, length), "%.1f" % length, "%(m)s %(mm)03d" % length, template % length
    return texts, "%(m)s" % part


@program(-2.75, 3, True, np.float32(3.9), np.uint8(7), np.complex128(1.5 + 1j), 1 + 1j, raises=TypeError)
def in_fields_for_numbers(x):
    return "%.2f|%10.1e|%g" % (x, x, x), "%d|%+5i|%03u" % (x, x, x)


@program(2.5, raises=TypeError)
def in_a_field_for_ints(x):
    return "%x" % x


@program(np.float64("nan"), raises=ValueError)
def nan_in_a_field(x):
    return "%d" % x


test_programs = program.test()
