"""Pages beside a report where launches are the student's own: of each launch with a finding, and none where host code alone is wrong."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from grader.engines.toolset import Toolset
from grader.explain.story import unpacked
from grader.model.labs import load_lab
from grader.model.outcome import LabOutcome
from grader.model.verdicts import Verdict
from grader.roll.batch.job_store import OUTCOME_JSON
from grader.roll.batch.opened_tools import lab_judge

pytestmark = pytest.mark.in_turn(3)

ROOT = Path(__file__).resolve().parents[4]
LAB = load_lab(ROOT, "08-scan")
TWO = (ROOT / "tests" / "labs" / "traced_runs" / "two_launches.cu").read_text()


def judged(text: str, folder: Path, *, draws: bool = True) -> LabOutcome:
    file = folder / "scan.cu"
    file.write_text(text)
    toolset = Toolset.open(ROOT, allow_no_sandbox=True, backend="cpu")
    return lab_judge(toolset, 7, public_only=True, draws=draws)(LAB, file, folder)


def test_each_launch_with_a_finding_has_its_pages(tmp_path: Path) -> None:
    """A race in the first launch, and an access out of bounds in the second."""
    outcome = judged(TWO.replace("  __syncthreads();\n  for", "  for"), tmp_path)
    pages = {one.name: one for one in outcome.step_pages}
    assert set(pages) == {
        "trace-08-scan.html",
        "race-08-scan.html",
        "trace-08-scan-2.html",
        "outside-08-scan-2.html",
    }
    links = {(link.kind, link.shows): name for name, page in pages.items() for link in page.links}
    assert links == {
        (Verdict.RACE, "block"): "trace-08-scan.html",
        (Verdict.RACE, "orders"): "race-08-scan.html",
        (Verdict.OUT_OF_BOUNDS, "block"): "trace-08-scan-2.html",
        (Verdict.OUT_OF_BOUNDS, "story"): "outside-08-scan-2.html",
    }
    text = unpacked(pages["trace-08-scan-2.html"])
    assert "launch 2 of 2: add_sums" in text
    assert len(text.encode()) < 1_000_000
    found = {(one.kind, one.line) for case in outcome.cases for launch in case.launches for one in launch.findings}
    assert {(link.kind, link.line) for page in pages.values() for link in page.links} <= found


def test_a_launch_that_never_began_is_not_drawn(tmp_path: Path) -> None:
    outcome = judged(TWO.replace("<<<blocks, threads>>>(in", "<<<threads * 8, 2048>>>(in"), tmp_path)
    assert {case.verdict for case in outcome.cases if not case.passed} == {Verdict.LAUNCH_ERROR}
    assert outcome.step_pages == ()


def test_what_is_judged_is_the_same_byte_for_byte_with_pages_and_without(tmp_path: Path) -> None:
    def plain(draws: bool) -> str:
        outcome = judged(TWO, tmp_path, draws=draws)
        assert bool(outcome.step_pages) == draws
        timeless = dataclasses.replace(outcome, seconds=0, step_pages=(), build=None)
        return OUTCOME_JSON.dump_json(timeless).decode()

    assert plain(draws=True) == plain(draws=False)
