"""Removes the host code from a CUDA source: functions that are neither __global__ nor __device__ become blank lines.

This is for `tilelab check`, which runs one kernel of any file. It does not need main(), cudaMalloc() and <<<…>>>. The code here reads
braces and words, and does not parse C++. Code that it does not understand stays, and the compiler reports it. Line numbers stay too.
Submissions are never changed in this way: the compiler and the scans decide what they may contain.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from grader.source.lexer import Lexeme, Lexer, closings, with_changes

# Which tokens of a source file are read where the preprocessor has a choice: those of #if 0 are not, those of other branches are.

CONDITION = re.compile(r"[ \t]*#[ \t]*(?P<word>if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b[ \t]*(?P<of>[^\n]*)")

_MOST_CONDITIONS = 64  # in one another
_Branch = tuple[list[Lexeme], bool]  # a part between two of #if, #else and #endif, and whether it is after `#if 0`


def _read_tokens(tokens: Iterable[Lexeme]) -> list[Lexeme]:
    """Leaves out what stands in `#if 0`. Where the branches of a condition do not close the braces that they open, only the first is
    read: two heads of one function, for instance. All branches are read of conditions that are deeper in one another than any file's.
    """
    open_: list[list[_Branch]] = [[([], False)]]
    deeper = 0  # conditions that are open beyond the limit

    def close() -> None:
        branches = [tokens for tokens, dead in open_.pop() if not dead]
        texts = [[token.text for token in one if token.kind == "sign"] for one in branches]
        if any(one.count("{") != one.count("}") for one in texts):
            branches = branches[:1]
        open_[-1][-1][0].extend(token for one in branches for token in one)

    for token in tokens:
        condition = CONDITION.match(token.text) if token.kind == "directive" else None
        word = condition["word"] if condition else ""
        dead = condition is not None and condition["of"].strip() in {"0", "false"}
        if word and (deeper or (word.startswith("if") and len(open_) > _MOST_CONDITIONS)):
            deeper += word.startswith("if") - (word == "endif")
        elif word in {"if", "ifdef", "ifndef"}:
            open_.append([([], dead)])
        elif word.startswith("el") and len(open_) > 1:
            open_[-1].append(([], dead))
        elif word == "endif" and len(open_) > 1:
            close()
        elif token.kind not in {"comment", "directive"}:
            open_[-1][-1][0].append(token)
    while len(open_) > 1:
        close()
    return open_[0][0][0]


# The names that one declaration of C++ introduces, read from its words and signs. Nothing is parsed: where the names are not certain, the
# answer is None, and the declaration has to stay.

_TYPES = frozenset({"class", "struct", "union", "enum"})
_WITH_ARGUMENTS = frozenset({
    "__align__", "__attribute__", "__builtin_align__", "alignas", "__declspec", "decltype", "__launch_bounds__", "noexcept",
})  # fmt: skip
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_AFTER_A_NAME = frozenset({";", "=", "[", ",", "{", ":"})
_MOST_IN_ANGLES, _MOST_SCOPES = 400, 64  # tokens between < and >, and namespaces in one another
_WORD = re.compile(r"[^\W\d]\w*")
_SPECIFIERS = frozenset(
    {"static", "inline", "extern", "const", "constexpr", "constinit", "volatile", "typename", "final"}
)


def declared_names(texts: Sequence[str]) -> frozenset[str] | None:
    """`texts`: the declaration's words and signs. An empty set: nothing that another declaration could name."""
    head = _outer(texts)
    if not head or "operator" in head or head[:2] == ["using", "namespace"]:
        return None
    if head[0] in {"static_assert", "asm", "__asm__"}:
        return frozenset()
    if head[0] in {"using", "typedef"}:
        return frozenset(_of_alias(texts, head))
    kinds = _TYPES & set(head)
    if kinds and "{" in head and "(" not in head[: head.index("{")]:
        return frozenset(_of_type(texts, head))
    if "(" in head and ("=" not in head or head.index("(") < head.index("=")):
        return _of_function(texts, head)
    # `struct Body;` and `struct Body* all;` name the struct as well.
    return frozenset([*_declarators(head), *(word for word in head if kinds and _is_name(word))]) or None


