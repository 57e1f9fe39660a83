"""Builds the host side of a program: preprocess, put stubs in the place of kernels, compile, link. Everything runs confined.

What is missing is refused by name. A header that is not here goes first, as in `tilelab check`: it may not be needed.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from grader.engines.build_steps import MAX_TEXT_BYTES, names_the_text, used_up
from grader.engines.token_scan import too_long, too_much
from grader.model.verdicts import Verdict
from grader.run.kernels.kernel_source import INCLUDE, KernelSource, stand_in
from grader.run.programs.host_refusals import HostRefusal, library_of_header, refusals_of_errors, undefined_names
from grader.run.programs.host_text import host_text, read_only_parameters
from grader.run.programs.host_toolchain import HostToolchain
from grader.run.programs.program_source import ProgramSource, companions_of, flat_texts
from grader.source.bare_code import hand_written_marker
from grader.system.confined_run import Finished, run_confined
from grader.system.confinement import Confinement, Limits

_LIMITS = Limits(
    cpu_seconds=60, wall_seconds=240, memory_bytes=3 << 30, processes=64, file_bytes=256 << 20, open_files=256
)
_MISSING = re.compile(r"^(?:\./)?([^:\n]+):(\d+):(?:\d+:)? fatal error: (\S+): No such file or directory", re.MULTILINE)
_UNUSED = re.compile(
    r"^(?:\./)?([^:\n]+):(\d+):\d+: warning: ignoring return value of "
    r"[^\n]*?(\w+)\([^\n]*\[-Wunused-result\]",
    re.MULTILINE,
)
_OPENMP = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<omp\.h>", re.MULTILINE)
_OF_ASM = re.compile(r"Assembler messages:\n(?:[^\n]*\n)*?[^\n]*\bError: ([^\n]+)")
_OF_A_UNIT = re.compile(r"\bunit\d+\.o\b|relocation truncated to fit")
_RUNS_FUNCTIONS = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<(?:thrust|cub)/", re.MULTILINE)
_MOST_ROUNDS = 16
_BEFORE = "tilelab_before.inc"
_FOR_DEVICE = "tilelab_device.inc"
DEVICE_ARCH = 900  # what a program's kernels are told by __CUDA_ARCH__: its device has compute capability 9.0


class MissingHeader(NamedTuple):
    """A header that was not found. Its line was left out."""

    file: str
    line: int
    header: str


@dataclass(frozen=True)
class UnusedResult:
    """A call whose error nobody looks at."""

    file: str
    line: int
    call: str


@dataclass(frozen=True)
class TextFrame:
    """Text of ours around that of a program's main file, for the compiler of host code alone. Whole lines. `before` is a file of its own,
    so that what the compiler shows of the first line is the file's.
    """

    before: str = ""
    behind: str = ""

    def followed(self, text: str) -> str:
        """A backslash at the end of the file joins no line of ours."""
        return text + (f"\n\n{self.behind}" if self.behind else "")


_NO_FRAME = TextFrame()


@dataclass
class HostBuild:
    source: ProgramSource  # with the companions that were needed
    program: Path | None = None
    refusals: tuple[HostRefusal, ...] = ()
    unused: list[UnusedResult] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)  # descriptions
    missing: list[MissingHeader] = field(default_factory=list)
    only_read: dict[str, frozenset[str]] = field(default_factory=dict)  # see read_parameters.py
    log: str = ""


@dataclass
class _Work:
    """One build in one folder, with a folder for each source."""

    toolchain: HostToolchain
    confinement: Confinement
    folder: Path
    definitions: Sequence[str]
    frame: TextFrame
    made: HostBuild
    framed: str  # the main file's name

    @property
    def openmp(self) -> bool:
        return any(_OPENMP.search(text) for text in self.made.source.texts.values())

    def run(self, commands: Sequence[list[str]], cwd: Path) -> Finished:
        argv = commands[0] if len(commands) == 1 else ["sh", "-c", " && ".join(map(shlex.join, commands))]
        return run_confined(
            self.confinement,
            [*self.toolchain.home.before, *argv],
            readable=self.toolchain.readable,
            writable=[self.folder],
            limits=_LIMITS,
            profile="build",
            cwd=cwd,
        )

    @property
    def output(self) -> str:
        """The program sees its file's name as its own."""
        return f"run/{Path(self.framed).stem or 'program'}"

    @property
    def options(self) -> list[str]:
        return [*(f"-D{one}" for one in self.definitions), *(["-fopenmp"] if self.openmp else [])]


