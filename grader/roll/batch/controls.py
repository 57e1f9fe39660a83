"""Controls: kernels of the course's own whose verdicts are known, judged exactly as a submission is.

Each lab has two, its model solution and one of its rejects. Where one of them gets another verdict than it must, this machine or this
clone is broken, and nobody's kernel can be judged here: the answer is one sentence, with what to do. A lab without a model solution
has no right control; then nothing shows that a right kernel would pass.
"""

from __future__ import annotations

import os
import re
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from rich.console import Console

from grader.engines.toolset import Toolset, remedy_for
from grader.explain.suspect_search import ClassSearch
from grader.model.course_root import PUBLIC_SEED
from grader.model.labs import Lab, LabError
from grader.model.outcome import LabOutcome
from grader.model.result import LabResult
from grader.model.verdicts import Verdict, worst
from grader.roll.batch.job_store import judging_fingerprints
from grader.roll.batch.judging_jobs import JudgingSetup, LineSearch
from grader.roll.batch.opened_tools import environment_of, lab_judge, size_sweep
from grader.run.compiler_trial import compiler_trouble
from grader.system.own_files import remove_folder

_TRIES = 2  # as for a submission: what fails once may have been another program's doing
# Rejects that show most: they run, and only a detector tells that they are wrong.
_PREFERRED = (Verdict.RACE, Verdict.OUT_OF_BOUNDS, Verdict.UNINITIALIZED_READ, Verdict.WRONG_ANSWER)


# Judges a lab's source in a folder, as a submission is judged. `only`: the cases of these names; empty: all of them. `until_failure`: none
# after the first that fails.
ControlJudge = Callable[..., LabOutcome]


@dataclass(frozen=True)
class Control:
    lab: Lab
    source: Path
    wanted: Verdict
    case: str | None  # the only one that is run; None: all

    @property
    def words(self) -> str:
        return f"{'model solution' if self.wanted is Verdict.PASS else 'wrong kernel'} of {self.lab.id}"


@dataclass(frozen=True)
class Controls:
    """`scratch`: where their folders are made; None: where temporary files go."""

    judge: ControlJudge
    scratch: Path | None = None
    workers: int | None = None  # None: as many as there are controls
    # Why the compiler cannot be relied on; empty, as it is by itself: nothing is known against it.
    compiler: Callable[[], str] = str
    on_cpu: ControlJudge | None = None  # the same with the CPU executor alone; none: `judge` uses no other
    _stopped: threading.Event = field(default_factory=threading.Event)

    def trouble(self, labs: Sequence[Lab]) -> str:
        """Why this machine cannot grade, and what to do; empty where all controls of `labs` get their verdicts, and the compiler is one
        that the detectors can rely on.
        """
        controls = [control for lab in labs for control in controls_of(lab)]
        with ThreadPoolExecutor(max(1, min(self.workers or len(controls), len(controls)))) as pool:
            return next(filter(None, pool.map(self._trouble, controls)), "") or self.compiler()

    def stop(self) -> None:
        """Begins no control any more."""
        self._stopped.set()

    def covers(self, lab: Lab) -> bool:
        """Whether anything shows that a right kernel of `lab` passes here."""
        return any(control.wanted is Verdict.PASS for control in controls_of(lab))

    def _trouble(self, control: Control) -> str:
        for _ in range(_TRIES):
            if self._stopped.is_set():
                return "grading was interrupted"
            # A wrong kernel often has its verdict from the first case that fails, and from the CPU executor, which no GPU overrules: then
            # nobody waits for more.
            quick = partial(self.on_cpu or self.judge, until_failure=True)
            if control.wanted is not Verdict.PASS and not self._tried(control, quick):
                return ""
            if not (what := self._tried(control, partial(self.judge, until_failure=False))):
                return ""
        return f"this machine cannot grade at the moment: the {control.words} {what}. {remedy_for(what)}"

    def _tried(self, control: Control, judge: ControlJudge) -> str:
        only = () if control.case is None else (control.case,)
        folder = None
        try:
            folder = Path(tempfile.mkdtemp(prefix="control-", dir=self.scratch))
            outcome = judge(control.lab, control.source, folder, only=only)
        except Exception as error:  # noqa: BLE001 -- whatever it is, no submission can be judged either
            return f"could not be judged: {error}"
        finally:
            if folder is not None:
                remove_folder(folder)
        seen, why = _seen(outcome)
        return "" if seen is control.wanted else f"must be {control.wanted} and is {seen}{f' ({why})' if why else ''}"


