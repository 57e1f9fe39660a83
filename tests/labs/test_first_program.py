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


# A program, how its run ends, and whether its connection to the grader is told as the cause.
ENDINGS = {
    "closed": (
        "close(3); cudaFree(nullptr);",
        "crash",
        "The program ended with status 125. Its CUDA functions end it so where",
        True,
    ),
    "overwritten": (
        'if (write(3, "nonsense", 8) != 8) return 1;',
        "rejected",
        "The program broke its connection",
        True,
    ),
    "imitated": ('std::puts("a file descriptor"); return 125;', "crash", "The program ended with status 125.", False),
}


@pytest.mark.parametrize(("body", "verdict", "said", "lost"), ENDINGS.values(), ids=ENDINGS)
def test_a_connection_that_the_program_broke_is_told(
    body: str,
    verdict: str,
    said: str,
    lost: bool,
    grade: Callable[[str, Path], LabResult],
    tmp_path: Path,
) -> None:
    source = tmp_path / "vector_add.cu"
    head = "#include <unistd.h>\n#include <cstdio>\n__global__ void add() {}\n"
    source.write_text(f"{head}int main() {{ cudaFree(nullptr); {body} }}\n", encoding="utf-8")
    result = grade("00-first-program", source)
    assert (result.verdict.value, result.points) == (verdict, 0)
    assert said in result.cases[0].message
    assert lost == ("file descriptor" in result.cases[0].message)
    assert lost == any("only files that it has opened itself" in (one.advice or "") for one in result.findings)
