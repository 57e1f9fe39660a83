"""Fills an object that is passed by value, or a buffer of objects or pointers, as `{n=4, data=float[64]=random}` describes it.

Numbers that are not mentioned are 0. A pointer has to be mentioned, because nobody knows how much memory it leads to; `null` is a pointer
to nothing. What pointers lead to are buffers of their own, which follow behind the kernel's arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from grader.run.kernels.argument_text import ArgumentError, Content, WantedArgument, number_in, parts_of
from grader.run.kernels.class_layout import Layout, Member, Pointee
from grader.run.kernels.element_types import OBJECTS, ElementType, Leaf

_NULL = frozenset({"null", "nullptr", "NULL", "0"})
_ZERO = Content("constant")
MakeBuffer = Callable[
    [str, Pointee, str], int
]  # name, what the pointer leads to, what was written -> the argument's index


@dataclass
class Filled:
    numbers: list[tuple[Leaf, Content]] = field(default_factory=list)
    pointers: list[tuple[int, int]] = field(default_factory=list)  # offset, index of the argument it leads to


def filled(name: str, layout: Layout, wanted: WantedArgument, make_buffer: MakeBuffer) -> Filled:
    """One object. Raises ArgumentError."""
    content, text = wanted.content, wanted.text
    filler = _Filler(name, layout, text, make_buffer)
    if content.fill == "parts":
        filler.fill_parts("", layout.members, content.parts)
    elif content.fill == "constant" and not layout.has_pointers:
        filler.found.numbers = [(_leaf(member), content) for member in layout.members]
    else:
        message = f"--arg {text!r}: name the members of {layout.name}, as in {proposed(layout)!r}"
        raise ArgumentError(message)
    return filler.rest()


def filled_elements(name: str, layout: Layout, wanted: WantedArgument, make_buffer: MakeBuffer) -> Filled:
    """The elements of a buffer, one after the other; those that are not mentioned are zeros."""
    parts, elements, text = wanted.content.parts, math.prod(wanted.extents), wanted.text
    if len(parts) > elements:
        message = f"--arg {text!r}: {len(parts)} values are more than {elements} elements"
        raise ArgumentError(message)
    together = Filled()
    for index in range(elements):
        filler = _Filler(f"{name}[{index}]", layout, text, make_buffer, zeros=index >= len(parts))
        if index < len(parts):
            filler.set("", layout.members, parts[index])
        found = filler.rest()
        begin = index * layout.bytes
        together.numbers += [(replace(leaf, offset=leaf.offset + begin), value) for leaf, value in found.numbers]
        together.pointers += [(offset + begin, target) for offset, target in found.pointers]
    return together


def proposed(layout: Layout, elements: int = 1024) -> str:
    """A description that fits: `Params={n=1024, data=float[1024]=random}`."""
    return f"{layout.name}={_proposed_parts(layout, elements)}"


def _proposed_parts(layout: Layout, elements: int) -> str:
    """Numbers beside each other are often the sides of what a pointer leads to: their product stays within it."""
    said, seen = [], set[str]()
    whole = [one.path for one in layout.members if one.number and not _is_small(one.number)]
    size = elements if len(whole) < 2 else math.isqrt(elements)  # noqa: PLR2004 -- width and height
    for member in layout.members:
        name = member.path.partition("[")[0]
        if name in seen:
            continue
        seen.add(name)
        value = str(size) if member.path in whole else _proposed_value(member, elements)
        said.append(f"{name}={value}" if name else value)
    return f"{{{', '.join(said)}}}"


def _is_small(number: Leaf) -> bool:
    return number.is_bool or number.kind == "floating" or number.bytes == 1


def _proposed_value(member: Member, elements: int) -> str:
    if member.handle:
        return f"{member.handle} float[64][64]={'random' if member.handle == 'texture' else '0'}"
    if member.number:
        return "1"
    pointee = member.pointee
    if pointee is None or pointee.is_function or (pointee.layout and pointee.layout.trouble):
        return "null"
    name = pointee.element.name if pointee.element else "float"
    if pointee.layout:
        return (
            f"{name}[1]={{{_proposed_parts(pointee.layout, elements)}}}" if pointee.layout.members[0].path else "null"
        )
    return f"{name}[{elements}]={'random' if pointee.is_const or pointee.element is None else '0'}"


def _leaf(member: Member) -> Leaf:
    if member.number is None:
        raise ValueError(member.path)
    return member.number


class _Filler:
    def __init__(self, name: str, layout: Layout, text: str, make_buffer: MakeBuffer, *, zeros: bool = False) -> None:
        self.name, self.layout, self.text, self.make_buffer, self.zeros = name, layout, text, make_buffer, zeros
        self.found = Filled()
        self.done: set[int] = set()  # offsets that were mentioned
        self.arrays: set[str] = set()  # arrays of which an element was mentioned

    def rest(self) -> Filled:
        """What was not mentioned."""
        for member in self.layout.members:
            if member.offset in self.done:
                continue
            if member.number and not member.handle:
                self.found.numbers.append((member.number, _ZERO))
            elif (
                self.zeros
                or member.path.partition("[")[0] in self.arrays
                or (member.pointee and member.pointee.is_function)
            ):
                self._null(member)
            else:
                where = f"{self.name}.{member.path}".rstrip(".")
                what = f"{member.handle} {where} is" if member.handle else f"pointer {where} leads to"
                message = (
                    f"--arg {self.text!r} does not say what the {what}: write, for instance, {proposed(self.layout)!r}, "
                    "or null for a pointer to nothing"
                )
                raise ArgumentError(message)
        return self.found

    def fill_parts(self, prefix: str, members: Sequence[Member], parts: Sequence[str]) -> None:
        """`members`: those whose paths begin with `prefix`."""
        groups = list(dict.fromkeys(_first_step(member.path[len(prefix) :]) for member in members))
        place = 0
        for part in parts:
            key, equals, value = part.partition("=")
            chosen = _within(members, prefix, key.strip()) if equals else []
            if chosen:
                step = key.strip()
                place = next((at + 1 for at, one in enumerate(groups) if one.lstrip(".") == _first_step(step)), place)
                self.set(prefix + _joined(prefix, step), chosen, value.strip())
            elif place < len(groups):
                step = groups[place]
                place += 1
                self.set(prefix + step, _within(members, prefix, step), part)
            else:
                names = ", ".join(one.lstrip(".") for one in groups)
                message = (
                    f"--arg {self.text!r}: {part!r} is none of the members of {prefix or self.layout.name}: {names}"
                )
                raise ArgumentError(message)

    def set(self, prefix: str, members: Sequence[Member], value: str) -> None:
        if value.startswith("{"):
            self.fill_parts(prefix, members, parts_of(self.text, value))
            return
        if "[" in prefix:
            self.arrays.add(prefix.partition("[")[0])
        for member in members:
            self.done.add(member.offset)
            if member.number and not member.handle:
                self.found.numbers.append((member.number, self._number(member, member.number, value)))
            elif value in _NULL:
                self._null(member)
            elif member.handle:
                path = f"{self.name}.{member.path}".rstrip(".")
                self.found.pointers.append((member.offset, self.make_buffer(path, _handle(member.handle), value)))
            elif member.pointee and member.pointee.is_function:
                self.found.numbers.append((_address(member), Content("function", function=value)))
            elif member.pointee:
                path = f"{self.name}.{member.path}".rstrip(".")
                self.found.pointers.append((member.offset, self.make_buffer(path, member.pointee, value)))

    def _number(self, member: Member, leaf: Leaf, value: str) -> Content:
        number = number_in(value)
        if number is None or (not number.whole and leaf.kind != "floating"):
            what = "a number" if number is None else "a whole number"
            message = f"--arg {self.text!r}: {value!r} is not {what}, as `{member.path or self.name}` needs"
            raise ArgumentError(message)
        return number

    def _null(self, member: Member) -> None:
        self.found.numbers.append((_address(member), _ZERO))


def _handle(kind: str) -> Pointee:
    """As if the handle were a pointer: what it stands for is an argument of its own."""
    names = frozenset(name for name in OBJECTS if OBJECTS[name] == kind)
    return Pointee(ElementType(kind, 8, (Leaf("unsigned", 8),), names), kind, is_const=False)


def _address(member: Member) -> Leaf:
    return Leaf("unsigned", 8, member.offset)


def _first_step(path: str) -> str:
    """`.size` of `.size.x`, `[2]` of `[2].x`, `rows` of `rows[2]`."""
    for at, character in enumerate(path):
        if at > 0 and character in ".[":
            return path[:at]
    return path


def _joined(prefix: str, step: str) -> str:
    return step if not prefix or step.startswith(("[", ".")) else f".{step}"


def _within(members: Sequence[Member], prefix: str, step: str) -> list[Member]:
    """The members that `step` names, seen from `prefix`."""
    wanted = prefix + _joined(prefix, step)
    return [
        one for one in members if one.path == wanted or (one.path.startswith(wanted) and one.path[len(wanted)] in ".[")
    ]
