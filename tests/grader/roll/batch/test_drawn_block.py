"""The page that steps through a block with a mistake: of public cases alone, after everything is judged, and linked from the report."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from grader.engines.toolset import Toolset
from grader.explain.story import unpacked
from grader.model.labs import Lab, load_lab
from grader.model.outcome import JudgedCase, LabOutcome
from grader.model.result import Environment, Launch, Result, Submission
from grader.model.verdicts import Verdict
from grader.pages.findings.finding_card import launch_of, shown_launches
from grader.pages.pages import student_page
from grader.roll.batch import drawn_pages as module
from grader.roll.batch.drawn_pages import drawn_block
from grader.roll.batch.job_store import OUTCOME_JSON
from grader.roll.batch.opened_tools import lab_judge
from grader.run.launches import lab_launch
from grader.run.launches.trace_phases import StepKind
from grader.run.scoring.lab_score import score_lab
from grader.run.scoring.redaction import for_student

ROOT = Path(__file__).resolve().parents[4]
_NO_GUARD = ROOT / "solutions" / "01-naive" / "rejects" / "no_guard.cu"


@pytest.fixture(scope="module")
def lab() -> Lab:
    return load_lab(ROOT, "01-naive")


@pytest.fixture(scope="module")
def outcome(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> LabOutcome:
    toolset = Toolset.open(ROOT, allow_no_sandbox=True)
    judge = lab_judge(toolset, 7, public_only=True, draws=True)
    return judge(lab, _NO_GUARD, tmp_path_factory.mktemp("judging"))


def _launch(shape: str, verdict: Verdict = Verdict.WRONG_ANSWER) -> Launch:
    return Launch(shape=shape, inputs="i", verdict=verdict, grid=(1, 1, 1), block=(16, 16, 1))


def test_the_page_holds_the_access_that_the_finding_tells(outcome: LabOutcome) -> None:
    page, story = outcome.step_pages
    assert (story.name, story.links[0].shows) == ("outside-01-naive.html", "story")
    text = unpacked(page)
    assert page.name == "trace-01-naive.html"
    assert len(text.encode()) < 1_000_000
    (link,) = (one for one in page.links if one.kind is Verdict.OUT_OF_BOUNDS)
    found = re.search(r'id="story">(.*?)</script>', text)
    assert found is not None
    run = json.loads(found[1])["runs"][0]
    step = int(link.fragment.split("=")[1].split("&")[0]) - 1
    marks = [mark for mark in run["marks"] if mark["step"] == step]
    assert marks
    assert StepKind.OUTSIDE in {site[0] for site in run["sites"]}


def test_the_report_links_it_and_the_result_does_not_hold_it(lab: Lab, outcome: LabOutcome) -> None:
    result = _result(lab, outcome)
    page, story = result.labs[lab.id].step_pages
    report = student_page(result, sources={}, instructor=True, steps="../x/")
    assert f'href="../x/{page.name}#step=' in report
    assert f'<a href="../x/{story.name}#step=4">See where it lies</a>' in report
    assert page.name not in student_page(result, sources={})
    first = result.labs[lab.id].first_error
    assert first is not None
    shown = launch_of(first, shown_launches(result.labs[lab.id], instructor=True))
    assert shown is not None
    for size in (shown.shape, "M=99 N=9 K=9"):
        pages = tuple(one.model_copy(update={"shape": size}) for one in (page, story))
        other = result.model_copy(
            update={"labs": {lab.id: result.labs[lab.id].model_copy(update={"step_pages": pages})}}
        )
        assert ("(in the run with M=99 N=9 K=9)" in student_page(other, sources={}, steps="x/")) == (
            size != shown.shape
        )
    assert page.packed not in result.model_dump_json(by_alias=True)
    assert Result.model_validate_json(result.model_dump_json(by_alias=True)).labs[lab.id].step_pages == ()


def test_an_outcome_is_kept_with_its_page(outcome: LabOutcome) -> None:
    assert OUTCOME_JSON.validate_json(OUTCOME_JSON.dump_json(outcome)).step_pages == outcome.step_pages


def _result(lab: Lab, outcome: LabOutcome) -> Result:
    scored = score_lab(lab, outcome)
    environment = Environment(kit="0", compiler="c", backend="cpu", sandbox="none", date="2026-01-01")
    submission = Submission(id="a", name="A", files=())
    return for_student(Result(submission=submission, environment=environment, labs={lab.id: scored}, total=0, max=1))


@pytest.mark.parametrize(("visibility", "feedback"), [("hidden", "full"), ("public", "verdict"), ("public", "none")])
def test_cases_that_withhold_anything_are_never_drawn(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, visibility: str, feedback: str
) -> None:
    def watched(*_: object, **__: object) -> bytes:
        pytest.fail("a launch was watched")

    monkeypatch.setattr(lab_launch, "watch_public_launch", watched)
    specs = tuple(one.model_copy(update={"feedback": feedback}) for one in lab.public.case)
    if visibility == "hidden":
        specs = ()
    asked = Lab(**{**vars(lab), "public": lab.public.model_copy(update={"case": specs})})
    cases = [JudgedCase(one.name, False, Verdict.WRONG_ANSWER, "", (_launch("M=32 N=32 K=32"),)) for one in lab.cases]
    assert drawn_block(None, asked, "", Path("none"), cases) == ()  # type: ignore[arg-type]  # it is not used


@pytest.mark.parametrize("trouble", [RuntimeError("the judge failed"), ZeroDivisionError("ours"), KeyError(3)])
def test_a_page_that_cannot_be_made_is_left_out(lab: Lab, monkeypatch: pytest.MonkeyPatch, trouble: Exception) -> None:
    def watched(*_: object, **__: object) -> bytes:
        raise trouble

    monkeypatch.setattr(lab_launch, "watch_public_launch", watched)
    name = lab.public.case[0].name
    cases = [JudgedCase(name, False, Verdict.WRONG_ANSWER, "", (_launch("M=32 N=32 K=32"),))]
    assert drawn_block(None, lab, "", Path("none"), cases) == ()  # type: ignore[arg-type]  # it is not used


def test_the_smallest_launch_that_shows_something_is_drawn() -> None:
    shapes = ["M=1 N=1 K=1", "M=64 N=64 K=64", "M=32 N=32 K=16", "M=512 N=512 K=512"]
    chosen = module._worth_seeing([_launch(shape) for shape in shapes])
    assert chosen is not None
    assert chosen.shape == "M=32 N=32 K=16"
    tiny = module._worth_seeing([_launch("M=1 N=1 K=1"), _launch("M=3 N=2 K=4")])
    assert tiny is not None
    assert tiny.shape == "M=3 N=2 K=4"
    assert module._worth_seeing([_launch("M=64 N=64 K=64", Verdict.TIMEOUT)]) is None
    assert module._worth_seeing([]) is None


def test_a_race_has_a_second_page_with_both_orders(tmp_path: Path) -> None:
    raced = load_lab(ROOT, "02-tiled")
    judge = lab_judge(Toolset.open(ROOT, allow_no_sandbox=True), 7, public_only=True, draws=True)
    path = ROOT / "solutions" / raced.id / "rejects" / "no_second_barrier.cu"
    outcome = judge(raced, path, tmp_path)
    assert [page.name for page in outcome.step_pages] == ["trace-02-tiled.html", "race-02-tiled.html"]
    report = student_page(_result(raced, outcome), sources={raced.public.file: path.read_text()}, steps="")
    # On the first screen of a phone, whatever the length of the excerpt.
    assert report.index('href="race-02-tiled.html#step=1">Watch both orders') < report.index('class="row first"')
    assert 'href="trace-02-tiled.html#step=' in report
    text = unpacked(outcome.step_pages[1])
    found = re.search(r'id="story">(.*?)</script>', text)
    assert found is not None
    assert [run["title"] for run in json.loads(found[1])["runs"]] == [
        "Thread (0,0,0) is first",
        "Thread (15,0,0) is first",
    ]
