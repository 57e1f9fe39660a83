"""A canary: a small kernel, and what must come of it, which its first line says. Runs nothing.

// canary: out-of-bounds in lines 18 21 24
// canary: unscanned, rejected              (the text is not scanned first: what is behind that has to refuse it)
// canary: timeout by steps                (and not by the clock)
// canary: pass counting 7 loads and 6 stores

The kernel is named `canary` and takes an output of 32 floats, an input of 32 floats and their number.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.model.errors import RemediableError
from grader.model.result import Finding
from grader.model.verdicts import Verdict

KERNEL = "canary"
ELEMENTS = 32
SHARED_BYTES = 1024  # dynamic shared memory of the launch
STEPS = 200_000  # after which it is ended; an honest canary needs some thousands
_REQUESTS = {
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "loads",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": "stores",
}
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
        message = f"the canary {path} cannot be read: {error}"
        raise RemediableError(message) from error
    match = _FIRST_LINE.fullmatch(text.partition("\n")[0])
    known = {verdict.value for verdict in Verdict} - {Verdict.INTERNAL_ERROR.value}
    if match is None or not known.issuperset(match["verdicts"].split(" or ")):
        message = f"the first line of the canary {path} does not say what must come of it: restore the kit's files"
        raise RemediableError(message)
    verdicts = frozenset(map(Verdict, match["verdicts"].split(" or ")))
    counts = {name: int(match[group]) for name, group in _REQUESTS.items() if match[group]}
    lines = frozenset(map(int, (match["lines"] or "").split()))
    return Canary(path, text, verdicts, lines, bool(match["stepwise"]), bool(match["unscanned"]), counts)
