"""Reads the text that the compiler will read, token by token, and refuses what would escape the executor.

The text is the preprocessor's output: macros are expanded, so they can hide nothing, and exactly this text is compiled, with the kit's
calls before a kernel's returns (`changed_text.py`). This is not a parser, and not the only check: the object file is checked
afterwards.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

from grader.engines.refusal import Refusal, hiding_attribute, inline_assembly, rejected
from grader.model.verdicts import Verdict
from grader.source.lexer import Lexer, closings
from grader.source.student_code import StudentCode

# Splits the preprocessor's output into tokens, each with its line in the submission. Text of system headers is left out.

_LINE_MARKER = re.compile(r'#\s+(\d+)\s+"((?:[^"\\]|\\.)*)"([ \d]*)$')
_MARKER_LINE = re.compile(r'^# \d+ "', re.MULTILINE)
# What a submission's own text may hold. A lab's has some thousand tokens; a library's single header has a hundred thousand.
MAX_SOURCE = 2 << 20  # characters of a file
MAX_TOKENS = 250_000  # once macros are expanded
MAX_DEPTH = 256  # brackets in one another: Clang's own limit
_ROUGHLY, _MILLION = re.compile(r"\w+|[^\w\s]"), 1_000_000  # tokens that are only counted
# A submission could write files into these folders. They are no system headers, whatever a marker says.
_NEVER_SYSTEM = ("/proc/", "/dev/", "/sys/", "/run/")


class Token(NamedTuple):
    kind: str  # string, character, directive, word, number, sign
    text: str
    line: int  # in the submission; 0: in another file
    start: int  # where the token begins in the preprocessed text


class Tokens(list[Token]):
    """They do not change any more."""

    @cached_property
    def _closings(self) -> dict[int, int]:
        return closings(token.text for token in self)

    def closing(self, at: int) -> int:
        """The bracket that closes the one at `at`; behind the last token where none does."""
        return self._closings.get(at, len(self))

    def opening(self, at: int) -> int | None:
        """The bracket that the one at `at` closes."""
        return self._openings.get(at)

    @cached_property
    def _openings(self) -> dict[int, int]:
        return {end: begin for begin, end in self._closings.items()}

    def text(self, at: int) -> str:
        return self[at].text if at < len(self) else ""


def tokens_of(preprocessed: str, file_name: str, folder: str = "") -> Iterator[Token]:
    """`folder`: where the submission was preprocessed. Nothing in it is a system header.

    The submission's own file is no system header either, even where `#pragma GCC system_header` or a system header's macro made
    the compiler mark its text as one.
    """
    ours, line, at = True, 1, 0
    lexer = Lexer(preprocessed, preprocessed=True)
    for kind, text, start in lexer:
        line += preprocessed.count("\n", at, start)
        at = start
        if kind != "directive" or not (marker := _LINE_MARKER.match(text.strip())):
            yield Token(kind, text, line if ours else 0, start)
            continue
        path = posixpath.normpath(marker[2]) if marker[2] else ""
        ours = path.rsplit("/", 1)[-1] == file_name
        line = int(marker[1]) - 1  # the marker gives the number of the next line; its own newline comes before that
        reachable = not path.startswith("/") or path.startswith((*_NEVER_SYSTEM, *([f"{folder}/"] if folder else [])))
        if "3" in marker[3].split() and not ours and not reachable:
            following = _MARKER_LINE.search(preprocessed, lexer.at)
            lexer.at = following.start() if following else len(preprocessed)


def code_tokens(preprocessed: str, file_name: str = "", folder: str = "") -> Tokens:
    """Those of `tokens_of`, without directives."""
    return Tokens(one for one in tokens_of(preprocessed, file_name, folder) if one.kind != "directive")


def too_long(source: str) -> Refusal | None:
    """Why nobody reads this file; None: it is not that long."""
    if len(source) <= MAX_SOURCE:
        return None
    line = source.count("\n", 0, MAX_SOURCE) + 1
    what = f"The file is too large: {len(source):,} characters; at most {MAX_SOURCE:,} are read, which is up to line {line}."
    return Refusal(Verdict.COMPILE_ERROR, line, what, "Remove what the kernel does not need.")


def too_much(preprocessed: str, file_name: str, folder: str = "") -> Refusal | None:
    """The same of an expanded text. It is read as far as the limits reach."""
    depth, line = 0, 0
    for count, token in enumerate(tokens_of(preprocessed, file_name, folder), 1):
        line = token.line or line
        if count > MAX_TOKENS:
            all_of_it = MAX_TOKENS + sum(1 for _ in _ROUGHLY.finditer(preprocessed, token.start))
            has = f"{all_of_it / 1e6:.1f} million" if all_of_it >= _MILLION else f"{all_of_it:,}"
            what = (
                f"The file is too large once its macros are expanded: {has} tokens; at most {MAX_TOKENS:,} are read, which is up to "
                f"line {line}."
            )
            advice = "Look for a macro that expands others, or for code that a loop or a function could say once."
            return Refusal(Verdict.COMPILE_ERROR, line, what, advice)
        if token.kind == "sign":
            depth = max(0, depth + (token.text in _OPENING) - (token.text in _CLOSING))
            if depth > MAX_DEPTH:
                what = f"More than {MAX_DEPTH} brackets are open in one another in line {line}; no more are read."
                return Refusal(Verdict.COMPILE_ERROR, line, what, "Close some of them first: give a part a name.")
    return None


# Attributes that are allowed in __attribute__((…)) or [[…]]. They are about layout, inlining and diagnostics. None of them changes
# what is instrumented, where code is placed, or when it runs.
_ATTRIBUTE_NAMES = """
    aligned always_inline assume const deprecated fallthrough flatten hot cold likely may_alias maybe_unused nodiscard
    noinline nonnull noreturn no_unique_address packed pure returns_nonnull unlikely unused used warn_unused_result
    nv_diag_suppress retain
