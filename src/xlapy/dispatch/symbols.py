"""The special methods of binary operators: `a + b` is `a.__add__(b)`, `b.__radd__(a)` or `a.__iadd__(b)`."""

#: the symbols in Python source, and the methods' names without underscores and prefix
BINARY = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "<<": "lshift",
    ">>": "rshift",
    "&": "and",
    "|": "or",
    "^": "xor",
}
