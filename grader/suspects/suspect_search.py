"""Tries small changes of a wrong kernel. Where one makes every public case pass, its line is where the student has to look.

Each changed text is built, checked, confined and judged like a submission. Nothing here changes a verdict, and only public cases with
the public seed are run, so what is found tells nothing of a hidden case. If changes in more than two places help, nothing is said.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from grader.engines.checks.entry_points import EntrySignatures
from grader.engines.cpu.cpu_build import build_for_cpu
from grader.judging.judge_call import JudgeCall, run_judge
from grader.judging.lab_judging import RUN_LIMITS
from grader.machine.toolset import Toolset
from grader.model.labs import Lab
from grader.model.outcome import JudgedCase, LabOutcome
from grader.model.result import Suspect
from grader.model.verdicts import Verdict
from grader.suspects.small_edits import SmallEdit, small_edits

MOST_EDITS = 120
MOST_LINES = 600  # of a file; a longer one takes too long to compile so often
_MOST_PLACES = 2
_JUDGE_SECONDS = 20.0  # of one changed kernel, which may never end


@dataclass(frozen=True)
class SuspectSearch:
    """`seconds`: no change is tried after that many; None: all are. `seed`: that of the public cases."""

    toolset: Toolset
    seed: int
    seconds: float | None = None
    clock: Callable[[], float] = time.monotonic

    def suspects(self, lab: Lab, text: str, outcome: LabOutcome) -> tuple[Suspect, ...]:
        """The places that explain a wrong result in a public case, if there is one or two. `text` is the submission's."""
        failed = wrong_cases(lab, outcome)
        if not failed or text.count("\n") > MOST_LINES:
            return ()
        deadline = None if self.seconds is None else self.clock() + self.seconds
        edits = small_edits(text, MOST_EDITS)
        with ThreadPoolExecutor(max(os.cpu_count() or 1, 1)) as workers:
            passed = list(workers.map(lambda edit: self._passes(lab, edit, failed, deadline), edits))
        return places([edit for edit, passes in zip(edits, passed, strict=True) if passes])

    def _passes(self, lab: Lab, edit: SmallEdit, failed: str, deadline: float | None) -> bool:
        """Whether the changed kernel passes every public case that judges the result. The one that failed is run first."""
        if deadline is not None and self.clock() > deadline:
            return False
        with tempfile.TemporaryDirectory(prefix="tilelab-suspect-") as scratch:
            folder = Path(scratch)
            source, work = folder / lab.public.file, folder / "work"
            source.write_text(edit.text, encoding="utf-8")
            work.mkdir()
            entries = EntrySignatures(lab.public.kernel, lab.public.launch)
            built = build_for_cpu(self.toolset.toolchain, self.toolset.confinement, source, work, entries)
            if built.runner is None or built.image is None:
                return False
            argv = self.toolset.confinement.wrap(
                [str(built.runner), "--image", str(built.image)],
                readable=[work],
                writable=[],
                limits=RUN_LIMITS,
                profile="run",
            )
            asked = [case.name for case in lab.public.case if case.role == "correctness"]
            return all(self._judged(lab, argv, folder, names) for names in ([failed], asked))

    def _judged(self, lab: Lab, argv: Sequence[str], folder: Path, names: Sequence[str]) -> bool:
        judge = self.toolset.judge_program(lab.id, public_only=True)
        call = JudgeCall(judge, self.seed, names, until_failure=True, seconds=_JUDGE_SECONDS)
        try:
            cases = run_judge(call, lab, argv, folder, ())
        except RuntimeError:  # whatever went wrong, this change explains nothing
            return False
        return {case.name for case in cases if _is_right(case)} == set(names)


def wrong_cases(lab: Lab, outcome: LabOutcome) -> str:
    """The first public case with a wrong result, if that is the worst that happened in any; else nothing."""
    public = {case.name for case in lab.public.case if case.role == "correctness"}
    failed = [case for case in outcome.cases if case.name in public and not _is_right(case)]
    return failed[0].name if failed and all(case.verdict is Verdict.WRONG_ANSWER for case in failed) else ""


def _is_right(case: JudgedCase) -> bool:
    return case.passed and case.verdict is Verdict.PASS


def places(edits: Sequence[SmallEdit]) -> tuple[Suspect, ...]:
    """One suspect for each place, the most likely change of each; none if there are too many places to be of use."""
    first: dict[tuple[int, ...], SmallEdit] = {}
    for edit in edits:
        first.setdefault(edit.lines, edit)
    if len(first) > _MOST_PLACES:
        return ()
    return tuple(Suspect(lines=lines, before=one.before, after=one.after) for lines, one in first.items())
