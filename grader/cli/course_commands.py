"""The commands about a whole course: `starters`, `handouts`, `new-lab`, and `check-course`, which runs proofs in parallel."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from grader.cli.classes.grade_command import TerminalProgress
from grader.cli.error_exit import say_next
from grader.cli.proofs import page_proofs
from grader.cli.proofs.course_proofs import LabProofs, Proof, Step, UnpackedHandout, course_proofs, pages
from grader.course import handouts, starters
from grader.course.lab_from_folder import draft_of
from grader.course.leaks import Diagnostic, MarkerError
from grader.course.new_lab import files_of, next_steps, with_defaults, write_lab
from grader.engines.toolset import Toolset
from grader.model.course_root import course_root, load_labs, seed_if_made
from grader.model.errors import RemediableError
from grader.model.labs import Lab, LabError
from grader.model.outcome import LabOutcome
from grader.model.result import LabResult
from grader.model.verdicts import Verdict
from grader.roll.batch.job_store import JobStore, job_key, judging_fingerprints, lab_fingerprint
from grader.run.lab_judging import LabJudge
from grader.run.lab_verdict import broke
from grader.run.scoring.lab_score import score_lab
from grader.source.student_code import normalise

_FAILED = 1


def make_starters(
    check: Annotated[
        bool,
        typer.Option("--check", help="change nothing; fail when a starter is out of date or gives a solution away"),
    ] = False,
) -> int:
    """Make the starters in assignments/ from the model solutions, and what is made from each lab's questions."""
    root = course_root(Path.cwd())
    if check:
        return _said(starters.stale(root))
    try:
        written = starters.write(root)
    except MarkerError as error:
        raise LabError(str(error)) from error
    _say("\n".join(f"wrote {path}" for path in written) or "nothing has changed")
    say_next("`make check` proves what is in them")
    return 0


def make_handouts(
    out: Annotated[Path, typer.Option(help="the folder to write the archive to")] = Path("build/handouts"),
    lab: Annotated[list[str] | None, typer.Option(help="hand out this lab only; may be given several times")] = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="write the kinds of file there are now into handouts/listing.txt")
    ] = False,
    built: Annotated[
        bool,
        typer.Option(
            help="with the kit as it is built here (4 MB), so that a student's first test on such a machine does not compile it"
        ),
    ] = True,
) -> int:
    """Make the archive that students are given."""
    root = course_root(Path.cwd())
    labs = load_labs(root, lab or [])
    made = handouts.handout(root, labs)
    if accept:
        (root / handouts.LISTING).write_text(handouts.listing(made), encoding="utf-8")
    if broken := handouts.diagnostics(root, labs, made):
        _said(broken)
        Console(highlight=False).print("nothing was written", style="red")
        return _FAILED
    if built:
        _say("packing the kit that is built here ...")
        made = handouts.with_built_kit(root, made)
    _say(str(made.manifest))
    say_next(f"give students {handouts.write(made, root / out)}, and nothing else")
    return 0


def make_lab(
    lab: Annotated[str, typer.Argument(help="the new lab's name, such as 08-stencil")],
    problem: Annotated[
        str | None,
        typer.Option(help="its header in kit/problems without .hpp, an existing or a new one; default: the lab's name"),
    ] = None,
    kernel: Annotated[str | None, typer.Option(help="the kernel's name; default: problem and lab's name")] = None,
    title: Annotated[str | None, typer.Option(help="the lab's title; default: its name")] = None,
    shape: Annotated[str, typer.Option(help="the sizes of a case of a new problem: n for a vector, or two")] = "M,N",
    folder: Annotated[
        Path | None,
        typer.Option("--from", help="a folder with another course's starter and data: a draft is made of it"),
    ] = None,
) -> int:
    """Write the files of a new lab that builds and runs; docs/writing-a-lab.md says how to continue."""
    root = course_root(Path.cwd())
    new = with_defaults(lab, title=title, problem=problem, kernel=kernel, shape=shape)
    if folder is not None:
        draft = draft_of(root, new, folder)
        write_lab(root, draft.files)
        told = "\n".join(
            [*(f"  {one}" for one in draft.recognised), "", "Left to say:", *(f"  {one}" for one in draft.left)]
        )
        _say("".join(f"wrote {path}\n" for path in draft.files) + f"\nRecognised:\n{told}")
        say_next(
            f"docs/bring-your-lab.md goes on from here; `tilelab check-course --lab {lab} --proof 'cases {lab}'` proves the data"
        )
        return 0
    files = files_of(root, new)
    write_lab(root, files)
    _say("".join(f"wrote {path}\n" for path in files) + "\n" + next_steps(new, files).removesuffix("\n"))
    return 0


def _said(diagnostics: Sequence[Diagnostic]) -> int:
    """The exit status."""
    _say("\n".join(map(str, diagnostics)))
    return _FAILED if diagnostics else 0


def _say(text: str) -> None:
    if text:
        Console(highlight=False).print(text, markup=False, soft_wrap=True)


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
        text = normalise(source.read_bytes())[0]
        whole = lab.whole(text.decode("utf-8", "replace"), source).encode() if lab.public.files else text
        return score_lab(lab, self._outcome(lab, whole, until_failure=False))

    def catch(self, lab: Lab, text: str) -> Verdict:
        """The verdict on a mutant: that of the first case that fails, or `pass`. Raises RuntimeError if the judge broke."""
        outcome = self._outcome(lab, lab.whole(text).encode(), until_failure=True)
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


