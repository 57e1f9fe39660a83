"""A name that the compiler does not know: the one that was meant, or where the declaration is. Pure."""

from __future__ import annotations

import re

from grader.engines.compiler_words.compiler_message import Diagnostic
from grader.engines.compiler_words.told import Said
from grader.engines.student_text.cuda_vocabulary import BUILT_IN, CPP, CUDA, ELSEWHERE
from grader.engines.student_text.header_names import header_of
from grader.engines.student_text.near_names import nearest_name
from grader.engines.student_text.student_code import Place, StudentCode

_UNKNOWN = re.compile(
    r"'(?:::)?(?P<gcc>\w+)' (?:was not declared|does not name a type|has not been declared)"
    r"|(?:use of undeclared identifier|unknown type name) '(?P<clang>\w+)'"
    r"|identifier \"(?P<nvcc>\w+)\" is undefined"
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
    steps = (_of_course, _declared_elsewhere, _near, _undeclared)
    return next(said for step in steps if (said := step(name, place, code)))


def _of_course(name: str, place: Place, code: StudentCode) -> Said | None:
    """What only one thing can be meant by."""
    if name == "LaunchConfig":
        advice = "Begin the file with #include <tilelab/device.cuh>, as the starter file does."
        return Said(place, "`LaunchConfig` is not known here.", advice)
    if (header := header_of(name)) and f"<{header}>" not in code.text:
        return Said(place, f"`{name}` is not known here.", f"It needs #include <{header}>.")
    if include := re.match(r"\s*(include|define|pragma|ifdef|endif)\b\s*[<\"\w]", code.raw(place.line)):
        return Said(Place(place.line, *include.span(1)), f"This line has to begin with `#`: `#{include[1]}`.")
    if joined := _JOINED.match(name):
        built_in = next(one for one in BUILT_IN if one.lower() == joined[1].lower())
        meant = f"{built_in}.{joined[2].lower()}"
        return Said(place, f"`{name}` is not a name of CUDA. You probably mean `{meant}`.")
    return None


def _near(name: str, place: Place, code: StudentCode) -> Said | None:
    called = code.line(place.line)[place.end :].lstrip().startswith("(")
    near = nearest_name(name, code, place.line)
    if near in _BEFORE_BRACKETS and not called:
        near = ""
    what = f"{'There is no function' if called else 'There is no'} `{name}`."
    if name in ELSEWHERE:
        return Said(place, f"C++ has no `{name}`: it writes `{ELSEWHERE[name]}`.")
    if near in CUDA:
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


def _declared_elsewhere(name: str, place: Place, code: StudentCode) -> Said | None:
    lines = code.declarations(name)
    if above := [one for one in lines if one < place.line]:
        what = f"`{name}`, declared in line {above[-1]}, is not known any more in line {place.line}."
        why = "It exists only inside the braces, the loop or the function in which it is declared."
        return Said(place, f"{what} {why}", "Declare it before those braces if it is needed after them.")
    if below := [one for one in lines if one > place.line]:
        what = f"`{name}` is declared only in line {below[0]}, below its use in line {place.line}."
        return Said(place, what, "Declare it above its first use.")
    return None


def _undeclared(name: str, place: Place, code: StudentCode) -> Said:
    bare = code.line(place.line)
    after = bare[place.end :]
    what, advice = (
        f"`{name}` is not declared: nothing above says what it is.",
        "Check its spelling, and that it is declared above this line.",
    )
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
