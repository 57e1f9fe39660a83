"""Which pages of an earlier run are taken away: none that somebody else has put there."""

from __future__ import annotations

from pathlib import Path

from grader.explain.story import Story, StoryPlace, StoryRun, WarpStep
from grader.pages.pages import trace_page
from grader.run.launches.trace_phases import StepKind
from grader.system.own_files import is_foreign, remove_stale


def _page(folder: Path, name: str) -> Path:
    run = StoryRun("t", "", (), (StoryPlace(1),), (WarpStep(StepKind.BARRIER, -1, 0, 0),))
    story = Story("t", "", "a.cu", ("",), (1, 1, 1), (1, 1, 1), (0, 0, 0), "", "", (run,))
    (folder / name).write_text(trace_page(story), encoding="utf-8")
    return folder / name


def test_a_page_of_tilelab_is_not_foreign_and_any_other_file_is(tmp_path: Path) -> None:
    own, other, linked = _page(tmp_path, "own.html"), tmp_path / "other.html", tmp_path / "linked.html"
    other.write_text("<p>notes of a student</p>", encoding="utf-8")
    linked.symlink_to(own)
    assert [is_foreign(one) for one in (own, other, linked, tmp_path, tmp_path / "none.html")] == [
        False,
        True,
        True,
        True,
        False,
    ]


def test_pages_of_a_former_run_go_and_what_is_new_or_not_ours_stays(tmp_path: Path) -> None:
    _page(tmp_path, "race-02.html")
    _page(tmp_path, "trace-02.html")
    _page(tmp_path, "race-03.html")
    notes = tmp_path / "sum-02.html"
    notes.write_text("my own notes", encoding="utf-8")
    remove_stale(tmp_path, ["02"], ["trace-02.html"])
    assert sorted(one.name for one in tmp_path.iterdir()) == ["race-03.html", "sum-02.html", "trace-02.html"]