def build_host(
    toolchain: HostToolchain,
    confinement: Confinement,
    source: ProgramSource,
    folder: Path,
    definitions: Sequence[str],
    frame: TextFrame = _NO_FRAME,
) -> HostBuild:
    """`folder`: an empty one of the caller's, where the program comes to lie. `definitions`: macros, as -D takes them. `frame`: text around
    the main file's.
    """
    made = HostBuild(source)
    work = _Work(toolchain, confinement, folder, definitions, frame, made, source.main.name)
    for number, unit in enumerate(source.units):
        if refusals := _compiled(work, unit, number):
            made.refusals = refusals
            return made
    made.refusals = _linked(work, len(source.units))
    if made.refusals and (more := companions_of(source)):
        wider = ProgramSource((*source.units, *more))
        tries = [_compiled(work, unit, len(source.units) + number) for number, unit in enumerate(more)]
        if not any(tries) and not _linked(work, len(wider.units)):
            made.source, made.refusals = wider, ()
    made.program = None if made.refusals else folder / work.output
    made.unused = list(dict.fromkeys(made.unused))
    return made


def _compiled(work: _Work, unit: KernelSource, number: int) -> tuple[HostRefusal, ...]:
    """Compiles one source to an object file beside its folder."""
    folder = work.folder / f"unit{number}"
    texts = flat_texts(unit)
    _leave_out_libraries(work, texts)
    for name, text in texts.items():
        if refusal := too_long(text):
            return (HostRefusal(name, refusal.line, refusal.message),)
        if marker := hand_written_marker(text):
            message = "A line marker (#line) would make every finding show wrong lines. Remove it."
            return (HostRefusal(name, marker, message),)
    for _ in range(_MOST_ROUNDS):
        _write(work, folder, texts)
        before = _BEFORE if unit.name == work.framed and work.frame.before else ""
        plain = not before and _is_plain(work, unit.name, texts)
        command = work.toolchain.preprocess(unit.name, "expanded.ii", work.options, before, plain=plain)
        finished = work.run([command], folder)
        log = _log(finished, work)
        absent = _MISSING.search(log) if finished.returncode else None
        if not absent or absent[1] not in texts:
            break
        _leave_out(work, texts, absent[1], int(absent[2]), absent[3])
    if finished.returncode == 0:
        expanded = folder / "expanded.ii"
        if expanded.is_symlink() or expanded.stat().st_size > MAX_TEXT_BYTES:
            return (HostRefusal(unit.name, 0, "The file is too large when its #include lines are expanded."),)
        text = expanded.read_text(encoding="utf-8", errors="replace")
        if refusal := too_much(text, unit.name):
            return (HostRefusal(unit.name, refusal.line, refusal.message),)
        _note_read_parameters(work, unit, _device_text(work, unit, folder, texts, text))
        finished, log = _compiled_text(work, unit, number, text)
    work.made.unused += [UnusedResult(file, int(line), call) for file, line, call in _UNUSED.findall(log)]
    if finished.returncode == 0:
        return ()
    work.made.log = "\n".join(filter(None, (work.made.log, log)))
    return _why(work, unit, finished, log)


def _is_plain(work: _Work, name: str, texts: Mapping[str, str]) -> bool:
    """Whether a source is C++ without any of CUDA's headers. It may have functions of its own that CUDA has too, as `umin`."""
    if Path(name).suffix not in {".cpp", ".cc", ".cxx"}:
        return False
    included = (match["angled"] or match["quoted"] for text in texts.values() for match in INCLUDE.finditer(text))
    return not any(header not in texts and work.toolchain.has(header) for header in included)


def _device_text(work: _Work, unit: KernelSource, folder: Path, texts: Mapping[str, str], expanded: str) -> str:
    """What the kernels are compiled from: another text than the host's where one asks for which side it is. Empty: it is not known."""
    if not any("CUDA_ARCH" in text for text in texts.values()):
        return expanded
    (folder / _FOR_DEVICE).write_text(f"{work.frame.before}\n#define __CUDA_ARCH__ {DEVICE_ARCH}\n", encoding="utf-8")
    finished = work.run([work.toolchain.preprocess(unit.name, "device.ii", work.options, _FOR_DEVICE)], folder)
    device = folder / "device.ii"
    if finished.returncode or device.is_symlink() or not device.is_file() or device.stat().st_size > MAX_TEXT_BYTES:
        return ""
    return device.read_text(encoding="utf-8", errors="replace")


