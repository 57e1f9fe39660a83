"""`tilelab check-course` on a copy of this course: every leaked secret and every stale file fails, with the proof's name."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from corpus_sample import covering
from kernel_labs import kernel_lab_ids

from grader.model.labs import load_lab

pytestmark = [pytest.mark.long, pytest.mark.in_turn(4)]

ROOT = Path(__file__).resolve().parents[2]
LAB = kernel_lab_ids(ROOT)[1]
FILE = load_lab(ROOT, LAB).public.file
README = f"assignments/{LAB}/README.md"
QUICK = ("starters", "leaks", "written", "listing", "links", "figures", "numbers", "points")

Check = Callable[..., Result]
Break = Callable[[Path], None]


def append(name: str, text: str) -> Break:
    def run(course: Path) -> None:
        with (course / name).open("a", encoding="utf-8") as file:
            file.write(text)

    return run


def include(private: str) -> Break:
    return append(f"assignments/{LAB}/public_tests.cpp", f'#include "../../solutions/{LAB}/{private}"\n')


def replace(name: str, old: str, new: str) -> Break:
    def run(course: Path) -> None:
        text = (course / name).read_text(encoding="utf-8")
        assert old in text
        (course / name).write_text(text.replace(old, new, 1), encoding="utf-8")

    return run


def unmark_a_line(course: Path) -> None:
    """Moves the first indexing statement of a model solution out of its markers, and makes the starter again."""
    from grader.course.starters import write  # noqa: PLC0415

    path = course / "solutions" / LAB / FILE
    lines = path.read_text(encoding="utf-8").splitlines()
    answer = next(line for line in lines if re.search(r"= A\[", line))
    lines.remove(answer)
    marker = max(number for number, line in enumerate(lines) if "BEGIN SOLUTION" in line)
    lines.insert(marker, answer)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    write(course)


def copy_an_answer(course: Path) -> None:
    answers = (course / "solutions" / LAB / "answers.md").read_text(encoding="utf-8").split("\n1. ", 1)[1]
    append(README, f"\nHint: {' '.join(answers.split())[:200]}\n")(course)


def tell_the_seed(course: Path) -> None:
    (course / ".tilelab").mkdir()
    (course / ".tilelab" / "seed").write_text("7302251994182774301\n", encoding="utf-8")
    append(README, "\nSeed 7302251994182774301.\n")(course)


def tell_a_shape(course: Path) -> None:
    hidden = (course / "solutions" / LAB / "hidden_tests.cpp").read_text(encoding="utf-8")
    shapes = [re.findall(r"\d+", group) for group in re.findall(r"\{\.M[^}]*\}", hidden)]
    append(README, f"\nTry {' x '.join(max(shapes, key=lambda shape: min(map(int, shape))))}.\n")(course)


# What breaks a course, the proof that fails and what it tells. Of each proof up to three are tried by default.
BROKEN: list[tuple[Break, str, str]] = [
    (unmark_a_line, "leaks", f"solutions/{LAB}/{FILE}:"),
    (append(README, "\n    As[ty][tx] = A[row * K + start + tx];\n"), "leaks", "gives a solution away"),
    (append("kit/problems/matmul.hpp", "// A[row * K + start + tx]\n"), "leaks", "kit/problems/matmul.hpp:"),
    (include("hidden_tests.cpp"), "leaks", f"includes ../../solutions/{LAB}/hidden_tests.cpp, which is not in the handout"),
    (include("grading.toml"), "leaks", f"includes ../../solutions/{LAB}/grading.toml, which is not in the handout"),
    (copy_an_answer, "leaks", f"repeats an answer of solutions/{LAB}/answers.md"),
    (tell_the_seed, "leaks", "gives away the course's secret seed"),
    (tell_a_shape, "leaks", f"gives away a hidden shape of {LAB}"),
    (append(f"assignments/{LAB}/{FILE}", "// more\n"), "starters", f"assignments/{LAB}/{FILE}: differs from what"),
    (append(f"assignments/{LAB}/notes.pdf", "%"), "listing", "assignments/<lab>/notes.pdf is new in the handout"),
    (append(README, "\nFILL IN: more\n"), "written", f"{README}:"),
    (append(README, "\n[gone](#no-such-heading)\n"), "links", "no such heading"),
    (append(README, "\n![gone](../figures/none.svg)\n"), "links", "figures/none.svg, and there is no such file"),
    (append("assignments/figures/phases.svg", "<!-- -->"), "figures", "differs from what docs/figures/draw.py draws"),
    (append("assignments/figures/unseen.svg", "<svg/>"), "figures", "unseen.svg: no write-up shows this figure"),
    (replace(README, "1404", "1405"), "numbers", "differs from what `.venv/bin/python docs/trace_example.py` prints"),
    (replace(f"assignments/{LAB}/lab.toml", "points = 1", "points = 4"), "points", f"{README}:"),
]  # fmt: skip
TRIED = covering(BROKEN, lambda one: (one[1], BROKEN.index(one) % 3))


@pytest.mark.parametrize(("change", "proof", "told"), TRIED)
def test_what_should_not_be_fails_by_name(scratch: Path, check: Check, change: Break, proof: str, told: str) -> None:
    change(scratch)
    done = check("--proof", proof)
    assert done.exit_code == 1, done.output
    assert f"FAILS {proof} " in done.output
    assert told in done.output
    assert done.output.splitlines()[-2:] == [
        f"failed: {proof}",
        "next: correct what failed, and run the same command again",
    ]


def test_a_sound_course_passes_every_proof_that_needs_no_kernel(check: Check) -> None:
    done = check(*(word for name in QUICK for word in ("--proof", name)))
    assert done.exit_code == 0, done.output
    assert [line.split()[:2] for line in done.output.splitlines()[:-2]] == [["ok", name] for name in QUICK]


def test_a_made_passage_is_brought_up_to_date(scratch: Path, check: Check) -> None:
    replace(README, "1404", "1405")(scratch)
    assert check("--remake").output == f"wrote {README}\n"
    assert (scratch / README).read_bytes() == (ROOT / README).read_bytes()


def test_only_the_labs_asked_for_are_looked_at(scratch: Path, check: Check) -> None:
    append(README, "\n[gone](nowhere.md)\n    As[ty][tx] = A[row * K + start + tx];\n")(scratch)
    append(f"assignments/{LAB}/{FILE}", "// more\n")(scratch)
    other = kernel_lab_ids(ROOT)[0]
    names = [word for name in ("starters", "leaks", "links") for word in ("--proof", name)]  # what those break
    assert check("--lab", other, *names).exit_code == 0
    assert check(*names).exit_code == 1


def test_an_unknown_proof_names_those_there_are(check: Check) -> None:
    done = check("--proof", "luck")
    assert done.exit_code == 2
    assert f"rejects {LAB}" in done.output


def test_a_course_that_is_not_built_says_what_to_do(check: Check, scratch: Path) -> None:
    (scratch / "solutions" / LAB / "hidden_tests.cpp").touch()
    done = check("--proof", "solution")
    assert done.exit_code == 2
    assert "make setup" in done.output
