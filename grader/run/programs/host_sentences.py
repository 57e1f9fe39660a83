"""The mistakes on the host's side in sentences: what happened, in the student's own names, and what to look at next. Pure.

The table of all kinds is at the end; the sentences of a subject lie together.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from grader.model.verdicts import Verdict
from grader.run.kernels.own_launches import extent_text
from grader.run.programs.run_record import REFUSED_FILE, Facts

# A sentence alone, or with its advice, or also with another label than its kind's.
Words = str | tuple[str, str] | tuple[str, str, str]

# Calls and launches in sentences: those that fail, those with sizes in the wrong order, and a program that ends too early.

ERROR_LABEL = "CUDA error"  # of a call that failed
_MOST_THREADS = 1024  # of a block
_SWAPPED_SET = "cudaMemset takes the pointer, then the value of each byte, then the number of bytes."
_SWAPPED_LAUNCH = "In <<<grid, block>>> the number of blocks comes first, then the threads of a block."


def failed_call(facts: Facts) -> Words:
    what = f"The launch of `{facts.kernel}`" if facts.launch else facts.call
    why, advice = _why(facts)
    return f"{what} fails here: {facts.error.name} ({facts.error.said}).{why}", advice


def unchecked_error(facts: Facts) -> Words:
    advice = "Compare what each call returns with cudaSuccess, and stop with a message if it is something else."
    error, (why, remedy) = facts.error, _why(facts)
    message = f"{facts.call} fails here ({error.name}: {error.said}), and its return value is not checked."
    return message + why, remedy or advice


def unasked_launch(facts: Facts) -> Words:
    words = facts.error
    message = f"The launch of `{facts.kernel}` fails here ({words.name}: {words.said}), and its error is not checked."
    why, advice = _why(facts)
    return message + why, f"{advice} A launch returns nothing: ask cudaGetLastError() after it.".strip()


def swapped_sizes(facts: Facts) -> Words:
    if launch := facts.launch:
        sizes = f"a grid of {_extent(launch.grid)} and a block of {_extent(launch.block)}"
        asked = f"The launch of `{facts.kernel}` asks for {sizes}; a block has at most 1024 threads."
        return f"{asked} The two seem to be in the wrong order.", _SWAPPED_LAUNCH
    value = facts.record.number("value")
    what = f"{facts.call} is asked to set 0 bytes" + (f" to {value}" if value is not None else "")
    return f"{capital(what)}: the value and the number of bytes seem to be in the wrong order.", _SWAPPED_SET


_OF_SIZES = "A block has at most 1,024 threads, and no side of a grid or a block may be 0."
_OF_GRID = (
    "Put the long side of the grid in x, which may have 2,147,483,647 blocks, or let each thread do several rows."
)
_OF_SHARED = (
    "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) before the launch allows more, up to 232,448 bytes "
    "on this GPU."
)


def _why(facts: Facts) -> tuple[str, str]:
    """What is wrong with the sizes of a launch or the arguments of a call, and what to do; else what CUDA's error advises."""
    launch, detail = facts.launch, facts.launch.detail if facts.launch else ""
    if launch is None:
        if pointer := pointer_itself(facts):
            words = f" It is given the value of `{pointer}`, and has to be given its address: cudaMalloc stores the new pointer there."
            return words, f"Write &{pointer}."
        return "", facts.error.advice
    if (threads := math.prod(launch.block)) > _MOST_THREADS:
        return f" A block of {_extent(launch.block)} has {threads:,} threads, and 1024 is the most.", _OF_SIZES
    if 0 in launch.grid:
        return f" The grid is {_extent(launch.grid)}: there is no block in it.", _OF_SIZES
    said = re.sub(r"\d{4,}", lambda number: f"{int(number[0]):,}", detail)
    advice = _OF_GRID if "gridDim" in detail else _OF_SHARED if "shared memory" in detail else _OF_SIZES
    return (f" {said}", advice) if detail else ("", facts.error.advice)


