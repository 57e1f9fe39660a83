"""A student's file that cannot be tested: each gets a sentence with the remedy, and what can be tested is."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from grader.cli.practice.practice import Practice, matching_cases, no_such_case, probably_meant, readable_source
from grader.model.labs import CaseSpec, Lab, LabError, PublicSpec
from grader.model.outcome import unjudged
from grader.model.verdicts import Verdict

NAMES = (
    "multiplies a single element",
    "multiplies square matrices",
    "multiplies matrices that are not square",
    "fetches little",
)
SPEC = PublicSpec(
    title="Tiles", summary="", problem="p", file="matmul_tiled.cu", kernel="k()", launch="l()", shapes="any",
    case=tuple(CaseSpec(name=name, points=1) for name in NAMES),
)  # fmt: skip


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab("02-tiled", SPEC, None, tmp_path, None)


@pytest.mark.parametrize(
    "name", ["matmul_tiled.cu.txt", "matmul_tiled (1).cu", "matmul_tiled.CU", "Matmul-Tiled.cu", "matmul_tild.cu"]
)
def test_a_file_under_nearly_its_name_is_named_with_the_command_that_renames_it(lab: Lab, name: str) -> None:
    (lab.public_dir / name).write_text("__global__ void k() {}\n")
    with pytest.raises(LabError) as said:
        readable_source(lab.public_dir / SPEC.file, lab)
    assert f"there is {name}" in str(said.value)
    assert "rename it:  mv " in str(said.value)


def test_without_any_such_file_the_name_that_is_asked_for_is_told(lab: Lab) -> None:
    (lab.public_dir / "notes.txt").write_text("mine\n")
    with pytest.raises(LabError, match=r"asks for matmul_tiled\.cu; a new starter"):
        readable_source(lab.public_dir / SPEC.file, lab)


def test_a_newer_starter_beside_the_file_is_no_lookalike(tmp_path: Path) -> None:
    for name in ("k.cu.new", "k.cu.mine", "k (1).cu"):
        (tmp_path / name).write_text("x")
    assert probably_meant(tmp_path / "k.cu") == ["k (1).cu"]


STRANGE = {
    b"": "is empty",
    b"\xef\xbb\xbf\r\n \n": "is empty",
    b"PK\x03\x04\x14\0rest of a docx": "is a document of Word or LibreOffice",
    b"{\\rtf1 __global__ void k() {}}": r"is a document \(RTF\)",
    b"%PDF-1.7 ...": "is a PDF",
    b"\x7fELF\x02\x01": "is a compiled program",
    b"  <!DOCTYPE html><html>": "is a web page",
    b"__global__\0\0\0void": "has zero bytes",
}


@pytest.mark.parametrize("data", STRANGE)
def test_what_is_no_source_text_is_told_what_it_is(lab: Lab, data: bytes) -> None:
    path = lab.public_dir / SPEC.file
    path.write_bytes(data)
    with pytest.raises(LabError, match=STRANGE[data]) as said:
        readable_source(path, lab)
    assert str(path) in str(said.value)
    assert "save" in str(said.value).lower()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "latin-1"])
def test_text_is_taken_in_every_encoding_that_editors_write(lab: Lab, encoding: str) -> None:
    path = lab.public_dir / SPEC.file
    path.write_bytes("// größer\n__global__ void k() {}\n".encode(encoding))
    assert readable_source(path, lab) == path.read_bytes()


def test_a_folder_and_a_huge_file_are_told_apart(lab: Lab) -> None:
    path = lab.public_dir / SPEC.file
    path.mkdir()
    with pytest.raises(LabError, match="is a folder"):
        readable_source(path, lab)
    path.rmdir()
    path.write_bytes(b"//" * (4 << 20))
    with pytest.raises(LabError, match="larger than 4 MiB"):
        readable_source(path, lab)


def test_a_file_that_may_not_be_read_is_told_with_the_remedy(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    path = lab.public_dir / SPEC.file
    path.write_text("x")

    def forbidden(_path: Path) -> bytes:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(Path, "read_bytes", forbidden)
    with pytest.raises(LabError, match=r"cannot be read \(Permission denied\).*chmod u\+rw"):
        readable_source(path, lab)


@pytest.mark.parametrize(
    ("words", "taken"),
    [
        ("square", (1, 2)), ("SQUARE  matrices", (1,)), ("matrices square", (1, 2)), (NAMES[1], (1,)), ("multiplies", (0, 1, 2)),
        ("", ()), ("circle", ()),
    ],
)  # fmt: skip
def test_a_part_of_a_name_takes_all_that_match(lab: Lab, words: str, taken: tuple[int, ...]) -> None:
    assert [one.name for one in matching_cases(lab, words)] == [NAMES[number] for number in taken]


def test_where_none_matches_near_names_are_told_and_else_all(lab: Lab) -> None:
    assert no_such_case([lab], "sqare").endswith(f"Do you mean: {NAMES[1]}; {NAMES[2]}?")
    assert no_such_case([lab], "xyz").endswith(f"Its tests: {'; '.join(NAMES)}")


@pytest.mark.parametrize("changed", ["", "main.cu", "k.cuh", "new.cuh"])
def test_a_lab_is_not_begun_while_none_of_its_files_is_changed(tmp_path: Path, changed: str) -> None:
    for half in ("assignments", "solutions"):
        (tmp_path / half).mkdir()
        for name in ("main.cu", "k.cuh"):
            (tmp_path / half / name).write_text("int a;\n")
    if changed:
        (tmp_path / "assignments" / changed).write_text("int b;\n")
    several = SPEC.model_copy(update={"file": "main.cu", "files": ("main.cu", "k.cuh", "*.cuh"), "contract": "program"})
    lab = Lab("07-several", several, None, tmp_path / "assignments", tmp_path / "solutions")
    judged = unjudged(lab.id, Verdict.COMPILE_ERROR, "it was judged")
    tried = Practice(tmp_path, [lab], lambda *_args, **_words: judged).attempt(lab)
    assert tried.untouched is (changed == "")
