"""Turns one source file into a runner for the CPU executor: preprocess, scan, compile, check, link, describe.

The compiler, assembler and linker run confined, and the files that they write are read as data. Nothing of the submission runs here.
A failure of the submission is an outcome and no exception. A failure that nothing shows to be the submission's is an outcome too:
`internal-error`.
"""

from __future__ import annotations

import re
import struct
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import DWARFError, ELFError

from grader.engines.announcements.announcement_check import KERNEL, LAUNCH, check_announcements
from grader.engines.announcements.barrier_paths import barrier_paths
from grader.engines.announcements.object_proof import Entry
from grader.engines.checks.attribution import names_the_text
from grader.engines.checks.entry_points import (
    USE_FILE,
    EntryPoints,
    EntrySignatures,
    entry_points,
    function_at,
    function_of,
    missing_names,
    name_of,
    use_of,
    used_kernel,
    wrong_signatures,
)
from grader.engines.checks.gimple_scan import scan_gimple
from grader.engines.checks.ir_scan import scan_ir
from grader.engines.checks.line_markers import hand_written_marker
from grader.engines.checks.object_check import check_object
from grader.engines.checks.token_scan import scan
from grader.engines.checks.variable_arrays import variable_array
from grader.engines.clang_ir.ir_rewriting import rewritten
from grader.engines.clang_ir.lambda_marks import unmarked_lambdas
from grader.engines.cpu.alignment_first import with_alignment_first
from grader.engines.cpu.build_steps import BuildSteps, TooLongError, refuse
from grader.engines.cpu.compiled_object import CompiledObject, dynamic_arrays, misplaced
from grader.engines.cpu.cpu_toolchain import PLAIN, CpuToolchain
from grader.engines.cpu.guard_space import spread_variables
from grader.engines.cpu.local_guards import probably_has_guards, with_guards
from grader.engines.cpu.object_rewrite import argument_file, globalize_arguments, rewrite_arguments
from grader.engines.cpu.runner_image import CodeLayout, Variables, shared_assembly, write_image
from grader.engines.inline_ptx.asm_statements import rewrite_assembly
from grader.engines.machine_model.code_object import read_code
from grader.engines.object_code.assembly import calls_of
from grader.engines.object_code.code_loops import loop_addresses
from grader.engines.object_code.debug_info import SharedArray, read_debug_info
from grader.engines.object_code.object_file import ObjectFile, read_object
from grader.engines.refusal import BuildFaultError, Refusal
from grader.engines.text_changes.kernel_returns import with_marked_returns
from grader.engines.text_changes.launch_statements import WithLaunches, with_launch_calls
from grader.model.verdicts import Verdict
from grader.sandbox import Confinement

MAX_LOG = 8_000  # characters
_MOST_CHARACTERS = 32 << 10  # of one command; a shell takes 128 KiB for all of them
_JUMP = re.compile(r"\b(?:goto|switch)\b")
_TOO_LONG = "The file is too large when it is compiled."
# What may be raised when an unusual object is read.
_UNREADABLE = (
    ELFError,
    DWARFError,
    KeyError,
    IndexError,
    ValueError,
    struct.error,
)


@dataclass(frozen=True)
class CpuBuild:
    """The result: a runner and its image, or why there is none."""

    runner: Path | None = None
    image: Path | None = None
    refusals: tuple[Refusal, ...] = ()
    log: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class _Announced:
    """The object file in which every access is announced, or why there is none."""

    assembly: str
    object: ObjectFile
    refusal: Refusal | None
    argument_bytes: int = 0
    targets: tuple[str, ...] = ()
    library_targets: tuple[str, ...] = ()


