"""Puts together what is said of a file that does not compile: the first mistakes, each at its own place, without what only follows from
them. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.source.compiler_message import Diagnostic, MatchedMessage, Phrasebook, Said
from grader.source.cuda_vocabulary import BUILT_IN
from grader.source.name_sentences import ERRORS, PARTS_OF_FOR, unknown_name
from grader.source.student_code import Span, StudentCode

COMPILER_SAYS = "The compiler says"


_NAMED = re.compile(r"^'(\w+)' was not declared|undeclared identifier '(\w+)'|identifier \"(\w+)\" is undefined")


def mistakes(errors: Sequence[Diagnostic], code: StudentCode, most: int) -> list[Said]:
    """At most `most`, in the file's order of messages; a line is named once."""
    said: list[Said] = []
    foreign = next(foreign_signs(code, {error.line for error in errors}), None)
    for error in errors:
        if foreign and error.line >= foreign[0].line:
            break
        if not _follows(error, said, code):
            one = explained(error, code)
            if all(one.place.line != other.place.line for other in said):
                said.append(one)
        if len(said) == most:
            return said
    return [*said, Said(*foreign, "Type it again on a keyboard that is set to English.")][:most] if foreign else said


def explained(error: Diagnostic, code: StudentCode) -> Said:
    """By the first that knows it; else in the compiler's words, without its proposals: those are names of the C library."""
    found = typo_said(error, code) or next((said for _, said in ERRORS.said(error, code)), None)
    found = found or unknown_name(error, code) or missing_sign(error, code)
    own_words = re.sub(r"; did you mean .*$", "", error.text)
    return found or Said(code.word_at(error.line, error.column), f"{COMPILER_SAYS}: {own_words}")


def _follows(error: Diagnostic, said: Sequence[Said], code: StudentCode) -> bool:
    """Whether it complains of a name whose declaration is in a line that was complained of already."""
    match = _NAMED.search(error.text)
    name = next((text for text in match.groups() if text), "") if match else ""
    spoilt = {line for one in said for line in (one.place.line, one.place.line + 1)}
    return bool(spoilt & set(code.declarations(name))) if name else False


# Typos that a line shows by itself, where a compiler says only that it expected something else: `=<`, a comma in a number, a
# quotation mark that nobody closes. Looked for in lines with an error alone. Pure.

TYPOS = Phrasebook()  # looked for in their order
_TYPE = r"(?:float|double|int|unsigned|long|size_t|bool|char|half|const|auto)"
_SIGNS = {"=<": "<=", "=>": ">=", "===": "==", "!==": "!=", "<>": "!="}

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


def typo_said(error: Diagnostic, code: StudentCode) -> Said | None:
    return next((said for _, said in TYPOS.said(error, code)), None)


@TYPOS.says(r"unterminated (?:/\* )?(?P<what>comment|#\w+|conditional directive)", r"")
def _unended(told: MatchedMessage) -> Said | None:
    line, whole = told.error.line, told.code.raw(told.error.line)
    if told.group("what") == "comment":
        at = max(whole.find("/*"), 0)
        what = f"The comment that begins in line {line} is never closed: a `*/` is missing."
        return Said(told.part(at, at + 2), what)
    if told.group("what"):
        word = re.search(r"#\s*\w+", told.bare)
        place = told.part(*word.span()) if word else told.at()
        return Said(place, f"The `{word[0] if word else '#if'}` in line {line} has no `#endif`.")
    is_include = whole.lstrip().startswith("#include")
    if is_include and re.search(r"terminating|expected '>'|expected \"FILENAME", told.error.text):
        what = 'The name of a header is closed by a `>` or a `"`, which is missing here.'
        return Said(told.part(0, len(whole)), what)
    if re.sub(r"\\.|'\"'", "", whole.split("//")[0]).count('"') % 2:
        what = "A quotation mark is missing: the text that begins here is not closed."
        return Said(told.part(whole.index('"'), len(whole.rstrip())), what)
    return None


@TYPOS.says(r"")
def _sign(told: MatchedMessage) -> Said | None:
    found = re.search(r"(?<![<>=!])(?<!template)(?<!template )(===|!==|=<|=>|<>)(?![<>=])", told.bare)
    if found is None:
        return None
    return Said(told.part(*found.span()), f"`{found[1]}` is no sign of C++: it writes `{_SIGNS[found[1]]}`.")


TYPOS.row(  # `blockIdx * blockDim`
    r"uint3|dim3|operand|convert|__cuda_builtin",
    line=rf"\b(?P<at>{'|'.join(BUILT_IN[:4])})\b(?!\s*(?:[.\w(\[]|->))",
    what="`{at}` has the parts `x`, `y` and `z`: this line does not say which of them is meant.",
)


