"""What `lab.toml` says of a problem that is described there, and not in C++: sizes, what is given, what must come out, and in which files
they stand. Plain data; grader/run/described_cases.py makes cases of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from grader.model.formula import Equation, FormulaError, names_in, read_equation, read_formula


class Strict(BaseModel):
    """A table of a lab's files: a key that is not known is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)


# As CUDA writes them, and as the kit names them.
TYPES = {
    "half": "f16", "__half": "f16", "__nv_bfloat16": "bf16", "float": "f32", "double": "f64", "signed char": "i8", "char": "i8",
    "short": "i16", "int": "i32", "long": "i64", "long long": "i64", "unsigned char": "u8", "bool": "u8", "unsigned short": "u16",
    "unsigned": "u32", "unsigned int": "u32", "size_t": "u64", "unsigned long": "u64", "unsigned long long": "u64",
}  # fmt: skip
FLOATING = frozenset({"f16", "bf16", "f32", "f64"})
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,30}")
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}")
_PLACE = re.compile(r"\{(\w*)\}")
_MOST_SIDES = 4
_MOST_PARTS = 8  # of a path


class OperandSpec(Strict):
    """What a submission is given. Without `shape` it is one number."""

    name: str
    type: str = "float"
    shape: tuple[str, ...] = ()
    # random: numbers with many digits, none of them twice. whole: small whole numbers. Two numbers: whole ones from the first to the last.
    values: Literal["random", "whole", "zeros"] | tuple[int, int] | None = None
    pitch: str = ""  # how many elements after one another rows begin, where that is more than a row has; what lies between holds anything
    file: str = ""  # of a program: "data/{set}/input0.raw"
    # text: numbers with blanks between them. binary: as they lie in memory. ppm: P6, for bytes of the shape [rows, columns, 3].
    format: Literal["text", "binary", "ppm"] = "text"
    header: tuple[str, ...] = ()  # numbers before the others: ["rows", "columns"] of sizes, as libwb has them
    header_type: str = "int"  # of a binary file's

    @property
    def kit_type(self) -> str:
        return TYPES[self.type]

    @property
    def is_floating(self) -> bool:
        return self.kit_type in FLOATING

    def wrong(self, sizes: tuple[str, ...]) -> Iterator[str]:
        if not _NAME.fullmatch(self.name):
            yield f"{self.name!r} cannot be a name"
        if self.type not in TYPES or self.header_type not in TYPES:
            yield f"{self.name} has the type {self.type!r}; there are {', '.join(TYPES)}"
        if len(self.shape) > _MOST_SIDES:
            yield f"{self.name} has {len(self.shape)} sides; at most {_MOST_SIDES} are read"
        if self.format == "ppm" and (TYPES.get(self.type) != "u8" or self.shape[2:] != ("3",)):
            yield f'{self.name}: a ppm holds "unsigned char" of the shape [rows, columns, "3"]'
        for text in (*self.shape, *self.header, *([self.pitch] if self.pitch else [])):
            if unknown := names_in(read_formula(text)) - set(sizes):
                yield f"{self.name}: {text!r} says {min(unknown)}, which is no size of the problem"
        parts = PurePosixPath(self.file).parts if self.file else ()
        plain = [_PLACE.sub("x", part) for part in parts]
        if self.file and (
            len(parts) > _MOST_PARTS or not all(map(_PART.fullmatch, plain)) or "/".join(parts) != self.file
        ):
            yield f"{self.name}: {self.file!r} is no path below the program's folder"


class ResultSpec(OperandSpec):
    """What must come out. Without `formula`, data sets say it. A program's without `file` stands on its standard output."""

    formula: str = ""  # "C[i, j] = sum(k < K, A[i, k] * B[k, j])"
    before: Literal["", "random", "zeros"] = ""  # what it holds before; empty: nothing
    relative: float = Field(default=0, ge=0)  # what an element may differ by, besides what rounding explains
    absolute: float = Field(default=0, ge=0)
    rounds: str = ""  # the type that sums may be kept in; empty: the result's
    expected: str = ""  # the file's name in a data set, where that is another one: "output.raw"
    behind: str = ""  # on standard output: the words behind which the numbers stand; empty: nothing else stands there

    def equation(self) -> Equation | None:
        return read_equation(self.formula) if self.formula else None

    def wrong(self, sizes: tuple[str, ...]) -> Iterator[str]:
        yield from super().wrong(sizes)
        if not self.shape:
            yield f'{self.name} needs a shape: one number is ["1"]'
        if self.rounds and TYPES.get(self.rounds) not in FLOATING:
            yield f"{self.name}: rounds = {self.rounds!r} is no floating type"
        if (equation := self.equation()) and equation.name != self.name:
            yield f"{self.name} has a formula of {equation.name}"
        if self.behind and self.file:
            yield f"{self.name}: `behind` is for standard output, and this result stands in {self.file}"


class ProblemSpec(Strict):
    """[problem]: sizes, `input` and `result` in any order of the kernel's parameters."""

    sizes: tuple[str, ...] = ()
    input: tuple[OperandSpec, ...] = ()
    result: tuple[ResultSpec, ...] = Field(min_length=1)

    @property
    def operands(self) -> tuple[OperandSpec, ...]:
        return (*self.input, *self.result)

    @property
    def names(self) -> set[str]:
        return {*self.sizes, *(one.name for one in self.operands)}

    @model_validator(mode="after")
    def makes_sense(self) -> Self:
        names = [*self.sizes, *(one.name for one in self.operands)]
        wrong = [f"{name!r} is there twice" for name in names if names.count(name) > 1]
        wrong += [f"{name!r} cannot be a size's name" for name in self.sizes if not _NAME.fullmatch(name)]
        try:
            for one in self.operands:
                wrong += one.wrong(self.sizes)
            for result in self.result:
                result.equation()
        except FormulaError as error:
            wrong.append(str(error))
        if wrong:
            raise ValueError(f"[problem]: {wrong[0]}")
        return self

    def untimed(self) -> Iterator[str]:
        """Why it cannot be timed: inputs are made on the GPU, and outputs compared with the formula."""
        for one in self.operands:
            if one.shape and (one.type != "float" or one.values not in {None, "random"}):
                yield f"{one.name} is timed only as random numbers of type float"
        for result in self.result:
            if not result.formula or result.before == "zeros":
                yield f'{result.name} is timed only with a formula, and without before = "zeros"'

    def wrong_for_a_program(self, arguments: tuple[str, ...]) -> Iterator[str]:
        """`arguments`: of its command line, with {N} for a size or a number, {A} for the file of A and {set} for the data set."""
        known = {"set", *self.names}
        for text in (*arguments, *(one.file for one in self.operands)):
            if unknown := set(_PLACE.findall(text)) - known:
                yield f"{text!r} says {{{min(unknown)}}}; known are {', '.join(sorted(known))}"
        for one in self.input:
            if one.shape and not one.file:
                yield f"{one.name} needs a `file`: a program reads it"
        if sum(not one.file for one in self.result) > 1:
            yield "only one result can stand on standard output: the others need a `file`"
        files = [one.file for one in self.operands if one.file]
        if twice := {one for one in files if files.count(one) > 1}:
            yield f"two operands stand in {min(twice)}"


def filled(text: str, words: dict[str, str]) -> str:
    """With {N} and {set} replaced."""
    return _PLACE.sub(lambda found: words.get(found[1], found[0]), text)
