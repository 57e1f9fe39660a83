"""What to look at next for a finding, and what to ask oneself. The table of verdicts says it for each kind; here are the exceptions.

Those for a crash, a hang, a barrier and the like go by the kit's words of the message: where the kit says it otherwise, a test fails.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from grader.model.result import Finding, Site
from grader.model.verdicts import Verdict


class Hint(NamedTuple):
    advice: str
    question: str = ""  # none: the advice is all there is to ask


_EXITED = Hint(
    "A thread that has no element to compute may still have to load elements for the others. Let every thread stay until "
    "the last barrier, and guard its loads and stores.",
    "Which threads of the block leave before this line, and what would they have loaded?",
)
_BETWEEN_BLOCKS = Hint(
    "Blocks run in any order and at the same time. Let only one block write each element, use an atomic function, or pass "
    "results between blocks with __threadfence() and an atomic function.",
    "Which of the two blocks comes first, and what makes sure of it?",
)
_ONE_ELEMENT = Hint(
    "Several threads change one element: each reads the old value before another has written its own, and a change is lost. Let "
    "each element belong to one thread, or use an atomic function such as atomicAdd(). A barrier does not help here.",
    "What is lost when two threads read the old value and then both write?",
)
_SAME_INDEX = Hint(
    "Both threads store into the same element. If each element should belong to one thread, work out the index in this line for both "
    "of them. If both have to store there, one after the other, a barrier must stand between the two.",
    "By which of threadIdx.x, threadIdx.y and blockIdx do the two differ, and does the index depend on it?",
)
_CHANGES = re.compile(r"\b([A-Za-z_]\w*)\s*(?:\[[^;]*?\])+\s*(?:\+\+|--|[-+*/%&|^]=)|(?:\+\+|--)\s*([A-Za-z_]\w*)\s*\[")
_MASK = Hint(
    "Every lane that calls a warp function must be named in the mask, with all the lanes that call it together. Work the mask "
    "out before the branch, for example with __ballot_sync(), and call the function only in lanes of that mask.",
    "Which lanes come to this line, and which does the mask name?",
)
_SHUFFLE = Hint(
    "A shuffle brings a value only from a lane that is in the mask and calls the same shuffle. Is every lane that is read "
    "there, in the last warp of the block too? If not, do not use what it brings."
)


def advice_for(finding: Finding) -> str | None:
    return _hint(finding).advice or None


def question_for(finding: Finding) -> str:
    """Empty: there is none that fits. Of a finding on the host's side, the advice is all there is."""
    return "" if finding.label else _hint(finding).question


def _hint(finding: Finding) -> Hint:
    known, other = WORDS.get(finding.kind, {}), finding.other
    if told := next((hint for words, hint in known.items() if words in finding.message), None):
        return told
    if finding.access in {"mask", "shuffle"}:
        return _MASK if finding.access == "mask" else _SHUFFLE
    if finding.kind is Verdict.BARRIER_DIVERGENCE and other and other.access == "return":
        return _EXITED
    special = _of_race(finding, other) if finding.kind is Verdict.RACE and other else None
    return special or Hint(finding.kind.facts.advice, finding.kind.facts.question)


def _of_race(finding: Finding, other: Site) -> Hint | None:
    if other.block != finding.block:
        return _BETWEEN_BLOCKS
    if _changes_one_element(finding):
        return _ONE_ELEMENT
    return _SAME_INDEX if finding.line == other.line and finding.access == other.access == "write" else None


def _changes_one_element(finding: Finding) -> bool:
    """Whether both threads run one statement like `bins[i] += 1;`, and the array is in this line once."""
    if not finding.other or finding.other.line != finding.line or not finding.source or not finding.array:
        return False
    code = finding.source.split("//", 1)[0]
    changed = {name for found in _CHANGES.finditer(code) for name in found.groups() if name}
    # The lab's name of the array; the file may give the parameter another one.
    name = finding.array if re.search(rf"\b{re.escape(finding.array)}\s*\[", code) else next(iter(changed), "")
    return name in changed and len(re.findall(rf"\b{re.escape(name)}\s*\[", code)) == 1


