"""Rewrites the source of a test module: calls, operators and subscripts go through functions that check them."""

from __future__ import annotations

import ast

#: names that rewritten code calls, with what they are given
CALL, METHOD, OPERATOR, ITEM = "checked_call_", "checked_method_", "checked_operator_", "checked_item_"
SET_ITEM, ATTRIBUTE = "checked_set_item_", "checked_attribute_"
#: functions whose calls are not calls of what is tested
_LEFT_ALONE = ("testing", "test", "raises", "warns", "mark", "param", "assert_")


class Rewriter(ast.NodeTransformer):
    """Rewrites what stands in the bodies of functions; decorators and defaults stay."""

    def __init__(self) -> None:
        self.depth = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:  # noqa: N802
        """A function: its body only."""
        self.depth += 1
        node.body = [self.visit(statement) for statement in node.body]
        self.depth -= 1
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:  # noqa: N802
        """A lambda: its body only."""
        node.body = self.visit(node.body)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:  # noqa: N802
        """`a.name(...)` or `name(...)`: a method, or a function."""
        function = node.func
        if isinstance(function, ast.Attribute):
            function.value = self.visit(function.value)
        else:
            node.func = function = self.visit(function)
        node.args = [self.visit(argument) for argument in node.args]
        node.keywords = [self.visit(argument) for argument in node.keywords]
        if (
            self.depth
            and isinstance(function, ast.Name)
            and not function.id.startswith((*_LEFT_ALONE, "checked_", "super"))
        ):
            call = ast.Call(ast.Name(CALL, ast.Load()), [function, *node.args], node.keywords)
            return ast.copy_location(call, node)
        if not self.depth or not isinstance(function, ast.Attribute) or function.attr.startswith(_LEFT_ALONE):
            return node
        if isinstance(function.value, ast.Call) and isinstance(function.value.func, ast.Name):
            if function.value.func.id == "super":
                return node
        arguments = [function.value, ast.Constant(function.attr), *node.args]
        return ast.copy_location(ast.Call(ast.Name(METHOD, ast.Load()), arguments, node.keywords), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:  # noqa: N802
        """`a + b`."""
        self.generic_visit(node)
        return self._operator(node, type(node.op).__name__, [node.left, node.right])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:  # noqa: N802
        """`-a`, of what is no literal."""
        self.generic_visit(node)
        if isinstance(node.op, ast.Not) or isinstance(node.operand, ast.Constant):
            return node
        return self._operator(node, type(node.op).__name__, [node.operand])

    def visit_Compare(self, node: ast.Compare) -> ast.expr:  # noqa: N802
        """`a < b`."""
        self.generic_visit(node)
        if len(node.ops) > 1 or isinstance(node.ops[0], ast.Is | ast.IsNot):
            return node
        return self._operator(node, type(node.ops[0]).__name__, [node.left, *node.comparators])

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:  # noqa: N802
        """`a[key]`, where it is read."""
        self.generic_visit(node)
        if not self.depth or not isinstance(node.ctx, ast.Load) or _has_star(node.slice):
            return node
        arguments = [node.value, _key(node.slice)]
        return ast.copy_location(ast.Call(ast.Name(ITEM, ast.Load()), arguments, []), node)

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:  # noqa: N802
        """`a[key] = value`."""
        self.generic_visit(node)
        target = node.targets[0]
        if not self.depth or len(node.targets) > 1 or not isinstance(target, ast.Subscript) or _has_star(target.slice):
            return node
        call = ast.Call(ast.Name(SET_ITEM, ast.Load()), [target.value, _key(target.slice), node.value], [])
        return ast.copy_location(ast.Expr(call), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:  # noqa: N802
        """`a.name`, where it is read."""
        self.generic_visit(node)
        if not self.depth or not isinstance(node.ctx, ast.Load) or node.attr.startswith("__"):
            return node
        return ast.copy_location(
            ast.Call(ast.Name(ATTRIBUTE, ast.Load()), [node.value, ast.Constant(node.attr)], []), node
        )

    def _operator(self, node: ast.expr, name: str, operands: list[ast.expr]) -> ast.expr:
        if not self.depth:
            return node
        call = ast.Call(ast.Name(OPERATOR, ast.Load()), [ast.Constant(name), *operands], [])
        return ast.copy_location(call, node)


def _has_star(key: ast.expr) -> bool:
    return any(isinstance(part, ast.Starred) for part in ast.walk(key))


def _key(key: ast.expr) -> ast.expr:
    """A subscript as an expression: slices are made by `slice`."""
    if isinstance(key, ast.Slice):
        parts = [part or ast.Constant(None) for part in (key.lower, key.upper, key.step)]
        return ast.Call(ast.Name("slice", ast.Load()), parts, [])
    if isinstance(key, ast.Tuple):
        return ast.Tuple([_key(part) for part in key.elts], ast.Load())
    return key


def rewritten(source: str, filename: str) -> ast.Module:
    """The module with its checks."""
    return ast.fix_missing_locations(Rewriter().visit(ast.parse(source, filename)))


__all__ = ["ATTRIBUTE", "CALL", "ITEM", "METHOD", "OPERATOR", "SET_ITEM", "rewritten"]
