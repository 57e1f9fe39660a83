"""Turns one source file into a runner for the CPU executor: preprocess, scan, compile, check, link, describe.

The compiler, assembler and linker run confined, and the files that they write are read as data. Nothing of the submission runs here.
A failure of the submission is an outcome and no exception. An exception is a failure of ours.
"""

from __future__ import annotations

import re
import shlex
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from elftools.common.exceptions import DWARFError, ELFError

from grader.engines.checks.compiler_errors import compile_errors, was_stopped
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
from grader.engines.clang_ir.ir_rewriting import rewritten
from grader.engines.cpu.cpu_toolchain import PLAIN, CpuToolchain
from grader.engines.cpu.object_rewrite import globalize_arguments, rewrite_arguments
from grader.engines.cpu.runner_image import CodeLayout, shared_assembly, write_image
from grader.engines.object_code.assembly import calls_of
from grader.engines.object_code.code_loops import loop_addresses
from grader.engines.object_code.debug_info import GUARD, SharedArray, read_debug_info
from grader.engines.object_code.object_file import ObjectFile, read_object
from grader.engines.refusal import Refusal
from grader.model.verdicts import Verdict
from grader.sandbox import Confinement, Finished, Limits, run_confined

BUILD_LIMITS = Limits(
    cpu_seconds=10, wall_seconds=60, memory_bytes=2 << 30, processes=64, file_bytes=128 << 20, open_files=256
)
MAX_TEXT_BYTES = 32 << 20  # of preprocessed text, and of assembly; a lab's have some hundred kilobytes
MAX_LOG = 8_000  # characters
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


@dataclass
class _Steps:
    """The steps of one build in one folder."""

    toolchain: CpuToolchain
    confinement: Confinement
    folder: Path
    name: str
    headers: frozenset[str] = frozenset()  # headers of the submission's author
    log: list[str] = field(default_factory=list)
    stopped: str = ""  # why the compiler was killed

    def confined(self, argv: list[str]) -> Finished:
        readable = [*self.toolchain.includes, *self.toolchain.archives, self.toolchain.prelude.parent]
        return run_confined(
            self.confinement,
            argv,
            readable=readable,
            writable=[self.folder],
            limits=BUILD_LIMITS,
            profile="build",
            cwd=self.folder,
        )

    def run(self, *commands: list[str]) -> bool:
        """Runs the commands one by one until one fails. They share a sandbox: starting one costs as much as compiling a small program."""
        command = commands[0] if len(commands) == 1 else ["sh", "-c", " && ".join(map(shlex.join, commands))]
        finished = self.confined(command)
        text = (finished.stderr + finished.stdout).decode("utf-8", "replace").replace(f"{self.folder}/", "")
        if text.strip():
            self.log.append(text.strip())
        if finished.timed_out or was_stopped(finished.returncode, text):
            limits = f"{BUILD_LIMITS.cpu_seconds} seconds or {BUILD_LIMITS.memory_bytes >> 20} MiB"
            self.stopped = f"The compiler was stopped: it needed more than {limits} for {self.name}."
            self.log.append(self.stopped)
        return finished.returncode == 0

    def text(self, name: str) -> str:
        """The text of a file that a step wrote. Empty where it is no regular file, or longer than any lab's."""
        path = self.folder / name
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_TEXT_BYTES:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")

    def failed(self) -> tuple[Refusal, ...]:
        """Why the last step failed: the compiler's errors."""
        errors = compile_errors("\n".join(self.log), self.name)
        return errors or _refuse(self.stopped or "The file does not compile; the compiler's log says why.")


@dataclass(frozen=True)
class _Compiled:
    """Facts that the linked program does not contain."""

    object: ObjectFile
    kernel: str  # its symbol; where there are several versions, the first
    assembly: str
    dynamic: list[str]  # names of `extern __shared__` arrays
    static_shared_bytes: int  # of the arrays that the kernel reaches


