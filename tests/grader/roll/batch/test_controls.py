"""Controls: which kernels they are, and what is said when one of them gets another verdict than it must."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from grader.model.labs import CaseSpec, Lab, PrivateSpec, PublicSpec
from grader.model.outcome import JudgedCase, LabOutcome, unjudged
from grader.model.verdicts import Verdict
from grader.roll.batch.controls import Controls, controls_of

PUBLIC = PublicSpec(
    title="t", summary="s", problem="p", file="k.cu", kernel="k()", launch="l()", shapes="any",
    case=(CaseSpec(name="counts", points=1, role="technique"), CaseSpec(name="squares", points=1)),
)  # fmt: skip


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    folder = tmp_path / "solutions" / "a"
    (folder / "rejects").mkdir(parents=True)
    (folder / "k.cu").write_text("right")
    for name, verdict in {"a_slow": "timeout", "b_loose": "compile-error", "c_racy": "race line: 3"}.items():
        (folder / "rejects" / f"{name}.cu").write_text(f"// verdict: {verdict}\n")
    (folder / "rejects" / "a_note.cu").write_text("no verdict at all")
    return Lab("a", PUBLIC, PrivateSpec(), tmp_path / "assignments" / "a", folder)


@dataclass
class FakeJudge:
    """Says of each file, by its name, what it was told to say; the first of several, then the next."""

    says: dict[str, list[Verdict | Exception]]
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    whole: list[str] = field(default_factory=list)  # those of which every case was run

    def __call__(
        self, lab: Lab, source: Path, scratch: Path, /, *, only: tuple[str, ...] = (), until_failure: bool = False
    ) -> LabOutcome:
        assert scratch.is_dir()
        if not until_failure:
            self.whole.append(source.name)
        self.asked.append((source.name, only[0] if only else None))
        answers = self.says[source.name]
        said = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(said, Exception):
            raise said
        if said is Verdict.INTERNAL_ERROR:
            return unjudged(lab.id, said, "g++: fatal error: Killed signal terminated program cc1plus")
        return LabOutcome(lab.id, cases=(JudgedCase("squares", passed=said is Verdict.PASS, verdict=said),))


def test_a_lab_has_its_model_solution_and_the_reject_that_shows_most(lab: Lab) -> None:
    right, wrong = controls_of(lab)
    assert (right.source.name, right.wanted, right.case) == ("k.cu", Verdict.PASS, "squares")
    assert (wrong.source.name, wrong.wanted, wrong.case) == ("c_racy.cu", Verdict.RACE, None)


def test_a_handout_has_none(lab: Lab) -> None:
    assert controls_of(Lab("a", PUBLIC, None, lab.public_dir, None)) == []


def test_a_machine_that_judges_both_as_it_must_has_no_trouble(lab: Lab, tmp_path: Path) -> None:
    judge = FakeJudge({"k.cu": [Verdict.PASS], "c_racy.cu": [Verdict.RACE]})
    assert Controls(judge, tmp_path).trouble([lab]) == ""
    assert sorted(judge.asked) == [("c_racy.cu", None), ("k.cu", "squares")]


@pytest.mark.parametrize(
    ("says", "words"),
    [
        ({"k.cu": Verdict.CRASH}, "model solution of a must be pass and is crash"),
        ({"c_racy.cu": Verdict.PASS}, "wrong kernel of a must be race and is pass"),
        ({"k.cu": Verdict.INTERNAL_ERROR}, "memory that ran out"),
        ({"k.cu": RuntimeError("the judge of a failed with status 2")}, "run `make clean` and `make setup`"),
        ({"k.cu": OSError(28, "No space left on device")}, "A disk is full"),
    ],
)
def test_trouble_is_one_sentence_with_a_remedy(
    says: dict[str, Verdict | Exception], words: str, lab: Lab, tmp_path: Path
) -> None:
    fine: dict[str, Verdict | Exception] = {"k.cu": Verdict.PASS, "c_racy.cu": Verdict.RACE}
    judge = FakeJudge({name: [said] for name, said in {**fine, **says}.items()})
    trouble = Controls(judge, tmp_path).trouble([lab])
    assert trouble.startswith("this machine cannot grade at the moment: the ")
    assert words in trouble


@pytest.mark.parametrize(("first", "whole"), [(Verdict.RACE, ["k.cu"]), (Verdict.WRONG_ANSWER, ["c_racy.cu", "k.cu"])])
def test_a_wrong_kernel_runs_on_only_where_its_first_failure_is_another_one(
    first: Verdict, whole: list[str], lab: Lab, tmp_path: Path
) -> None:
    judge = FakeJudge({"k.cu": [Verdict.PASS], "c_racy.cu": [first, Verdict.RACE]})
    assert Controls(judge, tmp_path).trouble([lab]) == ""
    assert sorted(judge.whole) == whole


def test_controls_that_nobody_waits_for_are_not_begun(lab: Lab, tmp_path: Path) -> None:
    judge = FakeJudge({"k.cu": [Verdict.PASS], "c_racy.cu": [Verdict.RACE]})
    controls = Controls(judge, tmp_path)
    controls.stop()
    assert controls.trouble([lab])
    assert judge.asked == []


def test_what_fails_once_is_tried_again(lab: Lab, tmp_path: Path) -> None:
    judge = FakeJudge({"k.cu": [Verdict.INTERNAL_ERROR, Verdict.PASS], "c_racy.cu": [Verdict.RACE]})
    assert Controls(judge, tmp_path).trouble([lab]) == ""


def test_only_a_right_kernel_covers_a_lab(lab: Lab, tmp_path: Path) -> None:
    controls = Controls(FakeJudge({}), tmp_path)
    assert controls.covers(lab)
    assert lab.private_dir is not None
    (lab.private_dir / "k.cu").unlink()
    assert not controls.covers(lab)


def test_a_wrong_kernel_that_the_cpu_executor_finds_needs_no_gpu_and_another_does(lab: Lab, tmp_path: Path) -> None:
    both = FakeJudge({"k.cu": [Verdict.PASS], "c_racy.cu": [Verdict.RACE]})
    on_cpu = FakeJudge({"c_racy.cu": [Verdict.RACE]})
    assert Controls(both, tmp_path, on_cpu=on_cpu).trouble([lab]) == ""
    assert [name for name, _ in both.asked] == ["k.cu"]
    unfit = FakeJudge({"c_racy.cu": [Verdict.NEEDS_GPU]})
    assert Controls(both, tmp_path, on_cpu=unfit).trouble([lab]) == ""
    assert both.whole.count("c_racy.cu") == 1
