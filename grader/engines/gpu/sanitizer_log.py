"""NVIDIA's compute-sanitizer: where it is, how it is started, and what its reports say. Reports are not trusted: they contain names
that come from a submission.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.engines.gpu.gpu_toolchain import GpuToolchain
from grader.model.outcomes.gpu_reports import Sanitized, Tool
from grader.model.verdicts import Verdict

TOOLS: tuple[Tool, ...] = ("memcheck", "racecheck", "initcheck", "synccheck")
LOG = "sanitizer-%p.log"  # %p: the process id
_USUAL = (
    "--report-api-errors=no",  # the runner finds out how many parameters a kernel has by asking until the driver returns an error
    "--print-limit=200",  # a race is reported once for each pair of lines, a wrong read once for each thread
)
_OPTIONS: dict[Tool, tuple[str, ...]] = {
    "memcheck": ("--padding=4096",),  # otherwise the next buffer follows directly, and an overrun would hit it
    "racecheck": (),
    "initcheck": (),
    "synccheck": (),
}
# First lines of a report, each with the verdict for this mistake. A line that matches none does not begin a report.
_KINDS: tuple[tuple[re.Pattern[str], Verdict], ...] = (
    (re.compile(r"Invalid __(?:global|shared|local)__ (?:read|write|atomic)"), Verdict.OUT_OF_BOUNDS),
    (re.compile(r"(?:Error|Warning|Info): Race reported between"), Verdict.RACE),
    (re.compile(r"(?:Error|Warning): (?:Potential )?(?:RAW|WAR|WAW) hazard"), Verdict.RACE),
    (re.compile(r"Uninitialized __(?:global|shared|local)__ (?:memory )?read"), Verdict.UNINITIALIZED_READ),
    (re.compile(r"Barrier error detected"), Verdict.BARRIER_DIVERGENCE),
)
_PLACE = re.compile(r" in (?:[^\s:]*/)?([^\s:/]+):(\d+)")
_PREFIX = "========="
_LONGEST = 200  # characters of a report's first line that are kept


def find_sanitizer(toolchain: GpuToolchain | None) -> Path | None:
    """The toolkit's compute-sanitizer, else the one on the path. None where there is none."""
    if toolchain is None:
        return None
    own = [toolchain.root / "bin" / "compute-sanitizer", toolchain.root / "compute-sanitizer" / "compute-sanitizer"]
    on_path = shutil.which("compute-sanitizer")
    return next((one for one in [*own, *([Path(on_path)] if on_path else [])] if one.is_file()), None)


def sanitizer_command(program: Path, tool: Tool, folder: Path, argv: list[str]) -> list[str]:
    """The command that runs `argv` under the tool. Each process writes its report into `folder`."""
    return [str(program), f"--tool={tool}", *_USUAL, *_OPTIONS[tool], f"--log-file={folder / LOG}", *argv]


def reports(text: str, tool: Tool, file: str, source: Sequence[str]) -> Iterator[Sanitized]:
    """What a log reports about the file `file`, whose lines are `source`. Line numbers past its end are ignored."""
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
    """The reports, as paragraphs of lines that the tool itself wrote. A report begins after an empty line, or with a known first line."""
    block: list[str] = []
    for line in text.splitlines():
        if not line.startswith(_PREFIX):
            continue
        text = line.removeprefix(_PREFIX)
        begins = any(pattern.search(text) for pattern, _ in _KINDS)
        if block and (begins or not text.strip()):
            yield block
            block = []
        if text.strip():
            block.append(text.strip())
    if block:
        yield block
