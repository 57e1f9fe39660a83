"""What a compiler's error means, in the words of the lab: names, arrays, values. Rows are tried in their order. Pure.

What is missing between two statements is told by `error_report.py`.
"""

from __future__ import annotations

import re

from grader.source.compiler_message import Diagnostic, MatchedMessage, Phrasebook, Said
from grader.source.cuda_vocabulary import BUILT_IN, CPP, CUDA, ELSEWHERE, HEADERS, STD, header_of, is_of_cuda
from grader.source.student_code import Span, StudentCode, nearest, nearest_name

ERRORS = Phrasebook()
_KEYWORDS = "new|delete|class|this|template|operator|case|default|register|private|public|union|enum|struct|try|catch|throw|using|typename"
PARTS_OF_FOR = "The three parts of a `for` are separated by `;`: for (start; condition; step)."
_RESERVED = frozenset({*CPP, "new", "delete", "operator", "register", "try", "private", "public"})


@ERRORS.says(
    r"^'?(?P<name>[\w./+-]+): No such file or directory",
    r"'(?P<name>[^']+)' file not found",
    r'cannot open source file "(?P<name>[^"]+)"',
)
def header(told: MatchedMessage) -> Said:
    name = told.group("name")
    quoted = re.search(r'[<"].*[>"]', told.code.raw(told.error.line))
    place = told.part(*quoted.span()) if quoted else told.at()
    near = nearest(name.replace("/", ""), [one.replace("/", "") for one in HEADERS])
    meant = next((one for one in HEADERS if one.replace("/", "") == near), "")
    better = f"The header's name is <{meant}>." if meant not in {"", name} else ""
    what = f"There is no header `{name}` that a kernel can use."
    return Said(place, what, better or "Remove the line, or correct the header's name.")


@ERRORS.says(r"^(?:expected |use of undeclared|identifier \"|invalid |missing )|was not declared|unknown type name")
def macro_constant(told: MatchedMessage) -> Said | None:
    """A #define whose body has a sign too many, which every use of it copies."""
    for number, name, body in told.code.macros():
        sign = ";" if body.endswith(";") else "=" if body.startswith("=") else ""
        if sign and (number == told.error.line or re.search(rf"\b{re.escape(name)}\b", told.bare)):
            line = told.code.line(number)
            at = line.rfind(";") if sign == ";" else line.find("=")
            what = f"`{name}` stands for all of `{body}`: the `{sign}` in this #define is copied to each place that uses it."
            return Said(Span(number, at, at + 1), what, f"A #define has no `{sign}`: the name, a space, the value.")
    return None


@ERRORS.says(
    r"'(?P<of>[^']*)' has no member named '(?P<name>\w+)'",
    r"no member named '(?P<name>\w+)' in '(?P<of>[^']+)'",
    r'(?:class|struct) "(?P<of>[^"]+)" has no member "(?P<name>\w+)"',
)
def member(told: MatchedMessage) -> Said:
    name, of = told.group("name"), told.group("of")
    place = told.at(name)
    before = re.search(r"(\w+)\s*(?:\.|->)\s*$", told.bare[: place.start])
    owner = before[1] if before else of
    if re.fullmatch(r"(?:const )?(?:uint3|dim3)|__cuda_builtin_\w+_t", of):
        meant = f" `{owner}.{name.lower()}` is written with a small letter." if name.lower() in {"x", "y", "z"} else ""
        return Said(place, f"`{owner}` has no `{name}`: its parts are `x`, `y` and `z`.{meant}")
    near = nearest(name, [word for word in told.code.words if word != name])
    return Said(place, f"`{owner}` has no `{name}`." + (f" Did you mean `{near}`?" if near else ""))


@ERRORS.says(
    r"'(?P<name>\w+)' is not a member of 'std'",
    r"no (?:member|type|template) named '(?P<name>\w+)' in namespace 'std'",
    r'namespace "std" has no member "(?P<name>\w+)"',
)
def std(told: MatchedMessage) -> Said:
    name = told.group("name")
    if name in {"cout", "cerr", "endl", "cin", "string", "vector", "thread", "mutex", "chrono", "array"}:
        advice = "A kernel can print with printf(), and its memory is arrays and pointers."
        return Said(told.at(name), f"`std::{name}` is for host code: a kernel cannot use it.", advice)
    meant = f" Did you mean `std::{near}`?" if (near := nearest(name, STD)) else ""
    return Said(told.at(name), f"The standard library has no `std::{name}`.{meant}")


