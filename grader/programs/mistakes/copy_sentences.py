"""Copies in sentences: of the wrong size, in the wrong direction, of memory without values."""

from __future__ import annotations

from grader.programs.mistakes.host_facts import Facts
from grader.programs.mistakes.told_mistake import Told

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


def copy_size(facts: Facts) -> Told:
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
        return Told("Copy of the wrong memory", message, "Give the copy the address of the elements, as data() has it.")
    if record.text("op") == "texture":
        message = (
            f"This texture shows {facts.bytes()}, but {memory} has only {facts.bytes('room')} from the pointer on."
        )
        return Told("Texture larger than its memory", message, _TEXTURE_SIZE)
    if part := _PARTS.get(record.text("part")):
        asked, room = (part.format(f"{record.number(key) or 0:,}") for key in ("bytes", "room"))
        place = "" if record.number("offset") == 0 else " from there on"
        message = f"This copy {verb} {asked}, but {memory} has only {room}{place}."
        return Told("Copy of the wrong size", message, _ARRAY_SIZE)
    place = " from there on" if record.number("offset") else ""
    message = f"This copy {verb} {facts.bytes()}, but {memory} has only {facts.bytes('room')}{place}."
    advice = "Compare the bytes here with those of the allocation. Are both a number of elements times sizeof of one element?"
    return Told("Copy of the wrong size", message, advice)


def copy_direction(facts: Facts) -> Told:
    said, meant = facts.record.number("said"), facts.record.number("meant")
    to = _side(facts, is_source=False) or "the destination"
    source = _side(facts, is_source=True) or facts.source("the source")
    if variable := facts.device_variable:
        message = f"`{variable}` is a variable of the device. On the host its name is no address of it, so this copy does not reach it."
        advice = f"Use cudaMemcpyToSymbol({variable}, …) and cudaMemcpyFromSymbol(…, {variable}, …), or ask cudaGetSymbolAddress."
        return Told("Copy in the wrong direction", message, advice)
    message = f"This copy says {_direction(said) or 'another direction'}, but "
    if meant is None:
        return Told("Copy in the wrong direction", f"{message}its pointers are those of another one.", _DIRECTION)
    there, here = _SIDES[meant in _TO_DEVICE], _SIDES[meant in _FROM_DEVICE]
    message += f"{to} points to memory of the {there} and {source} to memory of the {here}"
    message += f": that is {_direction(meant)}." if meant else "."
    advice = _SWAPPED if said in {1, 2} and meant in {1, 2} and said != meant else _DIRECTION
    return Told("Copy in the wrong direction", message, advice)


def short_copy(facts: Facts) -> Told:
    message = f"This copies {facts.bytes()} of {facts.memory}{facts.allocated} to the host, and it has {facts.bytes('room')}. "
    message += "No other copy fetches the rest."
    if facts.record.flag("write"):
        message = (
            f"This copies {facts.bytes()} to {facts.memory}, and it has {facts.bytes('room')}. The rest is not set."
        )
    advice = (
        "The length of a copy is in bytes: a number of elements times sizeof of one element. sizeof of a pointer is 8."
    )
    return Told("Copy of the wrong size", message, advice)


def never_set(facts: Facts) -> Told:
    message = f"This copies {facts.bytes()} of {facts.memory} to the host, and nothing has ever written them."
    advice = "Which kernel should have written them? Was it launched, with this pointer, and did its launch succeed?"
    return Told("Copy of memory without values", message, advice, "note")


def _side(facts: Facts, *, is_source: bool) -> str:
    """What the program calls one side of a copy; empty where that is not known."""
    call = facts.statement.name if facts.statement else ""
    if "3D" in call:
        return ""
    places = next((places for part, places in _SIDES_OF if part in call), (0, 1))
    return facts.argument(places[is_source], "")


def _direction(number: int | None) -> str:
    return _DIRECTIONS[number] if number is not None and 0 <= number < len(_DIRECTIONS) else ""
