"""Memory in sentences: never freed, freed or used at the wrong time, or used on the wrong side."""

from __future__ import annotations

import re

from grader.programs.mistakes.host_facts import Facts
from grader.programs.mistakes.told_mistake import Told, capital

# What frees memory of each kind; cudaFree the rest.
_FREES = {"pinned": "cudaFreeHost", "array": "cudaFreeArray", "mipmapped-array": "cudaFreeMipmappedArray"}


def leak(facts: Facts) -> Told:
    name = facts.names.name(facts.record.allocation)
    what = f"`{name}` ({facts.bytes()})" if name else f"This memory ({facts.bytes()})"
    allocation = facts.names.allocation(facts.record.allocation)
    free = f"{_FREES.get(allocation.kind if allocation else '', 'cudaFree')}({name})"
    return Told(
        "Memory never freed",
        f"{what} is allocated here and never freed.",
        f"Call {free} when nothing needs it any more.",
    )


def device_pointer_on_host(facts: Facts) -> Told:
    verb = "writes to" if facts.record.flag("write") else "reads"
    allocated = facts.allocated.rstrip(",")
    message = f"Host code {verb} {facts.memory}{allocated}, which is memory of the device."
    if freed := re.search(r"\bfree\s*\(\s*([A-Za-z_][\w.]*)\s*\)", facts.source_line):
        return Told(
            "Wrong pointer freed",
            f"free() is given `{freed[1]}` here, which points to memory of the device.",
            "cudaFree frees what cudaMalloc gave, free() what malloc() gave.",
        )
    advice = "Only kernels can use this pointer. Copy the data with cudaMemcpy first, and use the copy on the host."
    return Told("Device pointer used on the host", message, advice)


def host_pointer_on_device(facts: Facts) -> Told:
    who = f"`{facts.kernel}`" if facts.record.text("kernel") or facts.launch else facts.call
    argument = facts.record.text("argument")
    parameter = f" for its parameter `{argument}`" if argument else ""
    message = (
        f"{who} is given a pointer to memory of the host{parameter}. It needs a pointer to memory of the device there."
    )
    advice = "Allocate memory on the device with cudaMalloc, copy the data there, and pass that pointer."
    return Told("Host pointer used on the device", message, advice)


def use_after_free(facts: Facts) -> Told:
    if facts.record.flag("never_allocated"):
        message = f"{capital(facts.memory)} is used here, but the graph that allocates it has not run."
        return Told("Use before the allocation", message, "Launch the graph before, and use its memory after it.")
    message = f"{capital(facts.memory)} is used here after it was freed{facts.other}."
    return Told("Use after free", message, "Free memory only after its last use.")


def double_free(facts: Facts) -> Told:
    message = f"{capital(facts.memory)} is freed here for the second time; it was freed before{facts.other}."
    return Told(
        "Memory freed twice",
        message,
        "Each allocation is freed once. Set the pointer to nullptr after cudaFree, which may be given nullptr.",
    )


def bad_free(facts: Facts) -> Told:
    what = facts.record.text("what")
    if what == "operand":
        message = (
            f"{capital(facts.memory)} is freed here, but the caller of this function allocated it and still uses it."
        )
        return Told("Wrong pointer freed", message, "Free only what your own code allocates.")
    if what == "heap":
        message = (
            f"{capital(facts.argument(0, 'the pointer'))} is memory that a kernel allocated: the host cannot free it."
        )
        return Told(
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
    return Told("Wrong pointer freed", message, advice)


def input_modified(facts: Facts) -> Told:
    message = f"This call writes to {facts.memory}, which is an input and must not change."
    return Told(
        "Input changed", message, "Does the destination of this call stand in the wrong place? It is the first pointer."
    )
