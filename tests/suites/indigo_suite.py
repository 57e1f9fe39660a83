"""Runs kernels of the Indigo suite under `tilelab check`: irregular codes on a graph, right ones and ones with a planted mistake.

    python tests/suites/indigo_suite.py FOLDER [--every 10] [--only PART] [--json FILE] [--jobs 2]

FOLDER is what the suite's own generate_CUDA_codes.py wrote. A file's name says what was planted: atomicBug, boundsBug, guardBug,
raceBug, syncBug. The graph has vertices that all others meet, and
some that meet none, so that a planted mistake has a chance to show in one run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from suite_case import SuiteCase
from suite_table import print_table

VERTICES = 40  # no multiple of a warp, so that threads remain without a vertex
_DECLARATION = "test_kernel(int* nindex, int* nlist, data_t* data1, data_t* data2, int numv);"


def _graph() -> tuple[list[int], list[int]]:
    """A ring whose vertices also meet its first and its last one, between two vertices that meet nobody: where each vertex's
    neighbours begin, and the neighbours.
    """
    ring = VERTICES - 2
    hubs = [ring, 1]
    neighbours = [
        [one for one in dict.fromkeys([*hubs, v % ring + 1, (v - 2) % ring + 1]) if one != v]
        for v in range(1, ring + 1)
    ]
    begins = [0]
    for row in [[], *neighbours, []]:
        begins.append(begins[-1] + len(row))
    return begins, [one for row in neighbours for one in row]


def _listed(numbers: Sequence[int]) -> str:
    return f"int[{len(numbers)}]={{{','.join(map(str, numbers))}}}"


def cases(folder: Path, every: int, only: str) -> Iterator[SuiteCase]:
    begins, neighbours = _graph()
    size = max(VERTICES, len(neighbours))
    data = [0, *((7 * v + 3) % v for v in range(1, VERTICES))] + [0] * (
        size - VERTICES
    )  # smaller than v: a path goes down to 0
    arguments = [
        _listed(begins),
        _listed(neighbours),
        _listed(data),
        _listed([0, *range(101, 100 + size)]),
        f"int={VERTICES}",
    ]
    options = [word for one in arguments for word in ("--arg", one)]
    files = sorted(folder.rglob("*.cu"))[::every]
    for file in files:
        if only not in file.stem:
            continue
        text = file.read_text(encoding="utf-8").replace('#include "indigo_cuda.h"', f"__global__ void {_DECLARATION}")
        by_block, by_warp = "_block" in file.stem, "_warp" in file.stem
        yield SuiteCase(
            name=file.stem,
            text=text,
            kernel="test_kernel",
            grid=str(VERTICES + 2 if by_block else VERTICES // 2 + 1 if by_warp else 2),
            block="64",
            faulty="Bug" in file.stem,
            arguments=options,
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    chosen = parser.parse_args()
    return print_table(cases(chosen.folder, chosen.every, chosen.only), chosen.json, chosen.jobs)


if __name__ == "__main__":
    sys.exit(main())
