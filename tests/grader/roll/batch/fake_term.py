"""A term in which nothing is compiled: four labs, two sections, and what students, instructors and machines do from week to week.

Everything follows from the number of the event. So a batch may be repeated, also in another process: `python fake_term.py FOLDER ...`.
"""

from __future__ import annotations

import dataclasses
import os
import random
import signal
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest import mock

from fake_course import PRIVATE, PUBLIC, SEED, FakeJudge, with_times

from grader.model.labs import load_lab
from grader.model.result import Environment, Result
from grader.roll.batch import class_batch
from grader.roll.batch.class_batch import Batch, BatchReport, grade_submissions
from grader.roll.batch.judging_jobs import JudgingSetup
from grader.roll.batch.output_folder import OutputFolder
from grader.roll.batch.plugin import Export, registered
from grader.roll.intake.intake import Discovery, discover
from grader.roll.people.roster import roster_in
from grader.roll.policy.course_file import read_policy

LABS = ("01-one", "02-two", "03-three", "04-four")
EVENTS = 10  # the last one is after all deadlines
_FIRST_DUE = datetime(2026, 10, 11, 22, 0, tzinfo=UTC)
_WEEK = timedelta(days=7)
_DISCOVER: Callable[..., Discovery] = discover
_FORMATS = ("grades-csv", "canvas")


@dataclasses.dataclass(frozen=True)
class HandedIn:
    at: datetime
    text: str


@dataclasses.dataclass(frozen=True)
class Term:
    folder: Path
    students: int

    @property
    def course(self) -> Path:
        return self.folder / "course"

    def moment(self, event: int) -> datetime:
        """When the batch of an event runs: twice a week."""
        return _FIRST_DUE - timedelta(days=3) + event * _WEEK / 2 + timedelta(hours=5)

    def prepare(self) -> None:
        """The labs and the roster."""
        for number, lab in enumerate(LABS):
            public, private = self.course / "assignments" / lab, self.course / "solutions" / lab
            public.mkdir(parents=True)
            private.mkdir(parents=True)
            (public / "lab.toml").write_text(PUBLIC.format(id=lab, file=f"w{number}.cu"))
            (public / "public_tests.cpp").write_text("// public")
            (private / "grading.toml").write_text(PRIVATE)
            (private / "hidden_tests.cpp").write_text("// hidden")

    def handed_in(self, student: int, lab: int, event: int) -> HandedIn | None:
        """The last of up to three attempts that came before the event."""
        chance = random.Random(f"{SEED} {student} {lab}")
        if chance.random() < 0.15:
            return None
        last = None
        at = _FIRST_DUE + lab * _WEEK - timedelta(hours=chance.choice([1, 5, 30, 60]))
        for attempt in range(chance.choice([1, 1, 2, 3])):
            kind = chance.choice(["good", "good", "RACE"])
            if at <= self.moment(event):
                last = HandedIn(at, f"{kind} // {student} {lab} {attempt}\n")
            at += timedelta(hours=chance.choice([3, 20, 50, 200]), seconds=1)
        return last

    def arrange(self, event: int) -> dict[tuple[str, str], str]:
        """Submissions and the course's files as they are at an event; the answer: when each file was handed in."""
        times = {}
        for student in range(self.students):
            name = f"s{student:03}"
            for lab in range(len(LABS)):
                given = self.handed_in(student, lab, event)
                if given is None:
                    continue
                path = self.folder / "submissions" / name / f"w{lab}.cu"
                path.parent.mkdir(parents=True, exist_ok=True)
                if not path.is_file() or path.read_text() != given.text:
                    path.write_text(given.text)
                times[name, path.name] = given.at.isoformat()
        self._decide(event)
        return times

    def _decide(self, event: int) -> None:
        deadlines = "".join(
            f'{lab} = "{_FIRST_DUE + number * _WEEK:%Y-%m-%d %H:%M}Z"\n' for number, lab in enumerate(LABS)
        )
        later = "".join(f'{lab} = "{_FIRST_DUE + number * _WEEK:%Y-%m-%d} 23:30Z"\n' for number, lab in enumerate(LABS))
        late = "[late]\ndays = 3\npenalty = '20%'\ngrace_minutes = 10\nclosed_after_days = 5\n"
        text = f"[deadlines]\n{deadlines}[sections.Tue]\n{later}{late}"
        if event >= 4:
            for student in range(0, self.students, 9):
                text += f'[[extension]]\nstudent = "s{student:03}"\nlab = "two"\ndays = 4\nreason = "ill"\n'
        (self.course / "course.toml").write_text(text)
        rows = [
            f"s{student:03},01-one,{event % 3 + 1},seen at event {event},me,\n"
            for student in range(3, self.students, 11)
            if event >= 5
        ]
        (self.course / "overrides.csv").write_text("student,lab,points,reason,author,date\n" + "".join(rows))

    def grade(self, event: int, out: Path, labs: tuple[str, ...] = LABS) -> BatchReport:
        """The grader is another one from event 6 on."""
        times = self.arrange(event)
        roster = "login,number,section\n" + "".join(
            f"s{n:03},{n:05},{'Tue' if n % 2 else 'Mon'}\n" for n in range(self.students)
        )
        kit = "kit 2" if event >= 6 else "kit 1"
        setup = JudgingSetup(
            FakeJudge(),
            Environment(kit=kit, compiler="g++ 12", sandbox="none", date="2026-01-01"),
            dict.fromkeys(LABS, kit),
            SEED,
        )

        def discovered(*args: Path, **named: object) -> Discovery:
            return with_times(_DISCOVER(*args, **named), times)

        with mock.patch.object(class_batch, "discover", discovered):
            return grade_submissions(
                Batch(
                    self.folder / "submissions",
                    OutputFolder(out, self.folder / "submissions"),
                    [load_lab(self.course, lab) for lab in labs],
                    setup,
                    exports=[one for one in registered(Export) if one.name in _FORMATS],
                    roster=roster_in(roster.encode(), "roster.csv"),
                    policy=read_policy(self.course, list(LABS)),
                    now=self.moment(event),
                    workers=2,
                )
            )

    def result(self, path: Path) -> Result:
        return Result.model_validate_json(path.read_bytes())

    def grades(self, out: Path) -> dict[str, object]:
        """What a clean run must give too: all but the history of grades."""
        found: dict[str, object] = {"grades.csv": (out / "grades.csv").read_text()}
        found["canvas.csv"] = (out / "exports" / "canvas.csv").read_text()
        for path in sorted((out / "students").glob("*/result.json")):
            result = self.result(path)
            found[path.parent.name] = [
                (lab_id, lab.verdict, lab.points, lab.standing) for lab_id, lab in result.labs.items()
            ]
        return found


def killed_at(target: str, number: int, *, after: bool) -> Callable[[Path, Path], Path]:
    """In place of Path.replace: the process is killed at the `number`-th file whose path holds `target`, before or after it is there."""
    seen = [0]
    rename = Path.replace

    def replace(self: Path, to: Path) -> Path:
        seen[0] += target in str(to)
        if seen[0] == number and target in str(to):
            if after:
                rename(self, to)
            os.kill(os.getpid(), signal.SIGKILL)
        return rename(self, to)

    return replace


if __name__ == "__main__":
    folder, students, event, out, target, number, when, *released = sys.argv[1:]
    patch = mock.patch.object(Path, "replace", killed_at(target, int(number), after=when == "after"))
    with patch:
        Term(Path(folder), int(students)).grade(int(event), Path(out), tuple(released))
