"""A compiler works in every confinement, wherever its files are, and cannot read files that it was not given."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.system.confined_run import Finished, run_confined
from grader.system.confinement import Confinement, Limits

if TYPE_CHECKING:
    from collections.abc import Sequence

HELLO = "#include <cstdio>\n#include <vector>\nint main() { std::puts(LINE); }\n"


@pytest.fixture
def generous(limits: Limits) -> Limits:
    return dataclasses.replace(limits, memory_bytes=1 << 30, file_bytes=64 << 20, processes=32)


def build(
    confinement: Confinement, argv: Sequence[str], folder: Path, limits: Limits, readable: Sequence[Path] = ()
) -> Finished:
    return run_confined(
        confinement,
        argv,
        readable=readable,
        writable=[folder],
        limits=dataclasses.replace(limits, profile="build"),
        cwd=folder,
    )


@pytest.mark.parametrize("name", ["plain", "with a space", "Übung 2, Gruppe “ß”", "-o"])
def test_compiles_links_and_edits_objects_in_a_folder_of_any_name(
    confinement: Confinement, tmp_path: Path, name: str, generous: Limits
) -> None:
    folder = tmp_path / name
    folder.mkdir()
    (folder / "hello.cpp").write_text(f'#define LINE "ok"\n{HELLO}')
    for argv in (
        ["g++", "-std=c++20", "-g", "-c", "hello.cpp", "-o", "hello.o"],
        ["objcopy", "--redefine-sym", "memcpy=other_memcpy", "hello.o"],
        ["g++", "hello.o", "-o", "hello"],
        ["readelf", "-sW", "hello"],
    ):
        finished = build(confinement, argv, folder, generous)
        assert finished.returncode == 0, (argv, finished)
    ran = run_confined(
        confinement,
        [str(folder / "hello")],
        readable=[folder],
        limits=generous,
        cwd=folder,
    )
    assert (ran.returncode, ran.stdout) == (0, b"ok\n"), ran


def test_a_folder_may_lie_beneath_another_that_is_given_too(
    confinement: Confinement, tmp_path: Path, generous: Limits
) -> None:
    work = tmp_path / "course" / "work"
    work.mkdir(parents=True)
    (tmp_path / "course" / "line.hpp").write_text('#define LINE "from above"\n')
    (work / "hello.cpp").write_text(f'#include "../line.hpp"\n{HELLO}')
    readable = [tmp_path / "course", tmp_path / "course" / "line.hpp", work]
    finished = build(confinement, ["g++", "hello.cpp", "-o", "hello"], work, generous, readable)
    assert finished.returncode == 0, finished
    assert (work / "hello").stat().st_mode & 0o111


@pytest.mark.parametrize("line", ['#include "{secret}"', '#include "link.hpp"', 'asm(".incbin \\"{secret}\\"");'])
def test_source_cannot_draw_in_a_file_that_was_not_given(
    confinement: Confinement, tmp_path: Path, line: str, generous: Limits
) -> None:
    secret, folder = tmp_path / "solution.cu", tmp_path / "work"
    secret.write_text("the_secret_of_the_solution\n")
    folder.mkdir()
    (folder / "link.hpp").symlink_to(secret)
    (folder / "spy.cpp").write_text(line.format(secret=secret) + "\nint main() {}\n")
    finished = build(confinement, ["g++", "-c", "spy.cpp", "-o", "spy.o"], folder, generous)
    assert finished.returncode != 0
    assert b"the_secret" not in finished.stdout + finished.stderr
    assert not (folder / "spy.o").exists()


def test_those_would_work_on_a_file_that_was_given(confinement: Confinement, tmp_path: Path, generous: Limits) -> None:
    given, folder = tmp_path / "given.hpp", tmp_path / "work"
    given.write_text("\n")
    folder.mkdir()
    (folder / "link.hpp").symlink_to(given)
    (folder / "spy.cpp").write_text(f'#include "{given}"\n#include "link.hpp"\nasm(".incbin \\"{given}\\"");\n')
    finished = build(confinement, ["g++", "-c", "spy.cpp", "-o", "spy.o"], folder, generous, [given])
    assert finished.returncode == 0, finished


def test_a_compiler_that_takes_too_much_memory_is_stopped(
    confinement: Confinement, tmp_path: Path, generous: Limits
) -> None:
    (tmp_path / "bomb.cpp").write_text("constexpr unsigned char data[1u << 30] = {1};\nauto p = &data[5];\n")
    argv = ["g++", "-c", "bomb.cpp", "-o", "bomb.o"]
    finished = build(confinement, argv, tmp_path, dataclasses.replace(generous, memory_bytes=256 << 20))
    assert finished.returncode != 0
    assert not finished.timed_out
