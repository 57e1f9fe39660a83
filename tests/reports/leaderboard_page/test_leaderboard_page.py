"""The public page of a leaderboard, made from invented times: what it shows, and that nothing of a board's secrets gets into it."""

from __future__ import annotations

import dataclasses
import re

from grader.model.result import LeaderboardName, Outlook, Ratio, Rung, Submission, Traffic
from grader.plugins.leaderboard.board import Apart, Board, Change, Entry, NameRow, Ranked
from grader.plugins.leaderboard.leaderboard_sheet import board_roofline, leaderboard_names_page, leaderboard_page

LOADS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"


def place(number: int, speed: float, *, passes: int = 1000, device: str = "NVIDIA H200", name: str = "") -> Ranked:
    entry = Entry(
        student=f"secret-{number}",
        speed=Ratio(low=speed * 0.99, middle=speed, high=speed * 1.01),
        milliseconds=0.4 / speed,
        gflops=5000 * speed,
        gbytes=30,
        device=device,
        shape="M=8 N=8 K=8",
        of_library=Ratio(low=speed / 8, middle=speed / 7, high=speed / 6),
        traffic=Traffic(metrics={LOADS: passes}, complete=True, work_unit="multiply-add", work=40_000)
        if passes
        else None,
    )
    return Ranked(number, shared=False, entry=entry, name=name or f"name {number}", change=Change("new"))


def board(*places: Ranked, apart: tuple[Apart, ...] = ()) -> Board:
    rows = tuple(
        NameRow(LeaderboardName(name=one.name), Submission(id=one.entry.student, name="Real Name"), one.rank, "")
        for one in places
    )
    return Board("lab", "Open", "2026-01-01", real_names=False, places=places, apart=apart, rows=rows)


def test_a_page_shows_ranks_intervals_and_the_share_of_the_library() -> None:
    page = leaderboard_page([board(place(1, 2.0), place(2, 1.5))])
    assert "1.98 to 2.02" in page
    assert "29 % (25 to 33) of cuBLAS" in page
    assert "10,000 GFLOP/s" in page
    assert page.count("<circle") == 2


def test_the_public_page_needs_no_script_no_network_and_holds_no_student() -> None:
    hidden = Apart("secret-9", "to-be-looked-at", "secret-reason", "name 9")
    page = leaderboard_page([board(place(1, 2.0), apart=(hidden,))])
    assert "secret" not in page
    assert "Real Name" not in page
    assert "name 9" in page
    assert "<script" not in page
    assert not re.search(r"https?://|\bsrc=|<link", page)
    names = leaderboard_names_page([board(place(1, 2.0))])
    assert "secret-1" in names
    assert "Real Name" in names


def test_real_names_are_escaped_and_hold_no_change_of_direction() -> None:
    page = leaderboard_page([board(place(1, 2.0, name="<b>Eve</b>\u202e"))])
    assert "<b>Eve" not in page
    assert "\u202e" not in page


def test_points_lie_on_logarithmic_axes_and_no_two_labels_overlap() -> None:
    places = [place(n, 7 - n / 20, passes=400 + 3 * n) for n in range(1, 40)]
    figure = board_roofline(places)
    assert figure is not None
    assert len(figure.points) == 39
    boxes = [(one.label_x, one.label_y, 6.6 * len(one.label)) for one in figure.points if one.label]
    assert boxes
    for index, (x, y, width) in enumerate(boxes):
        for other_x, other_y, other_width in boxes[index + 1 :]:
            assert abs(y - other_y) >= 10.9 or x + width <= other_x + 0.2 or other_x + other_width <= x + 0.2
    faster = board_roofline([place(1, 6.0, passes=100), place(2, 1.0, passes=2000)])
    assert faster is not None
    assert faster.points[0].x > faster.points[1].x
    assert faster.points[0].y < faster.points[1].y


def test_a_gpu_without_figures_has_no_roofline_unless_its_own_description_gives_the_roof() -> None:
    one = place(1, 2.0, device="Some GPU")
    assert board_roofline([one]) is None
    assert board_roofline([dataclasses.replace(one, entry=dataclasses.replace(one.entry, floor_ms=0.1))]) is not None
    assert board_roofline([place(1, 2.0, passes=0)]) is None
    assert board_roofline([]) is None


def test_the_course_s_steps_are_drawn_where_they_were_measured_at_this_size_on_such_a_gpu() -> None:
    rungs = (Rung(title="<tiles>", passes=30, gflops=9_000), Rung(title="registers", passes=290, gflops=40_000))
    ahead = Outlook(
        shape="8x8x8",
        counted="M=1",
        gpu="H200",
        gflops=1,
        passes=100,
        terms=(),
        registers=32,
        compiled=False,
        rungs=rungs,
    )

    def drawn(device: str, shape: str) -> tuple[Ranked, ...]:
        one = place(1, 2.0, device=device)
        return (
            dataclasses.replace(one, entry=dataclasses.replace(one.entry, outlook=ahead, shape=shape)),
            place(2, 1.0),
        )

    figure = board_roofline(drawn("NVIDIA H200", "M=8 N=8 K=8"))
    assert figure is not None
    assert [one.title for one in figure.rungs] == ["<tiles>: 9,000 GFLOP/s", "registers: 40,000 GFLOP/s"]
    assert len(figure.points) == 1  # counts of one launch and extrapolated ones are not drawn beside each other
    assert "&lt;tiles&gt;" in leaderboard_page([board(*drawn("NVIDIA H200", "M=8 N=8 K=8"))])
    for other in (
        board_roofline(drawn("NVIDIA A100", "M=8 N=8 K=8")),
        board_roofline(drawn("NVIDIA H200", "M=9 N=8 K=8")),
    ):
        assert other is not None
        assert other.rungs == ()


def test_several_labs_have_a_list_of_links() -> None:
    page = leaderboard_page([board(place(1, 2.0)), board()])
    assert 'href="#board-2"' in page
    assert "No kernel is ranked" in page
