"""Instruction counts, from text written down here and from what JAX prints."""

import jax
import jax.numpy as jnp
import pytest

from benchmarks.hlo import analysis, count_hlo, count_stablehlo, opcode_of

MODULE = """HloModule m, entry_computation_layout={(f32[4]{0})->(f32[4]{0}, s32[])}

FileNames
1 "somewhere.py"

%add_them (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %sum = f32[] add(%a, %b)
}

region_2 {
  t = (f32[4]{0:T(128)}, s32[]) parameter(0)
  ROOT x = s32[] get-tuple-element(t), index=1
}

ENTRY %main (x: f32[4]) -> (f32[4], s32[]) {
  %x = f32[4]{0} parameter(0), metadata={op_name="add(x)"}
  %c = s32[] constant(1)
  %r = f32[] reduce(%x, %c), dimensions={0}, to_apply=%add_them
  ROOT %out = (f32[4]{0:T(8,128)}, s32[]) tuple(%x, %c)
}
"""


def test_entry_and_total():
    counts = count_hlo(MODULE)
    assert counts.entry == {"parameter": 1, "constant": 1, "reduce": 1, "tuple": 1}
    assert counts.total == counts.entry + type(counts.total)(["parameter"] * 3 + ["add", "get-tuple-element"])
    assert counts.computations == 3
    assert counts.to_json()["entry_sum"] == 4


@pytest.mark.parametrize(
    ("line", "opcode"),
    [
        ("  ROOT %t = (f32[2]{0}, (s32[], pred[])) tuple(%a, %b)", "tuple"),
        ('  %x.1 = f32[8,128]{1,0:T(8,128)} custom-call(%a), custom_call_target="add("', "custom-call"),
        ("  a = s32[] constant(3)", "constant"),
        ("}", None),
        ('1 "file.py"', None),
    ],
)
def test_opcode_of_a_line(line, opcode):
    assert opcode_of(line) == opcode


def test_text_that_is_no_program_is_refused():
    with pytest.raises(ValueError, match="ENTRY"):
        count_hlo("nothing")
    with pytest.raises(ValueError, match="@main"):
        count_stablehlo("nothing")


def program(x):
    more = lambda state: state[1] < 3  # noqa: E731
    y, _ = jax.lax.while_loop(more, lambda state: (jax.nn.relu(state[0]) * 2.0, state[1] + 1), (x, 0))
    return jnp.sin(y) @ y


def test_counts_of_real_programs():
    lowered = jax.jit(program).lower(jnp.ones((4, 4)))
    stable, before = count_stablehlo(lowered.as_text()), count_hlo(lowered.as_text(dialect="hlo"))
    after = count_hlo(lowered.compile().as_text())
    assert stable.entry["while"] == before.entry["while"] == after.total["while"] == 1
    assert stable.entry["dot_general"] == before.entry["dot"] == 1
    assert stable.entry["multiply"] == before.entry["multiply"] == 0  # inside the loop
    assert stable.total["multiply"] == before.total["multiply"] == 1
    assert stable.computations == 2  # main and relu


def test_costs_of_a_compiled_program():
    figures = analysis(jax.jit(lambda x: x @ x).lower(jnp.ones((16, 16))).compile())
    assert figures["flops"] == pytest.approx(2 * 16**3)
    assert figures["argument_bytes"] == 16 * 16 * 4
