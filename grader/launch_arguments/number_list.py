"""Numbers that a user gives for a buffer or a variable: `{1, 2.5, 3}`, or `@FILE` with a text, an .npy or a .bin file."""

from __future__ import annotations

import array
import ast
import math
import re
import sys
from pathlib import Path

from grader.model.errors import RemediableError

Number = int | float
MOST_NUMBERS = 1 << 22
_MAX_BYTES = 64 << 20
_WORD = re.compile(r"[^\s,;{}]+")
_ROW_MARKS = re.compile(r"#[^\n]*")
# Type codes of the module array: for raw files by the type's name, for .npy files by what they say.
_CODES = {
    "float": "f", "double": "d", "char": "b", "signed char": "b", "unsigned char": "B", "uchar": "B", "bool": "B", "short": "h",
    "unsigned short": "H", "int": "i", "unsigned": "I", "unsigned int": "I", "uint": "I", "long": "q", "long long": "q",
    "unsigned long": "Q", "unsigned long long": "Q", "size_t": "Q", "int8_t": "b", "uint8_t": "B", "int16_t": "h", "uint16_t": "H",
    "int32_t": "i", "uint32_t": "I", "int64_t": "q", "uint64_t": "Q",
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
        if type_name not in _CODES:
            message = f"{path}: only numbers can be read from a file of raw bytes, and {type_name} is no number"
            raise NumbersError(message)
        return _raw(data, _CODES[type_name], path)
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
