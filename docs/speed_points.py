"""What a lab gives points for speed for, in plain words, from the lab's own files: its tiers, measured and counted.

`.venv/bin/python docs/speed_points.py LAB` prints it. A lab's write-up holds it as a passage made by this command: `make check` fails when
it is not current, `.venv/bin/tilelab check-course --remake` brings it up to date. Thresholds are told to students; hidden tests are not.
"""

# ruff: noqa: INP001, T201 -- a script, in no package; it prints
from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from grader.model.labs import CounterSpec, Lab, load_lab
from grader.run.scoring.metrics import meanings, metric_words

ROOT = Path(__file__).resolve().parent.parent
_OF = {"model": "of the course's own kernel's", "library": "of cuBLAS's"}
_WIDTH = 128
_UNIT = re.compile(r'\.work_unit = "([^"]+)"')


def passage(lab: Lab, root: Path = ROOT) -> str:
    """Markdown. Empty where the lab gives no points for speed."""
    if lab.private is None or not lab.private.performance_points:
        return ""
    parts = [*_measured(lab), *(_counted(lab, lab.counters, root) if lab.counters else ())]
    return "\n".join(parts).rstrip("\n")


def _measured(lab: Lab) -> Iterator[str]:
    assert lab.private is not None
    if not lab.private.tier or lab.public.performance is None:
        return
    shape = " × ".join(lab.public.performance.shape.split("x"))  # noqa: RUF001 -- the sign for times
    yield f"Measured on a GPU, at {shape}. All kernels are timed in the same rounds:"
    yield ""
    yield "| points | your kernel's speed is at least |"
    yield "|--:|---|"
    for tier in sorted(lab.private.tier, key=lambda one: one.part):
        by_time = f"the speed of {tier.milliseconds:g} ms on the {tier.gpu}"
        asked = by_time if tier.of == "time" else f"{100 * tier.share:.4g} % {_OF[tier.of]}"
        yield f"| {_points(lab, tier.part)} | {asked} |"
    yield ""


def _counted(lab: Lab, spec: CounterSpec, root: Path) -> Iterator[str]:
    unit = unit_of_work(lab, root)
    where = f"what the last launch of the test `{spec.case}` asks of memory, for each {unit}"
    yield from textwrap.wrap(f"Counted, if no GPU measures it: {where}.", _WIDTH)
    yield ""
    yield "| points | at most |"
    yield "|--:|---|"
    for tier in sorted(spec.tier, key=lambda one: one.part):
        bounds = [f"{bound:g} {metric_words(name)}" for name, bound in tier.at_most.items()]
        yield f"| {_points(lab, tier.part)} | {', '.join(bounds)} |"
    yield ""
    before = {one: _meanings(load_lab(root, one)) for one in sorted(_needed(lab, root))}
    told = {meaning: one for one, each in reversed(before.items()) for meaning in each}  # the first lab that says it
    wanted = _meanings(lab)
    said = [spec.versus, *(one for one in wanted if one not in told)]
    if earlier := sorted({told[one] for one in wanted if one in told}):
        what = "What is counted" if len(said) == 1 else "What else is counted"
        said.append(f"{what} is explained in lab {' and '.join(f'`{one}`' for one in earlier)}.")
    if spec.also:
        said.append(
            f"A hidden test counts other sizes. There, no number may be more than {spec.slack:g} times as large as its bound."
        )
    said.append(f"No thread may store more than {spec.most_elements_of_a_thread} elements of the result.")
    yield from textwrap.wrap(" ".join(said), _WIDTH)


def _needed(lab: Lab, root: Path) -> set[str]:
    """The labs that come before this one."""
    return set(lab.public.needs).union(*(_needed(load_lab(root, one), root) for one in lab.public.needs))


def _meanings(lab: Lab) -> list[str]:
    return meanings([name for tier in lab.counters.tier for name in tier.at_most]) if lab.counters else []


def _points(lab: Lab, part: float) -> str:
    assert lab.private is not None
    worth = round(part * lab.private.performance_points, 6)
    return f"{worth:g}" if part <= 1 else f"{worth:g} (beyond full marks)"


def unit_of_work(lab: Lab, root: Path) -> str:
    """As the problem itself names it."""
    text = (root / "kit" / "problems" / f"{lab.public.problem_name}.cpp").read_text(encoding="utf-8")
    found = _UNIT.search(text)
    if found is None:
        message = f"{lab.public.problem_name}: its .cpp names no work_unit"
        raise ValueError(message)
    return found[1]


if __name__ == "__main__":
    print(passage(load_lab(ROOT, sys.argv[1])))
