"""Leaderboards of a batch: what is public, what is kept, and what happens when a class is graded twice. Times are invented: a source says
its speed.
"""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest
from fake_course import Course, FakeJudge

from grader.model.labs import Lab, load_lab
from grader.model.outcome import Contest, LabOutcome, SpeedOutcome
from grader.plugins.leaderboard.class_boards import rank_again
from grader.roll.batch.publishing import write_files

NAMES = ("baseline", "student", "model", "control")
BOARD = '[performance]\nbaseline = "b"\nshape = "8x8x8"\n[leaderboard]\n'


@dataclasses.dataclass
class TimedJudge(FakeJudge):
    """Kernels of lab `a` are as fast as their source says: SPEED 1.5."""

    gpu: bool = True

    def __call__(self, lab: Lab, source: Path, scratch: Path) -> LabOutcome:
        outcome = super().__call__(lab, source, scratch)
        speed = re.search(r"SPEED ([\d.]+)", source.read_text(encoding="utf-8"))
        if speed is None or not self.gpu:
            return outcome
        own = 1e6 / float(speed[1])
        times = tuple(
            tuple(one * (1 + (7 * n + 3 * k) % 5 / 500) for n in range(31))
            for k, one in enumerate((1e6, own, 5e5, 1e6))
        )
        contest = Contest(
            status="completed",
            nanoseconds=times,
            shape="M=8",
            flops=1e9,
            bytes=1e6,
            device="A GPU",
            relative_error=1e-6,
        )
        return dataclasses.replace(outcome, speed=SpeedOutcome(NAMES, (contest,)))


@pytest.fixture
def board(course: Course) -> Course:
    toml = course.root / "assignments" / "a" / "lab.toml"
    toml.write_text(toml.read_text() + BOARD)
    course.judge = TimedJudge()
    course.hand_in("Zoë Ångström", a="// leaderboard: Tile juggler\nSPEED 2.0")
    course.hand_in("carl-gauss", a="SPEED 1.5")
    course.hand_in("emmy-noether", a="// leaderboard: <script>alert(1)</script>\nSPEED 1.5004")
    course.hand_in("anna", a="SPEED 1.2")
    return course


def page(course: Course) -> str:
    return (course.out / "leaderboard.html").read_text(encoding="utf-8")


def kept(course: Course) -> dict[str, list[dict[str, object]]]:
    path = course.out / "instructor" / "leaderboard" / "history.json"
    batches: dict[str, list[dict[str, object]]] = json.loads(path.read_text())["batches"]
    return batches


def ranks(course: Course) -> list[tuple[str, str]]:
    return re.findall(r'class="rank"><b>(\d+)</b>.*?<bdi>(.*?)</bdi>', page(course), re.DOTALL)


def name_of(course: Course, student: str) -> str:
    told = course.result(student).labs["a"].leaderboard
    assert told is not None
    return told.name


def test_kernels_are_ranked_and_each_student_is_told_the_own_name_alone(board: Course) -> None:
    report = board.grade()
    assert report.faults == ()
    assert report.added == (("leaderboard", board.out / "leaderboard.html"),)
    found = ranks(board)
    assert [rank for rank, _ in found] == ["1", "2", "2", "4"]
    assert found[0][1] == "Tile juggler"
    assert found[3][1] == name_of(board, "anna")
    told = (board.out / "students" / "anna" / "report.html").read_text()
    assert name_of(board, "anna") in told
    assert "Tile juggler" not in told
    assert name_of(board, "carl-gauss") not in told


def test_the_public_page_holds_nothing_of_anybody(board: Course) -> None:
    board.grade()
    secret = (board.out / "instructor" / "leaderboard" / "key").read_text().strip()
    text = page(board).casefold()
    for word in (
        "zoë",
        "zoe",
        "ångström",
        "angstrom",
        "carl",
        "gauss",
        "emmy",
        "noether",
        "anna",
        "ben",
        "a.cu",
        "alert",
        "sub missions",
        secret,
    ):
        assert not re.search(rf"\b{re.escape(word)}\b", text), word
    assert "<script" not in text
    assert "http-equiv" in text  # the content security policy
    names = (board.out / "instructor" / "leaderboard" / "names.html").read_text()
    for student in ("carl-gauss", "emmy-noether", "anna"):
        assert student in names
        assert name_of(board, student) in names
    assert not (board.out / "leaderboard").exists()


def test_the_order_of_ties_does_not_tell_the_order_of_ids(board: Course) -> None:
    for number in range(6):
        board.hand_in(f"twin-{number}", a=f"// copy {number}\nSPEED 1.8")
    board.grade()
    shared = [name for rank, name in ranks(board) if rank == "2"]
    assert len(shared) == 6
    assert shared == sorted(shared)


def test_the_same_batch_twice_gives_the_same_page_and_one_entry(board: Course) -> None:
    board.grade()
    first = page(board)
    board.grade()
    assert page(board) == first
    assert len(kept(board)["a"]) == 1