def _of_alias(texts: Sequence[str], head: Sequence[str]) -> Iterator[str]:
    """A name for a type, or a name of another namespace."""
    if head[0] == "typedef":
        yield from filter(_is_name, [*head, *_inside(texts, "(", "[")])
    else:
        yield head[1] if "=" in head else next((word for word in reversed(head) if _is_name(word)), "")


def _of_type(texts: Sequence[str], head: Sequence[str]) -> Iterator[str]:
    """A class or an enumeration with its body, and the variables after it."""
    body = head.index("{")
    yield from filter(_is_name, head[:body])
    if "enum" in head:
        yield from filter(_is_name, _inside(texts, "{"))
    yield from _declarators(head[body + 1 :])


def _of_function(texts: Sequence[str], head: Sequence[str]) -> frozenset[str] | None:
    """A function, or an object that is made with parentheses: the word before the first `(`, and the classes that it is a member of."""
    at = head.index("(")
    inside = _inside(texts, "(")
    if at == 0 or not _is_name(head[at - 1]) or inside[:1] in (["*"], ["&"]):  # such as `int (*table[4])(int)`
        return frozenset(word for word in [*head, *inside] if _is_name(word))
    names, place = {head[at - 1]}, at - 1
    while place >= 2 and head[place - 1] == "::" and _is_name(head[place - 2]):  # noqa: PLR2004 -- a class and the `::` after it
        place -= 2
        names.add(head[place])
    if place == 0 and head[-1] == ";":
        return None  # a macro that stands for a declaration
    return frozenset(names)


def _declarators(head: Sequence[str]) -> Iterator[str]:
    for before, after in pairwise(head):
        if after in _AFTER_A_NAME | {"("} and _is_name(before):
            yield before


def _is_name(text: str) -> bool:
    return _WORD.fullmatch(text) is not None and text not in _TYPES and text not in _SPECIFIERS


def _outer(texts: Sequence[str]) -> list[str]:
    """The words and signs outside brackets, `template <…>`, `<…>` after a name, and attributes. Each bracket leaves its opening sign."""
    found: list[str] = []
    at = 0
    while at < len(texts):
        text = texts[at]
        if text == "<" and found and (found[-1] == "template" or _is_name(found[-1])) and "=" not in found:
            at = _past_angles(texts, at)
        elif text in _WITH_ARGUMENTS and at + 1 < len(texts) and texts[at + 1] == "(":
            at = _past(texts, at + 1)
        elif text == "[" and at + 1 < len(texts) and texts[at + 1] == "[":
            at = _past(texts, at)
        elif text in _OPENING:
            found.append(text)
            at = _past(texts, at)
        else:
            if text != "template":
                found.append(text)
            elif at + 1 < len(texts) and texts[at + 1] == "<":
                at = _past_angles(texts, at + 1)
                continue
            at += 1
    return found


def _past(texts: Sequence[str], opening: int) -> int:
    depth = 0
    for at in range(opening, len(texts)):
        depth += (texts[at] in _OPENING) - (texts[at] in _CLOSING)
        if depth == 0:
            return at + 1
    return len(texts)


def _past_angles(texts: Sequence[str], opening: int) -> int:
    some, depth, at = texts[opening : opening + _MOST_IN_ANGLES], 0, 0
    while at < len(some):
        if some[at] in _OPENING:
            at = _past(some, at)
            continue
        if some[at] in {";", ")", "}"}:
            break  # a comparison
        depth += (some[at] == "<") - (some[at] == ">")
        at += 1
        if depth == 0:
            return opening + at
    return opening + 1


def _inside(texts: Sequence[str], *openings: str) -> list[str]:
    """What stands in brackets of these kinds."""
    found: list[str] = []
    at = 0
    while at < len(texts):
        if texts[at] in _OPENING:
            end = _past(texts, at)
            if texts[at] in openings:
                found += texts[at + 1 : end - 1]
            at = end
        else:
            at += 1
    return found


_DEVICE_WORDS = frozenset({"__global__", "__device__"})
_COOPERATIVE = frozenset({"cudaLaunchCooperativeKernel", "cuLaunchCooperativeKernel", "cudaLaunchAttributeCooperative"})
_KEPT_WORDS = frozenset({"constexpr", "consteval"})  # a kernel may use such functions
_CLASSES = frozenset({"struct", "class", "union"})
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\([^)\n]*\))?[ \t]*((?:\\\n|[^\n])*)", re.MULTILINE)


