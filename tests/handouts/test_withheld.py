"""Secrets put into a handout: each is refused, with file and line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader.cli.cli import app
from grader.course.handouts import diagnostics, handout
from grader.course.starters import write
from grader.model.course_root import load_labs
from grader.model.errors import RemediableError

Change = Callable[[str, str], None]
README = "assignments/05-add/README.md"
TESTS = "assignments/05-add/public_tests.cpp"


def found(root: Path) -> list[str]:
    labs = load_labs(root, [])
    return [str(one) for one in diagnostics(root, labs, handout(root, labs))]


def test_a_sound_course_has_nothing_to_complain_about(made: Path) -> None:
    assert found(made) == []


def test_the_private_half_stays_at_home(made: Path) -> None:
    names = set(handout(made, load_labs(made, [])).files)
    assert {"README.md", "Makefile", "assignments/05-add/add.cu", "kit/problems/add.hpp"} <= names
    assert [name for name in names if name.startswith(("solutions", "tests", "handouts"))] == []


def test_the_skeleton_of_a_new_lab_stays_at_home(made: Path, change: Change) -> None:
    change(
        "grader/course/skeleton/solutions/LAB/KERNEL.cu.j2",
        (made / "solutions/05-add/add.cu").read_text(encoding="utf-8"),
    )
    assert not [path for path in handout(made, load_labs(made, [])).files if "skeleton" in path]
    assert found(made) == []


@pytest.mark.parametrize("path", ["assignments/05-add/public_tests.cpp", "kit/problems/add.hpp"])
def test_what_a_labs_author_has_still_to_write_is_named(made: Path, change: Change, path: str) -> None:
    change(path, "#pragma once\n// FILL IN: what this is\n// FILL IN: more\n")
    change("kit/problems/another.hpp", "// FILL IN: of a lab to come\n")
    assert found(made) == [f"{path}:2: still says FILL IN: write it, or hand out the other labs with --lab"]


def test_what_has_still_to_be_written_is_named_before_git_tracks_it(made: Path) -> None:
    for path in (
        "assignments/05-add/notes.md",
        "kit/problems/add.cpp",
        "kit/problems/another.cpp",
        "solutions/05-add/notes.md",
    ):
        assert not (made / path).exists()
        (made / path).write_text("FILL IN\n", encoding="utf-8")
    assert [one.split(" still")[0] for one in found(made)] == [
        "assignments/05-add/notes.md:1:",
        "kit/problems/add.cpp:1:",
    ]


def test_files_that_git_does_not_track_stay_at_home(made: Path) -> None:
    (made / "kit/notes.txt").write_text("grades\n", encoding="utf-8")
    assert "kit/notes.txt" not in handout(made, load_labs(made, [])).files


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        (README, "Write `y[ i*n ]`.\n", f"{README}:1: gives a solution away: y[i*n]"),
        ("kit/problems/add.hpp", "// y[i * n]\n", "kit/problems/add.hpp:1: gives a solution away: y[i*n]"),
        ("handouts/student/README.md", "Use `y[i*n]`.\n", "README.md:1: gives a solution away: y[i*n]"),
        (
            TESTS,
            '#include "../../solutions/05-add/hidden_tests.cpp"\n',
            f"{TESTS}:1: includes ../../solutions/05-add/hidden_tests.cpp, which is not in the handout",
        ),
        (
            TESTS,
            "  check({.n=77});\n\n check({ .n = 101 });\n",
            f"{TESTS}:1: repeats hidden tests of 05-add: check({{.n=77}});",
        ),
        (
            TESTS,
            'TEST_CASE("adds many elements") {}\n',
            f"{TESTS}:1: names a hidden case of 05-add: 'adds many elements'",
        ),
        (
            "assignments/05-add/hidden_tests.cpp",
            "\n",
            "assignments/05-add/hidden_tests.cpp: is private; students must never get it",
        ),
        (
            "assignments/05-add/grading.toml",
            "\n",
            "assignments/05-add/grading.toml: is private; students must never get it",
        ),
        (README, "[how](../../docs/how.md)\n", f"{README}:1: links to ../../docs/how.md, which is not in the handout"),
        (README, '<img src="tile.svg">\n', f"{README}:1: links to tile.svg, which is not in the handout"),
        (
            "assignments/05-add/add.cu",
            "int x;\n",
            "assignments/05-add/add.cu: differs from what solutions/05-add/add.cu gives",
        ),
    ],
)
def test_what_gives_something_away_is_named(made: Path, change: Change, name: str, text: str, complaint: str) -> None:
    change(name, text)
    assert [one for one in found(made) if one.startswith(complaint)] != []


def test_a_new_kind_of_file_is_named_and_can_be_accepted(
    made: Path, change: Change, monkeypatch: pytest.MonkeyPatch
) -> None:
    change("assignments/05-add/answers.pdf", "")
    assert [one.split(";")[0] for one in found(made)] == [
        "handouts/listing.txt: assignments/<lab>/answers.pdf is new in the handout"
    ]
    monkeypatch.chdir(made)
    assert CliRunner().invoke(app, ["handouts"]).exit_code == 1
    assert not (made / "build").exists()
    assert CliRunner().invoke(app, ["handouts", "--accept", "--no-built"]).exit_code == 0
    assert [path.name for path in (made / "build/handouts").iterdir()] == ["tilelab-0.1.0.tar.gz"]
    assert found(made) == []


def test_a_lab_of_its_own_is_handed_out_alone(made: Path, change: Change) -> None:
    for name in ("lab.toml", "README.md", "public_tests.cpp"):
        text = (made / "assignments/05-add" / name).read_text(encoding="utf-8").replace("add.cu", "more.cu")
        change(f"assignments/06-more/{name}", text)
    names = handout(made, load_labs(made, ["05-add"])).files
    assert [name for name in names if "06-more" in name] == []
    assert "06-more" not in names["README.md"].data.decode()


def test_figures_go_out_with_the_write_ups_that_show_them(made: Path, change: Change) -> None:
    for name in ("sum.svg", "later.svg", "draw.py"):
        change(f"assignments/figures/{name}", "<svg/>\n")
    change(README, "![a sum](../figures/sum.svg)\n")
    names = handout(made, load_labs(made, [])).files
    assert [name for name in names if "figures" in name] == ["assignments/figures/sum.svg"]
    assert found(made) == []


def test_a_line_of_the_solution_left_unmarked_is_named(made: Path, change: Change) -> None:
    solution = (made / "solutions/05-add/add.cu").read_text(encoding="utf-8").splitlines()
    answer = solution.pop(6)
    change("solutions/05-add/add.cu", "\n".join([*solution[:4], answer, *solution[4:]]) + "\n")
    write(made)
    told = "this is outside all markers, so students get it; put it into a PROMPT, or mark it as GIVEN, if you want that: y[i * n] += 1;"
    assert found(made) == [f"solutions/05-add/add.cu:5: {told}"]


@pytest.mark.parametrize("marker", ["// END SOLUTION", "// END SOLUTOIN"])
def test_a_broken_marker_is_named(made: Path, change: Change, marker: str) -> None:
    change("solutions/05-add/add.cu", f"{marker}\n")
    assert [one.split(": ")[0] for one in found(made)] == ["solutions/05-add/add.cu:1"]


def test_a_link_in_the_course_is_refused(made: Path, change: Change) -> None:
    change("kit/real.hpp", "")
    (made / "kit/real.hpp").unlink()
    (made / "kit/real.hpp").symlink_to("problems/add.hpp")
    with pytest.raises(RemediableError, match=r"real\.hpp is a link"):
        handout(made, load_labs(made, []))


def test_without_git_says_what_is_missing(made: Path) -> None:
    (made / ".git").rename(made.parent / "elsewhere")
    with pytest.raises(RemediableError, match="git says"):
        handout(made, load_labs(made, []))