def pointer_itself(facts: Facts) -> str:
    """The pointer that a call of cudaMalloc is given without `&`; empty: it is not so."""
    statement = facts.statement
    if statement is None or not statement.name.startswith("cudaMalloc") or not statement.arguments:
        return ""
    match = re.fullmatch(r"\(\s*void\s*\*\s*\*\s*\)\s*(?P<name>[A-Za-z_][\w.]*)", statement.arguments[0].strip())
    name = match["name"] if match else ""
    every = "\n".join(line for lines in facts.run.lines.values() for line in lines)
    return "" if not name or re.search(rf"\*\s*\*\s*(?:const\s+)?{re.escape(name)}\b", every) else name


def _extent(sides: Sequence[int]) -> str:
    return extent_text(sides, " x ")


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# Crashes in sentences: which mistake of the host's code a signal stands for.

_ABORT, _DIVISION = 6, 8
_NULL_BYTES = 1 << 16  # addresses of a null pointer and what stands shortly behind


# By what the line holds.
_ABORTED = {
    r"\bassert\s*\(": (
        "The program ends here: the condition of this assert() is false.",
        "Print the values that it compares.",
    ),
    r"\bfree\s*\(|\bdelete\b": (
        "The program is stopped here: what this line frees was not allocated by malloc() or new, or the heap is corrupted.",
        "Memory of cudaMalloc is freed with cudaFree, and each block once. Did anything write past the end of an array?",
    ),
    "": (
        "The program is stopped here: by an uncaught exception, or by abort().",
        "The program's last words on the screen say which. An exception ends the program unless a catch is around this line.",
    ),
}


def refused_file(facts: Facts) -> Words:
    act, folder = "write" if facts.record.flag("write") else "read", facts.record.text("folder")
    message = (
        f"The program was not allowed to {act} {facts.record.text('path')}: it may {act} below the current folder."
    )
    return message, f"tilelab run --{act} {folder} … lets it."


def _outside(facts: Facts) -> Words:
    record, label = facts.record, "Out of bounds on the host"
    if (subscript := record.number("subscript")) is not None:
        last, subscript = (record.number("elements") or 0) - 1, subscript - (subscript >> 63 << 64)
        words = f"Host code uses subscript {subscript:,} of an array that has only the subscripts 0 to {last:,}."
        return (
            words,
            "Work out the first and the last value of this subscript: what does the loop's condition say?",
            label,
        )
    made = f", allocated{facts.other}," if facts.other else ""
    when = "this line is reached" if record.frames else "the program ends"
    return (
        f"A block of {record.number('block'):,} bytes of the host's memory{made} is written past its end before {when}.",
        "Is each index below the number of elements that was asked for, and is that number times sizeof of one element?",
        label,
    )


def host_crash(facts: Facts) -> Words:
    record, line = facts.record, facts.source_line
    if (refused := record.number("refused_bytes")) is not None:
        return (
            f"The program ends here: it was refused {refused:,} bytes of the host's memory, because it may not have so much.",
            "Is the size right, and is memory freed that is no longer needed? malloc() answers with a null pointer, new with an exception.",
            "No memory left on the host",
        )
    signal, address = record.number("signal"), record.number("address") or 0
    if signal == _DIVISION:
        return "The program crashes here: an integer is divided by 0.", "Print the divisor before this line."
    if signal == _ABORT:
        outside = any(record.number(key) is not None for key in ("block", "subscript"))
        return _outside(facts) if outside else next(words for mark, words in _ABORTED.items() if re.search(mark, line))
    act = f"The program crashes here: host code {'writes to' if record.flag('write') else 'reads'}"
    if pointer := pointer_itself(facts):
        words = f"The program crashes here: cudaMalloc is given the value of `{pointer}`, which was never set, instead of its address."
        return words, f"Write &{pointer}."
    if address < _NULL_BYTES:
        advice = "Was this pointer ever set? Did the call that should have set it fail?"
        return f"{act} memory through a null pointer.", advice
    advice = "Is this pointer set, is its memory freed already, and does the index stay inside the array?"
    return f"{act} an address that is no memory of the program ({address:#x}).", advice


