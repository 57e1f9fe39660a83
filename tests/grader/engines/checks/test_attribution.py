"""A compiler's failure is the submission's where the compiler names its text, or where a limit was measurably used up; else it is ours."""

from __future__ import annotations

import dataclasses

import pytest

from grader.engines.build_steps import asked_for, is_about_writing, names_the_text, used_up
from grader.system.confined_run import Finished
from grader.system.confinement import Limits

KIT = "/clone/kit/include"
LIMITS = Limits(
    "build",
    cpu_seconds=10,
    wall_seconds=60,
    memory_bytes=2 << 30,
    processes=64,
    file_bytes=128 << 20,
    open_files=256,
    all_seconds=30,
)

THE_SUBMISSIONS = {
    "an error in its text": "scale.cu:3:5: error: expected ';'",
    "a header that is not there": "scale.cu:1:10: fatal error: mine.h: No such file or directory",
    "something the compiler cannot do": "scale.cu:3:5: sorry, unimplemented: non-trivial designated initializers",
    "a file that includes itself, in Clang's words": "././././scale.cu:1:10: error: #include nested too deeply",
    "an error in a header of its own": "mine.cuh:3:1: error: unknown type name 'foo'",
    "a template of the kit's that it uses wrongly": (
        f"{KIT}/tilelab/group.hpp:9:3: error: static assertion failed: a power of two\nscale.cu:7:30:   required from here"
    ),
    "a constant that does not end": (
        "scale.cu:4:30:   in 'constexpr' expansion of 'f()'\n/usr/include/c++/12/limits:9:1: error: 'constexpr' evaluation"
    ),
    "a template of the system's, in Clang's words": (
        "/usr/include/c++/12/array:9:3: error: no\nscale.cu:7:30: note: in instantiation of member function 'x' requested here"
    ),
    "a system header that it should not include": (
        "In file included from scale.cu:2:\n/usr/include/c++/12/bits/error.h:3:2: error: #error not like this"
    ),
    "an error that says what a full disk says": "scale.cu:3:2: error: #error error writing to x: No space left on device",
}
OURS = {
    "nothing": "",
    "a compiler that was killed": "g++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.",
    "a compiler that broke": "scale.cu:9:1: internal compiler error: Segmentation fault",
    "a full disk": "<built-in>: fatal error: when writing output to scanned.ii: No space left on device",
    "a full disk at the submission's last line": "scale.cu:9:1: fatal error: error writing to x.s: No space left on device",
    "a warning alone": "scale.cu:4:7: warning: unused variable 'x'\ncc1plus: out of memory allocating 65536 bytes",
    "a damaged header of the kit": f"In file included from scale.cu:1:\n{KIT}/tilelab/device.cuh:7:1: error: stray",
    "a damaged prelude": "/clone/build/prelude/1/prelude.hpp:1:1: error: stray token",
    "a file of another name": "matmul_scale.cu:3:5: error: expected ';'",
    "a flag that is not known": "cc1plus: error: unrecognized command-line option '-fx'",
}


@pytest.mark.parametrize("what", THE_SUBMISSIONS)
def test_is_the_submissions(what: str) -> None:
    assert names_the_text(THE_SUBMISSIONS[what], {"scale.cu", "mine.cuh"}, [KIT, "/clone/build/prelude/1"])


@pytest.mark.parametrize("what", OURS)
def test_is_ours(what: str) -> None:
    assert not names_the_text(OURS[what], {"scale.cu"}, [KIT, "/clone/build/prelude/1"])


def test_a_line_about_writing_is_told_from_one_about_the_text() -> None:
    assert is_about_writing("scale.cu:9:1: fatal error: error writing to a.s: No space left on device")
    assert not is_about_writing("scale.cu:9:1: error: error writing to a.s: No space left on device")


def ended(status: int, *, seconds: float = 0, memory: int = 0) -> Finished:
    return Finished(status, b"", b"", timed_out=False, truncated=False, cpu_seconds=seconds, peak_bytes=memory)


@pytest.mark.parametrize(
    ("finished", "said", "limit"),
    [
        (ended(4, seconds=9.8), "CPU time limit exceeded signal terminated program cc1plus", "10 seconds"),
        (ended(128 + 24, seconds=10), "", "10 seconds"),
        (ended(4, seconds=1), "CPU time limit exceeded signal terminated program cc1plus", ""),
        (ended(128 + 9, seconds=9.8), "Killed signal terminated program cc1plus", ""),
        (ended(1, memory=2 << 30), "virtual memory exhausted: Cannot allocate memory", "2048 MiB of memory"),
        (ended(1, memory=600 << 20), "virtual memory exhausted: Cannot allocate memory", "2048 MiB of memory"),
        (ended(1, memory=400 << 20), "virtual memory exhausted: Cannot allocate memory", ""),
        (ended(1, memory=50 << 20), "cc1plus: out of memory allocating 4294967296 bytes", "2048 MiB of memory"),
        (ended(1, memory=50 << 20), "cc1plus: out of memory allocating 65536 bytes", ""),
        (ended(4), "File size limit exceeded signal terminated program cc1plus", "128 MiB"),
        (ended(1, seconds=10, memory=2 << 30), "scale.cu:1:1: error: no", ""),
        (ended(128 + 11, memory=2 << 30), "Segmentation fault", "2048 MiB of memory"),
        (ended(128 + 11, memory=1 << 30), "Segmentation fault", ""),
        (dataclasses.replace(ended(128 + 9, seconds=30), overspent=True), "Killed", "30 seconds"),
    ],
)
def test_a_limit_counts_only_where_it_was_used_up(finished: Finished, said: str, limit: str) -> None:
    used = used_up(finished, LIMITS, said)
    assert used.startswith(limit) if limit else not used


def test_a_forbidden_file_is_the_submissions_where_its_text_names_it() -> None:
    log = "cc1plus: fatal error: /opt/cuda/include/cuda.h: Permission denied\ncompilation terminated."
    assert asked_for(log, '#if __has_include("/opt/cuda/include/cuda.h")') == "/opt/cuda/include/cuda.h"
    assert asked_for(log, "#include </opt/cuda/include/cuda.h>") == "/opt/cuda/include/cuda.h"
    assert asked_for(log, "#include <cuda.h>") == ""
    assert asked_for("cc1plus: fatal error: can't open x: Permission denied", '#include "x"') == ""
