"""The steps of one build: each runs confined in the build's folder, and says afterwards whose fault it is that it failed.

Not here: which steps there are, and what is looked for in the files that they write.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NoReturn

from grader.engines.cpu_toolchain import CpuToolchain
from grader.engines.device_functions import (
    UNSUPPORTED_GROUPS,
    UNSUPPORTED_HEADERS,
    UNSUPPORTED_MEMBERS,
    UNSUPPORTED_NAMES,
    WITHOUT_A_MASK,
)
from grader.engines.refusal import BuildFaultError, Refusal, compile_errors_of, needs_gpu, rejected
from grader.engines.token_scan import texture_reference
from grader.model.verdicts import Verdict
from grader.source.compiler_message import Diagnostic, Said, diagnostics
from grader.source.cuda_vocabulary import header_of, is_like_cuda, is_of_cuda
from grader.source.student_code import Span, StudentCode
from grader.system.confined_run import Finished
from grader.system.confinement import Confinement, Limits

# Whose fault it is that a compiler failed. Pure; the words for a student are below.
#
# It is the submission's only where the compiler names the submission's text, or where the compiler measurably used up what every
# submission may use. Everything else is ours: a compiler that was killed or broke, a full disk, a damaged file of the kit.

_SIGXCPU, _SIGXFSZ = 128 + 24, 128 + 25  # as an exit status
_CRASHES = (128 + 6, 128 + 11)  # SIGABRT and SIGSEGV
_NEARLY = 0.8  # of a limit: who was stopped at it has used that much, as far as a kernel counts it
_DIAGNOSTIC = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):\d+:(?:\d+:)? (?P<kind>fatal error|error|sorry, unimplemented): (?P<text>.*)$",
    re.MULTILINE,
)
# A fatal error about a file that is written has the line that the compiler has come to, and is not about that line.
_WRITING = re.compile(
    r"(?:when writing output to|error writing to|error closing|unable to open output file|cannot open file) "
    r"|(?:opening|closing) (?:output|dependency|dump) file |can.t (?:open|create|write|close) "
)
_FORBIDDEN = re.compile(r"^[^\s:]+: fatal error: (?P<file>/[^\n]+): Permission denied$", re.MULTILINE)
_SAID_OF_TEXT = (
    r"\d+:(?:\d+:)? +(?:recursively )?(?:required (?:from|by)|in .constexpr. expansion|note: in instantiation)"
)
_TIME = re.compile(r"CPU time limit exceeded|died due to signal 24")
_SIZE = re.compile(r"File size limit exceeded|File too large")
_MEMORY = re.compile(
    r"virtual memory exhausted|memory exhausted|out of memory allocating (?P<asked>\d+) bytes|out of memory|std::bad_alloc"
)


def names_the_text(log: str, own: Collection[str], ours: Sequence[str]) -> bool:
    """Whether an error is about the submission's text. `own`: its files' names; `ours`: folders of the kit's own headers."""
    elsewhere = []
    for match in _DIAGNOSTIC.finditer(log):
        if is_about_writing(match[0]):
            continue
        file = posixpath.normpath(match["file"])  # a file that includes itself is called ././././it
        if file in own:
            return True
        elsewhere.append(file)
    names = "|".join(re.escape(name) for name in sorted(own))
    if elsewhere and re.search(rf"^(?:\./)*(?:{names}):{_SAID_OF_TEXT}", log, re.MULTILINE):
        return True  # a template or a constant of somebody else's, for the submission's sake
    foreign = [file for file in elsewhere if file.startswith("/") and not file.startswith(tuple(ours))]
    included = re.search(rf"^(?:In file included from|[ \t]+from) (?:\./)*(?:{names}):\d+", log, re.MULTILINE)
    return bool(foreign) and included is not None


def asked_for(log: str, text: str) -> str:
    """The file that the text names and no submission may read; empty: none. Some compilers stop without a line where a sandbox forbids a
    file that the text asks for, as in `__has_include("/opt/x.h")`.
    """
    found = (match["file"] for match in _FORBIDDEN.finditer(log))
    return next((file for file in found if f'"{file}"' in text or f"<{file}>" in text), "")


