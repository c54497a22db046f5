"""What a loop over suspended calls does in each trip."""

import numpy as np

import xlapy


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def visit(edges, seen, u):
    seen[u] = True
    for v in range(len(edges)):
        if edges[u, v] and not seen[v]:
            visit(edges, seen, v)


def test_the_list_of_calls_is_not_copied():
    numbers = str(xlapy.code_typed(fibonacci, np.int64(3)))
    graph = str(xlapy.code_typed(visit, np.ones((4, 4), bool), np.zeros(4, bool), 0))
    for text in (numbers, graph):
        assert "while" in text and "leaf[put item]" in text
        assert "leaf[_resized]" not in text
