"""Finds the symbol of a thread-local variable whose debug entry has no location.

On 64-bit ARM, GCC gives such entries no location, and no linkage name where nothing outside the file can use one. So the name is
computed here by the rules of name mangling (Itanium C++ ABI, 5.1). The caller checks whether the symbol's size fits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grader.engines.object_code.dwarf_types import Die, origin_of, text_of
from grader.engines.object_code.symbol_table import Symbol

FROM_THREAD_POINTER = frozenset({0x9B, 0xE0})  # DW_OP_form_tls_address, DW_OP_GNU_push_tls_address
_ADDRESS = 0x03  # DW_OP_addr
_ANONYMOUS = "12_GLOBAL__N_1"
_ONE_DIGIT = 10


class ThreadLocalNames:
    """One program's thread-local symbols by name, and its functions' names by first address."""

    def __init__(self, symbols: Mapping[str, Symbol], functions: Mapping[int, str]) -> None:
        self._symbols = symbols
        self._functions = functions
        self._numbers: dict[
            int, dict[int, int]
        ] = {}  # by the offset of the function's entry, then by that of the variable's entry

    def symbol_of(self, die: Die) -> Symbol | None:
        """The symbol of a variable that is defined. None where no symbol fits."""
        origin = origin_of(die)
        if linkage := text_of(die, "DW_AT_linkage_name") or text_of(origin, "DW_AT_linkage_name"):
            return self._symbols.get(linkage)
        name = text_of(origin, "DW_AT_name")
        if name is None:
            return None
        function = _enclosing_function(die)
        candidates = _outside(origin, name) if function is None else self._inside(function, die, name)
        return next((self._symbols[one] for one in candidates if one in self._symbols), None)

    def _inside(self, function: Die, die: Die, name: str) -> list[str]:
        """Possible names of a function's variable: `As` of `_Z5tiledPf` is `_ZZ5tiledPfE2As`. The next `As` in it ends in `_0`."""
        first = function.attributes.get("DW_AT_low_pc")
        symbol = self._functions.get(first.value) if first else None
        if function.offset not in self._numbers:
            self._numbers[function.offset] = _numbers(function)
        number = self._numbers[function.offset].get(die.offset)
        if symbol is None or number is None:
            return []
        encoding = symbol[2:] if symbol.startswith("_Z") else f"{len(symbol)}{symbol}"
        suffix = "" if number == 0 else f"_{number - 1}" if number <= _ONE_DIGIT else f"__{number - 1}_"
        return [f"_ZZ{encoding}E{len(name)}{name}{suffix}"]


def _enclosing_function(die: Die) -> Die | None:
    while (die := die.get_parent()) is not None:
        if die.tag == "DW_TAG_subprogram":
            return die
    return None


def _numbers(function: Die) -> dict[int, int]:
    """Numbers the static variables of the function that have the same name, in the order of the source."""
    seen: dict[str, int] = {}
    numbers: dict[int, int] = {}
    for variable in sorted(filter(_is_static, _variables(function)), key=_place):
        name = text_of(origin_of(variable), "DW_AT_name") or ""
        numbers[variable.offset] = seen[name] = seen.get(name, -1) + 1
    return numbers


def _variables(function: Die) -> Iterator[Die]:
    waiting = [function]
    while waiting:
        for child in waiting.pop().iter_children():
            if child.tag == "DW_TAG_variable":
                yield child
            elif child.tag == "DW_TAG_lexical_block":
                waiting.append(child)


def _is_static(die: Die) -> bool:
    if "DW_AT_declaration" in die.attributes:
        return False
    location = die.attributes.get("DW_AT_location")
    if location is None:
        return True
    code = bytes(location.value) if location.form == "DW_FORM_exprloc" else b""
    return bool(code) and (code[0] == _ADDRESS or code[-1] in FROM_THREAD_POINTER)


def _place(die: Die) -> list[int]:
    attributes = origin_of(die).attributes
    return [attributes[key].value if key in attributes else 0 for key in ("DW_AT_decl_line", "DW_AT_decl_column")]


def _outside(origin: Die, name: str) -> list[str]:
    """Possible names of a variable of a file or a namespace, with and without `static`."""
    path, scope = "", origin.get_parent()
    while scope is not None and scope.tag != "DW_TAG_compile_unit":
        namespace = text_of(scope, "DW_AT_name")
        path = (f"{len(namespace)}{namespace}" if namespace else _ANONYMOUS) + path
        scope = scope.get_parent()
    if not path:
        return [name, f"_ZL{len(name)}{name}"]
    return [f"_ZN{path}{letter}{len(name)}{name}E" for letter in ("", "L")]
