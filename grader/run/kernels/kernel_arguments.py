"""The arguments that `tilelab check` passes to a kernel: compares `float[4096]=random` and `int=64` with the kernel's parameters.

A const buffer is an input. A buffer that is filled and not const is an input and an output. A buffer without a fill is uninitialised.
A mistake is reported as a sentence that says what to write instead.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from grader.run.kernels.argument_text import (
    ArgumentError,
    Content,
    Number,
    TextureOptions,
    WantedArgument,
    listed,
    number_in,
    parse_argument,
    parts_of,
    texel_type,
    trouble_of,
)
from grader.run.kernels.parameter_types import OBJECTS, Leaf, Member, Parameter, ValueType, numbers_type, passing_of
from grader.source.cuda_vocabulary import NUMBER_TYPES

MAX_BUFFER_BYTES = 64 << 20
MAX_TOTAL_BYTES = 256 << 20
_ZERO = Content("constant", (0,))
_NAMESPACES = re.compile(r"(?:\w+::)+(?=\w+$)")
_CHARACTERS = {"char", "signed char", "unsigned char"}


@dataclass(frozen=True)
class Argument:
    """One argument of a launch, ready to be passed."""

    parameter: Parameter
    element: ValueType
    content: Content
    extents: tuple[int, ...] = ()
    filled: Filled | None = None  # of an object, and of a buffer whose elements are written out
    hidden: bool = False  # a buffer that is no parameter: only a pointer leads to it
    texture: TextureOptions | None = None  # how the kernel sees the buffer, of a texture or a surface
    shown: int | None = None  # the argument whose memory the texture shows; it has none of its own then

    @property
    def role(self) -> str:
        if self.shown is not None:
            return "scalar"  # the handle
        if not self.extents:
            return "scalar" if self.parameter.layout is None else "object"
        if self.texture and self.texture.kind == "texture" and self.content.fill != "none":
            return "input"
        if self.content.fill == "none":
            return "output"
        return "input" if self.parameter.is_const else "inout"

    @property
    def elements(self) -> int:
        return math.prod(self.extents)

    @property
    def seen_as(self) -> dict[str, object]:
        """The texture or the surface, in the form that kit/protocol/protocol.cpp reads; empty: it is none."""
        options, extents = self.texture, self.extents
        if options is None:
            return {}
        number = self.element.leaves[0]
        found: dict[str, object] = {
            "surface": options.kind == "surface",
            "extents": list(extents[1:] if options.is_layered else extents),
            "layers": extents[0] if options.is_layered else 0,
            "format": [number.kind, number.bytes, len(self.element.leaves)],
            "address": list(options.address),
            "linear": options.is_linear,
            "normalized": options.is_normalized,
            "as_float": options.as_float,
        }
        return found if self.shown is None else {**found, "of": self.shown}

    def described(self, functions: Mapping[str, int]) -> dict[str, object]:
        """In the form that kit/launch/launch_description.cpp reads. `functions`: addresses of those that arguments name."""
        content, element, layout = self.content, self.element, self.parameter.layout
        plain: dict[str, object] = {"name": self.parameter.name, "element": element.name, "role": self.role}
        plain["content"] = _filled(content, functions)
        if self.texture is not None:
            plain["texture"] = self.seen_as
        if self.shown is not None:
            return {**plain, "element": "unsigned long long", "scalar": _leaf(Leaf("unsigned", 8))}
        if self.role == "scalar":
            return {**plain, "scalar": _leaf(element.leaves[0])}
        if self.filled is not None:
            numbers = self.filled.numbers
            plain["numbers"] = [{**_leaf(leaf), "number": _number(value, functions)} for leaf, value in numbers]
            plain["pointers"] = self.filled.pointers
        if self.role == "object" and layout is not None:
            passing = passing_of(layout)
            plain |= {"passing": passing.how, "pieces": passing.pieces, "alignment": layout.alignment}
        return plain | {
            "hidden": self.hidden,
            "elements": self.elements,
            "element_bytes": element.bytes,
            "row_elements": self.extents[-1] if len(self.extents) > 1 else 0,
            "leaves": [_leaf(leaf) for leaf in element.leaves],
        }


def _filled(content: Content, functions: Mapping[str, int]) -> dict[str, object]:
    if content.fill in {"constant", "function", "listed"}:
        numbers = content.numbers or [content.function]
        return {"fill": "listed", "listed": [_number(one, functions) for one in numbers]}
    span = {"low": content.span[0], "high": content.span[1]} if content.span else {}
    return {"fill": content.fill, **span}


def _number(number: Number | str, functions: Mapping[str, int]) -> int | float | str:
    """JSON has no infinity and no NaN. A text: the address of that function."""
    if isinstance(number, str):
        return functions[number]
    if isinstance(number, int):
        return number if -(1 << 63) <= number < 1 << 64 else float(number)
    return number if math.isfinite(number) else str(number)


def _leaf(leaf: Leaf) -> dict[str, object]:
    return {"kind": leaf.kind, "bytes": leaf.bytes, "offset": leaf.offset}


def match_arguments(kernel: str, parameters: Sequence[Parameter], wanted: Sequence[WantedArgument]) -> list[Argument]:
    """Gives each parameter its argument. Raises ArgumentError, which lists the parameters and says what to write."""
    for parameter in parameters:
        if parameter.trouble:
            raise ArgumentError(
                f"{kernel} cannot be checked: no --arg fits its parameter `{parameter.text} {parameter.name}`: {parameter.trouble}. "
                "A parameter must be a number, a pointer, or an object of numbers and pointers."
            )
    if len(parameters) != len(wanted):
        few = {0: "no --arg was given", 1: "one --arg was given"}
        given = few.get(len(wanted), f"{len(wanted)} --arg were given")
        raise ArgumentError(f"{given}, but {signature(kernel, parameters)} takes {len(parameters)}.")
    arguments = _Matching(kernel, [one.name for one in parameters]).match(parameters, wanted)
    total = 0
    for argument in arguments:
        size = argument.elements * argument.element.bytes if argument.extents and argument.shown is None else 0
        total += size
        if size > MAX_BUFFER_BYTES or total > MAX_TOTAL_BYTES:
            most = f"one buffer may have {MAX_BUFFER_BYTES >> 20} MiB, all buffers together {MAX_TOTAL_BYTES >> 20}"
            what = f"{argument.parameter.name} is too large: {most}"
            raise ArgumentError(f"{what}. A smaller problem shows the same mistakes.")
    return arguments


@dataclass
class _Matching:
    """Gives one parameter after the other its argument, and collects the buffers that only pointers lead to."""

    kernel: str
    names: Sequence[str]  # of its parameters
    hidden: list[Argument] = field(default_factory=list)

    def match(self, parameters: Sequence[Parameter], wanted: Sequence[WantedArgument]) -> list[Argument]:
        arguments = [self._matched(parameter, one) for parameter, one in zip(parameters, wanted, strict=True)]
        _check_shown(arguments)
        return [*arguments, *self.hidden]

    def _matched(self, parameter: Parameter, wanted: WantedArgument) -> Argument:
        if parameter.is_function:
            return _function(self.kernel, parameter, wanted)
        if parameter.texture or wanted.texture:
            return self._texture(parameter, wanted)
        if parameter.is_pointer != bool(wanted.extents):
            raise ArgumentError(_mismatch(self.kernel, parameter, wanted))
        number = NUMBER_TYPES.get(wanted.type)
        element = parameter.element or (numbers_type(wanted.type, *number) if number else None)  # of a void*, as named
        if element is None or not (_same(element, wanted) or _holds(element, wanted)):
            raise ArgumentError(_mismatch(self.kernel, parameter, wanted))
        if parameter.layout is not None and not wanted.extents:
            found = filled(parameter.name, parameter.layout, wanted, self._make_buffer)
            return Argument(parameter, element, Content("none"), filled=found)
        return self._number_or_buffer(parameter, element, wanted)

    def _number_or_buffer(self, parameter: Parameter, element: ValueType, wanted: WantedArgument) -> Argument:
        content, layout = wanted.content, parameter.layout
        if content.fill == "parts" and wanted.extents and layout is not None:
            found = filled_elements(parameter.name, layout, wanted, self._make_buffer)
            return Argument(parameter, element, _ZERO, wanted.extents, found)
        extents = wanted.extents
        if content.fill == "parts" and extents:
            content = listed(wanted.text, f"{{{','.join(content.parts)}}}", wanted.type)
        if content.fill == "listed":
            extents = _counted(parameter, element, content, wanted)
        if content.fill in {"parts", "function"}:
            raise ArgumentError(_mismatch(self.kernel, parameter, wanted))
        if not wanted.extents and (number := element.number):
            _check_range(parameter, number, wanted)
        if not content.whole and any(leaf.kind != "floating" for leaf in element.leaves):
            raise ArgumentError(f"--arg {wanted.text!r}: {parameter.name} holds whole numbers only")
        return Argument(parameter, element, content, extents)

    def _texture(self, parameter: Parameter, wanted: WantedArgument) -> Argument:
        options, element = wanted.texture, texel_type(wanted.type)
        if options is None or options.kind != parameter.texture or not wanted.extents:
            raise ArgumentError(_mismatch(self.kernel, parameter, wanted))
        if element is None:
            message = f"--arg {wanted.text!r}: a texel consists of one, two or four numbers of at most four bytes, such as float or uchar4"
            raise ArgumentError(message)
        if trouble := trouble_of(options, element, wanted.extents):
            raise ArgumentError(f"--arg {wanted.text!r}: {trouble}")
        if not options.shows:
            whole = self._number_or_buffer(replace(parameter, is_pointer=True, element=element), element, wanted)
            return replace(whole, parameter=parameter, texture=options)
        if options.shows not in self.names:
            what = f"no parameter {options.shows!r} whose memory could be shown"
            raise ArgumentError(f"--arg {wanted.text!r}: {self.kernel} has {what}")
        shown = self.names.index(options.shows)
        return Argument(parameter, element, _ZERO, wanted.extents, texture=options, shown=shown)

    def _make_buffer(self, target: Parameter, text: str) -> int:
        wanted = parse_argument(text)
        if wanted.texture and wanted.texture.shows:
            raise ArgumentError(f"--arg {text!r}: only a parameter of its own can show the memory of another one")
        place = len(self.hidden)  # what it leads to comes behind it
        self.hidden.append(Argument(target, ValueType("", 0), Content("none"), (1,)))
        self.hidden[place] = replace(self._matched(target, wanted), hidden=True)
        return len(self.names) + place


def _check_shown(arguments: Sequence[Argument]) -> None:
    """A texture that shows another argument's memory must fit into it."""
    for argument in arguments:
        if argument.shown is None:
            continue
        other, size = arguments[argument.shown], argument.elements * argument.element.bytes
        if other.role not in {"input", "output", "inout"}:
            message = f"{argument.parameter.name} shows the memory of {other.parameter.name}, which has none of its own"
            raise ArgumentError(message)
        if size > other.elements * other.element.bytes:
            message = f"{argument.parameter.name} has {size:,} bytes, which is more than {other.parameter.name} has"
            raise ArgumentError(message)


