"""The batch's table for a terminal of 80 columns."""

from __future__ import annotations

import pytest

from grader.commands.classes.summary import headings


@pytest.mark.parametrize(
    ("labs", "expected"),
    [
        (["01-naive", "02-tiled"], ["01-naive", "02-tiled"]),
        ([f"{number:02}-a-long-name" for number in range(4)], ["00", "01", "02", "03"]),
        (["scan-one-block", "scan-many-blocks", "scan-by-warps-alone"], None),
    ],
)
def test_labs_are_named_by_their_numbers_where_there_are_many(labs: list[str], expected: list[str] | None) -> None:
    assert headings(labs) == (expected or labs)
