"""Which tests `make test-changed` runs after a change: the nearest, and none that would take too long."""

from __future__ import annotations

import importlib
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

TREE = {
    "grader/model/points.py": "",
    "grader/roll/late.py": "from grader.model import points\n",
    "grader/pages/sheet.py": "from grader.roll.late import rule\nNAME = 'sheet.html.j2'\n",
    "grader/pages/templates/sheet.html.j2": "",
    "tests/conftest.py": "",
    "tests/samples/fake_course.py": "",
    "tests/grader/model/test_points.py": "import grader.model.points\n",
    "tests/grader/roll/test_late.py": "import fake_course\nfrom grader.roll import late\n",
    "tests/grader/roll/test_started.py": "",  # by its command
    "tests/reports/conftest.py": "import grader.pages.sheet\n",
    "tests/reports/test_sheet.py": "",
    "tests/labs/test_far.py": "",
}


@pytest.fixture(scope="module")
def changed_tests() -> ModuleType:
    return importlib.import_module("tests.changed_tests")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        (
            "grader/model/points.py",
            {"grader/model/test_points": 1, "grader/roll/test_late": 2, "reports/test_sheet": 4},
        ),
        ("grader/roll/late.py", {"grader/roll/test_late": 1, "grader/roll/test_started": 1, "reports/test_sheet": 3}),
        ("grader/pages/templates/sheet.html.j2", {"reports/test_sheet": 3}),
        ("tests/samples/fake_course.py", {"grader/roll/test_late": 1}),
        ("tests/labs/test_far.py", {"labs/test_far": 0}),
        ("tests/reports/conftest.py", {"reports/test_sheet": 1}),
        ("README.md", {}),
    ],
)
def test_a_test_is_reached_over_what_it_imports(
    changed: str, found: dict[str, int], changed_tests: ModuleType, tree: Path
) -> None:
    assert changed_tests.distances(tree, [changed]) == {f"tests/{name}.py": far for name, far in found.items()}


def test_the_nearest_come_first_and_no_more_than_there_is_time_for(changed_tests: ModuleType) -> None:
    found = {"far": 3, "near and long": 1, "near and quick": 1, "itself": 0, "never timed": 2}
    took = {"far": 1, "near and long": 50, "near and quick": 2, "itself": 5}
    nearest = ["itself", "near and quick", "near and long", "never timed", "far"]
    assert changed_tests.choose(found, took, 100) == (nearest, [])
    assert changed_tests.choose(found, took, 11) == (
        ["itself", "near and quick", "never timed", "far"],
        ["near and long"],
    )


def test_times_are_those_of_the_last_run(changed_tests: ModuleType, tmp_path: Path) -> None:
    assert changed_tests.known_seconds(tmp_path) == {}
    (tmp_path / "build/reports").mkdir(parents=True)
    (tmp_path / "build/reports/slowest.txt").write_text("heading\n    30.0     40.2  tests/test_b.py\n")
    assert changed_tests.known_seconds(tmp_path) == {"tests/test_b.py": 40.2}


def test_changed_is_what_differs_and_what_is_new(changed_tests: ModuleType, tree: Path) -> None:
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
        subprocess.run(["git", *words], cwd=tree, check=True)
    assert changed_tests.changed_files(tree, "HEAD") == []
    (tree / "grader/roll/late.py").write_text("# more\n")
    (tree / "grader/roll/new.py").touch()
    assert changed_tests.changed_files(tree, "HEAD") == ["grader/roll/late.py", "grader/roll/new.py"]