# Copies in sentences: of the wrong size, in the wrong direction, of memory without values.

_DIRECTIONS = ("HostToHost", "HostToDevice", "DeviceToHost", "DeviceToDevice", "Default")
_TO_DEVICE, _FROM_DEVICE = {1, 3}, {2, 3}
_SIDES = {True: "device", False: "host"}
_FIRST_SECOND = "The first pointer is the destination, the second the source"
_DIRECTION = f"{_FIRST_SECOND}. Does the direction say where each of them lies?"
_SWAPPED = f"{_FIRST_SECOND}: is it the direction that is wrong, or their order?"
# Where the two sides of a copy stand among the arguments, where they are not the first two.
_SIDES_OF = (("FromArray", (0, 2)), ("ArrayToArray", (0, 3)), ("ToArray", (0, 3)), ("2D", (0, 2)))
_PARTS = {"row": "{} bytes of each row", "rows": "{} rows", "slices": "{} slices"}
_ELEMENTS = (
    "Compare the bytes here with those of the allocation. Are both a number of elements times sizeof of one element?"
)
_TEXTURE_SIZE = "Compare sizeInBytes, or width, height and pitchInBytes, with the bytes of the allocation."
_ARRAY_SIZE = (
    "Widths of 2D copies are in bytes: the number of texels times sizeof of one. "
    "The extent of cudaMemcpy3D counts texels as soon as an array takes part."
)


def copy_size(facts: Facts) -> Words:
    record = facts.record
    is_source = record.text("side") == "from"
    verb, memory = "reads" if is_source else "writes", facts.memory + facts.allocated
    if record.allocation is None:  # a block of the host's own memory
        memory = _side(facts, is_source=is_source) or "the host's memory"
    if own := record.number("value"):
        message = f"This copy {verb} {memory} itself: {own} bytes, in which there is a pointer to the elements, and not the elements."
        return message, "Give the copy the address of the elements, as data() has it.", "Copy of the wrong memory"
    if record.text("op") == "texture":
        message = f"This texture shows {facts.size}, but {memory} has only {facts.room} from the pointer on."
        return message, _TEXTURE_SIZE, "Texture larger than its memory"
    if part := _PARTS.get(record.text("part")):
        asked, room = (part.format(f"{record.number(key) or 0:,}") for key in ("bytes", "room"))
        place = "" if record.number("offset") == 0 else " from there on"
        return f"This copy {verb} {asked}, but {memory} has only {room}{place}.", _ARRAY_SIZE
    place = " from there on" if record.number("offset") else ""
    return f"This copy {verb} {facts.size}, but {memory} has only {facts.room}{place}.", _ELEMENTS


def copy_direction(facts: Facts) -> Words:
    said, meant = facts.record.number("said"), facts.record.number("meant")
    if variable := facts.device_variable:
        return (
            f"`{variable}` is a variable of the device. On the host its name is no address of it, so this copy does not reach it.",
            f"Use cudaMemcpyToSymbol({variable}, …) and cudaMemcpyFromSymbol(…, {variable}, …), or ask cudaGetSymbolAddress.",
        )
    message = f"This copy says {_direction(said) or 'another direction'}, but "
    if meant is None:
        return f"{message}its pointers are those of another one.", _DIRECTION
    to = _side(facts, is_source=False) or "the destination"
    source = _side(facts, is_source=True) or "the source"
    there, here = _SIDES[meant in _TO_DEVICE], _SIDES[meant in _FROM_DEVICE]
    message += f"{to} points to memory of the {there} and {source} to memory of the {here}"
    message += f": that is {_direction(meant)}." if meant else "."
    return message, _SWAPPED if said in {1, 2} and meant in {1, 2} and said != meant else _DIRECTION


def short_copy(facts: Facts) -> Words:
    if facts.record.flag("write"):
        return f"This copies {facts.size} to {facts.memory}, and it has {facts.room}. The rest is not set."
    copied = f"{facts.size} of {facts.memory}{facts.allocated}"
    return f"This copies {copied} to the host, and it has {facts.room}. No other copy fetches the rest."