def is_about_writing(line: str) -> bool:
    """Whether this line of a compiler's output says that something of ours could not be written."""
    match = _DIAGNOSTIC.match(line)
    return match is not None and match["kind"] == "fatal error" and _WRITING.match(match["text"]) is not None


def used_up(finished: Finished, limits: Limits, said: str) -> str:
    """The limit at which the compiler was stopped, in words; empty where what it used does not show that it came to one."""
    if finished.overspent:
        return f"{limits.all_seconds:g} seconds of processor time"
    if (finished.returncode == _SIGXCPU or _TIME.search(said)) and finished.cpu_seconds >= _NEARLY * limits.cpu_seconds:
        return f"{limits.cpu_seconds} seconds of processor time"
    if finished.returncode == _SIGXFSZ or _SIZE.search(said):
        return f"{limits.file_bytes >> 20} MiB for one file"
    # An array that grows is there twice for a moment, as it is and twice as long: it has a third of the limit when that fails.
    match, peak, most = _MEMORY.search(said), finished.peak_bytes, limits.memory_bytes
    failed = match is not None and max(int(match["asked"] or 0), peak) >= most // 4
    breaks_off = finished.returncode in _CRASHES and peak >= most  # who does not look whether it gets more
    return f"{most >> 20} MiB of memory" if failed or breaks_off else ""


# Turns the compiler's errors into reasons that a student can act on: host code, and CUDA that the executor lacks. What the other errors
# mean is told in `error_report.py`.

MAX_ERRORS = 3
# What a compiler says of names of CUDA that the executor lacks, in GCC's words and in Clang's; which names those are, if not all; and how
# one is shown.
_MEMBER_OF_GROUP = "`{name}()` of `cooperative_groups::{of}`"
_IN_CUDA, _MISSING_IN = r"(?P<of>cuda(?:::\w+)*|nvcuda(?:::\w+)*|cub)", r"(?:is not a member of|in namespace)"
_LACKING: tuple[tuple[str, re.Pattern[str] | None, str], ...] = (
    (r"^'?(?P<name>\S+?)(?:: No such file or directory|' file not found)", UNSUPPORTED_HEADERS, "<{name}>"),
    (
        rf"'(?P<name>\w+)' {_MISSING_IN} '(?:\w+::)?(?:cg|cooperative_groups)'",
        UNSUPPORTED_GROUPS,
        "`cooperative_groups::{name}`",
    ),
    (
        r"^'(?:const )?class cooperative_groups::(?P<of>\w+)[^']*' has no member named '(?P<name>\w+)'",
        UNSUPPORTED_MEMBERS,
        _MEMBER_OF_GROUP,
    ),
    (r"^no member named '(?P<name>\w+)' in 'cooperative_groups::(?P<of>\w+)", UNSUPPORTED_MEMBERS, _MEMBER_OF_GROUP),
    (rf"'(?P<name>\w+)' {_MISSING_IN} '{_IN_CUDA}'", None, "`{of}::{name}`"),
    (rf"no (?:type|member|template) named '(?P<name>\w+)' in namespace '{_IN_CUDA}'", None, "`{of}::{name}`"),
    (
        r"^'(?:::)?(?P<name>\w+)(?:::\w+)*' (?:was not declared|does not name a type|has not been declared|is not a namespace-name)",
        UNSUPPORTED_NAMES,
        "`{name}`",
    ),
    (
        r"^(?:use of undeclared identifier|unknown type name|expected namespace name|no (?:type|member|template) named) '(?P<name>\w+)'",
        UNSUPPORTED_NAMES,
        "`{name}`",
    ),
    # A template of our headers that has no definition for these arguments, or an object of one that lacks a member.
    (r"'(?:class |struct )?(?P<name>cuda::\w+)<[^']*' has incomplete type", None, "this kind of `{name}`"),
    (r"incomplete type '(?:class |struct )?(?P<name>cuda::\w+)<", None, "this kind of `{name}`"),
    (r"undefined template '(?P<name>cuda::\w+)<", None, "this kind of `{name}`"),
    (
        r"'(?:const )?(?:using \w+ = )?(?:class |struct )?(?P<of>cu(?:da|b)::\w+)<.*'\}? has no member named '(?P<name>\w+)'",
        None,
        "`{name}` of `{of}`",
    ),
    (r"no member named '(?P<name>\w+)' in '(?P<of>cu(?:da|b)::\w+)<", None, "`{name}` of `{of}`"),
)
_OLD_NAME = re.compile(
    rf"(?:use of undeclared identifier |there are no arguments to |)'(?P<name>{'|'.join(sorted(WITHOUT_A_MASK))})'"
)
_LAUNCH = re.compile(r"<<<|expected primary-expression before [\u2018']<[\u2019']")
_HOST_NAME = re.compile(
    r"[\u2018']cuda(?!TextureObject_t|SurfaceObject_t)(?:[A-Z]\w*|_\w+)[\u2019']|[\u2018']cublas\w*[\u2019']"
)
_NOT_FOR_THIS_FILE = (
    "This is host code: hand in only the kernel, its helper functions and the launch function. "
    "The grader allocates, copies and launches."
)


