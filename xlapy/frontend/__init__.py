"""A code object becomes a structured program: `structured(code) -> Program`.

In order: `decode` (bytecode to basic blocks of `operations` on registers, by the tables in `versions`), `graph`
(clean-up, dominators, loops), `structure` (the tree), `liveness`. `program` holds the result's types and semantics.
"""

from xlapy.frontend.compile import structured
from xlapy.frontend.operations import OPERATIONS, Operation, check, operations
from xlapy.frontend.program import (
    RAISE,
    RETURN,
    Code,
    Exit,
    For,
    FrontendError,
    Guarded,
    Handler,
    If,
    Loop,
    Node,
    Op,
    Program,
    Send,
    Seq,
    Span,
)

__all__ = [
    "OPERATIONS",
    "RAISE",
    "RETURN",
    "Code",
    "Exit",
    "For",
    "FrontendError",
    "Guarded",
    "Handler",
    "If",
    "Loop",
    "Node",
    "Op",
    "Operation",
    "Program",
    "Send",
    "Seq",
    "Span",
    "check",
    "operations",
    "structured",
]