@dataclass(frozen=True)
class Item:
    """One declaration or definition at the outermost level or in a namespace."""

    first: int  # offsets in the text, here and below
    end: int
    is_function: bool  # a function with a body
    on_device: bool  # whether it, or a part of it, is for the GPU
    kernel: str = ""  # its name, where it is a __global__ function
    scope: str = ""  # the namespaces around it: "lab::inner"
    declares: frozenset[str] | None = None  # the names that it introduces; None: they are not certain
    words: frozenset[str] = frozenset()  # every word in it

    @property
    def is_host(self) -> bool:
        """No kernel can call it."""
        return self.is_function and not self.on_device

    @property
    def qualified(self) -> str:
        """The kernel's name with its namespaces."""
        return f"{self.scope}::{self.kernel}" if self.scope else self.kernel


def items_of(source: str) -> list[Item]:
    """The items of a source, in their order."""
    return list(_Reader(source).items())


def launches_cooperatively(sources: Iterable[str]) -> bool:
    """Whether host code launches some kernel so that its blocks may wait for each other."""
    tokens = (token for source in sources for token in Lexer(source))
    return any(token.kind == "word" and token.text in _COOPERATIVE for token in tokens)


def kernels_in(source: str) -> list[str]:
    """The names of the __global__ functions with their namespaces, each once."""
    return list(dict.fromkeys(item.qualified for item in items_of(source) if item.kernel))


def without_host_functions(source: str) -> str:
    return blanked(source, [item for item in items_of(source) if item.is_host])


def without_host_members(source: str) -> str:
    """`Lock() { cudaMalloc(…); }` of a class becomes `Lock();`: a kernel needs its objects' members, and not their host code."""
    reader = _Reader(source)
    classes = ((first, end) for first, end, _, is_function in reader.spans() if not is_function)
    cuts = (cut for first, end in classes for cut in reader.host_members(first, end))
    return with_changes(source, ((one, end, ";" + re.sub(r"[^\n]", " ", source[one:end])[1:]) for one, end in cuts))


def macros_of(source: str) -> dict[str, frozenset[str]]:
    """The words that each macro stands for. A macro that is defined twice has the words of both."""
    found: dict[str, frozenset[str]] = {}
    for name, body in _MACRO.findall(source):
        found[name] = found.get(name, frozenset()) | frozenset(re.findall(r"[^\W\d]\w*", body))
    return found


def without_lines(source: str, lines: Collection[int], *, but: str = "") -> str:
    """Removes the items that contain one of these lines, if they are not for the GPU, or are a kernel other than `but`."""
    ends = [0, *accumulate(len(line) + 1 for line in source.split("\n"))]
    asked = [(ends[line - 1], ends[line]) for line in lines if 0 < line < len(ends)]
    others = (item for item in items_of(source) if not item.on_device or item.kernel not in {"", but})
    return blanked(source, [one for one in others if any(one.first < end and begin < one.end for begin, end in asked)])


def blanked(source: str, items: Sequence[Item]) -> str:
    """The source with blanks in place of these items, which are in their order. Conditions (#if) stay: they may begin or end outside."""
    changes = []
    for item in items:
        lines = source[item.first : item.end].split("\n")
        blanks = (line if at_line and CONDITION.match(line) else " " * len(line) for at_line, line in enumerate(lines))
        changes.append((item.first, item.end, "\n".join(blanks)))
    return with_changes(source, changes)


