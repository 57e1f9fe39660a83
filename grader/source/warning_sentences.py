"""What a compiler's warning explains of a kernel that fails. Only warnings that beginners' mistakes cause are told, and each of them is
true of many right kernels too: they stand beside a failure, never alone. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from grader.source.compiler_message import Diagnostic, MatchedMessage, Phrasebook, Said, Say
from grader.source.kernel_causes import never_set, unset_value
from grader.source.student_code import Span, StudentCode

WARNINGS = Phrasebook()  # the likeliest causes come first
# A function's name before its parameters; not what stands before that with parentheses of its own.
_HEAD = re.compile(
    r"\b(?!(?:__launch_bounds__|__attribute__|alignas|decltype|explicit|requires|operator)\b)([^\W\d]\w*)\s*\("
)


def explaining(warnings: Sequence[Diagnostic], code: StudentCode, *, sure: bool) -> list[Said]:
    """The likeliest first; a line is named once. `sure`: those that are hardly ever meant so, or the others."""
    said: dict[int, Said] = {}
    for say, one in sorted(_told(warnings, code), key=lambda one: WARNINGS.rank(one[0])):
        if (say not in _OFTEN_MEANT) is sure:
            said.setdefault(one.place.line, one)
    return list(said.values())


def uncalled(code: StudentCode) -> Iterator[Said]:
    """A barrier's name as a statement, without the call."""
    for place, match in code.found(r"\b(__syncthreads|__syncwarp|__threadfence)\s*;", 1):
        yield Said(place, f"`{match[1]}` is named in line {place.line}, but not called: the `()` is missing.")


def _told(warnings: Sequence[Diagnostic], code: StudentCode) -> Iterator[tuple[Say, Said]]:
    yield from ((_no_call, one) for one in uncalled(code))
    yield from ((_unset, one) for one in never_set(code))
    yield from ((_chain, one) for one in (*_chains(code), *_reversed_sums(code)))
    for warning in warnings:
        yield from islice(WARNINGS.said(warning, code), 1)


@WARNINGS.says(
    r"'(?P<name>\w+)' (?:is|may be) used uninitialized",
    r"variable '(?P<name>\w+)' (?:is|may be) uninitialized",
)
def _unset(told: MatchedMessage) -> Said | None:
    return unset_value(told.group("name"), told.code, told.error.line)


