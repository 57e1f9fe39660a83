"""Strict types are asked of all Python, of the oldest that is promised, and what is excepted has its reason beside it. mypy itself runs
in `make lint`.
"""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETTINGS = PROJECT["tool"]["mypy"]
# Debian 12 has 3.11.2. What came to 3.11 later, mypy takes for 3.11's: (function, argument); "" for the name itself.
_TOO_NEW = {
    ("extract", "filter"), ("extractall", "filter"), ("unpack_archive", "filter"), ("data_filter", ""), ("tar_filter", ""),
    ("fully_trusted_filter", ""), ("extraction_filter", ""), ("getaddresses", "strict"), ("parseaddr", "strict"),
    ("SetReparseDeferralEnabled", ""),
}  # fmt: skip
_EXCEPTION = re.compile(r"# type: ignore(?P<rest>.*)")
_WITH_REASON = re.compile(r"\[[\w-]+\]  # \w+ \w+")  # the error's name, then some words


def python_files() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z", "*.py"], cwd=ROOT, check=True, capture_output=True, text=True)
    return [name for name in listed.stdout.split("\0") if (ROOT / name).is_file()]


def test_mypy_looks_strictly_at_every_file_and_no_setting_lets_one_off() -> None:
    assert (SETTINGS["strict"], SETTINGS["files"]) == (True, ["."])
    assert not {"exclude", "ignore_errors", "follow_imports", "disable_error_code"} & set(SETTINGS)
    assert [one.keys() for one in SETTINGS["overrides"]] == [{"module", "ignore_missing_imports"}]


def test_mypy_and_ruff_look_for_the_oldest_python_that_is_promised() -> None:
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=").rpartition(".")[0]
    assert SETTINGS["python_version"] == oldest
    assert PROJECT["tool"]["ruff"]["target-version"] == f"py{oldest.replace('.', '')}"


def too_new(text: str) -> Iterator[int]:
    """The lines that use something younger than the promised Python's third number."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if any((name, one.arg or "") in _TOO_NEW and one.arg for one in node.keywords):
                yield node.lineno
        elif isinstance(node, ast.Attribute | ast.Name):
            if (getattr(node, "attr", "") or getattr(node, "id", ""), "") in _TOO_NEW:
                yield node.lineno
        elif isinstance(node, ast.alias) and (node.name, "") in _TOO_NEW:
            yield node.lineno


def test_nothing_that_came_to_python_3_11_after_debian_12_is_used() -> None:
    assert list(too_new("tar.extractall(p, filter='data')\nfrom tarfile import data_filter\ntarfile.tar_filter\n")) == [
        1,
        2,
        3,
    ]
    assert list(too_new("tar.extractall(p)\nfilter(x, strict=y)\n")) == []
    found = [f"{name}:{line}" for name in python_files() for line in too_new((ROOT / name).read_text(encoding="utf-8"))]
    assert found == []


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
