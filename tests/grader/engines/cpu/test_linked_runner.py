"""What the image says of a linked runner: jumps are looked for wherever the author may have written them, subscripts where compilers count
them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.engines.cpu_build import build_for_cpu
from grader.engines.entry_points import EntrySignatures
from grader.engines.runner_image import subscripts
from grader.engines.toolset import Toolset

FILE = "sum.cu"
ENTRIES = EntrySignatures("sum", by_name=True)
SUM = "float of_two(const float* in, int n) {\n%s  {\n    float sum;\n  behind:\n    sum += in[0];\n    return sum;\n  }\n}\n"
PLAIN = SUM.replace("  behind:\n", "") % ""
JUMP = "  if (n > 0) goto behind;\n"
KERNEL = "__global__ void sum(const float* in, float* out, int n) { out[0] = of_two(in, n); }\n"
INCLUDED = '#include "own.cuh"\n'


def has_unset_locals(
    toolset: Toolset, folder: Path, text: str, header: str = "", definitions: tuple[str, ...] = ()
) -> bool:
    """Whether locals of some function get a pattern when it begins."""
    work, source = folder / "work", folder / FILE
    work.mkdir()
    (work / "own.cuh").write_text(header, encoding="utf-8")
    source.write_text(text, encoding="utf-8")
    build = build_for_cpu(toolset.toolchain, toolset.confinement, source, work, ENTRIES, definitions=definitions)
    assert build.image is not None, build.refusals
    return any(frame["unset"] for frame in json.loads(build.image.read_text(encoding="utf-8"))["frames"])


@pytest.mark.parametrize(
    ("text", "header", "definitions"),
    [
        (f"__device__ {SUM % JUMP}{KERNEL}", "", ()),
        (f"{INCLUDED}{KERNEL}", f"__device__ {SUM % JUMP}", ()),
        (f"{INCLUDED}__device__ {SUM % '  LEAP'}{KERNEL}", "#define LEAP if (n > 0) goto behind;\n", ()),
        (f"__device__ {SUM % '  LEAP'}{KERNEL}", "", ("LEAP=if (n > 0) goto behind;",)),
    ],
    ids=["file", "header", "macro of a header", "macro of the command line"],
)
def test_a_jump_over_a_declaration_is_found(
    text: str, header: str, definitions: tuple[str, ...], toolset: Toolset, tmp_path: Path
) -> None:
    assert has_unset_locals(toolset, tmp_path, text, header, definitions)


def test_without_a_jump_the_compilers_pattern_is_enough(toolset: Toolset, tmp_path: Path) -> None:
    assert not has_unset_locals(toolset, tmp_path, f"{INCLUDED}{KERNEL}", f"__device__ {PLAIN}")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("  sum += As[ty][k] * Bs[k][tx];", [(10, "As", [15, 18]), (22, "Bs", [26, 30])]),
        ("x = outer[inner[i] + 1][j];", [(11, "inner", [18]), (5, "outer", [23, 26])]),
        ("\tx  = a [i] [j];", [(7, "a", [11, 15])]),
        ("é = a[i];", [(6, "a", [9])]),
        ("(p)[i] = a] + 3[p] + [&]{}();", []),
        ("a[i\n][0] = 0;", []),
    ],
)
def test_subscripts_stand_where_compilers_count_them(line: str, expected: list[tuple[int, str, list[int]]]) -> None:
    text = f'# 1 "other.cuh"\nint other[3];\n# 7 "{FILE}"\n{line}\n'
    assert subscripts(text, FILE) == [(7, *one) for one in expected]
