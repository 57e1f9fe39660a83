"""Which page a report has for a wrong kernel: a sample of tests/story_table.py, one of each kind that a wrong result can get."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from grader.engines.toolset import Toolset

ROOT = Path(__file__).resolve().parents[2]
TABLE = runpy.run_path(str(ROOT / "tests" / "story_table.py"))
SAMPLE = [
    ("05-transpose", "tile_not_turned", "copy", "belongs there"),
    ("06-reduction", "every_lane_adds", "sum", "are in it more than once"),
    ("07-histogram", "outside_goes_to_the_ends", "sum", "and counts it in own[0]"),
    ("01-naive", "row_and_column_swapped", "untouched", "which this grid of"),
]


@pytest.mark.parametrize("sample", SAMPLE, ids=lambda one: one[1])
def test_a_wrong_result_has_the_page_that_says_what_it_must(
    sample: tuple[str, str, str, str], toolset: Toolset, tmp_path: Path
) -> None:
    lab, kernel, kind, says = sample
    source = ROOT / "solutions" / lab / "rejects" / f"{kernel}.cu"
    row = TABLE["judged"](toolset, lab, source, tmp_path)
    assert says in row.stories[kind]
    assert row.questions[kind]
    assert f"| {lab} | {kernel} | wrong-answer |" in row.line
    assert (tmp_path / lab / kernel / f"{kind}-{lab}.html").is_file()