def build_for_cpu(  # noqa: PLR0913 - the tools, where it lies, what it must hold
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
    (folder / source.name).write_text(_defining(definitions) + text, encoding="utf-8")
    steps = BuildSteps(toolchain, confinement, folder, source.name, headers, scanned)
    try:
        refusals = _build(steps, text, entries)
    except TooLongError as error:
        refusals = refuse(str(error))
    except BuildFaultError as error:
        refusals = (Refusal(Verdict.INTERNAL_ERROR, 0, f"building failed on our side: {error}"),)
    log = "\n".join(steps.log)
    log = log if len(log) <= MAX_LOG else log[:MAX_LOG] + "\n…"
    seconds = time.monotonic() - began
    if refusals:
        return CpuBuild(refusals=refusals, log=log, seconds=seconds)
    return CpuBuild(folder / "runner", folder / "image.json", log=log, seconds=seconds)


def _defining(definitions: Sequence[str]) -> str:
    """Lines before the text, which begins with line 1 all the same. The text itself may hold no line marker."""
    lines = [
        f"#define {name} {value if equals else 1}\n"
        for name, equals, value in (one.partition("=") for one in definitions)
    ]
    return "".join([*lines, "#line 1\n"] if lines else [])


def _preprocessed(steps: BuildSteps) -> str:
    preprocessed = steps.text("scanned.ii", "The file is too large when its #include lines are expanded.")
    if steps.toolchain.is_clang:
        preprocessed = unmarked_lambdas(preprocessed)
        (steps.folder / "scanned.ii").write_text(preprocessed, encoding="utf-8")
    if not steps.toolchain.has_prelude(preprocessed):
        message = "the compiler did not take the kit's precompiled header"
        raise BuildFaultError(message)
    return preprocessed


def _build(steps: BuildSteps, text: str, entries: EntrySignatures) -> tuple[Refusal, ...]:
    if marker := hand_written_marker(text):
        message = "A line marker (#line) would make the report show the wrong lines of your file."
        return (Refusal(Verdict.REJECTED, marker, message, "Remove the line marker."),)
    # GCC compiles the expanded text in the same sandbox, before it is scanned: a second sandbox would cost more. Compiling runs none of it.
    one_sandbox = not (steps.toolchain.is_clang or entries.by_name or probably_has_guards(text))
    compile_too = steps.toolchain.compile("scanned.ii", "submission.o") if one_sandbox else []
    succeeded = steps.run(steps.toolchain.preprocess(steps.name, "scanned.ii"), *compile_too)
    if not succeeded and not (one_sandbox and steps.first_step_succeeded()):
        return steps.failed()
    preprocessed = _preprocessed(steps)
    submitted = steps.toolchain.after_prelude(preprocessed, steps.name)
    if steps.scanned:
        refusal, text_with_calls = _scanned(steps, submitted)
        if refusal:
            return (refusal,)
        if text_with_calls != submitted:  # what was compiled is another text
            preprocessed = preprocessed.removesuffix(submitted) + text_with_calls
            submitted = text_with_calls
            steps.forget()
            one_sandbox = False
    marked = preprocessed.removesuffix(submitted)
    launching = WithLaunches(with_guards(submitted, steps.name, str(steps.folder)))
    if entries.by_name:
        launching = with_launch_calls(launching.text, steps.name, str(steps.folder))
    marked += with_marked_returns(launching.text, [entries.kernel, *launching.kernels], steps.name, str(steps.folder))
    use = f"\n{use_of(entries.kernel, entries.functions)}" if entries.by_name else ""
    try:
        if one_sandbox and (marked == preprocessed or not succeeded):
            compiled = succeeded
        else:
            known = len(steps.log)
            (steps.folder / "scanned.ii").write_text(marked + use, encoding="utf-8")
            compiled = _compile(steps)
            if one_sandbox and compiled:
                del steps.log[known:]  # it said the same the first time
        return _link(steps, text, marked, entries) if compiled else steps.failed()
    except _UNREADABLE as error:
        message = f"the object file cannot be read: {type(error).__name__}: {error}"
        raise BuildFaultError(message) from error


def _scanned(steps: BuildSteps, submitted: str) -> tuple[Refusal | None, str]:
    """Why the text is not compiled, if it is not; and the text with calls in the place of its inline PTX, as C++ wants it."""
    folder = str(steps.folder)
    rewritten_text = rewrite_assembly(submitted, steps.name, folder)
    assembly = {**dict.fromkeys(rewritten_text.understood), **rewritten_text.refusals}
    return scan(submitted, steps.name, folder, assembly), with_alignment_first(rewritten_text.text)


def _compile(steps: BuildSteps) -> bool:
    """Compiles the scanned text. With Clang, the dump is rewritten before its passes run."""
    parse, *others = steps.toolchain.compile("scanned.ii", "submission.o")
    if not steps.run(parse):
        return False
    if others:
        dump = steps.text(steps.toolchain.dump, _TOO_LONG)
        (steps.folder / steps.toolchain.dump).write_text(rewritten(dump), encoding="utf-8")
    return all(steps.run(command) for command in others)


def _refusal_of_dump(steps: BuildSteps, found: EntryPoints) -> Refusal | None:
    """The first reason not to trust the compiler's instrumentation of the file, taken from its dump."""
    dump = steps.text(steps.toolchain.dump, _TOO_LONG)
    if found_array := variable_array(dump, steps.name):
        return found_array
    trusted = [str(path) for path in steps.toolchain.includes]
    if not steps.toolchain.is_clang:
        return scan_gimple(dump, steps.name, trusted)
    plain = steps.toolchain.prelude.with_name(PLAIN).read_text(encoding="utf-8")
    return scan_ir(dump, plain, steps.name, trusted, {symbol.name for symbol in found.all})


def _link(steps: BuildSteps, text: str, preprocessed: str, entries: EntrySignatures) -> tuple[Refusal, ...]:
    obj, found = _compiled(steps, preprocessed, entries)
    if missing := missing_names(obj, found, entries, text):
        return missing
    own = (steps.folder / "submission.s").exists()
    assembly = steps.text("submission.s" if own else "scanned.s", _TOO_LONG)
    refusal = _refusal_of_dump(steps, found) or check_object(obj, found, calls_of(assembly, steps.name))
    if refusal:
        return (refusal,)
    entered = dict.fromkeys((symbol.name for symbol in found.kernels), KERNEL)
    entered |= dict.fromkeys((symbol.name for symbol in found.launches), LAUNCH)
    passed = [symbol.name for symbol in found.functions]
    if len(passed) < len(entries.functions):
        what = f"One of {', '.join(entries.functions)} is no function that the file defines."
        return (Refusal(Verdict.COMPILE_ERROR, 0, what, "Name a __device__ function of the file."),)
    announced = _announced(steps, assembly, obj, entered, passed)
    if announced.refusal:
        return (announced.refusal,)
    assembly, obj = announced.assembly, announced.object
    dynamic = dynamic_arrays(obj)
    rooms = spread_variables(steps.folder / "submission.o")
    (steps.folder / "shared.s").write_text(shared_assembly(dynamic), encoding="utf-8")
    roots = [symbol.name for symbol in found.all]
    hidden = [symbol.name for symbol in found.all if not symbol.is_global]
    objcopy = steps.toolchain.objcopy
    commands = [globalize_arguments(objcopy, hidden, "submission.o")] if hidden else []
    commands.append(rewrite_arguments(objcopy, obj.sections, roots, "submission.o"))
    commands.append(steps.toolchain.link(["submission.o", "shared.s"], roots, "runner"))
    if not steps.run(*(_shortened(steps, number, command) for number, command in enumerate(commands))):
        steps.break_off("the linker")
    compiled = CompiledObject(
        obj,
        found,
        preprocessed,
        assembly,
        frozenset(entered),
        rooms,
        announced.argument_bytes,
        announced.targets,
        announced.library_targets,
        tuple(zip(entries.functions, passed, strict=True)),
    )
    return _describe(steps, text, entries, compiled)


def _shortened(steps: BuildSteps, number: int, command: list[str]) -> list[str]:
    """The command, or where it is too long for a command line, one that reads its arguments from a file."""
    if sum(map(len, command)) < _MOST_CHARACTERS:
        return command
    name = f"arguments.{number}"
    (steps.folder / name).write_text(argument_file(command), encoding="utf-8")
    return [command[0], f"@{name}"]


def _announced(
    steps: BuildSteps, assembly: str, obj: ObjectFile, entered: Mapping[str, Entry], passed: Sequence[str]
) -> _Announced:
    """With a call before each access that nothing announced; what comes of it is assembled and held to the same proof."""
    checked = check_announcements(read_code(steps.folder / "submission.o"), assembly, entered, steps.name, passed)
    if checked.refusal or not checked.assembly:
        return _Announced(
            assembly, obj, checked.refusal, checked.argument_bytes, checked.targets, checked.library_targets
        )
    (steps.folder / "announced.s").write_text(checked.assembly, encoding="utf-8")
    if not steps.run(steps.toolchain.assemble("announced.s", "submission.o")):
        return _Announced(assembly, obj, _beyond_proof())
    again = check_announcements(read_code(steps.folder / "submission.o"), checked.assembly, entered, steps.name, passed)
    refusal = again.refusal or (_beyond_proof() if again.assembly else None)
    obj = read_object(steps.folder / "submission.o")
    return _Announced(checked.assembly, obj, refusal, again.argument_bytes, again.targets, again.library_targets)


def _beyond_proof() -> Refusal:
    what = (
        "The CPU executor cannot follow every access that the compiler made of this file: it has to be graded on a GPU."
    )
    return Refusal(Verdict.NEEDS_GPU, 0, what)


def _compiled(steps: BuildSteps, preprocessed: str, entries: EntrySignatures) -> tuple[ObjectFile, EntryPoints]:
    """Reads the object. An inline or constexpr launch function is compiled only if it is used, so where it is missing, a use is added."""
    obj = read_object(steps.folder / "submission.o")
    if entries.by_name:
        return obj, used_kernel(obj, len(entries.functions))
    found = entry_points(obj, entries)
    if entries.launch is None or found.launches or name_of(entries.launch) not in preprocessed:
        return obj, found
    name, parameters = name_of(entries.launch), entries.launch.removeprefix(name_of(entries.launch))
    use = f'# 1 "{USE_FILE}"\n__attribute__((used)) static LaunchConfig (*const the_launch_function){parameters} = {name};\n'
    (steps.folder / "scanned.ii").write_text(f"{preprocessed}\n{use}", encoding="utf-8")
    known = len(steps.log)
    if _compile(steps):
        obj = read_object(steps.folder / "submission.o")
    elif not names_the_text("\n".join(steps.log[known:]), {USE_FILE, steps.name, *steps.headers}, []):
        steps.break_off("the compiler")
    del steps.log[known:]  # it is about a line that the author never wrote
    return obj, entry_points(obj, entries)


def _describe(steps: BuildSteps, text: str, entries: EntrySignatures, compiled: CompiledObject) -> tuple[Refusal, ...]:
    block_offsets = compiled.object.block_offsets
    info = read_debug_info(steps.folder / "runner", steps.name, headers=steps.headers)
    kernel, launch = function_of(info.functions, entries.kernel), function_of(info.functions, entries.launch)
    if entries.by_name:
        kernel = function_at(info.functions, info.addresses.get(compiled.found.kernels[0].name, 0))
    if kernel is None or (entries.launch and launch is None):
        return wrong_signatures(info.functions, entries, text)
    proved = {info.addresses.get(name) for name in compiled.entered}
    if kernel.first not in proved or (launch and launch.first not in proved):
        return (_beyond_proof(),)
    if refusal := misplaced(steps, text, compiled, info, (kernel, launch), entries):
        return (refusal,)
    known = {array.symbol for array in info.shared}
    offset = info.offsets["tilelab_dynamic_shared"]
    constant = next(
        (array.name for array in info.shared if not array.dynamic and array.element.endswith(" const")), None
    )
    if constant:  # GCC does not announce reads of it
        message = f"`{constant}` is __shared__ and const: no thread could ever write to it."
        return (Refusal(Verdict.REJECTED, 0, message, "Remove the const."),)
    info.shared.extend(
        SharedArray(name, name, offset, 0, "float", 4, (), dynamic=True)
        for name in dynamic_arrays(compiled.object)
        if name not in known
    )
    passed = {name: info.addresses[symbol] for name, symbol in compiled.passed}
    targets = sorted(info.addresses[name] for name in compiled.targets)
    loops = loop_addresses(compiled.assembly, block_offsets, info.addresses)
    reached = {symbol.name for symbol in compiled.object.symbols if symbol.kind == "STT_FUNC"}
    barriers = barrier_paths(read_code(steps.folder / "submission.o"), info.addresses, loops, reached)
    layout = CodeLayout(
        offset,
        compiled.static_shared_bytes,
        loops,
        compiled.argument_bytes,
        targets,
        barriers,
        passed,
        Variables(compiled.rooms, compiled.constants),
        compiled.launches_children,
        compiled.library_targets,
        jumps=_JUMP.search(text) is not None,
    )
    write_image(steps.folder / "image.json", info, source=text, entries=(kernel, launch), layout=layout)
    return ()
