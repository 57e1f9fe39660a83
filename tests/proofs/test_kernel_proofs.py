"""What is proved of a lab's own kernels, with results made by hand: each failure is named."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from grader.cli.proofs.course_proofs import LabProofs, wrong_with_solution, wrong_with_starter
from grader.cli.proofs.page_proofs import disclosures, withheld_shapes, wrong_points
from grader.model.labs import CaseSpec, Lab, LabError, PrivateSpec, PublicSpec
from grader.model.result import Build, Case, Explanation, Finding, LabResult, Launch, Site
from grader.model.verdicts import Verdict
from grader.roll.batch.controls import Demand, demanded, unmet

SEED = 7_302_251_994_182


def case(**changes: object) -> Case:
    made = Case(
        name="sums", visibility="public", verdict=Verdict.WRONG_ANSWER, passed=False, points=0, max_points=2,
        message="4 of 4 elements wrong", advice="Which element is yours?",
    )  # fmt: skip
    return made.model_copy(update=changes)


def graded(*cases: Case, **changes: object) -> LabResult:
    made = LabResult(
        title="Sums", file="sum.cu", verdict=Verdict.WRONG_ANSWER, points=0, max_points=2,
        build=Build(ok=True), cases=cases or (case(),),
    )  # fmt: skip
    return made.model_copy(update=changes)


PASSED = graded(case(passed=True, points=2, verdict=Verdict.PASS), verdict=Verdict.PASS, points=2)
RACE = Finding(kind=Verdict.RACE, message="two threads", line=7, other=Site(line=9))


def test_a_starter_that_fails_and_says_why_is_as_it_should_be() -> None:
    assert list(wrong_with_starter(graded())) == []


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (graded(build=Build(ok=False), verdict=Verdict.COMPILE_ERROR), "does not compile"),
        (graded(build=Build(ok=True, log="unused x\n")), "compiles with warnings: unused x"),
        (PASSED, "must fail"),
        (graded(verdict=Verdict.INTERNAL_ERROR), "gets internal-error"),
        (graded(points=0.5), "earns 0.5 points"),
        (graded(case(advice="")), "'sums' gives no advice"),
    ],
)
def test_what_is_wrong_with_a_starter_is_told(result: LabResult, told: str) -> None:
    assert any(told in what for what in wrong_with_starter(result))


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (graded(), "fails 'sums': 4 of 4 elements wrong"),
        (PASSED.model_copy(update={"points": 1.5}), "gets pass and 1.5 of 2 points"),
        (PASSED.model_copy(update={"findings": (RACE,)}), "line 7: race (error): two threads"),
        (PASSED.model_copy(update={"points": 0, "max_points": 0}), "0 of 0 points"),
    ],
)
def test_what_is_wrong_with_a_solution_is_told(result: LabResult, told: str) -> None:
    assert list(wrong_with_solution(PASSED)) == []
    assert any(told in what for what in wrong_with_solution(result))


@pytest.mark.parametrize("first", ["", "// a race", "// verdict: pass", "// verdict: luck", "// verdict: race line: x"])
def test_a_reject_that_demands_nothing_sensible_is_refused(tmp_path: Path, first: str) -> None:
    (tmp_path / "wrong.cu").write_text(f"{first}\nint x;\n", encoding="utf-8")
    with pytest.raises(LabError, match="is not a line `// verdict: …`"):
        demanded(tmp_path / "wrong.cu")


@pytest.mark.parametrize("line", [7, 9, None])
def test_a_reject_that_gets_its_verdict_in_either_line_is_as_it_should_be(tmp_path: Path, line: int | None) -> None:
    wanted = f" line: {line}" if line else ""
    (tmp_path / "wrong.cu").write_text(f"// verdict: race{wanted}\n", encoding="utf-8")
    assert demanded(tmp_path / "wrong.cu") == Demand(Verdict.RACE, line)
    assert unmet(Demand(Verdict.RACE, line), graded(verdict=Verdict.RACE, findings=(RACE,))) is None


@pytest.mark.parametrize(
    ("result", "told"),
    [
        (PASSED, "should get race, but gets pass"),
        (
            graded(verdict=Verdict.RACE, findings=(RACE.model_copy(update={"line": 8, "other": None}),)),
            "found elsewhere",
        ),
        (graded(verdict=Verdict.RACE, points=2), "but also full marks"),
    ],
)
def test_a_reject_that_gets_something_else_is_told(result: LabResult, told: str) -> None:
    assert told in str(unmet(Demand(Verdict.RACE, 7), result))


def test_a_reject_demands_the_explanation_on_its_second_line_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "wrong.cu").write_text("// verdict: wrong-answer\n// explains: a-transposed\n", encoding="utf-8")
    demand = demanded(tmp_path / "wrong.cu")
    assert demand == Demand(Verdict.WRONG_ANSWER, None, "a-transposed")
    words = Explanation(mistake="a-transposed", sentence="A is turned.", advice="Which is the row?")
    explained = graded(case(launches=(launch("M=2 N=3").model_copy(update={"explanation": words}),)))
    assert unmet(demand, explained) is None
    assert str(unmet(demand, graded())).endswith("but gets none; if that is right, remove its second line")
    told = str(unmet(Demand(Verdict.WRONG_ANSWER, None), explained))
    assert told.startswith("should get no explanation, but gets a-transposed; ")
    assert told.endswith("; if that is right, add the second line `// explains: a-transposed`")
    other = str(unmet(Demand(Verdict.WRONG_ANSWER, None, "b-transposed"), explained))
    assert other.endswith("; if that is right, make its second line `// explains: a-transposed`")


def test_a_report_that_withholds_what_it_should_gives_nothing_away() -> None:
    hidden = case(name="big", visibility="hidden", feedback="verdict", launches=(launch("M=97 N=13 K=61"),))
    assert withheld_shapes(graded(hidden)) == [("big", "M=97 N=13 K=61")]
    assert list(disclosures(graded(hidden), SEED)) == []


@pytest.mark.parametrize("advice", ["Try M=97 N=13 K=61.", "Try 97, 13, 61.", f"Seed {SEED}."])
def test_a_report_that_tells_a_hidden_shape_or_the_seed_is_found(advice: str) -> None:
    hidden = case(
        name="big", visibility="hidden", feedback="verdict", launches=(launch("M=97 N=13 K=61"),), advice=advice
    )
    assert len(list(disclosures(graded(hidden), SEED))) == 1


@pytest.mark.parametrize(
    ("shape", "advice", "told"),
    [
        ("n=2", "Try n=255, n=27 and n=2.5.", 0),
        ("n=2", "Try n=2.", 1),
        ("n=1021", "Try n = 3001 and 1021.", 1),
        ("n=1021", "1021 reads, n=10210, seed 1234567.", 0),
    ],
)
def test_a_shape_is_told_only_by_its_own_numbers(shape: str, advice: str, told: int) -> None:
    hidden = case(name="big", visibility="hidden", feedback="verdict", launches=(launch(shape),), advice=advice)
    assert len(list(disclosures(graded(hidden), SEED))) == told


def launch(shape: str) -> Launch:
    return Launch(shape=shape, inputs="small integers", verdict=Verdict.WRONG_ANSWER)


def lab(folder: Path, *, rejects_at_least: int = 8) -> Lab:
    for half in ("assignments", "solutions"):
        (folder / half / "05-sum" / "rejects").mkdir(parents=True)
    cases = (CaseSpec(name="sums", points=2), CaseSpec(name="loads", points=1, role="technique"))
    public = PublicSpec(
        title="", summary="", problem="", file="sum.cu", kernel="sum()", launch="sum_launch()", shapes="", case=cases
    )
    private = PrivateSpec(case=(CaseSpec(name="big", points=3),), rejects_at_least=rejects_at_least)
    return Lab("05-sum", public, private, folder / "assignments" / "05-sum", folder / "solutions" / "05-sum")


def test_too_few_rejects_are_a_failure_of_their_own(tmp_path: Path) -> None:
    proofs = LabProofs(
        tmp_path,
        lab(tmp_path, rejects_at_least=1),
        SEED,
        lambda _lab, _source: graded(),
        lambda _lab, _text: Verdict.PASS,
    )
    assert ["there are 0 rejects, but there must be 1" in str(one) for one in proofs.enough_rejects()] == [True]
    (tmp_path / "solutions/05-sum/rejects/wrong.cu").write_text("// verdict: wrong-answer\n", encoding="utf-8")
    assert proofs.enough_rejects() == []
    assert [step() for proof in proofs.of_kernels() if proof.name.startswith("rejects") for step in proof.steps] == [
        [],
        [],
    ]


TABLE = (
    "## How it is graded\n\n| public tests | 2 |\n| technique: loads | 1 |\n| hidden tests: big | 3 |\n\n## Questions\n"
)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("| 3 |", "| 4 |", "page.md:5: says 4 points for hidden, and it is 3"),
        ("| hidden tests: big | 3 |\n", "", "page.md:1: does not say that there are 3 points for hidden"),
        ("| 3 |\n", "| 3 |\n| speed | 3 |\n", "page.md:6: says 3 points for speed, and it is 0"),
        ("How it is", "How this is", "page.md: has no `## How it is graded`"),
    ],
)
def test_points_that_are_not_given_are_told(tmp_path: Path, old: str, new: str, told: str) -> None:
    summing = lab(tmp_path)
    assert list(wrong_points(summing, TABLE, "page.md")) == []
    (diagnostic,) = wrong_points(summing, TABLE.replace(old, new), "page.md")
    assert str(diagnostic).startswith(told)


def test_points_for_speed_that_students_are_told_of_are_those_that_are_given(tmp_path: Path) -> None:
    summing = lab(tmp_path)
    told = dataclasses.replace(summing, public=summing.public.model_copy(update={"speed_points": 5}))
    (diagnostic,) = wrong_points(told, TABLE, "page.md")
    assert str(diagnostic) == "page.md:1: lab.toml says 5 points for speed, and it is 0"