_ROUNDED_UP = "Round the number of blocks up: (n + 255) / 256 for blocks of 256. A division of whole numbers rounds down, also in ceil()."
_ONE_A_BLOCK = "Copy as many elements as there are blocks, or launch a block for each element."
_EXCHANGED = "dim3(x, y): x counts the blocks along a row, which are columns of the matrix, and y its rows. Does each side have its own?"
_WHICH_THREAD = "Which thread should have written it? Work out the index of the last thread of the last block, and what its condition says."
_OF_PITCH = "Row r begins r times the pitch in bytes behind the first: (float*)((char*)pointer + r * pitch). Give the kernel the pitch."


def partly_set(facts: Facts) -> Words:
    record, memory = facts.record, facts.memory
    missing, copied, first = (record.number(key) or 0 for key in ("missing", "copied", "first"))
    what = "bytes" if record.number("element_bytes") == 1 else "elements"
    only = f"{memory}[{first:,}]".replace("`[", "[") + "`" if memory.startswith("`") else f"number {first:,}"
    if missing > 1:
        only = f"{missing:,} of them: the first is {only}"
    pitch = next((one.pitch for one in facts.run.record.allocations if one.index == record.allocation), 0)
    message = f"This copies {copied:,} {what} of {memory} to the host, and nothing has written {only}."
    if record.flag("managed"):
        message = f"Nothing writes {missing:,} {what} of {memory}: the first is {first:,}."
    if pitch:
        return f"{message} Its rows lie {pitch:,} bytes apart.", _OF_PITCH
    story, advice = left_out(facts) or ("", _WHICH_THREAD)
    return message + story, advice


def left_out(facts: Facts) -> tuple[str, str] | None:
    """How the grid of the only launch that wrote there left elements out, and what to do; None where that does not explain them."""
    record = facts.record
    launched = [
        one for one in facts.run.record.launches if (one.kernel, one.at) == (record.text("kernel"), record.other_at)
    ]
    if record.number("launches") != 1 or len(launched) != 1:
        return None
    missing, first, run, copied = (record.number(key) or 0 for key in ("missing", "first", "run", "copied"))
    launch = launched[0]
    sides = [grid * block for grid, block in zip(launch.grid, launch.block, strict=True)]
    who = f" The launch of `{facts.kernel}`{facts.other} has"
    if math.prod(sides) == first == copied - missing and record.flag("has_end"):
        sizes = f"{math.prod(launch.grid):,} blocks of {math.prod(launch.block):,}"
        return f"{who} {sizes}, which are {first:,} threads.", _ROUNDED_UP
    if math.prod(launch.grid) == first == copied - missing:
        return f"{who} {first:,} blocks: does each write one element?", _ONE_A_BLOCK
    for along, down in ((0, 1), (1, 0)):
        across, rows = sides[along], sides[down]
        # Columns are left out of every row, or else the last rows.
        width = first + run if first == across < copied else first // rows if rows and first % rows == 0 else 0
        if width < 2 or copied % width or sides[2] != 1:  # noqa: PLR2004 -- columns of a matrix
            continue
        if across - width >= launch.block[along]:  # no grid has whole blocks too many
            continue
        height = copied // width
        if missing != copied - min(across, width) * min(rows, height) or (
            record.flag("has_end") and across < width and height > 1
        ):
            continue
        story = f"{who} {sides[0]:,} threads in x and {sides[1]:,} in y. In rows of {width:,} elements, {height:,} of them, "
        story += f"columns from {across:,} on" if across < width else f"rows from {rows:,} on"
        fits = rows >= width and across >= height
        return (
            f"{story} are left out{': x and y of the grid seem to be exchanged' if fits else ''}.",
            _EXCHANGED if fits else _ROUNDED_UP,
        )
    return None


