"""Turns one source file into a runner for the CPU executor: preprocess, scan, compile, check, link, describe.

The compiler, assembler and linker run confined; what they leave behind is read as data. Nothing of the submission runs
here. Every failure is an outcome, not an exception; exceptions are ours.
"""

from __future__ import annotations

import re
import struct
import time
from dataclasses import dataclass, field
from pathlib import Path

from elftools.common.exceptions import DWARFError, ELFError, ELFParseError

from grader.engines.assembly import calls_of
from grader.engines.cpu_toolchain import CpuToolchain
from grader.engines.debug_info import DebugInfo, Function, SharedArray, read_debug_info
from grader.engines.device_functions import REDIRECTIONS, UNSUPPORTED_HEADERS, UNSUPPORTED_NAMES
from grader.engines.object_check import EntryPoints, check_object, functions_named
from grader.engines.object_file import ObjectFile, read_object
from grader.engines.refusal import Refusal
from grader.engines.runner_image import shared_assembly, write_image
from grader.engines.token_scan import hand_written_marker, scan
from grader.result import Verdict
from grader.sandbox import Confinement, Finished, Limits, run_confined

BUILD_LIMITS = Limits(cpu_seconds=10, wall_seconds=60, memory_bytes=2 << 30, processes=64, file_bytes=128 << 20, open_files=256)
MAX_TEXT_BYTES = 32 << 20  # of preprocessed text and of assembly: a lab's are some hundred kilobytes
MAX_LOG = 8_000  # characters
_KILLED = re.compile(r"Killed signal terminated program|CPU time limit exceeded|(virtual memory exhausted|out of memory)|memory exhausted")


@dataclass(frozen=True)
class EntrySignatures:
    """Demangled: "scale(float const*, float*, int)". No launch: the caller names the grid."""

    kernel: str
    launch: str | None = None


@dataclass(frozen=True)
class CpuBuild:
    """What came of it: a runner and its image, or why there is none."""

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
    log: list[str] = field(default_factory=list)

    def confined(self, argv: list[str]) -> Finished:
        readable = [*self.toolchain.includes, *self.toolchain.archives, self.toolchain.prelude.parent]
        return run_confined(
            self.confinement, argv, readable=readable, writable=[self.folder], limits=BUILD_LIMITS, profile="build", cwd=self.folder
        )

    def run(self, argv: list[str]) -> bool:
        finished = self.confined(argv)
        text = (finished.stderr + finished.stdout).decode("utf-8", "replace").replace(f"{self.folder}/", "")
        if text.strip():
            self.log.append(text.strip())
        if finished.timed_out or _KILLED.search(text) or finished.returncode in {128 + 9, 128 + 24}:
            self.log.append(f"The compiler was stopped: {self.name} took more than {BUILD_LIMITS.cpu_seconds} seconds or {BUILD_LIMITS.memory_bytes >> 20} MiB to compile.")
        return finished.returncode == 0

    def text(self, name: str) -> str:
        path = self.folder / name
        if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_TEXT_BYTES:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")


def build_for_cpu(toolchain: CpuToolchain, confinement: Confinement, source: Path, folder: Path, entries: EntrySignatures) -> CpuBuild:
    """Builds `source` in the empty folder `folder`; the runner and image.json stay there."""
    began = time.monotonic()
    text = source.read_text(encoding="utf-8", errors="replace")
    (folder / source.name).write_text(text, encoding="utf-8")
    steps = _Steps(toolchain, confinement, folder, source.name)
    refusals = _build(steps, text, entries)
    log = "\n".join(steps.log)
    log = log if len(log) <= MAX_LOG else log[:MAX_LOG] + "\n…"
    seconds = time.monotonic() - began
    if refusals:
        return CpuBuild(refusals=refusals, log=log, seconds=seconds)
    return CpuBuild(folder / "runner", folder / "image.json", log=log, seconds=seconds)


