"""What is read of Gradescope's submission_metadata.json. Whatever is in it, the submission is graded."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from grader.plugins.autograders.platform_list import HandedIn, handed_in_to_gradescope

PUBLISHED: dict[str, Any] = {
    "id": 123456,
    "created_at": "2018-07-01T14:22:32.365935-07:00",
    "assignment": {
        "due_date": "2018-07-01T13:00:00.000000-07:00",
        "group_size": 4,
        "id": 25828,
        "total_points": "20.0",
    },
    "submission_method": "upload",
    "users": [{"email": "student@example.com", "id": 1234, "name": "Student User"}],
    "previous_submissions": [{"submission_time": "2017-04-06T14:24:48.087023-07:00", "score": 0.0, "results": {}}],
}


def read(folder: Path, data: object) -> HandedIn:
    path = folder / "submission_metadata.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return handed_in_to_gradescope(path, {})


def test_the_published_example_says_who_and_when(tmp_path: Path) -> None:
    found = read(tmp_path, PUBLISHED)
    assert [(one.name, one.email, one.platform_ids) for one in found.people] == [
        ("Student User", "student@example.com", {"Gradescope": "1234"})
    ]
    assert found.at == datetime(2018, 7, 1, 21, 22, 32, 365935, tzinfo=UTC)
    assert found.late == timedelta(hours=1, minutes=22, seconds=32, microseconds=365935)
    assert found.notices == ()


def test_a_team_has_the_latest_of_its_due_dates(tmp_path: Path) -> None:
    extended = {"name": "B", "assignment": {"due_date": "2018-07-02T00:00:00-07:00"}}
    found = read(tmp_path, PUBLISHED | {"users": [{"name": "A"}, extended]})
    assert [one.name for one in found.people] == ["A", "B"]
    assert not found.late


@pytest.mark.parametrize(
    "data",
    [
        "", "[]", "null", "{", '{"users": 7, "assignment": []}', '{"users": [1, null, {"name": 5, "id": true}], "created_at": "soon"}',
        '{"created_at": "2018-07-01T14:22:32", "assignment": {"due_date": null}}', "[" * 100_000,
    ],
)  # fmt: skip
def test_a_file_of_another_form_says_nothing_and_stops_nothing(tmp_path: Path, data: str) -> None:
    found = read(tmp_path, data)
    assert found.at is None
    assert not found.late
    assert all(not one.platform_ids for one in found.people)


def test_a_file_that_is_missing_is_told(tmp_path: Path) -> None:
    assert handed_in_to_gradescope(tmp_path / "none.json", {}).notices
    assert handed_in_to_gradescope(None, {}).people == ()