"""
ATTRIBUTES = frozenset(_ATTRIBUTE_NAMES.split())
NAMESPACES = frozenset({"gnu", "clang", "nv"})
_BUILTIN_NAMES = """
    abs labs llabs fabs fabsf fma fmaf sqrt sqrtf fmin fminf fmax fmaxf floor floorf ceil ceilf trunc truncf round roundf
    isnan isinf isfinite isnormal signbit signbitf huge_val huge_valf inf inff nan nanf expect expect_with_probability
    assume assume_aligned constant_p unreachable popcount popcountl popcountll clz clzl clzll ctz ctzl ctzll ffs ffsl
    ffsll bswap16 bswap32 bswap64 memcpy memset memmove offsetof is_constant_evaluated bit_cast types_compatible_p
    choose_expr prefetch add_overflow sub_overflow mul_overflow parity LINE FILE FUNCTION va_start va_end va_arg va_list
    addressof launder
"""
BUILTINS = frozenset(_BUILTIN_NAMES.split())
PRAGMAS = re.compile(
    r"#\s*pragma\s+(unroll|nounroll|once|nv_\w+|diag_\w+|hd_warning_disable|STDC|message|region|endregion|pack|push_macro|pop_macro"
    r"|GCC\s+(unroll|diagnostic|ivdep|poison|error|warning))\b"
)
# An array of variable length is an error by this warning; the proof would not follow its frame either.
_ALLOWS_VLA = re.compile(r"#\s*pragma\s+(?:GCC|clang)\s+diagnostic\b.*-Wvla\b")
POWERFUL_PRAGMAS = re.compile(
    r"#\s*pragma\s+(GCC|clang|weak|redefine_extname|omp|acc|scalar_storage_order|comment|float_control|attribute)\b"
)
OWN_NAMES = re.compile(r"__(tsan|asan|ubsan|sanitizer|hwasan|emutls|llvm)_\w*|_*tilelab_\w*|__(start|stop)_tl\w*")
_HOST_ATOMICS = ("__atomic_", "__sync_", "__c11_atomic_", "__scoped_atomic_", "__opencl_atomic_", "__hip_atomic_")
_ASSEMBLY = frozenset({"asm", "__asm", "__asm__"})
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


def scan(
    preprocessed: str, file_name: str, folder: str = "", assembly: Mapping[int, Refusal | None] = MappingProxyType({})
) -> Refusal | None:
    """The first reason not to compile this text, or None. `assembly`: for `asm` statements, by where they stand, why each cannot be
    compiled; None: something else is compiled in its place.
    """
    read = tokens_of(preprocessed, file_name, folder)
    tokens = Tokens(token for token in read if token.kind in {"directive", "word", "sign"})
    prelude_seen = False
    for index, token in enumerate(tokens):
        if token.kind == "directive" and token.line == 0 and "pch_preprocess" in token.text and not prelude_seen:
            prelude_seen = True  # the line that -include put before the submission's first line
            continue
        if token.text in _ASSEMBLY and token.start in assembly:
            if refused := assembly[token.start]:
                return refused
            continue
        refusal = None
        if token.kind == "directive":
            refusal = _directive(token.text.strip(), token.line)
        elif token.kind == "word":
            refusal = _word(tokens, index)
        elif token.text == "[" and tokens.text(index + 1) == "[":  # with or without blanks between: always an attribute
            refusal = _attributes(tokens, index)
        if refusal:
            return refusal
    return None


def _directive(text: str, line: int) -> Refusal | None:
    if not re.match(r"#\s*pragma\b", text):
        return None if text == "#" else rejected(line, f"the directive `{text[:60]}` is not allowed here")
    if (POWERFUL_PRAGMAS.match(text) and not PRAGMAS.match(text)) or _ALLOWS_VLA.match(text):
        return rejected(line, f"`{text[:60]}` would change how the kernel is compiled")
    return None  # an unknown pragma is ignored by every compiler


def _word(tokens: Tokens, index: int) -> Refusal | None:
    word, line = tokens[index].text, tokens[index].line
    if word in _ASSEMBLY:
        return inline_assembly(line)
    if word in {"__attribute__", "__attribute"}:
        return _attributes(tokens, index + 1)
    what = _forbidden_word(word, tokens.text(index + 1))
    return rejected(line, what) if what else None


def _forbidden_word(word: str, following: str) -> str | None:
    if word.startswith("__builtin_") and word.removeprefix("__builtin_") not in BUILTINS:
        return f"`{word}` is not a function of CUDA's device language"
    if word.startswith(_HOST_ATOMICS) or word == "_Atomic":
        others = "use atomicAdd() and CUDA's other atomic functions"
        return f"`{word}` is not a function of CUDA's device language: {others}"
    if OWN_NAMES.fullmatch(word):
        return f"the name `{word}` is reserved for the grader"
    if word == "goto" and following == "*":
        return "a computed goto is not part of CUDA's device language"
    return None


def _attributes(tokens: Tokens, start: int) -> Refusal | None:
    """Checks the attributes' names. These are the words at the depth of the list; words in arguments do not count."""
    depth, outer = 0, 2  # ((…)) and [[…]] both open two brackets
    for index in range(start, len(tokens)):
        token = tokens[index]
        if token.text in _OPENING:
            depth += 1
        elif token.text in _CLOSING:
            depth -= 1
            if depth < outer:
                return None
        elif depth == outer and token.kind == "word" and not _names_a_scope(tokens, index):
            if token.text.strip("_") not in ATTRIBUTES:
                return hiding_attribute(token.line, token.text)
        elif depth < outer:
            return None  # no attribute list: the compiler will report it
    return None