def _build(steps: _Steps, text: str, entries: EntrySignatures) -> tuple[Refusal, ...]:
    if marker := hand_written_marker(text):
        return (Refusal(Verdict.REJECTED, marker, "A line marker would make the report point at other lines than yours.", "Remove the #line."),)
    if not steps.run(steps.toolchain.preprocess(steps.name, "scanned.ii")):
        return _compile_errors(steps)
    preprocessed = steps.text("scanned.ii")
    if not preprocessed:
        return (Refusal(Verdict.COMPILE_ERROR, 0, "The file is too large once its includes are expanded."),)
    if refusal := scan(preprocessed, steps.name):
        return (refusal,)
    if not steps.run(steps.toolchain.compile("scanned.ii", "submission.o")):
        return _compile_errors(steps)
    try:
        return _link(steps, text, entries)
    except (ELFError, ELFParseError, DWARFError, KeyError, IndexError, ValueError, struct.error) as error:
        steps.log.append(f"the object file cannot be read: {type(error).__name__}: {error}")
        return (Refusal(Verdict.REJECTED, 0, "The compiled file is not what a kernel compiles to."),)


def _link(steps: _Steps, text: str, entries: EntrySignatures) -> tuple[Refusal, ...]:
    obj = read_object(steps.folder / "submission.o")
    names = [signature.split("(")[0] for signature in (entries.kernel, entries.launch) if signature]
    found = EntryPoints(functions_named(obj, names[0]), functions_named(obj, names[1]) if entries.launch else ())
    if missing := _missing_names(found, entries, text):
        return missing
    calls = calls_of(steps.text("submission.s") or steps.text("scanned.s"), steps.name)
    if refusal := check_object(obj, found, calls):
        return (refusal,)
    dynamic = sorted({s.name for s in obj.symbols if s.kind == "STT_TLS" and s.undefined and re.fullmatch(r"[A-Za-z_]\w*", s.name)})
    (steps.folder / "shared.s").write_text(shared_assembly(dynamic), encoding="utf-8")
    roots = [symbol.name for symbol in found.all]
    if not steps.run(_rewrite(obj, roots)) or not steps.run(steps.toolchain.link(["submission.o", "shared.s"], roots, "runner")):
        return (Refusal(Verdict.COMPILE_ERROR, 0, "The file compiles, but does not link."),)
    info = read_debug_info(steps.folder / "runner", steps.name)
    kernel, launch = _function(info, entries.kernel), _function(info, entries.launch) if entries.launch else None
    if kernel is None or (entries.launch and launch is None):
        return tuple(_wrong_signatures(info, entries))
    known = {array.symbol for array in info.shared}
    offset = info.offsets["tilelab_dynamic_shared"]
    unnamed = [SharedArray(name, name, offset, 0, "float", 4, (), dynamic=True) for name in dynamic if name not in known]
    reached = obj.reached(list(found.kernels))
    static_bytes = sum(obj.symbols[i].size for i in reached if obj.symbols[i].kind == "STT_TLS" and not obj.symbols[i].undefined)
    info.shared.extend(unnamed)
    write_image(steps.folder / "image.json", info, source=text, kernel=kernel, launch=launch, dynamic_offset=offset, static_shared_bytes=static_bytes)
    return ()


def _rewrite(obj: ObjectFile, roots: list[str]) -> list[str]:
    """objcopy's arguments: only the entry points stay visible (nothing of the kit's can be replaced), no constructor is
    left, silent copies go through us, and data lands in sections whose bounds the linker names."""
    argv = ["objcopy", "--remove-section=.init_array*", "--remove-section=.rela.init_array*"]
    for name, replacement in REDIRECTIONS.items():
        argv.append(f"--redefine-sym={name}={replacement}")
    for section in sorted(set(obj.sections)):
        for prefix, target in ((".rodata", "tlrodata"), (".data", "tldata"), (".bss", "tlbss")):
            if section == prefix or section.startswith(prefix + "."):
                argv.append(f"--rename-section={section}={target}")
    for root in roots:
        argv.append(f"--keep-global-symbol={root}")
    return [*argv, "submission.o"]