@WARNINGS.says(r"no return statement in function|control reaches end|does not return a value|missing return statement")
def _no_return(told: MatchedMessage) -> Said | None:
    """The function that ends here. nvcc and GCC point at its last brace."""
    lines = told.code.bare[: told.error.line]
    if told.error.column >= 0:
        lines[-1:] = [one[: told.error.column + 1] for one in lines[-1:]]
    text = "\n".join(lines)
    opened, begin = [], -1
    for brace in re.finditer(r"[{}]", text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif opened:
            begin = opened.pop()
    head = _HEAD.search(text, max(text.rfind(end, 0, max(begin, 0)) for end in ";{}") + 1, max(begin, 0))
    if head is None:
        return None
    place = told.code.place(*head.span(1))
    what = f"`{head[1]}`, which begins in line {place.line}, ends in line {told.error.line} without a `return`."
    launch = "LaunchConfig" in told.code.line(place.line)
    gets = "the grid and the block that it has chosen are lost" if launch else "the value that it returns is undefined"
    return Said(place, f"{what} So {gets}.", "Its last statement has to return a value of the declared type.")


@WARNINGS.says(r"reference, not call, to function '(?P<function>[^']*)'")
def _no_call(told: MatchedMessage) -> Said | None:
    return next((one for one in uncalled(told.code) if one.place.line == told.error.line), None)


@WARNINGS.says(r"assignment used as truth value|result of an assignment as a condition")
def _assigned(told: MatchedMessage) -> Said | None:
    found = told.from_column(r"(?<![=!<>+\-*/])=(?!=)")
    if found is None:
        return None
    at = told.bare.index(found[0], found.start())
    what = f"`=` in the condition of line {told.error.line} stores a value; it does not compare."
    return Said(told.part(at, at + 1), what, "`==` compares two values.")


def _chains(code: StudentCode) -> Iterator[Said]:
    """Not every compiler warns of them."""
    for number, bare in enumerate(code.bare, 1):
        if re.search(r"\b(?:if|while|for)\s*\(", bare) and (
            found := re.search(r"[\w.]+\s*<=?\s*[\w.]+\s*<=?\s*[\w.]+(?!\s*>)", bare)
        ):
            what = f"Two comparisons in a row `{found[0]}` do not mean what they do in mathematics: the first gives 0 or 1."
            yield Said(Span(number, *found.span()), what, "Write two comparisons with && between them.")


@WARNINGS.says(r"do not have their mathematical meaning")
def _chain(told: MatchedMessage) -> Said | None:
    return next((one for one in _chains(told.code) if one.place.line == told.error.line), None)


@WARNINGS.says(r"comma expression in array subscript|left operand of comma operator has no effect")
def _comma(told: MatchedMessage) -> Said | None:
    if inner := re.search(r"(\w+)\s*\[([^\[\]]*),([^\[\]]*)\]", told.bare):
        what = f"In `{inner[0]}` the comma throws `{inner[2].strip()}` away: the index is `{inner[3].strip()}` alone."
        return Said(told.part(*inner.span()), what, "One index says where the element lies: count what lies before it.")
    if inner := re.search(r"(\w+)\s*=\s*\(([^()]*),([^(),]*)\)", told.bare):
        what = f"`({inner[2].strip()}, {inner[3].strip()})` is only `{inner[3].strip()}`: the comma throws what is before it away."
        return Said(told.part(*inner.span()), what, f"Arguments stand right behind the name: `dim3 {inner[1]}(…, …);`.")
    return None


@WARNINGS.says(r"statement has no effect|value computed is not used|(?:expression|comparison) result unused")
def _no_effect(told: MatchedMessage) -> Said | None:
    if called := _no_call(told):
        return called
    if comma := _comma(told):
        return comma
    statement = told.bare.strip()
    if "==" in told.bare[max(told.column - 2, 0) :] and "=" not in re.sub(r"[=!<>]=", "", statement):
        at = told.bare.index("==")
        what = f"`==` in line {told.error.line} compares, and the answer is thrown away: nothing is stored."
        return Said(told.part(at, at + 2), what, "`=` stores a value.")
    start = len(told.bare) - len(told.bare.lstrip())
    what = f"Line {told.error.line} computes a value that is thrown away: nothing stores it."
    return Said(told.part(start, len(told.bare.rstrip())), what, "Which variable should hold it afterwards?")


_empty_body = WARNINGS.row(
    r"empty body",
    line=r"\b(?P<word>for|if|while)\b.*\)\s*(?P<at>;)",
    what="The `;` right behind the `{word}` in line {number} is all that it repeats or guards: what stands after it is run once, whatever "
    "the condition says.",
)


@WARNINGS.says(r"this '(?P<word>\w+)' clause does not guard", r"not part of the previous '(?P<word>\w+)'")
def _not_guarded(told: MatchedMessage) -> Said | None:
    if empty := _empty_body(told):
        return empty
    word = told.group("word")
    what = f"Without braces, the `{word}` holds only the one statement after it; the others below it only look as if they belonged to it."
    return Said(told.at(word) if word in told.bare else told.at(), what, "Put { } around all of the statements.")


WARNINGS.row(
    r"operation on '(?P<name>\w+)' may be undefined",
    r"unsequenced modification and access to '(?P<name>\w+)'",
    at="{name}",
    what="Line {number} changes `{name}` and uses it in the same statement: which comes first is not defined.",
    advice="Change it in a statement of its own.",
)


@WARNINGS.says(r"declaration of '(?P<name>\w+)' shadows a previous local|declaration shadows a local variable")
def _shadowed(told: MatchedMessage) -> Said | None:
    name = told.group("name")
    if not name:
        declared = re.search(r"[\w\]>*&]\s+\**(\w+)\s*(?:=|;|\[|\()", told.bare)
        name = declared[1] if declared else ""
    outer = [line for line in told.code.declarations(name) if line < told.error.line]
    if not name or not outer or re.search(rf"\bfor\s*\([^;]*\b{name}\b", told.bare):  # loops may share a name
        return None
    hides = f"Line {told.error.line} declares a second `{name}`, which hides the one of line {outer[-1]}"
    what = f"{hides}: what is stored in it here is lost at the end of these braces."
    return Said(told.at(name), what, "Without the type in front, the statement uses the first one.")


_FRACTIONS = "The elements of the matrices are `float`, and so are their products and sums."


def _whole_result(told: MatchedMessage) -> Said | None:
    """A function that gives back whole numbers alone, where a `return` has a fraction."""
    for number in range(told.error.line, 0, -1):
        head = re.search(r"\b(int|unsigned|long|size_t|short|char|bool)\s+(\w+)\s*\([^;]*$", told.code.line(number))
        if head and "{" in "".join(told.code.bare[number - 1 : number + 1]):
            what = f"`{head[2]}`, which begins in line {number}, gives back `{head[1]}`: line {told.error.line} cuts fractions off."
            return Said(Span(number, *head.span(1)), what, _FRACTIONS)
    return None


@WARNINGS.says(
    r"conversion from '(?:float|double)' to '(?:int|unsigned|long|short|char|bool|unsigned int|long unsigned int)'.* may change",
    r"turns floating-point number into integer",
)
def _whole_numbers(told: MatchedMessage) -> Said | None:
    if re.match(r"\s*return\b", told.bare):
        return _whole_result(told)
    stores = list(re.finditer(r"([^\W\d]\w*)\s*(?:[+\-*/]?=)(?!=)", told.bare))
    # The last one before what the compiler points to: a loop's head may stand before it in the line.
    found = next(iter([one for one in reversed(stores) if one.start() <= told.column] + stores), None)
    if found is None or ("[" not in told.bare and "+=" not in found[0]):
        return None
    for line in reversed(told.code.declarations(found[1])):
        kind = re.search(rf"\b(int|unsigned|long|size_t|short|char|bool)\b[^;(]*\b{found[1]}\b", told.code.line(line))
        if kind and line <= told.error.line:
            what = f"`{found[1]}`, declared in line {line}, is of type `{kind[1]}`: it holds whole numbers only"
            what = f"{what}, and line {told.error.line} cuts fractions off."
            return Said(told.at(found[1]), what, _FRACTIONS)
    return None


_to_itself = WARNINGS.row(r"to itself", what="Line {number} assigns a variable to itself: nothing changes.")
_by_zero = WARNINGS.row(r"division by zero|by zero is undefined", what="Line {number} divides by zero.")
_always = WARNINGS.row(
    r"(?:self-)?comparison (?:always|of .* always)|always (?:true|false)",
    what="The comparison in line {number} has always the same answer.",
    advice="What should be compared with what?",
)
_never_used = WARNINGS.row(
    r"variable '(?P<name>\w+)' set but not used",
    at="{name}",
    what="`{name}`, declared in line {number}, gets a value that nothing ever uses.",
    advice="Where should its value go?",
)


def _reversed_sums(code: StudentCode) -> Iterator[Said]:
    for place, _ in code.found(r"(\w|\])\s*(=\+)\s*[\w(]", 2):
        what = f"`=+` in line {place.line} does not add: it stores what follows, with a plus sign before it."
        yield Said(place, what, "Which sign adds to a variable?")


_OFTEN_MEANT = frozenset({_shadowed, _whole_numbers, _to_itself, _by_zero, _always, _never_used})
