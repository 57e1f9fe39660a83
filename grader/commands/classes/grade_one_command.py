"""`tilelab grade-one PLATFORM FOLDER`: grades one submission inside a platform's container, and writes what the platform reads.

Whatever happens, the platform gets an answer. Where something of ours fails, the answer says so and holds no points, and the exit status
is 3. What failed is told on standard error only where students do not see that.
"""

from __future__ import annotations

import datetime as dt
import os
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from grader.autograders.autograder_platform import NEEDS_A_GPU, NOT_GRADED, Answer, AutograderPlatform, Graded
from grader.autograders.one_grading import LaterControls, OneGrading, grade_folder
from grader.autograders.platform_list import platform_named
from grader.batch.controls import Controls
from grader.batch.judging_setup import JudgingSetup
from grader.batch.line_search import LineSearch
from grader.batch.scratch_folder import scratch_folder
from grader.canaries.compiler_trial import compiler_trouble
from grader.commands.frame.opened_tools import environment_of, lab_judge, open_toolset
from grader.machine.atomic_file import write_atomically
from grader.machine.toolset import Toolset
from grader.model.course_root import course_root, load_labs
from grader.model.errors import RemediableError
from grader.model.labs import Lab, lab_ids
from grader.model.seed import course_seed
from grader.model.verdicts import Verdict
from grader.practice.public_tests import PUBLIC_SEED, public_half
from grader.reports.pages import student_page
from grader.scoring.redaction import for_student
from grader.suspects.class_search import ClassSearch

_FAULTS = 3
_SEARCH_SECONDS = 10.0  # for the line of a wrong result: a student waits


@dataclass(frozen=True)
class OneRequest:
    """What `tilelab grade-one` was asked to do: its options."""

    platform: str
    submission: Path
    out: Path
    metadata: Path | None = None
    labs: tuple[str, ...] = ()  # empty: all
    public: bool = False  # the public tests alone


def grade_one(request: OneRequest, environment: Mapping[str, str] = os.environ) -> int:
    """Grades a submission, and returns the exit status. Raises RemediableError for a platform or a lab that there is not."""
    platform = platform_named(request.platform)
    root = course_root(Path.cwd())
    known = [lab.id for lab in load_labs(root, request.labs)] if request.labs else lab_ids(root)
    try:
        answer, faults = _answer(request, platform, root, environment)
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
    if undecided and not (platform.takes_parts and len(undecided) < len(labs)):
        broken = [one for one in undecided if graded.result.labs[one].verdict is Verdict.INTERNAL_ERROR]
        return None, graded.faults or tuple(f"{one}: nothing says why it was not graded" for one in broken)
    now = dt.datetime.now(tz=dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    redacted = for_student(graded.result)
    page = _page(graded, public=request.public)
    return platform.graded(Graded(redacted, page, handed_in, environment, now)), graded.faults


def _page(graded: OneGrading, *, public: bool) -> str:
    return student_page(for_student(graded.result), sources=graded.texts, preview=public)


def _setup(toolset: Toolset, root: Path, labs: list[Lab], *, public: bool) -> tuple[JudgingSetup, list[Lab]]:
    seed = PUBLIC_SEED if public else course_seed(root)
    labs = [public_half(lab) for lab in labs] if public else labs
    judge = lab_judge(toolset, seed, public_only=public)
    controls = Controls(
        partial(judge, explained=False), workers=os.cpu_count(), compiler=partial(compiler_trouble, toolset)
    )
    setup = JudgingSetup(
        judge=judge,
        environment=environment_of(toolset),
        fingerprints={lab.id: "" for lab in labs},  # nothing is kept for a later run
        seed=seed,
        lines=None if public else LineSearch(ClassSearch(toolset, seed, PUBLIC_SEED), _SEARCH_SECONDS),
        controls=LaterControls(controls),
    )
    return setup, labs


def _give(answer: Answer, out: Path) -> None:
    for file in answer.files:
        path = out / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, file.contents.encode("utf-8", "replace"))
    sys.stdout.buffer.write(answer.printed.encode("utf-8", "replace"))
    sys.stdout.flush()
