"""Fills an object that is passed by value, or a buffer of objects or pointers, as `{n=4, data=float[64]=random}` describes it.

Numbers that are not mentioned are 0. A pointer has to be mentioned, because nobody knows how much memory it leads to; `null` is a pointer
to nothing. What pointers lead to are buffers of their own, which follow behind the kernel's arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from grader.run.kernels.argument_text import ArgumentError, Content, Number, WantedArgument, number_in, parts_of
from grader.run.kernels.parameter_types import OBJECTS, Leaf, Member, Parameter, ValueType

_NULL = frozenset({"null", "nullptr", "NULL", "0"})
_ROWS = 4  # of a proposed buffer of pointers
_TYPICAL = 1024  # elements of buffers in a proposed command line
MakeBuffer = Callable[[Parameter, str], int]  # what a pointer leads to, what was written -> the argument's index


@dataclass
class Filled:
    numbers: list[tuple[Leaf, Number | str]] = field(default_factory=list)  # a text: the address of that function
    pointers: list[tuple[int, int]] = field(default_factory=list)  # offset, index of the argument it leads to


def filled(name: str, layout: ValueType, wanted: WantedArgument, make_buffer: MakeBuffer) -> Filled:
    """One object. Raises ArgumentError."""
    content, text = wanted.content, wanted.text
    filler = _Filler(name, layout, text, make_buffer)
    if content.fill == "parts":
        filler.fill_parts("", layout.members, content.parts)
    elif content.fill == "constant" and not any(member.target for member in layout.members):
        filler.found.numbers = [(member.leaf, content.numbers[0]) for member in layout.members]
    else:
        example = f"{layout.name}={_proposed_parts(layout)}"
        raise ArgumentError(f"--arg {text!r}: name the members of {layout.name}, as in {example!r}")
    return filler.rest()


def filled_elements(name: str, layout: ValueType, wanted: WantedArgument, make_buffer: MakeBuffer) -> Filled:
    """The elements of a buffer, one after the other; those that are not mentioned are zeros."""
    parts, elements, text = wanted.content.parts, math.prod(wanted.extents), wanted.text
    if len(parts) > elements:
        raise ArgumentError(f"--arg {text!r}: {len(parts)} values are more than {elements} elements")
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


class _Filler:
    def __init__(
        self, name: str, layout: ValueType, text: str, make_buffer: MakeBuffer, *, zeros: bool = False
    ) -> None:
        self.name, self.layout, self.text, self.make_buffer, self.zeros = name, layout, text, make_buffer, zeros
        self.found = Filled()
        self.done: set[int] = set()  # offsets that were mentioned
        self.arrays: set[str] = set()  # arrays of which an element was mentioned

    def rest(self) -> Filled:
        """What was not mentioned."""
        for member in self.layout.members:
            target, is_of_array = member.target, member.path.partition("[")[0] in self.arrays
            if member.leaf.offset in self.done:
                continue
            if target is not None and not (target.is_function or self.zeros or is_of_array):
                where = self._path(member)
                what = f"{target.texture} {where} is" if target.texture else f"pointer {where} leads to"
                example = f"{self.layout.name}={_proposed_parts(self.layout)}"
                raise ArgumentError(
                    f"--arg {self.text!r} does not say what the {what}: write, for instance, {example!r}, "
                    "or null for a pointer to nothing"
                )
            self.found.numbers.append((member.leaf, 0))
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
                raise ArgumentError(
                    f"--arg {self.text!r}: {part!r} is none of the members of {prefix or self.layout.name}: {names}"
                )

    def set(self, prefix: str, members: Sequence[Member], value: str) -> None:
        if value.startswith("{"):
            self.fill_parts(prefix, members, parts_of(self.text, value))
            return
        if "[" in prefix:
            self.arrays.add(prefix.partition("[")[0])
        for member in members:
            leaf, target = member.leaf, member.target
            self.done.add(leaf.offset)
            if target is None:
                self.found.numbers.append((leaf, self._number(member, value)))
            elif value in _NULL:
                self.found.numbers.append((leaf, 0))
            elif target.is_function:
                self.found.numbers.append((leaf, value))
            else:
                index = self.make_buffer(replace(target, name=self._path(member)), value)
                self.found.pointers.append((leaf.offset, index))

    def _number(self, member: Member, value: str) -> Number:
        number = number_in(value)
        if number is None or (member.leaf.kind != "floating" and not Content("constant", (number,)).whole):
            what = "a number" if number is None else "a whole number"
            raise ArgumentError(f"--arg {self.text!r}: {value!r} is not {what}, as `{member.path or self.name}` needs")
        return number

    def _path(self, member: Member) -> str:
        return f"{self.name}.{member.path}".rstrip(".")


def _first_step(path: str) -> str:
    """`.size` of `.size.x`, `[2]` of `[2].x`, `rows` of `rows[2]`."""
    return next((path[:at] for at, character in enumerate(path) if at > 0 and character in ".["), path)


def _joined(prefix: str, step: str) -> str:
    return step if not prefix or step.startswith(("[", ".")) else f".{step}"


def _within(members: Sequence[Member], prefix: str, step: str) -> list[Member]:
    """The members that `step` names, seen from `prefix`."""
    wanted = prefix + _joined(prefix, step)
    return [
        one for one in members if one.path == wanted or (one.path.startswith(wanted) and one.path[len(wanted)] in ".[")
    ]


# An --arg that fits a kernel's parameter, for a command line that a user may paste and run.


def proposal(parameter: Parameter) -> str:
    """Inputs are random, outputs uninitialised, and numbers as large as a proposed buffer."""
    element, layout, handle = parameter.element, parameter.layout, parameter.texture or parameter.holds_handles
    if parameter.is_function:
        return f"{parameter.text}=the_name_of_a_function"
    if handle:
        one = f"{handle} float[64][64]={'random' if handle == 'texture' else '0'}"
        return one if parameter.texture else f"{next(name for name in OBJECTS if OBJECTS[name] == handle)}[1]={{{one}}}"
    if layout is not None and not parameter.is_pointer:
        return f"{layout.name}={_proposed_parts(layout)}"
    if layout is not None:
        elements, one = proposed_elements(parameter), _proposed_parts(layout)
        many = ", ".join([one.removeprefix("{").removesuffix("}")] * elements) if elements > 1 else one
        return f"{without_const(layout.name)}[{elements}]={{{many}}}"
    if parameter.is_pointer:
        is_input = parameter.is_const or element is None
        return f"{element.name if element else 'float'}[{_TYPICAL}]={'random' if is_input else '0'}"
    name, number = (element.name, element.number) if element else ("int", None)
    return f"{name}={1 if number is not None and _is_small(number) else _TYPICAL}"


def proposed_elements(parameter: Parameter) -> int:
    """How many elements a proposed buffer has whose elements are described one by one: rows, or objects with pointers. 0: it is another."""
    if not parameter.is_pointer or parameter.layout is None:
        return 0
    only = parameter.layout.members[0] if len(parameter.layout.members) == 1 else None
    is_rows = only is not None and not only.path and only.target is not None and only.target.layout is None
    return _ROWS if is_rows else 1


def _proposed_parts(layout: ValueType) -> str:
    """Numbers beside each other are often the sides of what a pointer leads to: their product stays within it."""
    said, seen = [], set[str]()
    whole = {one.path for one in layout.members if one.target is None and not _is_small(one.leaf)}
    size = _TYPICAL if len(whole) < 2 else math.isqrt(_TYPICAL)  # noqa: PLR2004 -- width and height
    for member in layout.members:
        name = member.path.partition("[")[0]
        if name not in seen:
            seen.add(name)
            value = str(size) if member.path in whole else _proposed_value(member.target)
            said.append(f"{name}={value}" if name else value)
    return f"{{{', '.join(said)}}}"


def _proposed_value(target: Parameter | None) -> str:
    """`target`: of a member; a number has none."""
    if target is None:
        return "1"
    layout = target.layout
    if target.is_function or (layout and not layout.members[0].path):
        return "null"
    return f"{layout.name}[1]={{{_proposed_parts(layout)}}}" if layout else proposal(target)


def without_const(name: str) -> str:
    return name.replace(" const", "")


def _is_small(number: Leaf) -> bool:
    return number.is_bool or number.kind == "floating" or number.bytes == 1
