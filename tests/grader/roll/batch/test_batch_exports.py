"""Exports of a batch: pages that may be given back, exports made again, and rosters that come later."""

from __future__ import annotations

import csv
import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fake_course import Course
from typer.testing import CliRunner

from grader.cli.classes.pages_command import ExportRequest, PagesRequest, export_again, pages_again
from grader.cli.cli import app
from grader.model.errors import RemediableError
from grader.model.graded_class import GradedClass
from grader.roll.batch.output_folder import LastBatchFile, OutputFolder
from grader.roll.batch.plugin import Export, registered
from grader.roll.batch.publishing import write_exports
from grader.run.scoring.redaction import redacted

ROSTER = "name,login,number,Moodle ID,section\nAnna Abel,anna,1,,A\nBen Bo,ben,2,,A\nCleo C,cleo,3,,B\n"
LATER = "Identifier,Full name,ID number,Email address\nParticipant 7,anna,1,anna@x.org\nParticipant 8,ben,2,ben@x.org\n"


def grade_table(course: Course, name: str) -> list[dict[str, str]]:
    with (course.out / "exports" / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def exported(folder: Path) -> dict[str, bytes]:
    """Without the time at which they were made."""
    files = (path for path in sorted((folder / "exports").rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files if path.suffix != ".jsonl"}


def test_the_absent_are_in_every_table_and_who_was_not_graded_is_blank(course: Course) -> None:
    course.roster = ROSTER
    course.hand_in("ben", a="BREAKS")
    report = course.grade()
    cells = {row["Username"]: row["sub missions"] for row in grade_table(course, "moodle.csv")}
    assert cells == {"anna": "8", "ben": "", "cleo": "0"}
    assert [one for one in report.published.notices if one.startswith("moodle: 1 student: not graded yet")]


def test_nobody_else_on_the_machine_may_read_what_a_batch_writes(course: Course) -> None:
    course.out.mkdir(mode=0o755)
    course.grade()
    readable = [path for path in course.out.rglob("*") if path.is_file() and path.stat().st_mode & 0o077]
    assert {path.relative_to(course.out).parts[0] for path in readable} <= {"instructor", "leaderboard.html"}
    assert not (course.out / "instructor").stat().st_mode & 0o077


def test_no_export_of_a_batch_tells_what_a_hidden_case_saw(course: Course) -> None:
    course.roster = "Identifier,Full name,ID number,login\nParticipant 7,Anna,1,anna\nParticipant 8,Ben,2,ben\n"
    course.grade()
    pages = members(course.out / "exports" / "moodle-feedback.zip")
    assert len(pages) == 2
    zips = [data for path in (course.out / "exports").glob("*.zip") for data in members(path).values()]
    assert len(zips) > 4
    for data in [*zips, *exported(course.out).values()]:
        assert b"As[97]" not in data
        assert b"M=97" not in data
    assert "As[97]" in (course.out / "instructor" / "ben.json").read_text(encoding="utf-8")
    assert pages["Ben_8_assignsubmission_file_/report.html"] == (course.out / "students/ben/report.html").read_bytes()


def test_exports_made_again_are_those_of_the_batch(course: Course) -> None:
    course.roster = ROSTER
    course.grade()
    before, judged = exported(course.out), len(course.judge.asked)
    for path in (course.out / "exports").iterdir():
        if path.is_file():
            path.unlink()
    assert export_again(ExportRequest(str(course.out), tuple(one.name for one in registered(Export)))) == 0
    assert exported(course.out) == before
    assert len(course.judge.asked) == judged


def test_a_roster_that_comes_later_names_participants_and_the_absent(
    course: Course, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    course.grade()
    assert "left out" in "".join(write_worksheet(course))
    roster = tmp_path / "participants.csv"
    roster.write_text(LATER + "Participant 9,Cleo C,3,cleo@x.org\n", encoding="utf-8")
    request = ExportRequest(str(course.out), ("moodle-worksheet", "moodle-feedback"), roster=str(roster))
    assert export_again(request) == 0
    rows = grade_table(course, "moodle-worksheet.csv")
    assert [(row["Identifier"], row["Grade"]) for row in rows] == [
        ("Participant 7", "8"),
        ("Participant 8", "1"),
        ("Participant 9", "0"),
    ]
    assert "roster participants.csv" in capsys.readouterr().out
    assert sorted(path.name for path in course.out.joinpath("students").iterdir()) == ["anna", "ben"]


def write_worksheet(course: Course) -> tuple[str, ...]:
    folder = OutputFolder(course.out, course.source)
    file = LastBatchFile(course.out / "instructor")
    graded, _ = file.graded(file.read())
    return write_exports(
        redacted(graded), folder, [one for one in registered(Export) if one.name == "moodle-worksheet"]
    ).notices


TERM = 'time_zone = "Europe/Zurich"\n[deadlines]\na = "2026-10-11 23:59"\nb = "2026-10-12 23:59"\n[late]\npenalty = "25%"\n'
EVERYBODY = (
    "Identifier,Full name,ID number,login,LTI user id,github_username\n"
    "Participant 7,Anna A,0042,anna,u1,anna\nParticipant 8,Ben B,0043,ben,u2,ben\n"
)


def total_of(out: Path, name: str, at: int) -> float:
    """What the export tells the platform of anna (0) or ben (1)."""
    student, folder = ("anna", "ben")[at], out / "exports"
    if name == "grades-csv":
        return float(list(csv.DictReader((out / "grades.csv").read_text().splitlines()))[at]["total"])
    if name in {"canvas", "moodle", "moodle-worksheet", "brightspace", "blackboard"}:
        table = [line for line in (folder / f"{name}.csv").read_text().splitlines() if "Points Possible" not in line]
        column = {"moodle-worksheet": "Grade", "brightspace": "sub missions Points Grade"}.get(name, "sub missions")
        return float(list(csv.DictReader(table))[at][column])
    if name == "ags":
        return float(json.loads((folder / "ags-scores.jsonl").read_text().splitlines()[at])["scoreGiven"])
    if name == "autolab":
        last = members(folder / "autolab.zip")[f"{student}.txt"].splitlines()[-1]
        return float(sum(json.loads(last)["scores"].values()))
    file = "result.json" if name == "classroom50" else "results.json"
    score = json.loads(members(folder / f"{name}.zip")[f"{student}/{file}"])["score"]
    return float(score * {"classroom50": 0.1, "prairielearn": 8}.get(name, 1))


def test_a_roster_that_comes_later_counts_for_what_is_written_again(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise `pages`, or an export without it, would empty a file that was good."""
    course.grade()
    (course.root / "kit").mkdir()
    monkeypatch.chdir(course.root)
    roster = tmp_path / "participants.csv"
    roster.write_text(LATER, encoding="utf-8")
    assert export_again(ExportRequest(str(course.out), ("moodle-worksheet",), roster=str(roster))) == 0
    good = grade_table(course, "moodle-worksheet.csv")
    assert [row["Identifier"] for row in good] == ["Participant 7", "Participant 8"]
    for again in (
        lambda: pages_again(PagesRequest(str(course.out))),
        lambda: export_again(ExportRequest(str(course.out), ("moodle-worksheet",))),
        course.grade,
    ):
        again()
        assert grade_table(course, "moodle-worksheet.csv") == good
    roster.unlink()
    with pytest.raises(RemediableError, match=r"the roster of the last export is gone.*Nothing was changed"):
        pages_again(PagesRequest(str(course.out)))
    assert grade_table(course, "moodle-worksheet.csv") == good


@pytest.mark.parametrize("command", ["grade", "grade one lab more", "pages", "export"])
def test_every_total_in_out_is_the_one_after_penalty_and_override(
    timed: Course, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was written before, and whichever format this command was asked for."""
    canvas = [one for one in registered(Export) if one.name == "canvas"]
    timed.roster, timed.now = EVERYBODY, datetime(2026, 11, 15, tzinfo=UTC)
    timed.grade(*(["a"] if "more" in command else []))
    assert {total_of(timed.out, "grades-csv", at) for at in (0, 1)} <= {8.0, 4.0, 1.0}
    timed.times["anna", "a.cu"] = "2026-10-13T12:00:00+02:00"
    timed.policy |= {"course.toml": TERM, "overrides.csv": "student,lab,points,reason,author\nben,a,2.5,shown,me\n"}
    timed.exports = canvas
    wanted = (4.0, 2.5)
    if command == "pages":
        (timed.root / "kit").mkdir()
        monkeypatch.chdir(timed.root)
        for name, text in timed.policy.items():
            (timed.root / name).write_text(text, encoding="utf-8")
        assert pages_again(PagesRequest(str(timed.out), ("canvas",))) == 0
        wanted = (5.0, 2.5)  # when anna handed in stays as the batch knew it
    else:
        timed.grade()
    if command == "export":
        (timed.out / "grades.csv").unlink()
        assert export_again(ExportRequest(str(timed.out), ("canvas",))) == 0
    numbers = {one.name for one in registered(Export)} - {
        "canvas-feedback",
        "moodle-feedback",
        "junit",
        "sarif",
        "answers-csv",
        "parts-csv",
    }
    assert len(numbers) == 11
    for at in (0, 1):
        told = {name: round(total_of(timed.out, name, at), 6) for name in numbers}
        assert told == dict.fromkeys(numbers, wanted[at])
        pages = members(timed.out / "exports" / "moodle-feedback.zip")
        student = ("Anna A_7", "Ben B_8")[at]
        page = timed.out / "students" / ("anna", "ben")[at] / "report.html"
        assert pages[f"{student}_assignsubmission_file_/report.html"] == page.read_bytes()


def test_the_table_of_all_labs_is_not_that_of_the_lab_that_is_exported_alone(course: Course) -> None:
    course.grade()
    (course.out / "grades.csv").write_text("old", encoding="utf-8")
    assert export_again(ExportRequest(str(course.out), ("canvas",), labs=("a",))) == 0
    assert [one["total"] for one in course.rows()] == ["8", "1"]


def test_the_last_line_of_an_export_with_notes_says_to_heed_them(
    course: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    course.grade()
    lasts = []
    for name in ("canvas", "autolab"):
        capsys.readouterr()
        assert export_again(ExportRequest(str(course.out), (name,))) == 0
        lasts.append(capsys.readouterr().out.splitlines()[-1])
    then = "import these files as docs/exports.md says for each platform"
    assert lasts == [f"next: do what the notes say, and export again. Or {then}", f"next: {then}"]


def test_who_is_no_longer_in_the_class_is_in_no_export(course: Course) -> None:
    course.grade()
    for file in (course.source / "ben").iterdir():
        file.unlink()
    (course.source / "ben").rmdir()
    course.grade()
    assert (course.out / "instructor" / "ben.json").is_file()
    assert export_again(ExportRequest(str(course.out), ("autolab",))) == 0
    assert {*members(course.out / "exports" / "autolab.zip")} == {"anna.txt"}


def test_a_damaged_record_is_told_and_the_others_are_exported(
    course: Course, capsys: pytest.CaptureFixture[str]
) -> None:
    course.grade()
    (course.out / "instructor" / "ben.json").write_text("{", encoding="utf-8")
    assert export_again(ExportRequest(str(course.out), ("autolab",))) == 3
    assert "ben.json cannot be read" in capsys.readouterr().out
    assert {*members(course.out / "exports" / "autolab.zip")} == {"anna.txt"}


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (ExportRequest("{out}", ()), "name a format"),
        (ExportRequest("{out}", ("nothing",)), "there is no export 'nothing'. There are: grades-csv, canvas"),
        (ExportRequest("{out}/students", ("canvas",)), "holds no graded class"),
        (ExportRequest("", ("canvas",)), "holds no graded class"),
        (ExportRequest("{out}", ("canvas",), roster="{out}/none.csv"), "cannot be read"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused_and_writes_nothing(
    course: Course, request_: ExportRequest, words: str
) -> None:
    course.grade()
    before = exported(course.out)
    out = str(course.out)
    bad = ExportRequest(request_.out.format(out=out), request_.exports, roster=request_.roster.format(out=out))
    with pytest.raises(RemediableError, match=words):
        export_again(bad)
    assert exported(course.out) == before


@pytest.mark.parametrize(
    "text",
    [
        None,
        "{",
        '{"schema": "tilelab/last-batch/v2", "title": "t", "labs": [], "students": ["../x"], "seed": 1, "now": ""}',
    ],
)
def test_an_out_that_does_not_say_whom_it_holds_is_refused(course: Course, text: str | None) -> None:
    course.grade()
    path = LastBatchFile(course.out / "instructor").path
    path.unlink()
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(RemediableError, match="Grade once more into this OUT"):
        export_again(ExportRequest(str(course.out), ("canvas",)))


def test_a_grade_that_is_blank_now_is_in_no_zip_as_it_was_before(course: Course) -> None:
    course.grade()
    assert {*members(course.out / "exports" / "gradescope.zip")} == {"anna/results.json", "ben/results.json"}
    course.hand_in("ben", a="BREAKS")
    course.grade()
    assert {*members(course.out / "exports" / "gradescope.zip")} == {"anna/results.json"}


def test_one_lab_can_be_exported_alone(course: Course) -> None:
    course.roster = ROSTER
    course.grade()
    assert export_again(ExportRequest(str(course.out), ("moodle",), assignment="Lab a", labs=("a",))) == 0
    assert {row["Username"]: row["Lab a"] for row in grade_table(course, "moodle.csv")} == {
        "anna": "4",
        "ben": "1",
        "cleo": "0",
    }
    with pytest.raises(RemediableError, match="in the last batch, there is no lab 'c'; the labs here are: a, b"):
        export_again(ExportRequest(str(course.out), ("moodle",), labs=("c",)))


def test_no_lab_is_exported_alone_where_a_total_is_not_the_sum_of_its_labs(course: Course) -> None:
    course.grade()
    path = course.out / "instructor" / "ben.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    record["result"]["total"] = 0.5
    path.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(RemediableError, match="the total of ben is not the sum"):
        export_again(ExportRequest(str(course.out), ("junit",), labs=("a",)))


def test_a_download_of_canvas_gives_pages_under_its_own_names(course: Course) -> None:
    for student in ("anna", "ben"):
        for file in (course.source / student).iterdir():
            file.unlink()
        (course.source / student).rmdir()
    for name, text in (("abelanna_101_9001_a.cu", "good a"), ("boben_LATE_102_9002_a-2.cu", "RACE")):
        (course.source / name).write_text(text, encoding="utf-8")
    report = course.grade()
    pages = members(course.out / "exports" / "canvas-feedback.zip")
    assert {*pages} == {"abelanna_101_9001_report.html", "boben_LATE_102_9002_report.html"}
    assert b"M=97" not in b"".join(pages.values())
    assert not [one for one in report.published.notices if one.startswith("canvas-feedback")]


def test_an_export_that_a_batch_does_not_write_again_is_told(course: Course) -> None:
    assert not [one for one in course.grade().published.notices if "earlier batch" in one]
    assert not [one for one in course.grade().published.notices if "earlier batch" in one]
    stale = course.out / "exports" / "blackboard.old"
    stale.write_text("old", encoding="utf-8")
    (told,) = [one for one in course.grade().published.notices if "earlier batch" in one]
    assert "exports/blackboard.old" in told


def test_the_command_writes_and_says_where(course: Course) -> None:
    course.grade()
    done = CliRunner().invoke(app, ["export", str(course.out), "--export", "junit", "--export", "sarif"])
    assert done.exit_code == 0
    assert "junit.xml" in done.output
    assert "findings.sarif" in done.output
    assert CliRunner().invoke(app, ["export", str(course.out)]).exit_code == 2


def test_the_assignments_name_is_kept_for_later(course: Course) -> None:
    course.grade()
    path = LastBatchFile(course.out / "instructor").path
    path.write_text(json.dumps(json.loads(path.read_text()) | {"assignment": "Week 3 (4711)"}), encoding="utf-8")
    export_again(ExportRequest(str(course.out), ("canvas",)))
    assert "Week 3 (4711)" in grade_table(course, "canvas.csv")[0]
    export_again(ExportRequest(str(course.out), ("canvas",), assignment="Week 4"))
    assert "Week 4" in grade_table(course, "canvas.csv")[0]


def test_an_export_that_fails_costs_no_other_one(course: Course) -> None:
    course.grade()

    def breaks(_: object) -> str:
        message = "out of luck"
        raise RuntimeError(message)

    one = next(one for one in registered(Export) if one.name == "canvas")
    folder = OutputFolder(course.out, course.source)
    written = write_exports(
        redacted(GradedClass("t", (), ())), folder, [Export("broken", "exports/x", "x", breaks), one]
    )
    assert "out of luck" in written.faults[0]
    assert [row["Student"].strip() for row in grade_table(course, "canvas.csv")] == ["Points Possible"]
