"""Every program of the kit refuses a command line that it does not know, in a sentence and with exit status 2."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader.cli.cli import app

ROOT = Path(__file__).resolve().parents[2]
BIN = ROOT / "build" / "bin"
FILES = ["--runner", "runner.json", "--report", "report.json"]
TIMER = [
    "--problem", "matmul", "--shape", "8x8x8", "--seed", "1", "--rounds", "3", "--warm-up-ms", "1",
    "--limit-ms", "1", "--kept", "0", *FILES,
]  # fmt: skip
JUDGE = next(path.name for path in sorted(BIN.glob("judge-*-public")))


def with_rounds(number: str) -> list[str]:
    return [word if word != "3" else number for word in TIMER]


def answer(program: str, *words: str) -> tuple[int, str, str]:
    """Exit status, what is said on standard error, and on standard output."""
    done = subprocess.run([BIN / program, *words], capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, done.stderr, done.stdout


@pytest.mark.parametrize(
    ("program", "words", "said"),
    [
        ("launch-problem", ["time", *TIMER, "--round", "3"], "launch time: unknown option --round"),
        ("launch-problem", ["time", *TIMER, "--contestant=2"], "launch time: unknown option --contestant"),
        ("launch-problem", ["time", *TIMER[2:]], "launch time: --problem is missing"),
        ("launch-problem", ["time", *TIMER[:-1]], "launch time: --report needs a value"),
        ("launch-problem", ["time", *TIMER, "--kept", "1"], "launch time: --kept is given twice"),
        ("launch-problem", ["time", *TIMER, "report.json"], "launch time: 'report.json' is an unexpected argument"),
        ("launch-problem", ["time", *with_rounds("3x")], "launch time: --rounds takes a whole number from 0 to 4294967295, not '3x'"),
        ("launch-problem", ["time", *with_rounds("5000")], "launch time: --rounds is from 1 to 1024"),
        ("launch", ["check", "--launch", "launch.json", *FILES, "--seed", "1"], "launch check: unknown option --seed"),
        ("launch", ["check", *FILES], "launch check: --launch is missing"),
        ("gpu-runner", ["--imge", "image.json"], "gpu-runner: unknown option --imge"),
        ("gpu-runner", ["--image"], "gpu-runner: --image needs a value"),
        ("gpu-runner", [], "gpu-runner: exactly one of its options is needed"),
        ("gpu-runner", ["--probe", "--try"], "gpu-runner: exactly one of its options is needed"),
        ("gpu-runner", ["--image", "image.json", "x"], "gpu-runner: 'x' is an unexpected argument"),
    ],
)  # fmt: skip
def test_it_says_what_is_wrong_and_how_it_is_called(program: str, words: list[str], said: str) -> None:
    status, error, out = answer(program, *words)
    assert (status, error.splitlines()[0], out) == (2, said, "")
    assert error.splitlines()[1].startswith(f"usage: {said.partition(':')[0]} --")


@pytest.mark.parametrize("words", [[], ["--help"], ["tracing", *FILES]])
def test_what_is_asked_of_a_launch_comes_first(words: list[str]) -> None:
    status, error, _ = answer("launch", *words)
    asked = words[0] if words else ""
    assert (status, error) == (2, f"launch: the first word is check or time, not '{asked}'\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([*FILES, "--seeds", "1"], "--seeds"),
        ([*FILES, "--shutdown-grace-ms", "12abc"], "'12abc' is no whole number"),
        ([*FILES, "--shuffle=-1"], "'-1' is no whole number"),
        ([*FILES, "--shuffle"], "--shuffle"),
        (["--runner", "runner.json"], "--report and one of --runner and --program are needed"),
    ],
)
def test_a_judge_refuses_with_catch2s_own_words(words: list[str], said: str) -> None:
    status, error, _ = answer(JUDGE, *words)
    assert status == 2
    assert said in error


def test_the_launcher_refuses_too_with_the_status_that_says_it_could_not_confine() -> None:
    status, error, out = answer("confine", "--memroy", "1", "--", "true")
    assert (status, error.splitlines()[0], out) == (125, "confine: unknown option --memroy", "")


def test_help_begins_with_what_most_people_need_and_lists_the_rest_behind_all() -> None:
    first, every = (CliRunner().invoke(app, words) for words in (["--help"], ["help", "all"]))
    assert (first.exit_code, every.exit_code) == (0, 0)
    names = {
        kind: re.findall(r"^  ([a-z][a-z-]*)  +\w", done.stdout, re.MULTILINE)
        for kind, done in (("first", first), ("all", every))
    }
    assert names["first"][:4] == ["test", "watch", "answers", "trace"]
    assert len(names["first"][4:]) == 5
    assert {"calibrate", "leaderboard", "run"} | set(names["first"]) <= set(names["all"])
    assert "judge-slice" not in names["all"], "it is no command for people"
    assert "..." not in (first.stdout + every.stdout).replace("[ARGS]...", "")  # no sentence is cut


def test_help_of_a_command_is_its_own_and_an_unknown_one_is_said() -> None:
    assert "--thread" in CliRunner().invoke(app, ["help", "trace"]).stdout
    done = CliRunner().invoke(app, ["help", "trcae"])
    assert (done.exit_code, done.stderr.strip()) == (
        2,
        "tilelab: there is no command trcae: `tilelab help all` lists them",
    )
