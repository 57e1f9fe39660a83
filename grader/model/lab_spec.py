"""What `lab.toml` (public, beside the starter) and `grading.toml` (private, beside the model solution) may say."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Literal, Self

from pydantic import Field, model_validator

from grader.model.performance_spec import ClimbSpec, CounterSpec, PerformanceSpec, StandInSpec, TierSpec
from grader.model.toml_table import Strict

_MOST_POINTS = 1_000_000  # more cannot be added up without rounding
Contract = Literal["kernel", "launcher", "program"]
# What a lab's file may say, by its contract. `needed` and `allowed` name fields of PublicSpec that belong to some contracts only.
_NEEDED = {"kernel": ("kernel", "launch"), "launcher": ("launcher",), "program": ()}
_ALLOWED = {
    "kernel": ("performance", "climb"),
    "launcher": ("arguments", "memory", "headers"),
    "program": ("headers",),
}
_SIGNATURE = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*\([\w:<>,*& \[\]]*\)")
_HEADER = re.compile(r"(?:[A-Za-z0-9_][\w.+-]*/)*[A-Za-z0-9_][\w.+-]*\.(?:h|hpp|cuh|inc)")
_OF_ONE_CONTRACT = ("kernel", "launch", "launcher", "arguments", "memory", "headers", "performance", "climb")


class CaseSpec(Strict):
    """One Catch2 test case: `name` is its exact title in public_tests.cpp or hidden_tests.cpp."""

    name: str
    points: float = Field(ge=0, le=_MOST_POINTS)
    feedback: Literal["full", "verdict", "none"] = "full"
    role: Literal["correctness", "technique"] = "correctness"
    advice: str = ""  # what to look at if it fails, without the solution
    precision: bool = False  # a kernel that is right but less accurate than fp32 fails this case, and no other


class LeaderboardSpec(Strict):
    """A public page that ranks the lab's kernels by speed, written with every batch."""

    names: Literal["pseudonyms", "real"] = "pseudonyms"  # real: as the submissions are named


class RaceRules(Strict):
    """What counts as a race in this lab."""

    same_value_writes: Literal["race", "allowed"] = (
        "race"  # plain writes of the same value to the same place by several threads
    )


class BarrierRules(Strict):
    """What counts as barrier divergence in this lab."""

    early_return: Literal["note", "error"] = (
        "note"  # a thread returns before a barrier at which others of its block wait
    )


class PublicSpec(Strict):
    """lab.toml."""

    title: str
    summary: str
    problem: str  # a header in kit/problems
    file: str = Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.+-]*\.cu$")  # that a student hands in: a plain name, no path
    # kernel: one kernel, which the judge launches. launcher: a host function that launches what it likes. program: a file with main().
    contract: Contract = "kernel"
    kernel: str = ""  # demangled signature: "scale(float const*, float*, int)"
    launch: str = ""  # demangled signature: "scale_launch(int)"
    launcher: str = (
        ""  # demangled signature: "solve(float const*, float*, int)"; it may be extern "C" and may return anything
    )
    arguments: tuple[
        str, ...
    ] = ()  # names of the problem's operands in the launcher's order; none: in the problem's order
    memory: Literal["device", "host"] = "device"  # where the launcher's pointers lead to
    headers: tuple[
        str, ...
    ] = ()  # files of the lab that a launcher's or program's file may include: "wb.h", "thrust/scan.h"
    shapes: str  # in words, for people
    needs: tuple[str, ...] = ()  # labs that come before this one, in a course that has them
    step_questions: bool = True  # whether pages of a mistake ask before they show
    traced_shape: str = (
        "8x8x8"  # sizes that `make trace` takes where none are given: allowed here, and small enough to read
    )
    extra_credit: bool = False
    speed_points: float = Field(
        default=0, ge=0, le=_MOST_POINTS
    )  # `performance_points` of grading.toml, where students are to be told of what may cost them
    performance: PerformanceSpec | None = None  # none: speed is not assessed in this lab
    climb: ClimbSpec | None = None  # none: reports say nothing about a next step
    leaderboard: LeaderboardSpec | None = None  # none: this lab has no leaderboard
    races: RaceRules = RaceRules()
    barriers: BarrierRules = BarrierRules()
    counters: CounterSpec | None = None  # without `also`; none: in grading.toml, or performance needs a GPU
    case: tuple[CaseSpec, ...] = ()

    @model_validator(mode="after")
    def fits_its_contract(self) -> Self:
        """Raises ValueError where a field is missing, or belongs to another contract."""
        needed, allowed = _NEEDED[self.contract], _ALLOWED[self.contract]
        missing = [name for name in needed if not getattr(self, name)]
        foreign = [
            name for name in self.model_fields_set.intersection(_OF_ONE_CONTRACT) if name not in needed + allowed
        ]
        if missing:
            message = f"a lab with contract = {self.contract!r} needs `{missing[0]}`"
            raise ValueError(message)
        if foreign:
            message = f"`{min(foreign)}` has no meaning in a lab with contract = {self.contract!r}: remove it"
            raise ValueError(message)
        if self.launcher and not _SIGNATURE.fullmatch(self.launcher):
            message = (
                f'launcher = {self.launcher!r} is no demangled signature, such as "solve(float const*, float*, int)"'
            )
            raise ValueError(message)
        if self.leaderboard and not self.performance:
            message = "[leaderboard] ranks measured speeds, so the lab needs [performance]"
            raise ValueError(message)
        plain = [PurePosixPath(one).name for one in self.headers]
        for header, name in zip(self.headers, plain, strict=True):
            if not _HEADER.fullmatch(header) or plain.count(name) > 1:
                message = f"headers: {header!r} is no path of a file beside lab.toml with a name of its own"
                raise ValueError(message)
        return self

    @property
    def entries(self) -> tuple[str, ...]:
        """Signatures of the functions that a student's file must define; of a whole program none."""
        return tuple(one for one in (self.kernel, self.launch, self.launcher) if one)

    @property
    def starts_itself(self) -> bool:
        """Whether host code of the student's launches the kernels."""
        return self.contract != "kernel"


class PrivateSpec(Strict):
    """grading.toml."""

    case: tuple[CaseSpec, ...] = ()
    performance_points: float = Field(
        default=0, ge=0, le=_MOST_POINTS
    )  # part of the maximum if performance is assessed
    counters: CounterSpec | None = None  # where students are not to be told of it; else it stands in lab.toml
    counted_also: str = ""  # `also` of the counters in lab.toml
    tier: tuple[TierSpec, ...] = ()
    stand_in: StandInSpec | None = None  # none: where the library is not there, no tier of its speed is reached
    rejects_at_least: int = Field(default=8, ge=0)  # the least number of wrong kernels in rejects/
