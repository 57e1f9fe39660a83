"""The bracket that nobody closes, or that closes nothing. Indentation tells which of several it is. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.engines.student_text.student_code import Place, StudentCode

_PAIRS = {")": "(", "]": "[", "}": "{"}
_CLOSING = {opening: closing for closing, opening in _PAIRS.items()}
_LAMBDA = re.compile(r"\[[^\]]*\]\s*(?:\([^)]*\))?\s*(?:mutable\s*)?(?:->\s*\w+\s*)?$")


@dataclass(frozen=True)
class _Open:
    sign: str
    place: Place
    indent: int
    loop_head: bool  # the ( of a for, in which ; may stand


def bracket_mistake(code: StudentCode) -> tuple[Place, str] | None:
    """The first one in a text whose brackets do not match, and a sentence about it."""
    return _Reader(code).first_mistake()


class _Reader:
    """Reads brackets in their order, with those that wait for their other half."""

    def __init__(self, code: StudentCode) -> None:
        self._code = code
        self._lines = [(n, bare) for n, bare in enumerate(code.bare, 1) if not bare.lstrip().startswith("#")]
        self._waiting: list[_Open] = []
        self._too_few = sum(bare.count("{") - bare.count("}") for _, bare in self._lines) > 0

    def first_mistake(self) -> tuple[Place, str] | None:
        for number, bare in self._lines:
            indent = len(bare.expandtabs(4)) - len(bare.expandtabs(4).lstrip())
            for at, sign in enumerate(bare):
                place = Place(number, at, at + 1)
                found = None
                if sign in "([{":
                    found = self._opens(sign, place, bare[:at], indent)
                elif sign in ")]}":
                    found = self._closes(sign, place, bare[:at], indent)
                elif (
                    sign == ";" and self._waiting and self._waiting[-1].sign in "([" and not self._waiting[-1].loop_head
                ):
                    found = _unclosed(self._waiting[-1], self._code)
                if found:
                    return found
        return _unclosed(self._waiting[-1], self._code) if self._waiting else None

    def _opens(self, sign: str, place: Place, before: str, indent: int) -> tuple[Place, str] | None:
        last = self._waiting[-1] if self._waiting else None
        if sign == "{" and last and last.sign == "(" and before.rstrip().endswith(")") and not _LAMBDA.search(before):
            return _unclosed(last, self._code)
        heads = indent == 0 and re.match(r"[_A-Za-z].*\(", before)  # a function's, at the margin
        if sign == "{" and self._too_few and last and last.sign == "{" and last.indent == 0 and heads:
            return _unclosed(last, self._code)
        self._waiting.append(_Open(sign, place, indent, sign == "(" and re.search(r"\bfor\s*$", before) is not None))
        return None

    def _closes(self, sign: str, place: Place, before: str, indent: int) -> tuple[Place, str] | None:
        if not self._waiting:
            return place, f"This `{sign}` closes nothing: there is one `{sign}` too many, here or above."
        if self._waiting[-1].sign != _PAIRS[sign]:
            return _mismatch(self._waiting, place, sign, self._code)
        last = self._waiting.pop()
        too_deep = sign == "}" and not before.strip() and last.indent > indent
        return _unclosed(last, self._code) if too_deep and self._too_few else None


def _mismatch(waiting: list[_Open], place: Place, sign: str, code: StudentCode) -> tuple[Place, str]:
    if any(one.sign == _PAIRS[sign] for one in waiting):
        return _unclosed(waiting[-1], code)
    last = waiting[-1]
    return (
        place,
        f"This `{sign}` stands where the `{last.sign}` of line {last.place.line} has to be closed by a `{_CLOSING[last.sign]}`.",
    )


def _unclosed(one: _Open, code: StudentCode) -> tuple[Place, str]:
    of = ""
    if one.sign == "{":
        opened = code.line(one.place.line)[: one.place.start].strip() or code.line(one.place.line - 1).strip()
        if word := re.search(r"(?:\b(?:if|for|while|else|do|switch)\b|(\w+)\s*\([^()]*\)\s*$)", opened):
            of = f" of `{word[1] or word[0]}`"
    closing = _CLOSING[one.sign]
    return one.place, f"The `{one.sign}`{of} in line {one.place.line} is not closed: a `{closing}` is missing."
