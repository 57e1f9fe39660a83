"""A term played through: whatever happens on the way, the grades at its end are those of one clean run.

By default a class of 24 has some of the accidents. With TILELAB_WHOLE_CORPUS=1, 300 students have all of them.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import fake_term
import pytest
from fake_term import EVENTS, LABS, Term

from grader.model.errors import RemediableError
from grader.roll.batch.class_standing import HistoryFolder
from grader.roll.policy.grade_history import KeptBatch, last_grades

pytestmark = pytest.mark.in_turn(3)

WHOLE = bool(os.environ.get("TILELAB_WHOLE_CORPUS"))
STUDENTS = 300 if WHOLE else 24
# What the machine was about to write, or had just written, when it was killed; by the event.
KILLED = {
    1: ("identities.json", 1, "before"),
    2: ("/jobs/", 5, "before"),
    3: ("/history/", 1, "before"),
    4: ("/students/", 3, "after"),
    5: ("/history/", 1, "after"),
    6: ("grades.csv", 1, "before"),
    7: ("index.html", 1, "after"),
    8: ("/instructor/s", 4, "before"),
    9: ("class.json", 1, "before"),
    10: ("canvas.csv", 1, "after"),
}
KILLS = tuple(KILLED) if WHOLE else (3, 5, 8)
FULL_AT = {2: 3, 4: 60, 7: 25}  # by the event: so many files fit on the disk
FULL = tuple(FULL_AT) if WHOLE else (4,)


def kill(term: Term, event: int, out: Path, labs: tuple[str, ...]) -> None:
    target, number, when = KILLED[event]
    path = os.pathsep.join([str(Path(fake_term.__file__).parent), str(Path(__file__).parents[5])])
    command = [
        sys.executable,
        fake_term.__file__,
        str(term.folder),
        str(term.students),
        str(event),
        str(out),
        target,
        str(number),
        when,
    ]
    done = subprocess.run(
        [*command, *labs], check=False, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    )
    assert done.returncode == -signal.SIGKILL, done.stderr


def fill(term: Term, event: int, out: Path, labs: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk takes some files, and then no other. The batch says so."""
    free = [FULL_AT[event]]
    make: Callable[..., tuple[int, str]] = tempfile.mkstemp

    def mkstemp(*args: object, **named: object) -> tuple[int, str]:
        free[0] -= 1
        if free[0] < 0:
            raise OSError(28, "No space left on device")
        return make(*args, **named)

    with monkeypatch.context() as patch:
        patch.setattr("grader.system.own_files.tempfile.mkstemp", mkstemp)
        try:
            told = " ".join(term.grade(event, out, labs).faults)
        except (RemediableError, OSError) as error:
            told = str(error)
    assert "No space left on device" in told


def transitions(batches: list[KeptBatch]) -> Iterator[tuple[str, str]]:
    """Each student's lab that is kept twice with nothing new in between."""
    found: dict[tuple[str, str], list[object]] = {}
    for batch in batches:
        for one in batch.grades:
            found.setdefault((one.student, one.lab), []).append(one.model_dump(exclude={"causes"}))
    for key, states in found.items():
        if any(old == new for old, new in pairwise(states)):
            yield key


def test_a_term_with_all_its_accidents_ends_with_the_grades_of_one_clean_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    term, out = Term(tmp_path, STUDENTS), tmp_path / "out"
    term.prepare()
    for event in range(1, EVENTS + 1):
        released = LABS[: 1 + event // 2]
        if event in FULL:
            fill(term, event, out, released, monkeypatch)
        if event in KILLS:
            kill(term, event, out, released)
        if WHOLE or event in {1, *FULL, *KILLS, EVENTS}:
            assert term.grade(event, out, released).faults == ()
    clean = tmp_path / "clean"
    assert term.grade(EVENTS, clean).faults == ()
    grades = term.grades(out)
    assert grades == term.grades(clean)
    assert len(grades) == STUDENTS + 2

    history = HistoryFolder(out / "instructor")
    batches = history.read()
    assert history.notices == []
    assert list(transitions(batches)) == []
    last = {key: (one.points, one.judged, one.lost, one.spent) for key, one in last_grades(batches).items()}
    clean_history = last_grades(HistoryFolder(clean / "instructor").read())
    assert last == {key: (one.points, one.judged, one.lost, one.spent) for key, one in clean_history.items()}
    causes = {cause for batch in batches for one in batch.grades for cause in one.causes}
    assert causes >= {"first", "code", "grader", "policy", "override", "deadline"}


def test_the_term_has_late_days_penalties_closed_labs_and_labs_that_nobody_handed_in(tmp_path: Path) -> None:
    term, out = Term(tmp_path, 24), tmp_path / "out"
    term.prepare()
    term.grade(3, out)
    early = [lab for result in map(term.result, out.glob("students/*/result.json")) for lab in result.labs.values()]
    assert any(lab.standing is not None and lab.standing.open for lab in early)
    term.grade(EVENTS, out)
    standings = [
        lab.standing for result in map(term.result, out.glob("students/*/result.json")) for lab in result.labs.values()
    ]
    found = [one for one in standings if one is not None]
    assert any(one.days_spent for one in found)
    assert any(one.lost and not one.closed for one in found)
    assert any(one.closed for one in found)
    assert any(one.override for one in found)
    assert any(one.extended_from for one in found)
    assert not any(one.open for one in found)