@ERRORS.says(
    r"invalid types '[^']*\[(?:float|double)\]' for array subscript",
    r"array subscript is not an integer",
    r"expression must have integral or unscoped enum type",
)
def index_type(told: MatchedMessage) -> Said:
    inner = re.search(r"(\w+)\s*\[([^\[\]]*)\]", told.bare)
    place = told.part(*inner.span(2)) if inner else told.at()
    of = f" `{inner[2].strip()}`" if inner else ""
    floats = [
        f"`{name}` (line {n})"
        for name in re.findall(r"[^\W\d]\w*", inner[2] if inner else "")
        for n in told.code.declarations(name)
        if re.search(rf"\b(?:float|double)\b[^;(]*\b{name}\b", told.code.line(n))
    ]
    why = f" {floats[0]} is declared as a floating-point number." if floats else ""
    return Said(place, f"The index{of} is no integer.{why} An index has to be an integer, as `int` is.")


@ERRORS.says(
    r"invalid types '[^'*]*\[[^']*\]' for array subscript",
    r"subscripted value is not an array",
    r"expression must have pointer-to-object type",
)
def subscript(told: MatchedMessage) -> Said | None:
    """One index too many, where `A[row]` is a number already; or what is no array at all. nvcc points at the name, others at the `[`."""

    def around(pattern: str) -> re.Match[str] | None:
        return next((one for one in re.finditer(pattern, told.bare) if one.start() <= told.column <= one.end()), None)

    item = around(r"(\w+)\s*((?:\[[^\[\]]*\]\s*)+)(\[[^\[\]]*\])")
    if item is None:
        name = around(r"(\w+)\s*\[[^\[\]]*\]") or told.from_column(r"(\w+)\s*\[")
        what = "is a single value, not an array: it takes no index in [ ]."
        return Said(told.at(name[1]), f"`{name[1]}` {what}") if name else None
    first = f"{item[1]}{item[2].strip()}"
    message = f"`{first}` is one number already, so it takes no further [ ]:"
    message = f"{message} `{item[1]}` points to its elements in one row after the other, and has one index."
    advice = "Work out how many elements lie before the one that you want: all rows above it, and those to its left."
    return Said(told.part(*item.span()), message, advice)


@ERRORS.says(r"no match for 'operator\[\]'", r"does not provide a subscript operator", r'no operator "\[\]" matches')
def vector_subscript(told: MatchedMessage) -> Said | None:
    name = next((one for one in (*BUILT_IN, *told.code.declared) if re.search(rf"\b{one}\s*\[", told.bare)), "")
    if not name:
        return None
    return Said(told.at(name), f"`{name}` is no array: its parts are `{name}.x`, `{name}.y` and `{name}.z`.")


ERRORS.row(
    r"base operand of '->' has non-pointer type",
    r"member reference type '[^']*' is not a pointer",
    r'operator "->" or "->\*" applied',
    r"expression must have pointer-to-class type",
    line=r"(?P<name>\w+)\s*->",
    what="`{name}` is no pointer: its parts are written with a point, as in `{name}.x`.",
)


@ERRORS.says(
    r"(?:assignment|increment|decrement) of (?:member '\w+' in )?read-only \w+(?: '(?P<name>\w+)')?",
    r"read-only variable is not assignable",
    r"cannot assign to (?:variable|return value).*const-qualified",
    r"expression must be a modifiable lvalue",
)
def read_only(told: MatchedMessage) -> Said:
    """GCC and Clang point at the sign that stores, nvcc at what is stored to."""
    before, after = told.bare[: told.error.column + 1], told.bare[told.column :]
    stored = re.search(r"(\w+)\s*(?:\[[^\[\]]*\]\s*)*(?:\.\w+\s*)?(?:[-+*/%&|^]?=?|\+\+?|--?)$", before)
    stored = stored if stored and stored[0] != stored[1] else re.search(r"(\w+)", after)
    name = told.group("name") or (stored[1] if stored else "")
    if name in BUILT_IN:
        return Said(told.at(name), f"`{name}` is CUDA's own: a kernel can only read it.")
    lines = told.code.declarations(name)
    where = f", declared `const` in line {lines[0]}," if lines else ""
    stores = f"`{name}`{where} may only be read, and this line stores to it."
    what = stores if name else "This line stores to what is `const`."
    advice = "A `const` pointer is an input. Results go to the output's pointer or to a variable of your own."
    return Said(told.at(name), what, advice)


