"""Writes how well the order of the predicted speeds agrees with the measured one, into docs/evidence.md.

`.venv/bin/python docs/speed_order_table.py` prints the section. With `--write` it replaces the section between the two markers of
evidence.md; a test fails where it is not current. It reads what tests/benchmarks/speed_order.py timed and order_counts.py counted.
"""

# ruff: noqa: INP001 -- a script, in no package
from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "benchmarks"))
import speed_predictions as told
from marked_section import MarkedSection

if TYPE_CHECKING:
    from grader.run.scoring.predicted_time import Facts

SECTION = MarkedSection(
    Path(__file__).resolve().parent / "evidence.md",
    "<!-- predicted: begin (docs/speed_order_table.py) -->",
    "<!-- predicted: end -->",
)
SIZES = (1024, 2048)
_NEAR = (0.8, 1.25)  # predicted by measured time: within a quarter


def section() -> str:
    return "\n".join(_orders())


def _orders() -> Iterator[str]:
    timed = json.loads(told.MEASURED.read_text(encoding="utf-8"))
    yield f"Timed on {timed['date']}, {timed['device']}, {timed['toolkit']}: medians of {timed['rounds']} rounds."
    yield ""
    yield "| kernels | size | pairs in the right order | Kendall's τ | with estimated registers | within a quarter of the time |"
    yield "|---|--:|--:|--:|--:|--:|"
    facts, estimated = told.all_facts(), told.all_facts(compiled=False)
    for words, is_rung in (("the ladder, which the model was fitted to", True), ("the others", False)):
        for size in SIZES:
            measured = {
                name: ms for name, ms in told.measured_ms(told.MEASURED, size).items() if (name in _rungs()) == is_rung
            }
            right, pairs, tau = _order(measured, facts, size)
            right_by_estimate, _, _ = _order(measured, estimated, size)
            near = sum(
                1
                for name, ms in measured.items()
                if _NEAR[0] < 1e3 * told.prediction(facts[name], size).seconds / ms < _NEAR[1]
            )
            yield (
                f"| {words}, {len(measured)} | {size}³ | {right} of {pairs} ({100 * right / pairs:.0f} %) | {tau:.2f} | "
                f"{100 * right_by_estimate / pairs:.0f} % | {near} |"
            )


def _order(measured: Mapping[str, float], facts: Mapping[str, Facts], size: int) -> tuple[int, int, float]:
    return told.order(list(measured.values()), [told.prediction(facts[name], size).seconds for name in measured])


def _rungs() -> set[str]:
    return set(told.measured_ms(told.LADDER, SIZES[-1]))


if __name__ == "__main__":
    SECTION.main(section)
