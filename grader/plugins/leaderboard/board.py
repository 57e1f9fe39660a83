"""Makes the leaderboards of a graded class: names, places, what has changed since the last batch, and the history after it. Pure.

The boards that come of it hold ids of students, for the instructor. The public page shows only names.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import Field

from grader.model.labs import Lab
from grader.model.result import LabResult, LeaderboardName, Outlook, Ratio, Result, Submission, Timing, Traffic
from grader.model.verdicts import Verdict
from grader.plugins.leaderboard.pseudonyms import NameBook, Wish, call_students
from grader.roll.policy.grade_history import Kept
from grader.run.scoring.redaction import for_student
from grader.run.speed.speed_score import WIDEST

# What a leaderboard keeps from batch to batch: names, and the places and speeds of earlier batches. A field that is not known stays as it
# is, so that a history written by a newer version loses nothing here.


# Places by intervals. Pure.
#
# An entry's rank is 1 and the number of entries whose interval lies wholly above its own. So entries whose intervals overlap never
# push each other down, and a long chain of overlaps does not make the last as good as the first: a shared rank says "not shown to be
# slower than anybody in front of this place".
#
# An interval says how well one grading knows a speed. Another grading of the same file may differ by more than that, so no interval
# counts as narrower than gradings repeat.

# Ten gradings of one file differed by 0.3 to 0.5 % of its speed (tests/gpu). Speeds of two files that differ by less are not told apart.
REPEATS = 0.005


def ranks(speeds: Sequence[Ratio]) -> list[int]:
    """The rank of each, in their order."""
    counted = [counted_as(one) for one in speeds]
    return [1 + sum(other.low > one.high for other in counted) for one in counted]


def counted_as(speed: Ratio) -> Ratio:
    """A kernel that takes now more, now less time has a wide interval. That must not lift it into a shared place at the top: it counts
    as slow as it may be.
    """
    if (speed.high - speed.low) / 2 <= WIDEST * speed.middle:
        middle, least = speed.middle, REPEATS / 2 * speed.middle
        return Ratio(low=min(speed.low, middle - least), middle=middle, high=max(speed.high, middle + least))
    return Ratio(low=speed.low, middle=speed.low, high=speed.low)


MOST_BATCHES = 40  # of a lab


class KeptEntry(Kept):
    student: str
    source: str = ""  # digest of the file
    speed: Ratio  # over the baseline
    rank: int = 0  # 0: not ranked


class KeptBatch(Kept):
    handed_in: str  # digest of who handed in what
    date: str = ""
    device: str
    shape: str
    entries: tuple[KeptEntry, ...] = ()


class History(NameBook):
    schema_: Literal["tilelab/leaderboard/v1"] = Field(default="tilelab/leaderboard/v1", alias="schema")
    batches: dict[str, tuple[KeptBatch, ...]] = Field(default_factory=dict)  # by lab, the oldest first

    def before(self, lab_id: str, handed_in: str) -> tuple[KeptBatch, ...]:
        """The batches before this one. The same batch, graded again, is not before itself."""
        kept = self.batches.get(lab_id, ())
        return kept[:-1] if kept and kept[-1].handed_in == handed_in else kept

    def with_batch(self, lab_id: str, batch: KeptBatch) -> History:
        """A batch in which nothing was measured adds nothing. The same batch again takes the place of the last."""
        if not batch.entries:
            return self
        batches = (*self.before(lab_id, batch.handed_in), batch)[-MOST_BATCHES:]
        return self.model_copy(update={"batches": {**self.batches, lab_id: batches}})


@dataclass(frozen=True)
class Change:
    """How an entry compares with the same student's last one."""

    kind: Literal["new", "faster", "slower", "same", "unchanged"]  # unchanged: the same file
    factor: float = 1.0
    rank_before: int = 0  # 0: none


def change_since(before: Sequence[KeptBatch], now: KeptEntry, *, device: str, shape: str) -> Change:
    """`before`: earlier batches, the oldest first. Only speeds of the same GPU and shape are compared."""
    comparable = [batch for batch in before if (batch.device, batch.shape) == (device, shape)]
    last = next((one for batch in reversed(comparable) for one in batch.entries if one.student == now.student), None)
    if last is None:
        return Change("new")
    factor = now.speed.middle / last.speed.middle if last.speed.middle > 0 else 1.0
    if now.source and now.source == last.source:
        return Change("unchanged", 1.0, last.rank)
    speed, earlier = counted_as(now.speed), counted_as(last.speed)
    if speed.low > earlier.high:
        return Change("faster", factor, last.rank)
    if speed.high < earlier.low:
        return Change("slower", factor, last.rank)
    return Change("same", factor, last.rank)


