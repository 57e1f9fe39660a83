"""The batch: every result is written, nothing is judged twice, changed files are judged again, our failures affect no other student."""

from __future__ import annotations

import csv
import dataclasses
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from grader.batch.class_batch import BatchReport, grade_submissions
from grader.batch.judging_jobs import JudgingSetup
from grader.batch.output_folder import OutError, OutputFolder
from grader.exports import EXPORTS
from grader.intake.upload_search import IntakeError
from grader.model.labs import Lab, load_lab
from grader.model.outcome import JudgedCase, LabOutcome, SizeOutcome, SpeedOutcome
from grader.model.result import Environment, Finding, LabResult, Launch, Result
from grader.model.verdicts import Verdict
from grader.scoring import class_score
from grader.scoring.lab_score import score_lab

SEED = 918_273_645
PUBLIC = """title = "{id}"
summary = "s"
problem = "matmul"
file = "{file}"
kernel = "k()"
launch = "l()"
shapes = "any"
[[case]]
name = "square"
points = 1
"""
PRIVATE = """[[case]]
name = "odd"
points = 3
feedback = "verdict"
"""
FILES = {"a": "a.cu", "b": "b.cu"}


@dataclasses.dataclass
class FakeJudge:
    """Passes every case of a source, unless the source says otherwise. Counts the calls."""

    asked: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    lock: threading.Lock = dataclasses.field(default_factory=threading.Lock)

    def __call__(self, lab: Lab, source: Path, scratch: Path) -> LabOutcome:
        text = source.read_text(encoding="utf-8")
        assert scratch.is_dir()
        with self.lock:
            self.asked.append((lab.id, text))
            times = self.asked.count((lab.id, text))
        if "BREAKS" in text or ("STUMBLES" in text and times == 1):
            message = f"out of luck with {SEED}"
            raise RuntimeError(message)
        if "INTERRUPT" in text:
            raise KeyboardInterrupt
        verdict = Verdict.RACE if "RACE" in text else Verdict.PASS
        finding = Finding(kind=Verdict.RACE, file=lab.public.file, line=3, message="M=97 is raced", element="As[97]")
        launch = Launch(
            shape="M=97 N=1 K=1", inputs="", verdict=verdict, findings=() if verdict is Verdict.PASS else (finding,)
        )
        cases = [JudgedCase("square", passed=True, verdict=Verdict.PASS)]
        cases.append(JudgedCase("odd", passed=verdict is Verdict.PASS, verdict=verdict, launches=(launch,)))
        return LabOutcome(lab.id, cases=tuple(cases))


@dataclasses.dataclass
class FakeSweep:
    """Adds a sweep to every source in `a`. Counts the calls."""

    breaks: bool = False
    asked: list[str] = dataclasses.field(default_factory=list)

    def lacks(self, lab: Lab, outcome: LabOutcome) -> bool:
        return lab.id == "a" and outcome.speed is None

    def add(self, lab: Lab, source: Path, outcome: LabOutcome, scratch: Path) -> LabOutcome:
        assert scratch.is_dir()
        self.asked.append(f"{lab.id} {source.read_text(encoding='utf-8')}")
        if self.breaks:
            message = "no sweep today"
            raise RuntimeError(message)
        return dataclasses.replace(outcome, speed=SpeedOutcome(sweep=(SizeOutcome("8x8x8", trouble="a picture"),)))


@dataclasses.dataclass
class FakeControls:
    """Fails at the times of asking that it is told; `covered`: whether it has a right kernel for a lab."""

    fails: frozenset[int] = frozenset()
    covered: bool = True
    asked: list[list[str]] = dataclasses.field(default_factory=list)

    def trouble(self, labs: Sequence[Lab]) -> str:
        self.asked.append([lab.id for lab in labs])
        return "this machine is broken: mend it." if len(self.asked) in self.fails else ""

    def covers(self, lab: Lab) -> bool:
        return self.covered and lab.id in FILES


class Silent:
    def begin(self, jobs: int, reused: int) -> None: ...
    def step(self) -> None: ...
    def end(self) -> None: ...


