"""What the student wrote where a call of the runtime was made: the function's name and its arguments. Reads brackets of a few lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.programs.host.host_places import Place

_CALL = re.compile(r"\b(cuda[A-Z]\w*)\s*(?:<[^;()]*>)?\s*\(")
_ASSIGNS = re.compile(r"\s*(?:(?:const\s+)?(?:cudaError_t|auto)\s+)?(?P<name>[A-Za-z_]\w*)\s*=\s*cuda\w+\s*\(")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_MOST_LINES = 6  # of one statement
# What the calls are named like that ask the conductor for this.
_NAMED = {
    "allocate": r"cuda\w*(?:Malloc|Alloc)\w*",
    "free": r"cuda\w*Free\w*",
    "copy": r"cudaMemcpy\w*|cudaGraph\w*Memcpy\w*",
    "fill": r"cudaMemset\w*|cudaGraph\w*Memset\w*",
    "array": r"cuda\w*Array\w*|cudaGetChannelDesc|cudaMemcpy3D\w*",
    "texture": r"cuda\w*(?:Texture|Surface)Object\w*",
    "symbol": r"cuda\w*Symbol\w*",
    "launch": r"cudaLaunch\w*|cudaGraph\w*Kernel\w*",
    "stream": r"cudaStream\w*",
    "event": r"cudaEvent\w*",
    "device": r"cudaDevice\w*|cudaThread\w*|cudaSetDevice",
}


@dataclass(frozen=True)
class CallStatement:
    name: str
    arguments: tuple[str, ...]

    def argument(self, number: int) -> str:
        """Without casts; empty where there is none, or where it is longer than a name should be."""
        text = self.arguments[number] if number < len(self.arguments) else ""
        text = re.sub(r"^(?:\(\s*(?:const\s+)?\w+(?:\s*\*)*\s*\)\s*|&\s*)+", "", text.strip())
        return text if len(text) <= _LONGEST else ""


_LONGEST = 40


def call_at(place: Place | None, lines: Mapping[str, Sequence[str]], op: str = "") -> CallStatement | None:
    """The call in the line of `place`; of several, the first whose name fits `op`."""
    return next(iter(calls_at(place, lines, op)), None)


def calls_at(place: Place | None, lines: Mapping[str, Sequence[str]], op: str = "") -> list[CallStatement]:
    """The calls in the line of `place` whose names fit `op`."""
    text = lines.get(place.file, ()) if place else ()
    if place is None or not 0 < place.line <= len(text):
        return []
    first = text[place.line - 1]
    statement = "\n".join(text[place.line - 1 : place.line - 1 + _MOST_LINES])
    found = [match for match in _CALL.finditer(statement) if match.start() < max(1, len(first))]
    fitting = [one for one in found if re.fullmatch(_NAMED.get(op, r"\w+"), one[1])]
    chosen = fitting or ([] if op in _NAMED else found)
    return [CallStatement(one[1], tuple(_arguments(statement, one.end()))) for one in chosen]


def is_overwritten(place: Place, lines: Mapping[str, Sequence[str]]) -> bool:
    """Whether the variable that this line gives a call's value to gets another one before anybody looks at it, in the same block."""
    text = lines.get(place.file, ())
    match = _ASSIGNS.match(text[place.line - 1]) if 0 < place.line <= len(text) else None
    if match is None:
        return False
    rest = "\n".join([text[place.line - 1][match.end() :], *text[place.line : place.line + _MOST_LINES]])
    after = re.split(r"[{}]", _COMMENT.sub("", rest))[0]
    uses = re.search(rf"\b{match['name']}\b(?P<behind>\s*=(?!=)[^;]*)?", after)
    return uses is not None and uses["behind"] is not None and not re.search(rf"\b{match['name']}\b", uses["behind"])


def _arguments(text: str, at: int) -> list[str]:
    """What stands between commas up to the bracket that closes the one before `at`."""
    parts, depth = [""], 0
    for sign in text[at:]:
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0:
            break
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [" ".join(part.split()) for part in parts]


def given_names(place: Place | None, lines: Mapping[str, Sequence[str]]) -> set[str]:
    """The names between the parentheses of the launch `kernel<<<...>>>(...)` in the line of `place`."""
    text = lines.get(place.file, ()) if place else ()
    statement = " ".join(text[place.line - 1 : place.line - 1 + _MOST_LINES]) if place else ""
    return set(re.findall(r"[A-Za-z_][\w.]*", statement.partition(">>>")[2].partition(";")[0]))
