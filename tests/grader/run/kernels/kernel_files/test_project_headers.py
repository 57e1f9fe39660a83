"""Where in a clone a header lies that is not near the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.run.kernels.kernel_source import ProjectHeaders, read_kernel_source


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    root = tmp_path / "outside" / "clone"
    (root / ".git").mkdir(parents=True)
    return root


def write(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_the_nearest_header_of_a_name_is_taken(clone: Path) -> None:
    file = write(clone / "lab1" / "src" / "deep" / "main.cu")
    near = write(clone / "lab1" / "libs" / "index.h", "// near")
    write(clone / "lab2" / "libs" / "index.h", "// far")
    assert ProjectHeaders(file).find("index.h") == near
    assert ProjectHeaders(file).find("libs/index.h") == near
    assert ProjectHeaders(file).find("other/index.h") is None


def test_nothing_is_taken_where_two_are_equally_near_and_differ(clone: Path) -> None:
    file = write(clone / "lab1" / "src" / "main.cu")
    write(clone / "a" / "index.h", "// one")
    other = write(clone / "b" / "index.h", "// another")
    assert ProjectHeaders(file).find("index.h") is None
    other.write_text("// one")
    assert ProjectHeaders(file).find("index.h") is not None


def test_nothing_outside_a_clone_is_looked_at(clone: Path) -> None:
    write(clone.parent / "libs" / "index.h")
    (clone / "libs").mkdir()
    (clone / "libs" / "index.h").symlink_to(clone.parent / "libs" / "index.h")
    assert ProjectHeaders(write(clone / "main.cu")).find("index.h") is None
    assert ProjectHeaders(write(clone.parent / "main.cu")).find("index.h") is None


def test_a_file_is_read_with_the_headers_of_its_project(clone: Path) -> None:
    write(clone / "common" / "libs" / "index.h", '#include "types.h"\n')
    write(clone / "common" / "types" / "types.h", "typedef unsigned char uchar;\n")
    file = write(clone / "labs" / "one" / "src" / "main.cu", '#include "index.h"\n__global__ void f(uchar* a) {}\n')
    assert set(read_kernel_source(file).texts) == {"main.cu", "index.h", "types.h"}


def test_the_headers_of_the_kit_in_the_same_clone_are_no_authors() -> None:
    clone = Path(__file__).resolve().parents[5]
    source = read_kernel_source(clone / "tests" / "anykernel" / "clean" / "groups_of_a_block.cu")
    assert list(source.texts) == ["groups_of_a_block.cu"]


def test_the_kit_in_a_course_s_clone_is_not_looked_at(clone: Path) -> None:
    file = write(clone / "assignments" / "main.cu")
    write(clone / "kit" / "host" / "library.h")
    own = write(clone / "course" / "kit" / "timer.h")
    assert ProjectHeaders(file, clone / "kit").find("library.h") is None
    assert ProjectHeaders(file, clone / "kit").find("timer.h") == own