@dataclasses.dataclass
class Course:
    root: Path
    source: Path
    out: Path
    judge: FakeJudge
    fingerprint: str = "kit 1"
    sweep: FakeSweep | None = None
    controls: FakeControls | None = None

    def hand_in(self, student: str, **files: str) -> None:
        for lab, text in files.items():
            path = self.source / student / FILES[lab]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def grade(self, *labs: str) -> BatchReport:
        environment = Environment(kit="0", compiler="g++ 12", sandbox="none", date="2026-01-01")
        setup = JudgingSetup(
            self.judge, environment, dict.fromkeys(FILES, self.fingerprint), SEED, self.sweep, self.controls
        )
        loaded = [load_lab(self.root, lab) for lab in labs or FILES]
        out = OutputFolder(self.out, self.source)
        return grade_submissions(self.source, out, loaded, setup, exports=EXPORTS, workers=2, progress=Silent())

    def result(self, student: str) -> Result:
        return Result.model_validate_json((self.out / "students" / student / "result.json").read_text())

    def rows(self) -> list[dict[str, str]]:
        with (self.out / "grades.csv").open(newline="") as file:
            return list(csv.DictReader(file))


@pytest.fixture
def course(tmp_path: Path) -> Course:
    for lab, file in FILES.items():
        public, private = tmp_path / "course" / "assignments" / lab, tmp_path / "course" / "solutions" / lab
        public.mkdir(parents=True)
        private.mkdir(parents=True)
        (public / "lab.toml").write_text(PUBLIC.format(id=lab, file=file))
        (public / "public_tests.cpp").write_text("// public")
        (private / "grading.toml").write_text(PRIVATE)
        (private / "hidden_tests.cpp").write_text("// hidden")
    course = Course(tmp_path / "course", tmp_path / "sub missions", tmp_path / "the out", FakeJudge())
    course.hand_in("anna", a="good a", b="good b")
    course.hand_in("ben", a="RACE")
    return course


def test_writes_everything_the_contract_names(course: Course) -> None:
    report = course.grade()
    assert (report.judged, report.reused, report.faults) == (3, 0, ())
    for path in ("index.html", "students/anna/report.html", "instructor/anna.json", "instructor/ben.html"):
        assert (course.out / path).stat().st_size > 0
    assert course.rows() == [
        {"student": "anna", "total": "8", "max": "8", "a": "4", "b": "4"},
        {"student": "ben", "total": "1", "max": "8", "a": "1", "b": "0"},
    ]
    ben = course.result("ben")
    assert (ben.labs["a"].verdict, ben.labs["b"].verdict) == (Verdict.RACE, Verdict.MISSING_FILE)
    assert ben.labs["a"].findings == ()  # of a case that tells its verdict alone
    for_instructor = json.loads((course.out / "instructor/ben.json").read_text(encoding="utf-8"))["result"]
    assert [one["line"] for one in for_instructor["labs"]["a"]["findings"]] == [3]


def test_a_student_gets_neither_seed_nor_hidden_shapes_and_the_instructor_both(course: Course) -> None:
    course.grade()
    for path in (course.out / "students").rglob("*.*"):
        text = path.read_text(encoding="utf-8")
        assert str(SEED) not in text
        assert "M=97" not in text
        assert "As[97]" not in text
    full = json.loads((course.out / "instructor" / "ben.json").read_text())
    assert full["seed"] == SEED
    assert full["result"]["labs"]["a"]["cases"][1]["launches"][0]["shape"] == "M=97 N=1 K=1"


def test_a_second_run_judges_nothing_and_writes_the_same(course: Course) -> None:
    course.grade()
    first = {path: path.read_bytes() for path in course.out.rglob("*") if path.is_file()}
    report = course.grade()
    assert (report.judged, report.reused, len(course.judge.asked)) == (0, 3, 3)
    assert {path: path.read_bytes() for path in course.out.rglob("*") if path.is_file()} == first


