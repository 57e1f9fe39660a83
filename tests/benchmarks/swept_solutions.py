"""Part of `make bench`: a page with the speed of the course's own kernels by size on this machine's GPU. Without a GPU, it says why.
`--short` measures one lab at one size.
"""

# ruff: noqa: T201 - printing is what it is for

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from grader.cli.doctor import calibrate_labs
from grader.engines.backend import backend_choice
from grader.engines.toolset import Toolset
from grader.model.errors import RemediableError

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "build" / "reports" / "sweep.html"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true")
    short: bool = parser.parse_args().short
    try:
        toolset = Toolset.open(ROOT, allow_no_sandbox=True, backend=backend_choice())
        if not toolset.gpu.runs:
            print(f"\nSize sweep of the solutions: NOT MADE, no GPU can be used here: {'; '.join(toolset.gpu.reasons)}")
            return 0
        print(f"\nSize sweep of the solutions, into {PAGE.relative_to(ROOT)} (some minutes):")
        return calibrate_labs(["02-tiled"] if short else [], sweep=not short, out=PAGE)
    except RemediableError as error:
        print(f"Size sweep of the solutions: NOT MADE: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