def check_course(
    lab: Annotated[list[str] | None, typer.Option(help="check this lab only; may be given several times")] = None,
    proof: Annotated[list[str] | None, typer.Option(help="run this proof only; may be given several times")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="how many to run at once; default: one per core")] = None,
    remake: Annotated[
        bool, typer.Option("--remake", help="check nothing; write again what the pages show of commands' output")
    ] = False,
) -> int:
    """Prove that the course is ready for students: starters, solutions, rejects, handout, write-ups, leaks."""
    console = Console(highlight=False)
    root = course_root(Path.cwd())
    if remake:
        for page in pages(root, load_labs(root, [])):
            try:
                _say(f"wrote {page}" if page_proofs.remake(root, page) else "")
            except page_proofs.MadeTextError as error:
                raise RemediableError(f"{page}:{error.line}: {error}") from error
        return 0
    labs = load_labs(root, lab or [])
    if not (root / "solutions").is_dir():
        raise RemediableError(f"{root}: this is a handout; check the course in the folder that has its solutions")
    made = handouts.handout(root, labs)
    at_once = jobs or os.cpu_count() or 1
    store = root / _KEPT
    made_seed = seed_if_made(root)
    seed = _SOME_SEED if made_seed is None else made_seed
    with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
        grading = Grading(labs, JobStore(store), Path(scratch), seed)
        unpacked = UnpackedHandout(root, labs, made, Path(scratch), store, max(1, at_once // 2))
        holds = "builds in an empty folder; starters fail, solutions pass"
        built = Proof("handout", holds, [unpacked.diagnostics], needs_kit=True)
        judged = [LabProofs(root, lab, seed, grading, grading.catch) for lab in labs]
        of_labs = (
            one for each in (LabProofs.of_kernels, LabProofs.of_mutants) for lab_ in judged for one in each(lab_)
        )
        proofs = _chosen([*course_proofs(root, labs, made), *of_labs, built], proof or [])
        if needs_kit := any(one.needs_kit for one in proofs):
            store.mkdir(parents=True, exist_ok=True)
            grading.begin(Toolset.open(root, allow_no_sandbox=True))  # the course's own kernels
        outcomes = prove(proofs, console, workers=at_once)
    failed = [outcome.proof.name for outcome in outcomes if outcome.diagnostics]
    counted = f"; {grading.judged} kernels judged, {grading.reused} reused from an earlier run" if needs_kit else ""
    console.print(f"{len(outcomes)} proofs, {len(failed)} failed{counted}", soft_wrap=True)
    if failed:
        console.print(f"failed: {', '.join(failed)}", style="red", soft_wrap=True)
        say_next("correct what failed, and run the same command again")
    else:
        say_next("all proofs, without --proof" if proof else "`make handouts` packs it for students")
    return _FAILED if failed else 0


def _chosen(proofs: Sequence[Proof], wanted: Sequence[str]) -> list[Proof]:
    """Raises RemediableError if a name fits no proof."""
    names = [{one.name, one.name.split()[0]} for one in proofs]
    if unknown := [name for name in wanted if not any(name in each for each in names)]:
        raise RemediableError(f"there is no proof {unknown[0]!r}. There are: {', '.join(one.name for one in proofs)}")
    return [one for one, each in zip(proofs, names, strict=True) if not wanted or not each.isdisjoint(wanted)]


# Runs proofs in parallel, and prints their outcomes in the order of the list: a line for each, and below it what is wrong.
#
# An exception in a step becomes a diagnostic of its proof: what could not be checked is not proved.


@dataclass(frozen=True)
class Proved:
    proof: Proof
    diagnostics: tuple[Diagnostic, ...]


def prove(proofs: Sequence[Proof], console: Console, *, workers: int) -> list[Proved]:
    """Outcomes are printed in their order. Proofs without the kit start first, then those of few steps: no long step starts last."""
    steps = [(index, step) for index, proof in enumerate(proofs) for step in proof.steps]
    steps.sort(key=lambda one: (proofs[one[0]].needs_kit, len(proofs[one[0]].steps)))
    running: list[list[Future[Sequence[Diagnostic]]]] = [[] for _ in proofs]
    outcomes: list[Proved] = []
    progress, done = TerminalProgress(console), count(1)
    if console.is_terminal:
        progress.doing("proved", 0, len(steps))
    with ExitStack() as at_end, ThreadPoolExecutor(workers) as pool:
        at_end.callback(progress.end)
        try:
            for index, step in steps:
                running[index].append(pool.submit(_run, step, proofs[index].name))
                if console.is_terminal:
                    running[index][-1].add_done_callback(lambda _: progress.doing("proved", next(done), len(steps)))
            for proof, futures in zip(proofs, running, strict=True):
                found = chain.from_iterable(one.result() for one in futures)
                ordered = sorted(found, key=lambda one: (one.path, one.line or 0, one.what))
                outcomes.append(Proved(proof, tuple(ordered)))
                console.print(lines_of(outcomes[-1]), soft_wrap=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return outcomes


def _run(step: Step, name: str) -> Sequence[Diagnostic]:
    try:
        return list(step())
    except RemediableError as error:
        return [Diagnostic(name, None, str(error))]
    except Exception as error:  # noqa: BLE001 -- whatever failed, the other proofs go on
        return [Diagnostic(name, None, f"this could not be looked at: {type(error).__name__}: {error}")]


_NAME_WIDTH = 22


def lines_of(outcome: Proved) -> Text:
    """`ok    leaks   no solution …`, or `FAILS leaks` and a line for each diagnostic."""
    name = f"{outcome.proof.name:{_NAME_WIDTH}} "
    if not outcome.diagnostics:
        return Text.assemble(("ok    ", "green"), name, (outcome.proof.holds, "dim"))
    details = "".join(f"\n      {diagnostic}" for diagnostic in outcome.diagnostics)
    count = len(outcome.diagnostics)
    return Text.assemble(("FAILS ", "bold red"), (name, "bold"), f"{count} problem{'s' if count > 1 else ''}:", details)
