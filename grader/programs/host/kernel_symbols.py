"""Which kernels a linked host program names, by the marks in their stubs: exact for templates, overloads and namespaces. And how each of
them is called in C++, which its device code is built by.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.engines.object_code.quick_elf import QuickElf
from grader.engines.object_code.symbol_table import Symbol, symbols_of
from grader.kernel_files.host_code import items_of
from grader.kernel_files.kernel_source import KernelSource, base_name
from grader.programs.host.kernel_stub import MARK

MOST_KERNELS = 200
_MARK = re.compile(rf"_ZZ(?P<kernel>[\w.$]+)E{len(MARK)}{MARK}(?:[_.\d]*)")
_OUR_NAMESPACE = re.compile(r"\bcuda_on_cpu::")
_UNNAMED = re.compile(r"\(anonymous namespace\)::|\{anonymous\}::")


@dataclass(frozen=True)
class KernelName:
    symbol: str  # "_Z5scaleIfEvPT_i"
    signature: str  # "scale<float>(float*, int)"

    @property
    def shown(self) -> str:
        """As people write it: without parameters."""
        return without_parameters(self.signature)


def kernel_symbols(program: Path) -> list[str]:
    """The symbols of the kernels, at most MOST_KERNELS. The program is hostile; so its names are words and nothing else."""
    with program.open("rb") as stream:
        symbols = symbols_of(QuickElf(stream))
    functions = {one.name for one in symbols if one.kind == "STT_FUNC"}
    found = dict.fromkeys(name for one in symbols if (name := _marked(one, functions)))
    return list(found)[:MOST_KERNELS]


def _marked(symbol: Symbol, functions: set[str]) -> str:
    match = _MARK.fullmatch(symbol.name) if symbol.kind == "STT_OBJECT" else None
    if match is None:
        return ""
    plain = re.sub(r"^\d+", "", match["kernel"])  # extern "C" has no mangled name
    return next((name for name in (f"_Z{match['kernel']}", plain) if name in functions), "")


def named(symbols: Sequence[str], demangled: Sequence[str]) -> list[KernelName]:
    """`demangled`: what c++filt makes of each symbol."""
    return [KernelName(symbol, signature_of(text)) for symbol, text in zip(symbols, demangled, strict=True)]


def signature_of(demangled: str) -> str:
    """Without the kit's namespace, unnamed ones, and the return type that templates have."""
    text = _UNNAMED.sub("", _OUR_NAMESPACE.sub("", demangled)).strip()
    return text.removeprefix("void ")


def without_parameters(signature: str) -> str:
    """`scale<(Op)0>` of `scale<(Op)0>(float*)`."""
    at = _parameters_at(signature)
    return signature[:at] if at else signature


def _parameters_at(signature: str) -> int:
    """Where the parameter list begins: the last `(` outside all other brackets."""
    depth, found = 0, 0
    for at, sign in enumerate(signature):
        if sign in "<([{":
            if sign == "(" and depth == 0:
                found = at
            depth += 1
        elif sign in ">)]}" and signature[at - 1 : at + 1] != "->":
            depth -= 1
    return found


def buildable_name(kernel: KernelName, source: KernelSource) -> str:
    """The name as `engines/checks/entry_points.py` takes it: with parameters where the file has several versions that are no templates."""
    base = base_name(kernel.shown)
    heads = [
        text[item.first : item.end] for text in source.texts.values() for item in items_of(text) if item.kernel == base
    ]
    if len(heads) > 1 and "<" not in kernel.shown:
        return kernel.signature
    return kernel.shown


def unit_of(kernel: KernelName, units: Sequence[KernelSource]) -> KernelSource | None:
    """The source that defines the kernel: the one whose own file does, else the first that does in a header."""
    base = base_name(kernel.shown)
    own = [unit for unit in units if _defines(unit, {unit.name: unit.texts[unit.name]}, base)]
    return next(iter([*own, *(unit for unit in units if _defines(unit, unit.texts, base))]), None)


def _defines(unit: KernelSource, texts: Mapping[str, str], base: str) -> bool:
    return unit.name in unit.texts and any(item.kernel == base for text in texts.values() for item in items_of(text))