def compile_errors(log: str, file_name: str, source: str) -> tuple[Refusal, ...]:
    """The first errors in `file_name` itself, whose text is `source`. Where one of them names CUDA that the executor lacks, only that
    one. May be empty.
    """
    from grader.source.error_report import mistakes  # noqa: PLC0415 -- most files compile

    code = StudentCode(source)
    own = "\n".join(line for line in log.split("\n") if not is_about_writing(line))
    errors = [one for one in diagnostics(own, file_name, code.lines) if one.severity == "error"]
    host_code = any(_HOST_NAME.search(one.text) for one in errors) or _LAUNCH.search(log) is not None
    if errors and (removed := texture_reference(log, source)):
        return (removed,)
    for error in errors:
        if not host_code and (what := _needs_a_gpu(error.text, source)):
            return (needs_gpu(error.line, f"The CPU executor does not know {what}", ""),)
    host = next((found for error in errors if (found := _host_code(error, code) or _without_a_mask(error, code))), None)
    said = [host] if host else mistakes(errors, code, MAX_ERRORS)
    return compile_errors_of(said)


def _host_code(error: Diagnostic, code: StudentCode) -> Said | None:
    bare = code.line(error.line)
    if "<<<" in bare:
        place = Span(error.line, bare.index("<<<"), bare.rindex(">>>") + 3 if ">>>" in bare else len(bare))
        return Said(place, "This launches a kernel with <<<…>>>, as a main() does.", _NOT_FOR_THIS_FILE)
    if match := _HOST_NAME.search(error.text):
        name = match[0].strip("\u2018\u2019'")
        place = code.word_at(error.line, error.column, name)
        return Said(place, f"`{name}` is not for a kernel's file.", _NOT_FOR_THIS_FILE)
    return None


def _without_a_mask(error: Diagnostic, code: StudentCode) -> Said | None:
    old = _OLD_NAME.match(error.text)
    if old is None:
        return None
    name = old["name"]
    what = f"`{name}` is of old CUDA: since its version 9, the lanes that take part have to be named."
    advice = f"Write `{name}_sync(0xffffffff, …)` where all 32 lanes of the warp come here."
    return Said(code.word_at(error.line, error.column, name), what, advice)


def _needs_a_gpu(message: str, source: str) -> str:
    """Only what CUDA really has: another name that looks like it is a typing error."""
    for pattern, known, shown in _LACKING:
        found = re.search(pattern, message)
        if found is None:
            continue
        name = found["name"]
        needs_header = (header := header_of(name)) and f"<{header}>" not in source
        lacks = is_of_cuda(name) and name.startswith("__") and name not in WITHOUT_A_MASK and not needs_header
        if (
            known is None
            or (known is UNSUPPORTED_NAMES and lacks)
            or (known.fullmatch(name) and not is_like_cuda(name))
        ):
            return shown.format(**found.groupdict())
    return ""


