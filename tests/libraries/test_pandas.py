"""Columns of pandas as arguments and globals: a program asks them for their arrays."""

import warnings

import numpy as np
import pandas as pd
import pytest

import xlapy
from xlapy.verification.comparison import Comparison


def frame(size):
    return pd.DataFrame({"a": np.arange(float(size)), "n": np.arange(size), "flag": np.arange(size) % 2 == 0})


TABLE = frame(3)


def doubled(series):
    return series.to_numpy() * 2, series.values.sum(), len(series), np.asarray(series) + 1


def of_columns(table):
    return table["a"].to_numpy() @ table.n.to_numpy(), table["flag"].values.any(), table[["a", "n"]] is None


def of_two(table):
    return table["a"].to_numpy() * table["n"].to_numpy(float), len(table)


def of_a_global():
    return TABLE["a"].to_numpy().sum(), TABLE["n"].to_numpy(copy=True)


@pytest.mark.parametrize("size", [0, 1, 2, 5])
@pytest.mark.parametrize("column", ["a", "n", "flag"])
def test_a_series(column, size):
    series = frame(size)[column]
    Comparison()(doubled(series), xlapy.jit(doubled)(series), "result")


@pytest.mark.parametrize("size", [0, 1, 2, 5])
def test_a_table(size):
    compiled, table = xlapy.jit(of_two), frame(size)
    Comparison()(of_two(table), compiled(table), "result")
    table["n"] = table["n"] + 7
    Comparison()(of_two(table), compiled(table), "result")


def test_a_global_that_changes(monkeypatch):
    compiled = xlapy.jit(of_a_global)
    Comparison()(of_a_global(), compiled(), "result")
    monkeypatch.setitem(globals(), "TABLE", frame(4) * 3)
    Comparison()(of_a_global(), compiled(), "result")


def test_a_column_that_may_not_be_written():
    def written(series):
        series.to_numpy()[0] = 1.0

    series = frame(3)["a"]
    try:
        written(series.copy())
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error)):
            xlapy.jit(written)(series)


@pytest.mark.parametrize(
    "function",
    [of_columns, lambda table: table["a"] * 2, lambda table: table["a"].mean(), lambda t: t["a"].iloc[0]],
)
def test_the_rest_is_refused_in_the_callers_words(function):
    with pytest.raises(xlapy.NotOffloadableError) as refused, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        xlapy.jit(function)(frame(3))
    text = str(refused.value)
    assert "to_numpy()" in text or "pandas" in text
    assert text.index("test_pandas.py") < text.find("pandas/core") or "pandas/core" not in text


def test_columns_of_texts_are_refused():
    with pytest.raises(xlapy.NotOffloadableError, match="not an array of numbers"):
        xlapy.jit(lambda s: s.to_numpy())(pd.Series(list("xyz"), dtype=object))
