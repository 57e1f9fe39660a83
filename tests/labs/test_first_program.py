"""Programs for 00-first-program that never work: none of them is told to have noticed that memory was too little."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.model.result import LabResult

TOLD = "says so if the GPU has too little memory"
PROGRAMS = {
    "gives up at once": "int main() { return 1; }",
    "ends by abort": "#include <cstdlib>\nint main() { std::abort(); }",
    "ends with the status of a signal": "#include <cstdlib>\nint main() { std::exit(137); }",
    "asks for too much": "int main() {\n  float* all = nullptr;\n  return cudaMalloc(&all, size_t{1} << 46) == cudaSuccess ? 0 : 1;\n}",
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_who_always_gives_up_has_told_nothing(
    program: str, grade: Callable[[str, Path], LabResult], tmp_path: Path
) -> None:
    source = tmp_path / "vector_add.cu"
    source.write_text(f"// Adds nothing.\n__global__ void add() {{}}\n{program}\n", encoding="utf-8")
    result = grade("00-first-program", source)
    told = [case for case in result.cases if TOLD in case.name]
    assert told
    assert [case.points for case in told] == [0] * len(told)
    assert result.points == 0