def _names_a_scope(tokens: Tokens, index: int) -> bool:
    """Whether the word is the `gnu` of [[gnu::unused]], or the `using` or the `gnu` of [[using gnu: unused]]."""
    word = tokens[index].text
    return word == "using" or (word.strip("_") in NAMESPACES and tokens.text(index + 1) in {"::", ":"})


# References to textures and surfaces as CUDA had them before version 12: `texture<float, 2> t;` in a file, `tex2D(t, x, y)` in a kernel.
# No compiler of today knows them, so they are a compile error, told with what takes their place.

_DECLARED = re.compile(
    r"^\s*(?:static\s+|extern\s+)*(?:texture\s*<[^;]*>|surface\s*<\s*void[^;]*>|textureReference\b)\s*(\w+)"
)
_ERROR_LINE = re.compile(r" error: ([^\n]*)")


def texture_reference(log: str, source: str) -> Refusal | None:
    """`log`: what a compiler says, after errors. The first reference of the file that it names, or that it stumbles over."""
    errors = "\n".join(_ERROR_LINE.findall(log))
    code = StudentCode(source)
    for line in range(1, len(code.lines) + 1):
        declared = _DECLARED.match(code.line(line))
        if declared is None:
            continue
        kind = "surface" if "surface" in declared[0] else "texture"
        which, use = f"{kind.title()}Object", _USE[kind]
        if re.search(rf"[\u2018'](?:{re.escape(declared[1])}|{kind}|textureReference)[\u2019']", errors):
            what = f"`{declared[1]}` is a {kind} reference of old CUDA. CUDA 12 removed them: no compiler of today knows them."
            how = f"`cuda{which}_t {kind[0]}`, which the host makes with cudaCreate{which}(), and {use}."
            return Refusal(Verdict.COMPILE_ERROR, line, what, f"Give the kernel a parameter {how}")
    return None


_USE = {
    "texture": "fetch with `tex2D<float>(t, x, y)`",
    "surface": "use `surf2Dread<float>(s, x * sizeof(float), y)`",
}
