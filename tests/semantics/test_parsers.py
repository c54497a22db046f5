"""Parsers of known texts over dynamic values: loops on a position that is known once they are unrolled."""

import math
from typing import NamedTuple

import numpy as np

from .runner import Programs

program = Programs()
rng = np.random.default_rng(41)
X = rng.normal(size=12)
Y = rng.normal(size=12)


class Token(NamedTuple):
    kind: str
    text: str


def tokenize(src):
    out = []
    i = 0
    while i < len(src):
        ch = src[i]
        if ch.isspace():
            i += 1
        elif ch.isdigit() or ch == ".":
            j = i
            while j < len(src) and (src[j].isdigit() or src[j] == "."):
                j += 1
            out.append(Token("num", src[i:j]))
            i = j
        elif ch.isalpha():
            j = i
            while j < len(src) and src[j].isalnum():
                j += 1
            out.append(Token("name", src[i:j]))
            i = j
        else:
            out.append(Token("op", ch))
            i += 1
    out.append(Token("end", ""))
    return out


class Parser:
    FUNCS = {"sin": math.sin, "sqrt": math.sqrt, "abs": abs}

    def __init__(self, src, env):
        self.tokens = tokenize(src)
        self.pos = 0
        self.env = env

    def peek(self):
        return self.tokens[self.pos]

    def take(self):
        t = self.peek()
        self.pos += 1
        return t

    def expr(self):
        v = self.term()
        while self.peek().text in ("+", "-"):
            op = self.take().text
            r = self.term()
            v = v + r if op == "+" else v - r
        return v

    def term(self):
        v = self.power()
        while self.peek().text in ("*", "/"):
            op = self.take().text
            r = self.power()
            v = v * r if op == "*" else v / r
        return v

    def power(self):
        v = self.atom()
        if self.peek().text == "^":
            self.take()
            return v ** self.power()
        return v

    def atom(self):
        match self.take():
            case Token("num", text):
                return float(text)
            case Token("name", name) if self.peek().text == "(":
                self.take()
                v = self.expr()
                assert self.take().text == ")"
                return self.FUNCS[name](v)
            case Token("name", name):
                try:
                    return self.env[name]
                except KeyError:
                    raise NameError(f"unknown variable {name!r}") from None
            case Token("op", "("):
                v = self.expr()
                self.take()
                return v
            case Token("op", "-"):
                return -self.atom()
            case other:
                raise SyntaxError(f"unexpected {other.text!r}")


@program((0.3, 2.0), (1.1, -4.0))
def parser_expression(x, y):
    return Parser("3*x^2 - sin(x*y)/ (1 + abs(y)) + 2^-x", {"x": x, "y": y}).expr()


@program((0.3, 0.0), raises=ZeroDivisionError)
def parser_division(x, y):
    return Parser("x / y", {"x": x, "y": y}).expr()


@program((0.3,), raises=NameError)
def parser_unknown(x):
    return Parser("x + zz", {"x": x}).expr()


@program((X,), (Y,))
def parser_over_array(xs):
    out = np.empty_like(xs)
    for i, x in enumerate(xs):
        out[i] = Parser("x*x - 2*x + 1", {"x": x}).expr()
    return out


test_programs = program.test()
