"""Runs a suite's cases, some at a time, and prints a line for each that is not right, then the counts."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from suite_case import Outcome, SuiteCase, SuiteResult, run


def print_table(cases: Iterable[SuiteCase], file: Path | None, jobs: int) -> int:
    """Returns 0 if nothing was missed, no alarm was false and the command never failed."""
    with ThreadPoolExecutor(jobs) as pool:
        results = [_shown(result) for result in pool.map(run, cases)]
    counts = Counter(result.outcome for result in results)
    sys.stdout.write(f"{len(results)} cases: " + ", ".join(f"{counts[one]} {one}" for one in Outcome) + "\n")
    if file:
        rows = [[one.case.name, one.outcome, one.verdict, one.said, one.case.note] for one in results]
        file.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 1 if counts[Outcome.MISSED] + counts[Outcome.FALSE] + counts[Outcome.FAILED] else 0


def _shown(result: SuiteResult) -> SuiteResult:
    if result.outcome is not Outcome.RIGHT:
        sys.stdout.write(f"{result.outcome:12} {result.case.name}: {result.verdict}: {result.said}\n")
        sys.stdout.flush()
    return result
