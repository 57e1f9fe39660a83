"""Reads what is written behind --arg: `float[4096]=random`, `int=64`, `Params={n=4, data=float[64]=random}`.

Whether it fits a parameter is decided in kernel_arguments.py.
"""

from __future__ import annotations

import array
import ast
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.model.errors import RemediableError
from grader.run.kernels.parameter_types import ValueType, numbers_type
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
_NPY_KINDS = {"floating": "f", "signed": "i", "unsigned": "u"}
_NPY = {f"{_NPY_KINDS[kind]}{size}": code for (kind, size), code in _CODES.items()} | {"b1": "B"}


class NumbersError(RemediableError):
    """Numbers that cannot be read."""


def numbers_of(fill: str, type_name: str) -> tuple[Number, ...]:
    """`type_name`: of an element, for a raw file. Raises NumbersError."""
    if fill.startswith("@"):
        found = _from_file(Path(fill[1:].strip()), type_name)
    elif fill.endswith("}"):
        found = _from_text(fill, fill)
    else:
        raise NumbersError(f"{fill!r}: write a list as {{1, 2, 3}}")
    if not 0 < len(found) <= MOST_NUMBERS:
        raise NumbersError(f"{fill[:60]!r} holds {len(found):,} numbers; it may hold from 1 to {MOST_NUMBERS:,}")
    return found


def _from_text(text: str, name: str) -> tuple[Number, ...]:
    found = []
    for word in _WORD.findall(text):
        number = number_in(word)
        if number is None:
            raise NumbersError(f"{name[:60]!r}: {word[:40]!r} is not a number")
        found.append(number)
    return tuple(found)


def number_in(text: str) -> Number | None:
    """A literal of C++, or none. Whole numbers have 64 bits."""
    literal = {"true": "1", "false": "0"}.get(text, text)
    if whole := re.fullmatch(r"([+-]?)(0[xX][0-9a-fA-F]+|\d+)[uUlL]*", literal):
        value = int(whole[1] + whole[2], 16 if whole[2][:2] in {"0x", "0X"} else 10)
        return value if -(2**63) <= value < 2**64 else None
    try:
        return float(re.sub(r"(?<=[\d.])[fFlL]$", "", literal))
    except ValueError:
        return None


def _from_file(path: Path, type_name: str) -> tuple[Number, ...]:
    try:
        data = path.read_bytes() if path.is_file() and path.stat().st_size <= _MAX_BYTES else None
    except OSError as error:
        raise NumbersError(f"{path} cannot be read: {error.strerror}") from error
    if data is None:
        raise NumbersError(f"{path}: there is no such file, or it is larger than {_MAX_BYTES >> 20} MiB")
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
        raise NumbersError(f"{path} has {len(data)} bytes, which is no multiple of {numbers.itemsize}")
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
    numbers: tuple[Number, ...] = ()  # one constant, or those of a file or of a list for a buffer of numbers
    span: tuple[int, int] | None = None  # the range of random whole numbers
    parts: tuple[str, ...] = ()  # what is written in {…}, unread
    function: str = ""  # the name of a function, whose address is passed

    @property
    def whole(self) -> bool:
        return all(abs(one) < 2**64 and one == int(one) for one in self.numbers)


# Reads what stands before the buffer in `texture(linear, wrap) float[48][64]=random`: how a kernel looks at a texture or a surface.

_BEGIN = re.compile(r"\s*(texture|surface)\s*(?:\(([^()]*)\))?\s*(?=[A-Za-z_])")
_SHOWN = re.compile(r"&\s*([A-Za-z_]\w*)")
_ADDRESS_MODES = ("clamp", "wrap", "mirror", "border")
_FILTERS = ("point", "linear")
_SWITCHES = ("normalized", "unnormalized", "asfloat", "layered")
_MOST_BYTES = 4  # of a texel's number
_NUMBERS = {name: of for name, of in NUMBER_TYPES.items() if of[1] <= _MOST_BYTES and name != "bool"}
_VECTOR = re.compile(r"(u?char|u?short|u?int|float|half)([124])")
_MOST_DIMENSIONS = 3


@dataclass(frozen=True)
class TextureOptions:
    kind: str  # "texture" or "surface"
    address: tuple[str, str, str] = ("clamp", "clamp", "clamp")  # of x, y and z
    is_linear: bool = False
    is_normalized: bool = False  # coordinates from 0 to 1
    as_float: bool = False  # whole numbers are read as fractions
    is_layered: bool = False
    shows: str = ""  # the parameter whose memory it shows; empty: it has its own


def _split_options(text: str) -> tuple[TextureOptions | None, str]:
    """The options, and the buffer behind them; None and the whole text where it is no texture. Raises ArgumentError."""
    begin = _BEGIN.match(text)
    if begin is None or "=" in text[: begin.end()] or "[" not in text:
        return None, text
    words = [one for one in re.split(r"[\s,]+", (begin[2] or "").strip()) if one]
    buffer, equals, fill = text[begin.end() :].partition("=")
    shown = _SHOWN.fullmatch(fill.strip())
    options = _read_options(text, begin[1], words, shown[1] if shown else "")
    return options, buffer if shown else buffer + equals + fill


