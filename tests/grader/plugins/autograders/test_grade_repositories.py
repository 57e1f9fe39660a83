"""The steps of the private repository's workflow, with a stand-in for `gh`, students' repositories as local ones, and no real grader."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[4] / "docker" / "autograders" / "github-actions" / "grade_repositories.sh"

GH = """#!/bin/bash
printf '%s\\n' "$*" >>"$LOG"
case "$1 $2" in
  "repo list") [ -z "${GH_IS_DOWN:-}" ] || exit 1; (cd "$REPOSITORIES" && ls -d *.git | sed "s/.git$//"); echo cuda-1-gone ;;
  "release view") exit 1 ;;
  "api user") echo grading-bot ;;
  "api repos"/*/commits/*/statuses) printf 'grading-bot\\ncuda-1-ada-student\\n' ;;
  "release upload") case "$*" in *cuda-1-cut*) exit 1 ;; esac ;;
esac
"""
# Beside the token and the seed in its environment, it minds what it must not have.
TILELAB = """#!/bin/bash
out=${@: -3:1}; mkdir -p "$out"; printf '%s %s\\n' "$(basename "$3")" "$(cat "$TILELAB_SEED")" >>seen
[ -z "${GH_TOKEN:-}${SEED:-}" ] || exit 9
case $out in *broken) echo "graded=false" >"$out/outputs.txt"; exit 3 ;; esac
printf "graded=true\\npoints=7.5\\nmax=13\\n" >"$out/outputs.txt"; touch "$out/report.html" "$out/summary.md"
"""


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def git(*words: str | Path) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.edu")
    subprocess.run(["git", *who, *words], check=True, capture_output=True)


@dataclass(frozen=True)
class Private:
    folder: Path

    def student(self, name: str, *, handed_in: bool = True) -> None:
        there = self.folder / "github" / "course" / f"{name}.git"
        git("init", "--quiet", there)
        if handed_in:
            (there / "k.cu").write_text(name, encoding="utf-8")
            git("-C", there, "add", ".")
            git("-C", there, "commit", "--quiet", "--message", "first")

    def step(self, name: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        told = {
            "PATH": f"{self.folder}/bin:/usr/bin:/bin", "HOME": "/nonexistent", "RUNNER_TEMP": str(self.folder),
            "OWNER": "course", "PREFIX": "cuda-1-", "LOG": str(self.folder / "asked"),
            "REPOSITORIES": str(self.folder / "github/course"), "GITHUB_SERVER_URL": f"file://{self.folder}/github",
            **(env or {}),
        }  # fmt: skip
        script = self.folder / "grade_repositories.sh"
        return subprocess.run([script, name], env=told, capture_output=True, text=True, check=False)

    def graded(self, name: str) -> str:
        return (self.folder / "graded" / name).read_text(encoding="utf-8")


@pytest.fixture
def private(tmp_path: Path) -> Private:
    program(tmp_path / "grade_repositories.sh", SCRIPT.read_text(encoding="utf-8"))
    program(tmp_path / "bin/gh", GH)
    program(tmp_path / "tilelab/.venv/bin/tilelab", TILELAB)
    (tmp_path / "labs.txt").write_text("a\n", encoding="utf-8")
    made = Private(tmp_path)
    for name in ("cuda-1-ada", "cuda-1-broken", "cuda-1-cut", "other"):
        made.student(name)
    made.student("cuda-1-empty", handed_in=False)
    return made


def test_one_student_whom_nobody_can_fetch_or_grade_does_not_stop_the_others(private: Private) -> None:
    fetched = private.step("fetch")
    assert fetched.returncode == 0, fetched.stderr
    assert fetched.stdout == "5 repositories, 1 of them could not be fetched\n"
    assert "::error::cuda-1-gone could not be fetched" in fetched.stderr
    (private.folder / "temporary").mkdir()
    done = private.step("grade", {"SEED": "42", "TMPDIR": str(private.folder / "temporary")})
    assert done.returncode == 0
    assert done.stderr == "::error::cuda-1-broken was not graded: run this again\n"
    assert not list((private.folder / "temporary").iterdir())  # the seed is gone
    rows = ["ada,7.5,13", "broken,,", "cut,7.5,13", "empty,7.5,13", "gone,,"]
    assert private.graded("points.csv").splitlines() == ["repository,points,max", *(f"cuda-1-{row}" for row in rows)]
    seen = (private.folder / "tilelab/seen").read_text().splitlines()
    assert seen == [f"cuda-1-{name} 42" for name in ("ada", "broken", "cut", "empty")]
    ended = private.step("complete")
    assert (ended.returncode, ended.stdout) == (3, "5 repositories: 2 without points, 0 that got nothing back\n")


def test_points_are_given_back_as_advice_to_whom_they_can_be_given(private: Private) -> None:
    private.step("fetch")
    private.step("grade", {"SEED": "42"})
    given = private.step("give-back")
    assert given.returncode == 0, given.stderr
    asked = (private.folder / "asked").read_text()
    assert "description=7.5 of 13 points. Advice only" in asked
    assert "release upload tilelab" in asked
    assert "Advice only" in private.graded("cuda-1-ada/notes.md")
    assert "was written by cuda-1-ada-student, and not by grading-bot" in given.stderr
    assert "cuda-1-cut: points or page could not be given back" in given.stderr
    for none in ("cuda-1-broken", "cuda-1-empty", "cuda-1-gone", "other"):
        assert f"course/{none}" not in asked
    assert private.step("complete").stdout == "5 repositories: 2 without points, 1 that got nothing back\n"


def test_a_run_in_which_everybody_got_points_ends_well(private: Private) -> None:
    (private.folder / "graded").mkdir()
    (private.folder / "graded/points.csv").write_text("repository,points,max\na,0,13\nb,13,13\n", encoding="utf-8")
    ended = private.step("complete")
    assert (ended.returncode, ended.stdout) == (0, "2 repositories: 0 without points, 0 that got nothing back\n")


def test_a_list_of_repositories_that_does_not_come_is_no_empty_class(private: Private) -> None:
    down = private.step("fetch", {"GH_IS_DOWN": "1"})
    assert (down.returncode, down.stderr) == (2, "tilelab: the repositories of course could not be listed\n")
    none = private.step("fetch", {"PREFIX": "nobody-"})
    assert (none.returncode, none.stderr) == (2, "tilelab: no repository of course begins with nobody-\n")


@pytest.mark.parametrize("words", [{"OWNER": "a b"}, {"PREFIX": "$(id)"}, {"SEED": ""}])
def test_words_that_are_none_are_refused(private: Private, words: dict[str, str]) -> None:
    private.step("fetch")
    done = private.step("grade", words)
    assert done.returncode == 2
    assert done.stderr.startswith("tilelab: ")
