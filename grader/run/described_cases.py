"""Makes the cases of a lab whose problem stands in lab.toml: draws sizes and numbers, reads data sets, computes what must come out.

It writes a description and one file with all numbers, and judge-described (kit/judge/programs/described_cases.cpp) runs the cases as any
other lab's. What it draws follows from the judge's key; nobody who knows some of it can tell the rest.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from grader.model.course_root import judge_key
from grader.model.described_problem import FLOATING, TYPES, OperandSpec, ProblemSpec, ResultSpec, filled
from grader.model.formula import Buffer, FormulaError, Scope, computed, names_in, number_of, read_formula
from grader.model.labs import CaseSpec, Lab, LabError

_CODES = {
    "f16": "e", "f32": "f", "f64": "d", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q",
}  # fmt: skip
_FRACTION = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}  # bits
_DIGITS = {"f16": 5, "bf16": 5, "f32": 9, "f64": 17}  # with which a text gives the same bits again
_LARGEST_WHOLE = 9
_MOST_ELEMENTS = 4_000_000  # of one buffer
_MOST_DATA = 64 << 20  # bytes of one file of a data set
_TELLING = 1 << 20  # so many numbers to choose from: then none is there twice by chance
_MOST_MADE = 4
_MADE: dict[str, tuple[list[dict[str, Any]], bytes]] = {}  # a class hands in many files for few labs
_USUAL = {"u8": (0, 255), "i8": (-99, 99)}


class Draw:
    """Numbers that follow from a key. SHAKE gives as many bytes as are asked for."""

    def __init__(self, key: bytes) -> None:
        self.key, self.used = key, 0

    def words(self, count: int) -> array[int]:
        self.used += 1
        text = hashlib.shake_256(self.key + self.used.to_bytes(4, "little")).digest(8 * count)
        return array("Q", text)

    def between(self, first: int, last: int) -> int:
        return first + self.words(1)[0] % (last - first + 1)


@dataclass(frozen=True)
class Given:
    """The numbers of one operand. `bounds`: of a result; None: exact."""

    spec: OperandSpec
    sides: tuple[int, ...]
    numbers: Sequence[float]  # of a result: what must come out
    bounds: Sequence[float] | None = None
    before: Sequence[float] | None = None  # of a result

    @property
    def rows(self) -> int:
        return math.prod(self.sides[:-1])

    @property
    def columns(self) -> int:
        return self.sides[-1] if self.sides else 1


@dataclass
class CaseWriter:
    """Makes a lab's cases, and the numbers that they name. `seed`: the course's."""

    lab: Lab
    seed: int
    numbers: bytearray = field(default_factory=bytearray)

    def cases(self) -> list[dict[str, Any]]:
        """Raises LabError."""
        return [self._case(case) for case in self.lab.cases]

    def _case(self, case: CaseSpec) -> dict[str, Any]:
        tag = "[public]" if case in self.lab.public.case else "[hidden]"
        try:
            return {"name": case.name, "tag": tag, "trials": list(self._trials(case))}
        except (FormulaError, OSError, struct.error, OverflowError) as error:
            raise LabError(f"{self.lab.id}: case {case.name!r} cannot work: {error}") from error

    def _trials(self, case: CaseSpec) -> Iterator[dict[str, Any]]:
        problem = self.lab.public.described
        assert problem is not None
        has_formulas = all(one.formula for one in problem.result)
        key = judge_key(self.seed, self.lab.id) + case.name.encode()
        folder = _folder_of(self.lab, case)
        for number, name in enumerate(case.data):
            run = ProblemRun(problem, Draw(key + b"/data/" + str(number).encode()), name, folder / name)
            given = run.read()
            again = ProblemRun(problem, run.draw, name, None, run.sizes)
            is_program = self.lab.public.contract == "program"
            yield self._trial(run, given, again.drawn() if has_formulas and not is_program else None)
            if has_formulas and is_program:  # numbers that no file holds, to see who computes
                yield self._trial(again, again.drawn(), again.drawn())
        for number, asked in enumerate(case.sizes):
            draw = Draw(key + b"/sizes/" + str(number).encode())
            sizes = {size: one if isinstance(one := asked[size], int) else draw.between(*one) for size in problem.sizes}
            run = ProblemRun(problem, draw, f"data/{number}", None, sizes)
            yield self._trial(run, run.drawn(), run.drawn())

    def _trial(self, run: ProblemRun, given: Sequence[Given], other: Sequence[Given] | None) -> dict[str, Any]:
        inputs = "the numbers of " + run.name if run.folder else "random numbers"
        trial: dict[str, Any] = {"shape": run.shape, "inputs": inputs}
        if self.lab.public.contract != "program":
            trial["operands"] = self._operands(run, given)
            trial["launch_arguments"] = list(run.sizes.values())
            if other:
                trial["altered"] = {**trial, "operands": self._operands(run, other)}
            return trial
        words = {"set": run.name, **{name: str(value) for name, value in run.sizes.items()}}
        words |= {one.spec.name: f"{one.numbers[0]:.9g}" for one in given if not one.spec.shape}
        words |= {one.spec.name: filled(one.spec.file, words) for one in given if one.spec.file}
        trial["arguments"] = [filled(one, words) for one in self.lab.public.arguments]
        trial["files"] = [self._file(run, one, words) for one in _inputs(given)]
        trial["results"] = [self._result(run, one, words) for one in _results(given)]
        folders = {name.rpartition("/")[0] for name in (one["name"] for one in trial["results"]) if "/" in name}
        there = [{"name": f"{one}/", "content": [0, 0], "type": "u8", "numbers": [0, 0]} for one in sorted(folders)]
        trial["files"] += there
        if other and all(map(_is_telling, _inputs(given))):
            files = [*(self._file(run, one, words) for one in _inputs(other)), *there]
            trial["altered"] = {"files": files, "expected": [self._expected(one) for one in _results(other)]}
        return trial

    def _kept(self, numbers: Sequence[float]) -> list[int]:
        """Where they are in the file of all numbers."""
        place = len(self.numbers)
        self.numbers += array("d", numbers).tobytes()
        return [place, len(numbers)]

    def _kept_bytes(self, content: bytes) -> list[int]:
        place = len(self.numbers)
        self.numbers += content
        return [place, len(content)]

    def _expected(self, one: Given) -> dict[str, Any]:
        bounds = {} if one.bounds is None else {"bounds": self._kept(one.bounds)}
        return {"rows": one.rows, "columns": one.columns, "values": self._kept(one.numbers), **bounds}

    def _operands(self, run: ProblemRun, given: Sequence[Given]) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = [
            {"name": name, "kind": "scalar", "type": "i64", "number": value} for name, value in run.sizes.items()
        ]
        for one in map(run.padded, given):
            operand: dict[str, Any] = {"name": one.spec.name, "type": one.spec.kit_type, "columns": one.columns}
            if isinstance(one.spec, ResultSpec):
                operand |= {"kind": "inout" if one.before is not None else "output", "expected": self._expected(one)}
                operand |= {} if one.before is None else {"values": self._kept(one.before)}
            elif one.spec.shape:
                operand |= {"kind": "input", "values": self._kept(one.numbers)}
            else:
                operand |= {"kind": "scalar", "number": one.numbers[0]}
            listed.append(operand)
        return listed

    def _file(self, run: ProblemRun, one: Given, words: dict[str, str]) -> dict[str, Any]:
        name, content = filled(one.spec.file, words), self._kept_bytes(_content(one, run.header(one.spec)))
        return {"name": name, "content": content, "type": one.spec.kit_type, "numbers": self._kept(one.numbers)}

    def _result(self, run: ProblemRun, one: Given, words: dict[str, str]) -> dict[str, Any]:
        spec = one.spec
        assert isinstance(spec, ResultSpec)
        said = {"format", "header"} & spec.model_fields_set
        return {
            "name": filled(spec.file, words), "type": spec.kit_type, "expected": self._expected(one), "behind": spec.behind,
            "form": ("binary" if spec.format == "ppm" else spec.format) if said and spec.file else "either",
            "header": run.header(spec), "header_of": {"type": TYPES[spec.header_type]},
        }  # fmt: skip


def write_cases(lab: Lab, seed: int, folder: Path) -> Path:
    """The description of the lab's cases. Raises LabError, which is the lab's author's to mend."""
    key = f"{seed} {_asked(lab)}"
    if (made := _MADE.get(key)) is None:
        writer = CaseWriter(lab, seed)
        made = _MADE[key] = writer.cases(), bytes(writer.numbers)
        for old in list(_MADE)[:-_MOST_MADE]:
            _MADE.pop(old, None)
    file, beside = folder / "cases.json", folder / "cases.numbers"
    beside.write_bytes(made[1])
    file.write_text(json.dumps({"numbers": str(beside), "cases": made[0]}), encoding="utf-8")
    return file


