"""The C++ that takes the place of a kernel's body in host code: it passes the addresses of its parameters on to the kit's library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.engines.checks.token_stream import Token

MARK = "tilelab_kernel_mark"  # a variable inside each stub: its symbol names the kernel exactly
_TYPE_WORDS = frozenset(
    {
        *("void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "auto", "wchar_t"),
        *(
            "const",
            "volatile",
            "__restrict__",
            "__restrict",
            "struct",
            "class",
            "union",
            "enum",
            "typename",
            "register",
        ),
    }
)
_NO_TYPES = frozenset({"const", "volatile", "typename", "struct", "class", "enum", "union", "register"})
_POINTS = frozenset({">", "*", "&", "&&"})
_OPENING, _CLOSING = frozenset("([{<"), frozenset(")]}>")


@dataclass(frozen=True)
class StubParameter:
    expression: str  # as an argument: "n", "rest..."
    added: str = ""  # a name for a parameter that has none
    place: int = 0  # where it goes in the text


def stub(parameters: Sequence[StubParameter]) -> str:
    listed = "".join(f", {one.expression}" for one in parameters)
    return f"{{ static char {MARK}; ::tilelab_host::launch_kernel(&{MARK}{listed}); }}"


def stub_parameters(tokens: Sequence[Token]) -> list[StubParameter]:
    """`tokens`: those between the parentheses."""
    parts = [part for part in _parts(tokens) if part]
    if [one.text for part in parts for one in part] == ["void"]:
        return []
    return [_parameter(part, number) for number, part in enumerate(parts)]


def _parts(tokens: Sequence[Token]) -> list[list[Token]]:
    """What stands between commas outside brackets."""
    parts: list[list[Token]] = [[]]
    depth, has_default = 0, False
    for token in tokens:
        has_default = has_default or (token.text == "=" and depth <= 0)
        if not (has_default and token.text in {"<", ">"}):  # a comparison, most likely
            depth += (token.text in _OPENING) - (token.text in _CLOSING)
        if token.text == "," and depth <= 0:
            parts.append([])
            has_default = False
        else:
            parts[-1].append(token)
    return parts


def _parameter(part: Sequence[Token], number: int) -> StubParameter:
    head = _before_default(part)
    dots = "..." if _has_dots(head) else ""
    if (inner := _in_parentheses(head)) is not None:  # float (*operation)(float), float (&rows)[4]
        words = [one for one in inner if one.kind == "word" and one.text not in _TYPE_WORDS]
        if words:
            return StubParameter(words[-1].text + dots)
        return _named(number, inner[-1].start + len(inner[-1].text), dots)
    outer = _outer(head)
    end = next((index for index, one in enumerate(outer) if one.text == "["), len(outer))
    last = outer[end - 1]
    is_name = last.kind == "word" and last.text not in _TYPE_WORDS and _is_behind_a_type(outer[: end - 1])
    if is_name:
        return StubParameter(last.text + dots)
    return _named(number, last.start + len(last.text), dots)


def _named(number: int, place: int, dots: str) -> StubParameter:
    name = f"tilelab_parameter_{number}"
    return StubParameter(name + dots, f" {name}", place)


def _before_default(part: Sequence[Token]) -> Sequence[Token]:
    depth = 0
    for index, token in enumerate(part):
        depth += (token.text in _OPENING) - (token.text in _CLOSING)
        if token.text == "=" and depth <= 0 and index > 0:
            return part[:index]
    return part


def _has_dots(head: Sequence[Token]) -> bool:
    """`Rest... rest`: three signs in a row."""
    return any(all(one.text == "." for one in head[at : at + 3]) for at in range(len(head) - 2))


def _in_parentheses(head: Sequence[Token]) -> Sequence[Token] | None:
    """What stands in `(*…)` or `(&…)`."""
    for at, token in enumerate(head[:-1]):
        if token.text == "(" and head[at + 1].text in {"*", "&", "&&"}:
            depth = 0
            for end in range(at, len(head)):
                depth += (head[end].text == "(") - (head[end].text == ")")
                if depth == 0:
                    return head[at + 1 : end]
    return None


def _outer(head: Sequence[Token]) -> list[Token]:
    """Without what stands in <…> and (…); the closing signs stay."""
    found, depth = list[Token](), 0
    for token in head:
        if token.text in {"<", "("}:
            depth += 1
        elif token.text in {">", ")"}:
            depth -= 1
        if depth == 0:
            found.append(token)
    return found


def _is_behind_a_type(words: Sequence[Token]) -> bool:
    """Whether a whole type stands before the last word, which is a name then."""
    if words and words[-1].text == "::":
        return False
    return any(one.text in _POINTS if one.kind != "word" else one.text not in _NO_TYPES for one in words)
