"""The parameters of a kernel, read from its debug information: names, types, and the numbers that an element consists of.

kernel_arguments.py decides which arguments fit them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from elftools.elf.elffile import ELFFile

from grader.engines.object_code.dwarf_types import Die, TypeName, origin_of, text_of, type_of
from grader.launch_arguments.class_layout import Layout, Pointee, layout_of, pointee_of
from grader.launch_arguments.class_passing import WIDEST
from grader.launch_arguments.element_types import (
    CLASSES,
    HALF,
    ElementType,
    bare,
    element_of,
    holds_numbers,
    short_name,
)
from grader.launch_arguments.texture_options import OBJECTS

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
