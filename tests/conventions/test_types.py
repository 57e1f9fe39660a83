"""Strict types are asked of all Python, and what is excepted has its reason beside it. mypy itself runs in `make lint`."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
_EXCEPTION = re.compile(r"# type: ignore(?P<rest>.*)")
_WITH_REASON = re.compile(r"\[[\w-]+\]  # \w+ \w+")  # the error's name, then some words


def python_files() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z", "*.py"], cwd=ROOT, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.split("\0") if (ROOT / name).is_file()]


def test_mypy_looks_strictly_at_every_file_and_no_setting_lets_one_off() -> None:
    assert (SETTINGS["strict"], SETTINGS["files"]) == (True, ["."])
    assert not {"exclude", "ignore_errors", "follow_imports", "disable_error_code"} & set(SETTINGS)
    assert [one.keys() for one in SETTINGS["overrides"]] == [{"module", "ignore_missing_imports"}]


def test_no_file_lies_in_a_folder_that_mypy_passes_over() -> None:
    hidden = [name for name in python_files() if any(part.startswith(".") for part in Path(name).parts)]
    assert hidden == []


def test_an_exception_names_its_error_and_gives_its_reason() -> None:
    bare = [
        f"{name}: {match[0]}"
        for name in python_files()
        if name != Path(__file__).relative_to(ROOT).as_posix()
        for match in _EXCEPTION.finditer((ROOT / name).read_text(encoding="utf-8"))
        if not _WITH_REASON.match(match["rest"])
    ]
    assert bare == []
