"""Reads what the compiler is about to read, token by token, and refuses what would escape the executor.

It works on the preprocessor's output, where macros are expanded and nothing hides any more, and that same text is what
gets compiled. Text from system headers is skipped; so that nobody can pretend to be one, line markers written by hand
are refused in the source itself. Not a parser, and not the only guard: the object file is checked afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grader.engines.refusal import Refusal
from grader.result import Verdict

# What may stand in __attribute__((…)) or [[…]]: layout, inlining and diagnostics, nothing that changes what is
# instrumented, where code goes, or when it runs.
ATTRIBUTES = frozenset(
    "aligned always_inline assume const deprecated fallthrough flatten hot cold likely may_alias maybe_unused nodiscard noinline "
    "nonnull noreturn packed pure returns_nonnull unlikely unused used warn_unused_result gnu clang nv_diag_suppress".split()
)
BUILTINS = frozenset(
    "abs labs llabs fabs fabsf fma fmaf sqrt sqrtf fmin fminf fmax fmaxf floor floorf ceil ceilf trunc truncf round roundf "
    "isnan isinf isfinite isnormal signbit signbitf huge_val huge_valf inf inff nan nanf expect expect_with_probability assume "
    "assume_aligned constant_p unreachable popcount popcountl popcountll clz clzl clzll ctz ctzl ctzll ffs ffsl ffsll bswap16 "
    "bswap32 bswap64 memcpy memset memmove offsetof is_constant_evaluated bit_cast types_compatible_p choose_expr prefetch "
    "add_overflow sub_overflow mul_overflow parity LINE FILE FUNCTION va_start va_end va_arg va_list addressof launder".split()
)
PRAGMAS = re.compile(r"#\s*pragma\s+(unroll|nounroll|once|nv_\w+|diag_\w+|hd_warning_disable|STDC|message|region|endregion|GCC\s+(unroll|diagnostic|ivdep|poison|error|warning))\b")
OWN_NAMES = re.compile(r"__(tsan|asan|ubsan|sanitizer|hwasan|emutls)_\w*|_*tilelab_\w*|__(start|stop)_tl\w*")

TOKEN = re.compile(
    r"""(?P<string>(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)"|(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*")"""
    r"""|(?P<character>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)*')"""
    r"""|(?P<directive>^[ \t]*\#[^\n]*)"""
    r"""|(?P<word>[^\W\d]\w*)"""
    r"""|(?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)"""
    r"""|(?P<newline>\n)"""
    r"""|(?P<sign>\[\[|\]\]|&&|::|->|[^\s\w])""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
LINE_MARKER = re.compile(r'#\s+(\d+)\s+"((?:[^"\\]|\\.)*)"([ \d]*)$')
HAND_WRITTEN_MARKER = re.compile(r"^\s*(?:#|%:|\?\?=)\s*(?:line\b|\d)", re.MULTILINE)
HIDDEN = re.compile(r"/\*.*?\*/|//(?:[^\\\n]|\\.)*|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.DOTALL)


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    line: int  # of the submission


def tokens_of(preprocessed: str, file_name: str) -> Iterator[Token]:
    """The tokens that do not come from a system header; `line` is 0 for text from other files."""
    line, ours, system = 1, True, False
    for match in TOKEN.finditer(preprocessed):
        kind, text = match.lastgroup or "", match.group()
        if kind == "delimiter":
            kind = "string"
        if kind == "newline":
            line += 1
            continue
        if kind == "directive":
            marker = LINE_MARKER.match(text.strip())
            if marker:
                # The marker speaks of the next line; its own newline comes first.
                line, ours, system = int(marker[1]) - 1, marker[2].rsplit("/", 1)[-1] == file_name, "3" in marker[3].split()
                continue
        if not system:
            yield Token(kind, text, line if ours else 0)
        line += text.count("\n")


def hand_written_marker(source: str) -> int:
    """The line of the first `#line` or `# 33 "file"` in the source itself; 0 for none."""
    spliced = re.sub(r"\\[ \t]*\n", "  ", source)  # keeps no line numbers after a splice: good enough for a refusal
    bare = HIDDEN.sub(lambda match: "\n" * match.group().count("\n") if match.group()[0] == "/" else '""', spliced)
    found = HAND_WRITTEN_MARKER.search(bare)
    return bare.count("\n", 0, found.end()) + 1 if found else 0


def scan(preprocessed: str, file_name: str) -> Refusal | None:
    """The first reason not to compile this text; None when there is none."""
    tokens = [token for token in tokens_of(preprocessed, file_name) if token.kind not in {"string", "character", "number"}]
    prelude_seen = False
    for index, token in enumerate(tokens):
        if token.kind == "directive":
            if "pch_preprocess" in token.text and not prelude_seen:
                prelude_seen = True  # the one that -include put before the first line
                continue
            refusal = _directive(token)
        elif token.kind == "word":
            refusal = _word(token, tokens, index)
        elif token.text == "[[":
            refusal = _attributes(tokens, index + 1, "]]", token.line)
        elif token.text == "goto":
            refusal = None
        else:
            refusal = None
        if refusal:
            return refusal
    return None


def _directive(token: Token) -> Refusal | None:
    text = token.text.strip()
    if not re.match(r"#\s*pragma\b", text) or PRAGMAS.match(text):
        return None if re.match(r"#\s*pragma\b", text) or text == "#" else _refuse(token.line, f"the directive `{text[:60]}` is not allowed here")
    if re.match(r"#\s*pragma\s+(GCC|clang|weak|redefine_extname|pack|push_macro|pop_macro)\b", text):
        if re.match(r"#\s*pragma\s+(pack|push_macro|pop_macro)\b", text):
            return None
        return _refuse(token.line, f"`{text[:60]}` would change how the kernel is compiled")
    return None  # an unknown pragma is ignored by every compiler


def _word(token: Token, tokens: list[Token], index: int) -> Refusal | None:
    word = token.text
    if word in {"asm", "__asm", "__asm__"}:
        return Refusal(
            Verdict.NEEDS_GPU,
            token.line,
            "inline assembly cannot run on the CPU executor: this file has to be graded on a GPU.",
            "Everything the lab asks for can be written in CUDA C++.",
        )
    if word in {"__attribute__", "__attribute"}:
        return _attributes(tokens, index + 1, ")", token.line)
    if word.startswith("__builtin_") and word.removeprefix("__builtin_") not in BUILTINS:
        return _refuse(token.line, f"`{word}` is not a function of CUDA's device language")
    if word.startswith(("__atomic_", "__sync_")) and word != "__sync_synchronize":
        return _refuse(token.line, f"`{word}` is not a function of CUDA's device language: use atomicAdd() and its kin")
    if OWN_NAMES.fullmatch(word):
        return _refuse(token.line, f"the name `{word}` is reserved for the grader")
    if word == "goto" and index + 1 < len(tokens) and tokens[index + 1].text == "*":
        return _refuse(token.line, "a computed goto is not part of CUDA's device language")
    return None


def _attributes(tokens: list[Token], start: int, end: str, line: int) -> Refusal | None:
    depth = 0
    for token in tokens[start:]:
        if token.text == "(":
            depth += 1
        elif token.text == ")":
            depth -= 1
            if end == ")" and depth <= 0:
                return None
        elif token.text == end and depth == 0:
            return None
        elif token.kind == "word" and depth <= 2 and (depth == 2 or end == "]]" and depth == 0):  # noqa: PLR2004 - the attribute's own name
            name = token.text.strip("_")
            if name not in ATTRIBUTES:
                return _refuse(line, f"the attribute `{token.text}` is not allowed: it could change what the grader sees of the kernel")
    return None


def _refuse(line: int, what: str) -> Refusal:
    return Refusal(Verdict.REJECTED, line, what[0].upper() + what[1:] + ".", "Remove it; nothing in this lab needs it.")
