"""A compiler, an assembler or a linker that fails in every way they have been seen to: nobody loses a point, the machine is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from corpus_sample import sample

from grader.engines import build_steps
from grader.system import worker_processes

pytestmark = [pytest.mark.long, pytest.mark.in_turn(4)]

Prove = Callable[[Callable[[Any], AbstractContextManager[None]], str], None]
Row = tuple[Callable[[Any], AbstractContextManager[None]], str]

# What the fake does when it is to compile; what the terminal has to say.
SCRIPTS = {
    "says nothing and fails": ("exit 1", "The compiler does not work"),
    # No program may signal itself in the sandbox: these end as a shell says of one that was.
    "is killed": ("exit 137", "memory that ran out"),
    "crashes": ("exit 139", "The compiler does not work"),
    "meets a full disk": (
        'echo "<built-in>: fatal error: when writing output to scanned.ii: No space left on device" >&2; exit 1',
        "A disk is full",
    ),
    "meets a full disk at the submission's last line": (
        'echo "matmul_naive.cu:9:1: fatal error: error writing to submission.s: No space left on device" >&2; exit 1',
        "A disk is full",
    ),
    "gets no memory": ('echo "virtual memory exhausted: Cannot allocate memory" >&2; exit 1', "memory that ran out"),
    "writes no file": ("exit 0", "was not written"),
    "finds its own headers broken": (
        'echo "/usr/include/c++/12/vector:1:1: error: stray token" >&2; exit 1',
        "The compiler does not work",
    ),
    "sees errors where there are none": (
        'for word; do case $word in *.cu|*.ii) file=$word;; esac; done; echo "$file:2:1: error: no" >&2; exit 1',
        "model solution",
    ),
    "has lost a library": (
        'echo "g++: error while loading shared libraries: libmpfr.so.6: cannot open shared object file" >&2; exit 127',
        "cannot be started in the sandbox",
    ),
}
PARTS = {
    # Both limits at once: the kernel kills it, as it does when memory runs out. The sandbox lets nobody send a signal.
    "a cc1plus that is killed": ("cc1plus", "ulimit -t 1; while :; do :; done", "memory that ran out"),
    "a cc1plus that says nothing and fails": ("cc1plus", "exit 7", "The compiler does not work"),
    "an assembler that fails": ("as", "exit 137", "The compiler does not work"),
    "an assembler that writes half of its file": (
        "as",
        'as "$@" || exit 1; while [ $# -gt 1 ]; do [ "$1" = -o ] && truncate -s 700 "$2"; shift; done',
        "cannot be read",
    ),
    "an objcopy that fails": ("objcopy", "exit 1", "the linker"),
    "an objcopy that is killed": ("objcopy", "exit 137", "memory that ran out"),
}


@pytest.mark.parametrize("what", sample([*SCRIPTS], 4))
def test_a_compiler_costs_nobody_anything_when_it(what: str, prove: Prove) -> None:
    script, words = SCRIPTS[what]

    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401 -- conftest's Course
        course.compile_with(script)
        yield
        course.compile_as_before()

    prove(fault, words)


@pytest.mark.parametrize("what", sample([*PARTS], 3))
def test_nothing_is_lost_to(what: str, prove: Prove) -> None:
    name, script, words = PARTS[what]

    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        course.compile_with_part(name, script)
        yield
        course.compile_as_before()

    prove(fault, words)


def test_a_linker_that_fails_costs_nobody_anything(prove: Prove) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        course.tool("ld.gold", "exit 137")
        course.compile_with_part("ld", "exit 137")
        yield
        course.compile_as_before()

    prove(fault, "the linker")


def test_a_compiler_that_hangs_costs_nobody_anything(prove: Prove, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        with monkeypatch.context() as patch:
            patch.setattr(
                build_steps,
                "BUILD_LIMITS",
                build_steps.BUILD_LIMITS.__class__("build", 10, 0.5, 2 << 30, 64, 128 << 20, 256),
            )
            patch.setattr(worker_processes, "_worker", lambda: None)  # another process would have the usual limits
            course.compile_with("sleep 60")
            yield
        course.compile_as_before()

    prove(fault, "did not end in time")


def test_a_compiler_that_is_not_there_is_named(prove: Prove) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        course.environment["TILELAB_COMPILER"] = str(course.tools / "gone")
        yield
        course.compile_as_before()

    prove(fault, "there is no such program on this machine")


def test_a_compiler_that_is_too_old_is_named(prove: Prove) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        course.environment["TILELAB_COMPILER"] = str(course.tool("g++", 'echo "11.4"'))
        yield
        course.compile_as_before()

    prove(fault, "submissions need GCC")


@pytest.mark.parametrize(
    ("script", "words"), [("exit 137", "memory that ran out"), ("exit 1", "The compiler does not work")]
)
def test_a_compiler_that_breaks_after_the_controls_costs_nobody_anything(script: str, words: str, prove: Prove) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        course.compile_as_before()
        course.midway = lambda: course.compile_with(script)
        yield
        course.compile_as_before()

    prove(fault, words)


def test_a_compiler_that_accuses_everybody_after_the_controls_costs_nobody_anything(prove: Prove) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        course.compile_as_before()
        course.midway = lambda: course.compile_with(SCRIPTS["sees errors where there are none"][0])
        yield
        course.compile_as_before()

    prove(fault, "model solution")


def test_a_compiler_anywhere_on_the_disk_compiles(course: Any, healthy: dict[str, str]) -> None:  # noqa: ANN401
    course.compile_as_before()
    batch = course.grade_without_search()
    assert (batch.status, batch.cells) == (0, healthy), batch.said
