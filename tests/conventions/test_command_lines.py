"""Every program of the kit refuses a command line that it does not know, in a sentence and with exit status 2."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = ROOT / "build" / "bin"
FILES = ["--runner", "runner.json", "--report", "report.json"]
TIMER = [
    "--problem", "matmul", "--shape", "8x8x8", "--seed", "1", "--rounds", "3", "--warm-up-ms", "1",
    "--limit-ms", "1", "--kept", "0", *FILES,
]  # fmt: skip
TRACER = ["--problem", "matmul", *FILES]
CHECKER = ["--launch", "launch.json", *FILES]
JUDGE = next(path.name for path in sorted(BIN.glob("judge-*-public")))


def answer(program: str, *words: str) -> tuple[int, str, str]:
    """Exit status, what is said on standard error, and on standard output."""
    done = subprocess.run([BIN / program, *words], capture_output=True, text=True, check=False, timeout=300)
    return done.returncode, done.stderr, done.stdout


@pytest.mark.parametrize(
    ("program", "words", "said"),
    [
        ("timer", [*TIMER, "--round", "3"], "timer: unknown option --round"),
        ("timer", [*TIMER, "--contestant=2"], "timer: unknown option --contestant"),
        ("timer", TIMER[2:], "timer: --problem is missing"),
        ("timer", [*TIMER[:-1]], "timer: --report needs a value"),
        ("timer", [*TIMER, "--kept", "1"], "timer: --kept is given twice"),
        ("timer", [*TIMER, "report.json"], "timer: 'report.json' is one word too many"),
        ("timer", [word if word != "3" else "3x" for word in TIMER], "timer: --rounds takes a whole number from 0 to 4294967295, not '3x'"),
        ("timer", [word if word != "3" else "5000" for word in TIMER], "timer: --rounds is from 1 to 1024"),
        ("tracer", [*TRACER, "--blocks", "0,0,0"], "tracer: unknown option --blocks"),
        ("tracer", FILES, "tracer: --problem is missing"),
        ("tracer", [*TRACER, "--block", "0,0,0"], "tracer: --block needs --shape beside it"),
        ("tracer", [*TRACER, "--shape", "8x8x8", "--inputs", "ones"], "tracer: --inputs needs --block beside it"),
        ("checker", [*CHECKER, "--seed", "1"], "checker: unknown option --seed"),
        ("checker", FILES, "checker: --launch is missing"),
        ("gpu-runner", ["--imge", "image.json"], "gpu-runner: unknown option --imge"),
        ("gpu-runner", ["--image"], "gpu-runner: --image needs a value"),
        ("gpu-runner", [], "gpu-runner: exactly one of its options is needed"),
        ("gpu-runner", ["--probe", "--try"], "gpu-runner: exactly one of its options is needed"),
        ("gpu-runner", ["--image", "image.json", "x"], "gpu-runner: 'x' is one word too many"),
    ],
)  # fmt: skip
def test_it_says_what_is_wrong_and_how_it_is_called(program: str, words: list[str], said: str) -> None:
    status, error, out = answer(program, *words)
    assert (status, error.splitlines()[0], out) == (2, said, "")
    assert error.splitlines()[1].startswith(f"usage: {program} --")


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
    assert (status, error.splitlines()[0], out) == (125, "confine: unknown option '--memroy'", "")
