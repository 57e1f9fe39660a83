"""The precompiled prelude is made once for the same headers and compiler, also by several processes, and is read without writing."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from grader.engines.cpu_toolchain import CpuToolchain, prepare

HEADER = "#pragma once\nstruct dim3 { unsigned x; };\n"


@pytest.fixture
def includes(tmp_path: Path) -> Path:
    folder = tmp_path / "include"
    (folder / "tilelab").mkdir(parents=True)
    (folder / "cuda_on_cpu.hpp").write_text(HEADER, encoding="utf-8")
    return folder


def prepared(includes: Path, cache: Path) -> CpuToolchain:
    return prepare("g++", [includes], [], cache)


def test_the_prelude_is_made_once(includes: Path, tmp_path: Path) -> None:
    first = prepared(includes, tmp_path / "cache")
    made = first.prelude.with_name("prelude.hpp.gch").stat().st_mtime_ns
    assert prepared(includes, tmp_path / "cache") == first
    assert first.prelude.with_name("prelude.hpp.gch").stat().st_mtime_ns == made


def test_a_changed_header_makes_another_one(includes: Path, tmp_path: Path) -> None:
    first = prepared(includes, tmp_path / "cache")
    (includes / "cuda_on_cpu.hpp").write_text(HEADER + "// changed\n", encoding="utf-8")
    second = prepared(includes, tmp_path / "cache")
    assert first.prelude != second.prelude
    assert first.prelude.is_file()


def test_several_at_once_make_one_that_works(includes: Path, tmp_path: Path) -> None:
    with ThreadPoolExecutor(3) as pool:
        made = list(pool.map(lambda _: prepared(includes, tmp_path / "cache"), range(3)))
    assert len({one.prelude for one in made}) == 1
    found = sorted(path.name for path in made[0].prelude.parent.iterdir() if path.suffix == ".gch")
    assert found == ["prelude.hpp.gch", "telling_prelude.hpp.gch"]
    (tmp_path / "a.cu").write_text("dim3 a;\n", encoding="utf-8")
    subprocess.run(made[0].preprocess("a.cu", "a.ii"), cwd=tmp_path, check=True)
    assert "pch_preprocess" in (tmp_path / "a.ii").read_text(encoding="utf-8")


def test_a_finished_cache_is_only_read(includes: Path, tmp_path: Path) -> None:
    first = prepared(includes, tmp_path / "cache")
    before = sorted((path, path.stat().st_mtime_ns) for path in (tmp_path / "cache").rglob("*"))
    assert prepared(includes, tmp_path / "cache") == first
    assert sorted((path, path.stat().st_mtime_ns) for path in (tmp_path / "cache").rglob("*")) == before


def test_a_header_that_does_not_compile_leaves_nothing_that_looks_finished(includes: Path, tmp_path: Path) -> None:
    (includes / "cuda_on_cpu.hpp").write_text("#error broken\n", encoding="utf-8")
    with pytest.raises(subprocess.CalledProcessError, match="returned non-zero"):
        prepared(includes, tmp_path / "cache")
    assert list((tmp_path / "cache").rglob("*.gch")) == []


def test_the_compilation_for_warnings_takes_its_header_precompiled(includes: Path, tmp_path: Path) -> None:
    toolchain = prepared(includes, tmp_path / "cache")
    (tmp_path / "a.cu").write_text("dim3 a;\n", encoding="utf-8")
    command = [*toolchain.warn("a.cu", "a.o"), "-H"]  # names what is read; "!" before what is precompiled
    said = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stderr
    assert "! " in said
    assert "cuda_on_cpu.hpp" not in said
