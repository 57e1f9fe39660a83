"""A course of two small labs, in which nothing is compiled: judge, sweep and controls say what their inputs tell them to say."""

from __future__ import annotations

import csv
import dataclasses
import threading
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from grader.explain.class_mistakes import CommentsFile
from grader.explain.suspect_search import MutantSearch
from grader.model.labs import Lab, load_lab
from grader.model.outcome import JudgedCase, LabOutcome, SizeOutcome, SpeedOutcome
from grader.model.result import Environment, Finding, Launch, Result
from grader.model.verdicts import Verdict
from grader.roll.batch.class_batch import Batch, BatchReport, grade_submissions
from grader.roll.batch.class_insight import InsightSearch
from grader.roll.batch.judging_jobs import JudgingSetup, Progress
from grader.roll.batch.output_folder import OutputFolder
from grader.roll.batch.plugin import Export, registered
from grader.roll.intake.intake import Attempt, Discovery, Intake, IntakeOptions
from grader.roll.people.roster import roster_in
from grader.roll.policy.course_file import read_policy

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

    def stop(self) -> None: ...


@dataclasses.dataclass
class Course:
    root: Path
    source: Path
    out: Path
    judge: FakeJudge
    fingerprint: str = "kit 1"
    sweep: FakeSweep | None = None
    controls: FakeControls | None = None
    roster: str = ""  # the text of one; empty: there is none
    mutants: MutantSearch | None = None
    now: datetime = datetime(2026, 10, 15, tzinfo=UTC)
    policy: dict[str, str] = dataclasses.field(default_factory=dict)  # the text of course.toml and the tables beside it
    times: dict[tuple[str, str], str] = dataclasses.field(default_factory=dict)  # by id and file: when it was handed in
    intake: IntakeOptions | None = None
    exports: Sequence[Export] = registered(Export)
    progress: Progress = dataclasses.field(default_factory=Progress)

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
        comments = CommentsFile(out.comments)
        insight = InsightSearch(comments, comments.read(), out.private, self.mutants)
        for name, text in self.policy.items():
            (self.root / name).write_text(text, encoding="utf-8")
        roster = roster_in(self.roster.encode(), "roster.csv") if self.roster else None
        return grade_submissions(
            Batch(
                self.source,
                out,
                loaded,
                setup,
                self.progress,
                exports=self.exports,
                roster=roster,
                insight=insight,
                policy=read_policy(self.root, list(FILES)),
                now=self.now,
                intake=self.intake,
                workers=2,
            )
        )

    def result(self, student: str) -> Result:
        return Result.model_validate_json((self.out / "students" / student / "result.json").read_text())

    def rows(self) -> list[dict[str, str]]:
        with (self.out / "grades.csv").open(newline="") as file:
            return list(csv.DictReader(file))


def with_times(found: Discovery, times: Mapping[tuple[str, str], str]) -> Discovery:
    """As if a platform had said when each file was handed in. Each file is an attempt of its own."""
    return dataclasses.replace(found, students=tuple(_timed(one, times) for one in found.students))


def _timed(one: Intake, times: Mapping[tuple[str, str], str]) -> Intake:
    attempts = tuple(
        Attempt(
            1,
            download=number,
            at=datetime.fromisoformat(said) if (said := times.get((one.submission.id, file), "")) else None,
            late=said == "" and (one.submission.id, file) in times,
            sources={file: path},
        )
        for number, (file, path) in enumerate(sorted(one.sources.items()))
    )
    counted = {file: number for number, each in enumerate(attempts) for file in each.sources}
    return dataclasses.replace(one, attempts=attempts, counted=counted)


def small_course(folder: Path) -> Course:
    """Two labs, and two students who handed something in."""
    for lab, file in FILES.items():
        public, private = folder / "course" / "assignments" / lab, folder / "course" / "solutions" / lab
        public.mkdir(parents=True)
        private.mkdir(parents=True)
        (public / "lab.toml").write_text(PUBLIC.format(id=lab, file=file))
        (public / "public_tests.cpp").write_text("// public")
        (private / "grading.toml").write_text(PRIVATE)
        (private / "hidden_tests.cpp").write_text("// hidden")
    course = Course(folder / "course", folder / "sub missions", folder / "the out", FakeJudge())
    course.hand_in("anna", a="good a", b="good b")
    course.hand_in("ben", a="RACE")
    return course
