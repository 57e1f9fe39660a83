"""`tilelab grade-one PLATFORM FOLDER`: grades one submission inside a platform's container, and writes what the platform reads.

Whatever happens, the platform gets an answer. Where something of ours fails, the answer says so and holds no points, and the exit status
is 3. What failed is told on standard error only where students do not see that.
"""

from __future__ import annotations

import datetime as dt
import os
import shutil
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from grader.course.handouts import course_time
from grader.engines.toolset import Toolset
from grader.explain.suspect_search import ClassSearch
from grader.model.course_root import PUBLIC_SEED, course_root, course_seed, load_labs
from grader.model.errors import MachineError, RemediableError
from grader.model.labs import Lab, lab_ids
from grader.model.result import UNDECIDED, Result
from grader.model.verdicts import Verdict
from grader.model.written_names import clean
from grader.pages.pages import student_page
from grader.plugins.autograders.packing import PACKS, PackMade, PackRequest
from grader.plugins.autograders.platform_list import (
    NEEDS_A_GPU,
    NOT_GRADED,
    Answer,
    AutograderPlatform,
    Graded,
    HandedIn,
    platform_named,
)
from grader.roll.batch.class_insight import asking_labs, with_answers
from grader.roll.batch.controls import Controls
from grader.roll.batch.job_store import JobStore
from grader.roll.batch.judging_jobs import JudgingSetup, LineSearch, Progress, judge_class, plan_judging
from grader.roll.batch.opened_tools import environment_of, lab_judge, open_toolset
from grader.roll.batch.output_folder import scratch_folder
from grader.roll.intake.intake import Intake, take_one
from grader.roll.intake.matching import lab_file
from grader.roll.intake.upload import STUDENT, Refusal, Upload, read_folder
from grader.roll.people.identities import id_form
from grader.run.compiler_trial import compiler_trouble
from grader.run.scoring.lab_score import decide_class, score_class
from grader.run.scoring.redaction import for_programs, for_student
from grader.system.confinement import Confinement
from grader.system.own_files import write_atomically

_FAULTS = 3
_SEARCH_SECONDS = 10.0  # for the line of a wrong result: a student waits


@dataclass(frozen=True)
class OneRequest:
    """What `tilelab grade-one` was asked to do."""

    platform: Annotated[
        str, typer.Argument(help="gradescope, classroom50, github-actions, prairielearn or autolab", metavar="PLATFORM")
    ]
    submission: Annotated[
        Path, typer.Argument(help="the folder with one student's files, as the platform puts it there")
    ]
    out: Annotated[Path, typer.Option(help="the folder from which the platform takes the result")]
    metadata: Annotated[
        Path | None, typer.Option(help="the platform's own file about the submission: who, when", metavar="FILE")
    ] = None
    labs: Annotated[tuple[str, ...], typer.Option("--lab", help="grade this lab only; may be given several times")] = ()
    public: Annotated[
        bool, typer.Option("--public", help="run the public tests alone, as where nothing can be hidden from students")
    ] = False


def grade_one(request: OneRequest) -> int:
    """Grade one submission inside a platform's container, and write the result in its format: see docs/autograders.md."""
    platform = platform_named(request.platform)
    root = course_root(Path.cwd())
    known = [lab.id for lab in load_labs(root, request.labs)] if request.labs else lab_ids(root)
    try:
        answer, faults = _answer(request, platform, root, os.environ)
        why = NEEDS_A_GPU if answer is None and not faults else NOT_GRADED
    except Exception as error:  # noqa: BLE001 -- see above
        known_kind = isinstance(error, RemediableError)
        answer, faults, why = None, (str(error) if known_kind else traceback.format_exc(),), NOT_GRADED
    if faults and platform.output_is_secret:
        sys.stderr.write("".join(f"tilelab: {one}\n" for one in faults))
    if answer is None:
        _give(platform.not_graded(known, why), request.out)
        return _FAULTS
    _give(answer, request.out)
    return 0


