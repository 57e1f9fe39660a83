"""Builds the host side of a program: preprocess, put stubs in the place of kernels, compile, link. Everything runs confined.

What is missing is refused by name. A header that is not here goes first, as in `tilelab check`: it may not be needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from grader.engines.build_steps import MAX_TEXT_BYTES, WHEN_EXPANDED, names_the_text, too_large, used_up
from grader.engines.cpu_build import defining
from grader.engines.token_scan import texture_reference, too_long, too_much
from grader.model.verdicts import Verdict
from grader.run.kernels.kernel_source import (
    INCLUDE,
    KernelSource,
    ProgramSource,
    companions_of,
    stand_in,
    with_flat_includes,
    with_line,
)
from grader.run.programs.host_text import host_text, read_only_parameters
from grader.run.programs.host_toolchain import HostToolchain
from grader.source.bare_code import hand_written_marker
from grader.source.compiler_message import Diagnostic, messages
from grader.source.cuda_vocabulary import LATER_HEADERS, absent_header, is_like_cuda
from grader.source.name_sentences import unspaced_literal
from grader.source.student_code import StudentCode, nearest_of_cuda
from grader.system.confined_run import Finished, run_confined
from grader.system.confinement import Confinement, Limits

_LIMITS = Limits(
    "build", cpu_seconds=60, wall_seconds=240, memory_bytes=3 << 30, processes=64, file_bytes=256 << 20, open_files=256
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
    """Whole lines of ours around a program's main file. `before` is a file of its own: the compiler shows the file's own first line."""

    before: str = ""
    behind: str = ""

    def followed(self, text: str) -> str:
        """A backslash at the end of the file joins no line of ours."""
        return text + (f"\n\n{self.behind}" if self.behind else "")


NO_FRAME = TextFrame()


@dataclass
class HostBuild:
    source: ProgramSource  # with the companions that were needed
    program: Path | None = None
    refusals: tuple[HostRefusal, ...] = ()
    unused: list[UnusedResult] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)  # descriptions
    missing: list[MissingHeader] = field(default_factory=list)
    only_read: dict[str, frozenset[str]] = field(default_factory=dict)  # see host_text.py
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

    def run(self, command: list[str], cwd: Path) -> tuple[Finished, str]:
        """With what it said."""
        argv, readable = [*self.toolchain.home.before, *command], self.toolchain.readable
        done = run_confined(self.confinement, argv, readable=readable, writable=[self.folder], limits=_LIMITS, cwd=cwd)
        return done, done.said.replace(f"{self.folder}/", "")

    @property
    def output(self) -> str:
        """The program sees its file's name as its own."""
        return f"run/{Path(self.made.source.main.name).stem or 'program'}"

    @property
    def options(self) -> list[str]:
        openmp = any(_OPENMP.search(text) for text in self.made.source.texts.values())
        return ["-fopenmp"] if openmp else []

    def before(self, unit: str) -> str:
        """Lines of ours before a source."""
        own = self.frame.before if unit == self.made.source.main.name else ""
        return own + defining(self.definitions)


def build_host(
    toolchain: HostToolchain,
    confinement: Confinement,
    source: ProgramSource,
    folder: Path,
    definitions: Sequence[str],
    frame: TextFrame = NO_FRAME,
) -> HostBuild:
    """`folder`: empty; the program comes to lie there. `definitions`: as -D takes them. `frame`: text around the main file's."""
    made = HostBuild(source)
    work = _Work(toolchain, confinement, folder, definitions, frame, made)
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
    texts = with_flat_includes(unit.texts, unit.name)
    _leave_out(work, texts, list(absent_libraries(texts, work.toolchain.has)))
    for name, text in texts.items():
        if refusal := too_long(text):
            return (HostRefusal(name, refusal.line, refusal.message),)
        if marker := hand_written_marker(text):
            message = "A line marker (#line) would make every finding show wrong lines. Remove it."
            return (HostRefusal(name, marker, message),)
    for _ in range(_MOST_ROUNDS):
        _write(work, folder, texts, unit.name)
        before = _BEFORE if work.before(unit.name) else ""
        plain = _is_plain(work, unit.name, texts)
        command = work.toolchain.preprocess(unit.name, "expanded.ii", work.options, before, plain=plain)
        finished, log = work.run(command, folder)
        absent = _MISSING.search(log) if finished.returncode else None
        if not absent or absent[1] not in texts:
            break
        _leave_out(work, texts, [(absent[1], int(absent[2]), absent[3])])
    if finished.returncode == 0:
        expanded = folder / "expanded.ii"
        if trouble := "The compiler left no text." if expanded.is_symlink() else too_large(expanded, WHEN_EXPANDED):
            return (HostRefusal(unit.name, 0, trouble),)
        text = expanded.read_text(encoding="utf-8", errors="replace")
        if refusal := too_much(text, unit.name):
            return (HostRefusal(unit.name, refusal.line, f"{refusal.message} {refusal.advice}"),)
        _note_read_parameters(work, unit, folder, texts, text)
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


