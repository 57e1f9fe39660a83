"""Files of the kit and of the course that are missing or damaged, and judges that die, hang or lie."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from corpus_sample import sample

from grader.run import judge_call

pytestmark = [pytest.mark.long, pytest.mark.in_turn(4)]

Prove = Callable[[Callable[[Any], AbstractContextManager[None]], str], None]
_REPORT = 'while [ "$1" != --report ]; do shift; done; report=$2\n'


def _judge_that_says(course: Any, *, passed: bool) -> str:  # noqa: ANN401 -- conftest's Course
    """Of every case of the lab, whatever it is given."""
    tests = [*(course.root / "assignments").glob("*/lab.toml"), *(course.root / "solutions").glob("*/grading.toml")]
    names = [
        line.split('"')[1] for path in tests for line in path.read_text().splitlines() if line.startswith("name = ")
    ]
    verdict = "pass" if passed else "wrong-answer"
    cases = [
        {"name": one, "passed": passed, "verdict": verdict, "message": "so it is", "launches": []} for one in names
    ]
    return f"{_REPORT}cat >\"$report\" <<'END'\n{json.dumps({'cases': cases})}\nEND"


JUDGES = {
    "dies": ("kill -9 $$", "the judge of"),
    "cannot work": ("echo no seed >&2; exit 2", "the judge of"),
    "writes garbage": (f'{_REPORT}head -c 1000 /dev/urandom >"$report"', "the judge of"),
    "writes half of its report": (f'{_REPORT}printf \'{{"cases": [\' >"$report"', "the judge of"),
    "writes nothing": ("exit 0", "the judge of"),
}


@pytest.mark.parametrize("what", sample([*JUDGES], 5))
def test_a_judge_costs_nobody_anything_when_it(what: str, prove: Prove) -> None:
    script, words = JUDGES[what]

    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        course.damage(course.judge, f"#!/bin/sh\n{script}\n")
        yield
        course.mend(course.judge)

    prove(fault, words)


@pytest.mark.parametrize(("passed", "words"), [(False, "model solution"), (True, "wrong kernel")])
def test_a_judge_that_says_the_same_of_everybody_is_found_out(passed: bool, words: str, prove: Prove) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        course.damage(course.judge, f"#!/bin/sh\n{_judge_that_says(course, passed=passed)}\n")
        yield
        course.mend(course.judge)

    prove(fault, words)


def test_a_judge_that_hangs_costs_nobody_anything(prove: Prove, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        with monkeypatch.context() as patch:
            patch.setattr(judge_call, "JUDGE_SECONDS", 0.5)
            course.damage(course.judge, "#!/bin/sh\nexec sleep 60\n")
            yield
        course.mend(course.judge)

    prove(fault, "still busy")


MISSING = {"judge": "is missing: run `make setup`", "library": "is missing: run `make setup`"}


@pytest.mark.parametrize("what", MISSING)
def test_what_is_missing_is_named_before_anything_is_graded(what: str, prove: Prove) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        path: Path = getattr(course, what)
        path.unlink()
        yield
        course.mend(path)

    prove(fault, MISSING[what])


@pytest.mark.parametrize("size", [0, 100_000], ids=["empty", "cut short"])
def test_a_damaged_runner_library_costs_nobody_anything(size: int, prove: Prove) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        course.damage(course.library, course.library.read_bytes()[:size])
        yield
        course.mend(course.library)

    prove(fault, "A file of the kit is damaged")


def test_a_judge_that_disappears_after_the_controls_costs_nobody_anything(prove: Prove) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        course.midway = course.judge.unlink
        yield
        course.mend(course.judge)

    prove(fault, "this machine cannot grade")


def _own_preludes(course: Any) -> list[Path]:  # noqa: ANN401
    """Copies of what the compiler made of the kit's headers, to be damaged."""
    place = course.build / "prelude"
    whole = place.resolve()
    place.unlink()
    shutil.copytree(whole, place)
    return [
        path
        for path in place.rglob("*")
        if path.name in {"prelude.hpp.gch", "telling_prelude.hpp.gch", "plain.ll", "prelude.hpp"}
    ]


@pytest.mark.parametrize("suffix", sample([".gch", ".hpp"], 2))
def test_a_damaged_precompiled_header_is_made_anew(suffix: str, course: Any, healthy: dict[str, str]) -> None:  # noqa: ANN401
    for path in _own_preludes(course):
        if path.suffix == suffix:
            whole = path.read_bytes()
            path.write_bytes(whole[: len(whole) // 2] + bytes(64) + whole[len(whole) // 2 + 64 :])
    batch = course.grade_without_search()
    assert (batch.status, batch.cells) == (0, healthy), batch.said


def test_a_precompiled_header_that_is_damaged_after_the_controls_costs_nobody_anything(prove: Prove) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        preludes = [path for path in _own_preludes(course) if path.suffix == ".gch"]
        course.midway = lambda: [path.write_bytes(b"gpchC013") for path in preludes]
        yield

    prove(fault, "this machine cannot grade")


@pytest.mark.parametrize("text", ["{", '{"compiler": 7, "archives": [], "includes": []}'])
def test_a_damaged_kit_json_is_named_before_anything_is_graded(text: str, prove: Prove) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        path = course.build / "kit.json"
        whole = path.read_bytes()
        path.write_bytes(text.encode("latin-1"))
        yield
        path.write_bytes(whole)

    prove(fault, "kit.json cannot be read")


@pytest.mark.parametrize("text", ["", "seven\n"])
def test_a_damaged_seed_is_named_before_anything_is_graded(text: str, prove: Prove) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        whole = course.seed.read_text()
        course.seed.write_text(text)
        yield
        course.seed.write_text(whole)

    prove(fault, "holds no seed")