_DIVISION = Hint("Work out the divisor in this line for the thread shown: which of its values is 0 here, and why?")
_POINTER_TO_FUNCTION = Hint(
    "Look for the line that gives this pointer its function: does every thread reach it before this call?",
    "Which function should be called here, and who says so?",
)
_FREED = Hint(
    "Each free or delete takes one pointer that malloc or new has returned, once. Count both for the thread shown.",
    "Which thread has to free this memory, and does only that one?",
)
_HANDLE = Hint("A handle must be passed to the kernel as the host made it: a texture for tex…, a surface for surf….")
_TEXTURE_TYPE = Hint(
    "Compare the function and the type in its angle brackets with how the host made the texture or the surface."
)
_OF_GRIDS = Hint(
    "What a kernel launches may run at any time until its own grid ends. What needs the results has to be in a later launch: of the "
    "same block into the same stream, or into cudaStreamTailLaunch.",
    "What makes sure that one of the two has ended before the other begins?",
)
# In the kit's words, the first that the message contains.
WORDS: dict[Verdict, dict[str, Hint]] = {
    Verdict.CRASH: {
        "calls grid.sync()": Hint(
            "Blocks of an ordinary launch run in any order, so one may never wait for all. Start the kernel with "
            "cudaLaunchCooperativeKernel(), or end the kernel here and do the rest in a second launch, which begins after the first."
        ),
        "fails an assert()": Hint("Work out both sides of the assert for the thread shown. Which of its values is not what you think?"),
        "calls __trap()": Hint("The kernel stops itself here: look at the condition above this line."),
        "divides an integer by zero": _DIVISION,
        "divides the lowest integer by -1": Hint("Look at the values of this division for the thread shown."),
        "overflows its stack": Hint(
            "If the function calls itself: which call is the last, and does every thread come to it? If not: how large are its "
            "local arrays?"
        ),
        "copy of neither 4 nor 8 nor 16 bytes": Hint("cp.async copies 4, 8 or 16 bytes: choose one of them, and the element type to it."),
        "asks new for an array": Hint("Work out the length of this array for the thread shown: is it negative, or far too large?"),
        "calls a function through": _POINTER_TO_FUNCTION,
        "allocates more in one launch": Hint("How many threads allocate here, how often, and does each free what it has allocated?"),
        "has freed that memory before": _FREED,
        "only an address that malloc or new returned": _FREED,
        "frees an address that": _FREED,
        "texture object": _HANDLE,
        "surface object": _HANDLE,
        "from a texture": _TEXTURE_TYPE,
        "a surface that has": _TEXTURE_TYPE,
        "gathers a number": _TEXTURE_TYPE,
        "not freed when the kernel ends": Hint(
            "Which thread has to free this memory, and does it do so on every path to the end of the kernel?"
        ),
    },
    Verdict.LAUNCH_ERROR: {
        "its own local or shared memory": Hint(
            "A child can use global memory, __device__ variables and memory of malloc: put there what it needs and what it gives back."
        ),
        "launches a kernel": Hint(
            "Work out the grid, the block and the shared memory in this line for the thread shown. cudaGetLastError() tells a kernel "
            "whether its launch was taken."
        ),
    },
    Verdict.RACE: {
        "no __syncwarp() between": Hint(
            "Only this warp is here, and its threads do not run in lockstep: volatile orders nothing. Put __syncwarp() between the loads "
            "and the stores of each step, or use __shfl_down_sync(). A __syncthreads() would wait for the other warps.",
            "Which lanes read an element here that another lane of the warp may have changed already, or not yet?",
        ),
        "store the same value": Hint(  # of `tilelab run` and `tilelab check`: in a lab, lab.toml decides
            "All write what is there already, as where each thread sets one flag to true. If that is meant, "
            "--allow-same-value-writes takes it. Otherwise let each element belong to one thread."
        ),
        "The two grids were launched in": _OF_GRIDS,
        "The launch is in": _OF_GRIDS,
        "through a texture after this launch": Hint(
            "A texture reads through a cache that does not see what the launch itself writes. Write into other memory than the texture "
            "shows, and let the next launch fetch it."
        ),
    },
    Verdict.MISALIGNED: {
        "of the surface": Hint(
            "The x of a surface function counts bytes: for the element in column i, write i * sizeof(float), with the type of the elements."
        ),
    },
    Verdict.BARRIER_DIVERGENCE: {
        "until the whole grid has arrived": Hint(
            "Every thread of every block must come to grid.sync(), also one without an element of its own: put the condition around "
            "the loads and stores, and let no thread return before the last grid.sync().",
            "Which threads of the grid leave the kernel before this line, and by which condition?",
        ),
    },
    Verdict.OUT_OF_BOUNDS: {
        "address of the host's memory": Hint(
            "Copy the data to memory that cudaMalloc gave, and let the kernel have that address, also inside of an object."
        ),
        "does not fit into an int": Hint(
            "Compute the index in size_t before it grows: (size_t)row * columns + column. A product of ints is an int, which holds at most "
            "2,147,483,647.",
            "Which of the factors in this index is largest, and what is their product?",
        ),
        "uses a null pointer": Hint(
            "Which call should have given this pointer its memory? Look at its address argument, as in cudaMalloc(&pointer, bytes), and at "
            "what it returns.",
        ),
        "This memory was freed before": Hint("Free memory only after its last use."),
        "but this dimension has only": Hint(
            Verdict.OUT_OF_BOUNDS.facts.advice,
            "Which values does this subscript have, from the first thread and pass to the last?",
        ),
    },
    Verdict.UNINITIALIZED_READ: {
        "all extern __shared__ arrays begin": Hint(
            "Declare one extern __shared__ array, and let a pointer to the second part begin behind the first: "
            "int* b = (int*)(a + elements). Ask for the bytes of both in the launch."
        ),
        "bytes apart": Hint(
            "Row r begins r times the pitch in bytes behind the first: (float*)((char*)pointer + r * pitch). Give the kernel the pitch."
        ),
        "nothing was copied there": Hint(
            "What should have filled this element, a copy, cudaMemset or an earlier kernel? Look whether it runs before this kernel, with "
            "this pointer, and how much it fills: the length of a copy is in bytes."
        ),
    },
    Verdict.TIMEOUT: {
        "waits for it to change": Hint(
            "Find the line that changes this value. Can its thread come there while this one waits, or does it wait for this one too?",
            "Which thread has to change this value, and what is it waiting for?",
        ),
        "has no loop": Hint(
            "Look at how many threads the launch starts, and at what each of them calls: a function may call itself.",
            "How many threads does this launch need, and how many does it start?",
        ),
    },
}  # fmt: skip