def _note_read_parameters(
    work: _Work, unit: KernelSource, folder: Path, texts: Mapping[str, str], expanded: str
) -> None:
    """By what kernels are compiled from: another text where one asks for its side. If that is not known, nothing is noted."""
    if any("CUDA_ARCH" in text for text in texts.values()):
        before = f"{work.before(unit.name)}\n#define __CUDA_ARCH__ {DEVICE_ARCH}\n"
        (folder / _FOR_DEVICE).write_text(before, encoding="utf-8")
        finished, _ = work.run(work.toolchain.preprocess(unit.name, "device.ii", work.options, _FOR_DEVICE), folder)
        device = folder / "device.ii"
        if finished.returncode or device.is_symlink() or not device.is_file() or device.stat().st_size > MAX_TEXT_BYTES:
            return
        expanded = device.read_text(encoding="utf-8", errors="replace")
    for kernel, names in read_only_parameters(expanded, unit.name).items():
        work.made.only_read[kernel] = work.made.only_read.get(kernel, names) & names


def _compiled_text(work: _Work, unit: KernelSource, number: int, expanded: str) -> tuple[Finished, str]:
    """Functions of the device keep their bodies where a library runs them on the host, unless the host's compiler refuses them."""
    folder = work.folder / f"unit{number}"
    runs_here = any(_RUNS_FUNCTIONS.search(text) for text in unit.texts.values())
    for keeps in (True, False) if runs_here else (False,):
        text = host_text(expanded, unit.name, keeps_device_bodies=keeps)
        (folder / "host.ii").write_text(text, encoding="utf-8")
        finished, log = work.run(work.toolchain.compile("host.ii", f"../unit{number}.o", work.options), folder)
        if finished.returncode == 0:
            break
    return finished, log


def _write(work: _Work, folder: Path, texts: dict[str, str], unit: str) -> None:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        whole = work.frame.followed(text) if name == work.made.source.main.name else text
        (folder / name).write_text(whole, encoding="utf-8")
    (folder / _BEFORE).write_text(work.before(unit), encoding="utf-8")


def absent_libraries(texts: Mapping[str, str], has: Callable[[str], bool]) -> Iterator[tuple[str, int, str]]:
    """File, line and name of headers of libraries that the kit has not: a machine with a CUDA toolkit has them, and their types are not the
    kit's. Those of Windows are nowhere: where they count, the compiler misses them.
    """
    for name, text in texts.items():
        for match in INCLUDE.finditer(text):
            header = match["angled"] or match["quoted"]
            if header not in texts and library_of_header(header) not in {"", "Windows"} and not has(header):
                yield name, text.count("\n", 0, match.start(match.lastgroup or 0)) + 1, header


def _leave_out(work: _Work, texts: dict[str, str], found: Iterable[tuple[str, int, str]]) -> None:
    for name, line, header in found:
        texts[name] = with_line(texts[name], line, stand_in(header))
        work.made.left_out.append(f"{name}:{line}: #include of {header}, which was not found")
        work.made.missing.append(MissingHeader(name, line, header))


