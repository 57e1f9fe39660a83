"""A submission's object file once its checks are passed, with what the linked program does not contain."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.engines.build_steps import BuildSteps, names_the_text
from grader.engines.cpu_toolchain import PLAIN
from grader.engines.dump_scan import scan_gimple, scan_ir
from grader.engines.entry_points import (
    USE_FILE,
    EntryPoints,
    EntrySignatures,
    entry_points,
    name_of,
    use_of_launch,
    used_kernel,
)
from grader.engines.ir_rewriting import rewritten
from grader.engines.objects.debug_info import GUARD
from grader.engines.objects.symbol_table import (
    NO_BITS,
    RETAIN,
    SECTION,
    ElfFile,
    ObjectFile,
    Symbol,
    read_object,
)
from grader.engines.proof.object_proof import Checked, Entry, check_announcements
from grader.engines.refusal import Refusal
from grader.model.verdicts import Verdict


@dataclass(frozen=True)
class CompiledObject:
    object: ObjectFile
    found: EntryPoints
    preprocessed: str
    assembly: str
    proved: Checked
    entered: frozenset[str]  # symbols of functions that were proved from their beginning on, and may be called first
    rooms: dict[str, int]  # of the variables, bytes from the first one on that nothing else is in
    passed: tuple[tuple[str, str], ...]  # names and symbols of functions whose addresses the caller passes

    def static_shared_bytes(self, kernels: Sequence[Symbol]) -> int:
        """The size of all static arrays that a kernel reaches. A template has one for each instantiation."""
        arrays = (one for one in self.object.reached(kernels) if one.kind == "STT_TLS" and not one.undefined)
        return sum(one.size for one in arrays if not one.name.startswith(GUARD))


# Makes an object file in which every access is announced, and proves it; or says why there is none.


def announced_object(
    steps: BuildSteps, assembly: str, obj: ObjectFile, entered: Mapping[str, Entry], passed: Sequence[str]
) -> tuple[str, ObjectFile, Checked]:
    """With a call before each access that nothing announced; what comes of it is assembled and held to the same proof."""
    checked = check_announcements(obj, assembly, entered, steps.name, passed)
    if checked.refusal or not checked.assembly:
        return assembly, obj, checked
    (steps.folder / "announced.s").write_text(checked.assembly, encoding="utf-8")
    if not steps.run(steps.toolchain.assemble("announced.s", "submission.o")):
        return assembly, obj, Checked(beyond_proof())
    obj = read_object(steps.folder / "submission.o")
    again = check_announcements(obj, checked.assembly, entered, steps.name, passed)
    return checked.assembly, obj, Checked(beyond_proof()) if again.assembly else again


def beyond_proof() -> Refusal:
    what = "The CPU executor cannot follow every access that the compiler made of this file"
    return Refusal(Verdict.NEEDS_GPU, 0, f"{what}: it has to be graded on a GPU.")


# Compiles the changed text, finds the entry points in the object, and reads the compiler's dump for reasons not to trust it.

WHEN_COMPILED = "once it is compiled"


def compile_text(steps: BuildSteps) -> bool:
    """Compiles the scanned text. With Clang, the dump is rewritten before its passes run."""
    parse, *others = steps.toolchain.compile("scanned.ii", "submission.o")
    if not steps.run(parse):
        return False
    if others:
        dump = steps.text(steps.toolchain.dump, WHEN_COMPILED)
        (steps.folder / steps.toolchain.dump).write_text(rewritten(dump), encoding="utf-8")
    return all(steps.run(command) for command in others)


def read_compiled(steps: BuildSteps, preprocessed: str, entries: EntrySignatures) -> tuple[ObjectFile, EntryPoints]:
    """Reads the object. An inline or constexpr launch function is compiled only if it is used, so where it is missing, a use is added."""
    obj = read_object(steps.folder / "submission.o")
    if entries.by_name:
        return obj, used_kernel(obj, len(entries.functions), len(entries.beside))
    found = entry_points(obj, entries)
    if entries.launch is None or found.launches or name_of(entries.launch) not in preprocessed:
        return obj, found
    (steps.folder / "scanned.ii").write_text(f"{preprocessed}\n{use_of_launch(entries.launch)}\n", encoding="utf-8")
    known = len(steps.log)
    if compile_text(steps):
        obj = read_object(steps.folder / "submission.o")
    elif not names_the_text("\n".join(steps.log[known:]), {USE_FILE, steps.name, *steps.headers}, []):
        steps.break_off("the compiler")
    del steps.log[known:]  # it is about a line that the author never wrote
    return obj, entry_points(obj, entries)


def refusal_of_dump(steps: BuildSteps, found: EntryPoints) -> Refusal | None:
    """The first reason not to trust the compiler's instrumentation of the file, taken from its dump."""
    dump = steps.text(steps.toolchain.dump, WHEN_COMPILED)
    trusted = [str(path) for path in steps.toolchain.includes]
    if not steps.toolchain.is_clang:
        return scan_gimple(dump, steps.name, trusted)
    plain = steps.toolchain.prelude.with_name(PLAIN).read_text(encoding="utf-8")
    return scan_ir(dump, plain, steps.name, trusted, {symbol.name for symbol in found.all})


