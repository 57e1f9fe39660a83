"""Labs with the interfaces of other courses: a file that a student wrote for such a course is graded as it is, right or wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from corpus_sample import sample

from grader.cli.proofs.course_proofs import wrong_with_solution
from grader.engines.toolset import Toolset
from grader.model.labs import lab_ids, load_lab
from grader.model.result import LabResult
from grader.roll.batch.controls import demanded, unmet
from grader.run.lab_judging import LabJudge
from grader.run.scoring.lab_score import score_lab
from grader.source.student_code import normalise

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
REJECTS = sorted(HERE.glob("solutions/*/rejects/*.cu"))
Grade = Callable[[str, Path], LabResult]


@pytest.fixture(scope="module")
def toolset() -> Toolset:
    return Toolset.open(ROOT, allow_no_sandbox=True)


@pytest.fixture
def grade(toolset: Toolset, tmp_path: Path) -> Grade:
    def judge(lab_id: str, source: Path) -> LabResult:
        lab = load_lab(HERE, lab_id)
        handed_in = tmp_path / lab.public.file
        text = normalise(source.read_bytes())[0].decode("utf-8", "replace")
        handed_in.write_text(lab.whole(text, source), encoding="utf-8")
        scratch = tmp_path / "judging"
        scratch.mkdir()
        return score_lab(lab, LabJudge(toolset, 20_240_917, public_only=False)(lab, handed_in, scratch))

    return judge


@pytest.mark.parametrize("lab_id", sample(lab_ids(HERE), 3))
def test_a_right_file_of_that_course_gets_full_marks(lab_id: str, grade: Grade) -> None:
    result = grade(lab_id, HERE / "solutions" / lab_id / load_lab(HERE, lab_id).public.file)
    assert list(wrong_with_solution(result)) == []


# Some of them, and with TILELAB_WHOLE_CORPUS=1 all.
@pytest.mark.parametrize("reject", sample(REJECTS, 9), ids=lambda path: path.stem)
def test_a_wrong_file_of_that_course_gets_the_verdict_on_its_first_line(reject: Path, grade: Grade) -> None:
    assert unmet(demanded(reject), grade(reject.parents[1].name, reject)) is None


@pytest.mark.parametrize("lab_id", lab_ids(HERE))
def test_a_header_that_such_a_file_includes_is_listed_and_there(lab_id: str) -> None:
    folder = HERE / "assignments" / lab_id
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*.h")}
    assert set(load_lab(HERE, lab_id).public.headers) == there
