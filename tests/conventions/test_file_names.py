"""File names are enough to find the way: a name is one noun and unique in the tree, and the file's opening comment says what it is."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
_VAGUE = re.compile(r"(^|[_-])(utils?|common|helpers?|misc|manager|stuff|base|core|lib)([_-]|$)", re.IGNORECASE)
# One of each per folder, by the contract or by their tool; and CUDA's own header names, which include cuda_runtime.h.
_PER_FOLDER = {"__init__.py", "conftest.py", "CMakeLists.txt", "Makefile", "README.md", "Dockerfile"}
_PER_LAB = {"lab.toml", "grading.toml", "public_tests.cpp", "hidden_tests.cpp"}
_SOURCE = {".py", ".hpp", ".cpp", ".cuh", ".cu", ".h", ".sh"}


def tracked() -> list[PurePosixPath]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    paths = [PurePosixPath(name) for name in listed.split("\0") if name]
    return [path for path in paths if (ROOT / path).is_file() and not is_data(path)]


def is_data(path: PurePosixPath) -> bool:
    """Whether the file is data: submissions, kernels in a lab's folder, samples and golden files. These are named by what they show."""
    parts = path.parts
    return (
        parts[:2] in {("tests", "class"), ("tests", "exploits")}
        or parts[:3] == ("tests", "labs", "accepted")
        or (parts[:2] == ("tests", "other_courses") and parts[2] in {"assignments", "solutions"})
        or "rejects" in parts
        or "golden" in parts
        or "samples" in parts
        or parts[0] in {"assignments", "solutions"}
        or any(part.startswith(".") for part in parts)
    )


def test_no_two_source_files_share_a_name() -> None:
    names = [path for path in tracked() if path.name not in _PER_FOLDER | _PER_LAB and path.suffix in _SOURCE]
    assert len(names) > 50
    stems = Counter(path.name for path in names if not is_named_by_cuda(path))
    assert sorted(name for name, count in stems.items() if count > 1) == []


def is_named_by_cuda(path: PurePosixPath) -> bool:
    """Whether the file has the name of a header of CUDA or of its samples, because it stands in for it."""
    return path.suffix in {".h", ".cuh"} and ("device" in path.parts or path.parts[:3] == ("kit", "host", "headers"))


def test_no_two_kernels_of_ours_share_a_name() -> None:
    """Wherever they lie: a name in a failure's message says which kernel it is. Students' files have the names that the labs ask for."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "*.cu", "*.cuh"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    kernels = [PurePosixPath(name) for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]
    asked_for = {path.name for path in kernels if path.parts[0] == "assignments"}
    names = Counter(path.name for path in kernels if path.name not in asked_for and path.parts[0] != "kit")
    names.update(path.name for path in kernels if "canaries" in path.parts)
    assert len(names) > 50
    assert sorted(name for name, count in names.items() if count > 1) == []


def test_no_file_or_folder_has_a_vague_name() -> None:
    ours = [path for path in tracked() if not is_named_by_cuda(path)]
    vague = [str(path) for path in ours if any(_VAGUE.search(PurePosixPath(part).stem) for part in path.parts)]
    assert vague == []


def opens_with_a_comment(path: PurePosixPath) -> bool:
    text = re.sub(r"\A#!.*\n", "", (ROOT / path).read_text(encoding="utf-8")).lstrip()
    return not text or text.startswith(('"""', 'r"""', "// ", "# ")) or explained_by_header(path)


def explained_by_header(path: PurePosixPath) -> bool:
    """Whether the file is a .cpp beside a header of the same name, whose opening comment is enough."""
    return path.suffix == ".cpp" and (ROOT / path.with_suffix(".hpp")).is_file()


def test_every_source_file_opens_by_saying_what_it_is() -> None:
    sources = [path for path in tracked() if path.suffix in _SOURCE]
    assert sources
    assert [str(path) for path in sources if not opens_with_a_comment(path)] == []


def test_nothing_names_a_place_on_one_persons_machine() -> None:
    private = re.compile(r"(?<![\w.])/(?:home|Users|root)/\w+")
    texts = {
        path: (ROOT / path).read_bytes().decode("utf-8", "replace") for path in tracked() if path.suffix in _SOURCE
    }
    assert [str(path) for path, text in texts.items() if private.search(text)] == []