def _why(work: _Work, unit: KernelSource, finished: Finished, log: str) -> tuple[HostRefusal, ...]:
    if limit := used_up(finished, _LIMITS, log):
        return (HostRefusal(unit.name, 0, f"The compiler was stopped: it needed more than {limit} for {unit.name}."),)
    if match := _OF_ASM.search(log):  # of asm() in the text: the compiler's own assembly has no mistakes
        return (HostRefusal(unit.name, 0, f"The assembler says of an asm statement: {match[1].strip()[:200]}"),)
    refusals = refusals_of_errors(log, unit, work.made.missing, work.toolchain.version)
    ours = [str(folder) for folder in work.toolchain.includes]
    is_theirs = names_the_text(log, unit.texts, ours)
    return refusals if is_theirs else tuple(replace(one, verdict=Verdict.INTERNAL_ERROR) for one in refusals)


_TWICE = re.compile(
    r"\b(?:unit\d+/)?(?P<file>[\w.+-]+):(?P<line>\d+): multiple definition of [`\u2018'](?P<name>[^\n]+?)['\u2019]"
    r"(?=;[^\n]*?(?:\bunit\d+/|:)(?P<first>[\w.+-]+:\d+): first defined here)"
)


def _linked(work: _Work, units: int) -> tuple[HostRefusal, ...]:
    (work.folder / "run").mkdir(exist_ok=True)
    objects = [f"unit{number}.o" for number in range(units)]
    finished, log = work.run(work.toolchain.link(objects, work.output, work.options), work.folder)
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
    if twice := _TWICE.search(log):
        file, line, name, other = twice["file"], int(twice["line"]), twice["name"], twice["first"]
        here = f"{file}:{line}" == other
        why = (
            "each file that includes it defines it: write `inline` before it, or move it to one of the files"
            if here
            else f"in {other} as well: one of the two has to go"
        )
        return (HostRefusal(file, line, f"`{name}` is defined twice, {'for ' if here else ''}{why}."),)
    said = next((line for line in log.split("\n") if "error" in line), log[-300:])
    is_theirs = _OF_A_UNIT.search(log) is not None  # a linker names what it was given, also where its text is at fault
    verdict = Verdict.COMPILE_ERROR if is_theirs else Verdict.INTERNAL_ERROR
    return (HostRefusal("", 0, f"The program cannot be linked: {said.strip()[:300]}", verdict),)


# Why the host side of a program cannot be built, in sentences that name what is missing, and what a newcomer may have meant: that is
# added to the compiler's words and takes nothing away. Pure.

_NO_CALL = re.compile(
    r"no matching function for call to [\u2018']\s*(cuda\w+)\s*(?:<[^(]*>)?(?:\((?P<types>[^\n]*)\))?[\u2019']"
)
_VECTOR = re.compile(r"cannot convert [\u2018'](?:const )?std::vector<[^\n]*[\u2019'] to [\u2018']([^\u2019']*)")
_NO_BLOCK = re.compile(
    r"(?:too few arguments to function|no matching function for call to) [\u2018'][^\n]*\bconfigure\b"
)
_TWO_SIGNS = re.compile(r"invalid operands (?:of types|to binary expression)[^\n]*[\u2018']void ?\([^\n]*")
_ALLOCATES = re.compile(r"cuda(?:Malloc|HostAlloc)\w*")


def call_hint(error: str) -> str:
    """A sentence for one error; empty where there is none."""
    if _NO_BLOCK.search(error):
        return "A launch says how many blocks there are and how many threads each has: kernel<<<blocks, threads>>>(…)."
    if _TWO_SIGNS.search(error):
        return "A launch has three signs on each side: kernel<<<blocks, threads>>>(…)."
    if vector := _VECTOR.search(error):
        if "void" in vector[1]:
            return "A std::vector is no pointer: its member `data()` gives a pointer to its numbers."
        return "A std::vector is no pointer. A kernel gets a pointer that `cudaMalloc` has set, and `cudaMemcpy` brings the numbers there."
    if (call := _NO_CALL.search(error)) is None:
        return ""
    name, first = call[1], (call["types"] or "").split(",", maxsplit=1)[0].strip().rstrip("&").strip()
    lacks_address = _ALLOCATES.fullmatch(name) and first.endswith("*") and not first.endswith("**")
    said = f"sets the pointer, so it needs the pointer's address: {name}(&pointer, …)."
    return f"`{name}` {said if lacks_address else 'takes other arguments than these, or takes them in another order.'}"


