"""A loop that never ends, whose condition nothing in it changes, and a condition that lets one element too many pass. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import islice

from grader.source.arithmetic import UnknownValueError, evaluate
from grader.source.compiler_message import Said
from grader.source.launch_causes import constants
from grader.source.lexer import closing_bracket
from grader.source.student_code import MOST_LOOKED_AT, Span, StudentCode

_PLAIN = re.compile(r"[\w\s.<>=!&|+\-*/%()]*")  # no array, no pointer that something else may change
_CALL = re.compile(r"\w\s*\(")
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")
_WORDS = frozenset({"true", "false", "int", "unsigned", "float", "const", "and", "or", "not"})


_AT_MOST = re.compile(r"(\w+)\s*<=\s*(\w[\w.]*)(?!\s*[-+*/\w.(])")


def one_too_many(code: StudentCode, line: int, array: str) -> Iterator[Said]:
    """Of the conditions around `line`, where a thread was outside of the array that the line calls so: the innermost that also lets the
    number of elements pass as an index. Beside a failure alone: a condition may mean that.
    """
    uses = re.findall(rf"(?<![\w.]){re.escape(array)}\s*((?:\[[^;]*?\]\s*)+)", code.bare[line - 1]) if array else []
    for head, inside, _ in reversed(list(_around(code, line, r"\b(if|for)\s*\("))):
        for found in _AT_MOST.finditer(inside):
            name, bound = found[1], found[2]
            from_0 = head[1] == "if" or re.match(rf"\s*(?:\w+\s+)*{name}\s*=\s*0[uU]?\s*;", inside)
            if from_0 and (not uses or any(re.search(rf"\b{name}\b", one) for one in uses)):
                place = code.place(head.end() + found.start(), head.end() + found.end())
                what = f"`{found[0]}` in line {place.line} also holds for {name} = {bound}: the last of {bound} elements is {bound} - 1."
                yield Said(place, what, f"Which is the last {name} that has an element, if the first is 0?")
                return


def _around(
    code: StudentCode, line: int, heads: str = r"\b(while|for)\s*\("
) -> Iterator[tuple[re.Match[str], str, str]]:
    """Of the statements around `line`, the outermost first: the head up to its bracket, the text in the brackets, and the body."""
    text = code.whole
    at = sum(len(bare) + 1 for bare in code.bare[: line - 1])
    for head in list(re.compile(heads).finditer(text, 0, at + len(code.line(line)) + 1))[-MOST_LOOKED_AT:]:
        closed = closing_bracket(text, head.end() - 1)
        last = _end_of_body(text, closed + 1)
        if last >= at:
            yield head, text[head.end() : closed], text[closed + 1 : last]


def endless_loops(code: StudentCode, line: int) -> Iterator[Said]:
    """Of the loops around `line`, where a thread was when its time was over."""
    for head, inside, body in _around(code, line):
        condition, step = inside, ""
        if head[1] == "for":
            condition, _, step = inside.partition(";")[2].partition(";")
        if not condition.strip() or not _PLAIN.fullmatch(condition) or _CALL.search(condition):
            continue
        names = [name for name in dict.fromkeys(_NAME.findall(condition)) if name not in _WORDS]
        if names and not any(_changes(name, f"{condition};{step};{body}") for name in names):
            place = code.place(head.start(), head.end() + len(inside) + 1)
            listed = " or ".join(filter(None, [", ".join(f"`{one}`" for one in names[:-1]), f"`{names[-1]}`"]))
            what = f"Nothing in the loop that begins in line {place.line} changes {listed}: `{condition.strip()}` stays as it is."
            yield Said(place, what, "Which of them has to change in every pass, and in which line?")


def _changes(name: str, text: str) -> bool:
    """Also where its address is taken, or a reference to it may be made in a call."""
    return bool(
        re.search(rf"(?<![\w.]){name}\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)", text)
        or re.search(rf"(?:\+\+|--|&)\s*{name}\b|(?<![\w.]){name}\s*(?:\+\+|--)", text)
        or re.search(r"\b(?:break|return|goto)\b", text)
        or re.search(rf"\w\s*\((?:[^()]*,)?\s*{name}\s*[,)]", text)
    )


def _end_of_body(text: str, begin: int) -> int:
    """Of a block in braces, or of one statement."""
    first = re.compile(r"\S").search(text, begin)
    if first is None:
        return len(text)
    if first[0] == "{":
        return closing_bracket(text, first.start())
    end = text.find(";", first.start())
    return len(text) if end < 0 else end


# Arrays that should be shared by the threads of a block and are not, or that have no memory: as the text declares them. Pure.

_ELEMENT = r"(?:float|double|int|unsigned(?:\s+int)?|long|short|char|half|__half|(?:float|int|double)[1-4])"
_LOCAL = re.compile(
    rf"^\s*(?:(?:volatile|alignas\(\w+\)|__align__\(\w+\))\s+)*{_ELEMENT}\s+((?:\w+\s*(?:\[[^\[\]]+\]\s*)+,?\s*)+)(?:=[^;]*)?;"
)
_NAMED = re.compile(r"(\w+)\s*((?:\[[^\[\]]+\]\s*)+)")
_POINTER = re.compile(rf"__shared__\s+(?:volatile\s+)?{_ELEMENT}\s*\*\s*(?:__restrict__\s+)?(\w+)\s*;")
_DYNAMIC = re.compile(r"\bextern\s+(?:__shared__|__align__\(\w+\)|alignas\(\w+\)|\s)+[\w:]+\s+(\w+)\s*\[\s*\]")
_DERIVED = 2  # steps from a loop's variable to an index: `row = i / tile`, `place = row * width`
_BARRIER = re.compile(r"\b(?:__syncthreads\w*|\w+\.sync|sync)\s*\(")


def forgotten_shared(code: StudentCode) -> Iterator[Said]:
    """An array of each thread's own that is filled at an index of `threadIdx` and read at others, in a kernel with barriers."""
    if not any(_BARRIER.search(bare) for bare in code.bare):
        return
    of_thread = _thread_names(code)
    for place, declared in islice(code.found(_LOCAL, 1), MOST_LOOKED_AT):
        for each in _NAMED.finditer(declared[1]):
            stores, reads = _subscripts(each[1], code, place.line)
            if any(map(of_thread.search, stores)) and not set(stores).issuperset(reads):
                start = place.start + each.start()
                what = f"`{each[1]}` in line {place.line} is an array of each thread's own: no other thread sees what is stored in it."
                what = f"{what} A tile that the threads of a block fill together has to be shared."
                advice = "Which word before a declaration makes an array the whole block's?"
                yield Said(Span(place.line, start, start + len(each[1])), what, advice)