@TYPOS.says(r"(?s)(?=.*(?:'(?:const )?\w+ ?\*'|pointer))(?=.*(?:operand|convert|incompatible type))")
def _pointer(told: MatchedMessage) -> Said | None:
    """A pointer where one of its elements is meant: `C = sum`, `A * B`."""
    for match in re.finditer(r"(?<![\w.])([^\W\d]\w*)(?!\s*[\[\w.])", told.bare):
        pointer = rf"\*\s*(?:__restrict__\s+)?{match[1]}\b"
        if any(re.search(pointer, told.code.line(line)) for line in told.code.declarations(match[1])):
            what = f"`{match[1]}` is a pointer, not a number: an element of its array is written with an index in [ ]."
            return Said(told.part(*match.span(1)), what)
    return None


TYPOS.row(
    r"does not name a type|type specifier|not declared|undeclared|expected",
    line=r"__shared__\s+(?P<at>[^\W\d]\w*)\s*\[",
    what="The declaration of `{at}` does not say of which type its elements are.",
)


@TYPOS.says(r"expected|too many decimal|invalid suffix|literal")
def _by_pattern(told: MatchedMessage) -> Said | None:
    for pattern, what, advice in _TABLE if not told.bare.lstrip().startswith("#") else ():
        if match := pattern.search(told.bare):
            return Said(told.part(*match.span(1)), match.expand(what), advice)
    return None


@TYPOS.says(r"")
def _head(told: MatchedMessage) -> Said | None:
    """A `;` between a function's head and its body."""
    before = told.code.before(told.error.line, 0)
    if not told.bare.startswith("{") or told.code.token(before) != ";":
        return None
    what = f"The `;` at the end of line {before.line} ends the function before it has begun: the braces below belong to nothing."
    return Said(before, what)


@TYPOS.says(r"^expected")
def _parameter(told: MatchedMessage) -> Said | None:
    """`const float* A const float* B`."""
    no_name = rf"{_TYPE}|[a-z_]*__|void|return|static|unsigned|signed|LaunchConfig|inline|extern"
    for match in re.finditer(rf"(?<=[\s*&])([^\W\d]\w*)\s+{_TYPE}\b", told.bare):
        if not re.fullmatch(no_name, match[1]):
            return Said(told.part(*match.span(1)), f"A `,` is missing behind the parameter `{match[1]}`.")
    return None


# Signs that look like others and are not the same to a compiler: full-width signs, typographic quotes, special blanks, letters of
# other alphabets. Outside comments and strings. Pure.

_FOREIGN_SIGNS_SIGNS = {
    "\N{LEFT DOUBLE QUOTATION MARK}": '"', "\N{RIGHT DOUBLE QUOTATION MARK}": '"', "\N{DOUBLE LOW-9 QUOTATION MARK}": '"',
    "\N{LEFT SINGLE QUOTATION MARK}": "'", "\N{RIGHT SINGLE QUOTATION MARK}": "'", "\N{ACUTE ACCENT}": "'",
    "\N{LEFT-POINTING DOUBLE ANGLE QUOTATION MARK}": '"', "\N{RIGHT-POINTING DOUBLE ANGLE QUOTATION MARK}": '"',
    "\N{HYPHEN}": "-", "\N{NON-BREAKING HYPHEN}": "-", "\N{EN DASH}": "-", "\N{EM DASH}": "-", "\N{MINUS SIGN}": "-",
    "\N{MULTIPLICATION SIGN}": "*", "\N{ASTERISK OPERATOR}": "*", "\N{MIDDLE DOT}": "*", "\N{DOT OPERATOR}": "*",
    "\N{DIVISION SIGN}": "/", "\N{FRACTION SLASH}": "/", "\N{DIVISION SLASH}": "/", "\N{LESS-THAN OR EQUAL TO}": "<=",
    "\N{GREATER-THAN OR EQUAL TO}": ">=", "\N{NOT EQUAL TO}": "!=", "\N{HORIZONTAL ELLIPSIS}": "...", "\N{GREEK QUESTION MARK}": ";",
    "\N{LEFT BLACK LENTICULAR BRACKET}": "[", "\N{RIGHT BLACK LENTICULAR BRACKET}": "]", "\N{IDEOGRAPHIC COMMA}": ",",
    "\N{IDEOGRAPHIC FULL STOP}": ".", "\N{ARABIC SEMICOLON}": ";", "\N{ARABIC COMMA}": ",", "\N{RIGHTWARDS ARROW}": "->",
}  # fmt: skip
_FULL_WIDTH = range(0xFF01, 0xFF5F)
_LETTERS = dict(
    zip("АВЕКМНОРСТХаеорсухіјѕΑΒΕΖΗΙΚΜΝΟΡΤΥΧο", "ABEKMHOPCTXaeopcyxijsABEZHIKMNOPTYXo", strict=True)  # noqa: RUF001 -- the point
)
_WORD = re.compile(r"[^\W\d]\w*")


