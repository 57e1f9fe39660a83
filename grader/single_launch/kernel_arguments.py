"""The arguments that `tilelab check` passes to a kernel: reads `float[4096]=random` and `int=64`, and compares them with the kernel's
parameters.

A const buffer is an input. A buffer that is filled and not const is an input and an output. A buffer without a fill is uninitialised.
A mistake is reported as a sentence that says what to write instead.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from grader.model.errors import RemediableError
from grader.single_launch.kernel_parameters import ElementType, Leaf, NumberKind, Parameter

MAX_BUFFER_BYTES = 64 << 20
MAX_TOTAL_BYTES = 256 << 20
_TYPICAL = 1024  # elements of buffers in a proposed command line
_ARGUMENT = re.compile(r"\s*(?P<type>[^=\[\]]+?)\s*(?P<extents>(?:\[\s*\d+\s*\]\s*)*)(?:=\s*(?P<fill>.*?)\s*)?")
_RANDOM = re.compile(r"random(?:\s*\(\s*(-?\d+)\s*,\s*(-?\d+)\s*\))?")
_BASE: dict[str, tuple[NumberKind, int]] = {
    "half": ("floating", 2), "__half": ("floating", 2), "float": ("floating", 4), "double": ("floating", 8), "bool": ("unsigned", 1),
    "char": ("signed", 1), "signed char": ("signed", 1), "unsigned char": ("unsigned", 1), "uchar": ("unsigned", 1),
    "short": ("signed", 2), "unsigned short": ("unsigned", 2), "ushort": ("unsigned", 2),
    "int": ("signed", 4), "unsigned": ("unsigned", 4), "unsigned int": ("unsigned", 4), "uint": ("unsigned", 4),
    "long": ("signed", 8), "unsigned long": ("unsigned", 8), "size_t": ("unsigned", 8),
    "long long": ("signed", 8), "unsigned long long": ("unsigned", 8), "long int": ("signed", 8),
    "int8_t": ("signed", 1), "uint8_t": ("unsigned", 1), "int16_t": ("signed", 2), "uint16_t": ("unsigned", 2),
    "int32_t": ("signed", 4), "uint32_t": ("unsigned", 4), "int64_t": ("signed", 8), "uint64_t": ("unsigned", 8),
}  # fmt: skip
_QUALIFIERS = re.compile(r"\b(?:const|volatile|struct)\b|__restrict__|\*")


class ArgumentError(RemediableError):
    """An argument that cannot be passed to a launch."""


@dataclass(frozen=True)
class Content:
    fill: str  # "none", "constant", "iota", "random"
    floating: float = 0.0
    integer: int = 0
    whole: bool = True  # whether the number is an integer
    span: tuple[int, int] | None = None  # the range of random whole numbers


@dataclass(frozen=True)
class WantedArgument:
    """One --arg as it was written, before it is compared with the kernel's parameters."""

    text: str
    type: str
    extents: tuple[int, ...]  # empty: a value and no buffer
    content: Content


@dataclass(frozen=True)
class Argument:
    """One argument of a launch, ready to be passed."""

    parameter: Parameter
    element: ElementType
    content: Content
    extents: tuple[int, ...] = ()

    @property
    def role(self) -> str:
        if not self.extents:
            return "scalar"
        if self.content.fill == "none":
            return "output"
        return "input" if self.parameter.is_const else "inout"

    @property
    def elements(self) -> int:
        return math.prod(self.extents)


def parse_argument(text: str) -> WantedArgument:
    """Reads one --arg. Raises ArgumentError."""
    match = _ARGUMENT.fullmatch(text)
    if match is None:
        message = f"--arg {text!r}: write a buffer as 'float[4096]=random' and a value as 'int=64'"
        raise ArgumentError(message)
    name = " ".join(_QUALIFIERS.sub(" ", match["type"]).split())
    extents = tuple(int(one) for one in re.findall(r"\d+", match["extents"]))
    if any(extent == 0 for extent in extents):
        message = f"--arg {text!r}: a buffer has at least one element"
        raise ArgumentError(message)
    fill = match["fill"]
    if not extents and not fill:
        message = (
            f"--arg {text!r}: a value needs a number, as in '{name}=64'; a buffer needs a size, as in '{name}[4096]'"
        )
        raise ArgumentError(message)
    return WantedArgument(text, name, extents, _content(text, fill, is_buffer=bool(extents)))


def _content(text: str, fill: str | None, *, is_buffer: bool) -> Content:
    if not fill:
        return Content("none")
    if is_buffer and fill == "iota":
        return Content("iota")
    if is_buffer and (random := _RANDOM.fullmatch(fill)):
        span = (int(random[1]), int(random[2])) if random[1] is not None else None
        if span and not -(2**63) <= span[0] <= span[1] < 2**63:
            message = f"--arg {text!r}: write random(LOW,HIGH) with the smaller number first"
            raise ArgumentError(message)
        return Content("random", span=span)
    number = _number(fill)
    if number is None:
        what = "0, another number, iota, random or random(LOW,HIGH), or nothing" if is_buffer else "a number"
        message = f"--arg {text!r}: {fill!r} is not {what}"
        raise ArgumentError(message)
    return number


