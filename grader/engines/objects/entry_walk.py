"""The entries of debug information as pyelftools reads them: which are asked for, what they are called, of which type, and where they
lie. Not here: what an entry means.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any, TypeAlias

from elftools.dwarf.dwarf_expr import DWARFExprParser

# Names and types of debug information entries, written as demanglers write them, with qualifiers on the right.

Die: TypeAlias = Any  # an entry of pyelftools, which has no type annotations

_QUALIFIERS = {"DW_TAG_const_type": "const", "DW_TAG_volatile_type": "volatile"}
_POINTERS = {"DW_TAG_pointer_type": "*", "DW_TAG_reference_type": "&", "DW_TAG_rvalue_reference_type": "&&"}
_SAME_TYPE = frozenset({"DW_TAG_restrict_type", "DW_TAG_typedef"})  # these do not change a signature
_SCOPES = frozenset(
    {"DW_TAG_subprogram", "DW_TAG_namespace", "DW_TAG_class_type", "DW_TAG_structure_type", "DW_TAG_union_type"}
)
_MAX_DEPTH = 16  # deeper than any real declaration


@dataclass(frozen=True)
class TypeName:
    name: str  # for an array, that of its element
    bytes: int  # the size of one element
    dimensions: tuple[int, ...] = ()


def origin_of(die: Die) -> Die:
    """The entry with the declaration, where `die` is only an instance or the definition."""
    for _ in range(_MAX_DEPTH):
        link = next((a for a in ("DW_AT_abstract_origin", "DW_AT_specification") if a in die.attributes), None)
        if link is None:
            break
        die = die.get_DIE_from_attribute(link)
    return die


def function_around(die: Die) -> Die | None:
    """The entry of the function in which it stands."""
    while (die := die.get_parent()) is not None and die.tag != "DW_TAG_subprogram":
        pass
    return die


def text_of(die: Die, attribute: str) -> str | None:
    value = die.attributes.get(attribute)
    return value.value.decode("utf-8", "replace") if value else None


def qualified_name(die: Die) -> str:
    parts = []
    while die is not None and die.tag != "DW_TAG_compile_unit":
        if die.tag in _SCOPES:
            parts.append(text_of(die, "DW_AT_name") or "(anonymous)")
        die = die.get_parent()
    return "::".join(reversed(parts))


def type_of(die: Die, depth: int = 0) -> TypeName:
    """The type of the variable, parameter or function `die`; "void" where it has none."""
    if "DW_AT_type" not in die.attributes or depth > _MAX_DEPTH:
        return TypeName("?" if "DW_AT_type" in die.attributes else "void", 0)
    target = die.get_DIE_from_attribute("DW_AT_type")
    if target.tag in _POINTERS:
        return TypeName(type_of(target, depth + 1).name + _POINTERS[target.tag], 8)
    if target.tag in _SAME_TYPE or target.tag in _QUALIFIERS or target.tag == "DW_TAG_array_type":
        inner = type_of(target, depth + 1)
        if inner.name == "?" and target.tag == "DW_TAG_typedef":  # typedef struct { … } Matrix;
            return replace(inner, name=text_of(target, "DW_AT_name") or "?")
        if target.tag in _QUALIFIERS:
            return replace(inner, name=f"{inner.name} {_QUALIFIERS[target.tag]}")
        return replace(inner, dimensions=_extents(target) + inner.dimensions)
    size = target.attributes.get("DW_AT_byte_size")
    return TypeName(text_of(target, "DW_AT_name") or "?", size.value if size else 0)


def parameter_type(die: Die) -> str:
    """The parameter's type in the function's signature, which leaves out the last const of `const int M` and `float* const A`."""
    name = type_of(die).name
    target = die.get_DIE_from_attribute("DW_AT_type") if "DW_AT_type" in die.attributes else None
    for _ in range(_MAX_DEPTH):
        if target is None or target.tag not in _SAME_TYPE | _QUALIFIERS.keys():
            break
        if target.tag in _QUALIFIERS:
            name = name.removesuffix(f" {_QUALIFIERS[target.tag]}")
        target = target.get_DIE_from_attribute("DW_AT_type") if "DW_AT_type" in target.attributes else None
    return name


def _extents(array: Die) -> tuple[int, ...]:
    """The constant extents: `extern __shared__ float rows[][16]` has one."""
    extents = []
    for child in array.iter_children():
        bound, count = child.attributes.get("DW_AT_upper_bound"), child.attributes.get("DW_AT_count")
        if child.tag != "DW_TAG_subrange_type":
            continue
        if bound is not None and isinstance(bound.value, int):
            extents.append(bound.value + 1)
        elif count is not None and isinstance(count.value, int):
            extents.append(count.value)
    return tuple(extents)


FRAME, THREAD, ADDRESS = "frame", "thread", "address"
# By the operations that tell it; the first one's argument is the place.
_OF_THREAD = product(("DW_OP_const4u", "DW_OP_const8u"), ("DW_OP_form_tls_address", "DW_OP_GNU_push_tls_address"))
_LOCATIONS: dict[tuple[str, ...], str] = {
    ("DW_OP_fbreg",): FRAME, ("DW_OP_addr",): ADDRESS, **dict.fromkeys(_OF_THREAD, THREAD),
}  # fmt: skip


def location_of(die: Die) -> tuple[str, int]:
    """Where a variable lies: from the frame's base on, from the begin of the thread-local segment, or at an address. "": nobody knows."""
    location = die.attributes.get("DW_AT_location")
    if location is None or location.form != "DW_FORM_exprloc" or not location.value:
        return "", 0
    operations = _expressions(die.cu.structs).parse_expr(location.value)
    where = _LOCATIONS.get(tuple(one.op_name for one in operations), "")
    return (where, operations[0].args[0]) if where else ("", 0)


_expressions = lru_cache(4)(DWARFExprParser)


# Where functions with code and variables are: not inside a mere declaration, nor inside a class of another file but that of a lambda.

_SCOPES_OF_CODE = frozenset(
    {"DW_TAG_namespace", "DW_TAG_subprogram", "DW_TAG_lexical_block", "DW_TAG_inlined_subroutine"}
)
_CLASSES = frozenset({"DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type"})


def telling(scope: Die, ours: Collection[int]) -> Iterator[Die]:
    """Entries below this one that may be functions with code, or variables, in their order. `ours`: numbers of the submission's files."""
    for entry in scope.iter_children():
        if entry.tag == "DW_TAG_variable":
            yield entry
        elif entry.tag in _SCOPES_OF_CODE | _CLASSES and "DW_AT_declaration" not in entry.attributes:
            yield entry
            file = entry.attributes.get("DW_AT_decl_file")
            is_lambda = (name := entry.attributes.get("DW_AT_name")) is None or name.value.startswith(b"<lambda")
            if entry.tag in _SCOPES_OF_CODE or file is None or file.value in ours or is_lambda:
                yield from telling(entry, ours)
