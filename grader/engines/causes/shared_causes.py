"""Arrays that should be shared by the threads of a block and are not, or that have no memory: as the text declares them. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from grader.engines.causes.launch_text import constants
from grader.engines.causes.whole_number import UnknownValueError, whole_number
from grader.engines.compiler_words.told import Said
from grader.engines.student_text.student_code import Place, StudentCode

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
    for number, bare in enumerate(code.bare, 1):
        declared = _LOCAL.match(bare)
        if declared is None:
            continue
        for each in _NAMED.finditer(declared[1]):
            if _filled_by_thread(each[1], code, number, of_thread):
                start = declared.start(1) + each.start()
                what = (
                    f"`{each[1]}` in line {number} is an array of each thread's own: no other thread sees what is stored in it. "
                    "A tile that the threads of a block fill together has to be shared."
                )
                yield Said(
                    Place(number, start, start + len(each[1])),
                    what,
                    "Which word before a declaration makes an array the whole block's?",
                )


def larger_than_the_block(code: StudentCode, name: str, threads: int) -> Iterator[Said]:
    """A shared array with elements that nobody set, and with more elements than the block has threads."""
    declared = re.compile(rf"__shared__\s+[^;]*?(?<!\w)({re.escape(name)})\s*((?:\[[^\[\]]+\]\s*)+)")
    for number, bare in enumerate(code.bare, 1):
        if not (found := declared.search(bare)):
            continue
        values, elements = constants(code, number), 1
        try:
            for extent in re.findall(r"\[([^\[\]]+)\]", found[2]):
                elements *= whole_number(extent, values)
        except UnknownValueError:
            return
        if elements > threads * _stores_of_a_thread(code, name, number):
            what = (
                f"`{name}` in line {number} has {elements:,} elements, and a block has {threads:,} threads: if each thread stores one of "
                "them, nobody sets the others."
            )
            yield Said(Place(number, *found.span(1)), what, "How many elements does each thread have to load?")
        return


def _stores_of_a_thread(code: StudentCode, name: str, line: int) -> float:
    """How many elements of the array a thread stores, as far as its text says. Infinite: as many as a loop makes."""
    store = re.compile(rf"(?<![\w.]){re.escape(name)}\s*((?:\[(?:[^\[\]]|\[[^\[\]]*\])*\]\s*)+)=(?!=)")
    subscripts = {re.sub(r"\s", "", match[1]) for bare in code.bare[line:] for match in store.finditer(bare)}
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


def _filled_by_thread(name: str, code: StudentCode, line: int, of_thread: re.Pattern[str]) -> bool:
    uses = re.compile(rf"(?<![\w.]){name}\s*((?:\[(?:[^\[\]]|\[[^\[\]]*\])*\]\s*)+)(=(?!=))?")
    found = [match for bare in code.bare[line:] for match in uses.finditer(bare)]
    stores = [re.sub(r"\s", "", match[1]) for match in found if match[2]]
    reads = [re.sub(r"\s", "", match[1]) for match in found if not match[2]]
    return any(of_thread.search(one) for one in stores) and any(one not in stores for one in reads)


def _thread_names(code: StudentCode) -> re.Pattern[str]:
    """`threadIdx`, and variables that hold a part of it."""
    names = ["threadIdx"]
    for bare in code.bare:
        names += re.findall(r"(\w+)\s*=\s*\(?\s*(?:int\s*\)\s*)?threadIdx\.[xyz]\b", bare)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, dict.fromkeys(names)))})\b")


def pointers_without_memory(code: StudentCode) -> Iterator[Said]:
    """`__shared__ float* As;` that nothing ever sets."""
    for number, bare in enumerate(code.bare, 1):
        for match in _POINTER.finditer(bare):
            if any(re.search(rf"(?<![\w.]){match[1]}\s*=(?!=)", line) for line in code.bare[number:]):
                continue
            what = (
                f"`{match[1]}` in line {number} is a shared pointer that points nowhere: there is no array behind it."
            )
            advice = "An array is declared with its size in [ ], which has to be a constant."
            yield Said(Place(number, match.start(1), match.end(1)), what, advice)


def dynamic_without_bytes(code: StudentCode, shared_bytes: int, launch: str) -> Iterator[Said]:
    """`extern __shared__` where the launch function asks for nothing."""
    if shared_bytes:
        return
    for number, bare in enumerate(code.bare, 1):
        if match := _DYNAMIC.search(bare):
            what = (
                f"`{match[1]}` in line {number} is `extern __shared__`: its size comes from the launch function, and `{launch}` asks for "
                "0 bytes of it."
            )
            advice = "The third member of LaunchConfig says how many bytes of shared memory a block gets."
            yield Said(Place(number, match.start(1), match.end(1)), what, advice)
