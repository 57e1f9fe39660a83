"""Waits for saves without a clock: `sleep` runs the next step of the test."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path

from grader.cli.practice.watch_loop import Event, FilePoller, read_contents, watch_events


class World:
    """Runs the next of `deeds` whenever the poller sleeps. Fails where it sleeps after the last one."""

    def __init__(self, deeds: Sequence[Callable[[], object] | None]) -> None:
        self.deeds = list(deeds)

    def sleep(self, _seconds: float) -> None:
        deed = self.deeds.pop(0)
        if deed:
            deed()


def saves(paths: dict[str, Path], *deeds: Callable[[], object] | None, count: int = 1) -> tuple[list[Event], World]:
    world = World(deeds)
    return list(islice(watch_events(FilePoller(paths, sleep=world.sleep)), count)), world


def test_a_save_is_told_by_the_files_name(tmp_path: Path) -> None:
    a, b = tmp_path / "a.cu", tmp_path / "b.cu"
    a.write_text("1")
    b.write_text("1")
    told, world = saves({"first": a, "second": b}, None, lambda: b.write_text("2"), None)
    assert told == [["second"]]
    assert world.deeds == []


def test_a_save_of_a_file_beside_the_main_one_is_one_of_the_lab(tmp_path: Path) -> None:
    a, b = tmp_path / "a.cu", tmp_path / "b.cuh"
    a.write_text("1")
    world = World([lambda: b.write_text("2"), None])
    poller = FilePoller({"lab": a}, sleep=world.sleep, beside=lambda _name: [b])
    assert list(islice(watch_events(poller), 1)) == [["lab"]]


def test_a_save_is_seen_where_time_and_size_stay_the_same(tmp_path: Path) -> None:
    file = tmp_path / "a.cu"
    file.write_text("1")
    before = file.stat()

    def save() -> None:
        file.write_text("2")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert saves({"a": file}, save, None)[0] == [["a"]]


def test_an_editor_that_renames_a_new_file_into_place_is_one_save(tmp_path: Path) -> None:
    file, draft = tmp_path / "a.cu", tmp_path / ".a.cu.swp"
    file.write_text("1")
    draft.write_text("2")
    told, _ = saves({"a": file}, file.unlink, None, None, lambda: draft.rename(file), None)
    assert told == [["a"]]


def test_a_file_that_vanishes_for_a_moment_and_comes_back_as_it_was_is_no_save(tmp_path: Path) -> None:
    file = tmp_path / "a.cu"
    file.write_text("1")
    back = [file.unlink, None, lambda: file.write_text("1"), None]
    told, _ = saves({"a": file}, *back, lambda: file.write_text("2"), None)
    assert told == [["a"]]


def test_a_file_written_in_pieces_is_one_save(tmp_path: Path) -> None:
    file = tmp_path / "a.cu"
    file.write_text("1")
    pieces = [lambda text=text: file.write_text(text) for text in ("", "2", "23", "234")]
    told, world = saves({"a": file}, *pieces, None)
    assert told == [["a"]]
    assert world.deeds == []


def test_a_file_that_stays_away_is_told_once_and_its_return_again(tmp_path: Path) -> None:
    file = tmp_path / "a.cu"
    file.write_text("1")
    told, _ = saves({"a": file}, file.unlink, *[None] * 12, lambda: file.write_text("1"), None, count=2)
    assert told == [["a"], ["a"]]


def test_a_save_while_the_last_one_is_tested_is_not_lost(tmp_path: Path) -> None:
    file = tmp_path / "a.cu"
    file.write_text("1")
    world = World([lambda: file.write_text("2"), None, None, None])
    watch = watch_events(FilePoller({"a": file}, sleep=world.sleep))
    assert next(watch) == ["a"]
    file.write_text("3")  # before the poller sleeps again
    assert next(watch) == ["a"]


def test_what_is_no_file_has_no_contents(tmp_path: Path) -> None:
    assert read_contents(tmp_path) is None
    assert read_contents(tmp_path / "nothing") is None
