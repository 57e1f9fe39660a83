"""Compiles the changed text, finds the entry points in the object, and reads the compiler's dump for reasons not to trust it."""

from __future__ import annotations

from grader.engines.checks.attribution import names_the_text
from grader.engines.checks.entry_points import (
    USE_FILE,
    EntryPoints,
    EntrySignatures,
    entry_points,
    name_of,
    use_of_launch,
    used_kernel,
)
from grader.engines.checks.gimple_scan import scan_gimple
from grader.engines.checks.ir_scan import scan_ir
from grader.engines.checks.variable_arrays import variable_array
from grader.engines.clang_ir.ir_rewriting import rewritten
from grader.engines.cpu.build_steps import BuildSteps
from grader.engines.cpu.cpu_toolchain import PLAIN
from grader.engines.object_code.object_file import ObjectFile, read_object
from grader.engines.refusal import Refusal

TOO_LONG = "The file is too large when it is compiled."


def compile_text(steps: BuildSteps) -> bool:
    """Compiles the scanned text. With Clang, the dump is rewritten before its passes run."""
    parse, *others = steps.toolchain.compile("scanned.ii", "submission.o")
    if not steps.run(parse):
        return False
    if others:
        dump = steps.text(steps.toolchain.dump, TOO_LONG)
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
    dump = steps.text(steps.toolchain.dump, TOO_LONG)
    if found_array := variable_array(dump, steps.name):
        return found_array
    trusted = [str(path) for path in steps.toolchain.includes]
    if not steps.toolchain.is_clang:
        return scan_gimple(dump, steps.name, trusted)
    plain = steps.toolchain.prelude.with_name(PLAIN).read_text(encoding="utf-8")
    return scan_ir(dump, plain, steps.name, trusted, {symbol.name for symbol in found.all})
