"""Runs GPUVerify's CUDA tests, from a clone of it, under `tilelab check`, and prints what was right, missed, false and unsupported.

    python tests/suites/gpuverify_suite.py CLONE/testsuite/CUDA [--only PART] [--json FILE] [--jobs 2]

GPUVerify proves for every argument and every thread. A run sees one launch, so `gpuverify.toml` says with which arguments a
mistake shows, and which of GPUVerify's answers are about its proof and not about CUDA. The tests themselves are not part of
this repository.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from suite_case import SuiteCase
from suite_table import print_table

# GPUVerify's annotations say something to its prover. Those about the run itself are asserted.
_ANNOTATIONS = (
    "assert_return assume ensures function_wide_candidate_invariant function_wide_invariant global_ensures global_requires"
    " requires requires_fresh_array"
)
_PRELUDE = (
    *(f"#define __{name}(...) ((void)0)" for name in _ANNOTATIONS.split()),
    "#define __invariant(...) 0",
    "#define __global_invariant(...) 0",
    "#define __no_read(...) 1",
    "#define __no_write(...) 1",
    "#define __other_int(...) (-1)",
    "#define __assert(condition) do { if (!(condition)) __trap(); } while (0)",
    "#define __axiom(...)",
    "#define __implies(condition, then) (!(condition) || (then))",
)
_LIBRARIES = {"cooperative_groups": "#include <cooperative_groups.h>", "curand": "#include <curand_kernel.h>"}
_MOST_THREADS = 1024
_EXTENT = re.compile(r"--(blockDim|gridDim)=(\[[^\]]*\]|\d+)")


def cases(folder: Path, settings: Mapping[str, Any], only: str) -> Iterator[SuiteCase]:
    for file in sorted(folder.rglob("*.cu")):
        name = str(file.relative_to(folder).parent if file.name == "kernel.cu" else file.relative_to(folder))
        if only in name and not settings.get(name, {}).get("no_kernel"):
            yield _case(name, file, settings.get(name, {}))


def _case(name: str, file: Path, settings: Mapping[str, Any]) -> SuiteCase:
    text = file.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n")
    expected, options = text.split("\n")[:2]
    extents = {match[1]: match[2].strip("[]") for match in _EXTENT.finditer(options)}
    defines = [f"#define {one.replace('=', ' ', 1)}" for one in re.findall(r"-D(\S+)", options)]
    wanted = [library for word, library in _LIBRARIES.items() if word in text]
    prelude = "\n".join([*defines, *wanted, *_PRELUDE, *settings.get("prelude", [])])
    block = extents.get("blockDim", "64")
    lines = ['#include "annotations.h"', *text.split("\n")[1:], settings.get("ending", ""), ""]
    return SuiteCase(
        name=name,
        text="\n".join(lines),
        headers={"annotations.h": prelude + "\n"},
        kernel=settings.get("kernel"),
        grid=settings.get("grid", extents.get("gridDim", "1")),
        block=settings.get("block", str(min(int(block), _MOST_THREADS)) if block.isdigit() else block),
        faulty=settings.get("faulty", "xfail" in expected.lower()),
        arguments=settings.get("options"),
        note=settings.get("why", ""),
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    chosen = parser.parse_args()
    settings = tomllib.loads((Path(__file__).parent / "gpuverify.toml").read_text(encoding="utf-8"))
    return print_table(cases(chosen.folder, settings, chosen.only), chosen.json, chosen.jobs)


if __name__ == "__main__":
    sys.exit(main())