def foreign_signs(code: StudentCode, lines: set[int]) -> Iterator[tuple[Span, str]]:
    """Each with a sentence. Letters count on `lines` only, where the compiler complained: elsewhere they are a choice."""
    for number, bare in enumerate(code.bare, 1):
        if bare.isascii():
            continue
        for at, sign in enumerate(bare):
            if not sign.isascii() and (said := _said(sign)):
                yield Span(number, at, at + 1), said
        if number in lines:
            for match in _WORD.finditer(bare):
                for at, letter in enumerate(match[0]):
                    if letter in _LETTERS:
                        yield Span(number, match.start(), match.end()), _of_letter(match[0], letter, at)


def _said(sign: str) -> str:
    point = f"U+{ord(sign):04X}"
    if ord(sign) in _FULL_WIDTH:
        plain = chr(ord(sign) - 0xFEE0)
        return f"`{sign}` is a full-width sign ({point}). C++ knows only the plain `{plain}`."
    if sign in _FOREIGN_SIGNS_SIGNS:
        return f"`{sign}` ({point}) only looks like `{_FOREIGN_SIGNS_SIGNS[sign]}`. C++ knows only the plain sign."
    category = unicodedata.category(sign)
    if category == "Zs":
        return f"A special space stands here ({unicodedata.name(sign, 'space').lower()}, {point}). C++ knows only the plain space."
    if category == "Cf":
        name = unicodedata.name(sign, "no name").lower()
        return f"An invisible sign stands here ({name}, {point}). Delete it and what is around it, and type the line again."
    return ""


def _of_letter(word: str, letter: str, at: int) -> str:
    alphabet = unicodedata.name(letter).split(" ", 1)[0].capitalize()
    where = "is" if len(word) == 1 else f"has, as letter {at + 1},"
    return f"`{word}` {where} a {alphabet} letter that only looks like the Latin `{_LETTERS[letter]}`: for C++ it is another name."


# The bracket that nobody closes, or that closes nothing. Indentation tells which of several it is. Pure.

_PAIRS = {")": "(", "]": "[", "}": "{"}
_CLOSING = {opening: closing for closing, opening in _PAIRS.items()}
_LAMBDA = re.compile(r"\[[^\]]*\]\s*(?:\([^)]*\))?\s*(?:mutable\s*)?(?:->\s*\w+\s*)?$")


@dataclass(frozen=True)
class _Open:
    sign: str
    place: Span
    indent: int
    loop_head: bool  # the ( of a for, in which ; may stand


class _Reader:
    """Reads brackets in their order, with those that wait for their other half. Its mistakes: a place, and a sentence about it."""

    def __init__(self, code: StudentCode) -> None:
        self._code = code
        self._lines = [(n, bare) for n, bare in enumerate(code.bare, 1) if not bare.lstrip().startswith("#")]
        self._waiting: list[_Open] = []
        self._too_few = sum(bare.count("{") - bare.count("}") for _, bare in self._lines) > 0

    def first_mistake(self) -> tuple[Span, str] | None:
        for number, bare in self._lines:
            indent = len(bare.expandtabs(4)) - len(bare.expandtabs(4).lstrip())
            for at, sign in enumerate(bare):
                place = Span(number, at, at + 1)
                found = None
                if sign in "([{":
                    found = self._opens(sign, place, bare[:at], indent)
                elif sign in ")]}":
                    found = self._closes(sign, place, bare[:at], indent)
                elif (
                    sign == ";" and self._waiting and self._waiting[-1].sign in "([" and not self._waiting[-1].loop_head
                ):
                    found = _unclosed(self._waiting[-1], self._code)
                if found:
                    return found
        return _unclosed(self._waiting[-1], self._code) if self._waiting else None

    def _opens(self, sign: str, place: Span, before: str, indent: int) -> tuple[Span, str] | None:
        last = self._waiting[-1] if self._waiting else None
        if sign == "{" and last and last.sign == "(" and before.rstrip().endswith(")") and not _LAMBDA.search(before):
            return _unclosed(last, self._code)
        heads = indent == 0 and re.match(r"[_A-Za-z].*\(", before)  # a function's, at the margin
        if sign == "{" and self._too_few and last and last.sign == "{" and last.indent == 0 and heads:
            return _unclosed(last, self._code)
        self._waiting.append(_Open(sign, place, indent, sign == "(" and re.search(r"\bfor\s*$", before) is not None))
        return None

    def _closes(self, sign: str, place: Span, before: str, indent: int) -> tuple[Span, str] | None:
        if not self._waiting:
            return place, f"This `{sign}` closes nothing: there is one `{sign}` too many, here or above."
        last = self._waiting[-1]
        if last.sign != _PAIRS[sign]:
            if any(one.sign == _PAIRS[sign] for one in self._waiting):
                return _unclosed(last, self._code)
            stands = f"This `{sign}` stands where the `{last.sign}` of line {last.place.line}"
            return place, f"{stands} has to be closed by a `{_CLOSING[last.sign]}`."
        self._waiting.pop()
        too_deep = sign == "}" and not before.strip() and last.indent > indent
        return _unclosed(last, self._code) if too_deep and self._too_few else None


