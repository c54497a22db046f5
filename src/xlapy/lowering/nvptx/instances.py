"""One kernel for many instances of a loop, a thread for each: what `jax.vmap` makes of a kernel."""

from __future__ import annotations

from collections.abc import Sequence

from xlapy.lowering.llvm.programs import Function


def of_each_thread(function: Function, steps: Sequence[int]) -> Function:
    """A function of one thread as one for the threads of a grid, each of which is an instance of it.

    Args:
        function: the function.
        steps: for each of its parameters, how many bytes behind the memory of an instance that of the next one is.
    """
    names = [f"%p{k}" for k in range(len(steps))]
    lines = [
        function.body.replace("@main(", "@instance("),
        f"define internal void @main({', '.join(f'ptr {name}' for name in names)}, i64 %thread, i64 %threads) {{",
    ]
    for k, step in enumerate(steps):
        lines += [f"  %o{k} = mul i64 %thread, {step}", f"  %a{k} = getelementptr i8, ptr %p{k}, i64 %o{k}"]
    lines += [f"  call void @instance({', '.join(f'ptr %a{k}' for k in range(len(steps)))})", "  ret void", "}"]
    return function._replace(body="\n".join(lines), is_grid=True)


__all__ = ["of_each_thread"]
