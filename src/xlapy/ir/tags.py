"""The error tag: the number of the first error, `select(bad and tag == 0, number, tag)` at each check; zero without."""

from __future__ import annotations

from xlapy.ir.core import Operation, Var, constant_value


def free_tag(var: Var) -> Var | None:
    """The tag of which a predicate says that it is zero."""
    owner = var.owner
    if isinstance(owner, Operation) and owner.kind == "eq" and owner.operands[0].type.shape == ():
        value = constant_value(owner.operands[1])
        if value is not None and value.dtype.kind == "i" and value == 0:
            return owner.operands[0]
    return None


__all__ = ["free_tag"]
