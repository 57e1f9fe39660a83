"""Finds the kernel and the launch function that a lab asks for in the object file, or says why they are missing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.engines.object_code.debug_info import Function
from grader.engines.object_code.object_file import ObjectFile
from grader.engines.object_code.symbol_table import Symbol
from grader.engines.refusal import Refusal
from grader.engines.student_text.file_functions import (
    difference,
    function_called,
    kernels,
    launch_functions,
    meant,
)
from grader.engines.student_text.student_code import Place
from grader.model.verdicts import Verdict

USE_FILE = "<grader>"  # the file name that the compiler gives to our own lines
_CHOSEN = "the_chosen_kernel"
_PASSED = "the_passed_function_"
_BESIDE = "the_kernel_beside_"
_CHOSEN_SYMBOL = f"_ZL{len(_CHOSEN)}{_CHOSEN}"
_KEEP = "Keep the name and the parameters of the starter file."


@dataclass(frozen=True)
class EntrySignatures:
    """Demangled signatures: "scale(float const*, float*, int)". Without `launch`, the caller chooses grid and block.

    `by_name`: `kernel` is its name in C++: "scale", "ns::scale<float>", or "scale(float*)" where there are several.
    """

    kernel: str
    launch: str | None = None
    by_name: bool = False
    functions: tuple[str, ...] = ()  # names in C++ of functions whose addresses the caller passes to the kernel
    beside: tuple[
        str, ...
    ] = ()  # other kernels, as `kernel`, that are built into the same program and may be called as well


@dataclass(frozen=True)
class EntryPoints:
    kernels: tuple[Symbol, ...]  # every function with the kernel's name, whatever its parameters
    launches: tuple[Symbol, ...]
    functions: tuple[Symbol, ...] = ()  # that the caller passes to the kernel
    beside: tuple[Symbol, ...] = ()  # the other kernels that were asked for

    @property
    def all(self) -> list[Symbol]:
        return [*self.kernels, *self.launches, *self.functions, *self.beside]


def entry_points(obj: ObjectFile, entries: EntrySignatures) -> EntryPoints:
    launches = functions_named(obj, name_of(entries.launch)) if entries.launch else ()
    return EntryPoints(functions_named(obj, name_of(entries.kernel)), launches)


def use_of(kernel: str, functions: Sequence[str] = (), beside: Sequence[str] = ()) -> str:
    """Lines of C++ that instantiate a kernel and those beside it. `used_kernel` finds out from them which functions they are."""
    others = "".join(
        f"__attribute__((used)) static auto* const {_PASSED}{number} = &{one.removeprefix('&')};\n"
        for number, one in enumerate(functions)
    )
    others += "".join(f"{_held(f'{_BESIDE}{number}', one)}\n" for number, one in enumerate(beside))
    return f'# 1 "{USE_FILE}"\n{_held(_CHOSEN, kernel)}\n{others}'


def _held(variable: str, kernel: str) -> str:
    """A variable that holds the address of a kernel, which is named with or without its parameters."""
    name, bracket, parameters = kernel.partition("(")
    declared = f"void (*const {variable})({parameters}" if bracket else f"auto* const {variable}"
    return f"__attribute__((used)) static {declared} = &{name};"


def use_of_launch(launch: str) -> str:
    """A line of C++ that makes the compiler compile a launch function that nothing else uses."""
    name = name_of(launch)
    variable = f"LaunchConfig (*const the_launch_function){launch.removeprefix(name)}"
    return f'# 1 "{USE_FILE}"\n__attribute__((used)) static {variable} = {name};'


def is_of_use(variable: str) -> bool:
    """Whether a symbol is a variable of `use_of`, and none of the file's."""
    return re.fullmatch(rf"_ZL\d+({_CHOSEN}|(?:{_PASSED}|{_BESIDE})\d+)", variable) is not None


def used_kernel(obj: ObjectFile, functions: int = 0, beside: int = 0) -> EntryPoints:
    """The functions whose addresses the lines of `use_of` take. A static function is identified by its section only."""

    def held(variable: str, number: int) -> tuple[Symbol, ...]:
        names = [f"{variable}{at}" for at in range(number)]
        return tuple(one for name in names for one in _held_by(obj, f"_ZL{len(name)}{name}"))

    return EntryPoints(_held_by(obj, _CHOSEN_SYMBOL), (), held(_PASSED, functions), held(_BESIDE, beside))


