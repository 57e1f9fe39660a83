"""A leaderboard as plain text and coordinates for its public page. Pure.

Nothing of a student goes in but the name that the board gives: no id, no file, no real name unless the course says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from grader.model import visible_text
from grader.model.result import Ratio, Rung
from grader.model.visible_text import counted
from grader.pages.page_section import Shown, render_page
from grader.pages.speed.chart import Axis, roofline
from grader.plugins.leaderboard.board import Board, Entry, Ranked, Reason
from grader.run.scoring.metrics import MULTIPLY_ADD, passes
from grader.run.scoring.predicted_time import Gpu, gpus

# The entries of a leaderboard on one roofline: how much arithmetic each does for a pass of the load/store units, counted by the executor,
# and how fast it was measured. Pure. Coordinates are computed here; the template only draws.

_WIDTH, _HEIGHT = 420.0, 230.0
_MARGINS = (56.0, 24.0, 22.0, 42.0)
_LETTER, _LINE = 6.6, 11.0  # the size of a character of a label
_RADIUS = 4.0
_FIRST_COLUMNS = (1.0, 4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0)


def board_roofline(places: Sequence[Ranked]) -> Shown | None:
    """None where the problem has no arithmetic, nothing was counted, or no roof of this GPU is known."""
    extrapolated = any(place.entry.outlook for place in places)
    found = [(place, _intensity(place, extrapolated=extrapolated)) for place in places]
    drawn = [(place, intensity) for place, intensity in found if intensity is not None]
    if not drawn:
        return None
    entry = drawn[0][0].entry
    device = entry.device.replace(" ", "").casefold()
    gpu = next((one for key, one in gpus().items() if key.casefold() in device), None)
    if gpu is None and entry.floor_ms <= 0:
        return None
    # GFLOP/s: the vendor's figures, else what the roofline that was measured comes to.
    roof = entry.gflops * entry.milliseconds / entry.floor_ms if entry.floor_ms > 0 else 0.0
    if gpu is not None:
        roof = 2 * gpu.multiprocessors * gpu.fp32_lanes * gpu.clock_ghz
    steps = _rungs(entry, gpu)
    rate = gpu.multiprocessors * gpu.clock_ghz if gpu else 0.0  # 10⁹ passes in a second
    right = [*(2 * intensity for _, intensity in drawn), *(1.5 * one.passes for one in steps)]
    most_x = max(1024.0, *right, 2 * roof / rate if rate else 0.0)
    least_x = min(4.0, *(intensity / 2 for _, intensity in drawn))
    top = 1.6 * max(roof, *(place.entry.gflops for place, _ in drawn))
    bottom = min(roof / 100, *(place.entry.gflops / 2 for place, _ in drawn))

    x, y = Axis(least_x, most_x, 0, _WIDTH, 1), Axis(bottom, top, _HEIGHT, 0, 1)
    corners = [(least_x, roof), (most_x, roof)]
    if rate:
        start = max(least_x, bottom / rate)
        corners = [(start, rate * start), (roof / rate, roof), (most_x, roof)]
    rungs = tuple(
        Shown(x=x.at(one.passes), y=y.at(one.gflops), title=f"{one.title}: {one.gflops:,.0f} GFLOP/s")
        for one in steps
        if one.passes >= least_x
    )
    points = tuple(_labelled(rungs, [(x.at(intensity), y.at(place.entry.gflops), place) for place, intensity in drawn]))
    columns = x.ticks(_FIRST_COLUMNS, "{:,.0f}".format)
    rows = y.ticks((10.0**power for power in range(-2, 8)), lambda gflops: f"{gflops / 1000:,g}")
    return Shown(
        **vars(roofline(x, y, corners, columns, rows, _MARGINS)),
        points=points,
        rungs=rungs,
        caption=_caption(sloped=bool(rate), rungs=bool(rungs), name=gpu.name if gpu else entry.device),
        alternative="; ".join(point.title for point in points),
    )


def _caption(*, sloped: bool, rungs: bool, name: str) -> str:
    sentence = "Up: the measured speed in TFLOP/s. To the right: operations for each pass of the load/store units, counted on the "
    sentence += "CPU executor with a public test. The line is what "
    sentence += "these units and the arithmetic" if sloped else "the arithmetic"
    sentence += f" of one {visible_text.line(name, 80)} allow. "
    sentence += "A kernel may lie above the slope, as nvcc merges some accesses. " if sloped else ""
    sentence += "The numbers are ranks."
    return sentence + (" Diamonds are the course's kernels after each step of the write-up." if rungs else "")


def _rungs(entry: Entry, gpu: Gpu | None) -> tuple[Rung, ...]:
    if entry.outlook is None or gpu is None or gpus().get(entry.outlook.gpu) != gpu:
        return ()
    return entry.outlook.rungs if re.findall(r"\d+", entry.shape) == re.findall(r"\d+", entry.outlook.shape) else ()


def _intensity(place: Ranked, *, extrapolated: bool) -> float | None:
    if extrapolated:
        return place.entry.outlook.passes if place.entry.outlook and place.entry.gflops > 0 else None
    traffic = place.entry.traffic
    if traffic is None or place.entry.gflops <= 0 or traffic.work_unit != MULTIPLY_ADD or not traffic.work:
        return None
    return 2 * traffic.work / made if (made := passes(traffic.metrics)) else None


def _labelled(rungs: Sequence[Shown], points: Sequence[tuple[float, float, Ranked]]) -> Iterator[Shown]:
    """Each with its rank beside it, where that covers neither a point nor another label."""
    centres = [*((one.x, one.y) for one in rungs), *((x, y) for x, y, _ in points)]
    taken = [(x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS) for x, y in centres]
    for x, y, place in points:
        text = str(place.rank)
        wide = _LETTER * len(text)
        title = f"{visible_text.line(place.name, 40)}: rank {place.rank}, {place.entry.gflops:,.0f} GFLOP/s"
        spots = ((x + 7, y), (x - 7 - wide, y), (x - wide / 2, y - 12), (x - wide / 2, y + 12))
        for left, middle in spots:
            box = (left, middle - _LINE / 2, left + wide, middle + _LINE / 2)
            if not any(_overlap(box, other) for other in taken):
                taken.append(box)
                yield Shown(x=x, y=y, title=title, label=text, label_x=round(left, 1), label_y=round(middle, 1))
                break
        else:
            yield Shown(x=x, y=y, title=title, label="")


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


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


def _section(board: Board) -> Shown:
    longest = max((place.entry.speed.high for place in board.places), default=1.0)
    first = board.places[0].entry if board.places else None
    where = f"{first.shape} on {first.device}, {board.date}" if first else ""
    apart = {reason: [one.name for one in board.apart if one.reason == reason] for reason in _REASONS}
    return Shown(
        board=board,
        where=where,
        rows=[_row(place, longest) for place in board.places],
        improved=_improved(board.places),
        groups=[(*_REASONS[reason], names) for reason, names in apart.items() if names],
        roofline=board_roofline(board.places),
        nothing="" if board.places else _nothing(board),
    )


def _nothing(board: Board) -> str:
    right = sum(one.reason == "not-measured" for one in board.apart)
    if not right:
        return "No kernel is ranked: none is right at every size and was timed yet."
    kernels = counted(right, "kernel is right", "kernels are right")
    return f"Speeds were not measured: {kernels}, but there was no GPU, or it was too noisy. Without times there are no ranks."


def _row(place: Ranked, longest: float) -> Shown:
    """The bar of its speed is in percent of the longest."""
    speed = place.entry.speed
    text, tone = _change(place)
    low, high = 100 * speed.low / longest, 100 * speed.high / longest
    return Shown(
        place=place,
        details=list(_details(place)),
        change=text,
        tone=tone,
        low=round(low, 2),
        middle=round(100 * speed.middle / longest, 2),
        span=round(max(high - low, 0.6), 2),
    )


def _details(place: Ranked) -> list[str]:
    entry = place.entry
    details = [f"{entry.milliseconds:.3g} ms"]
    details.append(f"{entry.gflops:,.0f} GFLOP/s" if entry.gflops else f"{entry.gbytes:,.0f} GB/s")
    if entry.of_library:
        details.append(f"{'about ' if entry.by_stand_in else ''}{_percent(entry.of_library)} of cuBLAS")
    return details


def _percent(share: Ratio) -> str:
    low, high = round(100 * share.low), round(100 * share.high)
    return f"{100 * share.middle:.0f} %" + (f" ({low} to {high})" if high - low > 1 else "")


def _change(place: Ranked) -> tuple[str, str]:
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


def _improved(places: Sequence[Ranked]) -> str:
    if all(place.change.kind == "new" for place in places):
        return ""
    faster = sorted((one for one in places if one.change.kind == "faster"), key=lambda one: -one.change.factor)
    if not faster:
        return "No student is faster than last time."
    names = [f"{visible_text.line(one.name, 60)} ({one.change.factor:.2f}×)" for one in faster[:5]]  # noqa: RUF001 -- the sign for times
    more = f" and {len(faster) - len(names)} more" if len(faster) > len(names) else ""
    return f"Faster than last time: {', '.join(names)}{more}."


def leaderboard_page(boards: Sequence[Board]) -> str:
    """The public page: it names students as the boards do, and holds nothing else of them."""
    return render_page("leaderboard_page/board", [_section(board) for board in boards])


def leaderboard_names_page(boards: Sequence[Board]) -> str:
    """Who is who, for the instructor."""
    return render_page("leaderboard_page/names", boards)