def larger_than_the_block(code: StudentCode, name: str, threads: int) -> Iterator[Said]:
    """A shared array with elements that nobody set, and with more elements than the block has threads."""
    declared = re.compile(rf"__shared__\s+[^;]*?(?<!\w)({re.escape(name)})\s*((?:\[[^\[\]]+\]\s*)+)")
    for place, found in islice(code.found(declared, 1), 1):
        values = constants(code, place.line)
        try:
            elements = math.prod(evaluate(one, values).whole for one in re.findall(r"\[([^\[\]]+)\]", found[2]))
        except UnknownValueError:
            return
        if elements > threads * _stores_of_a_thread(code, name, place.line):
            many = f"`{name}` in line {place.line} has {elements:,} elements, and a block has {threads:,} threads"
            what = f"{many}: if each thread stores one of them, the others are never set."
            yield Said(place, what, "How many elements does each thread have to load?")


def _stores_of_a_thread(code: StudentCode, name: str, line: int) -> float:
    """How many elements of the array a thread stores, as far as its text says. Infinite: as many as a loop makes."""
    subscripts = set(_subscripts(name, code, line)[0])
    stepped = _stepped_names(code)
    if any(word in stepped for one in subscripts for word in re.findall(r"[A-Za-z_]\w*", one)):
        return math.inf
    return max(1, len(subscripts))


def _stepped_names(code: StudentCode) -> set[str]:
    """Variables that change from one pass of a loop to the next, and those that are computed from one of them."""
    step = re.compile(r"\b([A-Za-z_]\w*)\s*(?:[-+*/]=|<<=|>>=|\+\+|--)|(?:\+\+|--)\s*([A-Za-z_]\w*)")
    names = {match[1] or match[2] for bare in code.bare for match in step.finditer(bare)}
    for _ in range(_DERIVED):
        for bare in code.bare:
            names |= {
                match[1]
                for match in re.finditer(r"\b([A-Za-z_]\w*)\s*=(?!=)([^;,=]*)", bare)
                if names & set(re.findall(r"[A-Za-z_]\w*", match[2]))
            }
    return names


def _subscripts(name: str, code: StudentCode, line: int) -> tuple[list[str], list[str]]:
    """With which the array is stored to and read below this line, without blanks."""
    uses = re.compile(rf"(?<![\w.]){re.escape(name)}\s*((?:\[(?:[^\[\]]|\[[^\[\]]*\])*\]\s*)+)(=(?!=))?")
    found: tuple[list[str], list[str]] = ([], [])
    for match in (one for bare in code.bare[line:] for one in uses.finditer(bare)):
        found[0 if match[2] else 1].append(re.sub(r"\s", "", match[1]))
    return found