def _number(text: str) -> Content | None:
    literal = {"true": "1", "false": "0"}.get(text, text)
    integer = re.fullmatch(r"([+-]?)(0[xX][0-9a-fA-F]+|\d+)[uUlL]*", literal)
    if integer:
        value = int(integer[1] + integer[2], 0 if integer[2][:2] in {"0x", "0X"} else 10)
        return Content("constant", float(value), value) if -(2**63) <= value < 2**64 else None
    try:
        number = float(literal.removesuffix("f"))
    except ValueError:
        return None
    whole = math.isfinite(number) and abs(number) < 2**63 and number == int(number)
    return Content("constant", number, int(number) if whole else 0, whole)


def match_arguments(kernel: str, parameters: Sequence[Parameter], wanted: Sequence[WantedArgument]) -> list[Argument]:
    """Gives each parameter its argument. Raises ArgumentError, which lists the parameters and says what to write."""
    for parameter in parameters:
        if parameter.trouble:
            message = (
                f"{kernel} cannot be checked: no --arg fits its parameter `{parameter.text} {parameter.name}`: {parameter.trouble}. "
                "A parameter must be a number, a pointer to numbers or a pointer to structs of numbers."
            )
            raise ArgumentError(message)
    if len(parameters) != len(wanted):
        given = (
            "no --arg was given"
            if not wanted
            else f"{len(wanted)} --arg were given"
            if len(wanted) > 1
            else "one --arg was given"
        )
        message = f"{given}, but {signature(kernel, parameters)} takes {len(parameters)}."
        raise ArgumentError(message)
    arguments = [_matched(kernel, parameter, one) for parameter, one in zip(parameters, wanted, strict=True)]
    total = 0
    for argument in arguments:
        size = argument.elements * argument.element.bytes if argument.extents else 0
        total += size
        if size > MAX_BUFFER_BYTES or total > MAX_TOTAL_BYTES:
            message = (
                f"{argument.parameter.name} is too large: one buffer may have {MAX_BUFFER_BYTES >> 20} MiB, all buffers together "
                f"{MAX_TOTAL_BYTES >> 20}. A smaller problem shows the same mistakes."
            )
            raise ArgumentError(message)
    return arguments


def _matched(kernel: str, parameter: Parameter, wanted: WantedArgument) -> Argument:
    if parameter.is_pointer != bool(wanted.extents):
        raise ArgumentError(_mismatch(kernel, parameter, wanted))
    element = parameter.element or _free_element(kernel, parameter, wanted)
    if not _same(element, wanted.type):
        raise ArgumentError(_mismatch(kernel, parameter, wanted))
    content = wanted.content
    if not wanted.extents and (number := element.number):
        _check_range(parameter, number, wanted)
    if not content.whole and any(leaf.kind != "floating" for leaf in element.leaves):
        message = f"--arg {wanted.text!r}: {parameter.name} holds whole numbers only"
        raise ArgumentError(message)
    return Argument(parameter, element, content, wanted.extents)


def _free_element(kernel: str, parameter: Parameter, wanted: WantedArgument) -> ElementType:
    """The element type of a void*, which the argument names."""
    if wanted.type not in _BASE:
        raise ArgumentError(_mismatch(kernel, parameter, wanted))
    kind, size = _BASE[wanted.type]
    return ElementType(wanted.type, size, (Leaf(kind, size),), frozenset({wanted.type}))


def _same(element: ElementType, wanted: str) -> bool:
    if wanted in element.names or wanted == element.name:
        return True
    number = element.number
    if number is None or wanted not in _BASE or number.is_bool != (wanted == "bool"):
        return False
    return (number.kind, number.bytes) == _BASE[wanted] or {wanted, element.name} <= {
        "char",
        "signed char",
        "unsigned char",
    }


def _check_range(parameter: Parameter, number: Leaf, wanted: WantedArgument) -> None:
    if number.kind == "floating":
        return
    bits = 8 * number.bytes
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if number.kind == "signed" else (0, (1 << bits) - 1)
    if not wanted.content.whole or not low <= wanted.content.integer <= high:
        message = f"--arg {wanted.text!r}: {parameter.name} is of type {parameter.text}, which holds whole numbers from {low} to {high}"
        raise ArgumentError(message)


def _mismatch(kernel: str, parameter: Parameter, wanted: WantedArgument) -> str:
    return (
        f"--arg {wanted.text!r} does not fit the parameter `{parameter.text} {parameter.name}` of {kernel}: "
        f"write, for instance, {proposal(parameter)!r}."
    )


def proposal(parameter: Parameter) -> str:
    """An --arg that fits: inputs are random, outputs uninitialised, and numbers as large as a proposed buffer."""
    element = parameter.element
    if parameter.is_pointer:
        name = element.name if element else "float"
        return f"{name}[{_TYPICAL}]=random" if parameter.is_const or element is None else f"{name}[{_TYPICAL}]=0"
    number = element.number if element else None
    if number is not None and (number.is_bool or number.kind == "floating" or number.bytes == 1):
        return f"{element.name if element else 'float'}=1"
    return f"{element.name if element else 'int'}={_TYPICAL if number is None or number.bytes > 1 else 1}"


def signature(kernel: str, parameters: Sequence[Parameter]) -> str:
    return f"{kernel}({', '.join(f'{one.text} {one.name}' for one in parameters)})"


def proposed_command(file: str, kernel: str, parameters: Sequence[Parameter]) -> str:
    """A command line that runs, which the user can adapt."""
    command = ["tilelab", "check", file, "--kernel", kernel, "--grid", "4", "--block", "256"]
    for parameter in parameters:
        command += ["--arg", proposal(parameter)]
    return shlex.join(command)