BUILD_LIMITS = Limits(
    "build", cpu_seconds=10, wall_seconds=60, memory_bytes=2 << 30, processes=64, file_bytes=128 << 20, open_files=256
)
MAX_TEXT_BYTES = 32 << 20  # of preprocessed text, and of assembly; a lab's have some hundred kilobytes
WHEN_EXPANDED, WHEN_COMPILED = "once its macros and #include lines are expanded", "once it is compiled"
_MAX_LOG = 8_000  # characters
_STEP = "step.done"  # exists once the first of several commands has succeeded
_LARGE = "step.large"  # exists where a text was too large for the commands behind
PREPROCESSING_BYTES = 768 << 20  # of memory: what a macro becomes is held before it is written
_UNSEEN_BYTES = 4 << 20  # of a text that is compiled before anybody has counted what is in it


# The kit's folder, or a system's, however a path leads there; a clone may lie in a folder of that name.
_OF_CUB = re.compile(r'^# \d+ "[^"\n]*(?:executor/device|include)/(?:[^"\n]*/)?cub/', re.MULTILINE)
_NAMES_CUB = re.compile(r"[`<(]cub\b|\bCUB\b")


def _no_cub(line: int) -> Refusal:
    what = "the file uses CUB, which is not allowed in this lab: it would do what the lab asks for"
    return rejected(line, what, "Write it yourself.")


def without_cub(refusal: Refusal) -> Refusal:
    """Also the parts of CUB that are missing here are not allowed: a machine with a GPU has them."""
    is_missing = refusal.verdict is Verdict.NEEDS_GPU and _NAMES_CUB.search(refusal.message)
    return _no_cub(refusal.line) if is_missing else refusal


class TooLongError(Exception):
    """A text is longer than any lab's: the submission's doing, and the message is for its author."""


