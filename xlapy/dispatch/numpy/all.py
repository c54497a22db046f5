"""All of NumPy: importing this registers the rules."""

# ruff: noqa: F401  (imported for what they register)

from xlapy.dispatch.arrays import indexing
from xlapy.dispatch.numpy import (
    attributes,
    conversions,
    creation,
    eigen,
    einsum,
    fft,
    histograms,
    index_tricks,
    linalg,
    manipulation,
    methods,
    nan_functions,
    operators,
    placing,
    polynomial,
    quantiles,
    questions,
    random,
    ranges,
    reductions,
    refusals,
    replacements,
    scalar_classes,
    selection,
    sets,
    sorting,
    statistics,
    strided,
    typed_methods,
    ufunc_methods,
    ufuncs,
    views,
)