# Libraries and interfaces that are not served here, by the headers and the names that belong to them.
_LIBRARIES = (
    ("cuBLAS", r"cublas\w*\.h", r"cublas\w*|CUBLAS_\w+"),
    ("cuFFT", r"cufft\w*\.h", r"cufft\w*|CUFFT_\w+"),
    ("cuSPARSE", r"cusparse\w*\.h", r"cusparse\w*|CUSPARSE_\w+"),
    ("cuSOLVER", r"cusolver\w*\.h", r"cusolver\w*|CUSOLVER_\w+"),
    ("cuDNN", r"cudnn\w*\.h", r"cudnn\w*|CUDNN_\w+"),
    ("cuRAND's host functions", r"curand\.h", r"curand(?:Create|Destroy|Set|Generate|Status)\w*|CURAND_\w+"),
    ("NCCL", r"nccl\w*\.h", r"nccl\w*"),
    ("NPP", r"npp\w*\.h", r"npp[a-z]*_?\w*"),
    ("Thrust", r"thrust/.*", r"thrust"),
    ("CUB", r"cub/.*", r"cub"),
    ("CUTLASS", r"(?:cutlass|cute)/.*", r"cutlass|cute"),
    ("MPI", r"mpi\.h", r"MPI_\w+"),
    ("NVRTC", r"nvrtc\w*\.h", r"nvrtc\w*"),
    ("the driver API", r"(?!)", r"cu(?:Init|Device|Ctx|Module|Mem|Launch|Stream|Event)\w*|CU(?:device|context|module|function)\w*"),
    ("NVTX", r"nvToolsExt\w*\.h|nvtx3?/.*", r"nvtx\w*"),
    ("OpenCV", r"opencv.*|cv\.h|highgui\.h", r"cv"),
    ("OpenGL", r"GL/.*|GLFW/.*|glad/.*|cuda_gl_interop\.h", r"gl[A-Z]\w*|GL\w*|cudaGraphicsGL\w*"),
    ("Windows", r"windows\.h|conio\.h|direct\.h|io\.h", r"Sleep|QueryPerformance\w+|LARGE_INTEGER|_getch|system_pause"),
    ("this part of CUDA graphs", r"(?!)", r"cudaGraph\w*|cudaUserObject\w*"),
)  # fmt: skip
_NAME = re.compile(
    r"[\u2018']([\w:]+)[\u2019'] (?:was not declared|has not been declared|does not name a type|is not a member)"
)
_MEMBER = re.compile(
    r"[\u2018'](?:[\w:]+::)?(\w+)[\u2019'] (?:is not a member of|in namespace) [\u2018'](?:::)?(thrust|cub)\b"
)
_UNDEFINED = re.compile(
    r"^(?:[^\n:]*ld(?:\.\w+)?: )?(?:[^\n:]*/)?([^\n:/]+):(?:(\d+):)?(?:[^\n]*?:)? ?(?:warning: )?"
    r"undefined reference to [`\u2018']([^\n]+?)['\u2019]$",
    re.MULTILINE,
)
_QUOTED = re.compile(r"'(?:[\w:]*::)?(\w+|[^\w\s'])(?:\([^']*\))?'")
_OF_A_THREAD = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize"})
_OF_REFERENCES = re.compile(
    r"(?:cuda(?:Bind|Unbind)(?:Texture|Surface)|cudaGetTexture(?:Reference|AlignmentOffset)|cudaGetSurfaceReference)\w*"
)
_INSTEAD = "Make a texture object with cudaCreateTextureObject()."
OLDER = " Older C++ takes it without: --std c++03."  # what `tilelab run` has, and a hand-in has not
_MOST = 3
_MOST_NAMES = 6