@dataclass
class BuildSteps:
    toolchain: CpuToolchain
    confinement: Confinement
    folder: Path
    name: str
    headers: frozenset[str] = frozenset()  # headers of the submission's author
    scanned: bool = True  # whether the text is scanned before it counts as compiled
    defined: str = ""  # lines of macros before the text, which has line numbers of its own
    log: list[str] = field(default_factory=list)
    stopped: str = ""  # at which of our limits the compiler was killed
    ended: str = ""  # how the last commands ended

    def run(self, *commands: list[str]) -> bool:
        """Runs the commands one by one until one fails. They share a sandbox: starting one costs as much as compiling a small program."""
        script = f" && : >{_STEP} && ".join(map(shlex.join, commands))
        return self._run(commands[0] if len(commands) == 1 else ["sh", "-c", script])

    def preprocess(self, command: list[str], written: str, then: list[list[str]]) -> bool:
        """Runs the preprocessor, which may have less memory than a compiler, and in the same sandbox the commands of `then`, unless the
        text that was `written` is large.
        """
        script = f"(ulimit -v {PREPROCESSING_BYTES >> 10} && exec {shlex.join(command)}) && : >{_STEP}"
        if then:
            fits = f'[ "$(wc -c <{written})" -le {_UNSEEN_BYTES} ]'
            script += f" && if {fits}; then {' && '.join(map(shlex.join, then))}; else : >{_LARGE}; fi"
        return self._run(["sh", "-c", script], preprocesses=True)

    def _run(self, command: list[str], *, preprocesses: bool = False) -> bool:
        tools, limits = self.toolchain, BUILD_LIMITS
        readable = [*tools.includes, *tools.archives, tools.prelude.parent]
        finished = tools.home.run(self.confinement, command, readable, self.folder, limits)
        expands = preprocesses and not self.first_step_succeeded()
        if expands:
            limits = replace(limits, memory_bytes=PREPROCESSING_BYTES)
        text = finished.said.replace(f"{self.folder}/", "")
        if text.strip():
            self.log.append(text.strip())
        if finished.returncode != 0 and (limit := used_up(finished, limits, text)):
            what = "preprocessor was stopped: to expand macros and headers" if expands else "compiler was stopped:"
            self.stopped = f"The {what} it needed more than {limit} for {self.name}."
            self.log.append(self.stopped)
        self.ended = "did not end in time" if finished.timed_out else f"ended with status {finished.returncode}"
        return finished.returncode == 0

    def left_for_later(self) -> bool:
        """Whether the last text was too large for the command behind `preprocess`."""
        return (self.folder / _LARGE).is_file()

    def first_step_succeeded(self) -> bool:
        """Whether the first of the commands that `run` was given last has succeeded."""
        return (self.folder / _STEP).is_file()

    def forget(self) -> None:
        """What the last commands said is about a text that is not compiled any more."""
        self.log.clear()
        self.stopped = self.ended = ""

    def text(self, name: str, when: str) -> str:
        """The text of a file that a step wrote. `when`: what had become of the submission, for a student whose text is too long then."""
        path = self.folder / name
        if path.is_symlink() or not path.is_file():
            raise BuildFaultError(f"{name} was not written")
        if trouble := too_large(path, when):
            raise TooLongError(trouble)
        return path.read_text(encoding="utf-8", errors="replace")

    def authors_text(self) -> str:
        """The submission's file and its own headers, with the macros of the command line."""
        names = (self.name, *sorted(self.headers))
        return "\n".join((self.folder / name).read_text(encoding="utf-8", errors="replace") for name in names)

    def failed(self) -> tuple[Refusal, ...]:
        """Why the last step failed, in the compiler's words. Raises BuildFaultError where they do not say that it is the submission."""
        log = "\n".join(self.log)
        for name in (self.name, *sorted(self.headers)):
            source = (self.folder / name).read_text(encoding="utf-8", errors="replace").removeprefix(self.defined)
            if errors := compile_errors(log, name, source):
                errors = errors if name == self.name else tuple(replace(one, file=name) for one in errors)
                return errors if self.toolchain.allows_cub else tuple(map(without_cub, errors))
        if self.stopped:
            return refuse(self.stopped)
        if file := asked_for(log, self.authors_text()):
            return refuse(f"The file asks for {file}, which a submission may not read.")
        ours = [*map(str, self.toolchain.includes), str(self.toolchain.prelude.parent)]
        if names_the_text(log, {self.name, *self.headers}, ours):
            return refuse("The file does not compile; the compiler's log says why.")
        return self.break_off("the compiler")

    def refused_library(self, preprocessed: str) -> Refusal | None:
        """By the line markers, whatever the text calls a header of CUB's."""
        return None if self.toolchain.allows_cub or not _OF_CUB.search(preprocessed) else _no_cub(0)

    def break_off(self, who: str) -> NoReturn:
        """Nothing shows that the submission made `who` fail."""
        said = next((line for line in reversed(self.log[-1:]) if line), "it said nothing")
        raise BuildFaultError(f"{who} {self.ended} and names nothing in the submission: {said[-400:]}")


def too_large(path: Path, when: str) -> str:
    """Why nobody reads this text; empty: it is not that long."""
    if (size := path.stat().st_size) <= MAX_TEXT_BYTES:
        return ""
    return f"The file is too large {when}: {size >> 20} MiB of text; at most {MAX_TEXT_BYTES >> 20} MiB are read."


def shortened(log: str) -> str:
    """As much of a compiler's words as is kept."""
    return log if len(log) <= _MAX_LOG else log[:_MAX_LOG] + "\n…"


def refuse(message: str) -> tuple[Refusal, ...]:
    return (Refusal(Verdict.COMPILE_ERROR, 0, message),)


def image_beside(number: int) -> str:
    """The name of the file for one of `EntrySignatures.beside`, by its place there."""
    return f"image{number}.json"
