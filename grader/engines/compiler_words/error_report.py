"""Puts together what is said of a file that does not compile: the first mistakes, each at its own place, without what only follows from
them. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.engines.compiler_words.compiler_message import Diagnostic
from grader.engines.compiler_words.foreign_signs import foreign_sign
from grader.engines.compiler_words.missing_signs import missing_sign
from grader.engines.compiler_words.sentences import sentence, spoken
from grader.engines.compiler_words.slips import slip
from grader.engines.compiler_words.told import Said
from grader.engines.compiler_words.unknown_names import unknown_name
from grader.engines.student_text.student_code import StudentCode

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
    found = slip(error, code) or sentence(error, code) or unknown_name(error, code) or missing_sign(error, code)
    return found or Said(code.word_at(error.line, error.column), spoken(error))


def _follows(error: Diagnostic, said: Sequence[Said], code: StudentCode) -> bool:
    """Whether it complains of a name whose declaration is in a line that was complained of already."""
    match = _NAMED.search(error.text)
    name = next((text for text in match.groups() if text), "") if match else ""
    spoilt = {line for one in said for line in (one.place.line, one.place.line + 1)}
    return bool(spoilt & set(code.declarations(name))) if name else False