@dataclass(frozen=True)
class HostRefusal:
    """`line` 0: no particular one. `columns`: the part of the line, from 0, without its end; None: all of it."""

    file: str
    line: int
    message: str
    verdict: Verdict = Verdict.COMPILE_ERROR  # needs-gpu: valid CUDA, most likely, that is not served here
    columns: tuple[int, int] | None = None


class _Place(NamedTuple):
    file: str
    line: int
    columns: tuple[int, int] | None


def refusals_of_errors(
    log: str, unit: KernelSource, missing: Sequence[tuple[str, int, str]], compiler: str = "this compiler"
) -> tuple[HostRefusal, ...]:
    """`missing`: headers that were left out of any source, with file and line. What they declare explains other errors."""
    missing = [one for one in missing if one[0] in unit.texts]
    errors = [one for one in messages(log) if one.severity == "error"]
    unknown = [match[1].rpartition("::")[2] for one in errors if (match := _NAME.search(one.text))]
    if telling := next(chain(_not_served(log, unit, missing, errors), _misnamed(unit, errors, missing)), None):
        return (telling,)
    for file, line, header in missing if unknown else ():
        why = f"perhaps `{unknown[0]}` is declared in it: put it beside the file, or name its folder with -I"
        standard = any(one[2] in LATER_HEADERS for one in missing)
        if (said := absent_header(header, compiler)) or not standard:
            return (HostRefusal(file, line, said or f"{header} was not found, and {why}."),)
    own = [one for one in errors if one.file in unit.texts] or errors
    found: list[HostRefusal] = []  # one cause, as a macro's, may have errors in many lines, and a line several errors
    for refusal in (_told(one, unit, compiler) for one in own):
        if all(
            refusal.message != one.message and (refusal.file, refusal.line) != (one.file, one.line) for one in found
        ):
            found.append(refusal)
    nothing = HostRefusal(unit.name, 0, "The file does not compile; the compiler says no line.")
    return tuple(found[:_MOST]) or (nothing,)


def _told(error: Diagnostic, unit: KernelSource, compiler: str) -> HostRefusal:
    """At the word that the compiler quotes: its columns are those of the text after the preprocessor."""
    for name, text in unit.texts.items():
        if literal := unspaced_literal(error, StudentCode(text)):
            message = f"{literal.message} {literal.advice}{OLDER}"
            return HostRefusal(name, literal.place.line, message, columns=literal.place.columns)
    code, message = StudentCode(unit.texts.get(error.file, "")), _said(error.text)
    for header in LATER_HEADERS:
        included = any(re.search(rf"^\s*#\s*include\s*<{header}>", text, re.MULTILINE) for text in unit.texts.values())
        if included and re.search(rf"'{header}\w*' is not a member of 'std'", error.text):
            message = f"{message}. <{header}> is a header of {LATER_HEADERS[header]}: {compiler} was asked for an earlier standard."
    words = _QUOTED.findall(error.text)
    word = next((one for one in words if one in code.line(error.line)), next(iter(words), ""))
    file, line, columns = _place(error, unit, word)
    return HostRefusal(file, line, message, columns=columns)


def _place(error: Diagnostic, unit: KernelSource, word: str) -> _Place:
    """Of this word in the error's line, or in the macro that the line uses; of the whole line where it is in neither."""
    code = StudentCode(unit.texts.get(error.file, ""))
    used = set(re.findall(r"\w+", code.line(error.line)))
    if word and (word in used or not word.isidentifier()):
        return _Place(error.file, error.line, code.word_at(error.line, error.column, word).columns)
    for file, text in unit.texts.items() if word else ():
        for number, line in enumerate(StudentCode(text).bare, 1):
            macro = re.match(r"\s*#\s*define\s+(\w+)", line)
            if macro and macro[1] in used and re.search(rf"\b{re.escape(word)}\b", line):
                return _Place(file, number, StudentCode(text).word_at(number, macro.end(), word).columns)
    return _Place(error.file, error.line, None)


