"""The mistakes on the host's side in sentences: what happened, in the student's own names, and what to look at next. Pure.

The table of all kinds is at the end; the sentences of a subject lie together.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from grader.run.programs.host_facts import Facts
from grader.run.programs.run_record import Explained, LaunchRecord, capital, crash_words, error_words, memory_words

# Calls and launches in sentences: those that fail, those with sizes in the wrong order, and a program that ends too early.

ERROR_LABEL = "CUDA error"  # of a call that failed
_SHOWN = 60  # characters of an output
_MOST_THREADS = 1024  # of a block


def failed_call(facts: Facts) -> Explained:
    words = error_words(facts.record.number("error") or 0)
    if facts.launch is not None:
        message = f"The launch of `{facts.kernel}` fails here: {words.name} ({words.said}).{_why(facts.launch)}"
        return Explained(ERROR_LABEL, message, words.advice, "note")
    return Explained(ERROR_LABEL, f"{facts.call} fails here: {words.name} ({words.said}).", words.advice, "note")


def unchecked_error(facts: Facts) -> Explained:
    words = error_words(facts.record.number("error") or 0)
    message = f"{facts.call} fails here ({words.name}: {words.said}), and nobody looks at the value that says so."
    return Explained(
        "Error that nobody looked at",
        message,
        words.advice
        or "Compare what each call returns with cudaSuccess, and stop with a message if it is something else.",
    )


def unasked_launch(facts: Facts) -> Explained:
    words = error_words(facts.record.number("error") or 0)
    message = f"The launch of `{facts.kernel}` fails here ({words.name}: {words.said}), and nobody asks for its error."
    advice = f"{words.advice} A launch returns nothing: ask cudaGetLastError() after it.".strip()
    why = _why(facts.launch) if facts.launch else ""
    return Explained("Launch whose error is never asked for", message + why, advice)


def swapped_sizes(facts: Facts) -> Explained:
    if facts.launch is not None:
        return _swapped_launch(facts)
    value = facts.record.number("value")
    what = f"{facts.call} is asked to set 0 bytes" + (f" to {value}" if value is not None else "")
    message = f"{capital(what)}: the value and the number of bytes seem to be in the wrong order."
    return Explained(
        "Sizes in the wrong order",
        message,
        "cudaMemset takes the pointer, then the value of each byte, then the number of bytes.",
    )


def host_crash(facts: Facts) -> Explained:
    if (refused := facts.record.number("refused_bytes")) is not None:
        return Explained("No memory left on the host", *memory_words(refused))
    message, advice = crash_words(
        facts.record.number("signal") or 0,
        facts.record.number("address") or 0,
        facts.source_line,
        writes=facts.record.flag("write"),
    )
    return Explained("Crash of the host's code", message, advice)


def lost_output(facts: Facts) -> Explained:
    text = facts.record.text("text")[:_SHOWN]
    message = f'A kernel prints "{text}", and the program ends before it has waited for the kernel: a GPU shows nothing of it.'
    return Explained(
        "Output that is lost", message, "Call cudaDeviceSynchronize() after the launch, and look at what it returns."
    )


def _swapped_launch(facts: Facts) -> Explained:
    launch = facts.launch
    sizes = (
        f"a grid of {_extent(launch.grid)} and a block of {_extent(launch.block)}" if launch else "this grid and block"
    )
    message = f"The launch of `{facts.kernel}` asks for {sizes}; a block has at most 1024 threads. The two seem to be in the wrong order."
    return Explained(
        "Sizes in the wrong order",
        message,
        "In <<<grid, block>>> the number of blocks comes first, then the threads of a block.",
    )


def _why(launch: LaunchRecord) -> str:
    """What is wrong with the sizes of a launch."""
    threads = math.prod(launch.block)
    if threads > _MOST_THREADS:
        return f" A block of {_extent(launch.block)} has {threads:,} threads, and 1024 is the most."
    if 0 in launch.grid:
        return f" The grid is {_extent(launch.grid)}: there is no block in it."
    return ""


def _extent(sides: Sequence[int]) -> str:
    """`2048`, `64 x 64`: without sides of 1 at the end."""
    shown = list(sides)
    while len(shown) > 1 and shown[-1] == 1:
        shown.pop()
    return " x ".join(map(str, shown))


# Copies in sentences: of the wrong size, in the wrong direction, of memory without values.

_DIRECTIONS = (
    "cudaMemcpyHostToHost",
    "cudaMemcpyHostToDevice",
    "cudaMemcpyDeviceToHost",
    "cudaMemcpyDeviceToDevice",
    "cudaMemcpyDefault",
)
_TO_DEVICE, _FROM_DEVICE = {1, 3}, {2, 3}
_SIDES = {True: "device", False: "host"}
_DIRECTION = (
    "The first pointer is the destination, the second the source. Does the direction say where each of them lies?"
)
_SWAPPED = (
    "The first pointer is the destination, the second the source: is it the direction that is wrong, or their order?"
)
# Where the two sides of a copy stand among the arguments, where they are not the first two.
_SIDES_OF = (("FromArray", (0, 2)), ("ArrayToArray", (0, 3)), ("ToArray", (0, 3)), ("2D", (0, 2)))
_PARTS = {"row": "{} bytes of each row", "rows": "{} rows", "slices": "{} slices"}
_TEXTURE_SIZE = "Compare sizeInBytes, or width, height and pitchInBytes, with the bytes of the allocation."
_ARRAY_SIZE = (
    "Widths of 2D copies are in bytes: the number of texels times sizeof of one. "
    "The extent of cudaMemcpy3D counts texels as soon as an array takes part."
)


def copy_size(facts: Facts) -> Explained:
    record = facts.record
    verb = "reads" if record.text("side") == "from" else "writes"
    memory = facts.memory + facts.allocated
    if record.allocation is None:  # a block of the host's own memory
        is_source = record.text("side") == "from"
        memory = _side(facts, is_source=is_source) or (
            facts.source("the host's memory") if is_source else "the host's memory"
        )
    if own := record.number("value"):
        message = f"This copy {verb} {memory} itself: {own} bytes, in which there is a pointer to the elements, and not the elements."
        return Explained(
            "Copy of the wrong memory", message, "Give the copy the address of the elements, as data() has it."
        )
    if record.text("op") == "texture":
        message = (
            f"This texture shows {facts.bytes()}, but {memory} has only {facts.bytes('room')} from the pointer on."
        )
        return Explained("Texture larger than its memory", message, _TEXTURE_SIZE)
    if part := _PARTS.get(record.text("part")):
        asked, room = (part.format(f"{record.number(key) or 0:,}") for key in ("bytes", "room"))
        place = "" if record.number("offset") == 0 else " from there on"
        message = f"This copy {verb} {asked}, but {memory} has only {room}{place}."
        return Explained("Copy of the wrong size", message, _ARRAY_SIZE)
    place = " from there on" if record.number("offset") else ""
    message = f"This copy {verb} {facts.bytes()}, but {memory} has only {facts.bytes('room')}{place}."
    advice = "Compare the bytes here with those of the allocation. Are both a number of elements times sizeof of one element?"
    return Explained("Copy of the wrong size", message, advice)


def copy_direction(facts: Facts) -> Explained:
    said, meant = facts.record.number("said"), facts.record.number("meant")
    to = _side(facts, is_source=False) or "the destination"
    source = _side(facts, is_source=True) or facts.source("the source")
    if variable := facts.device_variable:
        message = f"`{variable}` is a variable of the device. On the host its name is no address of it, so this copy does not reach it."
        advice = f"Use cudaMemcpyToSymbol({variable}, …) and cudaMemcpyFromSymbol(…, {variable}, …), or ask cudaGetSymbolAddress."
        return Explained("Copy in the wrong direction", message, advice)
    message = f"This copy says {_direction(said) or 'another direction'}, but "
    if meant is None:
        return Explained("Copy in the wrong direction", f"{message}its pointers are those of another one.", _DIRECTION)
    there, here = _SIDES[meant in _TO_DEVICE], _SIDES[meant in _FROM_DEVICE]
    message += f"{to} points to memory of the {there} and {source} to memory of the {here}"
    message += f": that is {_direction(meant)}." if meant else "."
    advice = _SWAPPED if said in {1, 2} and meant in {1, 2} and said != meant else _DIRECTION
    return Explained("Copy in the wrong direction", message, advice)


def short_copy(facts: Facts) -> Explained:
    message = f"This copies {facts.bytes()} of {facts.memory}{facts.allocated} to the host, and it has {facts.bytes('room')}. "
    message += "No other copy fetches the rest."
    if facts.record.flag("write"):
        message = (
            f"This copies {facts.bytes()} to {facts.memory}, and it has {facts.bytes('room')}. The rest is not set."
        )
    advice = (
        "The length of a copy is in bytes: a number of elements times sizeof of one element. sizeof of a pointer is 8."
    )
    return Explained("Copy of the wrong size", message, advice)


def _side(facts: Facts, *, is_source: bool) -> str:
    """What the program calls one side of a copy; empty where that is not known."""
    call = facts.statement.name if facts.statement else ""
    if "3D" in call:
        return ""
    places = next((places for part, places in _SIDES_OF if part in call), (0, 1))
    return facts.argument(places[is_source], "")


def _direction(number: int | None) -> str:
    return _DIRECTIONS[number] if number is not None and 0 <= number < len(_DIRECTIONS) else ""


# Memory in sentences: never freed, freed or used at the wrong time, or used on the wrong side.

# What frees memory of each kind; cudaFree the rest.
_FREES = {"pinned": "cudaFreeHost", "array": "cudaFreeArray", "mipmapped-array": "cudaFreeMipmappedArray"}


def leak(facts: Facts) -> Explained:
    name = facts.names.name(facts.record.allocation)
    what = f"`{name}` ({facts.bytes()})" if name else f"This memory ({facts.bytes()})"
    allocation = facts.names.allocation(facts.record.allocation)
    free = f"{_FREES.get(allocation.kind if allocation else '', 'cudaFree')}({name})"
    return Explained(
        "Memory never freed",
        f"{what} is allocated here and never freed.",
        f"Call {free} when nothing needs it any more.",
    )


def device_pointer_on_host(facts: Facts) -> Explained:
    verb = "writes to" if facts.record.flag("write") else "reads"
    allocated = facts.allocated.rstrip(",")
    message = f"Host code {verb} {facts.memory}{allocated}, which is memory of the device."
    if freed := re.search(r"\bfree\s*\(\s*([A-Za-z_][\w.]*)\s*\)", facts.source_line):
        return Explained(
            "Wrong pointer freed",
            f"free() is given `{freed[1]}` here, which points to memory of the device.",
            "cudaFree frees what cudaMalloc gave, free() what malloc() gave.",
        )
    advice = "Only kernels can use this pointer. Copy the data with cudaMemcpy first, and use the copy on the host."
    return Explained("Device pointer used on the host", message, advice)


def host_pointer_on_device(facts: Facts) -> Explained:
    who = f"`{facts.kernel}`" if facts.record.text("kernel") or facts.launch else facts.call
    argument = facts.record.text("argument")
    parameter = f" for its parameter `{argument}`" if argument else ""
    message = (
        f"{who} is given a pointer to memory of the host{parameter}. It needs a pointer to memory of the device there."
    )
    advice = "Allocate memory on the device with cudaMalloc, copy the data there, and pass that pointer."
    return Explained("Host pointer used on the device", message, advice)


def use_after_free(facts: Facts) -> Explained:
    if facts.record.flag("never_allocated"):
        message = f"{capital(facts.memory)} is used here, but the graph that allocates it has not run."
        return Explained("Use before the allocation", message, "Launch the graph before, and use its memory after it.")
    message = f"{capital(facts.memory)} is used here after it was freed{facts.other}."
    return Explained("Use after free", message, "Free memory only after its last use.")


def bad_free(facts: Facts) -> Explained:
    what = facts.record.text("what")
    if what == "operand":
        message = (
            f"{capital(facts.memory)} is freed here, but the caller of this function allocated it and still uses it."
        )
        return Explained("Wrong pointer freed", message, "Free only what your own code allocates.")
    if what == "heap":
        message = (
            f"{capital(facts.argument(0, 'the pointer'))} is memory that a kernel allocated: the host cannot free it."
        )
        return Explained(
            "Wrong pointer freed",
            message,
            "Free it in a kernel, with the call that belongs to the one that allocated it.",
        )
    if what == "wrong-kind":
        message = f"{capital(facts.argument(0, 'the pointer'))} was allocated by another kind of call than the one that frees it here."
    elif what == "inside" or facts.record.allocation is not None:
        pointer, memory = capital(facts.argument(0, "the pointer")), facts.memory
        where = "its own memory" if pointer == memory else memory
        message = (
            f"{pointer} does not point to the beginning of {where}{facts.allocated.rstrip(',')}, so it cannot be freed."
        )
    else:
        pointer = capital(facts.argument(0, "the pointer that is freed here"))
        message = f"{pointer} is not the address of any memory that CUDA allocated, so it cannot be freed here."
    advice = (
        "cudaFree takes what cudaMalloc gave, cudaFreeHost what cudaMallocHost gave, cudaFreeArray what cudaMallocArray gave, and free() "
        "what malloc() gave."
    )
    return Explained("Wrong pointer freed", message, advice)


# What nothing has ordered, in sentences: work of two streams or nodes, and the host's use of what is not finished.

# How two nodes of a graph get an order.
_EDGE = (
    "Let one node depend on the other: name it among the dependencies of the second, or call cudaGraphAddDependencies. "
    "While streams are captured, an event that the second stream waits for makes this edge."
)


def copy_race(facts: Facts) -> Explained:
    where = "nodes of one graph" if facts.record.flag("in_graph") else "in different streams"
    message = (
        f"This line and the work{facts.other} use {facts.memory}. They are {where}, and nothing says which comes first."
    )
    advice = "Put both in one stream, or record an event after the first and let the second stream wait for it."
    if facts.record.flag("in_graph"):
        advice = _EDGE
    return Explained("Race between streams", message, advice)


def launch_race(facts: Facts) -> Explained:
    record = facts.record
    kernel, other = facts.kernel, facts.kernel_named("other_kernel")
    element = record.number("element")
    place = f"element {element:,} of {facts.memory}" if element is not None else facts.memory

    def act(prefix: str) -> str:
        line = record.number(f"{prefix}line")
        verb = "writes" if record.flag(f"{prefix}writes") else "reads"
        return f"{verb} {{}} in line {line}" if line else f"{verb} {{}}"

    where = "are nodes of one graph" if record.flag("in_graph") else "are in different streams"
    message = (
        f"`{kernel}` {act('').format(place)} and `{other}`, launched{facts.other}, {act('other_').format('it')}. "
        f"The two launches {where}, and nothing says which comes first."
    )
    advice = (
        "Launch both in one stream, or record an event after the first launch and let the second stream wait for it "
        "(cudaEventRecord, cudaStreamWaitEvent), or call cudaDeviceSynchronize() between the two."
    )
    if record.flag("in_graph"):
        advice = _EDGE
    return Explained("Race between two launches", message, advice)


# Those that need no choice: of the message, what stands in braces is a fact. Only a judge tells of what the host computed.
_IN_THE_GPU = "Let a kernel compute it from what is in the GPU's memory."
_PLAIN = {
    "not-configured": Explained(
        "Kernel called without a launch",
        "`{0.kernel}` is a kernel, and it is called here like a function, without <<<…>>>. nvcc refuses this.",
        "Say how many threads run it: kernel<<<blocks, threads of a block>>>(arguments).",
    ),
    "no-launch": Explained(
        "No kernel ran",
        "The program has kernels, but launched none.",
        "Look at what the program did instead: did an earlier check end it?",
        "note",
    ),
    "never-set": Explained(
        "Copy of memory without values",
        "This copies {0.size} of {0.memory} to the host, and nothing has ever written them.",
        "Which kernel should have written them? Was it launched, with this pointer, and did its launch succeed?",
        "note",
    ),
    "double-free": Explained(
        "Memory freed twice",
        "{0.memory} is freed here for the second time; it was freed before{0.other}.",
        "Each allocation is freed once. Set the pointer to nullptr after cudaFree, which may be given nullptr.",
    ),
    "input-modified": Explained(
        "Input changed",
        "This call writes to {0.memory}, which is an input and must not change.",
        "Does the destination of this call stand in the wrong place? It is the first pointer.",
    ),
    "read-before-sync": Explained(
        "Read before the stream has finished",
        "Host code uses {0.memory} here, but nothing has waited for the work{0.other} that may still write it.",
        "Call cudaDeviceSynchronize() or cudaStreamSynchronize() before the host uses the result.",
    ),
    "write-before-sync": Explained(
        "Changed before the stream has finished",
        "Host code changes {0.memory} here, but nothing has waited for the work{0.other} that may still read it.",
        "Wait for that work before the host writes there again, with cudaStreamSynchronize() or an event, or use a second buffer.",
    ),
    "host-computed": Explained(
        "Result computed by the host",
        "{0.call} sends numbers of the result to the GPU, and no kernel wrote them there.",
        _IN_THE_GPU,
    ),
    "host-reads": Explained(
        "Result that hangs on what the host reads",
        "{0.call} shows the host what is in the GPU's memory. The result hangs on something that the host was shown.",
        _IN_THE_GPU,
    ),
}


def told(facts: Facts) -> Explained:
    """An unknown kind is named, and not hidden."""
    if plain := _PLAIN.get(facts.record.kind):
        return replace(plain, message=capital(plain.message.format(facts)))
    sentence = _SENTENCES.get(facts.record.kind)
    return sentence(facts) if sentence else Explained(facts.record.kind, f"The broker saw: {facts.record.kind}.")


_SENTENCES: dict[str, Callable[[Facts], Explained]] = {
    "leak": leak,
    "copy-size": copy_size,
    "copy-direction": copy_direction,
    "device-pointer-on-host": device_pointer_on_host,
    "host-pointer-on-device": host_pointer_on_device,
    "use-after-free": use_after_free,
    "bad-free": bad_free,
    "unchecked-error": unchecked_error,
    "unasked-launch": unasked_launch,
    "copy-race": copy_race,
    "host-crash": host_crash,
    "short-copy": short_copy,
    "launch-race": launch_race,
    "swapped-sizes": swapped_sizes,
    "lost-output": lost_output,
    "error": failed_call,
}
