"""Judges an object file before it is linked: entry points, sections and functions that must not be there."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.engines.assembly import Calls
from grader.engines.device_functions import ONLY_ON_A_GPU, is_device_function
from grader.engines.object_file import ObjectFile
from grader.engines.refusal import Refusal
from grader.engines.symbol_table import Symbol
from grader.result import Verdict

SECTIONS = re.compile(
    r"|\.(text|data|bss|rodata|tdata|tbss)(\..*)?|\.data\.rel\.ro.*|\.rela?\..*|\.rela?\.(text|data).*|\.debug_.*|\.comment|\.note.*|\.eh_frame.*"
    r"|\.group|\.symtab|\.strtab|\.shstrtab|\.symtab_shndx|\.init_array\.00099|\.gcc_except_table.*"
)
RESERVED = re.compile(r"__(tsan|ubsan|asan|sanitizer)_.*|tilelab_.*|__(start|stop)_.*|_init|_fini|_start")
# Host templates of the standard library that device code may use, as nvcc's --expt-relaxed-constexpr lets it.
STANDARD_ALLOWED = re.compile(
    r"_ZN?K?St(3min|3max|4swap|5clamp|4move|7forward|3abs|4fabs|4sqrt|3fma|4fmax|4fmin|3exp|3log|3pow|3sin|3cos|5floor|4ceil|5round"
    r"|5isnan|5isinf|8isfinite|14numeric_limits|17integral_constant|4pair|5array|10is_same_v|9addressof|8bit_cast|13__is_constant|21is_constant_evaluated|L).*"
)
STANDARD = re.compile(r"_ZN?K?St.*|_ZN9__gnu_cxx.*")


@dataclass(frozen=True)
class EntryPoints:
    kernels: tuple[Symbol, ...]  # every function of the kernel's name, whatever its parameters
    launches: tuple[Symbol, ...]

    @property
    def all(self) -> list[Symbol]:
        return [*self.kernels, *self.launches]


def functions_named(obj: ObjectFile, name: str) -> tuple[Symbol, ...]:
    """Every defined function `name` in the global namespace, C or C++, static or not."""
    pattern = re.compile(rf"_ZL?{len(name)}{re.escape(name)}(?![0-9A-Za-z_]*E$)[A-Za-z0-9_]*|{re.escape(name)}")
    return tuple(s for s in obj.symbols if s.kind == "STT_FUNC" and not s.undefined and pattern.fullmatch(s.name))


def check_object(obj: ObjectFile, entries: EntryPoints, calls: Calls) -> Refusal | None:
    """The first reason not to link and run this object; None when there is none."""
    for section in obj.sections:
        if not SECTIONS.fullmatch(section):
            return _rejected(0, f"The file puts code or data into a section of its own ({section[:40]!r}): nothing may run before the kernel.")
    for symbol in obj.symbols:
        if symbol.kind == "STT_GNU_IFUNC":
            return _rejected(0, f"{symbol.name[:60]!r} chooses its code at load time; nothing may run before the kernel.")
        if not symbol.undefined and symbol.kind != "STT_SECTION" and RESERVED.fullmatch(symbol.name):
            return _rejected(0, f"The name {symbol.name[:60]!r} is reserved for the grader.")
    if calls.has_inline_assembly:
        return Refusal(Verdict.NEEDS_GPU, 0, "Inline assembly cannot run on the CPU executor: this file has to be graded on a GPU.")
    reached = obj.reached(entries.all)
    for index in sorted(reached, key=lambda i: calls.lines.get(obj.symbols[i].name, 0)):
        refusal = _check_reached(obj.symbols[index], calls)
        if refusal:
            return refusal
    if calls.indirect_line is not None:
        return Refusal(
            Verdict.NEEDS_GPU, calls.indirect_line, "A call through a function pointer cannot be followed by the CPU executor: this file has to be graded on a GPU.",
            "Call the function by its name, or pass it as a template argument.",
        )  # fmt: skip
    return None


def _check_reached(symbol: Symbol, calls: Calls) -> Refusal | None:
    line = calls.lines.get(symbol.name, 0)
    if not symbol.undefined:
        if symbol.kind == "STT_FUNC" and STANDARD.fullmatch(symbol.name) and not STANDARD_ALLOWED.fullmatch(symbol.name):
            return _rejected(line, "The kernel uses a function of the C++ standard library that runs on the host only.")
        return None
    if symbol.kind == "STT_TLS" or not symbol.name or is_device_function(symbol.name):
        return None
    if symbol.name in ONLY_ON_A_GPU:
        return Refusal(Verdict.NEEDS_GPU, line, f"`{_readable(symbol.name)}` in a kernel is not supported by the CPU executor: this file has to be graded on a GPU.")
    return _rejected(line, f"`{_readable(symbol.name)}` is a host function, or is declared and never defined: a kernel cannot call it.")


def _readable(symbol: str) -> str:
    names = {"_Znwm": "new", "_Znam": "new[]", "_ZdlPv": "delete", "_ZdaPv": "delete[]", "_ZdlPvm": "delete", "_ZdaPvm": "delete[]"}
    if symbol in names:
        return names[symbol]
    mangled = re.match(r"_ZN?K?L?(\d+)(\w+)", symbol)
    return mangled[2][: int(mangled[1])] if mangled else symbol[:60]


def _rejected(line: int, message: str) -> Refusal:
    return Refusal(Verdict.REJECTED, line, message, "A kernel may call its own __device__ functions and CUDA's.")
