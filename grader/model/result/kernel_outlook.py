"""What a right kernel uses of a GPU, and where it stands on its lab's climb."""

from __future__ import annotations

from grader.model.result.plain_data import Model


class GpuKernel(Model):
    """The kernel as nvcc compiled it, and how much of a multiprocessor it uses."""

    compiler: str  # "nvcc 13.0"
    architecture: str  # "sm_90"
    registers: int  # of a thread
    static_shared_bytes: int  # of a block
    stack_bytes: int  # of a thread
    spill_store_bytes: int
    spill_load_bytes: int
    block_threads: int = 0  # the largest block it was launched with; 0: never launched
    dynamic_shared_bytes: int = 0
    warps: int = 0  # how many run at once on a multiprocessor
    max_warps: int = 0  # 0: unknown for this architecture
    limited_by: tuple[str, ...] = ()  # "warps", "blocks", "registers", "shared memory"
    note: str = ""  # says that it was compiled again to fit its block


class OutlookTerm(Model):
    """How long one part of the GPU is busy, or how long it waits."""

    name: str
    milliseconds: float


class NextStep(Model):
    """A step of the lab's climb that the kernel does not have."""

    shape: str  # at this size
    title: str
    section: str  # the heading in the lab's write-up
    gain: float  # predicted: so many times as fast; at most 1: not predicted


class Rung(Model):
    """A kernel of the course after one step: where it lies on a roofline, and how fast it was."""

    title: str
    passes: float  # FLOP for each pass of the load/store units
    gflops: float


class Outlook(Model):
    """Where a right kernel stands on its lab's climb. Predicted from counts, not measured."""

    shape: str  # "2048x2048x2048": the size that it is predicted for
    counted: str  # the launch that was counted
    gpu: str  # a key of grader/traffic/gpus.toml
    gflops: float
    passes: float  # FLOP for each pass of the load/store units
    terms: tuple[OutlookTerm, ...]  # the longest first: it binds
    registers: int
    compiled: bool  # the registers are nvcc's; otherwise they are estimated
    steps: tuple[NextStep, ...] = ()  # none: nothing more can be said
    rungs: tuple[Rung, ...] = ()
