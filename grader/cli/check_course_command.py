"""`tilelab check-course` after its options are parsed: collects the proofs, opens the toolset if one needs it, runs them."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from rich.console import Console

from grader.cli.proofs import page_proofs
from grader.cli.proofs.course_proofs import LabProofs, UnpackedHandout, course_proofs, pages
from grader.cli.proofs.proving import Proof, prove
from grader.course.handouts import handout
from grader.engines.toolset import Toolset
from grader.model.course_root import course_root, load_labs, seed_if_made
from grader.model.errors import RemediableError
from grader.model.labs import Lab
from grader.model.outcome import LabOutcome
from grader.model.result import LabResult
from grader.model.verdicts import Verdict
from grader.roll.batch.job_store import JobStore, job_key, judging_fingerprints, lab_fingerprint
from grader.run.lab_judging import LabJudge
from grader.run.lab_verdict import broke
from grader.run.scoring.lab_score import score_lab
from grader.source.student_code import normalise

_FAILED = 1
# Used if no seed has been made, as in continuous integration. Any number works, and no seed file is written.
_SOME_SEED = 20_240_917
_KEPT = Path(".tilelab/check")  # what earlier runs judged and proved


class Grading:
    """Grades the course's own kernels as a batch would, and reuses what was judged before."""

    def __init__(self, labs: Sequence[Lab], store: JobStore, scratch: Path, seed: int) -> None:
        self._labs, self._store, self._scratch, self._seed = labs, store, scratch, seed
        self._counting = threading.Lock()
        self._toolset: Toolset | None = None
        self.judged = self.reused = 0

    def begin(self, toolset: Toolset) -> None:
        self._toolset, self._fingerprints = toolset, judging_fingerprints(toolset, self._labs)

    def __call__(self, lab: Lab, source: Path) -> LabResult:
        return score_lab(lab, self._outcome(lab, normalise(source.read_bytes())[0], until_failure=False))

    def catch(self, lab: Lab, text: str) -> Verdict:
        """The verdict on a mutant: that of the first case that fails, or `pass`. Raises RuntimeError if the judge broke."""
        outcome = self._outcome(lab, text.encode(), until_failure=True)
        if outcome.verdict is not None:
            return outcome.verdict
        failed = next((case for case in outcome.cases if not case.passed), None)
        if failed is not None and failed.verdict is Verdict.INTERNAL_ERROR:
            raise RuntimeError(f"the case {failed.name!r} of {lab.id} broke: {failed.message}")
        if failed is None:
            return Verdict.PASS
        return Verdict.WRONG_ANSWER if failed.verdict is Verdict.PASS else failed.verdict  # a technique was not used

    def _outcome(self, lab: Lab, text: bytes, *, until_failure: bool) -> LabOutcome:
        assert self._toolset is not None
        setup = self._fingerprints[lab.id] + (" until the first failure" if until_failure else "")
        key = job_key(text, lab_fingerprint(lab), setup=setup, seed=self._seed)
        outcome = self._store.find(key)
        with self._counting:
            self.judged += outcome is None
            self.reused += outcome is not None
        if outcome is None:
            with tempfile.TemporaryDirectory(dir=self._scratch) as folder:
                handed_in = Path(folder) / lab.public.file
                handed_in.write_bytes(text)
                judge = LabJudge(self._toolset, self._seed, public_only=False, explained=not until_failure)
                outcome = judge(lab, handed_in, Path(folder), until_failure=until_failure)
            # Cases that were left out on purpose are no failure of ours.
            failed = any(case.verdict is Verdict.INTERNAL_ERROR for case in outcome.cases)
            if not (failed if until_failure else broke(lab, outcome)):
                self._store.keep(key, outcome)
        return outcome


def check_course(lab_ids: Sequence[str], wanted: Sequence[str], *, workers: int | None) -> int:
    """`wanted`: names of proofs, or their first words. If it is empty, all proofs run."""
    console = Console(highlight=False)
    root = course_root(Path.cwd())
    labs = load_labs(root, lab_ids)
    if not (root / "solutions").is_dir():
        raise RemediableError(f"{root}: this is a handout; check the course in the folder that has its solutions")
    made = handout(root, labs)
    at_once = workers or os.cpu_count() or 1
    store = root / _KEPT
    made_seed = seed_if_made(root)
    seed = _SOME_SEED if made_seed is None else made_seed
    with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
        grading = Grading(labs, JobStore(store), Path(scratch), seed)
        unpacked = UnpackedHandout(root, labs, made, Path(scratch), store, max(1, at_once // 2))
        built = Proof(
            "handout",
            "builds in an empty folder; starters fail, solutions pass",
            [unpacked.diagnostics],
            needs_kit=True,
        )
        judged = [LabProofs(root, lab, seed, grading, grading.catch) for lab in labs]
        kernels, mutants = (
            [*chain.from_iterable(map(each, judged))] for each in (LabProofs.of_kernels, LabProofs.of_mutants)
        )
        proofs = list(_chosen([*course_proofs(root, labs, made), *kernels, *mutants, built], wanted))
        if needs_kit := any(proof.needs_kit for proof in proofs):
            store.mkdir(parents=True, exist_ok=True)
            grading.begin(Toolset.open(root, allow_no_sandbox=True))  # the course's own kernels
        outcomes = prove(proofs, console, workers=at_once)
    failed = [outcome.proof.name for outcome in outcomes if outcome.diagnostics]
    counted = f"; {grading.judged} kernels judged, {grading.reused} reused from an earlier run" if needs_kit else ""
    console.print(f"{len(outcomes)} proofs, {len(failed)} failed{counted}", soft_wrap=True)
    if failed:
        console.print(f"failed: {', '.join(failed)}", style="red", soft_wrap=True)
    return _FAILED if failed else 0


def remake_pages() -> int:
    """Updates every passage that a command makes, and says which pages changed."""
    console = Console(highlight=False)
    root = course_root(Path.cwd())
    labs = load_labs(root, [])
    for page in pages(root, labs):
        try:
            if page_proofs.remake(root, page):
                console.print(f"wrote {page}", markup=False, soft_wrap=True)
        except page_proofs.MadeTextError as error:
            raise RemediableError(f"{page}:{error.line}: {error}") from error
    return 0


def _chosen(proofs: Sequence[Proof], wanted: Sequence[str]) -> Iterator[Proof]:
    """Raises RemediableError if a name fits no proof."""
    for name in wanted:
        if not any(_is(proof, name) for proof in proofs):
            raise RemediableError(f"there is no proof {name!r}. There are: {', '.join(proof.name for proof in proofs)}")
    yield from (proof for proof in proofs if not wanted or any(_is(proof, name) for name in wanted))


def _is(proof: Proof, name: str) -> bool:
    return name in {proof.name, proof.name.split()[0]}
