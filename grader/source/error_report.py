"""Puts together what is said of a file that does not compile: the first mistakes, each at its own place, without what only follows from
them. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from grader.source import name_sentences as arrays
from grader.source import name_sentences as names
from grader.source import name_sentences as values
from grader.source.compiler_message import Diagnostic, MatchedMessage, Said
from grader.source.name_sentences import unknown_name
from grader.source.student_code import StudentCode
from grader.source.typos import foreign_sign, missing_sign, slip

# What a compiler's message means, in the words of the lab: a table of messages of GCC, Clang and nvcc, and who says what of each. Pure.
#
# Unknown names have a file of their own, `name_sentences.py`; what is missing between two statements is told by `typos.py`.

COMPILER_SAYS = "The compiler says"
_KEYWORDS = "new|delete|class|this|template|operator|case|default|register|private|public|union|enum|struct|try|catch|throw|using|typename"
# Who says it, and the messages that are meant: first those of GCC, then of Clang, then of nvcc.
_ROWS: tuple[tuple[Callable[[MatchedMessage], Said | None], tuple[str, ...]], ...] = (
    (
        names.header,
        (
            r"^'?(?P<a>[\w./+-]+): No such file or directory",
            r"'(?P<b>[^']+)' file not found",
            r'cannot open source file "(?P<c>[^"]+)"',
        ),
    ),
    (
        names.macro_constant,
        (
            r"^expected ",
            r"was not declared",
            r"^use of undeclared",
            r'^identifier "',
            r"unknown type name",
            r"^invalid ",
            r"^missing ",
        ),
    ),
    (
        names.member,
        (
            r"'(?P<of_a>[^']*)' has no member named '(?P<a>\w+)'",
            r"no member named '(?P<b>\w+)' in '(?P<of_b>[^']+)'",
            r'(?:class|struct) "(?P<of_c>[^"]+)" has no member "(?P<c>\w+)"',
        ),
    ),
    (
        names.std,
        (
            r"'(?P<a>\w+)' is not a member of 'std'",
            r"no (?:member|type|template) named '(?P<b>\w+)' in namespace 'std'",
            r'namespace "std" has no member "(?P<c>\w+)"',
        ),
    ),
    (
        arrays.index_type,
        (
            r"invalid types '[^']*\[(?:float|double)\]' for array subscript",
            r"array subscript is not an integer",
            r"expression must have integral or unscoped enum type",
        ),
    ),
    (
        arrays.subscript,
        (
            r"invalid types '[^'*]*\[[^']*\]' for array subscript",
            r"subscripted value is not an array",
            r"expression must have pointer-to-object type",
        ),
    ),
    (
        arrays.vector_subscript,
        (r"no match for 'operator\[\]'", r"does not provide a subscript operator", r'no operator "\[\]" matches'),
    ),
    (
        names.arrow,
        (
            r"base operand of '->' has non-pointer type",
            r"member reference type '[^']*' is not a pointer",
            r'operator "->" or "->\*" applied',
            r"expression must have pointer-to-class type",
        ),
    ),
    (
        values.read_only,
        (
            r"(?:assignment|increment|decrement) of (?:member '\w+' in )?read-only \w+(?: '(?P<name>\w+)')?",
            r"read-only variable is not assignable",
            r"cannot assign to (?:variable|return value).*const-qualified",
            r"expression must be a modifiable lvalue",
        ),
    ),
    (
        values.float_literal,
        (
            r"unable to find numeric literal operator 'operator\"\"[fF]'",
            r"invalid digit '\w' in",
            r"invalid suffix '[fF]' on integer",
            r"user-defined literal operator not found",
        ),
    ),
    (
        values.exception,
        (
            r"exception handling disabled",
            r"cannot use '(?P<word>throw|try|catch)' with exceptions disabled",
            r"does not support exception handling",
        ),
    ),
    (
        values.void_value,
        (
            r"return-statement with a value, in function returning",
            r"should not return a value",
            r"return value type does not match the function type",
        ),
    ),
    (
        arrays.fixed_size,
        (
            r"variable.length array '(?P<name>\w+)'",
            r"variable length arrays? ",
            r"storage size of",
            r"array bound is not an integer constant",
            r"expression must have a constant value",
            r"size of array .* is not",
        ),
    ),
    (
        arrays.open_dimensions,
        (
            r"declaration of '(?P<name>\w+)' as multidimensional array must have bounds",
            r"array has incomplete element type",
            r"an array may not have elements of this type",
        ),
    ),
    (
        names.twice,
        (
            r"redeclaration of '[^']*?(?P<name>\w+)'",
            r"redefinition of '[^']*?(?P<name_b>\w+)'",
            r"conflicting declaration '[^']*?(?P<name_c>\w+)'",
            r'"(?P<name_d>\w+)" has already been declared',
        ),
    ),
    (
        arrays.percent,
        (
            r"to binary 'operator%'",
            r"invalid operands to binary expression \(.*'(?:float|double)'",
            r"expression must have integral",
        ),
    ),
    (arrays.whole_row, (r"invalid operands .*\[\d+\]",)),
    (
        values.launch_config,
        (
            r"(?:could not convert|no viable conversion|cannot convert|no matching constructor).*LaunchConfig",
            r"no suitable .*LaunchConfig",
            r"return value type does not match",
        ),
    ),
    (
        names.no_function,
        (
            r"cannot be used as a function",
            r"called object type .* is not a function",
            r"must have \(pointer-to-\) ?function type",
        ),
    ),
    (values.not_assignable, (r"lvalue required as left operand", r"expression is not assignable")),
    (
        names.reserved,
        (
            rf"expected (?:unqualified-id|primary-expression|identifier) before '(?P<word>{_KEYWORDS})'",
            r"^expected unqualified-id$",
            r"expected an identifier",
        ),
    ),
    (
        values.else_alone,
        (
            r"'else' without a previous 'if'",
            r"^expected expression$",
            r"expected a statement",
            r"expected primary-expression before 'else'",
        ),
    ),
    (
        values.converts,
        (
            r"cannot initialize an? \w+ of type '(?P<to>[^']*)' with an? \w+ of type '(?P<from>[^']*)'",
            r"invalid conversion from '(?P<from_b>[^']*)' to '(?P<to_b>[^']*)'",
            r'a value of type "(?P<from_c>[^"]*)" cannot be (?:used to initialize|assigned to) an entity of type "(?P<to_c>[^"]*)"',
        ),
    ),
    (
        names.arguments,
        (
            r"too (?:few|many) arguments (?:to|in) function(?: call)?(?: '(?P<name>[^']*)')?",
            r"no matching function for call to '(?P<name_b>[^']*)'",
        ),
    ),
)
_TABLE = tuple((re.compile(message), say) for say, messages in _ROWS for message in messages)


def sentence(error: Diagnostic, code: StudentCode) -> Said | None:
    """None for a message that is not in the table."""
    found = ((match, say) for message, say in _TABLE if (match := message.search(error.text)))
    said = (say(MatchedMessage(match, error, code)) for match, say in found)
    return next((one for one in said if one), None)


def spoken(error: Diagnostic) -> str:
    """The compiler's own words, where nothing says it better, without its proposals: those are names of the C library."""
    text = re.sub(r"; did you mean .*$", "", error.text)
    return f"{COMPILER_SAYS}: {text}"


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
