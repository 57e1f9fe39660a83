"""What is missing between two tokens: a `;` at the end of the line above, a bracket that nobody closed. Pure."""

from __future__ import annotations

import re

from grader.engines.compiler_words.compiler_message import Diagnostic
from grader.engines.compiler_words.open_brackets import bracket_mistake
from grader.engines.compiler_words.told import Said
from grader.engines.student_text.student_code import Place, StudentCode

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
    if _BRACKETS.search(error.text) and (found := bracket_mistake(code)):
        place, message = found
        return Said(
            place,
            message,
            "" if "{" not in message and "}" not in message else "Indent the file, and each { will stand above its }.",
        )
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
        place = code.word_at(error.line, error.column)
        return Said(place, "The three parts of a `for` are separated by `;`: for (start; condition; step).")
    if (last or closes) and code.token(before) not in _OPERATOR_END - {"}"}:
        return _missing(before, code)
    found = code.token(code.word_at(error.line, error.column))
    said = (
        f"After `{code.line(before.line)[: before.end].strip()[-30:]}` the compiler expects a `;` and finds `{found}`."
    )
    return Said(code.word_at(error.line, error.column), said) if found else None


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


def _missing(before: Place, code: StudentCode) -> Said:
    text = code.line(before.line).strip()
    return Said(before, f"A `;` is missing at the end of line {before.line}, after `{text[-_SHOWN:].strip()}`.")