def _side(facts: Facts, *, is_source: bool) -> str:
    """What the program calls one side of a copy; empty where that is not known."""
    call = facts.statement.name if facts.statement else ""
    if "3D" in call:
        return ""
    places = next((places for part, places in _SIDES_OF if part in call), (0, 1))
    return facts.argument(places[is_source], "")


def _direction(number: int | None) -> str:
    return f"cudaMemcpy{_DIRECTIONS[number]}" if number is not None and 0 <= number < len(_DIRECTIONS) else ""


# Memory in sentences: never freed, freed or used at the wrong time, or used on the wrong side.

_WRONG_FREE = "Wrong pointer freed"
# What frees memory of each kind; cudaFree the rest.
_FREES = {"pinned": "cudaFreeHost", "array": "cudaFreeArray", "mipmapped-array": "cudaFreeMipmappedArray"}


def leak(facts: Facts) -> Words:
    names, index = facts.run.names, facts.record.allocation
    name, allocation = names.name(index), names.allocation(index)
    what = f"`{name}` ({facts.size})" if name else f"This memory ({facts.size})"
    free = f"{_FREES.get(allocation.kind if allocation else '', 'cudaFree')}({name})"
    return f"{what} is allocated here and never freed.", f"Call {free} when nothing needs it any more."


def device_pointer_on_host(facts: Facts) -> Words:
    if freed := re.search(r"\bfree\s*\(\s*([A-Za-z_][\w.]*)\s*\)", facts.source_line):
        message = f"free() is given `{freed[1]}` here, which points to memory of the device."
        return message, "cudaFree frees what cudaMalloc gave, free() what malloc() gave.", _WRONG_FREE
    verb = "writes to" if facts.record.flag("write") else "reads"
    return f"Host code {verb} {facts.memory}{facts.allocated.rstrip(',')}, which is memory of the device."


def host_pointer_on_device(facts: Facts) -> Words:
    who = f"`{facts.kernel}`" if facts.record.text("kernel") or facts.launch else facts.call
    argument = facts.record.text("argument")
    parameter = f" for its parameter `{argument}`" if argument else ""
    needs = "It needs a pointer to memory of the device there."
    return f"{who} is given a pointer to memory of the host{parameter}. {needs}"


def use_after_free(facts: Facts) -> Words:
    memory = capital(facts.memory)
    if facts.record.flag("never_allocated"):
        message = f"{memory} is used here, but the graph that allocates it has not run."
        return message, "Launch the graph before, and use its memory after it.", "Use before the allocation"
    return f"{memory} is used here after it was freed{facts.other}."


def bad_free(facts: Facts) -> Words:
    what, memory = facts.record.text("what"), facts.memory
    pointer = capital(facts.argument(0, "the pointer"))
    if what == "operand":
        message = f"{capital(memory)} is freed here, but the caller of this function allocated it and still uses it."
        return message, "Free only what your own code allocates."
    if what == "heap":
        message = f"{pointer} is memory that a kernel allocated: the host cannot free it."
        return message, "Free it in a kernel, with the call that belongs to the one that allocated it."
    if what == "wrong-kind":
        return f"{pointer} was allocated by another kind of call than the one that frees it here."
    if what == "inside" or facts.record.allocation is not None:
        where = f"{'its own memory' if pointer == memory else memory}{facts.allocated.rstrip(',')}"
        return f"{pointer} does not point to the beginning of {where}, so it cannot be freed."
    pointer = capital(facts.argument(0, "the pointer that is freed here"))
    return f"{pointer} is not the address of any memory that CUDA allocated, so it cannot be freed here."


# What nothing has ordered, in sentences: work of two streams or nodes.

# How two nodes of a graph get an order.
_EDGE = (
    "Let one node depend on the other: name it among the dependencies of the second, or call cudaGraphAddDependencies. "
    "While streams are captured, an event that the second stream waits for makes this edge."
)


def copy_race(facts: Facts) -> Words:
    where = "nodes of one graph" if facts.record.flag("in_graph") else "in different streams"
    used = f"This line and the work{facts.other} use {facts.memory}."
    message = f"{used} They are {where}, and nothing says which comes first."
    return (message, _EDGE) if facts.record.flag("in_graph") else message