@ERRORS.says(
    r"unable to find numeric literal operator 'operator\"\"[fF]'",
    r"invalid digit '\w' in",
    r"invalid suffix '[fF]' on integer",
    r"user-defined literal operator not found",
)
def float_literal(told: MatchedMessage) -> Said:
    number = re.search(r"(?<![\w.])\d+[fF]\b", told.bare)
    place = told.part(*number.span()) if number else told.at()
    text = number[0] if number else told.code.token(place)
    better = f"{text[:-1]}.0f" if number else "1.0f"
    return Said(place, f"`{text}` is no number in C++: a number that ends in f needs a point, as in `{better}`.")


@ERRORS.says(r"unable to find string literal operator 'operator\"\"(?P<name>\w+)'", r"invalid suffix on literal")
def _unspaced(told: MatchedMessage) -> Said | None:
    return unspaced_literal(told.error, told.code)


def unspaced_literal(error: Diagnostic, code: StudentCode) -> Said | None:
    """A text in quotation marks with a name right behind it: where it stands, which may be a macro that other lines use."""
    match = re.search(r"string literal operator 'operator\"\"(\w+)'", error.text)
    if match is None:
        return None
    for number, bare in enumerate(code.bare, 1):
        if found := re.search(rf'"[^"]*"({re.escape(match[1])})\b', bare):
            what = f"Since C++11, a space has to stand between a text in quotation marks and `{match[1]}` behind it."
            return Said(Span(number, *found.span()), what, f'Write `" {match[1]}`.')
    return None


@ERRORS.says(
    r"exception handling disabled",
    r"cannot use '(?P<word>throw|try|catch)' with exceptions disabled",
    r"does not support exception handling",
)
def exception(told: MatchedMessage) -> Said:
    """GCC points at the end of the `throw`."""
    found = re.search(rf"\b(?:{told.group('word') or 'throw|try|catch'})\b", told.bare)
    word = told.group("word") or (found[0] if found else "")
    what = f"`{word}` is for host code" if word else "Exceptions are for host code"
    advice = (
        "Test for the error before, and write a value that says what happened: no compiler for a GPU takes exceptions."
    )
    place = told.part(*found.span()) if found else told.at()
    return Said(place, f"{what}: a kernel and the functions that it calls have no exceptions.", advice)


ERRORS.row(
    r"return-statement with a value, in function returning",
    r"should not return a value",
    r"return value type does not match the function type",
    line=r"^(?!.*LaunchConfig)",
    at="return",
    what="A kernel returns nothing: it is `void`, and this `return` has a value.",
    advice="Store the result where the lab asks for it, through the output's pointer. `return;` alone ends a thread.",
)


@ERRORS.says(
    r"variable.length array '(?P<name>\w+)'",
    r"variable length arrays? ",
    r"storage size of",
    r"array bound is not an integer constant",
    r"expression must have a constant value",
    r"size of array .* is not",
)
def fixed_size(told: MatchedMessage) -> Said:
    found = re.search(r"(\w+)\s*((?:\[[^\[\]]*\])+)", told.bare)
    name = told.group("name") or (found[1] if found else "")
    inside = re.findall(r"[^\W\d]\w*", found[2]) if found else []
    unknown = next((one for one in inside if one in BUILT_IN or told.code.declarations(one)), "")
    why = f": `{unknown}` is known only when the kernel runs" if unknown else ""
    what = f"The size of the array `{name}` is not a constant{why}. CUDA has no arrays of variable length."
    advice = "Give the array a length that is known when the file is compiled, as by a #define, a constexpr or a template parameter."
    return Said(told.part(*found.span()) if found else told.at(name), what, advice)


@ERRORS.says(
    r"declaration of '(?P<name>\w+)' as multidimensional array must have bounds",
    r"array has incomplete element type",
    r"an array may not have elements of this type",
)
def open_dimensions(told: MatchedMessage) -> Said:
    found = re.search(r"(\w+)\s*\[\s*\]\s*\[\s*\]", told.bare)
    name = told.group("name") or (found[1] if found else "")
    what = f"Of `{name}`, only the first [ ] may be empty: the compiler has to know how long a row is."
    return Said(told.at(name), what)


