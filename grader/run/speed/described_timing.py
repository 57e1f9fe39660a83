"""A launcher that is timed, of a problem that stands in lab.toml: what it asks of the GPU at some size, and whether its results are right.

Its host code runs here alone, without a GPU, a kernel or an input: the broker writes down what it asks for, and the timer does that again
and again (kit/gpu/replay.hpp). Results are compared at places that nobody knows before, with what the formula says of the round's inputs.
"""

from __future__ import annotations

import json
import math
import secrets
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.model.described_problem import OperandSpec, ResultSpec
from grader.model.formula import Buffer, Computed, Scope, computed, number_of
from grader.model.labs import Lab
from grader.run.described_cases import Draw, ProblemRun
from grader.run.judge_call import clock_factor, run_reporter
from grader.run.program_judging import StartedProgram

_MOST_ELEMENTS = 1 << 30  # of a buffer
_DEVICE_BYTES = 64 << 30  # that the broker can lay out: pages that nobody touches cost nothing
_SECONDS = 120  # for the broker, which ends host code before
_STEPS, _MOST_PLACES = (
    3_000_000,
    20_000,
)  # of formulas for one round, which are some seconds; of results that are looked at
_ROUNDINGS = 4  # of fp32: the root mean square of errors may be so much of what is added up. Products rounded to TF32 give 30 and more
_EXACT = 1 << 24  # whole numbers below it, and their sums, have no rounding in fp32
_SHOWN = 5