def test_a_sweep_that_is_asked_for_later_judges_nobody_again(course: Course) -> None:
    course.grade()
    rows, course.sweep = course.rows(), FakeSweep()
    assert course.grade().judged == 2
    assert sorted(course.sweep.asked) == ["a RACE", "a good a"]
    assert len(course.judge.asked) == 3
    assert course.rows() == rows
    assert course.grade().judged == 0


def test_a_sweep_that_breaks_is_a_fault_that_costs_no_outcome(course: Course) -> None:
    course.sweep = FakeSweep(breaks=True)
    report = course.grade()
    assert ["no sweep today" in failure for failure in report.faults] == [True, True]
    assert course.result("anna").labs["a"].points == 4
    course.sweep = None
    assert course.grade().judged == 0


def test_equal_files_are_judged_once(course: Course) -> None:
    course.hand_in("carla", a="good a")
    assert course.grade().judged == 3
    assert course.result("carla").labs["a"].points == 4


def _edit(relative: str, old: str, new: str) -> Callable[[Course], None]:
    def edit(course: Course) -> None:
        path = course.root / relative
        path.write_text(path.read_text().replace(old, new))

    return edit


def _new_kit(course: Course) -> None:
    course.fingerprint = "kit 2"


@pytest.mark.parametrize(
    ("change", "judged"),
    [
        (_edit("solutions/a/hidden_tests.cpp", "hidden", "harder"), 2),
        (_edit("assignments/b/public_tests.cpp", "public", "other"), 1),
        (_edit("assignments/a/lab.toml", 'kernel = "k()"', 'kernel = "k2()"'), 2),
        (_new_kit, 3),
        (lambda course: course.hand_in("anna", a="better a"), 1),
        (_edit("solutions/a/grading.toml", "points = 3", "points = 30"), 0),
        (_edit("solutions/a/grading.toml", '"verdict"', '"none"'), 0),
        (_edit("assignments/a/lab.toml", 'summary = "s"', 'summary = "t"'), 0),
    ],
)
def test_judges_again_what_a_change_concerns_and_nothing_else(
    course: Course, change: Callable[[Course], None], judged: int
) -> None:
    course.grade()
    change(course)
    assert course.grade().judged == judged


def test_changed_points_change_the_scores(course: Course) -> None:
    course.grade()
    _edit("solutions/a/grading.toml", "points = 3", "points = 30")(course)
    course.grade()
    assert [row["a"] for row in course.rows()] == ["31", "1"]
    assert {row["max"] for row in course.rows()} == {"35"}


def test_a_kept_outcome_that_was_damaged_is_judged_again(course: Course) -> None:
    course.grade()
    kept = sorted((course.out / "instructor" / "jobs").iterdir())
    kept[0].write_text("{")
    assert course.grade().judged == 1


def test_a_listed_case_that_the_judge_does_not_run_is_flagged_and_judged_again(course: Course) -> None:
    course.grade()
    grading = course.root / "solutions" / "a" / "grading.toml"
    grading.write_text(grading.read_text() + '[[case]]\nname = "new"\npoints = 1\n')
    report = course.grade()
    assert (report.judged, len(report.faults)) == (2, 2)
    assert all("new" in failure for failure in report.faults)
    assert course.result("anna").labs["a"].verdict is Verdict.INTERNAL_ERROR
    assert course.grade().judged == 2


def test_our_failure_is_tried_again_flagged_never_kept_and_charged_to_nobody(course: Course) -> None:
    course.hand_in("carla", a="BREAKS", b="good b")
    report = course.grade()
    assert [text for _, text in course.judge.asked].count("BREAKS") == 2
    assert len(report.faults) == 1
    assert course.result("carla").labs["a"].verdict is Verdict.INTERNAL_ERROR
    (carla,) = [row for row in course.rows() if row["student"] == "carla"]
    assert (carla["a"], carla["b"], carla["total"]) == ("", "4", "")
    assert "RuntimeError" in (course.out / "instructor" / "faults.txt").read_text()
    assert "RuntimeError" not in (course.out / "students" / "carla" / "result.json").read_text()
    assert course.grade().judged == 1
    assert course.result("anna").labs["a"].points == 4


