"""Whose fault it is that a compiler failed. Pure; the words for a student are in `compiler_errors.py`.

It is the submission's only where the compiler names the submission's text, or where the compiler measurably used up what every
submission may use. Everything else is ours: a compiler that was killed or broke, a full disk, a damaged file of the kit.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Sequence

from grader.sandbox import Finished, Limits

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
    included = re.search(rf"^(?:In file included from|\s+from) (?:\./)*(?:{names}):\d+", log, re.MULTILINE)
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
    if match := _MEMORY.search(said):
        asked = int(match["asked"] or 0)
        if max(asked, finished.peak_bytes) >= limits.memory_bytes // 2:
            return f"{limits.memory_bytes >> 20} MiB of memory"
    if finished.returncode in _CRASHES and finished.peak_bytes >= limits.memory_bytes:
        return f"{limits.memory_bytes >> 20} MiB of memory"  # who does not look whether it gets more breaks off
    return ""
