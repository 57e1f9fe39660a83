"""Turns one source file into a runner for the CPU executor: preprocess, scan, compile, check, link, describe.

The compiler, assembler and linker run confined, and the files that they write are read as data. Nothing of the submission runs here.
A failure of the submission is an outcome and no exception. A failure that nothing shows to be the submission's is an outcome too:
`internal-error`.
"""

# ruff: noqa: PLC0415 -- what reads an object is imported once there is one: a student waits for the compiler's messages

from __future__ import annotations

import struct
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from elftools.common.exceptions import DWARFError, ELFError

from grader.engines.build_steps import (
    WHEN_COMPILED,
    WHEN_EXPANDED,
    BuildSteps,
    TooLongError,
    image_beside,
    names_the_text,
    refuse,
    shortened,
)
from grader.engines.cpu_toolchain import PLAIN, CpuToolchain
from grader.engines.entry_points import (
    USE_FILE,
    EntryPoints,
    EntrySignatures,
    check_object,
    entry_points,
    missing_names,
    name_of,
    use_of_launch,
    used_kernel,
)
from grader.engines.objects.symbol_table import NO_BITS, RETAIN, SECTION, ElfFile, ObjectFile, Symbol, read_object
from grader.engines.refusal import BuildFaultError, Refusal
from grader.engines.text_steps import TextOrigin, in_steps, probably_changed
from grader.engines.token_scan import too_long
from grader.model.verdicts import Verdict
from grader.source.bare_code import hand_written_marker
from grader.system.confinement import Confinement

if TYPE_CHECKING:
    from grader.engines.proof.object_proof import Checked, Entry

# What may be raised when an unusual object is read.
_UNREADABLE = (ELFError, DWARFError, KeyError, IndexError, ValueError, struct.error)


@dataclass(frozen=True)
class CpuBuild:
    """The result: a runner and its image, or why there is none."""

    runner: Path | None = None
    image: Path | None = None
    images_beside: tuple[Path, ...] = ()  # of `EntrySignatures.beside`, which are in the same runner
    refusals: tuple[Refusal, ...] = ()
    log: str = ""
    seconds: float = 0.0


def build_for_cpu(
    toolchain: CpuToolchain,
    confinement: Confinement,
    source: Path,
    folder: Path,
    entries: EntrySignatures,
    *,
    scanned: bool = True,
    definitions: Sequence[str] = (),
) -> CpuBuild:
    """Builds `source` in `folder`, which may hold headers of the submission and nothing else. The runner and image.json stay there.
    `scanned`: false for a file of ours that shows what the checks behind the scan of its text refuse. `definitions`: macros that a
    user's command line defines before the text, as NAME or NAME=VALUE.
    """
    began = time.monotonic()
    headers = frozenset(path.name for path in folder.iterdir())
    text = source.read_text(encoding="utf-8", errors="replace")
    defined = f"{lines}#line 1\n" if (lines := defining(definitions)) else ""  # the text itself may hold no line marker
    (folder / source.name).write_text(defined + text, encoding="utf-8")
    steps = BuildSteps(toolchain, confinement, folder, source.name, headers, scanned, defined)
    try:
        refusals = _build(steps, text, entries)
    except TooLongError as error:
        refusals = refuse(str(error))
    except BuildFaultError as error:
        refusals = (Refusal(Verdict.INTERNAL_ERROR, 0, f"the grader could not build this lab: {error}"),)
    log = shortened("\n".join(steps.log))
    seconds = time.monotonic() - began
    if refusals:
        return CpuBuild(refusals=refusals, log=log, seconds=seconds)
    beside = tuple(folder / image_beside(number) for number in range(len(entries.beside)))
    return CpuBuild(folder / "runner", folder / "image.json", beside, log=log, seconds=seconds)


def defining(definitions: Sequence[str]) -> str:
    """Lines as -D means them. Behind our own headers they change nothing of those."""
    parted = (one.partition("=") for one in definitions)
    return "".join(f"#define {name} {value if equals else 1}\n" for name, equals, value in parted)


def _build(steps: BuildSteps, text: str, entries: EntrySignatures) -> tuple[Refusal, ...]:
    if refusal := too_long(text):
        return (refusal,)
    if marker := hand_written_marker(text):
        message = "A line marker (#line) would make the report show the wrong lines of your file."
        return (Refusal(Verdict.REJECTED, marker, message, "Remove the line marker."),)
    # GCC compiles the expanded text in the same sandbox, before it is scanned, if our steps will hardly change it: a second sandbox would
    # cost more. Compiling runs none of it.
    origin = TextOrigin(steps.name, str(steps.folder), entries, steps.toolchain.is_clang, steps.scanned)
    one_sandbox = not (steps.toolchain.is_clang or entries.by_name or probably_changed(text, origin))
    compile_too = steps.toolchain.compile("scanned.ii", "submission.o") if one_sandbox else []
    succeeded = steps.preprocess(steps.toolchain.preprocess(steps.name, "scanned.ii"), "scanned.ii", compile_too)
    one_sandbox = one_sandbox and not steps.left_for_later()
    if not succeeded and not (one_sandbox and steps.first_step_succeeded()):
        return steps.failed()
    preprocessed = _preprocessed(steps)
    if refusal := steps.refused_library(preprocessed):
        return (refusal,)
    submitted = steps.toolchain.after_prelude(preprocessed, steps.name)
    changed = in_steps(submitted, origin)
    if changed.refusal:
        return (changed.refusal,)
    if changed.mended:  # what was compiled is another text
        steps.forget()
        one_sandbox = False
    prelude = preprocessed.removesuffix(submitted)
    try:
        if one_sandbox and (changed.whole == submitted or not succeeded):
            compiled = succeeded
        else:
            known = len(steps.log)
            (steps.folder / "scanned.ii").write_text(prelude + changed.whole, encoding="utf-8")
            compiled = compile_text(steps)
            if one_sandbox and compiled:
                del steps.log[known:]  # it said the same the first time
        return _link(steps, text, prelude + changed.text, entries) if compiled else steps.failed()
    except _UNREADABLE as error:
        raise BuildFaultError(f"the object file cannot be read: {type(error).__name__}: {error}") from error


