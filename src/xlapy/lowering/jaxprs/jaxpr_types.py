"""What JAX's versions export under other names, for all who look into JAX's programs.

Since JAX 0.12 a program with its constants is a plain `Jaxpr`, and `ClosedJaxpr` another name of that class which
`jax.extend.core` does not declare as exported: hence the comment to the type checker, in this one file.
"""
# pyright: reportPrivateImportUsage=false

from typing import TypeAlias

from jax.extend import core

ClosedJaxpr: TypeAlias = core.ClosedJaxpr
