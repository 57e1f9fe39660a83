"""The secret seed is made once, is private, and stays the same."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from grader.model.course_root import SeedError, course_seed, judge_key


def test_is_made_once_and_readable_by_its_owner_alone(tmp_path: Path) -> None:
    seed = course_seed(tmp_path)
    assert 1 << 64 < seed < 1 << 128  # smaller once in many lives
    assert course_seed(tmp_path) == seed
    assert stat.S_IMODE((tmp_path / ".tilelab" / "seed").stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / ".tilelab").iterdir()] == ["seed"]


def test_differs_between_courses(tmp_path: Path) -> None:
    roots = [tmp_path / name for name in ("a", "b")]
    for root in roots:
        root.mkdir()
    assert len({course_seed(root) for root in roots}) == 2


@pytest.mark.parametrize(
    "text", [b"", b"secret", b"-1", b"%d" % (1 << 128), b"\xff\xfe1\x002\x00", b"9" * 5000, b"0" * 60]
)
def test_a_seed_file_without_a_seed_is_an_error_that_names_it(tmp_path: Path, text: bytes) -> None:
    (tmp_path / ".tilelab").mkdir()
    (tmp_path / ".tilelab" / "seed").write_bytes(text)
    with pytest.raises(SeedError, match="seed"):
        course_seed(tmp_path)


def test_lies_where_a_container_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    monkeypatch.setenv("TILELAB_SEED", str(kept / "seed"))
    assert course_seed(tmp_path / "one clone") == course_seed(tmp_path / "another")
    assert [path.name for path in tmp_path.rglob("*")] == ["kept", "seed"]


def test_a_place_that_cannot_keep_it_is_an_error_that_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILELAB_SEED", str(tmp_path / "not there" / "seed"))
    with pytest.raises(SeedError, match="not there/seed"):
        course_seed(tmp_path)


def test_the_key_of_a_lab_is_a_keyed_hash_of_its_name() -> None:
    # It must never change, or every class is judged on other sizes.
    known = "fdcbcff5c007cb7a44ea40970524f4985afdcabdb10ae6c193f4376653782cb6"
    assert judge_key(20_240_917, "01-naive").hex() == known
    keys = {judge_key(seed, lab) for seed in (0, 1, 1 << 127) for lab in ("01-naive", "02-tiled", "")}
    assert len(keys) == 9
    assert {len(key) for key in keys} == {32}
