"""The attacks as others run them: the manifest is what the files say, and its driver tells a grader that falls for an attack from one
that fails itself. Our own grader falls for none. By default it is asked about one or two, as others ask theirs: what it says of each
is held by the tests of exploits.
"""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import attack_list
import pytest
import try_grader
from corpus_sample import sample

pytestmark = pytest.mark.long

HERE = Path(attack_list.__file__).parent
ATTACKS: list[tuple[str, str]] = [
    (kind, one["file"])
    for kind in ("results", "kernels", "technique", "host_code")
    for one in attack_list.attacks(kind)
]
SAMPLE = sample(ATTACKS, 140)
OURS = f"{shlex.quote(sys.executable)} {shlex.quote(str(HERE / 'tilelab_answer.py'))} {{lab}} {{file}}"


def answering(answer: str) -> str:
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(answer)} {{file}}"


# Knows right from wrong by the text of the controls, and is as gullible as `otherwise`.
def fake(otherwise: str) -> str:
    return answering(
        "import pathlib, sys\n"
        f"root = pathlib.Path({str(attack_list.ROOT)!r})\n"
        "text = open(sys.argv[1]).read().rpartition('//\\n')[2]\n"
        "right = any(file.read_text().endswith(text) for file in root.glob('solutions/*/*.cu'))\n"
        "wrong = any(file.read_text().endswith(text) for file in root.glob('solutions/*/rejects/*.cu'))\n"
        'said = \'{"passed": true, "extra": 3}\' if right else \'{"passed": false}\' if wrong else '
        + repr(otherwise)
        + "\n"
        "print('a word before it', said, sep='\\n')\n"
    )


def test_the_manifest_says_what_the_files_say() -> None:
    assert attack_list.MANIFEST.read_text(encoding="utf-8") == attack_list.text(), (
        "run .venv/bin/python tests/exploits/attack_list.py"
    )


@pytest.mark.parametrize(
    ("otherwise", "status", "said"),
    [
        ('{"passed": false}', 0, "0 GAINED, 0 FAILED"),
        ('{"passed": true, "extra": 0}', 0, "0 GAINED, 0 FAILED"),
        ('{"passed": true, "extra": 3}', 1, "GAINED"),
        ('{"passed": true}', 2, "no `extra`"),
        ('{"passed": "yes"}', 2, "no answer"),
        ("[]", 2, "no answer"),
        ("", 2, "no answer"),
    ],
)
def test_a_grader_that_falls_for_an_attack_is_told(
    otherwise: str, status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--grade", fake(otherwise), "--only", "technique/00-first-program/one_thread_of_many.cu"]
    assert try_grader.main(options) == status
    assert said in capsys.readouterr().out


def test_a_wrong_kernel_that_passes_has_gained(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--grade", fake('{"passed": true}'), "--only", "kernels/02-tiled/static_member_read.cu"]
    assert try_grader.main(options) == 1
    assert "1 GAINED" in capsys.readouterr().out


@pytest.mark.parametrize(
    "answer", ["print('{\"passed\": true}')", "print('{\"passed\": false}')", "raise SystemExit(3)"]
)
def test_a_grader_that_fails_a_control_proves_nothing(answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--grade", answering(answer), "--only", "technique/00-first-program/one_thread_of_many.cu"]
    assert try_grader.main(options) == 2
    assert "FAILED" in capsys.readouterr().out


def test_no_grader_is_told_what_is_expected() -> None:
    text = "// verdict: race line: 4\n// Hides a race.\nint a;\n// b\n"
    assert try_grader._without_heading(text) == "//\n//\nint a;\n// b\n"


@pytest.mark.parametrize("attack", SAMPLE, ids=lambda one: Path(one[1]).stem)
def test_our_grader_falls_for_no_attack(attack: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    status = try_grader.main(["--grade", OURS, "--only", attack[1]])
    assert status == 0, capsys.readouterr().out
