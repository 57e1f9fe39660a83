"""NVIDIA's compute-sanitizer: where it is, how it is started, and what its reports say. They are read, never trusted: a name in
them came out of a submission.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.engines.gpu.gpu_toolchain import GpuToolchain
from grader.model.gpu_reports import Sanitized, Tool
from grader.model.verdicts import Verdict

TOOLS: tuple[Tool, ...] = ("memcheck", "racecheck", "initcheck", "synccheck")
LOG = "sanitizer-%p.log"  # %p: the process's number
_USUAL = (
    "--report-api-errors=no",  # the runner asks how many parameters a kernel has until the driver says no
    "--print-limit=200",  # a race is reported once for each pair of lines; a stray read for each thread
)
_OPTIONS: dict[Tool, tuple[str, ...]] = {
    "memcheck": ("--padding=4096",),  # else the next buffer lies right behind one that is overrun
    "racecheck": (),
    "initcheck": (),
    "synccheck": (),
}
# First lines of a report, and the verdict that the mistake has here; a line that none fits begins nothing.
_KINDS: tuple[tuple[re.Pattern[str], Verdict], ...] = (
    (re.compile(r"Invalid __(?:global|shared|local)__ (?:read|write|atomic)"), Verdict.OUT_OF_BOUNDS),
    (re.compile(r"(?:Error|Warning|Info): Race reported between"), Verdict.RACE),
    (re.compile(r"(?:Error|Warning): (?:Potential )?(?:RAW|WAR|WAW) hazard"), Verdict.RACE),
    (re.compile(r"Uninitialized __(?:global|shared|local)__ (?:memory )?read"), Verdict.UNINITIALIZED_READ),
    (re.compile(r"Barrier error detected"), Verdict.BARRIER_DIVERGENCE),
)
_PLACE = re.compile(r" in (?:[^\s:]*/)?([^\s:/]+):(\d+)")
_PREFIX = "========="
_LONGEST = 200  # characters of a report's first line


def find_sanitizer(toolchain: GpuToolchain | None) -> Path | None:
    """The toolkit's, else the one on the path; None where there is none."""
    if toolchain is None:
        return None
    own = [toolchain.root / "bin" / "compute-sanitizer", toolchain.root / "compute-sanitizer" / "compute-sanitizer"]
    on_path = shutil.which("compute-sanitizer")
    return next((one for one in [*own, *([Path(on_path)] if on_path else [])] if one.is_file()), None)


def watched(program: Path, tool: Tool, folder: Path, argv: list[str]) -> list[str]:
    """`argv` under the tool; each process's report goes into `folder`."""
    return [str(program), f"--tool={tool}", *_USUAL, *_OPTIONS[tool], f"--log-file={folder / LOG}", *argv]


def reports(text: str, tool: Tool, file: str, source: Sequence[str]) -> Iterator[Sanitized]:
    """What a log says of the file called `file`, whose lines `source` are: a number beyond them names no line."""
    for block in _blocks(text):
        kind = next((verdict for pattern, verdict in _KINDS if pattern.search(block[0])), None)
        if kind is None:
            continue
        if kind is Verdict.OUT_OF_BOUNDS and any("is misaligned" in line for line in block):
            kind = Verdict.MISALIGNED
        named = [int(found[2]) for line in block for found in _PLACE.finditer(line) if found[1] == file]
        lines = tuple(dict.fromkeys(one for one in named if 0 < one <= len(source)))
        first = lines[0] if lines else None
        yield Sanitized(tool, kind, first, block[0][:_LONGEST], lines, source[first - 1] if first else "")


def _blocks(text: str) -> Iterator[list[str]]:
    """Paragraphs of the lines that the tool itself wrote: a report begins behind an empty one, or with its kind."""
    block: list[str] = []
    for line in text.splitlines():
        if not line.startswith(_PREFIX):
            continue
        words = line.removeprefix(_PREFIX)
        begins = any(pattern.search(words) for pattern, _ in _KINDS)
        if block and (begins or not words.strip()):
            yield block
            block = []
        if words.strip():
            block.append(words.strip())
    if block:
        yield block
