"""A leaderboard as plain text and coordinates for its public page. Pure.

Nothing of a student goes in but the name that the board gives: no id, no file, no real name unless the course says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.leaderboard.board import Board, Place
from grader.leaderboard.entry import Reason
from grader.leaderboard.history import Change
from grader.model.result import Ratio
from grader.reports.leaderboard_page.board_roofline import BoardRoofline, board_roofline
from grader.reports.text import visible
from grader.reports.text.number_format import counted

_REASONS: dict[Reason, tuple[str, str]] = {
    "lower-precision": (
        "Not in fp32",
        "Right on whole numbers, and less accurate than fp32 on others. It is not compared with kernels in fp32.",
    ),
    "to-be-looked-at": ("Waiting", "Measured, but a person looks at the kernel before it gets a rank."),
    "too-slow": ("Too slow to be timed", "Right, and at least fifty times as slow as naive."),
    "not-measured": ("Not measured", "Right, but this batch has no time for it that can be trusted."),
    "other-gpu": ("Another GPU", "Timed on another GPU or another size, so it cannot be compared here."),
}


@dataclass(frozen=True)
class PlaceRow:
    rank: str
    shared: bool
    medal: bool
    name: str
    speed: str  # "1.53"
    interval: str
    details: tuple[str, ...]
    change: str  # empty: nothing to say
    tone: str  # of the change: "good", "bad", "absent"
    low: float  # percent of the bar's width
    middle: float
    span: float


@dataclass(frozen=True)
class ApartGroup:
    label: str
    why: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class BoardSection:
    anchor: str
    lab_id: str
    title: str
    where: str  # shape, GPU and date; empty: nothing was measured
    rows: tuple[PlaceRow, ...]
    improved: str  # a sentence; empty: nobody has
    groups: tuple[ApartGroup, ...]
    roofline: BoardRoofline | None
    nothing: str  # why there are no ranks; empty: there are some


@dataclass(frozen=True)
class BoardSheet:
    title: str
    sections: tuple[BoardSection, ...]
    pseudonyms: bool


def board_sheet(boards: Sequence[Board]) -> BoardSheet:
    sections = tuple(_section(number, board) for number, board in enumerate(boards, 1))
    title = f"Leaderboard: {sections[0].title}" if len(sections) == 1 else "Leaderboards"
    return BoardSheet(title, sections, pseudonyms=not all(board.real_names for board in boards))


def _section(number: int, board: Board) -> BoardSection:
    longest = max((place.entry.speed.high for place in board.places), default=1.0)
    first = board.places[0].entry if board.places else None
    where = f"{first.shape} on {first.device}, {board.date}" if first else ""
    return BoardSection(
        anchor=f"board-{number}",
        lab_id=visible.line(board.lab_id, 60),
        title=visible.line(board.title, 120),
        where=visible.line(where, 240),
        rows=tuple(_row(place, longest) for place in board.places),
        improved=_improved(board.places),
        groups=tuple(_groups(board)),
        roofline=board_roofline(board.places),
        nothing="" if board.places else _nothing(board),
    )


def _nothing(board: Board) -> str:
    right = sum(1 for one in board.apart if one.apart.reason == "not-measured")
    if not right:
        return "No kernel is ranked: none is right at every size and was timed yet."
    kernels = counted(right, "kernel is right", "kernels are right")
    return f"Speeds were not measured: {kernels}, but there was no GPU, or it was too noisy. Without times there are no ranks."


def _row(place: Place, longest: float) -> PlaceRow:
    speed = place.entry.speed
    text, tone = _change(place)
    low, high = 100 * speed.low / longest, 100 * speed.high / longest
    return PlaceRow(
        rank=str(place.rank),
        shared=place.shared,
        medal=place.rank <= 3,  # noqa: PLR2004 -- as on any podium
        name=visible.line(place.name, 60),
        speed=f"{speed.middle:.2f}",
        interval=f"{speed.low:.2f} to {speed.high:.2f}",
        details=tuple(_details(place)),
        change=text,
        tone=tone,
        low=round(low, 2),
        middle=round(100 * speed.middle / longest, 2),
        span=round(max(high - low, 0.6), 2),
    )


def _details(place: Place) -> list[str]:
    entry = place.entry
    details = [f"{entry.milliseconds:.3g} ms"]
    details.append(f"{entry.gflops:,.0f} GFLOP/s" if entry.gflops else f"{entry.gbytes:,.0f} GB/s")
    if entry.of_library:
        details.append(f"{'about ' if entry.by_stand_in else ''}{_percent(entry.of_library)} of cuBLAS")
    return details


def _percent(share: Ratio) -> str:
    low, high = round(100 * share.low), round(100 * share.high)
    return f"{100 * share.middle:.0f} %" + (f" ({low} to {high})" if high - low > 1 else "")


def _change(place: Place) -> tuple[str, str]:
    change = place.change
    moved = f", was rank {change.rank_before}" if change.rank_before not in {0, place.rank} else ""
    words: dict[str, tuple[str, str]] = {
        "new": ("new", "waiting"),
        "faster": (f"{change.factor:.2f} times as fast as last time{moved}", "good"),
        "slower": (f"{change.factor:.2f} times as fast as last time{moved}", "bad"),
        "same": (f"as fast as last time{moved}", "absent"),
        "unchanged": (f"same file as last time{moved}", "absent"),
    }
    return words[change.kind]


def _improved(places: Sequence[Place]) -> str:
    if all(place.change.kind == "new" for place in places):
        return ""
    faster = sorted((one for one in places if one.change.kind == "faster"), key=lambda one: -one.change.factor)
    if not faster:
        return "Nobody is faster than last time."
    names = [f"{visible.line(one.name, 60)} ({_times(one.change)})" for one in faster[:5]]
    more = f" and {len(faster) - len(names)} more" if len(faster) > len(names) else ""
    return f"Faster than last time: {', '.join(names)}{more}."


def _times(change: Change) -> str:
    return f"{change.factor:.2f}×"  # noqa: RUF001 -- the sign for times


def _groups(board: Board) -> list[ApartGroup]:
    found = {one.apart.reason for one in board.apart}
    return [
        ApartGroup(label, why, tuple(visible.line(one.name, 60) for one in board.apart if one.apart.reason == reason))
        for reason, (label, why) in _REASONS.items()
        if reason in found
    ]