def digest_of(facts: Iterable[tuple[str, ...]]) -> str:
    """Tells batches apart by who handed in what, in any order."""
    return hashlib.sha256(json.dumps(sorted(facts)).encode()).hexdigest()[:32]


# Who of a class has a place on a lab's leaderboard, and who is listed apart and why. Pure.
#
# What the public page may say of a kernel follows from the result as its student sees it: a case that gives no details gives none here.

_LIBRARY = "cublas"  # as a sweep calls it
# The size of the errors of TF32, half precision and bfloat16 at the sizes that are timed. fp32 has about 1e-6.
_LOWER_PRECISION = (5e-5, 3e-2)
Reason = Literal["lower-precision", "to-be-looked-at", "too-slow", "not-measured", "other-gpu"]


@dataclass(frozen=True)
class Entry:
    """A right kernel that was timed."""

    student: str
    speed: Ratio  # over the baseline
    milliseconds: float
    gflops: float  # 0: the problem has no arithmetic
    gbytes: float
    device: str
    shape: str
    of_library: Ratio | None = None  # library's time / kernel's time; none: no library was timed beside it
    by_stand_in: bool = False  # no library was there: that share was computed from the time of a kernel of the course
    traffic: Traffic | None = None  # of a public launch on the CPU executor; none: not counted
    outlook: Outlook | None = None  # the same launch at the size of the lab's climb; none: the lab has no climb
    floor_ms: float = 0  # no kernel can be faster; 0: unknown


@dataclass(frozen=True)
class Apart:
    """A kernel that has no rank."""

    student: str
    reason: Reason
    private: str = ""  # for the instructor alone
    name: str = ""  # on the page


def listed(lab: Lab, result: Result) -> Entry | Apart | None:
    """None where the kernel is wrong, or there is none."""
    full = result.labs[lab.id]
    seen = for_student(result).labs[lab.id]
    student = result.submission.id
    failed = [case.name for case in seen.cases if case.role == "correctness" and not case.passed]
    if seen.verdict is Verdict.PASS and not failed:
        return _right(student, full, seen)
    if seen.verdict is not Verdict.WRONG_ANSWER or not seen.cases:
        return None
    precise = {case.name for case in lab.cases if case.precision}
    if failed and precise.issuperset(failed):
        return Apart(student, "lower-precision", _error_of_cases(full, failed))
    size = seen.timing.relative_error if seen.timing else None
    if not failed and size is not None and _LOWER_PRECISION[0] <= size <= _LOWER_PRECISION[1]:
        return Apart(student, "lower-precision", f"timed outputs have a relative error of {size:.1e}")
    return None


def on_one_gpu(found: Sequence[Entry | Apart]) -> list[Entry | Apart]:
    """Speeds of different GPUs or shapes cannot be compared: only those of the most frequent pair keep their place."""
    entries = [one for one in found if isinstance(one, Entry)]
    pairs = [(one.device, one.shape) for one in entries]
    usual = max(sorted(set(pairs)), key=pairs.count, default=None)
    return [
        Apart(one.student, "other-gpu", f"timed on {one.device}, {one.shape}")
        if isinstance(one, Entry) and (one.device, one.shape) != usual
        else one
        for one in found
    ]


def _right(student: str, full: LabResult, seen: LabResult) -> Entry | Apart:
    timing, traffic = seen.timing, [launch.traffic for case in seen.cases for launch in case.launches]
    counted = [one for one in traffic if one and one.complete]
    own = next((one for one in timing.contestants if one.name == "student"), None) if timing else None
    if full.timing is not None and full.timing.review:
        return Apart(student, "to-be-looked-at", full.timing.review)
    if timing is None or timing.speedup is None or own is None:
        words = full.timing.words if full.timing else ""
        return Apart(student, "too-slow" if timing and timing.too_slow else "not-measured", words)
    return Entry(
        student,
        timing.speedup,
        own.milliseconds,
        own.gflops,
        own.gbytes,
        timing.device,
        timing.shape,
        of_library=_of_library(timing),
        by_stand_in=any(one.name == "stand-in" for one in timing.contestants),
        traffic=counted[-1] if counted else None,
        outlook=seen.outlook,
        floor_ms=timing.floor_ms,
    )


def _of_library(timing: Timing) -> Ratio | None:
    """The share of a library's speed: from the same rounds, else from the sweep's point of the same shape."""
    if timing.library_share is not None:
        return timing.library_share
    for point in timing.sweep:
        times = {one.name: one for one in point.kernels}
        library, own = times.get(_LIBRARY), times.get("student")
        if library is None or own is None or point.trouble or point.shape != timing.shape:
            continue
        if min(own.low_ms, own.milliseconds, own.high_ms) > 0:
            return Ratio(
                low=library.low_ms / own.high_ms,
                middle=library.milliseconds / own.milliseconds,
                high=library.high_ms / own.low_ms,
            )
    return None


