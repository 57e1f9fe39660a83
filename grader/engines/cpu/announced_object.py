"""Makes an object file in which every access is announced, and proves it; or says why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grader.engines.announcements.announcement_check import check_announcements
from grader.engines.announcements.object_proof import Entry
from grader.engines.cpu.build_steps import BuildSteps
from grader.engines.machine_model.code_object import read_code
from grader.engines.object_code.object_file import ObjectFile, read_object
from grader.engines.refusal import Refusal
from grader.model.verdicts import Verdict


@dataclass(frozen=True)
class AnnouncedObject:
    """The object file in which every access is announced, or why there is none."""

    assembly: str
    object: ObjectFile
    refusal: Refusal | None
    argument_bytes: Mapping[str, int] = field(default_factory=dict)  # see Checked
    targets: tuple[str, ...] = ()
    library_targets: tuple[str, ...] = ()


def announced_object(
    steps: BuildSteps, assembly: str, obj: ObjectFile, entered: Mapping[str, Entry], passed: Sequence[str]
) -> AnnouncedObject:
    """With a call before each access that nothing announced; what comes of it is assembled and held to the same proof."""
    checked = check_announcements(read_code(steps.folder / "submission.o"), assembly, entered, steps.name, passed)
    if checked.refusal or not checked.assembly:
        return AnnouncedObject(
            assembly, obj, checked.refusal, checked.argument_bytes, checked.targets, checked.library_targets
        )
    (steps.folder / "announced.s").write_text(checked.assembly, encoding="utf-8")
    if not steps.run(steps.toolchain.assemble("announced.s", "submission.o")):
        return AnnouncedObject(assembly, obj, beyond_proof())
    again = check_announcements(read_code(steps.folder / "submission.o"), checked.assembly, entered, steps.name, passed)
    refusal = again.refusal or (beyond_proof() if again.assembly else None)
    obj = read_object(steps.folder / "submission.o")
    return AnnouncedObject(checked.assembly, obj, refusal, again.argument_bytes, again.targets, again.library_targets)


def beyond_proof() -> Refusal:
    what = (
        "The CPU executor cannot follow every access that the compiler made of this file: it has to be graded on a GPU."
    )
    return Refusal(Verdict.NEEDS_GPU, 0, what)