def _function(info: DebugInfo, signature: str) -> Function | None:
    fitting = [f for f in info.functions if f.signature == signature and f.in_submission]
    return fitting[0] if fitting else None


def _missing_names(found: EntryPoints, entries: EntrySignatures, text: str) -> tuple[Refusal, ...]:
    missing = []
    if not found.kernels:
        missing.append(_missing(f"There is no kernel `__global__ void {_in_c(entries.kernel)}`.", "Keep the name and the parameters of the starter file."))
    elif "__global__" not in text:
        missing.append(_missing(f"`{entries.kernel.split('(')[0]}` is not a kernel: it lacks `__global__`.", "Put __global__ before it, as in the starter file."))
    if entries.launch and not found.launches:
        missing.append(_missing(f"There is no launch function `LaunchConfig {_in_c(entries.launch)}`.", "It answers the grid and the block your kernel wants."))
    return tuple(missing)


def _wrong_signatures(info: DebugInfo, entries: EntrySignatures) -> list[Refusal]:
    refusals = []
    for signature in (entries.kernel, entries.launch):
        if not signature or _function(info, signature):
            continue
        name = signature.split("(")[0]
        others = [_in_c(f.signature) for f in info.functions if f.name == name]
        what = f"`{name}` has other parameters than the lab asks for: expected `{_in_c(signature)}`, found `{'`, `'.join(others) or 'none'}`."
        refusals.append(_missing(what, "Keep the name and the parameters of the starter file."))
    return refusals


def _missing(message: str, advice: str) -> Refusal:
    return Refusal(Verdict.MISSING_ENTRY_POINT, 0, message, advice)


def _in_c(signature: str) -> str:
    """ "f(float const*)" as people write it: "f(const float*)"."""
    return re.sub(r"(\w+) const\b", r"const \1", signature)


def _compile_errors(steps: _Steps) -> tuple[Refusal, ...]:
    """The compiler's errors in the submission itself, at most three."""
    log = "\n".join(steps.log)
    pattern = re.compile(rf"^(?:\./)?{re.escape(steps.name)}:(\d+):(?:\d+:)? (?:fatal )?error: (.*)$", re.MULTILINE)
    said = [(int(match[1]), match[2]) for match in pattern.finditer(log)]
    for line, message in said:
        if what := _needs_a_gpu(message):
            return (Refusal(Verdict.NEEDS_GPU, line, f"The CPU executor does not know {what}: this file has to be graded on a GPU."),)
    errors = [Refusal(Verdict.COMPILE_ERROR, line, f"The compiler says: {message}", _hint(log, message)) for line, message in said[:3]]
    stopped = [line for line in steps.log if line.startswith("The compiler was stopped")]
    return tuple(errors) or (Refusal(Verdict.COMPILE_ERROR, 0, stopped[0] if stopped else "The file does not compile; the log says why."),)


def _needs_a_gpu(message: str) -> str | None:
    header = re.match(r"(\S+): No such file or directory", message)
    if header and UNSUPPORTED_HEADERS.fullmatch(header[1]):
        return f"<{header[1]}>"
    name = re.match(r"[‘'](?:::)?(\w+)(?:::\w+)*[’'] (?:was not declared|does not name a type|has not been declared|is not a namespace-name)", message)
    return f"`{name[1]}`" if name and UNSUPPORTED_NAMES.fullmatch(name[1]) else None


def _hint(log: str, message: str) -> str:
    if re.search(r"<<<|expected primary-expression before [‘']<[’']", log):
        return "A launch with <<<…>>> and other host code does not belong in this file: only the kernel, its helpers and the launch function."
    if re.search(r"[‘']cuda(Malloc|Memcpy|Free|Device|Event|Stream|GetLast|Error)\w*[’']", message):
        return "This is host code: the grader allocates, copies and launches. Hand in the kernel, its helpers and the launch function."
    return ""
