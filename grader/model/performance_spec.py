"""What a lab's files say of its kernels' speed: how it is timed or counted, its tiers, and the climb of its write-up."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from grader.model.toml_table import Strict

_MOST_PART = 3  # of the performance points


class PerformanceSpec(Strict):
    """How a lab's kernels are timed. Every number comes from one run: the baseline's time divided by the kernel's."""

    baseline: str  # the lab whose kernel has speed 1.00: its model solution, or a student's own kernel for the student
    shape: str  # of the timed launches, as the problem's sizes: "1024x1024x1024"
    sweep: tuple[str, ...] = ()  # shapes of the size sweep
    library: Literal["cublasSgemm"] | None = None  # NVIDIA's routine for the same work, timed too


class StepSpec(Strict):
    """One step of a lab's climb: what a kernel is like after it. A field that is not given stays as it was."""

    title: str  # as in "the next step is: …"
    section: str = Field(min_length=1)  # the heading in the lab's write-up
    threads: int | None = Field(default=None, ge=1, le=1024)  # of a block
    elements: int | None = Field(default=None, ge=1)  # of the result in a thread
    reads_for_a_product: float | None = Field(default=None, gt=0)  # operands that a thread reads
    bytes_of_a_load: int | None = Field(default=None, ge=4, le=16)  # from global memory
    bytes_of_a_read: int | None = Field(default=None, ge=4, le=16)  # from shared memory
    passes_of_a_read: float | None = Field(default=None, ge=1)  # of shared memory, for a warp
    tile: int | None = Field(default=None, ge=2)  # one side: so often each loaded value is used by a block
    without_conflicts: bool = False
    overlapped: bool = False
    copied: bool = False  # asynchronous copies bring the tiles
    sliced: bool = False  # several blocks share the sums of a piece
    passes: float | None = Field(
        default=None, gt=0
    )  # FLOP for each pass of the load/store unit, of the course's kernel
    gflops: float | None = Field(default=None, gt=0)  # of the course's kernel, measured


class ClimbSpec(Strict):
    """The steps by which kernels of this lab become faster, in the order in which the write-up tells them."""

    shape: str  # of the measurements: "2048x2048x2048"
    gpu: str  # on which they were made: a key of grader/traffic/gpus.toml
    step: tuple[StepSpec, ...] = Field(min_length=1)


class TierSpec(Strict):
    """A kernel with this `share` of another one's speed in the same rounds gets this `part` of the performance points."""

    share: float = Field(gt=0)
    of: Literal["model", "library"] = "model"  # the lab's model solution, or the library's routine in `performance`
    part: float = Field(gt=0, le=_MOST_PART)  # 1: full marks; more: beyond them, in a lab of extra credit


class StandInSpec(Strict):
    """A kernel of the course whose speed is known as a share of the library's. It is timed where the library is not there."""

    file: str  # beside grading.toml
    share: float = Field(gt=0)  # of the library's speed, at the shape that is timed: `tilelab calibrate` measures it
    measured_on: str  # the GPU


class CounterTier(Strict):
    """A kernel that stays within every bound gets this `part` of the performance points.

    A bound on a `.sum` is for each unit of the problem's work. A bound on a `.ratio` is used as it is.
    """

    part: float = Field(gt=0, le=_MOST_PART)
    at_most: dict[str, float] = Field(min_length=1)  # keys are Nsight Compute's metric names

    def __hash__(self) -> int:
        """A lab is used as a key, but a dict has no hash."""
        return hash((self.part, *sorted(self.at_most.items())))


class CounterSpec(Strict):
    """How performance is assessed without a GPU: by the memory traffic of one case's last launch, as the executor counts it."""

    case: str  # the name of the case whose launch is counted
    also: str = (
        ""  # a hidden case whose launches have to reach the tier as well, on sizes that the student does not know
    )
    slack: float = Field(
        default=1.25, ge=1
    )  # how far these may exceed its bounds: their sides need not be multiples of a tile
    most_elements_of_a_thread: int = Field(default=64, ge=1)  # of the result: with more, too few threads share the work
    versus: str  # in words, the traffic of another kernel of the course: "a naive kernel loads 0.125"
    advice: str  # for a kernel that is not in the highest tier
    tier: tuple[CounterTier, ...] = Field(min_length=1)