def _asked(lab: Lab) -> str:
    """As long as a lab asks for the same, its cases are the same."""
    halves = [(folder, names) for one in lab.cases for folder, names in [(_folder_of(lab, one), one.data)]]
    data = [path for folder, names in halves for name in names for path in sorted((folder / name).glob("*"))]
    about = [(str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in data]
    runs = [(case.name, case.sizes, case.data) for case in lab.cases]
    return repr((lab.id, lab.public.problem, lab.public.contract, lab.public.arguments, runs, about))


def _folder_of(lab: Lab, case: CaseSpec) -> Path:
    folder = lab.public_dir if case in lab.public.case else lab.private_dir
    assert folder is not None
    return folder


def _inputs(given: Sequence[Given]) -> list[Given]:
    """Those that are files of a program."""
    return [one for one in given if one.spec.shape and not isinstance(one.spec, ResultSpec)]


def _results(given: Sequence[Given]) -> list[Given]:
    return [one for one in given if isinstance(one.spec, ResultSpec)]


def _is_telling(one: Given) -> bool:
    """Whether each number is known by its bits: see ProgramTrial::altered."""
    values = one.spec.values
    wide = isinstance(values, tuple) and values[1] - values[0] >= _TELLING
    random = values == "random" or (values is None and one.spec.is_floating)
    return wide or (random and one.spec.kit_type in {"f32", "f64"})


@dataclass
class ProblemRun:
    """One run of a case: its sizes, and its numbers. `folder`: where its data set lies; None: they are drawn."""

    problem: ProblemSpec
    draw: Draw
    name: str  # of the data set, as programs see it
    folder: Path | None
    sizes: dict[str, int] = field(default_factory=dict)
    most: int = _MOST_ELEMENTS  # elements of a buffer
    _used: set[float] = field(default_factory=set)  # of all files: none is there twice

    @property
    def shape(self) -> str:
        return " ".join(f"{name}={size}" for name, size in self.sizes.items()) or self.name

    def header(self, spec: OperandSpec) -> list[int]:
        return [number_of(text, self.sizes) for text in spec.header]

    def sides(self, spec: OperandSpec) -> tuple[int, ...]:
        sides = tuple(number_of(text, self.sizes) for text in spec.shape)
        if min(sides, default=1) < 1 or math.prod(sides) > self.most:
            raise FormulaError(
                f"{spec.name} would have {' x '.join(map(str, sides))} elements; 1 to {self.most:,} are made"
            )
        return sides

    def drawn(self) -> list[Given]:
        given = [self._drawn(one) for one in self.problem.input]
        return given + [self._right(one, given) for one in self.problem.result]

    def _drawn(self, spec: OperandSpec) -> Given:
        sides = self.sides(spec)
        return Given(spec, sides, self.numbers(spec, math.prod(sides)))

    def numbers(self, spec: OperandSpec, count: int) -> list[float]:
        values = spec.values or ("random" if spec.is_floating else _USUAL.get(spec.kit_type, (0, 99)))
        if values == "zeros":
            return [0.0] * count
        if values == "whole":
            values = (-_LARGEST_WHOLE, _LARGEST_WHOLE)
        if isinstance(values, tuple):
            first, last = values
            if last - first < _TELLING:
                return [float(first + word % (last - first + 1)) for word in self.draw.words(count)]
            return self._without_repeats(count, lambda word: float(first + word % (last - first + 1)))
        bits = _FRACTION[spec.kit_type]
        half = 1 << (bits - 1)

        def fraction(word: int) -> float:
            """From 1/2 to 1, of either sign, with as many digits as the type has."""
            size = (half + word % half) / (2 * half)
            return -size if word >> 63 else size

        if spec.kit_type in {"f16", "bf16"}:
            return [fraction(word) for word in self.draw.words(count)]
        return self._without_repeats(count, fraction)

    def _without_repeats(self, count: int, number: Callable[[int], float]) -> list[float]:
        found: list[float] = []
        while len(found) < count:
            for word in self.draw.words(count - len(found)):
                if (one := number(word)) not in self._used:
                    self._used.add(one)
                    found.append(one)
        return found

    def _right(self, spec: ResultSpec, given: Sequence[Given]) -> Given:
        """What the formula says. Sums may be kept in the result's type, in any order."""
        equation, sides = spec.equation(), self.sides(spec)
        assert equation is not None
        numbers = {one.spec.name: one.numbers[0] for one in given if not one.spec.shape}
        buffers = {one.spec.name: Buffer(one.sides, one.numbers) for one in given if one.spec.shape}
        before = None
        if spec.before:
            before = self.numbers(spec, math.prod(sides)) if spec.before == "random" else [0.0] * math.prod(sides)
            buffers[spec.name] = Buffer(sides, before)
        right = computed(equation, sides, Scope({**self.sizes, **numbers}, buffers))
        values = [float(one) for one in right.values]
        return Given(spec, sides, values, self.bounds(spec, values, right.magnitudes, right.roundings), before)

    @staticmethod
    def bounds(
        spec: ResultSpec, values: Sequence[float], magnitudes: Sequence[float] | None, roundings: int
    ) -> list[float] | None:
        """None: exact. The classical bound for sums and products in any order: so many roundings of all that is added up."""
        if not spec.is_floating:
            return [spec.absolute] * len(values) if spec.absolute else None
        if magnitudes is None and not (spec.relative or spec.absolute):
            raise FormulaError(
                f"how exact {spec.name} can be does not follow from its formula: say `relative` or `absolute`"
            )
        kit_type = TYPES[spec.rounds] if spec.rounds else spec.kit_type
        one_rounding = (roundings + 2) * 2.0 ** -_FRACTION[kit_type] * (2 if kit_type == "f64" else 1)
        of_sums = magnitudes or [0.0] * len(values)
        return [
            one_rounding * size + spec.relative * abs(value) + spec.absolute
            for value, size in zip(values, of_sums, strict=True)
        ]

    def padded(self, one: Given) -> Given:
        """As it lies in memory where rows are longer than what is in them."""
        if not one.spec.pitch:
            return one
        pitch = number_of(one.spec.pitch, self.sizes)
        if pitch < one.columns:
            raise FormulaError(f"{one.spec.name}: a pitch of {pitch} is less than the {one.columns} elements of a row")

        def rows(numbers: Sequence[float], filler: float) -> list[float]:
            gap, width = [filler] * (pitch - one.columns), one.columns
            return [value for row in range(one.rows) for value in [*numbers[row * width : (row + 1) * width], *gap]]

        sides = (*one.sides[:-1], pitch)
        gap = math.nan if one.spec.is_floating else 77.0
        if not isinstance(one.spec, ResultSpec):
            return replace(one, sides=sides, numbers=rows(one.numbers, gap))
        bounds = rows(one.bounds or [0.0] * len(one.numbers), math.inf)
        before = None if one.before is None else rows(one.before, gap)
        return replace(one, sides=sides, numbers=rows(one.numbers, 0.0), bounds=bounds, before=before)

    # --- A data set: files as another course has them.

    def read(self) -> list[Given]:
        """Its files, with the sizes that follow from them. Raises FormulaError or OSError."""
        given = [self._read(one) if one.shape else self._drawn(one) for one in self.problem.input]
        for spec in self.problem.result:
            there = self._read(spec) if (self._path(spec)).is_file() else None
            if there is None and not spec.formula:
                raise FormulaError(
                    f"there is no {self._path(spec).name} in {self.name}, and {spec.name} has no formula"
                )
            right = self._right(spec, given) if spec.formula else None
            if right and there:
                self._must_agree(spec, right, there)
            if right is None:
                assert there is not None
                right = self._as_written(spec, there)
            given.append(right)
        return given

    def _path(self, spec: OperandSpec) -> Path:
        assert self.folder is not None
        own = spec.expected if isinstance(spec, ResultSpec) else ""
        return self.folder / (own or PurePosixPath(spec.file).name or f"{spec.name}.txt")

    def _read(self, spec: OperandSpec) -> Given:
        path = self._path(spec)
        with path.open("rb") as file:
            content = file.read(_MOST_DATA + 1)
        if len(content) > _MOST_DATA:
            raise FormulaError(f"{path.name} has more than {_MOST_DATA >> 20} MiB")
        numbers, half_units = _numbers_of(spec, content, path.name)
        header, numbers = numbers[: len(spec.header)], numbers[len(spec.header) :]
        if len(header) < len(spec.header) or not all(math.isfinite(one) and one == int(one) for one in header):
            raise FormulaError(f"{path.name} does not begin with {' '.join(spec.header)}")
        for text, number in zip(spec.header, header, strict=True):
            self._learn(text, int(number), path.name)
        unknown = [text for text in spec.shape if names_in(read_formula(text)) - set(self.sizes)]
        if len(unknown) == 1 and unknown[0] in self.problem.sizes:
            known = math.prod(number_of(text, self.sizes) for text in spec.shape if text not in unknown)
            self._learn(unknown[0], len(numbers) // known, path.name)
        elif unknown:
            raise FormulaError(
                f"how large {spec.name} is follows from none of the files before {path.name}: {', '.join(unknown)}"
            )
        sides = self.sides(spec)
        if isinstance(spec, ResultSpec) and numbers[: len(sides)] == list(sides) and len(numbers) > math.prod(sides):
            numbers, half_units = numbers[len(sides) :], half_units[len(sides) :]  # a result may have them or not
        if len(numbers) != math.prod(sides):
            raise FormulaError(f"{path.name} has {len(numbers)} numbers; {' x '.join(map(str, sides))} belong there")
        return Given(spec, sides, numbers, half_units[len(spec.header) :])

    def _learn(self, text: str, number: int, where: str) -> None:
        if text in self.problem.sizes and text not in self.sizes:
            self.sizes[text] = number
        elif number_of(text, self.sizes) != number:
            raise FormulaError(f"{where} says {text} = {number}, and it is {number_of(text, self.sizes)}")

    def _must_agree(self, spec: ResultSpec, right: Given, there: Given) -> None:
        bounds, printed = right.bounds or [0.0] * len(right.numbers), there.bounds or []
        for place, (value, other) in enumerate(zip(right.numbers, there.numbers, strict=True)):
            if abs(value - other) > bounds[place] + printed[place] + spec.relative * abs(value):
                where = f"{self._path(spec).name} of {self.name} has {other:g} as element {place} of {spec.name}"
                raise FormulaError(f"{where}, and the formula gives {value:g}")

    def _as_written(self, spec: ResultSpec, there: Given) -> Given:
        """Without a formula nobody knows how far sums were rounded, unless all numbers are whole."""
        whole = all(value == int(value) for value in there.numbers if math.isfinite(value))
        if not all(map(math.isfinite, there.numbers)):
            raise FormulaError(f"{self._path(spec).name} of {self.name} holds numbers that are not finite")
        if spec.is_floating and not (whole or spec.relative or spec.absolute):
            raise FormulaError(
                f"how exact {spec.name} has to be is not said: give it a formula, or `relative` or `absolute`"
            )
        printed = there.bounds or [0.0] * len(there.numbers)
        if not spec.is_floating or (whole and not spec.relative and not spec.absolute):
            return replace(there, bounds=None)
        bounds = [
            spec.relative * abs(one) + spec.absolute + half for one, half in zip(there.numbers, printed, strict=True)
        ]
        return replace(there, bounds=bounds)


def _content(one: Given, header: Sequence[int]) -> bytes:
    """The bytes of a program's file."""
    spec = one.spec
    if spec.format == "ppm":
        return f"P6\n{one.sides[1]} {one.sides[0]}\n255\n".encode() + bytes(map(int, one.numbers))
    if spec.format == "binary":
        return _packed(TYPES[spec.header_type], header) + _packed(spec.kit_type, one.numbers)
    form = f".{_DIGITS.get(spec.kit_type, 20)}g"
    words = [format(number, form) if number != int(number) else str(int(number)) for number in one.numbers]
    width = one.columns
    lines = [" ".join(map(str, header))] if header else []
    lines += [" ".join(words[at : at + width]) for at in range(0, len(words), width)]
    return ("\n".join(lines) + "\n").encode()


def _packed(kit_type: str, numbers: Sequence[float]) -> bytes:
    if kit_type not in _CODES:
        raise FormulaError(f"no files with {kit_type} are made")
    whole = kit_type not in FLOATING
    return struct.pack(f"<{len(numbers)}{_CODES[kit_type]}", *(map(int, numbers) if whole else numbers))


def _numbers_of(spec: OperandSpec, content: bytes, name: str) -> tuple[list[float], list[float]]:
    """With the header's, and half a unit of the last digit of each."""
    if spec.format == "ppm":
        fields = content.split(maxsplit=4)
        start = len(content) - len(fields[4]) if len(fields) == 5 else 0  # noqa: PLR2004 -- P6, width, height, most, bytes
        if fields[0] != b"P6" or not start:
            raise FormulaError(f"{name} is no P6 image")
        return [float(one) for one in content[start:]], [0.0] * (len(content) - start)
    if spec.format == "binary":
        sizes = [(TYPES[spec.header_type], len(spec.header)), (spec.kit_type, -1)]
        numbers: list[float] = []
        for kit_type, count in sizes:
            code = f"<{_CODES.get(kit_type, 'x')}"
            end = len(content) if count < 0 else struct.calcsize(code) * count
            if end % struct.calcsize(code) or len(content) < end:
                raise FormulaError(f"{name} holds no whole number of {spec.type}")
            numbers += [float(one) for (one,) in struct.iter_unpack(code, content[:end])]
            content = content[end:]
        return numbers, [0.0] * len(numbers)
    words = content.split()
    try:
        return [float(one) for one in words], [_half_unit(one.decode("ascii")) for one in words]
    except ValueError as error:
        raise FormulaError(f"{name} holds more than numbers: {error}") from error


def _half_unit(word: str) -> float:
    digits, _, power = word.lower().partition("e")
    decimals = len(digits.partition(".")[2])
    return 0.0 if "." not in word and not power else 0.5 * 10.0 ** (int(power or 0) - decimals)


def check_described(lab: Lab) -> Iterator[str]:
    """Why the lab's cases cannot be made; nothing where they can, also with the least and the largest sizes that may be drawn."""
    try:
        for one in (lab, _at_the_end(lab, 0), _at_the_end(lab, 1)):
            CaseWriter(one, 0).cases()
    except LabError as error:
        yield str(error)


def _at_the_end(lab: Lab, end: int) -> Lab:
    """The cases whose sizes are drawn, with the first or the last of each."""

    def fixed(cases: Sequence[CaseSpec]) -> tuple[CaseSpec, ...]:
        drawn = (
            (case, [one for one in case.sizes if not all(isinstance(size, int) for size in one.values())])
            for case in cases
        )
        return tuple(
            case.model_copy(
                update={
                    "data": (),
                    "sizes": tuple(
                        {name: one if isinstance(one, int) else one[end] for name, one in each.items()}
                        for each in sizes
                    ),
                }
            )
            for case, sizes in drawn
            if sizes
        )

    public = lab.public.model_copy(update={"case": fixed(lab.public.case)})
    private = lab.private and lab.private.model_copy(update={"case": fixed(lab.private.case)})
    return replace(lab, public=public, private=private)