def _answer(
    request: OneRequest, platform: AutograderPlatform, root: Path, environment: Mapping[str, str]
) -> tuple[Answer | None, tuple[str, ...]]:
    """None: not graded. With what broke on our side; nothing: a lab needs a GPU."""
    handed_in = platform.handed_in(request.metadata, environment)
    labs = load_labs(root, request.labs)
    # Submissions are hostile here, so nothing is graded without a sandbox: there is no option for it.
    toolset = open_toolset(root, allow_no_sandbox=False)
    setup, labs = _setup(toolset, root, labs, public=request.public)
    with scratch_folder() as scratch:
        graded = grade_folder(request.submission, handed_in, labs, setup, scratch, toolset.confinement)
    undecided = graded.undecided
    if undecided:
        broken = [one for one in undecided if graded.result.labs[one].verdict is Verdict.INTERNAL_ERROR]
        return None, graded.faults or tuple(f"{one}: nothing says why it was not graded" for one in broken)
    now = dt.datetime.now(tz=dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    page = student_page(for_student(graded.result), sources=graded.texts, preview=request.public)
    return platform.graded(Graded(for_programs(graded.result), page, handed_in, environment, now)), graded.faults


def _setup(toolset: Toolset, root: Path, labs: list[Lab], *, public: bool) -> tuple[JudgingSetup, list[Lab]]:
    seed = PUBLIC_SEED if public else course_seed(root)
    labs = [replace(lab, private=None) for lab in labs] if public else labs
    judge = lab_judge(toolset, seed, public_only=public)
    controls = Controls(
        replace(judge, explained=False), workers=os.cpu_count(), compiler=partial(compiler_trouble, toolset)
    )
    setup = JudgingSetup(
        judge=judge,
        environment=environment_of(toolset),
        fingerprints={lab.id: "" for lab in labs},  # nothing is kept for a later run
        seed=seed,
        lines=None if public else LineSearch(ClassSearch(toolset, seed, PUBLIC_SEED), _SEARCH_SECONDS),
        controls=controls,
        looks_first=False,  # a pass needs no control
    )
    return setup, labs


# A submission is graded as a batch grades a class of one. What a platform gets of it is made elsewhere. A pass needs no control. Anything
# else counts only after the course's own kernels got their verdicts on this machine.


@dataclass(frozen=True)
class OneGrading:
    result: Result  # not redacted
    texts: dict[str, str]  # of the submission's files; the page quotes from them
    faults: tuple[str, ...]  # what broke on our side, for the instructor

    @property
    def undecided(self) -> tuple[str, ...]:
        """Labs that are not graded."""
        return tuple(lab_id for lab_id, lab in self.result.labs.items() if lab.verdict in UNDECIDED)


def grade_folder(
    folder: Path,
    handed_in: HandedIn,
    labs: Sequence[Lab],
    setup: JudgingSetup,
    scratch: Path,
    confinement: Confinement | None = None,
) -> OneGrading:
    """`confinement`: of the programs that unpack archives. Raises MachineError where the platform gave no folder that can be read: that is
    no submission without files.
    """
    asking = asking_labs(labs)
    intake = _taken(folder, handed_in, labs, scratch, confinement)
    plan = plan_judging([intake], labs, setup, JobStore(scratch / "outcomes"))
    judged = judge_class(plan, scratch / "jobs", Progress())
    scored = score_class(judged.students, labs, setup.environment, decide_class(judged.students, labs))
    (result,) = with_answers(scored, [intake], asking)
    faults = [*filter(None, [judged.stopped]), *judged.faults]
    return OneGrading(result, intake.texts(), tuple(faults))


def _taken(
    folder: Path, handed_in: HandedIn, labs: Sequence[Lab], scratch: Path, confinement: Confinement | None
) -> Intake:
    try:
        is_empty = not any(folder.iterdir())
    except OSError as error:
        raise MachineError(
            f"{folder}: the submission cannot be read ({error.strerror}). The platform has to put it there."
        ) from error
    name = ", ".join(clean(one.name or one.email or one.login) for one in handed_in.people) or "Submission"
    of_whom = Upload(name, owners=handed_in.people, at=handed_in.at, notices=handed_in.notices)
    try:
        upload = of_whom if is_empty else replace(of_whom, contents=read_folder(folder, STUDENT))
    except Refusal as refusal:
        upload = replace(of_whom, refused=str(refusal))
    return take_one(upload, id_form(name), scratch / "intake", [lab_file(lab) for lab in labs], confinement)


def _give(answer: Answer, out: Path) -> None:
    for name, contents in answer.files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(out / name, contents.encode("utf-8", "replace"))
    sys.stdout.buffer.write(answer.printed.encode("utf-8", "replace"))
    sys.stdout.flush()


# `tilelab autograder PLATFORM`: packs what a platform needs to grade this course's labs, and says what to do with it.

_MARK = ".tilelab-autograder"  # a folder that this command has made, and may make again


@dataclass(frozen=True)
class PackOptions:
    """What `tilelab autograder` was asked to do."""

    platform: Annotated[
        str, typer.Argument(help="gradescope, classroom50, github-actions, prairielearn or autolab", metavar="PLATFORM")
    ] = ""
    labs: Annotated[
        tuple[str, ...], typer.Option("--lab", help="a lab that it grades; may be given several times")
    ] = ()
    out: Annotated[Path, typer.Option(help="the folder to write to; the pack gets one of its own in it")] = Path(
        "build/autograders"
    )
    bundle: Annotated[
        str, typer.Option(help="an archive of `make bundle`, for a platform without a network", metavar="FILE")
    ] = ""
    image: Annotated[str, typer.Option(help="what PrairieLearn calls your image: account/name:tag", metavar="NAME")] = (
        ""
    )


def make_autograder(options: PackOptions) -> int:
    """Pack what a platform needs to grade these labs itself; see docs/autograders.md."""
    pack = next((one for one in PACKS if one.name == options.platform), None)
    if pack is None:
        listed = "; ".join(f"{one.name}: {one.help}" for one in PACKS)
        raise RemediableError(f"name a platform, as in `make autograder PLATFORM=gradescope LAB=…`. {listed}")
    root = course_root(Path.cwd())
    labs = load_labs(root, options.labs)
    bundle = Path(options.bundle) if options.bundle.strip() else None
    request = PackRequest(root, labs, bundle, options.image.strip(), course_time(root))
    made = pack.make(request)
    folder = options.out / pack.name
    _write(made, folder)
    _say(made, folder, [lab.id for lab in labs])
    return 0


def _write(made: PackMade, folder: Path) -> None:
    """What an earlier pack left there is removed first: a seed or a lab of last term must not stay in it."""
    if folder.exists():
        if not (folder / _MARK).is_file():
            raise RemediableError(f"{folder} was not made by this command, and would be overwritten: name another OUT")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, mode=0o700)
    write_atomically(folder / _MARK, "made by `tilelab autograder`; it is made anew each time\n")
    for path, file in made.files.items():
        write_atomically(folder / path, file.data)
        if file.executable:
            (folder / path).chmod(0o755)


def _say(made: PackMade, folder: Path, labs: list[str]) -> None:
    console = Console(highlight=False)
    console.print(f"made {folder} for {', '.join(labs)}", style="bold", markup=False, soft_wrap=True)
    if made.is_secret:
        console.print(
            "Keep it to yourself: solutions, hidden tests and the course's seed are in it.",
            style="yellow",
            soft_wrap=True,
        )
    for number, step in enumerate(made.steps, start=1):
        console.print(f"{number}. {step}", markup=False, soft_wrap=True)
    console.print("docs/autograders.md has every step.", soft_wrap=True)
