"""A small class for exports: one of each kind of student whom a platform may meet."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass

from grader.model.graded_class import GradedClass
from grader.model.result import Case, Environment, Finding, LabResult, Launch, Result, Site, Student, Submission
from grader.model.verdicts import Verdict
from grader.roll.batch.plugin import Export, Grades, registered
from grader.run.scoring.redaction import redacted

HIDDEN_SHAPE = "M=97531"


@dataclass(frozen=True)
class ExportFile:
    path: str
    contents: str | bytes


@dataclass(frozen=True)
class Made:
    files: tuple[ExportFile, ...]
    notices: tuple[str, ...]


ENVIRONMENT = Environment(kit="0.1.0", compiler="g++", sandbox="none", date="2026-01-01")
ADA = Student(
    name="Lovelace, Ada", login="ada", number="0042", email="ada@example.org", section="Monday",
    platform_ids={"Canvas": "101", "Moodle": "700001", "GitHub Classroom": "ada-l"},
)  # fmt: skip
ALAN = Student(
    name="Turing, Alan", login="alan", number="0043", email="alan@example.org", section="Tuesday",
    platform_ids={"Canvas": "102", "Moodle": "700002", "GitHub Classroom": "alan-t"},
)  # fmt: skip
ZOE = Student(
    name="Ångström, Zoë", login="zoe", number="0044", email="zoe@example.org", section="Monday",
    platform_ids={"Canvas": "103", "Moodle": "700003", "GitHub Classroom": "zoe-a"},
)  # fmt: skip
ABSENT = Student(
    name="Absent, Anna", login="anna", number="0045", email="anna@example.org", section="Monday",
    platform_ids={"Canvas": "104", "Moodle": "700004", "GitHub Classroom": "anna-a"},
)  # fmt: skip


def right_lab(points: float = 10.0) -> LabResult:
    cases = (
        Case(name="square", visibility="public", verdict=Verdict.PASS, passed=True, points=points - 4, max_points=6),
        Case(name="odd", visibility="hidden", verdict=Verdict.PASS, passed=True, points=4, max_points=4),
    )
    return LabResult(title="Naive", file="k.cu", verdict=Verdict.PASS, points=points, max_points=10, cases=cases)


def wrong_lab() -> LabResult:
    """The hidden case knows a secret, and its student may not know it."""
    told = Finding(
        kind=Verdict.RACE, file="k.cu", line=19, columns=(4, 20), source="    As[ty][tx] = 0;", message="As[0] is raced", cases=("square",),
        other=Site(file="k.cu", line=22, source="sum += As[ty][k];"),
    )  # fmt: skip
    kept = Finding(
        kind=Verdict.RACE, file="k.cu", line=33, message=f"As[97] is raced for {HIDDEN_SHAPE}", cases=("odd",)
    )
    shown = Launch(shape="M=1", inputs="", verdict=Verdict.RACE, findings=(told,))
    hidden = Launch(
        shape=HIDDEN_SHAPE,
        inputs="",
        verdict=Verdict.RACE,
        findings=(kept,),
        printed=HIDDEN_SHAPE,
        message=HIDDEN_SHAPE,
    )
    cases = (
        Case(name="square", visibility="public", verdict=Verdict.RACE, passed=False, points=0, max_points=6, message="M=1: a race",
             advice="Look at the barrier.", launches=(shown,)),
        Case(name="odd", visibility="hidden", feedback="verdict", verdict=Verdict.RACE, passed=False, points=0, max_points=4,
             message=f"{HIDDEN_SHAPE}: a race", launches=(hidden,), difference=HIDDEN_SHAPE),
    )  # fmt: skip
    return LabResult(
        title="Naive",
        file="k.cu",
        verdict=Verdict.RACE,
        points=0,
        max_points=10,
        cases=cases,
        findings=(told, kept),
        gpu_trouble=HIDDEN_SHAPE,
    )


def ungraded_lab(verdict: Verdict) -> LabResult:
    return LabResult(title="Naive", file="k.cu", verdict=verdict, points=0, max_points=10)


def make_result(student_id: str, student: Student, lab: LabResult, **more: object) -> Result:
    submission = Submission(id=student_id, name=student_id, student=student).model_copy(update=more)
    return Result(submission=submission, environment=ENVIRONMENT, labs={"01-a": lab}, total=lab.points, max=10.0)


def unpacked(made: Made) -> dict[str, bytes]:
    """Every file, and what is in those that are zips."""
    found = {one.path: contents(one) for one in made.files}
    for path, data in list(found.items()):
        if path.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                found |= {name: archive.read(name) for name in archive.namelist()}
    return found


def small_class() -> list[Result]:
    return [
        make_result("ada", ADA, right_lab(), downloaded=("lovelaceada_101_9001_k.cu",)),
        make_result("alan", ALAN, wrong_lab(), downloaded=("turingalan_LATE_102_9002_k-1.cu",)),
        make_result("zoe", ZOE, ungraded_lab(Verdict.INTERNAL_ERROR), downloaded=("angstromzoe_103_9003_k.cu",)),
        make_result("anna", ABSENT, ungraded_lab(Verdict.MISSING_FILE), handed_in=False),
    ]


def export(
    name: str, results: list[Result], assignment: str = "Week 3", pages: Mapping[str, bytes] | None = None
) -> Made:
    graded = GradedClass("a class", ("01-a",), tuple(results))
    grades = Grades(
        redacted(graded),
        assignment or graded.title,
        at="2026-02-03T04:05:06.789+00:00",
        page=(lambda one: f"page of {one}".encode()) if pages is None else pages.get,
    )
    files, notices = next(one for one in registered(Export) if one.name == name).made(grades)
    return Made(tuple(ExportFile(path, contents) for path, contents in files.items()), notices)


def contents(file: ExportFile) -> bytes:
    return file.contents.encode("utf-8", "replace") if isinstance(file.contents, str) else file.contents
