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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grader.model.described_problem import OperandSpec, ProblemSpec, ResultSpec
from grader.model.formula import Buffer, Computed, Scope, computed, number_of
from grader.model.labs import Lab
from grader.run.described_cases import Draw, ProblemRun
from grader.run.judge_call import clock_factor, run_reporter

PLANNED = "planned.json"  # of a launcher: how the broker runs it
_DEVICE_BYTES = 64 << 30  # that the broker can lay out: pages that nobody touches cost nothing
_SECONDS = 60  # on the wall, for host code
_STEPS = 3_000_000  # of formulas, for one round: some seconds
_MOST_PLACES = 20_000
_ROUNDINGS = 4  # of fp32: the root mean square of errors may be so much of what is added up. Products rounded to TF32 give 30 and more
_EXACT = 1 << 24  # whole numbers below it, and their sums, have no rounding in fp32
_SHOWN = 5


class NoPlanError(Exception):
    """What a launcher does cannot be timed. The text says why."""


@dataclass(frozen=True)
class TimedProblem:
    """A problem at one size. `numbers`: its scalars, drawn once for all contestants."""

    problem: ProblemSpec
    sizes: Mapping[str, int]
    numbers: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, lab: Lab, shape: str) -> TimedProblem:
        problem = lab.public.described
        assert problem is not None
        sizes = dict(zip(problem.sizes, map(int, shape.split("x")), strict=True))
        run = ProblemRun(problem, Draw(secrets.token_bytes(32)), shape, None, sizes)
        numbers = {one.name: run.numbers(one, 1)[0] for one in problem.input if not one.shape}
        return cls(problem, sizes, numbers)

    @property
    def shape(self) -> str:
        return " ".join(f"{name}={size}" for name, size in self.sizes.items())

    @property
    def buffers(self) -> list[OperandSpec]:
        return [one for one in self.problem.operands if one.shape]

    def layout(self, one: OperandSpec) -> tuple[int, int, int]:
        """Rows, columns, and elements from one row to the next."""
        sides = self.sides(one)
        pitch = number_of(one.pitch, self.sizes) if one.pitch else sides[-1]
        return math.prod(sides[:-1]), sides[-1], pitch

    def sides(self, one: OperandSpec) -> tuple[int, ...]:
        return tuple(number_of(text, self.sizes) for text in one.shape)

    def write(self, file: Path) -> Path:
        """What launch-problem reads."""
        described = []
        for one in self.buffers:
            rows, columns, pitch = self.layout(one)
            described.append({"name": one.name, "role": _role(one), "rows": rows, "columns": columns, "pitch": pitch})
        file.write_text(json.dumps({"shape": self.shape, "buffers": described}), encoding="utf-8")
        return file

    def plan(self, folder: Path, lab: Lab, file: Path) -> Path:
        """What the launcher in `folder` asks of the device, written to `file`. Raises NoPlanError."""
        planned = json.loads((folder / PLANNED).read_text(encoding="utf-8"))
        if "refusal" in planned:
            raise NoPlanError(planned["refusal"])
        description, known = planned["description"], {one.name: one for one in self.buffers}
        description["plan"], description["limits"]["memory_bytes"] = str(file), _DEVICE_BYTES
        description["operands"] = [
            {
                "name": name,
                "kind": _role(spec),
                "memory": "device",
                "bytes": 4 * self.layout(spec)[0] * self.layout(spec)[2],
            }
            if (spec := known.get(name))
            else {"name": name, "kind": "scalar", "value": {**self.sizes, **self.numbers}[name]}
            for name in lab.public.host_parameters or [*self.sizes, *(one.name for one in self.problem.operands)]
        ]
        program = file.with_suffix(".program.json")
        program.write_text(json.dumps(description), encoding="utf-8")
        command = [planned["broker"], "--program", str(program)]
        seconds = 2 * _SECONDS * clock_factor()
        record = json.loads(run_reporter("the broker", command, file.with_suffix(".record.json"), seconds))
        why = "" if file.is_file() else f"its host code does not come back at this size ({record['ended']})"
        why = why or json.loads(file.read_text(encoding="utf-8"))["refusal"]
        if why:
            raise NoPlanError(f"a launcher is timed by what it asks of the GPU alone, but {why}")
        return file

    def compared(self, written: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Of the timer's report: what is wrong in these rounds, and some elements. Raises FormulaError."""
        report: dict[str, Any] = {"faults": [], "elements": [], "relative_error": None}
        for one in written:
            fault, elements, error = self._round(Path(one["file"]), whole=one["whole"])
            if error is not None:
                report["relative_error"] = max(error, report["relative_error"] or 0)
            report["elements"] = report["elements"] or elements
            if fault:
                return {**report, "faults": [{"round": one["round"], "fault": fault}], "elements": elements}
        return report

    def _round(self, file: Path, *, whole: bool) -> tuple[str, list[dict[str, float]], float | None]:
        parts = self._parts(array("f", file.read_bytes()))
        buffers = {one.name: Buffer(self.sides(one), next(parts)) for one in self.buffers if _role(one) != "output"}
        fault, shown, errors, values = "", list[dict[str, float]](), 0.0, 0.0
        for spec in self.problem.result:
            numbers, sides, equation = next(parts), self.sides(spec), spec.equation()
            assert equation is not None
            scope = Scope({**self.sizes, **self.numbers}, buffers)
            places = _places(
                Scope(scope.sizes, buffers, dict(zip(equation.indices, sides, strict=True))).steps(equation.value),
                sides,
            )
            right = computed(equation, sides, scope, [_indices(place, sides) for place in places])
            got = [numbers[place] for place in places]
            fault = fault or _wrong(spec, places, right, got, whole=whole)
            errors += sum((a - b) ** 2 for a, b in zip(got, right.values, strict=True))
            values += sum(one * one for one in right.values)
            pairs = list(zip(places, right.values, got, strict=True))[:_SHOWN]
            shown = shown or [
                {"row": place // sides[-1], "column": place % sides[-1], "expected": value, "actual": actual,
                 "relative_error": abs(actual - value) / abs(value or 1)}
                for place, value, actual in pairs
            ]  # fmt: skip
        return fault, shown, None if whole or not values else math.sqrt(errors / values)

    def _parts(self, held: array[float]) -> Iterator[array[float]]:
        """What the buffers held before, but for outputs; then what results held: rows without what lies between them."""
        results = [one for one in self.buffers if _role(one) != "input"]
        for one in (*(one for one in self.buffers if _role(one) != "output"), *results):
            rows, columns, pitch = self.layout(one)
            part, held = held[: rows * pitch], held[rows * pitch :]
            yield (
                part if pitch == columns else array("f", (part[at] for at in range(len(part)) if at % pitch < columns))
            )


def _role(one: OperandSpec) -> str:
    return "input" if not isinstance(one, ResultSpec) else "inout" if one.before else "output"


def _places(steps: int, sides: Sequence[int]) -> list[int]:
    total = math.prod(sides)
    return secrets.SystemRandom().sample(range(total), min(total, _MOST_PLACES, max(1, _STEPS // max(steps, 1))))


def _indices(place: int, sides: Sequence[int]) -> tuple[int, ...]:
    return tuple(place // math.prod(sides[axis + 1 :]) % side for axis, side in enumerate(sides))


def _wrong(spec: ResultSpec, places: Sequence[int], right: Computed, got: Sequence[float], *, whole: bool) -> str:
    sizes = right.magnitudes
    is_exact = whole and sizes is not None and max(sizes) < _EXACT and all(one == int(one) for one in right.values)
    bounds = None if is_exact else ProblemRun.bounds(spec, right.values, sizes, right.roundings)
    for at, (value, actual) in enumerate(zip(right.values, got, strict=True)):
        if not abs(actual - value) <= (bounds[at] if bounds else 0):
            return f"element {places[at]} of {spec.name} is {actual:.9g}, and {value:.9g} is right"
    if whole or sizes is None or spec.relative or spec.absolute or spec.rounds:
        return ""
    far = (
        math.sqrt(sum((a - b) ** 2 for a, b in zip(got, right.values, strict=True)) / sum(one * one for one in sizes))
        * 2**24
    )
    return (
        f"{spec.name} is {far:.1f} roundings of fp32 away from what is right; at most {_ROUNDINGS} are allowed"
        if far > _ROUNDINGS
        else ""
    )
