"""Reads GCC's dump of a function (-fdump-tree-gimple-lineno) and finds memory accesses that the instrumentation does not announce.

The thread sanitizer announces assignments, not calls. Nothing announces the memory that a call's result is returned into, or that an
argument by value is read from. The dump also shows attributes as the compiler understood them, whichever macro wrote them. It does
not show which memory an access uses; local variables are recognised by their names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from grader.engines.refusal import Refusal, unreadable_dump
from grader.model.verdicts import Verdict

_PLACE = re.compile(r"\[(?P<path>[^\[\]\n:]*):(?P<line>\d+):\d+(?: discrim \d+)?\] ")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_CALL = re.compile(r"\s*(?:(?P<target>\S.*?) = )?(?P<callee>[A-Za-z_.~][^=]*?) \((?P<rest>.*)\);(?: \[[\w ]+\])*$")
_KEYWORDS = re.compile(r"(?:if|switch|goto|return|MEM|try|catch|finally|static|struct|union|typedef)\b")
_MEMORY = re.compile(r"\*|MEM\b|[^&].*->|__(?:real|imag)__ \*")
_ATTRIBUTES = re.compile(r"__attribute__\(\((?P<list>.*)\)\)$")
_HIDING = re.compile(
    r"\b(no_sanitize\w*|disable_sanitizer_instrumentation|optimize|target|target_clones|naked|simd"
    r"|no_instrument_function|no_profile_instrument_function)\b"
)
# A function's parameters, its body and a statement with its position: a dump without one is no dump as we know it.
_FUNCTION = re.compile(r"\)(?: const)?\n\{\n(?:.*\n)*?.*\[[^\[\]\n:]*:\d+:\d+(?: discrim \d+)?\] .*;\n")
_MACHINE_BUILTIN = re.compile(r"__builtin_(?:ia32_(?!pause\b)|aarch64_|neon_|sve_|arm_)\w+|svbool_t\b")


@dataclass(frozen=True)
class _Statement:
    text: str  # without positions and strings
    line: int  # in the submission; 0: in another file
    path: str  # "": the compiler made it


def scan_gimple(dump: str, file_name: str, trusted: Collection[str] = ()) -> Refusal | None:
    """The first reason not to trust the instrumentation, or None. `trusted`: folders of our headers, whose functions announce their
    accesses themselves.
    """
    if _FUNCTION.search(dump) is None:
        return unreadable_dump()
    hiding = ""  # an attribute of the present function that hides accesses
    for statement in _statements(dump, file_name):
        if statement.text == "}":
            hiding = ""
        hiding = _hiding_attribute(statement.text) or hiding
        if not statement.path or any(statement.path.startswith(f"{folder}/") for folder in trusted):
            continue
        if hiding:
            what = f"The attribute `{hiding}` is not allowed: it could hide from the grader what the kernel does."
            return Refusal(Verdict.REJECTED, statement.line, what, "Remove it; nothing in this lab needs it.")
        if refusal := _judge_call(statement):
            return refusal
    return None


def _statements(dump: str, file_name: str) -> Iterator[_Statement]:
    for raw in dump.split("\n"):
        text = _STRING.sub('""', raw)
        places = list(_PLACE.finditer(text))
        ours = [int(place["line"]) for place in places if place["path"].rsplit("/", 1)[-1] == file_name]
        text = _PLACE.sub("", text).rstrip()
        if text:
            yield _Statement(text, ours[0] if ours else 0, places[0]["path"] if places else "")


def _hiding_attribute(text: str) -> str:
    attributes = _ATTRIBUTES.match(text)
    found = _HIDING.search(attributes["list"]) if attributes else None
    return found[1] if found else ""


def _judge_call(statement: _Statement) -> Refusal | None:
    if machine := _MACHINE_BUILTIN.search(statement.text):
        what = f"`{machine[0]}` is an instruction of the CPU, not of a GPU"
        return Refusal(
            Verdict.REJECTED, statement.line, f"{what}: a kernel cannot use it.", "Use CUDA's own functions."
        )
    call = _CALL.match(statement.text)
    if call is None or _KEYWORDS.match(call["callee"]):
        return None
    if call["target"] and _MEMORY.match(call["target"]):
        return _unseen(
            statement.line,
            "writes the result of a function directly into memory",
            "Put the result into a local variable first, then assign that variable.",
        )
    if any(_MEMORY.match(argument) for argument in _arguments(call["rest"])):
        return _unseen(
            statement.line,
            "passes an object from memory through `...`",
            "Copy the object into a local variable first, or pass a pointer.",
        )
    return None


def _arguments(rest: str) -> list[str]:
    """The arguments in the last pair of parentheses. Earlier pairs may belong to a lambda's name."""
    depth, last = 0, [""]
    for character in reversed(rest):
        depth += (character in ")]>") - (character in "([<")
        if depth < 0:
            break
        if character == "," and depth == 0:
            last.append("")
        else:
            last[-1] = character + last[-1]
    return [argument.strip() for argument in last]


def _unseen(line: int, what: str, advice: str) -> Refusal:
    message = f"This {what}, which the CPU executor cannot follow: this file has to be graded on a GPU."
    return Refusal(Verdict.NEEDS_GPU, line, message, advice)