def controls_of(lab: Lab) -> list[Control]:
    """The right one first. None without the private half, as in a handout."""
    if lab.private_dir is None:
        return []
    model = lab.private_dir / lab.public.file
    first = next((case.name for case in lab.cases if case.role == "correctness"), None)
    right = [Control(lab, model, Verdict.PASS, first)] if model.is_file() and first else []
    return [*right, *_wrong_one(lab, lab.private_dir / "rejects")]


def _wrong_one(lab: Lab, folder: Path) -> list[Control]:
    found: dict[Verdict, Path] = {}
    for source in sorted(folder.glob("*.cu")):
        try:
            found.setdefault(demanded(source).verdict, source)
        except (LabError, OSError):
            continue  # `check-course` says so
    chosen = next((verdict for verdict in (*_PREFERRED, *sorted(found)) if verdict in found), None)
    return [Control(lab, found[chosen], chosen, None)] if chosen else []


def _seen(outcome: LabOutcome) -> tuple[Verdict, str]:
    """The worst verdict of what was run, and why. What was not asked for was not run."""
    if outcome.verdict is not None:
        return outcome.verdict, "; ".join(finding.message for finding in outcome.findings)
    cases = [*outcome.cases, *(outcome.gpu.cases if outcome.gpu else ())]
    if not cases:
        return Verdict.INTERNAL_ERROR, "the judge ran no case"
    findings = [one for case in cases for launch in case.launches for one in launch.findings]
    errors = [one.kind for one in findings if one.severity == "error"]
    verdict = worst([*(case.verdict for case in cases), *errors])
    if verdict is Verdict.PASS and not all(case.passed for case in cases):
        return Verdict.INTERNAL_ERROR, "a case failed without a reason"
    return verdict, next((case.message for case in cases if case.verdict is verdict and case.message), "")


# Notices when most of a class ends the same way, which is rarer among students than among broken machines. Pure.

_FEWEST = 5  # files: below that, most of them is nobody
_MOST = 0.5  # of the files handed in
_NOT_JUDGED = frozenset({Verdict.MISSING_FILE, Verdict.INTERNAL_ERROR})


def same_endings(
    labs: Sequence[Lab], verdicts: Mapping[str, Sequence[Verdict]]
) -> Iterator[tuple[Lab, Verdict, int, int]]:
    """Each lab of which most files get one verdict that is no pass, with how many of how many. `verdicts`: by lab, of each file."""
    for lab in labs:
        judged = [one for one in verdicts[lab.id] if one not in _NOT_JUDGED]
        if len(judged) < _FEWEST:
            continue
        verdict, count = Counter(judged).most_common(1)[0]
        if verdict is not Verdict.PASS and count > _MOST * len(judged):
            yield lab, verdict, count, len(judged)


# What a class is judged with on this machine, controls among it.


def jobs_at_once(toolset: Toolset) -> int:
    """How many files are judged at a time. One waits for a process to begin or to end while the others have the cores; with a GPU, about
    half of them wait for it.
    """
    cores = os.cpu_count() or 1
    return 2 * cores if toolset.gpu.runs else cores + 1