# Puts space that belongs to nobody behind each variable of an object file, so that an access past one does not reach the next.
#
# Each variable has a section of its own, which is made larger; no code changes. Constants without a name stay as they are.

_VARIABLES = (".bss.", ".data.", ".rodata.")
_ALLOCATED, _MERGED, _THREAD_LOCAL = 2, 16, 1024  # SHF_ALLOC, SHF_MERGE, SHF_TLS
_FLAGS, _OFFSET, _SIZE = 8, 24, 32  # where a section's header holds them
_NUMBER = struct.Struct("<Q")
LEAST, MOST = 4 << 10, 64 << 10  # bytes behind one variable
_TOGETHER = 16 << 20  # bytes behind all of them; where there are very many, each gets less
_GRAIN = 256


def spread_variables(path: Path) -> dict[str, int]:
    """Changes the object file. Returns for each variable the bytes from its first one on that nothing else is in."""
    elf = ElfFile(path)
    content = bytearray(elf.content)
    alone = _alone_in_a_section(elf.symbols)
    rooms: dict[str, int] = {}
    most = min(MOST, _TOGETHER // max(1, len(alone)))
    for index, section in enumerate(elf.sections):
        header = elf.headers_at + index * SECTION.size
        _NUMBER.pack_into(content, header + _FLAGS, section.flags & ~RETAIN)
        variable, size = alone.get(index), section.size
        if variable is None or not _holds_a_variable(section.name, section.flags) or variable.size != size:
            continue
        room = -(-(size + max(_GRAIN, min(most, max(LEAST, size)))) // _GRAIN) * _GRAIN
        if section.kind != NO_BITS:
            content.extend(bytes(-len(content) % max(1, section.alignment)))
            _NUMBER.pack_into(content, header + _OFFSET, len(content))
            content.extend(elf.data(section).ljust(room, b"\0"))
        _NUMBER.pack_into(content, header + _SIZE, room)
        rooms[variable.name] = room
    path.write_bytes(content)
    return rooms


def _alone_in_a_section(symbols: list[Symbol]) -> dict[int, Symbol]:
    """The variables by section, where a section holds one variable and nothing else that has a name."""
    found: dict[int, list[Symbol]] = {}
    for symbol in symbols:
        if symbol.in_section and symbol.kind not in {"STT_SECTION", "STT_FILE"}:
            found.setdefault(symbol.section, []).append(symbol)
    return {
        index: one
        for index, (one, *others) in found.items()
        if not others and one.kind == "STT_OBJECT" and one.value == 0
    }


def _holds_a_variable(name: str, flags: int) -> bool:
    return name.startswith(_VARIABLES) and bool(flags & _ALLOCATED) and not flags & (_MERGED | _THREAD_LOCAL)
