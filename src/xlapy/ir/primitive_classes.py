"""JAX's primitives by what they do with elements: of which classes the lists of passes and backends are made.

jnp.where(x > 0, x, 0).reshape(2, -1)  # ARITHMETIC, and SHAPES
"""

from __future__ import annotations

#: a few instructions for an element, on integers and floats alike, defined for every operand
ARITHMETIC = frozenset(
    "add sub mul div rem max min neg abs sign floor ceil round square integer_pow clamp select_n and or not xor eq ne"
    " lt le gt ge is_finite nextafter shift_left shift_right_arithmetic shift_right_logical conj real imag complex"
    " convert_element_type".split()
)
ROOTS = frozenset(("sqrt", "rsqrt"))
#: functions that take tens of instructions for an element, and are no kinds of operations of their own
FUNCTIONS = frozenset("exp2 erf erfc erf_inv lgamma digamma logistic".split())
#: the same elements in the same order
RESHAPES = frozenset("reshape squeeze expand_dims".split())
#: all elements, along other axes
SHAPES = RESHAPES | {"transpose", "broadcast_in_dim"}
#: some elements, or all of them in another order
PARTS = frozenset("slice dynamic_slice rev".split())
#: elements put together with others
JOINS = frozenset(("concatenate", "pad"))
COPIES = frozenset("copy copy_p stop_gradient".split())
#: what reads all elements along an axis for one
REDUCTIONS = frozenset(
    "reduce_sum reduce_prod reduce_max reduce_min reduce_or reduce_and reduce_xor argmax argmin".split()
)
#: what reads all elements before one for it
ACCUMULATIONS = frozenset("cumsum cumprod cummax cummin".split())
