"""The secret seed: made once, private, the same from then on."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from grader.seed import SeedError, course_seed


def test_is_made_once_and_readable_by_its_owner_alone(tmp_path: Path) -> None:
    seed = course_seed(tmp_path)
    assert 0 <= seed < 1 << 63
    assert course_seed(tmp_path) == seed
    assert stat.S_IMODE((tmp_path / ".tilelab" / "seed").stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / ".tilelab").iterdir()] == ["seed"]


def test_differs_between_courses(tmp_path: Path) -> None:
    roots = [tmp_path / name for name in ("a", "b")]
    for root in roots:
        root.mkdir()
    assert len({course_seed(root) for root in roots}) == 2


@pytest.mark.parametrize("text", ["", "secret", "-1", str(1 << 63)])
def test_a_seed_file_without_a_seed_is_an_error_that_names_it(tmp_path: Path, text: str) -> None:
    (tmp_path / ".tilelab").mkdir()
    (tmp_path / ".tilelab" / "seed").write_text(text)
    with pytest.raises(SeedError, match="seed"):
        course_seed(tmp_path)