@ERRORS.says(
    r"redeclaration of '[^']*?(?P<name>\w+)'",
    r"redefinition of '[^']*?(?P<name>\w+)'",
    r"conflicting declaration '[^']*?(?P<name>\w+)'",
    r'"(?P<name>\w+)" has already been declared',
)
def twice(told: MatchedMessage) -> Said | None:
    name = told.group("name")
    others = [line for line in told.code.declarations(name) if line < told.error.line]
    if not others:
        head = re.search(r"\bfor\s*\([^;]*,", told.bare)
        return Said(told.part(*head.span()), PARTS_OF_FOR) if head else None
    advice = "Without its type, the second line assigns a value and declares nothing."
    return Said(told.at(name), f"`{name}` is declared twice: first in line {others[-1]}, and again here.", advice)


@ERRORS.says(
    r"to binary 'operator%'",
    r"invalid operands to binary expression \(.*'(?:float|double)'",
    r"expression must have integral",
)
def percent(told: MatchedMessage) -> Said | None:
    at = max(told.bare.find("%", told.column), told.bare.find("%"))
    what = "`%` is for integers: one side of it is a floating-point number."
    return Said(told.part(at, at + 1), what) if at >= 0 else None


@ERRORS.says(r"invalid operands .*\[\d+\]")
def whole_row(told: MatchedMessage) -> Said | None:
    rows = re.search(r"'(?:const )?(\w+) ?\[(\d+)\]", told.error.text)
    if rows is None:
        return None
    items = list(re.finditer(r"(\w+)\s*\[[^\[\]]*\](?!\s*\[)", told.bare))
    named = [one for one in items if one[1] in told.code.declared and one.end() >= told.column]
    found = next(iter(named or items), None)
    if found is None:
        return None
    what = f"`{found[0]}` is a whole row of {rows[2]} elements, not one number: an index is missing."
    return Said(told.part(*found.span()), what)


ERRORS.row(
    r"(?:could not convert|no viable conversion|cannot convert|no matching constructor).*LaunchConfig",
    r"no suitable .*LaunchConfig",
    r"return value type does not match",
    at="return",
    what="The launch function has to return a `LaunchConfig`, which holds a grid and a block.",
    advice="Write return LaunchConfig{{grid, block}}; with the name and with braces.",
)


@ERRORS.says(
    r"cannot be used as a function",
    r"called object type .* is not a function",
    r"must have \(pointer-to-\) ?function type",
)
def no_function(told: MatchedMessage) -> Said | None:
    called = re.search(r"([^\W\d]\w*(?:\.\w+)?)\s*\($", told.bare[: told.column + 1])
    called = called or re.search(r"([^\W\d]\w*(?:\.\w+)*)\s*\(\s*\)", told.bare)
    called = called or re.search(r"(\w+(?:\.\w+)+)\s*\(", told.bare)
    if called is None:
        return None
    name = called[1].split(".")[0]
    index = " An index stands in [ ]." if name in told.code.declared else ""
    return Said(told.at(name), f"`{called[1]}` is no function: it takes no ( ).{index}")


ERRORS.row(
    r"lvalue required as left operand",
    r"expression is not assignable",
    what="Nothing can be stored in what stands to the left of this `=`.",
    advice="`=` stores a value; `==` compares two.",
)


@ERRORS.says(
    rf"expected (?:unqualified-id|primary-expression|identifier) before '(?P<word>{_KEYWORDS})'",
    r"^expected unqualified-id$",
    r"expected an identifier",
)
def reserved(told: MatchedMessage) -> Said | None:
    word = told.group("word") or told.code.token(told.at())
    if not told.group("word") and word not in _RESERVED:
        return None
    return Said(told.at(word), f"`{word}` is a word of C++ itself and cannot be the name of a variable.")


@ERRORS.says(
    r"'else' without a previous 'if'",
    r"^expected expression$",
    r"expected a statement",
    r"expected primary-expression before 'else'",
)
def else_alone(told: MatchedMessage) -> Said | None:
    if told.code.token(told.at()) != "else":
        return None
    advice = "Look at the `if` above it: a `;` right after its condition ends it, and two statements need braces."
    return Said(told.at("else"), "This `else` belongs to no `if`.", advice)


@ERRORS.says(
    r"cannot initialize an? \w+ of type '(?P<to>[^']*)' with an? \w+ of type '(?P<from>[^']*)'",
    r"invalid conversion from '(?P<from>[^']*)' to '(?P<to>[^']*)'",
    r'a value of type "(?P<from>[^"]*)" cannot be (?:used to initialize|assigned to) an entity of type "(?P<to>[^"]*)"',
)
def converts(told: MatchedMessage) -> Said | None:
    given, wanted = told.group("from"), told.group("to")
    if given.replace(" ", "") != f"const {wanted}".replace(" ", "") or not wanted.endswith("*"):
        return None
    what = f"A `{given}` points to what may only be read, so it cannot become a `{wanted}`."
    return Said(told.at(), what, f"Declare the pointer as `{given}`.")


