"""Whether the compiler of this machine still does what the detectors rely on: all canaries are run with it, once.

A compiler that passes is written down beside its prelude, under a digest of all that the answer depends on: the compiler's programs,
the grader's own code, the kit's library and the canaries. A compiler that does not pass is tried again each time.
"""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from grader.engines.backend import COMPILER_VARIABLE, TRIED
from grader.engines.entry_points import EntrySignatures
from grader.engines.toolset import Toolset, known_remedy_for
from grader.model.errors import RemediableError
from grader.model.result import Finding
from grader.model.verdicts import Verdict
from grader.run.kernels.kernel_source import KernelSource
from grader.run.launches.kernel_check import CheckRequest, check_built, refusals_of
from grader.run.scoring.metrics import LOAD, STORE
from grader.system.own_files import write_atomically

# A canary: a small kernel, and what must come of it, which its first line says. Runs nothing.
#
# // canary: out-of-bounds in lines 18 21 24
# // canary: unscanned, rejected              (the text is not scanned first: what is behind that has to refuse it)
# // canary: timeout by steps                (and not by the clock)
# // canary: pass counting 7 loads and 6 stores
#
# The kernel is named `canary` and takes an output of 32 floats, an input of 32 floats and their number.

KERNEL = "canary"
ELEMENTS = 32
SHARED_BYTES = 1024  # dynamic shared memory of the launch
STEPS = 200_000  # after which it is ended; an honest canary needs some thousands
_REQUESTS = {LOAD.requests: "loads", STORE.requests: "stores"}
_FIRST_LINE = re.compile(
    r"// canary: (?P<unscanned>unscanned, )?(?P<verdicts>[a-z-]+(?: or [a-z-]+)*)(?: in lines (?P<lines>\d+(?: \d+)*))?"
    r"(?P<stepwise> by steps)?(?: counting (?P<loads>\d+) loads and (?P<stores>\d+) stores)?"
)


@dataclass(frozen=True)
class Canary:
    source: Path
    text: str
    verdicts: frozenset[Verdict]  # one of them
    lines: frozenset[int]  # in each of which there is a finding of that kind; there may be more in others
    stepwise: bool  # it ends when its steps are used up
    unscanned: bool
    counts: dict[str, int]  # of requests to global memory, by their names at NVIDIA

    def missed(
        self,
        verdict: Verdict,
        findings: Collection[Finding],
        message: str = "",
        counted: Mapping[str, int] | None = None,
    ) -> str:
        """What went otherwise than it must; empty: nothing. `message`: how the launch ended; `counted`: what was counted in it."""
        errors = [finding for finding in findings if finding.severity == "error"]
        why = next((one.message for one in errors if one.kind is verdict), message)
        if verdict not in self.verdicts:
            wanted = " or ".join(sorted(self.verdicts))
            return f"must be {wanted} and is {verdict}{f' ({why})' if why else ''}"
        if strange := sorted({str(one.kind) for one in errors} - {str(verdict)}):
            return f"must be {verdict} alone and is {', '.join(strange)} too"
        seen = {line for one in errors for line in (one.line, one.other.line if one.other else None)}
        if unseen := sorted(self.lines - seen):
            return f"must be {verdict} in line {unseen[0]} too, where nothing is seen"
        steps = (counted or {}).get("events", 0)
        if self.stepwise and steps < STEPS:
            return f"must end after {STEPS:,} steps and takes {steps:,}"
        for name, count in self.counts.items():
            if (counted or {}).get(name) != count:
                return f"must make {count} requests ({name}) and makes {(counted or {}).get(name)}"
        return ""


def read_canaries(folder: Path) -> list[Canary]:
    """All of the folder, by name. Raises RemediableError where there is none, or one does not say what must come of it."""
    canaries = [_read(path) for path in sorted(folder.glob("*.cu"))]
    if not canaries:
        message = f"{folder} holds no canary, so nothing shows what the compiler does: restore the kit's files"
        raise RemediableError(message)
    return canaries


def _read(path: Path) -> Canary:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise RemediableError(f"the canary {path} cannot be read: {error}") from error
    match = _FIRST_LINE.fullmatch(text.partition("\n")[0])
    known = {verdict.value for verdict in Verdict} - {Verdict.INTERNAL_ERROR.value}
    if match is None or not known.issuperset(match["verdicts"].split(" or ")):
        message = f"the first line of the canary {path} does not say what must come of it: restore the kit's files"
        raise RemediableError(message)
    verdicts = frozenset(map(Verdict, match["verdicts"].split(" or ")))
    counts = {name: int(match[group]) for name, group in _REQUESTS.items() if match[group]}
    lines = frozenset(map(int, (match["lines"] or "").split()))
    return Canary(path, text, verdicts, lines, bool(match["stepwise"]), bool(match["unscanned"]), counts)