def _preprocessed(steps: BuildSteps) -> str:
    preprocessed = steps.text("scanned.ii", WHEN_EXPANDED)
    if not steps.toolchain.has_prelude(preprocessed):
        raise BuildFaultError("the compiler did not take the kit's precompiled header")
    return preprocessed


def _link(steps: BuildSteps, text: str, preprocessed: str, entries: EntrySignatures) -> tuple[Refusal, ...]:
    """Checks the object that was compiled, and links it to a runner."""
    from grader.engines.objects.assembly import calls_of
    from grader.engines.proof.object_proof import KERNEL, LAUNCH
    from grader.engines.runner_image import CompiledObject, described, link

    obj, found = read_compiled(steps, preprocessed, entries)
    if missing := missing_names(obj, found, entries, text):
        return missing
    own = (steps.folder / "submission.s").exists()
    assembly = steps.text("submission.s" if own else "scanned.s", WHEN_COMPILED)
    refusal = refusal_of_dump(steps, found) or check_object(obj, found, calls_of(assembly, steps.name))
    if refusal:
        return (refusal,)
    if len(found.beside) < len(entries.beside) or not all(obj.space_of(one).is_kernel for one in found.beside):
        what = f"One of {', '.join(entries.beside)} is no kernel that the file defines."
        return (Refusal(Verdict.COMPILE_ERROR, 0, what),)
    entered = dict.fromkeys((symbol.name for symbol in [*found.kernels, *found.beside]), KERNEL)
    entered |= dict.fromkeys((symbol.name for symbol in found.launches), LAUNCH)
    passed = [symbol.name for symbol in found.functions]
    if len(passed) < len(entries.functions):
        what = f"One of {', '.join(entries.functions)} is no function that the file defines."
        return (Refusal(Verdict.COMPILE_ERROR, 0, what, "Name a __device__ function of the file."),)
    assembly, obj, proved = announced_object(steps, assembly, obj, entered, passed)
    if proved.refusal:
        return (proved.refusal,)
    compiled = CompiledObject(
        obj,
        found,
        preprocessed,
        assembly,
        proved,
        frozenset(entered),
        spread_variables(steps.folder / "submission.o"),
        tuple(zip(entries.functions, passed, strict=True)),
    )
    link(steps, compiled)
    return described(steps, text, entries, compiled)


# Makes an object file in which every access is announced, and proves it; or says why there is none.


def announced_object(
    steps: BuildSteps, assembly: str, obj: ObjectFile, entered: Mapping[str, Entry], passed: Sequence[str]
) -> tuple[str, ObjectFile, Checked]:
    """With a call before each access that nothing announced; what comes of it is assembled and held to the same proof."""
    from grader.engines.proof.object_proof import Checked, check_announcements
    from grader.engines.runner_image import beyond_proof

    checked = check_announcements(obj, assembly, entered, steps.name, passed)
    if checked.refusal or not checked.assembly:
        return assembly, obj, checked
    (steps.folder / "announced.s").write_text(checked.assembly, encoding="utf-8")
    if not steps.run(steps.toolchain.assemble("announced.s", "submission.o")):
        return assembly, obj, Checked(beyond_proof())
    obj = read_object(steps.folder / "submission.o")
    again = check_announcements(obj, checked.assembly, entered, steps.name, passed)
    return checked.assembly, obj, Checked(beyond_proof()) if again.assembly else again


# Compiles the changed text, finds the entry points in the object, and reads the compiler's dump for reasons not to trust it.


def compile_text(steps: BuildSteps) -> bool:
    """Compiles the scanned text. With Clang, the dump is rewritten before its passes run."""
    parse, *others = steps.toolchain.compile("scanned.ii", "submission.o")
    if not steps.run(parse):
        return False
    if others:
        from grader.engines.clang_ir import rewritten

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
    from grader.engines.dump_scan import scan_gimple, scan_ir

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
        allowed = section.flags & _ALLOCATED and not section.flags & (_MERGED | _THREAD_LOCAL)
        if variable is None or variable.size != size or not (allowed and section.name.startswith(_VARIABLES)):
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
