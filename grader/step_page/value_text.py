"""An element's bits as text: the shortest number that is exactly this value, by the array's type. Pure."""

from __future__ import annotations

import struct
from functools import lru_cache

_WHOLE = {"int", "unsigned", "char", "long", "short", "signed", "bool", "int32_t", "uint32_t", "uint8_t", "size_t"}
_FORMATS = {2: "<e", 4: "<f", 8: "<d"}
_MOST_DIGITS = {2: 5, 4: 9, 8: 17}


_MOST_BYTES = 8  # of a value that is shown; a struct has no number
_LONGEST_TYPE = 80


def value_text(bits: int, size: int, element: str) -> str:
    """Empty where the element is larger than any number."""
    if not 0 < size <= _MOST_BYTES:
        return ""
    return _text(bits & ((1 << 8 * size) - 1), size, element if len(element) <= _LONGEST_TYPE else "")


@lru_cache(maxsize=1 << 16)  # of short texts only: types and values come from the submission's process
def _text(bits: int, size: int, element: str) -> str:
    words = element.replace("const", "").split()
    raw = bits.to_bytes(size, "little")
    if words and words[0] in _WHOLE:
        return str(
            int.from_bytes(raw, "little", signed=not ({"unsigned", "bool"} & set(words) or words[0].startswith("u")))
        )
    if size not in _FORMATS:
        return f"0x{raw[::-1].hex()}"
    if "bfloat16" in element and size == 2:  # noqa: PLR2004 -- its bytes
        return _shortest(struct.unpack("<f", b"\0\0" + raw)[0], b"\0\0" + raw, 4)
    return _shortest(struct.unpack(_FORMATS[size], raw)[0], raw, size)


def _shortest(value: float, raw: bytes, size: int) -> str:
    if value != value:  # noqa: PLR0124 -- that is what NaN is
        return "NaN"
    if value in {float("inf"), float("-inf")}:
        return "Inf" if value > 0 else "-Inf"
    for digits in range(1, _MOST_DIGITS[size]):
        text = f"{value:.{digits}g}"
        try:
            if struct.pack(_FORMATS[size], float(text)) == raw:
                break
        except OverflowError:  # rounded up past the largest
            continue
    else:
        text = f"{value:.{_MOST_DIGITS[size]}g}"
    # 1.6e+03 for 1600 is harder to read.
    return str(int(float(text))) if "e" in text and abs(value) < 1e9 and float(text) == int(float(text)) else text  # noqa: PLR2004 -- digits of a cell