class _Reader:
    def __init__(self, source: str) -> None:
        self._tokens = _read_tokens(Lexer(source))
        self._closings = closings(token.text for token in self._tokens)
        marked = [name for name, words in macros_of(source).items() if _DEVICE_WORDS & words]
        self._device = _DEVICE_WORDS | set(marked)

    def items(self) -> Iterator[Item]:
        for first, end, scope, is_function in self.spans():
            tokens = self._tokens[first:end]
            texts = [token.text for token in tokens]
            head = texts[: texts.index("{")] if is_function else texts
            kernel = ""
            if is_function and "__global__" in head:  # the word before the last pair of parentheses outside attributes
                pairs = reversed(list(pairwise(_outer(head))))
                kernel = next((word for word, sign in pairs if sign == "(" and _WORD.fullmatch(word)), "")
            yield Item(
                first=tokens[0].at,
                end=tokens[-1].at + len(texts[-1]),
                is_function=is_function,
                on_device=not self._device.isdisjoint(head) or (is_function and not _KEPT_WORDS.isdisjoint(head)),
                kernel=kernel,
                scope=scope,
                declares=declared_names(texts),
                words=frozenset(token.text for token in tokens if token.kind == "word"),
            )

    def spans(self) -> Iterator[tuple[int, int, str, bool]]:
        """Where the tokens of each item begin and end, its namespaces, and whether it is a function with a body."""
        at = 0
        scopes: list[str] = []
        while at < len(self._tokens):
            if self._tokens[at].text in {";", "}"}:
                if self._tokens[at].text == "}" and scopes:
                    scopes.pop()
                at += 1  # the `}` of a namespace, or a stray semicolon
                continue
            body = self._body(at)
            if body < len(self._tokens) and self._opens_scope(at, body):
                words = [token.text for token in self._tokens[at:body]]
                scopes.append("".join(words[words.index("namespace") + 1 :]) if "namespace" in words else "")
                at = body + 1
                continue
            end, is_function = self._end(at, body)
            yield at, end, "::".join(filter(None, scopes[-_MOST_SCOPES:])), is_function
            at = end

    def host_members(self, first: int, end: int) -> Iterator[tuple[int, int]]:
        """Of host functions in the classes among these tokens: from behind the parameters to the end."""
        classes = [(first, end)]
        while classes:
            at, end = classes.pop()
            while at < end:
                body = self._body(at)
                stop, is_function = self._end(at, body)
                head = _outer([token.text for token in self._tokens[at:body]])
                if is_function and self._device.union(_KEPT_WORDS).isdisjoint(head):
                    last = self._tokens[stop - 1]
                    yield self._behind_parameters(at, body), last.at + len(last.text)
                elif (
                    not is_function and body < end and self._tokens[body].text == "{" and not _CLASSES.isdisjoint(head)
                ):
                    classes.append((body + 1, self._closing(body)))
                at = stop

    def _behind_parameters(self, first: int, body: int) -> int:
        """Where a constructor's initialisers begin, or the body."""
        depth, seen = 0, False
        for token in self._tokens[first:body]:
            depth += (token.text == "(") - (token.text == ")")
            seen = seen or token.text == ")"
            if token.text == ":" and seen and depth == 0:
                return token.at
        return self._tokens[body].at

    def _body(self, first: int) -> int:
        """The `{` or `;` after the head of the item that begins at `first`."""
        depth = 0
        for at in range(first, len(self._tokens)):
            text = self._tokens[at].text
            depth += (text in {"(", "["}) - (text in {")", "]"})
            if depth <= 0 and text in {"{", ";"} and self._tokens[at].kind == "sign":
                return at
        return len(self._tokens)

    def _opens_scope(self, first: int, body: int) -> bool:
        head = [token.text for token in self._tokens[first:body]]
        if self._tokens[body].text != "{":
            return False
        return "namespace" in head[:2] or (head[:1] == ["extern"] and len(head) == 2 and head[1].startswith('"'))  # noqa: PLR2004

    def _end(self, first: int, body: int) -> tuple[int, bool]:
        """The position after the item's last token, and whether it is a function with a body."""
        if body >= len(self._tokens) or self._tokens[body].text == ";":
            return min(body + 1, len(self._tokens)), False
        head = _outer([token.text for token in self._tokens[first:body]])
        # Behind a parameter list, and not behind the head of a class, an initialiser or an enumeration.
        is_function = "(" in head and ("=" not in head or "operator" in head)
        at = self._closing(body) + 1
        if is_function:
            while at < len(self._tokens) and self._tokens[at].text in {"{", ","}:  # members' initialisers, with braces
                at = self._closing(self._body(at)) + 1
            return at, True
        while at < len(self._tokens) and self._tokens[at].text != ";":
            at = self._closing(at) + 1 if self._tokens[at].text == "{" else at + 1
        return min(at + 1, len(self._tokens)), False

    def _closing(self, opening: int) -> int:
        return self._closings.get(opening, len(self._tokens) - 1)