@dataclass(frozen=True)
class TimedProblem:
    """A problem at one size. `numbers`: its scalars, the same for all who are timed."""

    run: ProblemRun
    numbers: Mapping[str, float]

    @classmethod
    def of(cls, lab: Lab, shape: str) -> TimedProblem:
        problem = lab.public.described
        assert problem is not None
        sizes = dict(zip(problem.sizes, map(int, shape.split("x")), strict=True))
        run = ProblemRun(problem, Draw(f"{lab.id} {shape}".encode()), shape, None, sizes, _MOST_ELEMENTS)
        return cls(run, {one.name: run.numbers(one, 1)[0] for one in problem.input if not one.shape})

    @property
    def buffers(self) -> list[OperandSpec]:
        return [one for one in self.run.problem.operands if one.shape]

    def layout(self, one: OperandSpec) -> dict[str, Any]:
        """`columns`: of a row; `pitch`: elements from one row to the next."""
        sides, role = self.run.sides(one), "inout" if isinstance(one, ResultSpec) and one.before else "output"
        pitch = number_of(one.pitch, self.run.sizes) if one.pitch else sides[-1]
        role = role if isinstance(one, ResultSpec) else "input"
        return {"name": one.name, "role": role, "rows": math.prod(sides[:-1]), "columns": sides[-1], "pitch": pitch}

    def write(self, file: Path) -> Path:
        """What launch-problem reads."""
        described = {"shape": self.run.shape, "buffers": [self.layout(one) for one in self.buffers]}
        file.write_text(json.dumps(described), encoding="utf-8")
        return file

    def plan(self, lab: Lab, program: StartedProgram, file: Path) -> None:
        """Writes what the launcher asks of the device, or {"refusal": why that is not all}. Raises RuntimeError."""
        said, sizes = json.loads(program.file.read_text(encoding="utf-8")), {**self.run.sizes, **self.numbers}
        description, known = said["description"], {one.name: self.layout(one) for one in self.buffers}
        description["plan"], description["limits"]["memory_bytes"] = str(file), _DEVICE_BYTES
        description["operands"] = [
            {"name": name, "kind": one["role"], "memory": "device", "bytes": 4 * one["rows"] * one["pitch"]}
            if (one := known.get(name))
            else {"name": name, "kind": "scalar", "value": sizes[name]}
            for name in lab.public.host_parameters or dict.fromkeys([*sizes, *known])
        ]
        asked, record = file.with_suffix(".program"), file.with_suffix(".record")
        file.unlink(missing_ok=True)
        asked.write_text(json.dumps(description), encoding="utf-8")
        command = [said["broker"], "--program", str(asked)]
        ended = json.loads(run_reporter("the broker", command, record, _SECONDS * clock_factor()))["ended"]
        if not file.is_file():
            why = f"the launcher's host code does not come back at this size ({ended})"
            file.write_text(json.dumps({"refusal": why}), encoding="utf-8")

    def compared(self, written: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Of the timer's report: what is wrong in these rounds, and some elements. Raises FormulaError."""
        report: dict[str, Any] = {"faults": [], "elements": [], "relative_error": None}
        for one in written:
            fault, elements, error = self._round(array("f", Path(one["file"]).read_bytes()), whole=one["whole"])
            if error is not None:
                report["relative_error"] = max(error, report["relative_error"] or 0)
            report["elements"] = report["elements"] or elements
            if fault:
                return {**report, "faults": [{"round": one["round"], "fault": fault}], "elements": elements}
        return report

    def _round(self, held: array[float], *, whole: bool) -> tuple[str, list[dict[str, float]], float | None]:
        parts, fault, shown, errors, values = self._parts(held), "", list[dict[str, float]](), 0.0, 0.0
        before = [one for one in self.buffers if self.layout(one)["role"] != "output"]
        buffers = {one.name: Buffer(self.run.sides(one), next(parts)) for one in before}
        scope = Scope({**self.run.sizes, **self.numbers}, buffers)
        for spec in self.run.problem.result:
            numbers, sides, equation = next(parts), self.run.sides(spec), spec.equation()
            assert equation is not None
            steps = Scope(scope.sizes, buffers, dict(zip(equation.indices, sides, strict=True))).steps(equation.value)
            most = min(len(numbers), _MOST_PLACES, max(1, _STEPS // max(steps, 1)))
            places = secrets.SystemRandom().sample(range(len(numbers)), most)
            at = [
                tuple(place // math.prod(sides[axis + 1 :]) % side for axis, side in enumerate(sides))
                for place in places
            ]
            right = computed(equation, sides, scope, at)
            got = [numbers[place] for place in places]
            if not math.isfinite(sum(numbers)):
                place = next(place for place, one in enumerate(numbers) if not math.isfinite(one))
                fault = fault or f"element {place} of {spec.name} was not written, or is no number"
            fault = fault or _wrong(spec, places, right, got, whole=whole)
            errors += sum((a - b) ** 2 for a, b in zip(got, right.values, strict=True))
            values += sum(one * one for one in right.values)
            shown = shown or [
                {"row": place // sides[-1], "column": place % sides[-1], "expected": value, "actual": actual,
                 "relative_error": abs(actual - value) / abs(value or 1)}
                for place, value, actual in list(zip(places, right.values, got, strict=True))[:_SHOWN]
                if math.isfinite(actual)
            ]  # fmt: skip
        return fault, shown, None if whole or not values or not math.isfinite(errors) else math.sqrt(errors / values)

    def _parts(self, held: array[float]) -> Iterator[array[float]]:
        """What buffers held before, but for outputs; then what results held: rows without what lies between them."""
        layouts, first = [self.layout(one) for one in self.buffers], 0
        for without in ("output", "input"):
            for one in (one for one in layouts if one["role"] != without):
                last, pitch, columns = first + one["rows"] * one["pitch"], one["pitch"], one["columns"]
                part, first = held[first:last], last
                yield (
                    part if pitch == columns else array("f", (part[i] for i in range(len(part)) if i % pitch < columns))
                )


def _wrong(spec: ResultSpec, places: Sequence[int], right: Computed, got: Sequence[float], *, whole: bool) -> str:
    sizes = right.magnitudes
    is_exact = whole and sizes is not None and max(sizes) < _EXACT and all(one == int(one) for one in right.values)
    bounds = None if is_exact else ProblemRun.bounds(spec, right.values, sizes, right.roundings)
    for at, (value, actual) in enumerate(zip(right.values, got, strict=True)):
        if not abs(actual - value) <= (bounds[at] if bounds else 0):
            return f"element {places[at]} of {spec.name} is {actual:.9g}, and {value:.9g} is right"
    if whole or sizes is None or spec.relative or spec.absolute or spec.rounds:
        return ""
    errors = sum((a - b) ** 2 for a, b in zip(got, right.values, strict=True))
    far = math.sqrt(errors / sum(one * one for one in sizes)) * _EXACT
    said = f"{spec.name} is {far:.1f} roundings of fp32 away from what is right; at most {_ROUNDINGS} are allowed"
    return said if far > _ROUNDINGS else ""
