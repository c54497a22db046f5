"""What `xlapy.grad` and the like are made of: functions that stand for JAX's transformations in programs (rules in
`xlapy.dispatch.jax` say what they do), and the linear function that `vjp` and `linearize` return."""

from __future__ import annotations


def apply(name, function, options, args, kwargs):
    """Transformation `name` of `function`, applied to arguments; only ever interpreted."""
    raise RuntimeError("xlapy's transformations run inside programs only")


def forward(function, primals, tangents, has_aux):
    """`jax.jvp`; only ever interpreted."""
    raise RuntimeError("xlapy's transformations run inside programs only")


def run_linear(linear, vectors):
    """A call of a `Linear`; only ever interpreted."""
    raise RuntimeError("xlapy's transformations run inside programs only")


def with_linear(function, primals, has_aux, name):
    """`jax.vjp` or `jax.linearize`; only ever interpreted."""
    raise RuntimeError("xlapy's transformations run inside programs only")


class Linear:
    """The linear function that `vjp` and `linearize` return.

    Attributes:
        residuals: what the forward pass kept, arrays.
        structure: how JAX makes its own function from them.
        takes: `Side` of its arguments.
        gives: `Side` of its result.
    """

    def __init__(self, residuals, structure, takes, gives):
        self.residuals, self.structure, self.takes, self.gives = residuals, structure, takes, gives

    def __call__(self, *vectors):
        """Tangents of the arguments to a tangent of the result (`linearize`), or the other way round (`vjp`)."""
        return self.run(self, vectors)

    #: `run_linear` as a compiled function, for calls on the host
    run: staticmethod