def build_for_cpu(
    toolchain: CpuToolchain, confinement: Confinement, source: Path, folder: Path, entries: EntrySignatures
) -> CpuBuild:
    """Builds `source` in `folder`, which may hold headers of the submission and nothing else. The runner and image.json stay there."""
    began = time.monotonic()
    headers = frozenset(path.name for path in folder.iterdir())
    text = source.read_text(encoding="utf-8", errors="replace")
    (folder / source.name).write_text(text, encoding="utf-8")
    steps = _Steps(toolchain, confinement, folder, source.name, headers)
    refusals = _build(steps, text, entries)
    log = "\n".join(steps.log)
    log = log if len(log) <= MAX_LOG else log[:MAX_LOG] + "\n…"
    seconds = time.monotonic() - began
    if refusals:
        return CpuBuild(refusals=refusals, log=log, seconds=seconds)
    return CpuBuild(folder / "runner", folder / "image.json", log=log, seconds=seconds)


def _build(steps: _Steps, text: str, entries: EntrySignatures) -> tuple[Refusal, ...]:
    if marker := hand_written_marker(text):
        message = "A line marker (#line) would make the report show the wrong lines of your file."
        return (Refusal(Verdict.REJECTED, marker, message, "Remove the line marker."),)
    # GCC compiles the expanded text in the same sandbox, before it is scanned: a second sandbox would cost more. Compiling runs none of it.
    one_sandbox = not (steps.toolchain.is_clang or entries.by_name)
    compile_too = steps.toolchain.compile("scanned.ii", "submission.o") if one_sandbox else []
    succeeded = steps.run(steps.toolchain.preprocess(steps.name, "scanned.ii"), *compile_too)
    if not succeeded and not (one_sandbox and (steps.folder / "scanned.ii").is_file()):
        return steps.failed()
    preprocessed = steps.text("scanned.ii")
    if not preprocessed:
        return _refuse("The file is too large when its #include lines are expanded.")
    if refusal := scan(steps.toolchain.after_prelude(preprocessed, steps.name), steps.name, str(steps.folder)):
        return (refusal,)
    if entries.by_name:
        (steps.folder / "scanned.ii").write_text(f"{preprocessed}\n{use_of(entries.kernel)}", encoding="utf-8")
    try:
        compiled = succeeded if one_sandbox else _compile(steps)
        return _link(steps, text, preprocessed, entries) if compiled else steps.failed()
    except _UNREADABLE as error:
        steps.log.append(f"the object file cannot be read: {type(error).__name__}: {error}")
        return (Refusal(Verdict.REJECTED, 0, "The compiled file does not have the form that a kernel compiles to."),)


def _compile(steps: _Steps, run: Callable[[list[str]], bool] | None = None) -> bool:
    """Compiles the scanned text. With Clang, the dump is rewritten before its passes run."""
    run = run or steps.run
    parse, *others = steps.toolchain.compile("scanned.ii", "submission.o")
    if not run(parse):
        return False
    if others:
        dump = steps.text(steps.toolchain.dump)
        (steps.folder / steps.toolchain.dump).write_text(rewritten(dump), encoding="utf-8")
    return all(run(command) for command in others)


def _refusal_of_dump(steps: _Steps, found: EntryPoints) -> Refusal | None:
    """The first reason not to trust the compiler's instrumentation of the file, taken from its dump."""
    dump = steps.text(steps.toolchain.dump)
    if not dump:
        return Refusal(Verdict.COMPILE_ERROR, 0, "The file is too large when it is compiled.")
    trusted = [str(path) for path in steps.toolchain.includes]
    if not steps.toolchain.is_clang:
        return scan_gimple(dump, steps.name, trusted)
    plain = steps.toolchain.prelude.with_name(PLAIN).read_text(encoding="utf-8")
    return scan_ir(dump, plain, steps.name, trusted, {symbol.name for symbol in found.all})


