"""Reads a number as people write it: `8,960`, `1/8`, `12.5 %`, `2^14`, `1.5e3`, `8 KiB`, `about 128 times`. Pure.

What can be read in two ways has two values: `8,960` may be a decimal comma. Each text is read in a time that does not grow with
what it says: no power or exponent is large.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from itertools import product
from math import prod

_MOST_TEXT = 200
_MOST_VALUES = 4
_MOST_POWER, _MOST_BITS = 64, 256
_EXTRA_DIGITS = 4  # that somebody may have kept when rounding before us
NO_NUMBER = "a number is expected here, and this is text"
SEVERAL = (
    "one number is expected here, and there are several: leave the number alone on its line, and write words below it"
)
TOO_LONG = "a number is expected here, and this is too long to be one"

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_SIGNS = str.maketrans({
    "−": "-", "×": "*", "·": "*", "⋅": "*", "∙": "*", "÷": "/", "⁄": "/", "∕": "/", "’": "'",  # noqa: RUF001
    "\N{NO-BREAK SPACE}": " ", "\N{NARROW NO-BREAK SPACE}": " ", "\N{THIN SPACE}": " ", "{": "", "}": "", "$": "",
})  # fmt: skip
_PLAIN_FACTOR = re.compile(
    r"(?P<sign>-?)(?P<numeral>[0-9.,' _]+?)(?:e(?P<exponent>[+-]?[0-9]{1,3}))?(?:\s?(?:\^|\*\*)\s?(?P<power>-?[0-9]{1,3}))?"
)
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:(?P<mark>[,.' _])[0-9]{3})(?:(?P=mark)[0-9]{3})*(?P<rest>[.,][0-9]+)?")
_DECIMAL = re.compile(r"[0-9]*(?:[.,][0-9]+)?")
_WORDS = {
    word: number
    for number, words in enumerate((
        "zero none no nothing never", "one once", "two twice", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
    ))
    for word in words.split()
}  # fmt: skip
_TENS = {
    word: 10 * ten for ten, word in enumerate(["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 3)
} | {"twenty": 20}
_PARTS = re.compile(
    r"\b(?:hal(?:f|ves)|thirds?|quarters?|fifths?|sixths?|eighths?|sixteenths?|hundred|thousand|million|dozen)\b"
)


def _sizes() -> dict[str, tuple[Fraction, ...]]:
    found: dict[str, tuple[Fraction, ...]] = dict.fromkeys(("b", "byte", "bytes"), (Fraction(1),))
    found |= dict.fromkeys(("bit", "bits"), (Fraction(1, 8),))
    for power, (short, long) in enumerate((("k", "kilo"), ("m", "mega"), ("g", "giga"), ("t", "tera")), 1):
        binary, decimal = Fraction(1024**power), Fraction(1000**power)
        exact = [f"{short}i{end}" for end in ("", "b", "byte", "bytes")] + [f"{long[:2]}bibyte", f"{long[:2]}bibytes"]
        either = [f"{short}b", *(f"{name}{end}" for name in (short, long) for end in ("byte", "bytes"))]
        found |= dict.fromkeys(exact, (binary,))
        found |= dict.fromkeys(either, (decimal, binary))
    return found


# Each kind of unit: a word, and what one of it is; several where people mean several.
_UNITS: dict[str, dict[str, tuple[Fraction, ...]]] = {
    "size": _sizes(),
    "time": {
        word: (Fraction(1, 1000**power),)
        for power, words in enumerate((
            "s sec second seconds", "ms millisecond milliseconds", "us μs microsecond microseconds", "ns nanosecond nanoseconds",
        ))
        for word in words.split()
    },
}  # fmt: skip
_SHARES = ("%", "percent", "per cent")
_COUNTS: dict[str, tuple[int, ...]] = {"k": (10**3, 2**10), "ki": (2**10,), "mi": (2**20,)}
_COUNTS |= {"thousand": (10**3,), "million": (10**6,), "billion": (10**9,)}


@dataclass(frozen=True)
class NumberReading:
    """What a text may mean as a number. Without values, `trouble` says why, to the one who wrote it."""

    values: tuple[Fraction, ...] = ()
    trouble: str = ""


def read_number(text: str, unit: str = "") -> NumberReading:
    """The number in `text`, in `unit` where it names another unit of the same kind."""
    plain = _plain(text)
    if len(plain) > _MOST_TEXT:
        return NumberReading(trouble=TOO_LONG)
    found = list(_EXPRESSION.finditer(plain))
    if len(found) > 1:
        return NumberReading(trouble=SEVERAL)
    if not found:
        return _spelt(plain)
    try:
        values = _value(found[0][0])
    except (ValueError, ArithmeticError):
        return NumberReading(trouble=TOO_LONG)
    return _in_unit(values, plain[found[0].end() :].strip(), unit)


def rounded(value: Fraction, digits: int | None) -> Fraction:
    """To so many significant digits, halves up; None: as it is."""
    if digits is None:
        return value
    exact = Context(prec=120, rounding=ROUND_HALF_UP)
    quotient = exact.divide(Decimal(value.numerator), Decimal(value.denominator))
    return Fraction(Context(prec=digits, rounding=ROUND_HALF_UP).plus(quotient))


def stays_rounded(value: Fraction, digits: int | None) -> bool:
    """Whether somebody who rounded it to more digits first gets the same."""
    more = range(digits, digits + _EXTRA_DIGITS) if digits is not None else ()
    return all(rounded(rounded(value, one), digits) == rounded(value, digits) for one in more)


def _plain(text: str) -> str:
    """In lower case and in plain signs, without emphasis, and from the last equals sign on."""
    text = text[: 4 * _MOST_TEXT]
    text = re.sub(r"\\[dt]?frac\s?\{([0-9]{1,9})\}\s?\{([0-9]{1,9})\}", r"\1/\2", text)
    text = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda found: "^" + found[0].translate(_SUPERSCRIPTS), text)
    text = re.sub(
        r"([0-9]+)([\u00bc-\u00be\u2150-\u215e])",
        lambda found: str(int(found[1][:30]) + Fraction(unicodedata.numeric(found[2])).limit_denominator(10)),
        text,
    )
    text = unicodedata.normalize("NFKC", text.translate(_SIGNS)).translate(_SIGNS).casefold()
    text = _HEX.sub(lambda found: str(int(found[1], 16)), text)
    text = re.sub(r"^x(?=[0-9])", "", text)
    text = text.replace(r"\times", "*").replace(r"\cdot", "*").replace("\\", "")
    text = text.strip("*_`~ \t\n")
    bare = re.sub(r"\([^()]*\)", " ", text)
    sums = _UNREAD.search(text.rpartition("=")[2])
    text = bare if bare.strip(" .") and sums is None else text.replace("(", " ").replace(")", " ")
    parts = [part for part in re.split(r"[=≈]", text) if part.strip(" .?")]
    return " ".join((parts[-1] if parts else "").split())


def _expression() -> re.Pattern[str]:
    """Factors with signs between them. A numeral may not begin inside a word: `fp32` holds none."""
    grouped = r"[1-9][0-9]{0,2}(?:,[0-9]{3}){1,9}(?![0-9])(?:\.[0-9]{1,30})?"
    dotted = r"[1-9][0-9]{0,2}(?:\.[0-9]{3}){1,9}(?![0-9])(?:,[0-9]{1,30})?"
    spaced = r"[1-9][0-9]{0,2}(?:[ '_][0-9]{3}){1,9}(?![0-9])(?:[.,][0-9]{1,30})?"
    numeral = rf"(?:{grouped}|{dotted}|{spaced}|[0-9]{{1,40}}(?:[.,][0-9]{{1,40}})?|[.,][0-9]{{1,40}})"
    factor = rf"(?:(?<![0-9])-)?{numeral}(?:e[+-]?[0-9]{{1,3}}(?![0-9a-z]))?(?:\s?(?:\^|\*\*)\s?-?[0-9]{{1,3}})?"
    return re.compile(rf"(?<![\w.,]){factor}(?:\s?[*/x:]\s?{factor}){{0,6}}(?!e[+-]?[0-9]|[.,]?[0-9])")


_HEX = re.compile(r"\b0x([0-9a-f]{1,16})\b")
_UNREAD = re.compile(r"[-+*/^:]\s?\(|\)\s?[-+*/^:]")  # arithmetic that is not done here


_EXPRESSION = _expression()
_SIGN = re.compile(r"(?<!\*)\s?(?:\*(?!\*)|[/x:])\s?")


def _value(expression: str) -> tuple[Fraction, ...]:
    """What factors and signs between them may mean. Raises ValueError or ArithmeticError where that is no number of ours."""
    signs = ["", *(one.strip() for one in _SIGN.findall(expression))]
    factors = [
        [1 / one if sign in {"/", ":"} else one for one in _factor(factor)]
        for sign, factor in zip(signs, _SIGN.split(expression), strict=True)
    ]
    values = [prod(chosen, start=Fraction(1)) for chosen in product(*factors)]
    return tuple(dict.fromkeys(values[:_MOST_VALUES]))


def _factor(text: str) -> tuple[Fraction, ...]:
    match = _PLAIN_FACTOR.fullmatch(text)
    if match is None:
        raise ValueError(text)
    exponent, power = int(match["exponent"] or 0), int(match["power"] or 1)
    if abs(exponent) > _MOST_POWER or abs(power) > _MOST_POWER:
        raise ValueError(text)
    values = [(-one if match["sign"] else one) * Fraction(10) ** exponent for one in _numerals(match["numeral"])]
    if any(max(one.numerator.bit_length(), one.denominator.bit_length()) > _MOST_BITS for one in values) and power != 1:
        raise ValueError(text)
    return tuple(one**power for one in values)


def _numerals(text: str) -> tuple[Fraction, ...]:
    found: list[Fraction] = []
    grouped = _GROUPED.fullmatch(text)
    if grouped is not None and grouped["rest"] != "" and (grouped["rest"] or "x")[0] != grouped["mark"]:
        whole = text.removesuffix(grouped["rest"] or "").replace(grouped["mark"], "")
        found.append(Fraction(whole + (grouped["rest"] or "").replace(",", ".")))
    if _DECIMAL.fullmatch(text):
        found.append(Fraction(text.replace(",", ".")))
    return tuple(dict.fromkeys(found))


def _spelt(plain: str) -> NumberReading:
    """A number in words: `two`, `none of them`, `thirty-two`. Larger ones and parts have to be written in figures."""
    words = re.findall(r"[a-z]+", plain)
    spelt = [word for word in words if word in _WORDS or word in _TENS]
    if len(words) > 4 or _PARTS.search(plain) or not spelt:  # noqa: PLR2004 -- "none of them", and no sentence
        return NumberReading(trouble=NO_NUMBER)
    values = [_TENS.get(word, _WORDS.get(word, 0)) for word in spelt]
    tens_and_ones = len(spelt) == 2 and spelt[0] in _TENS and 0 < values[1] < 10  # noqa: PLR2004 -- "thirty-two"
    if len(spelt) == 1 or tens_and_ones:
        return NumberReading((Fraction(sum(values)),))
    return NumberReading(trouble=SEVERAL)


def kind_of_unit(word: str) -> str | None:
    """`size` or `time`. None: a word that is no unit of these."""
    return next((kind for kind, words in _UNITS.items() if word.casefold() in words), None)


def _in_unit(values: tuple[Fraction, ...], rest: str, unit: str) -> NumberReading:
    """`rest`: what follows the number."""
    if rest.startswith(_SHARES):
        return NumberReading(tuple(value / 100 for value in values))
    if unit in _SHARES:  # a bare 0.125 may be meant as a share
        return NumberReading(tuple(dict.fromkeys([*(value / 100 for value in values), *values])))
    word = (re.match(r"[a-zμ]+", rest) or [""])[0]
    wanted, given = kind_of_unit(unit), kind_of_unit(word)
    if word in _COUNTS and not (wanted == given == "size"):
        return NumberReading(tuple(value * count for value in values for count in _COUNTS[word]))
    if wanted is None or given is None:
        return NumberReading(values)
    if wanted != given:
        return NumberReading(trouble=f"{unit} are expected here")
    of_one = _UNITS[wanted][unit.casefold()][0]
    scaled = [value * one / of_one for one in _UNITS[given][word] for value in values]
    return NumberReading(tuple(dict.fromkeys(scaled)))