def _read_options(text: str, kind: str, words: Sequence[str], shows: str) -> TextureOptions:
    known = ("layered",) if kind == "surface" else (*_ADDRESS_MODES, *_FILTERS, *_SWITCHES)
    for word in words:
        if word not in known:
            raise ArgumentError(f"--arg {text!r}: {word!r} is no option of a {kind}: write {', '.join(known)}")
    modes = [word for word in words if word in _ADDRESS_MODES]
    if len(modes) > _MOST_DIMENSIONS:
        raise ArgumentError(f"--arg {text!r}: a texture has at most three address modes: of x, y and z")
    x, y, z = (*modes, *[modes[-1] if len(modes) == 1 else "clamp"] * 3)[:3] if modes else ("clamp",) * 3
    return TextureOptions(
        kind,
        (x, y, z),
        is_linear="linear" in words,
        is_normalized="normalized" in words,
        as_float="asfloat" in words,
        is_layered="layered" in words,
        shows=shows,
    )


def texel_type(name: str) -> ValueType | None:
    """The type of a texel: one, two or four numbers of at most four bytes."""
    vector = _VECTOR.fullmatch(name)
    number = _NUMBERS.get(vector[1] if vector else name)
    if number is None:
        return None
    return numbers_type(name, *number, int(vector[2]) if vector else 1)


def trouble_of(options: TextureOptions, element: ValueType, extents: Sequence[int]) -> str:
    """Why there is no such texture. Empty: there is one."""
    number = element.leaves[0]
    dimensions = len(extents) - options.is_layered
    if not 1 <= dimensions <= (_MOST_DIMENSIONS - options.is_layered):
        layers = " after the layers" if options.is_layered else ""
        most = "two" if options.is_layered else "three"
        return f"a {options.kind} has from one to {most} dimensions{layers}"
    if options.as_float and (number.kind == "floating" or number.bytes > 2):  # noqa: PLR2004 -- CUDA's limit
        return "only whole numbers of 8 or 16 bits can be read as normalized floats (asfloat)"
    if options.is_linear and number.kind != "floating" and not options.as_float:
        return "a linear filter needs texels of float, or whole numbers of 8 or 16 bits that are read as normalized floats (asfloat)"
    return ""


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
    texture, buffer = _split_options(text)
    match = _ARGUMENT.fullmatch(buffer)
    if match is None:
        raise ArgumentError(f"--arg {text!r}: write a buffer as 'float[4096]=random' and a value as 'int=64'")
    name = " ".join(_QUALIFIERS.sub(" ", match["type"]).split())
    extents = tuple(int(one or 0) for one in re.findall(r"\[\s*(\d*)\s*\]", match["extents"]))
    fill = match["fill"]
    counted = extents == (0,) and fill and fill.startswith(("{", "@"))  # int[]={1,2,3}
    if any(extent == 0 for extent in extents) and not counted:
        message = f"--arg {text!r}: a buffer has at least one element: write a buffer as 'float[4096]=random'"
        raise ArgumentError(message)
    if not extents and not fill:
        example = f"as in '{name}=64'; a buffer needs a size, as in '{name}[4096]'"
        raise ArgumentError(f"--arg {text!r}: a value needs a number, {example}")
    content, stars = _content(text, fill, name, is_buffer=bool(extents)), match["type"].count("*")
    return WantedArgument(text, name, extents, content, stars, texture)


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
            raise ArgumentError(f"--arg {text!r}: write random(LOW,HIGH) with the smaller number first")
        return Content("random", span=span)
    number = number_in(fill)
    if number is not None:
        return Content("constant", (number,))
    if not is_buffer and _FUNCTION.fullmatch(fill) and fill not in _FILLS:
        return Content("function", function=fill)
    what = "0, another number, iota, random or random(LOW,HIGH), a list {1,2,3}, @FILE, or nothing"
    raise ArgumentError(f"--arg {text!r}: {fill!r} is not {what if is_buffer else 'a number'}")


def named_functions(wanted: WantedArgument) -> list[str]:
    """The functions that it may name; whether it does is known only when the kernel's parameters are."""
    if wanted.content.function:
        return [wanted.content.function]
    values = [part.rpartition("=")[2].strip(" {}") for part in wanted.text.partition("=")[2].split(",")]
    named = (one for one in values if wanted.content.fill == "parts" and _FUNCTION.fullmatch(one))
    return [one for one in named if one not in _WORDS and number_in(one) is None]


def listed(text: str, fill: str, type_name: str) -> Content:
    """The numbers of a list or of a file. Raises ArgumentError."""
    try:
        return Content("listed", numbers_of(fill, type_name))
    except NumbersError as error:
        raise ArgumentError(f"--arg {text[:200]!r}: {error}") from error


def parts_of(text: str, braced: str) -> tuple[str, ...]:
    """What stands between the commas of `{…}`, outside all inner brackets. Raises ArgumentError."""
    if closing_bracket(braced, 0) != len(braced) - 1:
        raise ArgumentError(f"--arg {text!r}: a {{ has no }} that closes it, or something stands behind it")
    found = [part.strip() for part in parts_between(braced[1:-1])]
    return tuple(found) if any(found) else ()