def _error_of_cases(full: LabResult, names: Sequence[str]) -> str:
    """The size of the first wrong elements' errors."""
    launches = [launch for case in full.cases if case.name in names for launch in case.launches]
    elements = [element for launch in launches if launch.mismatch for element in launch.mismatch.first]
    known = [(one.got, one.expected) for one in elements if one.expected and one.got is not None]
    errors = [abs(got - expected) / abs(expected) for got, expected in known]
    sizes = f", with relative errors up to {max(errors):.1e}" if errors else ""
    return f"only {', '.join(names)} fails{sizes}"


@dataclass(frozen=True)
class Ranked:
    rank: int
    shared: bool
    entry: Entry
    name: str
    change: Change


@dataclass(frozen=True)
class NameRow:
    """For the instructor: who is who."""

    called: LeaderboardName  # without a name: not on the page
    submission: Submission
    rank: int  # 0: none
    remark: str  # why there is no rank


@dataclass(frozen=True)
class Board:
    lab_id: str
    title: str
    date: str
    real_names: bool
    places: tuple[Ranked, ...]  # the first rank first
    apart: tuple[Apart, ...]  # by name
    rows: tuple[NameRow, ...]


def make_boards(
    labs: Sequence[Lab],
    results: Sequence[Result],
    wishes: Mapping[str, Mapping[str, Wish]],
    key: bytes,
    history: History,
    refused: Sequence[str] = (),
) -> tuple[list[Board], tuple[Result, ...], History]:
    """With the results, in which students get to know their names, and the history after it. `wishes`: by lab, then by student."""
    submissions = [result.submission for result in results]
    boards: list[Board] = []
    told = {result.submission.id: result for result in results}
    for lab in labs:
        called, history = call_students(submissions, wishes[lab.id], history, key, refused)
        if lab.public.leaderboard is not None and lab.public.leaderboard.names == "real":
            real = {one.id: one.name for one in submissions}
            called = {
                one: LeaderboardName(name=real[one] if call.name else "", source=call.source)
                for one, call in called.items()
            }
        board, batch = _board(lab, results, called, history)
        boards.append(board)
        history = history.with_batch(lab.id, batch)
        for student, call in called.items():
            result = told[student]
            of_lab = result.labs[lab.id].model_copy(update={"leaderboard": call})
            told[student] = result.model_copy(update={"labs": {**result.labs, lab.id: of_lab}})
    return boards, tuple(told[one.id] for one in submissions), history


def _board(
    lab: Lab, results: Sequence[Result], called: Mapping[str, LeaderboardName], history: History
) -> tuple[Board, KeptBatch]:
    found = on_one_gpu([
        one for result in results if result.submission.id in called and (one := listed(lab, result)) is not None
    ])  # fmt: skip
    # Whoever asked not to be on the page takes no place either: a gap between ranks would tell of it.
    entries = [one for one in found if isinstance(one, Entry) and called[one.student].name]
    rank_of = dict(zip([one.student for one in entries], ranks([one.speed for one in entries]), strict=True))
    kept = {
        one.student: KeptEntry(
            student=one.student, source=called[one.student].source, speed=one.speed, rank=rank_of.get(one.student, 0)
        )
        for one in found
        if isinstance(one, Entry)
    }
    batch = KeptBatch(
        handed_in=digest_of((student, call.source) for student, call in called.items()),
        date=results[0].environment.date if results else "",
        device=entries[0].device if entries else "",
        shape=entries[0].shape if entries else "",
        entries=tuple(kept.values()),
    )
    before = history.before(lab.id, batch.handed_in)
    taken = list(rank_of.values())
    places = [
        Ranked(
            rank,
            shared=taken.count(rank) > 1,
            entry=one,
            name=called[one.student].name,
            change=change_since(before, kept[one.student], device=one.device, shape=one.shape),
        )
        for one, rank in zip(entries, taken, strict=True)
    ]
    places.sort(key=lambda one: (one.rank, -one.entry.speed.middle, one.name))
    apart = [replace(one, name=called[one.student].name) for one in found if isinstance(one, Apart)]
    remarks = {one.student: f"{one.reason}: {one.private}" for one in apart}
    who = [(called[one.id], one) for one in (result.submission for result in results) if one.id in called]
    rows = [NameRow(call, one, rank_of.get(one.id, 0), remarks.get(one.id, "")) for call, one in who]
    board = Board(
        lab.id,
        lab.public.title,
        batch.date,
        real_names=lab.public.leaderboard is not None and lab.public.leaderboard.names == "real",
        places=tuple(places),
        apart=tuple(sorted((one for one in apart if one.name), key=lambda one: one.name.casefold())),
        rows=tuple(sorted(rows, key=lambda one: (one.rank or len(rows) + 1, one.called.name.casefold()))),
    )
    return board, batch
