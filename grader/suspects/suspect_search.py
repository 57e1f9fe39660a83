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
from grader.model.outcome import JudgedCase
from grader.model.result import Case, Suspect
from grader.model.verdicts import Verdict
from grader.suspects.small_edits import SmallEdit, small_edits

MOST_EDITS = 120
MOST_LINES = 600  # of a file; a longer one takes too long to compile so often
_MOST_PLACES = 2
_JUDGE_SECONDS = 20.0  # of one changed kernel, which may never end


@dataclass(frozen=True)
class SuspectSearch:
    """`seconds`: no change is tried after that many; None: all of the `most` likely are. `seed`: that of the public cases."""

    toolset: Toolset
    seed: int
    seconds: float | None = None
    clock: Callable[[], float] = time.monotonic
    most: int = MOST_EDITS

    def suspects(self, lab: Lab, text: str, cases: Sequence[JudgedCase | Case]) -> tuple[Suspect, ...]:
        """The places that explain a wrong result in a public case, if there are one or two. `text`: the submission's; `cases`: what
        came of it.
        """
        failed = wrong_case(lab, cases)
        if not failed or text.count("\n") > MOST_LINES:
            return ()
        deadline = None if self.seconds is None else self.clock() + self.seconds
        judge = self.toolset.judge_program(lab.id, public_only=True)
        edits = small_edits(text, self.most)
        helping: list[SmallEdit] = []

        def attempt(edit: SmallEdit) -> None:
            late = deadline is not None and self.clock() > deadline
            if (
                not late
                and len({one.lines for one in helping}) <= _MOST_PLACES
                and self._passes(lab, judge, edit, failed)
            ):
                helping.append(edit)

        with ThreadPoolExecutor(max(os.cpu_count() or 1, 1)) as workers:
            list(workers.map(attempt, edits))
        return places(sorted(helping, key=edits.index))

    def _passes(self, lab: Lab, judge: Path, edit: SmallEdit, failed: str) -> bool:
        """Whether the changed kernel passes every public case that judges the result. The one that failed is run first."""
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
            return all(self._judged(lab, judge, argv, folder, names) for names in ([failed], asked))

    def _judged(self, lab: Lab, judge: Path, argv: Sequence[str], folder: Path, names: Sequence[str]) -> bool:
        call = JudgeCall(judge, self.seed, names, until_failure=True, seconds=_JUDGE_SECONDS)
        try:
            cases = run_judge(call, lab, argv, folder, ())
        except RuntimeError:  # whatever went wrong, this change explains nothing
            return False
        return {case.name for case in cases if _is_right(case)} == set(names)


def wrong_case(lab: Lab, cases: Sequence[JudgedCase | Case]) -> str:
    """The first public case with a wrong result; nothing where something else is wrong than results and places of accesses."""
    public = {case.name for case in lab.public.case if case.role == "correctness"}
    failed = [case for case in cases if case.name in public and not _is_right(case)]
    if not all(case.verdict in {Verdict.WRONG_ANSWER, Verdict.OUT_OF_BOUNDS} for case in failed):
        return ""
    return next((case.name for case in failed if case.verdict is Verdict.WRONG_ANSWER), "")


def _is_right(case: JudgedCase | Case) -> bool:
    return case.passed and case.verdict is Verdict.PASS


def places(edits: Sequence[SmallEdit]) -> tuple[Suspect, ...]:
    """One suspect for each place, the most likely change of each; none if there are too many places to be of use."""
    first: dict[tuple[int, ...], SmallEdit] = {}
    for edit in edits:
        first.setdefault(edit.lines, edit)
    if len(first) > _MOST_PLACES:
        return ()
    return tuple(Suspect(lines=lines, before=one.before, after=one.after) for lines, one in first.items())