def test_a_failure_that_passes_leaves_no_trace(course: Course) -> None:
    course.hand_in("carla", a="STUMBLES")
    report = course.grade()
    assert report.faults == ()
    assert course.result("carla").labs["a"].points == 4


def test_an_interrupted_batch_goes_on_where_it_stopped(course: Course) -> None:
    course.hand_in("zoe", b="INTERRUPT")
    with pytest.raises(KeyboardInterrupt):
        course.grade()
    assert not (course.out / "grades.csv").exists()
    kept = len(list((course.out / "instructor" / "jobs").iterdir()))
    course.hand_in("zoe", b="good after all")
    assert course.grade().reused == kept


def test_a_page_that_cannot_be_made_costs_no_other(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(result: Result, *, sources: Mapping[str, str], instructor: bool = False) -> str:
        if result.submission.id == "anna" and not instructor:
            raise FileNotFoundError
        return f"page with {len(sources)} sources"

    monkeypatch.setattr("grader.batch.publishing.student_page", broken)
    report = course.grade()
    assert len(report.faults) == 1
    assert "students/anna/report.html" in report.faults[0]
    assert (course.out / "students" / "ben" / "report.html").read_text() == "page with 1 sources"
    assert len(course.rows()) == 2


def test_one_lab_alone_has_its_own_maximum(course: Course) -> None:
    course.grade("a")
    assert course.rows()[0] == {"student": "anna", "total": "4", "max": "4", "a": "4"}


def test_a_refused_upload_is_rejected_in_every_lab(course: Course) -> None:
    (course.source / "dora.zip").write_bytes(b"nothing")
    course.grade()
    dora = course.result("dora")
    assert {lab.verdict for lab in dora.labs.values()} == {Verdict.REJECTED}
    assert "not a zip" in dora.labs["a"].findings[0].message
    assert dora.max == 8


def test_a_nearly_right_name_is_a_missing_file_that_says_so(course: Course) -> None:
    course.hand_in("emil", a="x")
    (course.source / "emil" / "a.cu").rename(course.source / "emil" / "a (1).cu")
    course.grade()
    lab = course.result("emil").labs["a"]
    assert lab.verdict is Verdict.MISSING_FILE
    assert "'a (1).cu'" in lab.findings[0].message


def test_writes_nothing_when_the_submissions_are_none(course: Course) -> None:
    course.source = course.root / "nowhere"
    with pytest.raises(IntakeError):
        course.grade()
    assert not course.out.exists()


def test_writes_nothing_into_an_out_of_somebody_else(course: Course) -> None:
    course.out.mkdir()
    (course.out / "index.html").write_text("my homepage")
    with pytest.raises(OutError):
        course.grade()
    assert course.judge.asked == []
    assert (course.out / "index.html").read_text() == "my homepage"


def test_keeps_and_mentions_pages_of_students_who_are_gone(course: Course) -> None:
    course.grade()
    for path in (course.source / "ben").iterdir():
        path.unlink()
    (course.source / "ben").rmdir()
    report = course.grade()
    assert any("ben" in notice for notice in report.graded.notices)
    assert (course.out / "students" / "ben" / "report.html").is_file()
    assert [row["student"] for row in course.rows()] == ["anna"]


def test_every_lab_of_every_student_is_scored_once(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    scored: list[str] = []

    def counting(lab: Lab, outcome: LabOutcome) -> LabResult:
        scored.append(lab.id)
        return score_lab(lab, outcome)

    monkeypatch.setattr(class_score, "score_lab", counting)
    course.hand_in("anna", a="one", b="RACE")
    course.hand_in("ben", a="BREAKS", b="two")
    course.grade()
    assert sorted(scored) == ["a", "a", "b", "b"]
    course.grade()
    assert len(scored) == 8


def kept(course: Course) -> int:
    return len(list((course.out / "instructor" / "jobs").iterdir()))


def test_nothing_is_judged_on_a_machine_whose_controls_fail(course: Course) -> None:
    course.controls = FakeControls(fails=frozenset({1}))
    report = course.grade()
    assert course.judge.asked == []
    assert (report.stopped, kept(course)) == ("this machine is broken: mend it.", 0)
    assert {row["a"] for row in course.rows()} == {""}
    assert [row["total"] for row in course.rows()] == ["", ""]
    assert "this machine is broken" in (course.out / "index.html").read_text()
    assert "this machine is broken" in (course.out / "instructor" / "faults.txt").read_text()
    assert "this machine is broken" not in (course.out / "students" / "anna" / "result.json").read_text()
    course.controls = None
    course.grade()
    assert [row["a"] for row in course.rows()] == ["4", "1"]


def test_what_cost_a_student_points_is_blank_when_the_controls_fail_afterwards(course: Course) -> None:
    course.controls = FakeControls(fails=frozenset({2}))
    report = course.grade()
    assert report.stopped
    assert course.controls.asked == [["a", "b"], ["a"]]
    assert [(row["a"], row["total"]) for row in course.rows()] == [("4", "8"), ("", "")]
    assert kept(course) == 2
    course.controls = FakeControls()
    assert course.grade().judged == 1
    assert [row["a"] for row in course.rows()] == ["4", "1"]


def test_a_class_that_passes_is_held_against_the_controls_once(course: Course) -> None:
    course.hand_in("ben", a="good again")
    course.controls = FakeControls()
    assert course.grade().faults == ()
    assert course.controls.asked == [["a", "b"]]


def test_controls_are_not_asked_where_nothing_is_judged(course: Course) -> None:
    course.grade()
    course.controls = FakeControls(fails=frozenset({1}))
    assert (course.grade().stopped, course.controls.asked) == ("", [])


def test_a_fault_of_ours_asks_the_controls_and_stops_where_they_fail(course: Course) -> None:
    course.hand_in("anna", a="BREAKS")
    course.controls = FakeControls(fails=frozenset({2, 3}))
    report = course.grade()
    assert report.stopped
    assert course.rows()[0]["a"] == ""
    assert course.rows()[1]["a"] == ""


def test_a_fault_of_ours_on_a_machine_that_works_stops_nobody(course: Course) -> None:
    course.hand_in("anna", a="BREAKS")
    course.controls = FakeControls()
    report = course.grade()
    assert (report.stopped, len(report.ungraded)) == ("", 1)
    assert [row["a"] for row in course.rows()] == ["", "1"]


@pytest.mark.parametrize(("covered", "alarms"), [(False, 1), (True, 0)])
def test_a_class_that_ends_the_same_way_is_an_alarm_unless_a_control_passes(
    covered: bool, alarms: int, course: Course
) -> None:
    for number in range(5):
        course.hand_in(f"student{number}", a=f"RACE {number}")
    course.controls = FakeControls(covered=covered)
    report = course.grade()
    assert len(report.alarms) == alarms
    assert ("6 of 7 files for a end as race" in (course.out / "index.html").read_text()) == bool(alarms)


def test_a_folder_that_holds_no_file_of_any_lab_is_an_alarm(course: Course) -> None:
    for path in [*course.source.rglob("*.cu")]:
        path.rename(path.with_suffix(".txt"))
    assert "is this the right folder?" in course.grade().alarms[0]


def test_two_batches_do_not_write_into_one_out(course: Course) -> None:
    course.grade()
    with OutputFolder(course.out, course.source).alone(), pytest.raises(OutError, match="another `tilelab grade`"):
        course.grade()
    assert course.grade().reused == 3


def test_another_seed_than_the_last_ones_is_told_once(course: Course) -> None:
    course.grade()
    assert not any("seed" in notice for notice in course.grade().graded.notices)
    digest = course.out / "instructor" / "seed.digest"
    digest.write_text("0" * 32)
    assert any("another seed" in notice for notice in course.grade().graded.notices)
    assert not any("seed" in notice for notice in course.grade().graded.notices)


def test_a_page_that_cannot_be_made_is_told_apart_from_a_file_that_was_not_graded(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_result: Result, **_options: object) -> str:
        raise KeyError

    monkeypatch.setattr("grader.batch.publishing.student_page", broken)
    report = course.grade()
    assert (len(report.ungraded), len(report.pages)) == (0, 4)
    assert course.rows()[0]["a"] == "4"
