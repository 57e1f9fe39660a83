"""Slips of the pen that a line shows by itself, where a compiler says only that it expected something else: `=<`, a comma in a number, a
quotation mark that nobody closes. Looked for in lines with an error alone. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from grader.engines.compiler_words.compiler_message import Diagnostic
from grader.engines.compiler_words.told import Said
from grader.engines.student_text.cuda_vocabulary import BUILT_IN
from grader.engines.student_text.student_code import Place, StudentCode

_TYPE = r"(?:float|double|int|unsigned|long|size_t|bool|char|half|const|auto)"
_SIGNS = {"=<": "<=", "=>": ">=", "===": "==", "!==": "!=", "<>": "!="}
_OF_POINTERS = re.compile(r"'(?:const )?\w+ ?\*'|pointer")
_OF_SYNTAX = re.compile(r"expected|too many decimal|invalid suffix|literal")
_OF_TYPES = re.compile(r"does not name a type|type specifier|not declared|undeclared|expected")
_UNENDED = re.compile(r"unterminated (?:/\* )?(comment|#\w+|conditional directive)")

# What stands in the line, and what is said of it; \1 is the part in the expression's first group.
_PATTERNS: tuple[tuple[str, str, str], ...] = (
    (
        r"\b(if|while)\s*\([^()]*\)\s*(?:&&|\|\|)\s*\(",
        r"The whole condition of the `\1` has to stand in one pair of parentheses.",
        "Each ( ) inside it may stay.",
    ),
    (r"\b(if|while)\s+(?!constexpr\b)[^\s(]", r"The condition of the `\1` has to stand in parentheses ( ).", ""),
    (r"\b(\d+,\d+f?)\s*;", r"`\1` is no number in C++: it has a decimal point and no comma.", ""),
    (r"\b(\d+\.\d+\.\d*f?)", r"`\1` is no number in C++: it has two points.", ""),
    (
        r"\b(For|If|While|Else|Switch)\s*[({]",
        r"`\1` is no word of C++: its own words are written in small letters.",
        "",
    ),
    (
        rf"^\s*{_TYPE}\b[^;()]*=[^;]*,\s*({_TYPE})\s+\w+\s*=",
        r"After a comma, a declaration does not repeat its type: `\1` stands here once more.",
        "Leave the type out, or end the first declaration with `;`.",
    ),
    (
        r"((?<=\s)\w+\s*\[\s*\w+\s*,\s*\w+\s*\])\s*;",
        r"`\1` does not declare an array of two dimensions: each of them has brackets of its own.",
        "As in `name[rows][columns]`.",
    ),
    (
        rf"^\s*(?:const\s+)?{_TYPE}\s+(?!{_TYPE}\b)([^\W\d]\w*)\s+[\w(]",
        r"A `=` is missing behind `\1`: its value follows without it.",
        "",
    ),
    (r"\(\s*(?:[^()]*,)?\s*(\"[^\"]*\")\s+\w", r"A `,` is missing behind the text in quotation marks.", ""),
)
_TABLE = tuple((re.compile(pattern), what, advice) for pattern, what, advice in _PATTERNS)


def slip(error: Diagnostic, code: StudentCode) -> Said | None:
    rules: tuple[Callable[[Diagnostic, StudentCode], Said | None], ...] = (
        _unended,
        _sign,
        _parts,
        _pointer,
        _by_pattern,
        _head,
        _parameter,
    )
    return next((said for rule in rules if (said := rule(error, code))), None)


def _unended(error: Diagnostic, code: StudentCode) -> Said | None:
    match = _UNENDED.search(error.text)
    whole = code.line(error.line), code.raw(error.line)
    if match and match[1] == "comment":
        at = max(whole[1].find("/*"), 0)
        return Said(
            Place(error.line, at, at + 2),
            f"The comment that begins in line {error.line} is never closed: a `*/` is missing.",
        )
    if match:
        word = re.search(r"#\s*\w+", whole[0])
        place = Place(error.line, *word.span()) if word else code.word_at(error.line, error.column)
        return Said(place, f"The `{word[0] if word else '#if'}` in line {error.line} has no `#endif`.")
    if whole[1].lstrip().startswith("#include") and re.search(
        r"terminating|expected '>'|expected \"FILENAME", error.text
    ):
        return Said(
            Place(error.line, 0, len(whole[1])),
            'The name of a header is closed by a `>` or a `"`, which is missing here.',
        )
    plain = re.sub(r"\\.|'\"'", "", whole[1].split("//")[0])
    if plain.count('"') % 2:
        at = whole[1].index('"')
        return Said(
            Place(error.line, at, len(whole[1].rstrip())),
            "A quotation mark is missing: the text that begins here is not closed.",
        )
    return None


def _sign(error: Diagnostic, code: StudentCode) -> Said | None:
    found = re.search(r"(?<![<>=!])(===|!==|=<|=>|<>)(?![<>=])", code.line(error.line))
    if found is None:
        return None
    return Said(Place(error.line, *found.span()), f"`{found[1]}` is no sign of C++: it writes `{_SIGNS[found[1]]}`.")


def _parts(error: Diagnostic, code: StudentCode) -> Said | None:
    """`blockIdx * blockDim`."""
    whole = re.search(rf"\b({'|'.join(BUILT_IN[:4])})\b(?!\s*(?:[.\w(\[]|->))", code.line(error.line))
    if whole is None or not re.search(r"uint3|dim3|operand|convert|__cuda_builtin", error.text):
        return None
    what = f"`{whole[1]}` has the parts `x`, `y` and `z`: this line does not say which of them is meant."
    return Said(Place(error.line, *whole.span(1)), what)


def _pointer(error: Diagnostic, code: StudentCode) -> Said | None:
    """A pointer where one of its elements is meant: `C = sum`, `A * B`."""
    if not _OF_POINTERS.search(error.text) or not re.search(r"operand|convert|incompatible type", error.text):
        return None
    bare = code.line(error.line)
    for match in re.finditer(r"(?<![\w.])([^\W\d]\w*)(?!\s*[\[\w.])", bare):
        if any(
            re.search(rf"\*\s*(?:__restrict__\s+)?{match[1]}\b", code.line(line))
            for line in code.declarations(match[1])
        ):
            what = f"`{match[1]}` is a pointer, not a number: an element of its array is written with an index in [ ]."
            return Said(Place(error.line, *match.span(1)), what)
    return None


def _by_pattern(error: Diagnostic, code: StudentCode) -> Said | None:
    bare = code.line(error.line)
    untyped = re.search(r"__shared__\s+([^\W\d]\w*)\s*\[", bare)
    if untyped and _OF_TYPES.search(error.text):
        what = f"The declaration of `{untyped[1]}` does not say of which type its elements are."
        return Said(Place(error.line, *untyped.span(1)), what)
    if bare.lstrip().startswith("#") or not _OF_SYNTAX.search(error.text):
        return None
    for pattern, what, advice in _TABLE:
        if match := pattern.search(bare):
            return Said(Place(error.line, *match.span(1)), match.expand(what), advice)
    return None


def _head(error: Diagnostic, code: StudentCode) -> Said | None:
    """A `;` between a function's head and its body."""
    if not code.line(error.line).startswith("{"):
        return None
    before = code.before(error.line, 0)
    if code.token(before) != ";":
        return None
    what = f"The `;` at the end of line {before.line} ends the function before it has begun: the braces below belong to nothing."
    return Said(before, what)


def _parameter(error: Diagnostic, code: StudentCode) -> Said | None:
    """`const float* A const float* B`."""
    if not error.text.startswith("expected"):
        return None
    for match in re.finditer(rf"(?<=[\s*&])([^\W\d]\w*)\s+{_TYPE}\b", code.line(error.line)):
        if not re.fullmatch(
            rf"{_TYPE}|[a-z_]*__|void|return|static|unsigned|signed|LaunchConfig|inline|extern", match[1]
        ):
            what = f"A `,` is missing behind the parameter `{match[1]}`."
            return Said(Place(error.line, *match.span(1)), what)
    return None