@ERRORS.says(
    r"too (?:few|many) arguments (?:to|in) function(?: call)?(?: '(?P<name>[^']*)')?",
    r"no matching function for call to '(?P<name>[^']*)'",
)
def arguments(told: MatchedMessage) -> Said:
    called = re.search(r"(\w+)(?:\(|$)", told.group("name"))
    called = called or re.search(r"(\w+)\s*\($", told.bare[: told.column + 1])
    called = called or re.search(r"(\w+)\s*\(", told.bare[told.column :])
    name = called[1] if called else ""
    lines = told.code.declarations(name)
    where = f" Line {lines[0]} says which it takes." if lines else ""
    return Said(told.at(name), f"`{name}` is called with the wrong number or kinds of arguments.{where}")


# A name that the compiler does not know: the one that was meant, or where the declaration is. Pure.

_UNKNOWN = re.compile(
    r"'(?:::)?(?P<gcc>\w+)' (?:was not declared|does not name a type|has not been declared)"
    r"|(?:use of undeclared identifier|unknown type name) '(?P<clang>\w+)'"
    r"|identifier \"(?P<nvcc>[\w:]+)\" is undefined"
    r"|there are no arguments to '(?P<call>\w+)' that depend"
)
_JOINED = re.compile(rf"({'|'.join(BUILT_IN[:4])})_?([xyzXYZ])$", re.IGNORECASE)
_BEFORE_BRACKETS = frozenset({"for", "if", "switch", "while"})  # nobody means these where no ( follows
_OTHER_WORD = re.compile(r"expected .* before '(?P<word>\w+)'|^expected '\)'")


def unknown_name(error: Diagnostic, code: StudentCode) -> Said | None:
    match = _UNKNOWN.search(error.text)
    name = next((text for text in match.groups() if text), "") if match else _foreign_word(error, code)
    if not name:
        return None
    place = code.word_at(error.line, error.column, name)
    if "is undefined in device code" in error.text:  # nvcc's words for what is declared, and for the host alone
        advice = "Pass its value as a parameter, or make it a __constant__ or __device__ variable."
        return Said(place, f"`{name}` is a variable of the host: a kernel cannot use it.", advice)
    steps = (_of_course, _declared_elsewhere, _near, _undeclared)
    return next(said for step in steps if (said := step(name, place, code)))


def _of_course(name: str, place: Span, code: StudentCode) -> Said | None:
    """What only one thing can be meant by."""
    if name == "LaunchConfig":
        advice = "Begin the file with #include <tilelab/device.cuh>."
        return Said(place, "`LaunchConfig` is not known here.", advice)
    if (header := header_of(name)) and f"<{header}>" not in code.text:
        return Said(place, f"`{name}` is not known here.", f"It needs #include <{header}>.")
    if include := re.match(r"\s*(include|define|pragma|ifdef|endif)\b\s*[<\"\w]", code.raw(place.line)):
        return Said(Span(place.line, *include.span(1)), f"This line has to begin with `#`: `#{include[1]}`.")
    if joined := _JOINED.match(name):
        built_in = next(one for one in BUILT_IN if one.lower() == joined[1].lower())
        meant = f"{built_in}.{joined[2].lower()}"
        return Said(place, f"`{name}` is not a name of CUDA. You probably mean `{meant}`.")
    return None


def _near(name: str, place: Span, code: StudentCode) -> Said | None:
    called = code.line(place.line)[place.end :].lstrip().startswith("(")
    near = nearest_name(name, code, place.line)
    if near in _BEFORE_BRACKETS and not called:
        near = ""
    what = f"{'There is no function' if called else 'There is no'} `{name}`."
    if name in ELSEWHERE:
        return Said(place, f"C++ has no `{name}`: it writes `{ELSEWHERE[name]}`.")
    if near in CUDA or is_of_cuda(near):
        return Said(place, f"{what} CUDA's name is `{near}`.")
    lines = code.declarations(near)
    where = f", declared in line {lines[0]}" if lines else ""
    return Said(place, f"{what} You probably mean `{near}`{where}.") if near else None


def _foreign_word(error: Diagnostic, code: StudentCode) -> str:
    """`AND`, where the compiler only says that it expected something else; for nvcc, also `cg` in `cg::this_grid()`."""
    if error.text.startswith('name followed by "::"'):
        names = re.findall(r"(\w+)\s*::", code.line(error.line))
        return next((name for name in names if header_of(name)), "")
    match = _OTHER_WORD.search(error.text)
    if match is None:
        return ""
    word = match["word"] or code.token(code.word_at(error.line, error.column))
    return word if word in ELSEWHERE else ""


