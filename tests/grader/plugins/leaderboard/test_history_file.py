"""The history of a leaderboard: batch after batch, the same batch twice, and files that cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.model.result import Ratio
from grader.plugins.leaderboard.board import (
    MOST_BATCHES,
    History,
    KeptBatch,
    KeptEntry,
    change_since,
)
from grader.plugins.leaderboard.class_boards import LeaderboardFolder


def entry(middle: float, source: str = "a", student: str = "anna", rank: int = 1) -> KeptEntry:
    speed = Ratio(low=middle * 0.99, middle=middle, high=middle * 1.01)
    return KeptEntry(student=student, source=source, speed=speed, rank=rank)


def batch(handed_in: str, *entries: KeptEntry, device: str = "GPU") -> KeptBatch:
    return KeptBatch(handed_in=handed_in, device=device, shape="M=8", entries=entries)


def test_the_same_batch_again_takes_the_place_of_the_last() -> None:
    history = History().with_batch("lab", batch("one", entry(1))).with_batch("lab", batch("two", entry(2, "b")))
    again = history.with_batch("lab", batch("two", entry(2.1, "b")))
    assert [one.handed_in for one in again.batches["lab"]] == ["one", "two"]
    assert again.batches["lab"][-1].entries[0].speed.middle == 2.1
    assert [one.handed_in for one in again.before("lab", "two")] == ["one"]


def test_a_batch_without_times_adds_nothing() -> None:
    history = History().with_batch("lab", batch("one", entry(1)))
    assert history.with_batch("lab", batch("two")) == history


def test_the_history_stays_bounded() -> None:
    history = History()
    for number in range(MOST_BATCHES + 7):
        history = history.with_batch("lab", batch(str(number), entry(1)))
    assert [one.handed_in for one in history.batches["lab"]] == [str(n) for n in range(7, MOST_BATCHES + 7)]


def test_faster_means_that_the_intervals_are_apart() -> None:
    before = (batch("one", entry(1.0)), batch("two", entry(2.0, student="ben")))

    def kind(now: KeptEntry, device: str = "GPU") -> str:
        return change_since(before, now, device=device, shape="M=8").kind

    assert kind(entry(1.5, "b")) == "faster"
    assert kind(entry(0.5, "b")) == "slower"
    assert kind(entry(1.01, "b")) == "same"
    assert kind(entry(1.5, "a")) == "unchanged"
    assert kind(entry(1.5, "b", "carl")) == "new"
    assert kind(entry(1.5, "b"), "another GPU") == "new"


@pytest.mark.parametrize(
    "damage",
    [
        b"", b"{", b"\xff\xfe", b"[]", b'{"schema": "tilelab/leaderboard/v9"}', b'{"schema": "tilelab/leaderboard/v1", "made": 3}',
        b"[" * 100_000,
    ],
)  # fmt: skip
def test_a_history_that_cannot_be_read_is_kept_and_told(tmp_path: Path, damage: bytes) -> None:
    folder = LeaderboardFolder(tmp_path)
    for number in (1, 2):
        (tmp_path / "history.json").write_bytes(damage)
        assert folder.history() == History()
        assert (tmp_path / f"history.json.unread-{number}").read_bytes() == damage
    assert len(folder.notices) == 2
    assert "kept as history.json.unread-1" in folder.notices[0]


def test_a_key_that_cannot_be_read_is_kept_and_replaced(tmp_path: Path) -> None:
    folder = LeaderboardFolder(tmp_path)
    key = folder.key()
    assert len(key) == 32
    assert folder.key() == key
    assert (tmp_path / "key").stat().st_mode & 0o077 == 0
    (tmp_path / "key").write_text("not a key")
    assert folder.key() != key
    assert (tmp_path / "key.unread-1").read_text() == "not a key"
    assert len(folder.notices) == 1


def test_fields_of_a_later_version_are_written_back(tmp_path: Path) -> None:
    folder = LeaderboardFolder(tmp_path)
    text = History().with_batch("lab", batch("one", entry(1))).model_dump_json(by_alias=True)
    later = json.loads(text)
    later["prizes"] = ["cake"]
    later["batches"]["lab"][0]["weather"] = "rain"
    (tmp_path / "history.json").write_text(json.dumps(later))
    assert json.loads(folder.history().model_dump_json(by_alias=True)) == later


def test_an_older_history_with_fewer_fields_is_read(tmp_path: Path) -> None:
    (tmp_path / "history.json").write_text('{"made": {"anna": "quiet otter"}}')
    folder = LeaderboardFolder(tmp_path)
    assert folder.history().made == {"anna": "quiet otter"}
    assert folder.notices == []
