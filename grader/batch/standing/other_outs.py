"""What other OUT folders of the same term say of labs that this batch does not grade: late days are counted over all of them.

course.toml names the folders. Nothing in them is changed. Ids are each OUT's own, so students are found by what tells them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from glob import glob
from pathlib import Path

from grader.batch.standing.history_folder import HistoryFolder
from grader.people.identities import Identities
from grader.people.identity_file import IdentityFile
from grader.people.name_forms import some
from grader.policy.course_file import PolicyError
from grader.policy.grade_history import KeptGrade, last_grades


@dataclass
class OtherOuts:
    """`grades`: by student, with this OUT's ids, and lab."""

    grades: dict[tuple[str, str], KeptGrade] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)


def other_outs(patterns: Sequence[str], own: Path, book: Identities) -> OtherOuts:
    """Of two OUTs with one lab, the one that was graded last counts. Raises PolicyError where a pattern names no graded class, and
    IdentityError.
    """
    found = OtherOuts()
    dated = []
    for private in _folders(patterns, own):
        history = HistoryFolder(private)
        batches = history.read()
        found.notices += history.notices
        if batches:
            dated.append((batches[-1].date, private, batches))
    for _, private, batches in sorted(dated, key=lambda one: one[:2]):
        ids, unknown = {}, []
        for one in IdentityFile(private).read().book.all:
            ours = book.find(list(one.keys))
            if ours is not None:
                ids[one.id] = ours.id
        for (student, lab), grade in last_grades(batches).items():
            if student in ids:
                found.grades[ids[student], lab] = grade
            elif grade.at and student not in unknown:
                unknown.append(student)
        if unknown:
            found.notices.append(
                f"{private.parent}: {len(unknown)} who handed in there cannot be told among the students here, so their late days there do "
                f"not count: {some(unknown)}. A roster with numbers, logins or addresses in both batches tells them"
            )
    return found


def _folders(patterns: Sequence[str], own: Path) -> list[Path]:
    """The instructor's folder in each OUT, without this one's."""
    folders: dict[Path, None] = {}
    for pattern in patterns:
        named = sorted(map(Path, glob(pattern))) if "*" in pattern else [Path(pattern)]  # noqa: PTH207 -- from the root as well
        graded = [one for one in named if (one / "instructor" / "history").is_dir()]
        if not graded and "*" not in pattern and Path(pattern).resolve() != own.resolve():
            message = f"course.toml, [late], also_in: {pattern} holds no graded class. Name an OUT of `make grade`, or graded/*."
            raise PolicyError(message)
        folders |= {one.resolve() / "instructor": None for one in graded if one.resolve() != own.resolve()}
    return list(folders)
