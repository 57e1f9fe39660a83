"""An nvcc that fails in every way: what the CPU executor found stands, and nobody loses a point."""

from __future__ import annotations

from typing import Any

import pytest
from corpus_sample import sample

from grader.run import gpu_judging
from grader.system.confinement import gpu_devices

pytestmark = [
    pytest.mark.skipif(bool(gpu_devices()), reason="this machine has a GPU, which wants a real nvcc"),
    pytest.mark.in_turn(4),
]

_VERSION = 'if [ "$1" = --version ]; then echo "Cuda compilation tools, release 13.0"; exit 0; fi\n'
_READS = (  # what it says it would run
    'for word; do [ "$word" != --dryrun ] || { echo "#$ cc -E -D__CUDA_ARCH__=900 submission.cu -o submission.ii" >&2; exit 0; }; done\n'
)
_COMPILES = 'while [ "$1" != -o ]; do shift; done; : >"$2"'
NVCC = {
    "never compiles": "exit 1",
    "is killed": "kill -9 $$",
    "gets no memory": 'echo "ptxas fatal   : Memory allocation failure" >&2; exit 255',
    "meets a full disk": "echo 'ptxas fatal   : Could not write to file: No space left on device' >&2; exit 255",
    "has lost a part": "echo 'sh: 1: cicc: not found' >&2; exit 127",
}


def _toolkit(course: Any, script: str) -> None:  # noqa: ANN401 -- conftest's Course
    (course.tools / "bin").mkdir(exist_ok=True)
    course.tool("bin/nvcc", f"{_VERSION}{_READS}{script}")
    course.environment |= {"CUDA_HOME": str(course.tools), "TILELAB_BACKEND": "auto"}


@pytest.fixture(autouse=True)
def _nothing_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pretended nvcc reads no files."""
    monkeypatch.setattr(gpu_judging, "two_programs", lambda *_, **__: None)


@pytest.mark.parametrize("what", sample([*NVCC], 3))
def test_an_nvcc_costs_nobody_anything_when_after_set_up_it(what: str, course: Any, healthy: dict[str, str]) -> None:  # noqa: ANN401
    _toolkit(course, _COMPILES)
    course.midway = lambda: _toolkit(course, NVCC[what])
    batch = course.grade()
    assert batch.cells == healthy, batch.said


def test_an_nvcc_that_accuses_everybody_stops_the_batch(course: Any, healthy: dict[str, str]) -> None:  # noqa: ANN401
    _toolkit(course, _COMPILES)
    accuses = 'for word; do case $word in *.cu) file=$word;; esac; done; echo "${file}(2): error: no" >&2; exit 1'
    course.midway = lambda: _toolkit(course, accuses)
    batch = course.grade()
    assert batch.status == 3, batch.said
    assert all(cell in {"", healthy[student]} for student, cell in batch.cells.items())
    course.midway = None
    _toolkit(course, _COMPILES)
    assert course.grade().cells == healthy
