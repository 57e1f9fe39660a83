"""The arguments that `tilelab check` passes to a kernel: reads `float[4096]=random` and `int=64`, and compares them with the kernel's
parameters.

A const buffer is an input. A buffer that is filled and not const is an input and an output. A buffer without a fill is uninitialised.
A mistake is reported as a sentence that says what to write instead.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from elftools.elf.elffile import ELFFile

from grader.engines.objects.entry_walk import Die, TypeName, origin_of, text_of, type_of
from grader.run.kernels.argument_text import (
    ArgumentError,
    Content,
    WantedArgument,
    listed,
    parse_argument,
)
from grader.run.kernels.class_arguments import Filled, filled, filled_elements, proposed
from grader.run.kernels.class_layout import WIDEST, Layout, Pointee, layout_of, pointee_of
from grader.run.kernels.element_types import (
    CLASSES,
    HALF,
    OBJECTS,
    ElementType,
    Leaf,
    TextureOptions,
    bare,
    described,
    element_of,
    holds_numbers,
    short_name,
    texel_type,
    trouble_of,
)
from grader.source.cuda_vocabulary import NUMBER_TYPES

# The parameters of a kernel, read from its debug information: names, types, and the numbers that an element consists of.
#
# kernel_arguments.py decides which arguments fit them.

_FRAME_OFFSET, _DEREFERENCED = 0x91, 0x06  # DW_OP_fbreg, DW_OP_deref
_REFERENCES = frozenset({"DW_TAG_reference_type", "DW_TAG_rvalue_reference_type"})


@dataclass(frozen=True)
class Parameter:
    name: str
    text: str  # its type as people write it: "const float*"
    element: ElementType | None  # the type of a value, or of what a pointer points to; None: void
    is_pointer: bool
    is_const: bool  # whether what a pointer points to is const
    trouble: str = ""  # why no argument can be passed for it; empty: one can
    layout: Layout | None = None  # of an object that is passed by value, and of an element that is more than numbers
    is_function: bool = False  # a pointer to a function

    @property
    def texture(self) -> str:
        """What a handle stands for: "texture" or "surface". Empty: it is no handle."""
        names = self.element.names if self.element and not self.is_pointer else frozenset()
        return next((OBJECTS[one] for one in names if one in OBJECTS), "")

    @property
    def holds_handles(self) -> str:
        """The same of what the elements of a buffer stand for."""
        first = self.layout.members[0] if self.is_pointer and self.layout and self.layout.members else None
        return first.handle if first is not None and not first.path else ""


def read_parameters(program: Path, address: int) -> list[Parameter] | None:
    """The parameters of the function at `address` in a linked program. None where there is no function."""
    with program.open("rb") as stream:
        dwarf = ELFFile(stream).get_dwarf_info(relocate_dwarf_sections=False)
        for unit in dwarf.iter_CUs():
            for die in unit.iter_DIEs():
                first = die.attributes.get("DW_AT_low_pc") if die.tag == "DW_TAG_subprogram" else None
                if first is not None and first.value == address:
                    return [_parameter(one) for one in die.iter_children() if one.tag == "DW_TAG_formal_parameter"]
    return None


def _parameter(die: Die) -> Parameter:
    origin = origin_of(die)
    name, text = text_of(origin, "DW_AT_name") or "?", _as_written(type_of(origin))
    target, _ = bare(origin)
    if target is not None and target.tag == "DW_TAG_pointer_type":
        named = min((one for one in element_of(origin).names if one), default="function")
        return _pointer(name, text, target, named)
    if target is not None and target.tag in _REFERENCES:
        return Parameter(name, text, element_of(origin), is_pointer=False, is_const=False, trouble="it is a reference")
    element = element_of(origin)
    if handle := next((one for one in OBJECTS if one in element.names), ""):
        return Parameter(name, handle, element, is_pointer=False, is_const=False)
    in_class = target is not None and target.tag in CLASSES and text_of(target, "DW_AT_name") != HALF
    if not in_class:
        trouble = "" if element.number else "it is passed by value and is not a number"
        return Parameter(name, text, element, is_pointer=False, is_const=False, trouble=trouble)
    layout = layout_of(origin)
    if _leads_to_it(die):
        layout = replace(layout, by_reference=True)
    trouble = layout.trouble
    if not trouble and layout.holds_union and not layout.by_reference:
        trouble = "it is passed by value and holds a union"
    if not trouble and layout.alignment > WIDEST:
        trouble = f"it is passed by value and aligned to {layout.alignment} bytes"
    return Parameter(name, text, element, is_pointer=False, is_const=False, trouble=trouble, layout=layout)


def _leads_to_it(die: Die) -> bool:
    """Whether the debug information finds the object behind a pointer that the function was given."""
    location = die.attributes.get("DW_AT_location")
    code = bytes(location.value) if location is not None and location.form == "DW_FORM_exprloc" else b""
    return code[:1] == bytes([_FRAME_OFFSET]) and code[-1] == _DEREFERENCED


def _pointer(name: str, text: str, pointer: Die, named: str) -> Parameter:
    """`named`: what a typedef calls the type, if one does."""
    pointee: Pointee = pointee_of(pointer)
    target, _ = bare(pointer)
    if pointee.is_function:
        return Parameter(name, named, None, is_pointer=True, is_const=False, is_function=True)
    layout = pointee.layout
    trouble = layout.trouble if layout else ""
    if target is not None and layout is None and not holds_numbers(target):
        trouble = "it points to something that is not made of numbers"
    return Parameter(
        name, text, pointee.element, is_pointer=True, is_const=pointee.is_const, trouble=trouble, layout=layout
    )


def _as_written(kind: TypeName) -> str:
    """Turns "float const* const*" into "const float* const*"."""
    end = next((at for at, one in enumerate(kind.name) if one in "*&"), len(kind.name))
    name, stars = kind.name[:end], kind.name[end:]
    before = ""
    for qualifier in ("volatile", "const"):
        if name.endswith(f" {qualifier}"):
            before, name = f"{qualifier} {before}", name.removesuffix(f" {qualifier}")
    return before + short_name(name) + stars


# An --arg that fits a kernel's parameter, for a command line that a user may paste and run.

_ROWS = 4  # of a proposed buffer of pointers
_TYPICAL = 1024  # elements of buffers in a proposed command line


def proposal(parameter: Parameter) -> str:
    """An --arg that fits: inputs are random, outputs uninitialised, and numbers as large as a proposed buffer."""
    element = parameter.element
    if parameter.texture or parameter.is_function or parameter.holds_handles:
        return _handle(parameter)
    if parameter.layout is not None and not parameter.is_pointer:
        return proposed(parameter.layout, _TYPICAL)
    if parameter.layout is not None and element is not None:
        one, elements = proposed(parameter.layout, _TYPICAL).partition("=")[2], proposed_elements(parameter)
        many = ", ".join([one.removeprefix("{").removesuffix("}")] * elements) if elements > 1 else one
        return f"{without_const(element.name)}[{elements}]={{{many}}}"
    if parameter.is_pointer:
        name = element.name if element else "float"
        return f"{name}[{_TYPICAL}]=random" if parameter.is_const or element is None else f"{name}[{_TYPICAL}]=0"
    number = element.number if element else None
    if number is not None and (number.is_bool or number.kind == "floating" or number.bytes == 1):
        return f"{element.name if element else 'float'}=1"
    return f"{element.name if element else 'int'}={_TYPICAL if number is None or number.bytes > 1 else 1}"


def proposed_elements(parameter: Parameter) -> int:
    """How many elements a proposed buffer has whose elements are described one by one: rows, or objects with pointers. 0: it is another."""
    if not parameter.is_pointer or parameter.layout is None or parameter.is_function:
        return 0
    member = parameter.layout.members[0] if len(parameter.layout.members) == 1 else None
    is_rows = member is not None and not member.path and member.pointee is not None and member.pointee.layout is None
    return _ROWS if is_rows else 1


def _handle(parameter: Parameter) -> str:
    if parameter.is_function:
        return f"{parameter.text}=the_name_of_a_function"
    kind = parameter.texture or parameter.holds_handles
    one = f"{kind} float[64][64]={'random' if kind == 'texture' else '0'}"
    return one if parameter.texture else f"{next(name for name in OBJECTS if OBJECTS[name] == kind)}[1]={{{one}}}"


def without_const(name: str) -> str:
    return name.replace(" const", "")


MAX_BUFFER_BYTES = 64 << 20
MAX_TOTAL_BYTES = 256 << 20
_NAMESPACES = re.compile(r"(?:\w+::)+(?=\w+$)")


@dataclass(frozen=True)
class Argument:
    """One argument of a launch, ready to be passed."""

    parameter: Parameter
    element: ElementType
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
    def seen_as(self) -> dict[str, object] | None:
        """The texture or the surface, in the form that the checker reads."""
        return described(self.texture, self.element, self.extents, self.shown) if self.texture else None


def match_arguments(kernel: str, parameters: Sequence[Parameter], wanted: Sequence[WantedArgument]) -> list[Argument]:
    """Gives each parameter its argument. Raises ArgumentError, which lists the parameters and says what to write."""
    for parameter in parameters:
        if parameter.trouble:
            message = (
                f"{kernel} cannot be checked: no --arg fits its parameter `{parameter.text} {parameter.name}`: {parameter.trouble}. "
                "A parameter must be a number, a pointer, or an object of numbers and pointers."
            )
            raise ArgumentError(message)
    if len(parameters) != len(wanted):
        given = (
            "no --arg was given"
            if not wanted
            else f"{len(wanted)} --arg were given"
            if len(wanted) > 1
            else "one --arg was given"
        )
        message = f"{given}, but {signature(kernel, parameters)} takes {len(parameters)}."
        raise ArgumentError(message)
    arguments = _Matching(kernel, len(parameters)).match(parameters, wanted)
    total = 0
    for argument in arguments:
        size = argument.elements * argument.element.bytes if argument.extents and argument.shown is None else 0
        total += size
        if size > MAX_BUFFER_BYTES or total > MAX_TOTAL_BYTES:
            message = (
                f"{argument.parameter.name} is too large: one buffer may have {MAX_BUFFER_BYTES >> 20} MiB, all buffers together "
                f"{MAX_TOTAL_BYTES >> 20}. A smaller problem shows the same mistakes."
            )
            raise ArgumentError(message)
    return arguments


class _Matching:
    """Gives one parameter after the other its argument, and collects the buffers that only pointers lead to."""

    def __init__(self, kernel: str, parameters: int) -> None:
        self.kernel, self.parameters = kernel, parameters
        self.hidden: list[Argument] = []
        self.names: list[str] = []

    def match(self, parameters: Sequence[Parameter], wanted: Sequence[WantedArgument]) -> list[Argument]:
        self.names = [one.name for one in parameters]
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
        element = parameter.element or _free_element(self.kernel, parameter, wanted)
        if not _same(element, _type_of(wanted, element)):
            raise ArgumentError(_mismatch(self.kernel, parameter, wanted))
        if parameter.layout is not None and not wanted.extents:
            found = filled(parameter.name, parameter.layout, wanted, self._make_buffer)
            return Argument(parameter, element, Content("none"), filled=found)
        return self._number_or_buffer(parameter, element, wanted)

    def _number_or_buffer(self, parameter: Parameter, element: ElementType, wanted: WantedArgument) -> Argument:
        content, layout = wanted.content, parameter.layout
        if content.fill == "parts" and wanted.extents and layout is not None:
            found = filled_elements(parameter.name, layout, wanted, self._make_buffer)
            return Argument(parameter, element, Content("constant"), wanted.extents, found)
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
            message = f"--arg {wanted.text!r}: {parameter.name} holds whole numbers only"
            raise ArgumentError(message)
        return Argument(parameter, element, content, extents)

    def _texture(self, parameter: Parameter, wanted: WantedArgument) -> Argument:
        options, element = wanted.texture, texel_type(wanted.type)
        if options is None or options.kind != parameter.texture or not wanted.extents:
            raise ArgumentError(_mismatch(self.kernel, parameter, wanted))
        if element is None:
            message = f"--arg {wanted.text!r}: a texel consists of one, two or four numbers of at most four bytes, such as float or uchar4"
            raise ArgumentError(message)
        if trouble := trouble_of(options, element, wanted.extents):
            message = f"--arg {wanted.text!r}: {trouble}"
            raise ArgumentError(message)
        if not options.shows:
            whole = self._number_or_buffer(replace(parameter, is_pointer=True, element=element), element, wanted)
            return replace(whole, parameter=parameter, texture=options)
        if options.shows not in self.names:
            message = (
                f"--arg {wanted.text!r}: {self.kernel} has no parameter {options.shows!r} whose memory could be shown"
            )
            raise ArgumentError(message)
        shown = self.names.index(options.shows)
        return Argument(parameter, element, Content("constant"), wanted.extents, texture=options, shown=shown)

    def _make_buffer(self, name: str, pointee: Pointee, text: str) -> int:
        wanted = parse_argument(text)
        if wanted.texture:
            if wanted.texture.shows:
                message = f"--arg {text!r}: only a parameter of its own can show the memory of another one"
                raise ArgumentError(message)
            parameter = Parameter(name, pointee.text, pointee.element, is_pointer=False, is_const=False)
            self.hidden.append(replace(self._texture(parameter, wanted), hidden=True))
            return self.parameters + len(self.hidden) - 1
        parameter = Parameter(
            name, f"{pointee.text}*", pointee.element, is_pointer=True, is_const=pointee.is_const, layout=pointee.layout
        )
        place = self.parameters + len(self.hidden)
        self.hidden.append(Argument(parameter, ElementType("", 0, ()), Content("none"), (1,), hidden=True))
        self.hidden[place - self.parameters] = replace(self._matched(parameter, wanted), hidden=True)
        return place


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


def _type_of(wanted: WantedArgument, element: ElementType) -> str:
    """Without its namespaces. Of a buffer of pointers, the stars count: in `float*[3]` they belong to the element."""
    plain = _NAMESPACES.sub("", wanted.type)
    return plain + "*" * wanted.stars if element.name.endswith("*") else plain


def _function(kernel: str, parameter: Parameter, wanted: WantedArgument) -> Argument:
    """A pointer to a function of the file, by the function's name."""
    number = Leaf("unsigned", 8)
    content = wanted.content
    if wanted.extents or not (content.fill == "function" or (content.fill == "constant" and content.integer == 0)):
        raise ArgumentError(_mismatch(kernel, parameter, wanted))
    return Argument(parameter, ElementType("function", 8, (number,)), content)


