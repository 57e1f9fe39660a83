"""Runs one fuzzer for a time, from one seed: case after case, in one process. Keeps the folder of each finding.

The same seed gives the same cases in the same order. How many of them fit into the time depends on the machine.
"""

from __future__ import annotations

import re
import shutil
import signal
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from fuzzer import Fuzzer, HangError, WrongError, chance_of

KEPT_OF_A_KIND = 3  # findings whose first lines are alike, but for numbers and names


@dataclass(frozen=True)
class Finding:
    fuzzer: str
    seed: int
    number: int  # of the case
    text: str
    folder: Path

    @property
    def kind(self) -> str:
        """The exception and where it was raised; of a sentence, what does not differ from case to case."""
        last = self.text.strip().splitlines()[-1]
        if raised := re.findall(r'File "([^"]+)", line (\d+)', self.text):
            return f"{last.split(':')[0]} at {raised[-1]}"
        return re.sub(r"\d+|'[^']*'|\"[^\"]*\"|[(\[].*|/\S+", "…", last)[:120]


@dataclass
class Campaign:
    """What one fuzzer did."""

    fuzzer: str
    cases: int = 0
    seconds: float = 0
    tally: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)
    unkept: int = 0  # findings like those that are kept

    @property
    def found(self) -> int:
        return len(self.findings) + self.unkept


def run_campaign(
    fuzzer: Fuzzer,
    seed: int,
    findings: Path,
    *,
    more: Callable[[int, float], bool],
    tell: Callable[[Finding], None] = lambda _finding: None,
) -> Campaign:
    """`more`, given the number of cases and the seconds so far, says whether another case is wanted. `findings`: where to keep them.
    `tell` hears of each that is kept, at once.
    """
    done = Campaign(fuzzer.name)
    began = time.monotonic()
    kinds: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix=f"fuzz-{fuzzer.name}-") as scratch:
        while more(done.cases, time.monotonic() - began):
            folder = Path(scratch) / "case"
            folder.mkdir()
            number = done.cases
            fuzzer.make(chance_of(fuzzer.name, seed, number), folder)
            kept = findings / f"{fuzzer.name}-{seed}-{number}"
            trouble, became = check_case(fuzzer, folder, as_it_was=Path(scratch) / "copy")
            done.cases += 1
            done.tally[became] += 1
            if trouble:
                finding = Finding(fuzzer.name, seed, number, trouble, kept)
                kinds[finding.kind] += 1
                if kinds[finding.kind] <= KEPT_OF_A_KIND:
                    _keep(Path(scratch) / "copy", finding)
                    done.findings.append(finding)
                    tell(finding)
                else:
                    done.unkept += 1
            for left in (folder, Path(scratch) / "copy"):
                shutil.rmtree(left, ignore_errors=True)
    done.seconds = time.monotonic() - began
    return done


def check_case(fuzzer: Fuzzer, folder: Path, *, as_it_was: Path | None = None) -> tuple[str, str]:
    """What is wrong, or an empty text; and what became of the case. `as_it_was`: where a copy of the folder goes first."""
    if as_it_was is not None:
        shutil.copytree(folder, as_it_was, symlinks=True)
    try:
        with _alarm(fuzzer.seconds):
            return "", fuzzer.check(folder)
    except HangError:
        return f"the case was not done after {fuzzer.seconds:g} seconds\n", "hang"
    except WrongError as wrong:
        return f"{wrong}\n", "wrong"
    except Exception:  # noqa: BLE001 -- whatever Tilelab lets through is a finding
        return traceback.format_exc(), "failed"


def _keep(folder: Path, finding: Finding) -> None:
    shutil.rmtree(finding.folder, ignore_errors=True)
    shutil.copytree(folder, finding.folder, symlinks=True)
    (finding.folder / "finding.txt").write_text(
        f"{finding.text}\nfuzzer: {finding.fuzzer}, seed {finding.seed}, case {finding.number}\n",
        encoding="utf-8",
        errors="replace",
    )


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Raises HangError in this thread, which must be the main one, when the time is over."""

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise HangError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
