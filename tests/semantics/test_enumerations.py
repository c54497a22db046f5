"""Members of enumerations that data chooses."""

import enum

import numpy as np

from .runner import Programs

program = Programs()

CODE, OTHER, BAD = np.array([0, 1, 2, 3]), np.array([3, 3, 0, 2]), np.array([1, 2, 7, 0])
X, Y = np.array([9.0, -3.0, 2.0, -50.0]), np.array([1.0, -3.0, 2.0, -5.0])


class Operation(enum.IntEnum):
    ADD = 0
    SUB = 1
    MUL = 2
    NEG = 3


class Phase(enum.Enum):
    REST = 0
    RISE = 1
    FALL = 2
    HOLD = 3
    STOP = 3

    @property
    def weight(self):
        return {Phase.REST: 1.0, Phase.RISE: 2.0, Phase.FALL: 0.5, Phase.HOLD: 0.0}[self]

    def following(self):
        return Phase((self.value + 1) % 4)


class Lenient(enum.Enum):
    NONE = 0
    SOME = 1

    @classmethod
    def _missing_(cls, value):
        return cls.NONE


@program((CODE, X), (OTHER, Y), compiles=1)
def machine_of_operations(code, x):
    accumulator = x[0]
    for word, v in zip(code, x):
        match Operation(int(word)):
            case Operation.ADD:
                accumulator += v
            case Operation.SUB:
                accumulator -= v
            case Operation.MUL:
                accumulator *= v
            case Operation.NEG:
                accumulator = -accumulator
    return accumulator


@program((CODE,), (OTHER,), compiles=1)
def members_as_numbers(code):
    found = [Operation(v) for v in code]
    chosen = {Operation.SUB: 5, Operation.MUL: 7, Operation.ADD: 2, Operation.NEG: 1}[found[2]]
    return found, sum(found), found[0] + 1, found[1].name, isinstance(found[0], Operation), chosen


@program((CODE,), (OTHER,), compiles=1)
def members_as_objects(code):
    counts = {phase: 0 for phase in Phase}
    for v in code:
        counts[Phase(int(v))] += 1
    shown = [(Phase(v).value, Phase(v).name, Phase(v) is Phase.STOP) for v in code]
    return counts, shown, [Phase(v).weight for v in code], [Phase(v).following() for v in code]


@program((CODE,), (BAD,), raises=ValueError)
def no_member(code):
    return sum(Phase(v).weight for v in code)


@program((CODE,), (BAD,), raises=ValueError)
def no_member_for_an_int(code):
    return [Operation(int(v)).name for v in code]


@program((CODE,), (BAD,), compiles=1)
def no_member_caught(code):
    total, bad = 0, 0
    for v in code:
        try:
            total += Operation(int(v)) * 2
        except ValueError:
            bad += 1
    return total, bad


@program((CODE,), (BAD,))
def a_way_of_its_own(code):
    return [Lenient(int(v)) for v in code]


@program((CODE, 1), (OTHER, 2), (OTHER, 9), raises=ValueError)
def a_number_among_the_arguments(code, k):
    return Phase(k), Phase(k).weight * code.sum()


@program((CODE.astype(np.int32),), (OTHER.astype(np.uint8),), (CODE * 1.0,))
def numbers_of_other_types(code):
    return [Phase(v) for v in code]


test_programs = program.test()
