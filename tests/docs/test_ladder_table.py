"""The table and the figure of the open lab's ladder, from made-up times. What the rungs take is measured on a GPU only."""

from __future__ import annotations

import importlib
import itertools
import json
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
KERNELS = {"baseline": 10.0, "cublas": 1.0, "model": 4.0, "01_column_of_outputs": 2.0, "10_tuned": 0.5}


def measured(trouble: str = "") -> dict[str, Any]:
    rows = [
        {
            "size": size,
            "flops": 2 * size**3,
            "trouble": trouble,
            "kernels": [
                {"name": name, "ms": [ms, ms, ms], "share": [0.99 / ms, 1 / ms, 1.01 / ms]} for name, ms in KERNELS.items()
            ],
        }
        for size in (512, 1000, 1024)
    ]  # fmt: skip
    return {"date": "2026-01-02", "device": "Some GPU", "toolkit": "CUDA 13.0", "rounds": 31, "sizes": rows}


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The script, with an empty folder in place of the ladder's."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "figures"))
    ladder_table = importlib.import_module("ladder_table")
    section = replace(ladder_table.SECTION, document=tmp_path / "README.md")
    monkeypatch.setattr(ladder_table, "SECTION", section)
    monkeypatch.setattr(ladder_table, "FIGURE", tmp_path / "ladder.svg")
    monkeypatch.setattr(ladder_table, "LAB", tmp_path / "lab.toml")
    (tmp_path / "lab.toml").write_text('[climb]\nshape = "512x512x512"\n\ngflops = 1\n\ngflops = 2\n', "utf-8")
    monkeypatch.setattr(ladder_table.ladder_figures, "MEASURED", tmp_path / "measured.json")
    section.document.write_text(f"# A ladder\n\n{section.begin}\nold\n{section.end}\n\nMore.\n", "utf-8")
    return ladder_table


def test_the_ladders_page_and_figure_are_current() -> None:
    ladder = ROOT / "solutions" / "04-open" / "ladder"
    page = (ladder / "README.md").read_text(encoding="utf-8")
    assert (ladder / "measured.json").is_file() == (ladder / "ladder.svg").is_file() == ("| kernel |" in page)


def test_what_was_never_measured_says_how_to_measure_it(page: ModuleType, tmp_path: Path) -> None:
    page.write()
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "`make ladder` on a machine with a GPU" in text
    assert "old" not in text
    assert text.endswith("More.\n")


def test_a_cell_has_the_speed_and_the_share_with_half_of_its_interval(page: ModuleType) -> None:
    lines = page.table(measured()).splitlines()
    (tuned,) = (line for line in lines if line.startswith("| 10 tuned |"))
    (library,) = (line for line in lines if line.startswith("| cuBLAS |"))
    assert tuned.split(" | ")[1] == "537<br>2.000 ± 0.020"  # 2·512³ operations in 0.5 ms
    assert library.split(" | ")[1] == "268"


def test_a_noisy_size_is_named_below_the_table(page: ModuleType) -> None:
    assert page.table(measured("too noisy")).endswith("Not quiet: 512³: too noisy; 1000³: too noisy; 1024³: too noisy.")


def test_the_figure_shows_every_kernel_and_says_the_shares_in_words(page: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "measured.json").write_text(json.dumps(measured()), encoding="utf-8")
    page.write()
    drawing = (tmp_path / "ladder.svg").read_text(encoding="utf-8")
    assert "at 1024 naive 0.10, cuBLAS 1.00, model 0.25, 01 0.50, 10 2.00" in drawing
    assert all(drawing.count(f">{label}</text>") == 2 for label in ("naive", "cuBLAS", "model", "01", "10"))
    assert "![" in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_the_speeds_of_the_steps_are_written_into_the_labs_file(page: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "measured.json").write_text(json.dumps(measured()), encoding="utf-8")
    page.write()
    assert [line for line in (tmp_path / "lab.toml").read_text().splitlines() if "gflops" in line] == [
        "gflops = 67",
        "gflops = 134",
    ]


def test_labels_keep_their_order_and_do_not_lie_on_each_other(page: ModuleType) -> None:
    places = page.ladder_figures.spread([10, 11, 12, 20, 100])
    assert all(after - before >= 13 for before, after in itertools.pairwise(places))
    assert page.ladder_figures.spread([10, 100]) == [10, 100]
    assert page.ladder_figures.spread([50, 50]) == [43.5, 56.5]
