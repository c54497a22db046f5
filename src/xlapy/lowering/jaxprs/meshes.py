"""Jaxprs that are kept know of no mesh: JAX lets them be part of programs on any."""

from __future__ import annotations

from contextlib import AbstractContextManager

import jax

_NO_MESH = jax.sharding.AbstractMesh((), ())
#: the mesh of the program that is being compiled, or of the caller
current_mesh = jax.sharding.get_abstract_mesh


def without_mesh() -> AbstractContextManager:
    """A context without a mesh."""
    return jax.sharding.use_abstract_mesh(_NO_MESH)


def needs_mesh(error: Exception) -> bool:
    """Whether JAX misses a mesh that the caller has set."""
    return (
        isinstance(error, ValueError | RuntimeError | TypeError) and "mesh" in str(error) and not current_mesh().empty
    )


__all__ = ["current_mesh", "needs_mesh", "without_mesh"]
