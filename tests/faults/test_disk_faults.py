"""Disks that are full, read-only or gone, and a machine without descriptors."""

from __future__ import annotations

import resource
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.long, pytest.mark.in_turn(4)]

Prove = Callable[[Callable[[Any], AbstractContextManager[None]], str], None]
SmallDisk = Callable[[Path, str], None]


def _remount(place: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(place)], check=True)


@pytest.mark.parametrize("size", ["32k", "600k"])
def test_a_small_temporary_disk_costs_nobody_anything(size: str, prove: Prove, small_disk: SmallDisk) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401 -- conftest's Course
        small_disk(course.temporary, f"size={size},mode=1777")
        yield
        _remount(course.temporary, "size=1g")

    prove(fault, "ake room")


def test_a_temporary_disk_that_fills_up_after_the_controls_costs_nobody_anything(
    prove: Prove, small_disk: SmallDisk
) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        small_disk(course.temporary, "size=64m,mode=1777")
        ballast = course.temporary / "ballast"

        def fill() -> None:
            with suppress(OSError), ballast.open("wb", buffering=0) as file:
                while file.write(bytes(1 << 16)):
                    pass

        course.midway = fill
        yield
        ballast.unlink()

    prove(fault, "A disk is full")


def test_a_read_only_temporary_disk_costs_nobody_anything(prove: Prove, small_disk: SmallDisk) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        small_disk(course.temporary, "ro")
        yield
        _remount(course.temporary, "rw,mode=1777")

    prove(fault, "temporary files cannot be written")


def test_a_temporary_folder_that_is_gone_costs_nobody_anything(prove: Prove) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        course.temporary.rmdir()
        yield
        course.temporary.mkdir()

    prove(fault, "temporary files cannot be written")


def test_a_full_out_says_that_the_old_grades_are_still_there(prove: Prove, small_disk: SmallDisk) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        small_disk(course.out.parent, "size=40k")
        yield
        _remount(course.out.parent, "size=100m")

    prove(fault, "could not be written")


def test_a_read_only_out_is_named_before_anything_is_graded(prove: Prove, small_disk: SmallDisk) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        small_disk(course.out.parent, "ro")
        yield
        _remount(course.out.parent, "rw")

    prove(fault, "Choose another OUT")


def test_too_few_descriptors_cost_nobody_anything(prove: Prove) -> None:
    @contextmanager
    def fault(course: Any) -> Iterator[None]:  # noqa: ANN401
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)

        def few() -> None:
            with tempfile.TemporaryFile() as lowest:
                resource.setrlimit(resource.RLIMIT_NOFILE, (lowest.fileno() + 3, hard))

        course.midway = few
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    prove(fault, "")


def test_a_kept_outcome_that_was_cut_short_is_judged_again(course: Any, healthy: dict[str, str]) -> None:  # noqa: ANN401
    course.grade_without_search()
    for path in (course.out / "instructor" / "jobs").iterdir():
        path.write_bytes(path.read_bytes()[:100])
    batch = course.grade_without_search()
    assert (batch.status, batch.cells) == (0, healthy), batch.said
    assert "0 reused from an earlier run" in batch.said
