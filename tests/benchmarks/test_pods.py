"""`python -m benchmarks pods`; compiling for chips takes minutes, what is read of a program does not."""

from benchmarks import pods

TEXT = """
  %all-reduce.1 = (f32[4,8]{1,0:T(8,128)}, /*index=1*/bf16[16]{0}) all-reduce(%a, %b), channel_id=1
  %gathered = f32[64]{0} all-gather-start(%c), dimensions={0}
  ROOT %sum = f32[] add(%all-reduce.1, %d)
"""


def test_bytes_that_a_chip_sends():
    assert pods.exchanged(TEXT, 4) == {"all-reduce": 2 * 3 / 4 * (128 + 32), "all-gather": 3 / 4 * 256}
    assert pods.exchanged("ROOT %x = f32[] add(%all-reduce, %y)", 4) == {}


def test_a_layout_that_there_is_not(capsys):
    assert pods.pods(["nothing"]) == 2
    assert "data-256" in capsys.readouterr().err
    assert {name: layout.chips for name, layout in pods.LAYOUTS.items()}["data-256"] == 256
