"""A notebook as an upload: which cell is a lab's file, and what is no notebook."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from upload_files import NAIVE, TILED, put, take_one

from grader.source.student_code import notebook_source

KERNEL = "__global__ void k() {}"


def notebook(*cells: str | list[str], kind: str = "code") -> bytes:
    return json.dumps({"cells": [{"cell_type": kind, "source": one} for one in cells]}).encode()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (notebook("!nvcc", f"%%cu\n{KERNEL}"), f"\n{KERNEL}\n"),
        (notebook(["%%cuda --name x.cu\n", KERNEL]), f"\n{KERNEL}\n"),
        (notebook(f"%%writefile src/a.cu\n{KERNEL}", "%%cu\n__global__ void other() {}"), f"\n{KERNEL}\n"),
        (notebook("%%writefile a.cu\n// one", f"%%writefile -a a.cu\n{KERNEL}"), f"\n// one\n{KERNEL}\n"),
        (notebook("%%writefile a.cu\n// old", f"%%writefile a.cu\n{KERNEL}"), f"\n{KERNEL}\n"),
    ],
)
def test_a_cell_is_the_file(data: bytes, text: str) -> None:
    assert (notebook_source(data, "a.cu") or b"").decode() == text


@pytest.mark.parametrize(
    "data",
    [
        b"", b"[]", b"{}", b'{"cells": 1}', b'{"cells": [1]}', b'{"cells": [{"cell_type": "code", "source": [1]}]}', b"[" * 100_000,
        b'{"cells": 1e999999}', notebook(f"%%cu\n{KERNEL}", kind="markdown"),
        notebook("%%writefile b.cu\n"), notebook("%%cu\nint main() {}"),
        notebook(*["x"] * 100_000),
    ],
)  # fmt: skip
def test_what_holds_no_such_cell_is_no_file(data: bytes) -> None:
    assert notebook_source(data, "a.cu") is None


def test_a_student_hands_in_a_notebook(tmp_path: Path) -> None:
    put(tmp_path / "in" / "ada" / "Lab 1.ipynb", notebook("# notes", f"%%writefile {NAIVE}\n{KERNEL}"))
    ada = take_one(tmp_path / "in", tmp_path)
    assert {name: path.read_text(encoding="utf-8") for name, path in ada.sources.items()} == {NAIVE: f"\n{KERNEL}\n"}
    assert TILED not in ada.sources
    assert any("from the cells of 'Lab 1.ipynb'" in one for attempt in ada.attempts for one in attempt.notices)


def test_a_file_beside_the_notebook_counts(tmp_path: Path) -> None:
    put(tmp_path / "in" / "ada" / "Lab 1.ipynb", notebook(f"%%writefile {NAIVE}\n// from the notebook"))
    put(tmp_path / "in" / "ada" / NAIVE)
    assert b"notebook" not in take_one(tmp_path / "in", tmp_path).sources[NAIVE].read_bytes()
