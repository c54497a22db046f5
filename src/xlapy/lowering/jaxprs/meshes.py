"""Meshes of the programs in which jaxprs are used that are kept."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import jax
from jax.sharding import AbstractMesh, AxisType

_NO_MESH = AbstractMesh((), ())
#: the mesh of the program that is being compiled, or of the caller
current_mesh = jax.sharding.get_abstract_mesh


def callers_mesh() -> AbstractMesh:
    """The mesh that the caller has set, with its kinds of axes. While JAX traces something, that is the current one."""
    try:
        return jax.sharding.get_mesh().abstract_mesh
    except ValueError:
        return current_mesh()


def without_mesh() -> AbstractContextManager:
    """A context without a mesh: a jaxpr that is made there may be part of programs on any."""
    return jax.sharding.use_abstract_mesh(_NO_MESH)


def with_auto_mesh() -> AbstractContextManager:
    """A context in which the mesh has axes along which XLA decides."""
    mesh = current_mesh()
    return jax.sharding.use_abstract_mesh(auto(mesh)) if mesh.explicit_axes else nullcontext()


def auto(mesh: AbstractMesh) -> AbstractMesh:
    """A mesh along all of whose axes XLA decides, but those that are manual."""
    return mesh.update_axis_types(dict.fromkeys(mesh.explicit_axes, AxisType.Auto))


__all__ = ["auto", "callers_mesh", "current_mesh", "with_auto_mesh", "without_mesh"]