_OPENS = re.compile(r"^[ \t]*#[ \t]*(?P<sharp>if|endif|undef[ \t]+(?P<gone>\w+))|(?P<bracket>[({})])", re.MULTILINE)
_OWNER = re.compile(r"\b(namespace|struct|class|union)\s+(\w+)[^;(){}]*$")


def _declared_elsewhere(name: str, place: Span, code: StudentCode) -> Said | None:
    lines = code.declarations(name)
    of_enum = rf"\benum\s+(?:class|struct)\s+(\w+)[^{{;]{{0,100}}\{{[^}}]{{0,2000}}\b{name}\b"
    if scoped := re.search(of_enum, code.whole):
        return Said(place, f"`{name}` belongs to `{scoped[1]}`: elsewhere it is called `{scoped[1]}::{name}`.")
    if above := [one for one in lines if one < place.line]:
        what = f"`{name}`, declared in line {above[-1]}, is not known any more in line {place.line}."
        why, advice = _end_of_scope(name, above[-1], place.line, code)
        return Said(place, f"{what} {why}".strip(), advice)
    if below := [one for one in lines if one > place.line]:
        what = f"`{name}` is declared only in line {below[0]}, below its use in line {place.line}."
        return Said(place, what, "Declare it above its first use.")
    return None


def _end_of_scope(name: str, declared: int, used: int, code: StudentCode) -> tuple[str, str]:
    """Why what one line declares is not known in the other, and what to do; both are empty where the text does not tell."""
    starts = [0, *(match.end() for match in re.finditer("\n", code.whole))]
    until = starts[declared - 1] + code.word_at(declared, 0, name).start
    brackets, conditions = list[re.Match[str]](), list[re.Match[str]]()
    ended = list[re.Match[str]]()  # what is open where it is declared, and closed where it is used
    for match in _OPENS.finditer(code.whole, 0, starts[min(used, len(starts)) - 1]):
        opened = brackets if match["bracket"] else conditions
        if match["gone"] == name and match.start() > until:
            return f"The #undef in line {code.place(match.start('gone')).line} takes it back.", ""
        if match["bracket"] in {"(", "{"} or match["sharp"] == "if":
            opened.append(match)
        elif opened and match["gone"] is None and (begin := opened.pop()).start() < until < match.start():
            ended.append(begin)
    if not ended:
        return "", ""
    inner = next((one for one in ended if one["bracket"]), None)
    if inner is None:
        where = code.place(ended[0].start("sharp")).line
        return f"The condition in line {where} leaves it out.", "Declare it outside of #if and #endif."
    if owner := _OWNER.search(code.whole, max(0, inner.start() - 200), inner.start()):
        if owner[1] == "namespace" or "static" in code.line(declared):
            return f"It belongs to `{owner[2]}`: elsewhere it is called `{owner[2]}::{name}`.", ""
        return f"It is a part of `{owner[2]}`, and is named behind an object: `object.{name}`.", ""
    why = "It exists only inside the braces, the loop or the function in which it is declared."
    return why, "Declare it before those braces if it is needed after them."


def _undeclared(name: str, place: Span, code: StudentCode) -> Said:
    bare = code.line(place.line)
    after = bare[place.end :]
    what = f"`{name}` is not declared: nothing above says what it is."
    advice = "Check its spelling, and that it is declared above this line."
    if re.match(r"\s*=[^=]", after) and not bare[: place.start].strip():
        what = f"`{name}` is used, but never declared."
        advice = f"The first line that names a variable says its type, as in `int {name} = …`."
    elif re.match(r"[A-Z][A-Z\d_]+$", name):
        what = f"`{name}` is not defined: no #define or constant above has this name."
        advice = f"Write `#define {name} …` or `constexpr int {name} = …;` above its first use."
    elif after.lstrip().startswith("("):
        what = f"There is no function `{name}` that a kernel can call."
        advice = "Check its name, letter by letter. Your own functions stand above the kernel."
    elif re.match(r"\s+[*&]?\s*[^\W\d]\w*\s*[=;\[,(]", after) and name not in CPP:
        what = f"`{name}` is no type that is known here."
        advice = "Check the word letter by letter: float, int, __shared__ and so on."
    return Said(place, what, advice)
