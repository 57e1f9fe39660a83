"""Puts together what is said of a file that does not compile: the first mistakes, each at its own place, without what only follows from
them. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.source.compiler_message import Diagnostic, Said
from grader.source.name_sentences import ERRORS, unknown_name
from grader.source.student_code import StudentCode
from grader.source.typos import foreign_sign, missing_sign, slip

COMPILER_SAYS = "The compiler says"


_NAMED = re.compile(r"^'(\w+)' was not declared|undeclared identifier '(\w+)'|identifier \"(\w+)\" is undefined")


def mistakes(errors: Sequence[Diagnostic], code: StudentCode, most: int) -> list[Said]:
    """At most `most`, in the file's order of messages; a line is named once."""
    said: list[Said] = []
    foreign = foreign_sign(code, frozenset(error.line for error in errors))
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
    found = slip(error, code) or next((said for _, said in ERRORS.said(error, code)), None)
    found = found or unknown_name(error, code) or missing_sign(error, code)
    own_words = re.sub(r"; did you mean .*$", "", error.text)
    return found or Said(code.word_at(error.line, error.column), f"{COMPILER_SAYS}: {own_words}")


def _follows(error: Diagnostic, said: Sequence[Said], code: StudentCode) -> bool:
    """Whether it complains of a name whose declaration is in a line that was complained of already."""
    match = _NAMED.search(error.text)
    name = next((text for text in match.groups() if text), "") if match else ""
    spoilt = {line for one in said for line in (one.place.line, one.place.line + 1)}
    return bool(spoilt & set(code.declarations(name))) if name else False