def _unclosed(one: _Open, code: StudentCode) -> tuple[Span, str]:
    of = ""
    if one.sign == "{":
        opened = code.line(one.place.line)[: one.place.start].strip() or code.line(one.place.line - 1).strip()
        if word := re.search(r"(?:\b(?:if|for|while|else|do|switch)\b|(\w+)\s*\([^()]*\)\s*$)", opened):
            of = f" of `{word[1] or word[0]}`"
    closing = _CLOSING[one.sign]
    return one.place, f"The `{one.sign}`{of} in line {one.place.line} is not closed: a `{closing}` is missing."


# What is missing between two tokens: a `;` at the end of the line above, a bracket that nobody closed. Pure.

_SEMICOLON = re.compile(
    r"expected (?:'[,=]'(?:,| or) )*(?:or )?';'|expected an? \";\"|expected initializer before"
    r"|expected (?:'[^']+', )+.*'__attribute__' before"
)
_BRACKETS = re.compile(
    r"expected '?[\])}]|expected a \"[\])}]\"|at end of input|extraneous closing|does not match any|function.definition is not allowed"
    r"|expected (?:a )?(?:declaration|statement)|expected (?:unqualified-id|primary-expression) before '[})\]]'|end of file|qualified-id"
)
_SHOWN = 40  # characters of a line
_OPERATOR_END = frozenset("=+-*/%&|^<>,([{!?:~.;}")


def missing_sign(error: Diagnostic, code: StudentCode) -> Said | None:
    if _BRACKETS.search(error.text) and (found := _Reader(code).first_mistake()):
        indent = "Indent the file, and each { will stand above its }."
        return Said(*found, indent if {"{", "}"} & set(found[1]) else "")
    if _SEMICOLON.search(error.text):
        return _semicolon(error, code)
    return _above(error, code)


def _semicolon(error: Diagnostic, code: StudentCode) -> Said | None:
    before = code.before(error.line, _unexpanded(error, code))
    if before.line == 0:
        return None
    last = not code.line(before.line)[before.end :].strip()
    closes = code.line(before.line)[before.end :].lstrip().startswith("}")
    if re.search(r"\bfor\s*\(", code.line(before.line)) and "(" in code.line(before.line)[: before.start] and not last:
        return Said(code.word_at(error.line, error.column), PARTS_OF_FOR)
    if (last or closes) and code.token(before) not in _OPERATOR_END - {"}"}:
        return _missing(before, code)
    place = code.word_at(error.line, error.column)
    after, found = code.line(before.line)[: before.end].strip()[-30:], code.token(place)
    return Said(place, f"After `{after}` the compiler expects a `;` and finds `{found}`.") if found else None


def _unexpanded(error: Diagnostic, code: StudentCode) -> int:
    """The column; the end of the line where a macro in it made the compiler count otherwise and no `;` follows."""
    bare = code.line(error.line)
    macros = {name for _, name, _ in code.macros()}
    expanded = re.search(r"\b__\w+__\b", bare) or any(word in macros for word in re.findall(r"\w+", bare))
    starts = not bare[: max(error.column, 0)].strip()
    return len(bare) if expanded and not starts and ";" not in bare[error.column :] else error.column


def _above(error: Diagnostic, code: StudentCode) -> Said | None:
    """A message about the first token of a line, where the line above does not end as a statement does."""
    if not error.text.startswith("expected") or code.line(error.line)[: max(error.column, 0)].strip():
        return None
    before = code.before(error.line, 0)
    if before.line == 0 or code.token(before) in _OPERATOR_END or code.line(before.line).rstrip().endswith(")"):
        return None
    return _missing(before, code)


def _missing(before: Span, code: StudentCode) -> Said:
    text = code.line(before.line).strip()
    return Said(before, f"A `;` is missing at the end of line {before.line}, after `{text[-_SHOWN:].strip()}`.")