def _counted(parameter: Parameter, element: ElementType, content: Content, wanted: WantedArgument) -> tuple[int, ...]:
    """The extents of a buffer whose numbers are listed: it has as many places as there are numbers."""
    numbers, leaves = content.listed, max(1, len(element.leaves))
    extents = wanted.extents if wanted.extents != (0,) else (len(numbers) // leaves,)
    if math.prod(extents) * leaves != len(numbers):
        message = (
            f"--arg {wanted.text[:80]!r}: {parameter.name} has places for {math.prod(extents) * leaves:,} numbers, and the list has "
            f"{len(numbers):,}"
        )
        raise ArgumentError(message)
    for leaf in element.leaves:
        low, high = -(1 << (8 * leaf.bytes - 1)), 1 << (8 * leaf.bytes)
        if leaf.kind != "floating" and content.whole and not all(low <= one < high for one in numbers):
            message = f"--arg {wanted.text[:80]!r}: a number does not fit into the {leaf.bytes} bytes of an element of {parameter.name}"
            raise ArgumentError(message)
    return extents


def _free_element(kernel: str, parameter: Parameter, wanted: WantedArgument) -> ElementType:
    """The element type of a void*, which the argument names."""
    if wanted.type not in NUMBER_TYPES:
        raise ArgumentError(_mismatch(kernel, parameter, wanted))
    kind, size = NUMBER_TYPES[wanted.type]
    return ElementType(wanted.type, size, (Leaf(kind, size),), frozenset({wanted.type}))


def _same(element: ElementType, wanted: str) -> bool:
    if wanted in element.names or wanted == element.name or wanted == without_const(element.name):
        return True
    number = element.number
    if number is None or wanted not in NUMBER_TYPES or number.is_bool != (wanted == "bool"):
        return False
    return (number.kind, number.bytes) == NUMBER_TYPES[wanted] or {wanted, element.name} <= {
        "char",
        "signed char",
        "unsigned char",
    }


def _check_range(parameter: Parameter, number: Leaf, wanted: WantedArgument) -> None:
    if number.kind == "floating":
        return
    bits = 8 * number.bytes
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if number.kind == "signed" else (0, (1 << bits) - 1)
    if not wanted.content.whole or not low <= wanted.content.integer <= high:
        message = f"--arg {wanted.text!r}: {parameter.name} is of type {parameter.text}, which holds whole numbers from {low} to {high}"
        raise ArgumentError(message)


def _mismatch(kernel: str, parameter: Parameter, wanted: WantedArgument) -> str:
    return (
        f"--arg {wanted.text!r} does not fit the parameter `{parameter.text} {parameter.name}` of {kernel}: "
        f"write, for instance, {proposal(parameter)!r}."
    )


def signature(kernel: str, parameters: Sequence[Parameter]) -> str:
    return f"{kernel}({', '.join(f'{one.text} {one.name}' for one in parameters)})"