def _not_served(
    log: str, unit: KernelSource, missing: Sequence[tuple[str, int, str]], errors: Sequence[Diagnostic]
) -> Iterator[HostRefusal]:
    """Headers of libraries, and references to textures, which CUDA 12 removed."""
    for file, line, header in missing:
        if library := library_of_header(header):
            message = f"The program uses {library} ({header}), which cannot run here."
            yield HostRefusal(file, line, message, Verdict.NEEDS_GPU)
    for name, source in unit.texts.items():
        if found := texture_reference(log, source):
            yield HostRefusal(name, found.line or 0, f"{found.message} {found.advice}".strip())
    for one in errors:
        match = _NAME.search(one.text)
        if match and one.file in unit.texts and _OF_REFERENCES.fullmatch(match[1]):
            message = f"`{match[1]}` belongs to the texture references of old CUDA, which CUDA 12 removed. {_INSTEAD}"
            yield HostRefusal(one.file, one.line, message)


def _misnamed(
    unit: KernelSource, errors: Sequence[Diagnostic], missing: Sequence[tuple[str, int, str]]
) -> Iterator[HostRefusal]:
    """Names that CUDA has and the kit has not, and those that look like CUDA's and are none."""
    for one in errors:
        match, member, is_own = _NAME.search(one.text), _MEMBER.search(one.text), one.file in unit.texts
        name = (
            f"{member[2]}::{member[1]}" if member else match[1] if match else ""
        )  # with that of a library that is here in part
        if not name or not (is_own or "::" in name):
            continue
        file, line, columns = _place(one, unit, name.rpartition("::")[2])
        if is_like_cuda(name):
            near = nearest_of_cuda(name)
            if (near or not missing) and not any(name in StudentCode(text).declared for text in unit.texts.values()):
                message = f"CUDA has no `{name}`.{f' Is `{near}` meant?' if near else ' Check its spelling.'}"
                yield HostRefusal(file, line, message, columns=columns)
        elif library := library_of(name):
            message = f"The program uses {library} (`{name}`), which cannot run here."
            yield HostRefusal(file, line, message, Verdict.NEEDS_GPU, columns)
        elif is_own and re.match(r"cuda[A-Z]|cu[A-Z]", name):
            message = f"`{name}` of the CUDA runtime is not there without a GPU yet."
            yield HostRefusal(file, line, message, Verdict.NEEDS_GPU, columns)


def _said(error: str) -> str:
    """In the compiler's words and, where one is known, with a hint. The kit's own names are no student's."""
    hint = call_hint(error)
    if hint and "tilelab_host::" in error:
        return hint
    return f"The compiler says: {error}{'. ' if hint else ''}{hint}"


def undefined_names(log: str) -> tuple[HostRefusal, ...]:
    """What the linker did not find."""
    found: dict[str, tuple[str, int]] = {}
    for file, line, name in _UNDEFINED.findall(log):
        found.setdefault(name.replace("[abi:cxx11]", ""), (file, int(line or 0)))
    outside = [name for name in found if _base(name) in _OF_A_THREAD]  # one mistake, and not one for each of them
    named = [(name, *at) for name, at in found.items() if name not in outside[1:]][:_MOST_NAMES]
    verdicts = {"main": Verdict.MISSING_ENTRY_POINT}
    return tuple(
        HostRefusal(file if line else "", line, _undefined(name), verdicts.get(name, Verdict.COMPILE_ERROR))
        for name, file, line in named
    )


def _undefined(name: str) -> str:
    base = _base(name)
    if base in _OF_A_THREAD:
        return f"`{base}` belongs to a thread of the device, and this is a function of the host. Is __global__ missing before it?"
    if name == "main":
        return "There is no `main()`."
    if library := library_of(base):
        return f"The program uses {library} (`{base}`), which cannot run here."
    if "cuda_on_cpu::" in name or base.startswith("__"):
        return f"Host code calls `{base}`, which is a function of the device: on the host there is none."
    return f"`{name}` is declared but not defined: name the source that defines it with --with."


def _base(name: str) -> str:
    return name.partition("(")[0].rpartition("::")[2] or name


def library_of(name: str) -> str:
    return next((library for library, _, names in _LIBRARIES if re.fullmatch(names, name.partition("::")[0])), "")


def library_of_header(header: str) -> str:
    return next((library for library, headers, _ in _LIBRARIES if re.fullmatch(headers, header)), "")