def _thread_names(code: StudentCode) -> re.Pattern[str]:
    """`threadIdx`, and variables that hold a part of it."""
    held = code.found(r"(\w+)\s*=\s*\(?\s*(?:int\s*\)\s*)?threadIdx\.[xyz]\b")
    names = dict.fromkeys(["threadIdx", *(match[1] for _, match in held)])
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")


def pointers_without_memory(code: StudentCode) -> Iterator[Said]:
    """`__shared__ float* As;` that nothing ever sets."""
    for place, match in islice(code.found(_POINTER, 1), MOST_LOOKED_AT):
        if not any(re.search(rf"(?<![\w.]){match[1]}\s*=(?!=)", line) for line in code.bare[place.line :]):
            what = f"`{match[1]}` in line {place.line} is a shared pointer that points nowhere: there is no array behind it."
            yield Said(place, what, "An array is declared with its size in [ ], which has to be a constant.")


def dynamic_without_bytes(code: StudentCode, shared_bytes: int, launch: str) -> Iterator[Said]:
    """`extern __shared__` where the launch function asks for nothing."""
    for place, match in code.found(_DYNAMIC, 1) if not shared_bytes else ():
        extern = f"`{match[1]}` in line {place.line} is `extern __shared__`: its size comes from the launch function"
        advice = "The third member of LaunchConfig says how many bytes of shared memory a block gets."
        yield Said(place, f"{extern}, and `{launch}` asks for 0 bytes of it.", advice)


# A local variable that has no value yet where it is first used: which, and what that statement does with it. Pure.

_DECLARED = re.compile(
    r"(?<![\w.])(?:volatile\s+)?(?:float|double|int|unsigned(?:\s+int)?|long(?:\s+long)?|size_t|half|__half)\s+"
    r"((?:[^\W\d]\w*\s*(?:=[^,;()]*)?,\s*)*[^\W\d]\w*\s*(?:=[^,;()]*)?);"
)
_HOW = {
    "+=": "added to", "-=": "subtracted from", "*=": "multiplied", "/=": "divided", "++": "counted up", "--": "counted down",
}  # fmt: skip
ADVICE = "Give it its first value where it is declared. A sum begins with 0, and CUDA sets no variable to 0 by itself."


def unset_value(name: str, code: StudentCode, before: int) -> Said | None:
    """What is said of `name`, which a compiler says is used unset in line `before` or above. None where it is no plain variable."""
    declared = [place for one, place in bare_declarations(code) if one == name and place.line <= before]
    first = _first_use(name, declared[-1], code) if declared else None
    if first is None:
        return None
    place, how = first
    what = f"`{name}`, declared in line {declared[-1].line}, has no value when it is first {how} in line {place.line}."
    return Said(place, what, ADVICE)


def never_set(code: StudentCode) -> Iterator[Said]:
    """Variables without a first value that a statement adds to, and that no statement ever sets."""
    for name, place in islice(bare_declarations(code), MOST_LOOKED_AT):
        rest = "\n".join([code.line(place.line)[place.end :], *code.bare[place.line :]])
        body = re.split(r"^\}", rest, maxsplit=1, flags=re.MULTILINE)[0]  # up to where the function's braces are closed
        if re.search(rf"(?<![\w.]){name}\s*=(?!=)|&\s*{name}\b|>>\s*{name}\b", body):
            continue
        first = _first_use(name, place, code)
        if first and first[1] in _HOW.values() and (said := unset_value(name, code, first[0].line)):
            yield said


def bare_declarations(code: StudentCode) -> Iterator[tuple[str, Span]]:
    for place, match in code.found(_DECLARED):
        if re.search(r"__shared__|\bextern\b|\bstatic\b|__device__|__constant__", match.string[: match.start()]):
            continue
        for part in re.finditer(r"[^,]+", match[1]):
            if re.fullmatch(r"\w+", name := part[0].strip()):
                start = match.start(1) + part.start() + part[0].index(name)
                yield name, Span(place.line, start, start + len(name))


def _first_use(name: str, declared: Span, code: StudentCode) -> tuple[Span, str] | None:
    """The first statement below the declaration that needs the value, and what it does. None where it is set before that."""
    for place, match in code.found(rf"(?<![\w.]){re.escape(name)}(?!\w)"):
        if (place.line, place.start) <= (declared.line, declared.start):
            continue
        before, after = match.string[: match.start()], match.string[match.end() :]
        sign = re.match(r"\s*(\+\+|--|[-+*/]=|=(?!=)|)", after)
        prefix = re.search(r"(\+\+|--|&|)\s*$", before)
        signs = [one[1] for one in (sign, prefix) if one]
        if "&" in signs[1:] or (signs[0] == "=" and not re.search(rf"(?<!\w){name}(?!\w)", after)):
            return None
        return place, next((_HOW[one] for one in signs if one in _HOW), "used")
    return None