def test_who_improved_is_told_and_names_stay(board: Course) -> None:
    board.grade()
    name = name_of(board, "anna")
    board.hand_in("anna", a="SPEED 2.5")
    board.grade()
    assert ranks(board)[0] == ("1", name)
    assert f"Faster than last time: {name} (2.08×)" in page(board)  # noqa: RUF001 -- the sign for times
    assert "2.08 times as fast as last time, was rank 4" in page(board)
    assert "same file as last time" in page(board)
    assert len(kept(board)["a"]) == 2


def test_a_wish_that_cannot_be_granted_costs_nothing_and_is_explained(board: Course) -> None:
    board.hand_in("carl-gauss", a="// leaderboard: Tile-Juggler\nSPEED 1.5")
    board.grade()
    told = board.result("carl-gauss").labs["a"].leaderboard
    assert told is not None
    assert (told.chosen, told.name not in {"", "Tile-Juggler"}) == (False, True)
    assert "taken" in (board.out / "students" / "carl-gauss" / "report.html").read_text()
    assert board.result("carl-gauss").labs["a"].points == board.result("anna").labs["a"].points


def test_who_asks_to_be_left_out_leaves_no_gap(board: Course) -> None:
    board.hand_in("Zoë Ångström", a="// leaderboard: no\nSPEED 2.0")
    board.grade()
    assert [rank for rank, _ in ranks(board)] == ["1", "1", "3"]


def test_without_times_nobody_has_a_rank_and_the_history_stays(board: Course) -> None:
    board.grade()
    board.judge = TimedJudge(gpu=False)
    board.fingerprint = "kit 2"
    board.grade()
    assert ranks(board) == []
    assert "Speeds were not measured" in page(board)
    assert len(kept(board)["a"]) == 1


def test_a_damaged_history_is_kept_and_told_and_grades_stand(board: Course) -> None:
    board.grade()
    path = board.out / "instructor" / "leaderboard" / "history.json"
    name = name_of(board, "anna")
    path.write_text("{damaged")
    report = board.grade()
    assert (path.parent / "history.json.unread-1").read_text() == "{damaged"
    assert any("history cannot be read" in one for one in report.graded.notices)
    assert report.faults == ()
    assert name_of(board, "anna") == name  # by the key


def test_a_fault_of_the_leaderboard_costs_no_grade(board: Course) -> None:
    board.grade()
    rows = board.rows()
    folder = board.out / "instructor" / "leaderboard"
    (folder / "history.json").unlink()
    (folder / "key").unlink()
    (folder / "key").mkdir()
    (folder / "refused.txt").mkdir()
    assert board.grade().faults == ()
    (folder / "names.html").unlink()
    (folder / "names.html").mkdir()
    assert board.grade().published.unwritten
    assert board.rows() == rows


def test_real_names_only_where_the_course_says_so(board: Course) -> None:
    toml = board.root / "assignments" / "a" / "lab.toml"
    toml.write_text(toml.read_text() + 'names = "real"\n')
    board.grade()
    assert {name for _, name in ranks(board)} == {"Zoë Ångström", "carl-gauss", "emmy-noether", "anna"}


def test_the_page_can_be_made_again_from_what_the_batch_left(board: Course) -> None:
    board.grade()
    first, history = page(board), kept(board)
    (board.out / "leaderboard.html").unlink()
    ranked = rank_again([load_lab(board.root, "a")], board.out)
    assert write_files(ranked.files) == ([], [])
    assert page(board) == first
    assert kept(board) == history


def test_a_lab_that_was_not_graded_gets_no_empty_page(board: Course) -> None:
    board.grade("b")
    ranked = rank_again([load_lab(board.root, "a")], board.out)
    assert ranked.files == ()
    assert not (board.out / "instructor" / "leaderboard").exists()


def test_a_record_that_cannot_be_read_is_told_and_the_others_are_ranked(board: Course) -> None:
    board.grade()
    (board.out / "instructor" / "carl-gauss.json").write_text("{damaged")
    ranked = rank_again([load_lab(board.root, "a")], board.out)
    assert write_files(ranked.files) == ([], [])
    assert [rank for rank, _ in ranks(board)] == ["1", "2", "3"]
    assert any("carl-gauss.json cannot be read" in one for one in ranked.notices)


def test_a_batch_without_such_a_lab_leaves_the_page_as_it_is(board: Course) -> None:
    assert board.grade("b").added == ()
    assert not (board.out / "leaderboard.html").exists()


def test_a_made_name_stays_with_its_student_whoever_comes_later(board: Course) -> None:
    board.roster = "name,login\nZoe Later,zoe-angstrom\nEve,eve\n"
    board.grade()
    before = {student: name_of(board, student) for student in ("anna", "carl-gauss", "Zoe-Angstrom")}
    assert board.result("Eve").labs["a"].leaderboard is None
    board.hand_in("Zoe Angstrom", a="SPEED 1.1")
    board.grade()
    assert {student: name_of(board, student) for student in before} == before
    assert name_of(board, "Zoe-Angstrom-2") not in before.values()
    ranked = rank_again([load_lab(board.root, "a")], board.out)
    assert not ranked.notices
    assert [one.submission.id for one in ranked.results].count("Eve") == 1
