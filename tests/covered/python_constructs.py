"""The constructs of Python that the page about it lists, each with the label that `python_page.labels` gives it."""

from __future__ import annotations

import builtins

STATEMENTS = {
    "Assign": "`x = y`",
    "Assign several": "`x = y = z`",
    "Assign Tuple": "`x, y = z`",
    "Assign Subscript": "`x[i] = y`",
    "Assign Attribute": "`x.a = y`",
    "AnnAssign": "`x: t = y`",
    "AugAssign Name": "`x += y`",
    "AugAssign Subscript": "`x[i] += y`",
    "AugAssign Attribute": "`x.a += y`",
    "Delete Name": "`del x`",
    "Delete Subscript": "`del x[i]`",
    "Delete Attribute": "`del x.a`",
    "If": "`if`, `elif`, `else`",
    "For": "`for`",
    "For else": "`for`, `else`",
    "While": "`while`",
    "While else": "`while`, `else`",
    "Break": "`break`",
    "Continue": "`continue`",
    "Return": "`return`",
    "Pass": "`pass`",
    "Expr": "an expression as a statement",
    "Match": "`match`",
    "With": "`with`",
    "Assert": "`assert`",
    "Raise": "`raise`",
    "Raise from": "`raise x from y`",
    "Raise again": "`raise` alone",
    "Try": "`try`, `except`",
    "Try several": "several `except`",
    "Try orelse": "`try`, `else`",
    "Try finalbody": "`try`, `finally`",
    "TryStar": "`except*`",
    "Global": "`global`",
    "Nonlocal": "`nonlocal`",
    "Import": "`import` inside",
    "ImportFrom": "`from x import y` inside",
    "ClassDef": "`class`",
    "ClassDef base": "`class` with a base",
    "ClassDef decorator": "`class` with a decorator",
    "AsyncFunctionDef": "`async def`",
    "AsyncFor": "`async for`",
    "AsyncWith": "`async with`",
}
EXPRESSIONS = {
    "Constant": "constants",
    "Name": "names",
    "Attribute": "`x.a`",
    "Subscript": "`x[i]`",
    "Slice": "`x[i:j]`",
    "Slice step": "`x[i:j:k]`",
    "Call": "`f(x)`",
    "Call keyword": "`f(a=x)`",
    "Call *": "`f(*x)`",
    "Call **": "`f(**x)`",
    "BinOp": "`x + y`",
    "UnaryOp": "`-x`",
    "BoolOp": "`x and y`",
    "Compare": "`x < y`",
    "Compare chain": "`x < y < z`",
    "IfExp": "`x if c else y`",
    "NamedExpr": "`(x := y)`",
    "Lambda": "`lambda`",
    "Tuple": "`(x, y)`",
    "List": "`[x, y]`",
    "Dict": "`{x: y}`",
    "Set": "`{x, y}`",
    "Starred": "`*x` in a display or a target",
    "ListComp": "`[x for x in y]`",
    "SetComp": "`{x for x in y}`",
    "DictComp": "`{x: y for x in z}`",
    "GeneratorExp": "`(x for x in y)`",
    "comprehension if": "comprehensions with `if`",
    "JoinedStr": "f-strings",
    "FormattedValue spec": "f-strings with a format",
    "Yield": "`yield`",
    "YieldFrom": "`yield from`",
    "Await": "`await`",
}
OPERATORS = {
    "Add": "`+`",
    "Sub": "`-`",
    "Mult": "`*`",
    "Div": "`/`",
    "FloorDiv": "`//`",
    "Mod": "`%`",
    "Pow": "`**`",
    "MatMult": "`@`",
    "LShift": "`<<`",
    "RShift": "`>>`",
    "BitAnd": "`&`",
    "BitOr": "`\\|`",
    "BitXor": "`^`",
    "Invert": "`~x`",
    "USub": "`-x`",
    "UAdd": "`+x`",
    "Not": "`not`",
    "And": "`and`",
    "Or": "`or`",
    "Eq": "`==`",
    "NotEq": "`!=`",
    "Lt": "`<`",
    "LtE": "`<=`",
    "Gt": "`>`",
    "GtE": "`>=`",
    "Is": "`is`",
    "IsNot": "`is not`",
    "In": "`in`",
    "NotIn": "`not in`",
}
PATTERNS = {
    "MatchValue": "`case 1`",
    "MatchSingleton": "`case None`",
    "MatchSequence": "`case [x, y]`",
    "MatchStar": "`case [x, *y]`",
    "MatchMapping": "`case {'a': x}`",
    "MatchClass": "`case C(x, a=y)`",
    "MatchAs": "`case x`, `case _`, `case p as x`",
    "MatchOr": "`case p \\| q`",
}
FUNCTIONS = {
    "FunctionDef": "`def`",
    "FunctionDef decorator": "`def` with a decorator",
    "arguments defaults": "defaults",
    "arguments posonlyargs": "positional-only parameters",
    "arguments kwonlyargs": "keyword-only parameters",
    "arguments vararg": "`*args`",
    "arguments kwarg": "`**kwargs`",
}
SPECIAL_METHODS = (
    "__new__ __init__ __del__ __repr__ __str__ __format__ __bytes__ __hash__ __bool__ __eq__ __ne__ __lt__ __le__"
    " __gt__ __ge__ __getattr__ __getattribute__ __setattr__ __delattr__ __dir__ __get__ __set__ __delete__"
    " __set_name__ __init_subclass__ __class_getitem__ __instancecheck__ __subclasscheck__ __call__ __len__"
    " __length_hint__ __getitem__ __setitem__ __delitem__ __missing__ __iter__ __next__ __reversed__ __contains__"
    " __add__ __sub__ __mul__ __matmul__ __truediv__ __floordiv__ __mod__ __divmod__ __pow__ __lshift__ __rshift__"
    " __and__ __xor__ __or__ __radd__ __rsub__ __rmul__ __rmatmul__ __rtruediv__ __rfloordiv__ __rmod__"
    " __rdivmod__ __rpow__ __rlshift__ __rrshift__ __rand__ __rxor__ __ror__ __iadd__ __isub__ __imul__"
    " __imatmul__ __itruediv__ __ifloordiv__ __imod__ __ipow__ __ilshift__ __irshift__ __iand__ __ixor__ __ior__"
    " __neg__ __pos__ __abs__ __invert__ __complex__ __int__ __float__ __index__ __round__ __trunc__ __floor__"
    " __ceil__ __enter__ __exit__ __await__ __aiter__ __anext__ __aenter__ __aexit__"
).split()
MODULES = (
    "abc array asyncio bisect cmath collections contextlib copy dataclasses datetime decimal enum fractions"
    " functools heapq itertools json logging math numbers operator os random re statistics string struct sys"
    " threading time types typing warnings weakref"
).split()
#: what is there for interactive use, or is no function
_LEFT_OUT = {"copyright", "credits", "exit", "help", "license", "quit", "Ellipsis", "NotImplemented"}


def built_ins() -> list[str]:
    """The names of the built-in functions and types; exceptions are not listed one by one."""
    found = []
    for name in dir(builtins):
        item = getattr(builtins, name)
        raised = isinstance(item, type) and issubclass(item, BaseException)
        if callable(item) and not name.startswith("_") and not raised and name not in _LEFT_OUT:
            found.append(name)
    return [*found, "__import__"]
