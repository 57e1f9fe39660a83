"""An --arg that fits a kernel's parameter, for a command line that a user may paste and run."""

from __future__ import annotations

from grader.launch_arguments.class_arguments import proposed
from grader.launch_arguments.kernel_parameters import Parameter
from grader.launch_arguments.texture_options import OBJECTS

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
