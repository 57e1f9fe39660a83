"""Reads what is written behind --arg: `float[4096]=random`, `int=64`, `Params={n=4, data=float[64]=random}`.

Whether it fits a parameter is decided in kernel_arguments.py and class_arguments.py.
"""

from __future__ import annotations

import array
import ast
import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from grader.model.errors import RemediableError
from grader.run.kernels.element_types import OptionError, TextureOptions, split_options
from grader.source.cuda_vocabulary import NUMBER_TYPES, NumberKind
from grader.source.lexer import closing_bracket, parts_between

# Numbers that a user gives for a buffer or a variable: `{1, 2.5, 3}`, or `@FILE` with a text, an .npy or a .bin file.

Number = int | float
MOST_NUMBERS = 1 << 22
_MAX_BYTES = 64 << 20
_WORD = re.compile(r"[^\s,;{}]+")
_ROW_MARKS = re.compile(r"#[^\n]*")
# Type codes of the module array: for raw files by the type's name, for .npy files by what they say.
_CODES: dict[tuple[NumberKind, int], str] = {
    ("floating", 4): "f", ("floating", 8): "d", ("signed", 1): "b", ("signed", 2): "h", ("signed", 4): "i", ("signed", 8): "q",
    ("unsigned", 1): "B", ("unsigned", 2): "H", ("unsigned", 4): "I", ("unsigned", 8): "Q",
}  # fmt: skip
_NPY = {
    "f4": "f",
    "f8": "d",
    "i1": "b",
    "u1": "B",
    "b1": "B",
    "i2": "h",
    "u2": "H",
    "i4": "i",
    "u4": "I",
    "i8": "q",
    "u8": "Q",
}


class NumbersError(RemediableError):
    """Numbers that cannot be read."""


def is_numbers(fill: str) -> bool:
    return fill.startswith(("{", "@"))


def numbers_of(fill: str, type_name: str) -> tuple[Number, ...]:
    """`type_name`: of an element, for a raw file. Raises NumbersError."""
    if fill.startswith("@"):
        found = _from_file(Path(fill[1:].strip()), type_name)
    elif fill.endswith("}"):
        found = _from_text(fill, fill)
    else:
        message = f"{fill!r}: write a list as {{1, 2, 3}}"
        raise NumbersError(message)
    if not 0 < len(found) <= MOST_NUMBERS:
        message = f"{fill[:60]!r} holds {len(found):,} numbers; it may hold from 1 to {MOST_NUMBERS:,}"
        raise NumbersError(message)
    return found


def _from_text(text: str, name: str) -> tuple[Number, ...]:
    return tuple(_number(word, name) for word in _WORD.findall(text))


def _number(word: str, name: str) -> Number:
    text = re.sub(r"(?<=[\d.])[fFuUlL]+$", "", word) if not word.lower().startswith("0x") else word
    try:
        return {"true": 1, "false": 0}[word] if word in {"true", "false"} else int(text, 0)
    except ValueError:
        pass
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if math.isnan(found) and text.lower().lstrip("+-") != "nan":
        message = f"{name[:60]!r}: {word[:40]!r} is not a number"
        raise NumbersError(message)
    return found


def _from_file(path: Path, type_name: str) -> tuple[Number, ...]:
    try:
        data = path.read_bytes() if path.is_file() and path.stat().st_size <= _MAX_BYTES else None
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}"
        raise NumbersError(message) from error
    if data is None:
        message = f"{path}: there is no such file, or it is larger than {_MAX_BYTES >> 20} MiB"
        raise NumbersError(message)
    if data.startswith(b"\x93NUMPY"):
        return _from_npy(data, path)
    if path.suffix.lower() in {".bin", ".raw", ".dat"}:
        code = _CODES.get(NUMBER_TYPES.get(type_name, ("floating", 0)))
        if code is None:
            message = f"{path}: only numbers can be read from a file of raw bytes, and {type_name} is no number"
            raise NumbersError(message)
        return _raw(data, code, path)
    text = _ROW_MARKS.sub("", data.decode("utf-8", "replace"))
    return _from_text(text, str(path))


