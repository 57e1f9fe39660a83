"""What `tilelab profile` points out: lines that cost much although they need not, and no others."""

from __future__ import annotations

from grader.model.result import LineTraffic
from grader.run.scoring.metrics import LOAD, STORE, remarks


def loads(line: int, requests: int, sectors: int) -> LineTraffic:
    names = LOAD
    return LineTraffic(line=line, source="x = a[i];", metrics={names.requests: requests, names.sectors: sectors})


def stores_shared(line: int, instructions: int, wavefronts: int) -> LineTraffic:
    names = STORE
    counts = {
        names.instructions: instructions,
        names.wavefronts: wavefronts,
        names.conflicts: wavefronts - instructions,
    }
    return LineTraffic(line=line, source="t[i][0] = x;", metrics=counts)


def test_neighbours_side_by_side_are_worth_no_word() -> None:
    assert list(remarks([loads(3, 1000, 4000), loads(4, 1000, 5200)])) == []


def test_a_strided_load_is_named_with_its_line() -> None:
    said = list(remarks([loads(3, 1000, 4000), loads(4, 1000, 32000)]))
    assert len(said) == 1
    assert said[0].startswith("Line 4: one request of a warp touches 32 sectors")


def test_bank_conflicts_are_named_with_what_they_cost() -> None:
    (said,) = remarks([stores_shared(9, 100, 1600)])
    assert said.startswith("Line 9: because of bank conflicts, 100 wavefronts become 1,600.")


def test_a_line_that_hardly_counts_is_passed_over() -> None:
    assert list(remarks([loads(3, 100_000, 400_000), loads(4, 10, 320)])) == []
