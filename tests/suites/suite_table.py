"""Runs a suite's cases one after the other and prints a line for each that is not right, then the counts."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from suite_case import Outcome, SuiteCase, run


def print_table(cases: Iterable[SuiteCase], file: Path | None) -> int:
    """Returns 0 if nothing was missed, no alarm was false and the command never failed."""
    results = []
    for case in cases:
        result = run(case)
        results.append(result)
        if result.outcome is not Outcome.RIGHT:
            sys.stdout.write(f"{result.outcome:12} {case.name}: {result.verdict}: {result.said}\n")
            sys.stdout.flush()
    counts = Counter(result.outcome for result in results)
    sys.stdout.write(f"{len(results)} cases: " + ", ".join(f"{counts[one]} {one}" for one in Outcome) + "\n")
    if file:
        rows = [[one.case.name, one.outcome, one.verdict, one.said, one.case.note] for one in results]
        file.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 1 if counts[Outcome.MISSED] + counts[Outcome.FALSE] + counts[Outcome.FAILED] else 0
