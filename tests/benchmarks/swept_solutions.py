"""Part of `make bench`: the course's own kernels over sizes on this machine's GPU, as a page. Without a GPU it says so, and why."""

# ruff: noqa: T201 - printing is what it is for

from __future__ import annotations

import sys
from pathlib import Path

from grader.backend import wish
from grader.calibration_session import calibrate_labs
from grader.errors import RemediableError
from grader.workshop import Workshop

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "build" / "reports" / "sweep.html"


def main() -> int:
    try:
        workshop = Workshop.open(ROOT, allow_no_sandbox=True, backend=wish())
        if not workshop.gpu.runs:
            print(
                f"\nSize sweep of the solutions: NOT MADE, no GPU can be used here: {'; '.join(workshop.gpu.reasons)}"
            )
            return 0
        print(f"\nSize sweep of the solutions, into {PAGE.relative_to(ROOT)} (some minutes):")
        return calibrate_labs([], sweep=True, out=PAGE)
    except RemediableError as error:
        print(f"Size sweep of the solutions: NOT MADE: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
