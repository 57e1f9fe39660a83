"""What of the kit a submission is linked to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.engines.cpu.cpu_toolchain import CpuToolchain

LATER = 2_000_000_000


@pytest.fixture
def toolchain(tmp_path: Path) -> CpuToolchain:
    archives = (tmp_path / "libkit.a", tmp_path / "libother.a")
    for archive in archives:
        archive.touch()
        os.utime(archive, (LATER, LATER))
    return CpuToolchain("g++", (), archives, tmp_path / "prelude.hpp")


def test_without_a_whole_object_the_archives_are_linked(toolchain: CpuToolchain) -> None:
    assert toolchain.kit_objects == toolchain.archives


@pytest.mark.parametrize(("made", "is_linked"), [(LATER - 1, False), (LATER, True), (LATER + 1, True)])
def test_a_whole_object_is_linked_in_place_of_all_archives_unless_it_is_older(
    toolchain: CpuToolchain, made: int, *, is_linked: bool
) -> None:
    whole = toolchain.archives[0].with_name("libkit-whole.o")
    whole.touch()
    os.utime(whole, (made, made))
    assert toolchain.kit_objects == ((whole,) if is_linked else toolchain.archives)
    command = toolchain.link(["submission.o"], [], "runner")
    assert (str(whole) in command) == is_linked
    assert (str(toolchain.archives[1]) in command) != is_linked


def test_an_archive_that_is_missing_is_the_linkers_to_tell(tmp_path: Path) -> None:
    toolchain = CpuToolchain("g++", (), (tmp_path / "libnone.a",), tmp_path / "prelude.hpp")
    (tmp_path / "libnone-whole.o").touch()
    assert toolchain.kit_objects == toolchain.archives
