"""A code object becomes a structured program: `structured(code) -> Program`.

In order: `decode` (bytecode to basic blocks of `instruction_set` on registers, by the tables in `versions`), `graph`
(clean-up, dominators, loops), `structure` (the tree), `liveness`. `program` holds the result's types and semantics;
`generator_state_machines` makes state machines of generators, `recursion_elimination` loops of functions that call
themselves.
"""

from xlapy.frontend.compile import structured
from xlapy.frontend.dump import dump
from xlapy.frontend.generator_fusion import Fused
from xlapy.frontend.generator_state_machines import FINISHED, START, Resumable, resumable
from xlapy.frontend.instruction_set import OPERATIONS, STATEMENTS, Operation, check, operations
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
    Member,
    Node,
    Op,
    Program,
    Send,
    Seq,
    Span,
)
from xlapy.frontend.recursion_elimination import Call, NoCall, recursive

__all__ = [
    "FINISHED",
    "OPERATIONS",
    "RAISE",
    "RETURN",
    "START",
    "STATEMENTS",
    "Call",
    "Code",
    "Exit",
    "For",
    "FrontendError",
    "Fused",
    "Guarded",
    "Handler",
    "If",
    "Loop",
    "Member",
    "NoCall",
    "Node",
    "Op",
    "Operation",
    "Program",
    "Resumable",
    "Send",
    "Seq",
    "Span",
    "check",
    "dump",
    "operations",
    "recursive",
    "resumable",
    "structured",
]