def _note_read_parameters(work: _Work, unit: KernelSource, device_text: str) -> None:
    for kernel, names in read_only_parameters(device_text, unit.name).items():
        work.made.only_read[kernel] = work.made.only_read.get(kernel, names) & names


def _compiled_text(work: _Work, unit: KernelSource, number: int, expanded: str) -> tuple[Finished, str]:
    """Functions of the device keep their bodies where a library runs them on the host, unless the host's compiler refuses them."""
    folder = work.folder / f"unit{number}"
    runs_here = any(_RUNS_FUNCTIONS.search(text) for text in unit.texts.values())
    for keeps in (True, False) if runs_here else (False,):
        text = host_text(expanded, unit.name, keeps_device_bodies=keeps)
        (folder / "host.ii").write_text(text, encoding="utf-8")
        finished = work.run([work.toolchain.compile("host.ii", f"../unit{number}.o", work.options)], folder)
        if finished.returncode == 0:
            break
    return finished, _log(finished, work)


def _write(work: _Work, folder: Path, texts: dict[str, str]) -> None:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        whole = work.frame.followed(text) if name == work.framed else text
        (folder / name).write_text(whole, encoding="utf-8")
    (folder / _BEFORE).write_text(work.frame.before, encoding="utf-8")


def _leave_out_libraries(work: _Work, texts: dict[str, str]) -> None:
    """A machine with a CUDA toolkit has headers of its libraries, and their types are not those of the kit."""
    for name, text in list(texts.items()):
        for match in INCLUDE.finditer(text):
            header = match["angled"] or match["quoted"]
            if header not in texts and library_of_header(header) and not work.toolchain.has(header):
                _leave_out(work, texts, name, text.count("\n", 0, match.start(match.lastgroup or 0)) + 1, header)


def _leave_out(work: _Work, texts: dict[str, str], name: str, line: int, header: str) -> None:
    lines = texts[name].split("\n")
    lines[line - 1] = stand_in(header)
    texts[name] = "\n".join(lines)
    work.made.left_out.append(f"{name}:{line}: #include of {header}, which was not found")
    work.made.missing.append(MissingHeader(name, line, header))


def _log(finished: Finished, work: _Work) -> str:
    text = (finished.stderr + finished.stdout).decode("utf-8", "replace")
    return text.replace(f"{work.folder}/", "")


def _why(work: _Work, unit: KernelSource, finished: Finished, log: str) -> tuple[HostRefusal, ...]:
    if limit := used_up(finished, _LIMITS, log):
        return (HostRefusal(unit.name, 0, f"The compiler was stopped: it needed more than {limit} for {unit.name}."),)
    if match := _OF_ASM.search(log):  # of asm() in the text: the compiler's own assembly has no mistakes
        return (HostRefusal(unit.name, 0, f"The assembler says of an asm statement: {match[1].strip()[:200]}"),)
    refusals = refusals_of_errors(log, unit, work.made.missing)
    ours = [str(folder) for folder in work.toolchain.includes]
    is_theirs = names_the_text(log, unit.texts, ours)
    return refusals if is_theirs else tuple(replace(one, verdict=Verdict.INTERNAL_ERROR) for one in refusals)


def _linked(work: _Work, units: int) -> tuple[HostRefusal, ...]:
    (work.folder / "run").mkdir(exist_ok=True)
    objects = [f"unit{number}.o" for number in range(units)]
    finished = work.run([work.toolchain.link(objects, work.output, work.options)], work.folder)
    log = _log(finished, work)
    undefined = undefined_names(log)
    if finished.returncode == 0 and not undefined:
        return ()
    work.made.log = "\n".join(filter(None, (work.made.log, log)))
    if undefined:
        return undefined
    if limit := used_up(finished, _LIMITS, log):
        return (HostRefusal("", 0, f"The linker was stopped: it needed more than {limit}."),)
    if "relocation truncated to fit" in log:
        return (HostRefusal("", 0, "The program cannot be linked: its global or static arrays need more than 2 GiB."),)
    said = next((line for line in log.split("\n") if "multiple definition" in line or "error" in line), log[-300:])
    is_theirs = _OF_A_UNIT.search(log) is not None  # a linker names what it was given, also where its text is at fault
    verdict = Verdict.COMPILE_ERROR if is_theirs else Verdict.INTERNAL_ERROR
    return (HostRefusal("", 0, f"The program cannot be linked: {said.strip()[:300]}", verdict),)
