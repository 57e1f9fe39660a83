"""Folders that a hostile program leaves behind are removed."""

from __future__ import annotations

import os
from pathlib import Path

from grader.system.own_files import remove_folder


def test_folders_deeper_than_python_follows_are_removed(tmp_path: Path) -> None:
    before = Path.cwd()
    made = tmp_path / "made"
    made.mkdir()
    try:
        os.chdir(made)
        for _ in range(3000):
            Path("d").mkdir()
            os.chdir("d")
    finally:
        os.chdir(before)
    remove_folder(made)
    assert not made.exists()


def test_a_folder_without_rights_is_removed_and_a_link_is_not_followed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    made = tmp_path / "made"
    (made / "locked").mkdir(parents=True)
    (made / "locked" / "file").write_text("")
    (made / "link").symlink_to(kept)
    (made / "locked").chmod(0)
    remove_folder(made)
    assert not made.exists()
    assert kept.is_dir()


def test_a_folder_that_is_not_there_is_no_fault(tmp_path: Path) -> None:
    remove_folder(tmp_path / "none")
