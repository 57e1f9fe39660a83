"""Reads the text that the compiler will read, token by token, and refuses what would escape the executor.

The text is the preprocessor's output: macros are expanded, so they can hide nothing, and exactly this text is compiled, with the kit's
calls before a kernel's returns (`kernel_returns.py`). This is not a parser, and not the only check: the object file is checked
afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from grader.engines.checks.token_stream import Token, tokens_of
from grader.engines.refusal import Refusal
from grader.model.verdicts import Verdict

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
# An array of variable length is an error by this warning; `variable_arrays.py` finds it all the same.
_ALLOWS_VLA = re.compile(r"#\s*pragma\s+(?:GCC|clang)\s+diagnostic\b.*-Wvla\b")
POWERFUL_PRAGMAS = re.compile(
    r"#\s*pragma\s+(GCC|clang|weak|redefine_extname|omp|acc|scalar_storage_order|comment|float_control|attribute)\b"
)
OWN_NAMES = re.compile(r"__(tsan|asan|ubsan|sanitizer|hwasan|emutls|llvm)_\w*|_*tilelab_\w*|__(start|stop)_tl\w*")
_HOST_ATOMICS = ("__atomic_", "__sync_", "__c11_atomic_", "__scoped_atomic_", "__opencl_atomic_", "__hip_atomic_")
_ASSEMBLY = frozenset({"asm", "__asm", "__asm__"})
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


def scan(
    preprocessed: str,
    file_name: str,
    folder: str = "",
    assembly: Mapping[int, Refusal | None] = MappingProxyType({}),
) -> Refusal | None:
    """The first reason not to compile this text, or None. `assembly`: for `asm` statements, by where they stand, why each cannot be
    compiled; None: something else is compiled in its place.
    """
    tokens = [
        token for token in tokens_of(preprocessed, file_name, folder) if token.kind in {"directive", "word", "sign"}
    ]
    prelude_seen = False
    for index, token in enumerate(tokens):
        if token.kind == "directive" and token.line == 0 and "pch_preprocess" in token.text and not prelude_seen:
            prelude_seen = True  # the line that -include put before the submission's first line
            continue
        if token.text in _ASSEMBLY and token.start in assembly:
            if refused := assembly[token.start]:
                return refused
            continue
        judge = _JUDGES.get(token.kind)
        refusal = judge(tokens, index) if judge else None
        if refusal:
            return refusal
    return None


def _directive(tokens: Sequence[Token], index: int) -> Refusal | None:
    text, line = tokens[index].text.strip(), tokens[index].line
    if not re.match(r"#\s*pragma\b", text):
        return None if text == "#" else _refuse(line, f"the directive `{text[:60]}` is not allowed here")
    if (POWERFUL_PRAGMAS.match(text) and not PRAGMAS.match(text)) or _ALLOWS_VLA.match(text):
        return _refuse(line, f"`{text[:60]}` would change how the kernel is compiled")
    return None  # an unknown pragma is ignored by every compiler


def _word(tokens: Sequence[Token], index: int) -> Refusal | None:
    word, line = tokens[index].text, tokens[index].line
    if word in _ASSEMBLY:
        return Refusal(
            Verdict.NEEDS_GPU,
            line,
            "Inline assembly cannot run on the CPU executor: this file has to be graded on a GPU.",
            "Everything the lab asks for can be written in CUDA C++.",
        )
    if word in {"__attribute__", "__attribute"}:
        return _attributes(tokens, index + 1)
    what = _forbidden_word(word, _text(tokens, index + 1))
    return _refuse(line, what) if what else None


def _forbidden_word(word: str, following: str) -> str | None:
    if word.startswith("__builtin_") and word.removeprefix("__builtin_") not in BUILTINS:
        return f"`{word}` is not a function of CUDA's device language"
    if word.startswith(_HOST_ATOMICS) or word == "_Atomic":
        return (
            f"`{word}` is not a function of CUDA's device language: use atomicAdd() and CUDA's other atomic functions"
        )
    if OWN_NAMES.fullmatch(word):
        return f"the name `{word}` is reserved for the grader"
    if word == "goto" and following == "*":
        return "a computed goto is not part of CUDA's device language"
    return None


def _sign(tokens: Sequence[Token], index: int) -> Refusal | None:
    """Two `[` in a row always begin an attribute, with or without blanks between them. `]]` may close nested subscripts."""
    if tokens[index].text == "[" and _text(tokens, index + 1) == "[":
        return _attributes(tokens, index)
    return None


_JUDGES: dict[str, Callable[[Sequence[Token], int], Refusal | None]] = {
    "directive": _directive,
    "word": _word,
    "sign": _sign,
}


def _attributes(tokens: Sequence[Token], start: int) -> Refusal | None:
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
                return _refuse(
                    token.line,
                    f"the attribute `{token.text}` is not allowed: it could hide from the grader what the kernel does",
                )
        elif depth < outer:
            return None  # no attribute list: the compiler will report it
    return None


def _names_a_scope(tokens: Sequence[Token], index: int) -> bool:
    """Whether the word is the `gnu` of [[gnu::unused]], or the `using` or the `gnu` of [[using gnu: unused]]."""
    word = tokens[index].text
    return word == "using" or (word.strip("_") in NAMESPACES and _text(tokens, index + 1) in {"::", ":"})


def _text(tokens: Sequence[Token], index: int) -> str:
    return tokens[index].text if index < len(tokens) else ""


def _refuse(line: int, what: str) -> Refusal:
    return Refusal(Verdict.REJECTED, line, what[0].upper() + what[1:] + ".", "Remove it; nothing in this lab needs it.")