# Threads that compute the same: the kernel never asks for one of their indices, or works out a place from them that is not theirs
# alone. Pure.

_AXES = "xyz"
# Other words for a thread's index, and a whole index in another variable.
_OTHERWISE = re.compile(
    r"thread_rank|thread_index|group_index|block_rank|%tid|%ctaid|\b(?:threadIdx|blockIdx)\b(?!\s*\.\s*[xyz]\b)|##"
)

_MIXED = re.compile(r"\bblockDim\.([xyz])\s*\*\s*blockIdx\.([xyz])\b|\bblockIdx\.([xyz])\s*\*\s*blockDim\.([xyz])\b")
_SUM = re.compile(r"\bblockIdx\.([xyz])\s*\+\s*\w[\w.]*|(?<![\w.*/])\w[\w.]*\s*\+\s*blockIdx\.([xyz])\b(?!\s*\*)")


def unused_indices(
    code: StudentCode, kernel: str, grid: tuple[int, int, int], block: tuple[int, int, int]
) -> Iterator[Said]:
    """Beside a failure alone: a kernel may leave an index out on purpose."""
    text = code.whole
    if _OTHERWISE.search(text):
        return
    for name, other, counts, what in (
        ("threadIdx", "blockIdx", block, "the block has {} threads in {}: those that differ in {} alone"),
        ("blockIdx", "threadIdx", grid, "the grid has {} blocks in {}: those that differ in {} alone"),
    ):
        for axis, count in zip(_AXES, counts, strict=True):
            if count > 1 and not re.search(_words(code, name, axis), text):
                place = (
                    _instead(_words(code, name, _AXES.replace(axis, "")), _words(code, other, axis), code)
                    or _first(rf"\b{other}\s*\.\s*{axis}\b", code)
                    or _first(rf"(?<!\w){re.escape(kernel)}\s*\(", code)
                )
                if place is not None:
                    words = what.format(count, axis, axis)
                    said = f"The kernel uses `{name}.{axis}` nowhere, and {words} compute the same."
                    yield Said(place, said, "Which index tells these threads which element is theirs?")


def shared_places(code: StudentCode, grid: tuple[int, int, int], block: tuple[int, int, int]) -> Iterator[Said]:
    """Beside a failure alone, as above."""
    for place, found in code.found(_MIXED):
        dimension, index = (found[1], found[2]) if found[1] else (found[4], found[3])
        if dimension != index:
            said = f"`{found[0]}` mixes two axes: blocks along {index} are blockDim.{index} threads wide."
            yield Said(place, said, "Each index belongs with the size of its own axis.")
    text = code.whole
    for axis, blocks, threads in zip(_AXES, grid, block, strict=True):
        sums = [one for one in _SUM.finditer(text) if one[1] or one[2]]
        found_sum = next((one for one in sums if axis in {one[1], one[2]}), None)
        scaled = re.search(rf"(?:\*|<<)\s*\(?\s*blockIdx\.{axis}|blockIdx\.{axis}\s*\)?\s*(?:\*|<<)", text)
        if blocks > 1 and threads > 1 and found_sum and not scaled:
            said = f"`{found_sum[0]}` counts blocks as if each had one thread in {axis}, and each has {threads}"
            said = f"{said}: neighbouring blocks get the same places."
            if (there := _first(re.escape(found_sum[0]), code)) is not None:
                yield Said(there, said, "How many places does each block need for itself?")


def _words(code: StudentCode, name: str, axes: str) -> str:
    """A pattern of such an index: itself, where it does not only name a variable that is used nowhere, or that variable."""
    index = rf"{name}\s*\.\s*[{axes}]"
    named = [match for _, match in code.found(rf"\b((\w+)\s*=\s*){index}\s*[;,]")]
    used = [match[2] for match in named if len(re.findall(rf"(?<![\w.]){match[2]}\b", code.whole)) > 1]
    idle = "".join(rf"(?<!{re.escape(match[1])})" for match in named if match[2] not in used)
    return rf"{idle}\b(?:{'|'.join([index, *used])})\b"


_PLUS, _TERM = r"\)?\s*\+\s*\(?", r"[^;,=+()\[\]]*"


def _instead(index: str, partner: str, code: StudentCode) -> Span | None:
    """An index of another axis that is added to the partner, as in `blockIdx.x * 16 + threadIdx.y`."""
    sides = rf"({index}){_TERM}{_PLUS}{_TERM}{partner}", rf"{partner}{_TERM}{_PLUS}{_TERM}({index})"
    return next((place for side in sides for place, _ in code.found(side, 1)), None)


def _first(pattern: str, code: StudentCode) -> Span | None:
    return next((place for place, _ in code.found(pattern)), None)
