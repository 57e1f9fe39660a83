"""The main() of a launcher: C++ of ours behind the student's text, and what it means for a student where that does not compile. Pure.

The logic of main() is in kit/host/launcher_call.hpp. The student's own main(), if there is one, gets another name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.engines.token_scan import Token, Tokens, code_tokens
from grader.model.verdicts import Verdict
from grader.run.programs.host_build import TextFrame
from grader.run.programs.host_refusals import HostRefusal
from grader.run.programs.host_text import stub_parameters
from grader.run.programs.read_parameters import closing, parts_of
from grader.source.student_code import StudentCode, difference, function_called, nearest

_OURS = "<launcher>"  # the file name that the compiler gives to our own lines
_OWN_MAIN = "tilelab_own_main"
_IN_OURS = re.compile(rf"^(?:In file included from )?{_OURS}:\d+", re.MULTILINE)
_ERROR = re.compile(r"^(?:\./)?([^:\n]+):(\d+):(?:\d+:)? (?:fatal )?error: ", re.MULTILINE)
_OF_THE_CALL = re.compile(
    rf"^{_OURS}:\d+:(?:\d+:)? error: [^\n]*"
    r"(?:no matching function|too few arguments|not (?:been )?declared|is not a member|does not name a type)"
    r"|static assertion failed|required from here",
    re.MULTILINE,
)
_KEEP = "Keep the name and the parameters of the starter file."


def name_of(signature: str) -> str:
    return signature.partition("(")[0]


def launcher_frame(signature: str) -> TextFrame:
    """`signature`: "solve(float const*, int)", as lab.toml has it."""
    name, _, parameters = signature.partition("(")
    by_name = f"[](auto... values) {{ ::{name}(values...); }}"
    call = f"::tilelab_host::Launcher<void({parameters}>::run(::{name}, {by_name})"
    return TextFrame(
        before=f"#define main {_OWN_MAIN}\n", behind=f'#undef main\n# 1 "{_OURS}"\nint main() {{ return {call}; }}\n'
    )


def launcher_buffers(text: str, signature: str) -> list[str]:
    """What the student calls the launcher's pointers, in their order; empty where the text does not tell."""
    head = _head(_tokens(text), name_of(signature).rpartition("::")[2])
    names = [one.expression for one in stub_parameters(head)] if head else []
    asked = signature.partition("(")[2].split(",")  # those behind them have default arguments
    return [name for name, kind in zip(names, asked, strict=False) if "*" in kind] if len(names) >= len(asked) else []


def refusal_of_launcher(log: str, text: str, file: str, signature: str) -> HostRefusal | None:
    """What is wrong with the launcher, where the compiler complains of our call and not of the student's own lines."""
    if any(match[1] == file for match in _ERROR.finditer(log)) or not _IN_OURS.search(log):
        return None
    if not _OF_THE_CALL.search(log):
        last = len(text.rstrip().split("\n"))
        said = "The file ends in the middle of something: is there a `}`, a `)` or a `;` missing?"
        return HostRefusal(file, last, said)
    name = name_of(signature).rpartition("::")[2]
    wanted = f"`{_in_c(signature)}`"
    place = function_called(text, name)
    if place is None:
        near = nearest(name, _functions(text))
        other = function_called(text, near) if near else None
        but = f" The file has `{near}` (line {other.line}): the lab asks for the name `{name}`." if other else ""
        said = f"There is no function {wanted}.{but}"
        return HostRefusal(file, other.line if other else 0, f"{said} {_KEEP}", Verdict.MISSING_ENTRY_POINT)
    found = _signature(text, name)
    differs = f" {difference(signature, found)}" if found and found != signature.rpartition("::")[2] else ""
    said = f"`{name}` does not have the parameters that the lab asks for: expected {wanted}.{differs}".rstrip()
    return HostRefusal(file, place.line, f"{said} {_KEEP}", Verdict.MISSING_ENTRY_POINT)


def _tokens(text: str) -> Tokens:
    bare = "\n".join(StudentCode(text).bare)  # without comments
    return code_tokens(bare)


def _head(tokens: Tokens, name: str) -> Sequence[Token]:
    """The parameters of the function's definition."""
    for at, token in enumerate(tokens[:-1]):
        if token.text == name and tokens[at + 1].text == "(":
            end = closing(tokens, at + 1)
            if end + 1 < len(tokens) and tokens[end + 1].text in {"{", "noexcept"}:
                return tokens[at + 2 : end]
    return []


def _signature(text: str, name: str) -> str:
    """With the parameters' types as the compiler writes them, as far as words alone tell."""
    head = _head(_tokens(text), name)
    if not head:
        return ""
    return f"{name}({', '.join(_type([token.text for token in part]) for part in parts_of(head))})"


def _type(words: Sequence[str]) -> str:
    """`const float * a` as "float const*"."""
    kept = [one for one in words if one not in {"__restrict__", "__restrict", "restrict"}]
    stars = kept.count("*")
    before = kept[: kept.index("*")] if stars else kept[:-1] or kept
    plain = " ".join(one for one in before if one != "const")
    return plain + (" const" if "const" in before and stars else "") + "*" * stars


def _functions(text: str) -> list[str]:
    return list(
        dict.fromkeys(re.findall(r"^[^\S\n]*(?:[A-Za-z_][\w:<>*&\s\"]*\s[*&]*)([A-Za-z_]\w*)\s*\(", text, re.MULTILINE))
    )


def _in_c(signature: str) -> str:
    """Turns "f(float const*)" into "f(const float*)", which is how people write it."""
    return re.sub(r"((?:unsigned |signed |long )*\w+) const\b", r"const \1", signature)
