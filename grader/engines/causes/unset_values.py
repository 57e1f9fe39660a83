"""A local variable that has no value yet where it is first used: which, and what that statement does with it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.engines.compiler_words.told import Said
from grader.engines.student_text.student_code import Place, StudentCode

_DECLARED = re.compile(
    r"(?<![\w.])(?:volatile\s+)?(?:float|double|int|unsigned(?:\s+int)?|long(?:\s+long)?|size_t|half|__half)\s+"
    r"((?:[^\W\d]\w*\s*(?:=[^,;()]*)?,\s*)*[^\W\d]\w*\s*(?:=[^,;()]*)?);"
)
_HOW = {
    "+=": "added to", "-=": "subtracted from", "*=": "multiplied", "/=": "divided", "++": "counted up", "--": "counted down",
}  # fmt: skip
ADVICE = "Give it its first value where it is declared. A sum begins with 0, and CUDA sets no variable to 0 by itself."


def unset_value(name: str, code: StudentCode, before: int) -> Said | None:
    """What is said of `name`, which a compiler says is used unset in line `before` or above. None where it is no plain variable."""
    declared = [place for one, place in bare_declarations(code) if one == name and place.line <= before]
    if not declared:
        return None
    first = _first_use(name, declared[-1], code)
    if first is None:
        return None
    place, how = first
    what = f"`{name}`, declared in line {declared[-1].line}, has no value when it is first {how} in line {place.line}."
    return Said(place, what, ADVICE)


def never_set(code: StudentCode) -> Iterator[Said]:
    """Variables without a first value that a statement adds to, and that no statement ever sets."""
    for name, place in bare_declarations(code):
        rest = "\n".join([code.line(place.line)[place.end :], *code.bare[place.line :]])
        body = rest[: _end_of_function(rest)]
        if re.search(rf"(?<![\w.]){name}\s*=(?!=)|&\s*{name}\b|>>\s*{name}\b", body):
            continue
        first = _first_use(name, place, code)
        if first and first[1] in _HOW.values() and (said := unset_value(name, code, first[0].line)):
            yield said


def bare_declarations(code: StudentCode) -> Iterator[tuple[str, Place]]:
    for number, bare in enumerate(code.bare, 1):
        for match in _DECLARED.finditer(bare):
            if re.search(r"__shared__|\bextern\b|\bstatic\b|__device__|__constant__", bare[: match.start()]):
                continue
            at = match.start(1)
            for part in match[1].split(","):
                name = part.strip()
                if re.fullmatch(r"\w+", name):
                    start = at + part.index(name)
                    yield name, Place(number, start, start + len(name))
                at += len(part) + 1


def _first_use(name: str, declared: Place, code: StudentCode) -> tuple[Place, str] | None:
    """The first statement below the declaration that needs the value, and what it does. None where it is set before that."""
    for number in range(declared.line, len(code.bare) + 1):
        bare = code.line(number)
        for match in re.finditer(rf"(?<![\w.]){re.escape(name)}(?!\w)", bare):
            if number == declared.line and match.start() <= declared.start:
                continue
            after = re.match(r"\s*(\+\+|--|[-+*/]=|=(?!=))?", bare[match.end() :])
            sign = (after[1] if after else "") or ""
            before = re.search(r"(\+\+|--|&)\s*$", bare[: match.start()])
            if sign == "=" and not re.search(rf"(?<!\w){name}(?!\w)", bare[match.end() :]):
                return None
            if before and before[1] == "&":
                return None
            how = _HOW.get(sign) or (_HOW.get(before[1]) if before else None) or "used"
            return Place(number, match.start(), match.end()), how
    return None


def _end_of_function(text: str) -> int:
    """Where the braces are closed that are open where the text begins: at a `}` in the first column."""
    end = re.search(r"^\}", text, re.MULTILINE)
    return end.start() if end else len(text)