def _raw(data: bytes, code: str, path: Path) -> tuple[Number, ...]:
    numbers = array.array(code)
    if len(data) % numbers.itemsize:
        message = f"{path} has {len(data)} bytes, which is no multiple of {numbers.itemsize}"
        raise NumbersError(message)
    numbers.frombytes(data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return tuple(numbers)


def _from_npy(data: bytes, path: Path) -> tuple[Number, ...]:
    """NumPy's own format, in its first two versions: a length, a header as a Python dictionary, the numbers."""
    width = 2 if data[6:7] == b"\x01" else 4
    start = 8 + width
    end = start + int.from_bytes(data[8:start], "little")
    try:
        header = ast.literal_eval(data[start:end].decode("latin-1"))
        order, kind = header["descr"][0], header["descr"][1:]
        code = _NPY[kind]
    except (SyntaxError, ValueError, KeyError, TypeError, IndexError):
        order, code = "?", ""
    if order not in "<|=" or header.get("fortran_order"):
        message = f"{path}: an .npy file has to hold whole or floating-point numbers, row by row, in this machine's byte order"
        raise NumbersError(message)
    return _raw(data[end:], code, path)


_ARGUMENT = re.compile(r"\s*(?P<type>[^=\[\]]+?)\s*(?P<extents>(?:\[\s*\d*\s*\]\s*)*)(?:=\s*(?P<fill>.*?)\s*)?")
_FILLS = frozenset({"iota", "random"})
_WORDS = _FILLS | {"null", "nullptr", "NULL"}
_FUNCTION = re.compile(r"&?[A-Za-z_]\w*(?:::\w+)*")
_RANDOM = re.compile(r"random(?:\s*\(\s*(-?\d+)\s*,\s*(-?\d+)\s*\))?")
_QUALIFIERS = re.compile(r"\b(?:const|volatile|struct)\b|__restrict__|\*")


class ArgumentError(RemediableError):
    """An argument that cannot be passed to a launch."""


@dataclass(frozen=True)
class Content:
    fill: str  # "none", "constant", "iota", "random", "parts", "listed", "function"
    floating: float = 0.0
    integer: int = 0
    whole: bool = True  # whether the number is an integer
    span: tuple[int, int] | None = None  # the range of random whole numbers
    parts: tuple[str, ...] = ()  # what is written in {…}, unread
    listed: tuple[Number, ...] = ()  # the numbers of a file, or of a list for a buffer of numbers
    function: str = ""  # the name of a function, whose address is passed


@dataclass(frozen=True)
class WantedArgument:
    """One --arg as it was written, before it is compared with the kernel's parameters."""

    text: str
    type: str
    extents: tuple[int, ...]  # empty: a value and no buffer
    content: Content
    stars: int = 0  # how often the type is a pointer to its name
    texture: TextureOptions | None = None  # of a texture or a surface


def parse_argument(text: str) -> WantedArgument:
    """Reads one --arg. Raises ArgumentError."""
    try:
        texture, buffer = split_options(text)
    except OptionError as error:
        message = f"--arg {text!r}: {error}"
        raise ArgumentError(message) from error
    match = _ARGUMENT.fullmatch(buffer)
    if match is None:
        message = f"--arg {text!r}: write a buffer as 'float[4096]=random' and a value as 'int=64'"
        raise ArgumentError(message)
    name = " ".join(_QUALIFIERS.sub(" ", match["type"]).split())
    extents = tuple(int(one or 0) for one in re.findall(r"\[\s*(\d*)\s*\]", match["extents"]))
    fill = match["fill"]
    counted = extents == (0,) and fill and fill.startswith(("{", "@"))  # int[]={1,2,3}
    if any(extent == 0 for extent in extents) and not counted:
        message = f"--arg {text!r}: a buffer has at least one element: write a buffer as 'float[4096]=random'"
        raise ArgumentError(message)
    if not extents and not fill:
        message = (
            f"--arg {text!r}: a value needs a number, as in '{name}=64'; a buffer needs a size, as in '{name}[4096]'"
        )
        raise ArgumentError(message)
    return WantedArgument(
        text, name, extents, _content(text, fill, name, is_buffer=bool(extents)), match["type"].count("*"), texture
    )


def _content(text: str, fill: str | None, type_name: str, *, is_buffer: bool) -> Content:
    if not fill:
        return Content("none")
    if fill.startswith("{") or (is_buffer and fill.startswith("@")):
        return Content("parts", parts=parts_of(text, fill)) if fill.startswith("{") else listed(text, fill, type_name)
    if is_buffer and fill == "iota":
        return Content("iota")
    if is_buffer and (random := _RANDOM.fullmatch(fill)):
        span = (int(random[1]), int(random[2])) if random[1] is not None else None
        if span and not -(2**63) <= span[0] <= span[1] < 2**63:
            message = f"--arg {text!r}: write random(LOW,HIGH) with the smaller number first"
            raise ArgumentError(message)
        return Content("random", span=span)
    number = number_in(fill)
    if number is None and not is_buffer and _FUNCTION.fullmatch(fill) and fill not in _FILLS:
        return Content("function", function=fill)
    if number is None:
        what = (
            "0, another number, iota, random or random(LOW,HIGH), a list {1,2,3}, @FILE, or nothing"
            if is_buffer
            else "a number"
        )
        message = f"--arg {text!r}: {fill!r} is not {what}"
        raise ArgumentError(message)
    return number


def named_functions(wanted: WantedArgument) -> list[str]:
    """The functions that it may name; whether it does is known only when the kernel's parameters are."""
    if wanted.content.function:
        return [wanted.content.function]
    values = [part.rpartition("=")[2].strip(" {}") for part in wanted.text.partition("=")[2].split(",")]
    parts = wanted.content.fill == "parts"
    return [
        one for one in values if parts and _FUNCTION.fullmatch(one) and one not in _WORDS and number_in(one) is None
    ]


def listed(text: str, fill: str, type_name: str) -> Content:
    """The numbers of a list or of a file. Raises ArgumentError."""
    try:
        numbers = numbers_of(fill, type_name)
    except NumbersError as error:
        message = f"--arg {text[:200]!r}: {error}"
        raise ArgumentError(message) from error
    whole = all(math.isfinite(one) and one == int(one) for one in numbers)
    return Content("listed", whole=whole, listed=numbers)


def number_in(text: str) -> Content | None:
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


def parts_of(text: str, braced: str) -> tuple[str, ...]:
    """What stands between the commas of `{…}`, outside all inner brackets. Raises ArgumentError."""
    if closing_bracket(braced, 0) != len(braced) - 1:
        message = f"--arg {text!r}: a {{ has no }} that closes it, or something stands behind it"
        raise ArgumentError(message)
    found = [part.strip() for part in parts_between(braced[1:-1])]
    return tuple(found) if any(found) else ()
