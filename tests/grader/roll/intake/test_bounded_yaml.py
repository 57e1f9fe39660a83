"""Of a platform's YAML only what is wanted is kept, and anchors mean what they mean wherever they stand."""

from __future__ import annotations

import pytest

from grader.roll.platforms import recognition
from grader.roll.platforms.recognition import wanted_yaml


def test_wanted_values_are_kept_and_the_others_passed_over() -> None:
    text = "s1: {a: !ruby/object:X {b: [1, 'null']}, big: [[1], {x: y}]}\ns2: {big: 3}\n"
    assert wanted_yaml(text, ["a"]) == {"s1": {"a": {"b": ["1", "null"]}}, "s2": {}}


def test_an_alias_means_what_stood_at_its_anchor_also_in_a_part_that_was_passed_over() -> None:
    assert wanted_yaml("s1:\n  big: &t 2026-01-01\n  a: *t\n  b: &u [1]\ns2:\n  a: *u\n", ["a", "b"]) == {
        "s1": {"a": "2026-01-01", "b": ["1"]},
        "s2": {"a": ["1"]},
    }
    assert wanted_yaml("s: {a: *nothing}", ["a"]) == {"s": {"a": None}}


def test_what_is_not_wanted_takes_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognition, "_NODES", 20)
    many = "[" + "x," * 1000 + "]"
    assert wanted_yaml(f"s: {{big: {many}, a: 1}}", ["a"]) == {"s": {"a": "1"}}
    with pytest.raises(ValueError, match="more than 20 values"):
        wanted_yaml(f"s: {{a: {many}}}", ["a"])


def test_an_empty_file_says_nothing() -> None:
    assert wanted_yaml("", ["a"]) is None
