"""NumPy functions of vectors of dynamic length that are written down in Python: interpreted as a user's would be."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, first_of, involved, require_static
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.numpy.rule_operands import array_type, kind_of, known
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import BoundedArray, Const, Value

#: more elements than these have no room where NumPy has the square of a length
MOST_PAIRS = 2**24


#: columns of a matrix that are worked on one by one
MOST_COLUMNS = 16
_PLAIN = (bool, int, float, str)


def is_rows(value: object) -> bool:
    """Whether an array is a matrix with some rows, and with a few columns."""
    return (
        isinstance(value, BoundedArray)
        and len(value.axes) == 2
        and value.axes[1] is None
        and 0 < value.base.type.shape[1] <= MOST_COLUMNS
    )


def type_of_array(machine: Machine, value: Value):
    """The type of an array, or of the room of one of dynamic length."""
    found = masked_axes.parts(machine, value)
    return found[0].type if found is not None else array_type(machine, value)


def in_python(
    item: Callable,
    implementation: Callable,
    arrays: str,
    values: str = "",
    kinds: str = "biufc",
    ranks: Collection[int] = (1,),
    pairs: bool = False,
) -> None:
    """`item` is `implementation` where one of `arrays` has a dynamic length.

    Args:
        arrays: the parameters that are arrays, of such `kinds` and `ranks`.
        values: the parameters that may be any numbers; all others are known at compile time.
        pairs: whether there has to be room for as many elements as there are pairs of those of the arrays.
    """
    signature = inspect.signature(implementation)
    name = f"np.{item.__name__}"

    def rule(machine: Machine, /, *args: Value, **kwargs: Value) -> Value:
        array = first_of(args, kwargs)
        try:
            bound = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise require_static(machine, array, f"{name} with such arguments") from error
        given, room = {}, 1
        for parameter, value in bound.items():
            if parameter in arrays.split():
                type_ = type_of_array(machine, value)
                if len(type_.shape) not in ranks or kind_of(type_.dtype) not in kinds:
                    raise require_static(machine, array, f"{name} of such arrays")
                room *= max(type_.shape[0] if type_.shape else 1, 1)
            elif involved(value):
                raise require_static(machine, array, f"{name} with such arguments")
            elif parameter not in values.split():
                found = known(machine, value, f"the argument '{parameter}' of {name}")
                value = Const(found) if found is None or isinstance(found, _PLAIN) else value
            given[parameter] = value
        if pairs and (room if len(given) > 1 else room**2) > MOST_PAIRS:
            raise require_static(machine, array, f"{name} of so many elements")
        return machine.call(Const(implementation), (), given)

    registry.function(item, kind=DYNAMIC_LENGTH)(rule)
