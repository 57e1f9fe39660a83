"""A lab as data: `lab.toml` (public, beside the starter) and `grading.toml` (private, beside the model solution)."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from grader.model.errors import RemediableError


class LabError(RemediableError):
    """A lab's own files are wrong: for its author to mend, never a student's fault."""


class Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CaseSpec(Strict):
    """One Catch2 test case: `name` is its exact title in public_tests.cpp or hidden_tests.cpp."""

    name: str
    points: float = Field(ge=0)
    feedback: Literal["full", "verdict", "none"] = "full"
    role: Literal["correctness", "technique"] = "correctness"
    advice: str = ""  # what to look at when it fails, without the solution


class PerformanceSpec(Strict):
    """How a lab's kernels are timed. Every number follows from one run: the baseline's time divided by the kernel's."""

    baseline: str  # the lab whose kernel is 1.00: its model solution; for a student, their own
    shape: str  # of the timed launches, as the problem's sizes: "1024x1024x1024"
    sweep: tuple[str, ...] = ()  # shapes of the size sweep
    library: Literal["cublasSgemm"] | None = None  # what does the same work in NVIDIA's library, to be measured beside


class TierSpec(Strict):
    """`part` of the performance points for a kernel with this `share` of the model solution's speed."""

    share: float = Field(gt=0)
    part: float = Field(gt=0, le=1)


class RaceRules(Strict):
    """What counts as a race in this lab."""

    same_value_writes: Literal["race", "allowed"] = "race"  # plain writes of one value to one place by several threads


class PublicSpec(Strict):
    """lab.toml."""

    title: str
    summary: str
    problem: str  # a header in kit/problems
    file: str  # what a student hands in
    kernel: str  # demangled signature: "scale(float const*, float*, int)"
    launch: str  # demangled signature: "scale_launch(int)"
    shapes: str  # in words, for people
    extra_credit: bool = False
    performance: PerformanceSpec | None = None  # none: speed is no part of this lab
    races: RaceRules = RaceRules()
    case: tuple[CaseSpec, ...] = ()


class CounterTier(Strict):
    """`part` of the performance points for a kernel that stays within every bound.

    A bound on a `.sum` is for each unit of the problem's work; one on a `.ratio` is as it stands.
    """

    part: float = Field(gt=0, le=1)
    at_most: dict[str, float] = Field(min_length=1)  # by Nsight Compute's names

    def __hash__(self) -> int:
        """A lab is a key, and a dict is not."""
        return hash((self.part, *sorted(self.at_most.items())))


class CounterSpec(Strict):
    """Performance where no GPU measures it: what one case's last launch asks of memory, as the executor counts it."""

    case: str  # its name, with the launch that is counted
    versus: str  # in words, what another kernel of the course needs: "a naive kernel loads 0.125"
    advice: str  # for a kernel that is not in the highest tier
    tier: tuple[CounterTier, ...] = Field(min_length=1)


class PrivateSpec(Strict):
    """grading.toml."""

    case: tuple[CaseSpec, ...] = ()
    performance_points: float = Field(default=0, ge=0)  # in the maximum where performance is assessed
    counters: CounterSpec | None = None  # none: without a GPU, performance is not assessed
    tier: tuple[TierSpec, ...] = ()
    rejects_at_least: int = Field(default=8, ge=0)  # wrong kernels that have to lie in rejects/


@dataclass(frozen=True)
class Lab:
    """A lab and where its two halves lie; `private` is None where only the public half exists (a handout)."""

    id: str  # the folder's name
    public: PublicSpec
    private: PrivateSpec | None
    public_dir: Path
    private_dir: Path | None

    @property
    def cases(self) -> tuple[CaseSpec, ...]:
        """Public ones first; hidden ones follow where the private half is there."""
        return self.public.case + (self.private.case if self.private else ())

    @property
    def max_points(self) -> float:
        performance = self.private.performance_points if self.private and self.private.counters else 0
        return sum(case.points for case in self.cases) + performance


def _read(path: Path, model: type[Strict]) -> Strict:
    try:
        return model.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, ValidationError) as error:
        message = f"{path}: {error}"
        raise LabError(message) from error


def load_lab(root: Path, lab_id: str) -> Lab:
    """The lab `lab_id` of the course at `root`. Raises LabError, naming the file."""
    public_dir, private_dir = root / "assignments" / lab_id, root / "solutions" / lab_id
    if not (public_dir / "lab.toml").is_file():
        known = ", ".join(lab_ids(root)) or "none"
        message = f"there is no lab {lab_id!r} under {root / 'assignments'} (known: {known})"
        raise LabError(message)
    public = _read(public_dir / "lab.toml", PublicSpec)
    private = _read(private_dir / "grading.toml", PrivateSpec) if (private_dir / "grading.toml").is_file() else None
    assert isinstance(public, PublicSpec)
    assert private is None or isinstance(private, PrivateSpec)
    names = [case.name for case in public.case + (private.case if private else ())]
    if repeated := {name for name in names if names.count(name) > 1}:
        message = f"{public_dir / 'lab.toml'}: case listed twice: {', '.join(sorted(repeated))}"
        raise LabError(message)
    if private and private.counters and private.counters.case not in names:
        message = (
            f"{private_dir / 'grading.toml'}: [counters] names a case that is not listed: {private.counters.case!r}"
        )
        raise LabError(message)
    return Lab(lab_id, public, private, public_dir, private_dir if private else None)


def lab_ids(root: Path) -> list[str]:
    """Every folder of `assignments/` that holds a lab.toml, sorted."""
    return sorted(path.parent.name for path in (root / "assignments").glob("*/lab.toml"))
