"""Every example runs, with small sizes; what it says of itself it asserts itself."""

import re
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
#: for each example: what stands for the sizes at its head
SIZES = {
    "planets": {"STEPS": 500},
    "kalman": {"LENGTH, ITERATIONS": (60, 5)},
    "american_option": {"STEPS, PRICES": (50, 5)},
    "epidemic": {"DAYS": 60},
    "segmentation": {"EVERY, COLOURS": (16, 4)},
    "digits": {"EPOCHS, HIDDEN": (8, 16)},
    "metropolis": {"STEPS, CHAINS": (400, 20)},
    "edit_distances": {},
    "heat_control": {"STEPS, ITERATIONS": (300, 60)},
}


def test_every_example_is_run_and_listed():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(SIZES)
    listed = re.findall(r"^\| \[(\w+)\.py\]\(\1\.py\) \|", (EXAMPLES / "README.md").read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(SIZES)


@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
@pytest.mark.parametrize("name", SIZES)
def test_an_example(name, tmp_path, monkeypatch):
    monkeypatch.setattr(plt, "show", lambda: shown.append(plt.gcf()))
    plt.switch_backend("agg")
    shown = []
    text = (EXAMPLES / f"{name}.py").read_text()
    for sizes, small in SIZES[name].items():
        written = small if isinstance(small, int) else ", ".join(map(str, small))
        text, count = re.subn(rf"^{sizes} = .*$", f"{sizes} = {written}", text, flags=re.MULTILINE)
        assert count == 1, sizes
    assert text.count("# %%") >= 3
    path = tmp_path / f"{name}.py"
    path.write_text(text)
    runpy.run_path(str(path), run_name=name)
    assert shown
    plt.close("all")