def _held_by(obj: ObjectFile, variable: str) -> tuple[Symbol, ...]:
    """The function whose address a variable holds; empty where that is none of the file's."""
    holder = next((s.section for s in obj.symbols if s.kind == "STT_OBJECT" and s.name == variable), 0)
    named = [obj.symbols[index] for index in obj.uses.get(holder, ())]
    sections = {symbol.section for symbol in named if symbol.in_section}
    found = [s for s in obj.symbols if s.kind == "STT_FUNC" and s.section in sections and s.value == 0]
    return tuple(found[:1])


def functions_named(obj: ObjectFile, name: str) -> tuple[Symbol, ...]:
    """Every function `name` that is defined in the global namespace, C or C++, static or not."""
    mangled = rf"_ZL?{len(name)}{re.escape(name)}(?![0-9A-Za-z_]*E$)[A-Za-z0-9_]*"
    pattern = re.compile(rf"{mangled}|{re.escape(name)}")
    return tuple(s for s in obj.symbols if s.kind == "STT_FUNC" and not s.undefined and pattern.fullmatch(s.name))


def name_of(signature: str) -> str:
    return signature.partition("(")[0]


def missing_names(obj: ObjectFile, found: EntryPoints, entries: EntrySignatures, source: str) -> tuple[Refusal, ...]:
    missing = []
    if not found.kernels:
        missing.append(_no_kernel(entries, source))
    elif not any(obj.space_of(kernel).is_kernel for kernel in found.kernels):
        missing.append(not_global(entries, source))
    if entries.launch and not found.launches:
        missing.append(_no_launch(entries.launch, source))
    return tuple(missing)


def not_global(entries: EntrySignatures, source: str) -> Refusal:
    text = f"`{name_of(entries.kernel)}` is not a kernel: it is not declared `__global__`."
    place = function_called(source, name_of(entries.kernel))
    return _missing(text, "Put __global__ before it, as in the starter file.", place)


def _no_kernel(entries: EntrySignatures, source: str) -> Refusal:
    """Names the kernels that the file does have."""
    wanted = f"There is no kernel `__global__ void {_in_c(entries.kernel)}`."
    name, found = name_of(entries.kernel), [] if entries.by_name else kernels(source)
    if not found or any(one.name == name for one in found):
        return _missing(wanted, _KEEP, next((one.place for one in found if one.name == name), None))
    likely = meant(name, found)
    others = " and ".join(f"`{one.name}` (line {one.place.line})" for one in ([likely] if likely else found[:3]))
    return _missing(
        f"{wanted} The file has {others}: the lab asks for the name `{name}`.", _KEEP, likely.place if likely else None
    )


def _no_launch(signature: str, source: str) -> Refusal:
    text = f"There is no launch function `LaunchConfig {_in_c(signature)}`."
    likely = meant(name_of(signature), launch_functions(source))
    if likely and likely.name != name_of(signature):
        text += f" The file has `{likely.name}` (line {likely.place.line}): the lab asks for the name `{name_of(signature)}`."
    advice = "Write it as in the starter file: it returns the grid and the block for your kernel."
    return _missing(text, advice, likely.place if likely else function_called(source, name_of(signature)))


def wrong_signatures(functions: Iterable[Function], entries: EntrySignatures, source: str) -> tuple[Refusal, ...]:
    """One refusal for each entry point whose name exists with other parameters."""
    known, refusals = list(functions), []
    for signature in (entries.kernel, entries.launch):
        if not signature or function_of(known, signature):
            continue
        name = name_of(signature)
        same = [f.signature for f in known if f.name == name]
        others = "`, `".join(map(_in_c, same)) or "none"
        what = f"`{name}` does not have the parameters that the lab asks for: expected `{_in_c(signature)}`, found `{others}`."
        differs = difference(signature, same[0]) if len(same) == 1 else ""
        refusals.append(_missing(f"{what} {differs}".strip(), _KEEP, function_called(source, name)))
    return tuple(refusals)


def function_of(functions: Iterable[Function], signature: str | None) -> Function | None:
    return next((f for f in functions if f.signature == signature and f.in_submission), None)


def function_at(functions: Iterable[Function], address: int) -> Function | None:
    return next((f for f in functions if f.first == address and f.in_submission), None)


def _missing(message: str, advice: str, place: Place | None = None) -> Refusal:
    line, columns = (place.line, place.columns) if place else (0, None)
    return Refusal(Verdict.MISSING_ENTRY_POINT, line, message, advice, columns)


def _in_c(signature: str) -> str:
    """Turns "f(float const*)" into "f(const float*)", which is how people write it."""
    return re.sub(r"((?:unsigned |signed |long )*\w+) const\b", r"const \1", signature)