def launch_race(facts: Facts) -> Words:
    record, element = facts.record, facts.record.number("element")
    place = f"element {element:,} of {facts.memory}" if element is not None else facts.memory

    def act(prefix: str, what: str) -> str:
        line = record.number(f"{prefix}line")
        return f"{'writes' if record.flag(f'{prefix}writes') else 'reads'} {what}{f' in line {line}' if line else ''}"

    where = "are nodes of one graph" if record.flag("in_graph") else "are in different streams"
    both = (
        f"`{facts.kernel}` {act('', place)} and `{facts.other_kernel}`, launched{facts.other}, {act('other_', 'it')}."
    )
    message = f"{both} The two launches {where}, and nothing says which comes first."
    return (message, _EDGE) if record.flag("in_graph") else message


class Row(NamedTuple):
    """A kind of mistake."""

    label: str
    verdict: Verdict  # that it makes; of a note, the kind of its card
    note: Literal["", "graded", "always"] = ""  # where it is a note: a graded program's is never an error then


SENTENCES = {
    "leak": Row("Memory never freed", Verdict.LAUNCH_ERROR, "graded"),
    "copy-size": Row("Copy of the wrong size", Verdict.OUT_OF_BOUNDS),
    "copy-direction": Row("Copy in the wrong direction", Verdict.CRASH),
    "short-copy": Row("Copy of the wrong size", Verdict.UNINITIALIZED_READ, "graded"),
    "device-pointer-on-host": Row("Device pointer used on the host", Verdict.CRASH),
    "host-pointer-on-device": Row("Host pointer used on the device", Verdict.OUT_OF_BOUNDS),
    "use-after-free": Row("Use after free", Verdict.OUT_OF_BOUNDS),
    "bad-free": Row(_WRONG_FREE, Verdict.CRASH),
    "double-free": Row("Memory freed twice", Verdict.CRASH),
    "never-set": Row("Copy of memory without values", Verdict.UNINITIALIZED_READ, "graded"),
    "partly-set": Row("Result partly written", Verdict.UNINITIALIZED_READ, "graded"),
    "input-modified": Row("Input changed", Verdict.INPUT_MODIFIED),
    "error": Row(ERROR_LABEL, Verdict.LAUNCH_ERROR, "always"),
    "unchecked-error": Row("Unchecked error", Verdict.LAUNCH_ERROR),
    "unasked-launch": Row("Launch whose error is never asked for", Verdict.LAUNCH_ERROR),
    "swapped-sizes": Row("Sizes in the wrong order", Verdict.LAUNCH_ERROR),
    "not-configured": Row("Kernel called without a launch", Verdict.LAUNCH_ERROR),
    "no-launch": Row("No kernel ran", Verdict.LAUNCH_ERROR, "always"),
    "host-crash": Row("Crash of the host's code", Verdict.CRASH),
    "lost-output": Row("Output that is lost", Verdict.RACE, "graded"),
    "read-before-sync": Row("Read before the stream has finished", Verdict.RACE),
    "write-before-sync": Row("Changed before the stream has finished", Verdict.RACE),
    "copy-race": Row("Race between streams", Verdict.RACE),
    "launch-race": Row("Race between two launches", Verdict.RACE),
    REFUSED_FILE: Row("File that may not be opened", Verdict.CRASH, "always"),
    # Only a judge tells of what the host computed.
    "host-computed": Row("Result computed by the host", Verdict.REJECTED),
    "host-reads": Row("Result that hangs on what the host reads", Verdict.REJECTED),
}
# Of a message that needs no choice, what stands in braces is a fact.
_MESSAGES: dict[str, str | Callable[[Facts], Words]] = {
    REFUSED_FILE: refused_file,
    "leak": leak,
    "copy-size": copy_size,
    "copy-direction": copy_direction,
    "short-copy": short_copy,
    "device-pointer-on-host": device_pointer_on_host,
    "host-pointer-on-device": host_pointer_on_device,
    "use-after-free": use_after_free,
    "bad-free": bad_free,
    "double-free": "{0.memory} is freed here for the second time; it was freed before{0.other}.",
    "never-set": "This copies {0.size} of {0.memory} to the host, and nothing has ever written them.",
    "partly-set": partly_set,
    "input-modified": "This call writes to {0.memory}, which is an input and must not change.",
    "error": failed_call,
    "unchecked-error": unchecked_error,
    "unasked-launch": unasked_launch,
    "swapped-sizes": swapped_sizes,
    "not-configured": "`{0.kernel}` is a kernel, and it is called here like a function, without <<<…>>>. nvcc refuses this.",
    "no-launch": "The program has kernels, but launched none.",
    "host-crash": host_crash,
    "lost-output": 'A kernel prints "{0.printed}", and the program ends before it has waited for the kernel: a GPU shows nothing of it.',
    "read-before-sync": "Host code uses {0.memory} here, but nothing has waited for the work{0.other} that may still write it.",
    "write-before-sync": "Host code changes {0.memory} here, but nothing has waited for the work{0.other} that may still read it.",
    "copy-race": copy_race,
    "launch-race": launch_race,
    "host-computed": "{0.call} sends numbers of the result to the GPU, and no kernel wrote them there.",
    "host-reads": "{0.call} shows the host what is in the GPU's memory. The result hangs on something that the host was shown.",
}
# Where the message brings none.
_ADVICE = {
    "short-copy": "The length of a copy is in bytes: a number of elements times sizeof of one element. sizeof of a pointer is 8.",
    "device-pointer-on-host": "Only kernels can use this pointer. Copy the data with cudaMemcpy first, and use the copy on the host.",
    "host-pointer-on-device": "Allocate memory on the device with cudaMalloc, copy the data there, and pass that pointer.",
    "use-after-free": "Free memory only after its last use.",
    "bad-free": "cudaFree takes what cudaMalloc gave, cudaFreeHost what cudaMallocHost gave, cudaFreeArray what cudaMallocArray gave, "
    "and free() what malloc() gave.",
    "double-free": "Each allocation is freed once. Set the pointer to nullptr after cudaFree, which may be given nullptr.",
    "never-set": "Which kernel should have written them? Was it launched, with this pointer, and did its launch succeed?",
    "input-modified": "Does the destination of this call stand in the wrong place? It is the first pointer.",
    "not-configured": "Say how many threads run it: kernel<<<blocks, threads of a block>>>(arguments).",
    "no-launch": "Look at what the program did instead: did an earlier check end it?",
    "lost-output": "Call cudaDeviceSynchronize() after the launch, and look at what it returns.",
    "read-before-sync": "Call cudaDeviceSynchronize() or cudaStreamSynchronize() before the host uses the result.",
    "write-before-sync": "Wait for that work before the host writes there again, with cudaStreamSynchronize() or an event, or use a "
    "second buffer.",
    "copy-race": "Put both in one stream, or record an event after the first and let the second stream wait for it.",
    "launch-race": "Launch both in one stream, or record an event after the first launch and let the second stream wait for it "
    "(cudaEventRecord, cudaStreamWaitEvent), or call cudaDeviceSynchronize() between the two.",
    **dict.fromkeys(("host-computed", "host-reads"), "Let a kernel compute it from what is in the GPU's memory."),
}


def told(facts: Facts) -> tuple[Row, tuple[str, str, str]]:
    """The kind's row, and message, advice and label. An unknown kind is named, and not hidden."""
    kind = facts.record.kind
    row, message = SENTENCES.get(kind, Row(kind, Verdict.LAUNCH_ERROR)), _MESSAGES.get(kind, f"The broker saw: {kind}.")
    words = capital(message.format(facts)) if isinstance(message, str) else message(facts)
    said: tuple[str, ...] = (words,) if isinstance(words, str) else words
    text, advice, label = (*said, *(_ADVICE.get(kind, ""), row.label)[len(said) - 1 :])
    return row, (text, advice, label)