# Builds one canary exactly as a submission is built, launches it under every detector, and says what went otherwise than it must.

_ENTRIES = EntrySignatures(KERNEL, by_name=True)


def run_canary(toolset: Toolset, canary: Canary, scratch: Path | None = None) -> str:
    """Empty where all is as it must be. `scratch`: where its folder is made; None: where temporary files go."""
    try:
        with tempfile.TemporaryDirectory(prefix="control-", dir=scratch, ignore_cleanup_errors=True) as folder:
            return _run(toolset, canary, Path(folder))
    except Exception as error:  # noqa: BLE001 -- whatever it is, submissions are in no better hands
        return f"could not be judged: {error}"


def _run(toolset: Toolset, canary: Canary, folder: Path) -> str:
    work = folder / "work"
    work.mkdir()
    build = toolset.cpu_build(canary.source, work, _ENTRIES, scanned=not canary.unscanned)
    if build.runner is None:
        source = KernelSource(canary.source.name, {canary.source.name: canary.text})
        findings = refusals_of(source, build)
        return canary.missed(findings[0].kind, findings)
    given, threads = (f"float[{ELEMENTS}]", f"float[{ELEMENTS}]=random", f"int={ELEMENTS}"), (ELEMENTS, 1, 1)
    plain = CheckRequest(canary.source.name, KERNEL, (1, 1, 1), threads, SHARED_BYTES, given)
    request = replace(plain, event_budget=STEPS)
    checked = check_built(toolset, build, request, folder)
    return canary.missed(checked.verdict, checked.findings, checked.message, checked.counters | checked.metrics)


_CODE = Path(__file__).resolve().parents[1]


def compiler_trouble(toolset: Toolset) -> str:
    """Why this compiler cannot be used, and what to do. Empty where every canary came to what it must, now or earlier."""
    try:
        record = _record(toolset)
        if record.is_file():
            return ""
        tried = try_compiler(toolset)
        trouble = next((sentence(toolset, canary, what) for canary, what in tried if what), "")
        if not trouble:
            with suppress(OSError):  # in a folder of another user: then it is tried again next time
                write_atomically(record, f"{toolset.compiler_version}: {len(tried)} canaries\n")
    except (OSError, RemediableError) as error:
        return f"the compiler cannot be tried: {error}"
    return trouble


def try_compiler(toolset: Toolset) -> list[tuple[Canary, str]]:
    """All canaries, each with what went otherwise than it must; empty: nothing. Raises RemediableError where there are none."""
    canaries = read_canaries(toolset.root / "kit" / "canaries")

    def run(canary: Canary) -> str:  # twice, as a submission: what fails once may have been another program's doing
        return run_canary(toolset, canary) and run_canary(toolset, canary)

    with ThreadPoolExecutor(min(os.cpu_count() or 1, len(canaries))) as pool:
        return list(zip(canaries, pool.map(run, canaries), strict=True))


def sentence(toolset: Toolset, canary: Canary, what: str) -> str:
    """What a person is told of a canary that went otherwise."""
    if remedy := known_remedy_for(what):
        return f"this machine cannot grade at the moment: the kit's canary {canary.source.stem} {what}. {remedy}"
    return (
        f"the detectors cannot rely on {toolset.compiler_version}: the kit's canary {canary.source.stem} {what}. "
        f"Choose another compiler with {COMPILER_VARIABLE} ({TRIED} were tried), then grade again."
    )


def _record(toolset: Toolset) -> Path:
    """The file that says that this compiler passed."""
    digest = hashlib.sha256()
    # Large files are told by size and time.
    for path in (*toolset.compiler_programs, *toolset.toolchain.archives, toolset.build / "bin" / "launch"):
        state = path.stat()
        # In whole seconds: an image of a container keeps no smaller parts, and what was tried when it was built has to count in it.
        digest.update(f"{path}\0{state.st_size}\0{int(state.st_mtime)}\n".encode())
    for path in [*sorted((_CODE / "engines").rglob("*.py")), *sorted((toolset.root / "kit" / "canaries").glob("*.cu"))]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    digest.update(f"{toolset.compiler_version}\0{toolset.confinement.name}".encode())
    return toolset.toolchain.prelude.parent / f"canaries-{digest.hexdigest()[:16]}"