def _function(kernel: str, parameter: Parameter, wanted: WantedArgument) -> Argument:
    """A pointer to a function of the file, by the function's name."""
    content = wanted.content
    if wanted.extents or not (content.function or content.numbers == (0,)):
        raise ArgumentError(_mismatch(kernel, parameter, wanted))
    return Argument(parameter, numbers_type("function", "unsigned", 8), content)


def _counted(parameter: Parameter, element: ValueType, content: Content, wanted: WantedArgument) -> tuple[int, ...]:
    """The extents of a buffer whose numbers are listed: it has as many places as there are numbers."""
    numbers, leaves = content.numbers, max(1, len(element.leaves))
    extents = wanted.extents if wanted.extents != (0,) else (len(numbers) // leaves,)
    if math.prod(extents) * leaves != len(numbers):
        has = f"places for {math.prod(extents) * leaves:,} numbers, and the list has {len(numbers):,}"
        raise ArgumentError(f"--arg {wanted.text[:80]!r}: {parameter.name} has {has}")
    for leaf in element.leaves:
        low, high = -(1 << (8 * leaf.bytes - 1)), 1 << (8 * leaf.bytes)
        if leaf.kind != "floating" and content.whole and not all(low <= one < high for one in numbers):
            message = f"--arg {wanted.text[:80]!r}: a number does not fit into the {leaf.bytes} bytes of an element of {parameter.name}"
            raise ArgumentError(message)
    return extents


def _same(element: ValueType, wanted: WantedArgument) -> bool:
    """Without namespaces. Of a buffer of pointers, the stars count: in `float*[3]` they belong to the element."""
    name, number = _NAMESPACES.sub("", wanted.type), element.number
    name += "*" * wanted.stars if element.name.endswith("*") else ""
    if name in element.names or name in {element.name, without_const(element.name)}:
        return True
    if number is None or name not in NUMBER_TYPES or number.is_bool != (name == "bool"):
        return False
    return (number.kind, number.bytes) == NUMBER_TYPES[name] or {name, element.name} <= _CHARACTERS


def _holds(element: ValueType, wanted: WantedArgument) -> bool:
    """Whether it is a whole number by value, whichever whole type either has: `_check_range` looks at the number."""
    number, other = element.number, NUMBER_TYPES.get(_NAMESPACES.sub("", wanted.type), ("", 0))[0]
    is_whole = number is not None and number.kind != "floating" and not number.is_bool
    return is_whole and not wanted.extents and other in {"signed", "unsigned"} and wanted.type != "bool"


def _check_range(parameter: Parameter, number: Leaf, wanted: WantedArgument) -> None:
    if number.kind == "floating":
        return
    bits = 8 * number.bytes
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if number.kind == "signed" else (0, (1 << bits) - 1)
    if not wanted.content.whole or not low <= wanted.content.numbers[0] <= high:
        message = f"--arg {wanted.text!r}: {parameter.name} is of type {parameter.text}, which holds whole numbers from {low} to {high}"
        raise ArgumentError(message)


def _mismatch(kernel: str, parameter: Parameter, wanted: WantedArgument) -> str:
    of = f"the parameter `{parameter.text} {parameter.name}` of {kernel}"
    return f"--arg {wanted.text!r} does not fit {of}: write, for instance, {proposal(parameter)!r}."


def signature(kernel: str, parameters: Sequence[Parameter]) -> str:
    return f"{kernel}({', '.join(f'{one.text} {one.name}' for one in parameters)})"


# Fills an object that is passed by value, or a buffer of objects or pointers, as `{n=4, data=float[64]=random}` describes it.
#
# Numbers that are not mentioned are 0. A pointer has to be mentioned, because nobody knows how much memory it leads to; `null` is a
# pointer to nothing. What pointers lead to are buffers of their own, which follow behind the kernel's arguments.

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
        filler.fill_parts(0, layout.members, content.parts)
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
            filler.set(0, layout.members, parts[index])
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
                remedy = f"write, for instance, {example!r}, or null for a pointer to nothing"
                raise ArgumentError(f"--arg {self.text!r} does not say what the {what}: {remedy}")
            self.found.numbers.append((member.leaf, 0))
        return self.found

    def fill_parts(self, depth: int, members: Sequence[Member], parts: Sequence[str]) -> None:
        """`members`: those that have the first `depth` steps of their paths in common."""
        groups = list(dict.fromkeys(_steps(member.path)[depth : depth + 1] for member in members))
        place = 0
        for part in parts:
            key, equals, value = part.partition("=")
            steps = tuple(_STEP.findall(key)) if equals else ()
            chosen = [one for one in members if steps and _steps(one.path)[depth : depth + len(steps)] == steps]
            if chosen:
                place = groups.index(steps[:1]) + 1
                self.set(depth + len(steps), chosen, value.strip())
            elif place < len(groups):
                chosen = [one for one in members if _steps(one.path)[depth : depth + 1] == groups[place]]
                place += 1
                self.set(depth + 1, chosen, part)
            else:
                names = ", ".join("".join(one) for one in groups)
                prefix = ".".join(_steps(members[0].path)[:depth]).replace(".[", "[") if members else ""
                whole = prefix or self.layout.name
                raise ArgumentError(f"--arg {self.text!r}: {part!r} is none of the members of {whole}: {names}")

    def set(self, depth: int, members: Sequence[Member], value: str) -> None:
        if value.startswith("{"):
            self.fill_parts(depth, members, parts_of(self.text, value))
            return
        if any(step.startswith("[") for step in _steps(members[0].path)[:depth]):
            self.arrays.add(members[0].path.partition("[")[0])
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


_STEP = re.compile(r"\w+|\[\d+\]")


@cache
def _steps(path: str) -> tuple[str, ...]:
    """("rows", "[2]", "x") of `rows[2].x`."""
    return tuple(_STEP.findall(path))


# An --arg that fits a kernel's parameter, for a command line that a user may paste and run.


def proposal(parameter: Parameter, elements: int = _TYPICAL, size: int = _TYPICAL) -> str:
    """Inputs are random, outputs zeros. `elements`: of a buffer of numbers. `size`: a whole number."""
    element, layout, handle = parameter.element, parameter.layout, parameter.texture or parameter.holds_handles
    if parameter.is_function:
        return f"{parameter.text}=the_name_of_a_function"
    if handle:
        one = f"{handle} float[64][64]={'random' if handle == 'texture' else '0'}"
        return one if parameter.texture else f"{next(name for name in OBJECTS if OBJECTS[name] == handle)}[1]={{{one}}}"
    if layout is not None and not parameter.is_pointer:
        return f"{layout.name}={_proposed_parts(layout)}"
    if layout is not None:
        rows, one = proposed_elements(parameter), _proposed_parts(layout)
        many = ", ".join([one.removeprefix("{").removesuffix("}")] * rows) if rows > 1 else one
        return f"{without_const(layout.name)}[{rows}]={{{many}}}"
    if parameter.is_pointer:
        is_input = parameter.is_const or element is None
        return f"{element.name if element else 'float'}[{elements}]={'random' if is_input else '0'}"
    name, number = (element.name, element.number) if element else ("int", None)
    return f"{name}={1 if number is not None and _is_small(number) else size}"


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