def class_setup(
    toolset: Toolset,
    labs: Sequence[Lab],
    seed: int,
    console: Console,
    *,
    sweep: bool,
    search_seconds: float | None,
    workers: int,
) -> JudgingSetup:
    """What a class is judged with on this machine. `workers`: as many as this process has cores."""
    judge = lab_judge(toolset, seed, public_only=False, draws=True)
    return JudgingSetup(
        judge=judge,
        environment=environment_of(toolset),
        fingerprints=judging_fingerprints(toolset, labs),
        seed=seed,
        sweep=size_sweep(toolset, console) if sweep else None,
        lines=LineSearch(ClassSearch(toolset, seed, PUBLIC_SEED), search_seconds, workers=workers),
        controls=Controls(
            replace(judge, explained=False, drawn=None),
            workers=workers,
            compiler=partial(compiler_trouble, toolset),
            on_cpu=replace(judge, toolset=toolset.without_gpu(), explained=False, drawn=None),
        ),
    )


# What the first lines of a wrong kernel in `rejects/` demand: its verdict, optionally the line of the finding, and the name of the mistake
# that explains its output: several, in alphabetical order, where different launches show different ones. A reject that names no mistake
# must get no explanation.
#
# // verdict: wrong-answer
# // explains: a-transposed

_SECOND_LINE = re.compile(r"// explains: ([a-z-]+(?:, [a-z-]+)*)")
_FIRST_LINE = re.compile(r"// verdict: ([a-z-]+)(?: line: (\d+))?")


@dataclass(frozen=True)
class Demand:
    verdict: Verdict
    line: int | None
    explains: str | None = None


def demanded(source: Path) -> Demand:
    """Raises LabError where the first line of `source` states no verdict, or `pass`."""
    first, second, *_ = [*source.read_text(encoding="utf-8", errors="replace").splitlines(), "", ""]
    match = _FIRST_LINE.fullmatch(first)
    known = {verdict.value for verdict in Verdict} - {Verdict.PASS, Verdict.INTERNAL_ERROR}
    if match is None or match[1] not in known:
        raise LabError(f"{first!r} is not a line `// verdict: …` with one of {', '.join(sorted(known))}")
    mistake = _SECOND_LINE.fullmatch(second)
    return Demand(Verdict(match[1]), int(match[2]) if match[2] else None, mistake[1] if mistake else None)


def unmet(demand: Demand, result: LabResult) -> str | None:
    """Why `result` is not what was demanded. None: it is."""
    errors = [finding for finding in result.findings if finding.severity == "error"]
    seen = "; ".join(f"{finding.kind} in line {finding.line}: {finding.message}" for finding in errors) or "no finding"
    if result.verdict is not demand.verdict:
        return f"should get {demand.verdict}, but gets {result.verdict} ({seen})"
    if result.points >= result.max_points:
        return f"gets {demand.verdict}, but also full marks"
    places = [one for finding in errors if finding.kind is demand.verdict for one in (finding, finding.other) if one]
    found = any(one.line == demand.line for one in places)  # both lines of a race or of a divergence count
    if demand.line is not None and not found:
        return f"should get {demand.verdict} in line {demand.line}, but it is found elsewhere ({seen})"
    explained = sorted(
        {launch.explanation.mistake for case in result.cases for launch in case.launches if launch.explanation}
    )
    wanted_ones = demand.explains.split(", ") if demand.explains else []
    # A launch that goes out of bounds may end before there is an output. Whether there is one then depends on the random shape.
    may_lack_one = demand.verdict is not Verdict.WRONG_ANSWER and not explained
    if explained != wanted_ones and not may_lack_one:
        wanted = f"`// explains: {demand.explains}`" if demand.explains else "no explanation"
        line = f"`// explains: {', '.join(explained)}`"
        remedy = f"{'make its second line' if demand.explains else 'add the second line'} {line}"
        return (
            f"should get {wanted}, but gets {', '.join(explained) or 'none'}; if that is right, "
            f"{remedy if explained else 'remove its second line'}"
        )
    return None
