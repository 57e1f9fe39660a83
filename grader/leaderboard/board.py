"""Makes the leaderboards of a graded class: names, places, what has changed since the last batch, and the history after it. Pure.

The boards that come of it hold ids of students, for the instructor. The public page shows only names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.leaderboard.entry import Apart, Entry, listed, on_one_gpu
from grader.leaderboard.history import Change, History, KeptBatch, KeptEntry, change_since, digest_of
from grader.leaderboard.pseudonyms import Called, call_students
from grader.leaderboard.ranks import ranks
from grader.leaderboard.wishes import Wish
from grader.model.labs import Lab
from grader.model.result import LeaderboardName, Result


@dataclass(frozen=True)
class Place:
    rank: int
    shared: bool
    entry: Entry
    name: str
    change: Change


@dataclass(frozen=True)
class ApartPlace:
    apart: Apart
    name: str


@dataclass(frozen=True)
class NameRow:
    """For the instructor: who is who."""

    name: str  # empty: not on the page
    student: str
    real_name: str
    chosen: bool
    note: str
    rank: int  # 0: none
    remark: str  # why there is no rank


@dataclass(frozen=True)
class Board:
    lab_id: str
    title: str
    date: str
    real_names: bool
    places: tuple[Place, ...]  # the first rank first
    apart: tuple[ApartPlace, ...]  # by name
    rows: tuple[NameRow, ...]


@dataclass(frozen=True)
class Boards:
    boards: tuple[Board, ...]
    results: tuple[Result, ...]  # with the names that students get to know
    history: History


def make_boards(  # noqa: PLR0913 -- the class, what it asks for, and what is kept
    labs: Sequence[Lab],
    results: Sequence[Result],
    wishes: Mapping[str, Mapping[str, Wish]],
    sources: Mapping[str, Mapping[str, str]],
    *,
    key: bytes,
    history: History,
    refused: Sequence[str] = (),
) -> Boards:
    """`wishes` and `sources`: by lab, then by student: what the file asks for, and its digest."""
    submissions = [result.submission for result in results]
    boards: list[Board] = []
    told = {result.submission.id: result for result in results}
    for lab in labs:
        asked = wishes.get(lab.id, {})
        called, names = call_students(submissions, asked, history.names, key, refused)
        history = history.with_names(names, [one.id for one in submissions])
        if lab.public.leaderboard is not None and lab.public.leaderboard.names == "real":
            real = {one.id: one.name for one in submissions}
            called = {one: Called(real[one] if call.name else "") for one, call in called.items()}
        digests = sources.get(lab.id, {})
        board, batch = _board(lab, results, called, digests, history)
        boards.append(board)
        history = history.with_batch(lab.id, batch)
        for student, call in called.items():
            told[student] = _with_name(told[student], lab.id, call, digests.get(student, ""))
    return Boards(tuple(boards), tuple(told[one.id] for one in submissions), history)


def _with_name(result: Result, lab_id: str, call: Called, source: str) -> Result:
    name = LeaderboardName(name=call.name, chosen=call.chosen, note=call.note, source=source)
    lab = result.labs[lab_id].model_copy(update={"leaderboard": name})
    return result.model_copy(update={"labs": {**result.labs, lab_id: lab}})


def _board(
    lab: Lab, results: Sequence[Result], called: Mapping[str, Called], digests: Mapping[str, str], history: History
) -> tuple[Board, KeptBatch]:
    found = on_one_gpu([
        one for result in results if result.submission.id in called and (one := listed(lab, result)) is not None
    ])  # fmt: skip
    # Whoever asked not to be on the page takes no place either: a gap between ranks would tell of it.
    shown = [one for one in found if called[one.student].name]
    entries = [one for one in shown if isinstance(one, Entry)]
    rank_of = dict(zip([one.student for one in entries], ranks([one.speed for one in entries]), strict=True))
    kept = [
        KeptEntry(
            student=one.student, source=digests.get(one.student, ""), speed=one.speed, rank=rank_of.get(one.student, 0)
        )
        for one in found
        if isinstance(one, Entry)
    ]
    batch = KeptBatch(
        handed_in=_handed_in(called, digests, kept),
        date=results[0].environment.date if results else "",
        device=entries[0].device if entries else "",
        shape=entries[0].shape if entries else "",
        entries=tuple(kept),
    )
    before = history.before(lab.id, batch.handed_in)
    of_student = {one.student: one for one in kept}
    places = [
        Place(
            rank_of[one.student],
            shared=list(rank_of.values()).count(rank_of[one.student]) > 1,
            entry=one,
            name=called[one.student].name,
            change=change_since(before, of_student[one.student], device=one.device, shape=one.shape),
        )
        for one in entries
    ]
    places.sort(key=lambda one: (one.rank, -one.entry.speed.middle, one.name))
    apart = [ApartPlace(one, called[one.student].name) for one in shown if isinstance(one, Apart)]
    remarks = {one.student: f"{one.reason}: {one.private}" for one in found if isinstance(one, Apart)}
    rows = [
        NameRow(
            called[student].name,
            student,
            result.submission.called,
            called[student].chosen,
            called[student].note,
            rank_of.get(student, 0),
            remarks.get(student, ""),
        )
        for result in results
        if (student := result.submission.id) in called
    ]
    board = Board(
        lab.id,
        lab.public.title,
        batch.date,
        real_names=lab.public.leaderboard is not None and lab.public.leaderboard.names == "real",
        places=tuple(places),
        apart=tuple(sorted(apart, key=lambda one: one.name.casefold())),
        rows=tuple(sorted(rows, key=lambda one: (one.rank or len(rows) + 1, one.name.casefold()))),
    )
    return board, batch


def _handed_in(called: Mapping[str, Called], digests: Mapping[str, str], kept: Sequence[KeptEntry]) -> str:
    """Where the files are not at hand, their speeds tell batches apart."""
    if any(digests.values()):
        return digest_of((student, digests.get(student, "")) for student in called)
    return digest_of((one.student, repr(one.speed.middle)) for one in kept)