def _link(steps: _Steps, text: str, preprocessed: str, entries: EntrySignatures) -> tuple[Refusal, ...]:
    obj, found = _compiled(steps, preprocessed, entries)
    if missing := missing_names(found, entries, text):
        return missing
    assembly = steps.text("submission.s") or steps.text("scanned.s")
    if not assembly:
        return _refuse("The file is too large when it is compiled.")
    refusal = _refusal_of_dump(steps, found) or check_object(obj, found, calls_of(assembly, steps.name))
    if refusal:
        return (refusal,)
    dynamic = _dynamic_arrays(obj)
    (steps.folder / "shared.s").write_text(shared_assembly(dynamic), encoding="utf-8")
    roots = [symbol.name for symbol in found.all]
    hidden = [symbol.name for symbol in found.all if not symbol.is_global]
    objcopy = steps.toolchain.objcopy
    commands = [globalize_arguments(objcopy, hidden, "submission.o")] if hidden else []
    commands.append(rewrite_arguments(objcopy, obj.sections, roots, "submission.o"))
    commands.append(steps.toolchain.link(["submission.o", "shared.s"], roots, "runner"))
    if not steps.run(*commands):
        return _refuse("The file compiles, but it cannot be linked; the compiler's log says why.")
    compiled = _Compiled(obj, found.kernels[0].name, assembly, dynamic, _static_shared_bytes(obj, found))
    return _describe(steps, text, entries, compiled)


def _compiled(steps: _Steps, preprocessed: str, entries: EntrySignatures) -> tuple[ObjectFile, EntryPoints]:
    """Reads the object. An inline or constexpr launch function is compiled only if it is used, so where it is missing, a use is added."""
    obj = read_object(steps.folder / "submission.o")
    if entries.by_name:
        return obj, used_kernel(obj)
    found = entry_points(obj, entries)
    if entries.launch is None or found.launches or name_of(entries.launch) not in preprocessed:
        return obj, found
    name, parameters = name_of(entries.launch), entries.launch.removeprefix(name_of(entries.launch))
    use = f'# 1 "{USE_FILE}"\n__attribute__((used)) static LaunchConfig (*const the_launch_function){parameters} = {name};\n'
    (steps.folder / "scanned.ii").write_text(f"{preprocessed}\n{use}", encoding="utf-8")
    if _compile(steps, lambda command: steps.confined(command).returncode == 0):
        obj = read_object(steps.folder / "submission.o")
    return obj, entry_points(obj, entries)


def _describe(steps: _Steps, text: str, entries: EntrySignatures, compiled: _Compiled) -> tuple[Refusal, ...]:
    block_offsets = compiled.object.block_offsets
    info = read_debug_info(steps.folder / "runner", steps.name, headers=steps.headers)
    kernel, launch = function_of(info.functions, entries.kernel), function_of(info.functions, entries.launch)
    if entries.by_name:
        kernel = function_at(info.functions, info.addresses.get(compiled.kernel, 0))
    if kernel is None or (entries.launch and launch is None):
        return wrong_signatures(info.functions, entries)
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
        for name in compiled.dynamic
        if name not in known
    )
    loops = loop_addresses(compiled.assembly, block_offsets, info.addresses)
    layout = CodeLayout(offset, compiled.static_shared_bytes, loops)
    write_image(steps.folder / "image.json", info, source=text, entries=(kernel, launch), layout=layout)
    return ()


def _dynamic_arrays(obj: ObjectFile) -> list[str]:
    """The `extern __shared__` arrays. Nothing defines them yet."""
    undefined = {s.name for s in obj.symbols if s.kind == "STT_TLS" and s.undefined}
    return sorted(name for name in undefined if re.fullmatch(r"[A-Za-z_]\w*", name))


def _static_shared_bytes(obj: ObjectFile, found: EntryPoints) -> int:
    """The size of all static arrays that the kernel reaches. A template has one for each instantiation."""
    reached = [obj.symbols[index] for index in obj.reached(found.kernels)]
    arrays = [symbol for symbol in reached if symbol.kind == "STT_TLS" and not symbol.undefined]
    return sum(symbol.size for symbol in arrays if not symbol.name.startswith(GUARD))


def _refuse(message: str) -> tuple[Refusal, ...]:
    return (Refusal(Verdict.COMPILE_ERROR, 0, message),)
