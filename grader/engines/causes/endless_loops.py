"""A loop that never ends, since nothing in it changes what its condition compares. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.engines.compiler_words.told import Said
from grader.engines.student_text.student_code import Place, StudentCode

_HEAD = re.compile(r"\b(while|for)\s*\(")
_PLAIN = re.compile(r"[\w\s.<>=!&|+\-*/%()]*")  # no array, no pointer that something else may change
_CALL = re.compile(r"\w\s*\(")
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")
_WORDS = frozenset({"true", "false", "int", "unsigned", "float", "const", "and", "or", "not"})


def endless_loops(code: StudentCode, line: int) -> Iterator[Said]:
    """Of the loops around `line`, where a thread was when its time was over."""
    text = "\n".join(code.bare)
    at = sum(len(bare) + 1 for bare in code.bare[: line - 1])
    for head in _HEAD.finditer(text):
        closed = _closing(text, head.end() - 1)
        last = _end_of_body(text, closed + 1)
        if not head.start() <= at + len(code.line(line)) or last < at:
            continue
        inside = text[head.end() : closed]
        condition, step = inside, ""
        if head[1] == "for":
            condition, _, step = inside.partition(";")[2].partition(";")
        if not condition.strip() or not _PLAIN.fullmatch(condition) or _CALL.search(condition):
            continue
        names = [name for name in dict.fromkeys(_NAME.findall(condition)) if name not in _WORDS]
        if names and not any(_changes(name, f"{condition};{step};{text[closed + 1 : last]}") for name in names):
            number = text.count("\n", 0, head.start()) + 1
            start = head.start() - (text.rfind("\n", 0, head.start()) + 1)
            end = min(start + closed + 1 - head.start(), len(code.line(number)))
            what = (
                f"Nothing in the loop that begins in line {number} changes `{names[0]}`: `{condition.strip()}` stays as it is."
                if len(names) == 1
                else f"Nothing in the loop that begins in line {number} changes {_listed(names)}: `{condition.strip()}` stays as it is."
            )
            yield Said(Place(number, start, end), what, "Which of them has to change in every pass, and in which line?")


def _listed(names: list[str]) -> str:
    return " or ".join([", ".join(f"`{one}`" for one in names[:-1]), f"`{names[-1]}`"])


def _changes(name: str, text: str) -> bool:
    """Also where its address is taken, or a reference to it may be made in a call."""
    return bool(
        re.search(rf"(?<![\w.]){name}\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)", text)
        or re.search(rf"(?:\+\+|--|&)\s*{name}\b|(?<![\w.]){name}\s*(?:\+\+|--)", text)
        or re.search(r"\b(?:break|return|goto)\b", text)
        or re.search(rf"\w\s*\((?:[^()]*,)?\s*{name}\s*[,)]", text)
    )


def _closing(text: str, opened: int) -> int:
    depth = 0
    for at in range(opened, len(text)):
        depth += (text[at] in "({[") - (text[at] in ")}]")
        if depth == 0:
            return at
    return len(text)


def _end_of_body(text: str, begin: int) -> int:
    """Of a block in braces, or of one statement."""
    first = re.compile(r"\S").search(text, begin)
    if first is None:
        return len(text)
    if first[0] == "{":
        return _closing(text, first.start())
    end = text.find(";", first.start())
    return len(text) if end < 0 else end
