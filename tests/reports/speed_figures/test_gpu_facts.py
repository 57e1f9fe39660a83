"""What nvcc says about a kernel, on a student's page and on a terminal."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from grader.model.labs import CaseSpec, Lab, PublicSpec
from grader.model.outcome import GpuOutcome, JudgedCase, KernelResources, LabOutcome
from grader.model.result import GpuKernel, LabResult, Launch, Result
from grader.model.verdicts import Verdict
from grader.pages.page_section import Shown
from grader.pages.pages import student_page
from grader.pages.screens.first_mistake import Tried
from grader.pages.screens.lab_screen import Screen
from grader.pages.speed.speed_figure import gpu_facts, gpu_line
from grader.run.scoring.lab_score import gpu_kernel
from grader.run.scoring.redaction import for_student

Named = Callable[[str], tuple[Result, dict[str, str]]]
KERNEL = GpuKernel(
    compiler="nvcc 13.0", architecture="sm_90", registers=40, static_shared_bytes=2048, stack_bytes=0, spill_store_bytes=0,
    spill_load_bytes=0, block_threads=256, warps=48, max_warps=64, limited_by=("registers",),
)  # fmt: skip


def lab(**changes: object) -> LabResult:
    return LabResult(
        title="Tiled", file="tiled.cu", verdict=Verdict.PASS, points=4, max_points=4,
        gpu_kernel=KERNEL.model_copy(update=changes),
    )  # fmt: skip


def facts(**changes: object) -> Shown:
    found = gpu_facts(lab(**changes))
    assert found is not None
    return found


def terms(**changes: object) -> dict[str, str]:
    return dict(facts(**changes).facts)


def test_without_nvcc_there_is_nothing_to_say() -> None:
    bare = lab().model_copy(update={"gpu_kernel": None})
    assert gpu_facts(bare) is None
    assert gpu_line(bare) == ""


def test_registers_shared_memory_and_occupancy_are_told_with_what_limits_them() -> None:
    assert terms() == {
        "Registers": "40 a thread", "Shared memory": "2,048 bytes a block", "Occupancy": "48 of 64 warps",
    }  # fmt: skip
    assert facts().occupancy == (
        "With blocks of 256 threads, a multiprocessor runs 48 warps of this kernel at once; 64 is the maximum."
        " The limit is: the registers of its threads."
    )
    assert facts().notes == ()
    assert gpu_line(lab()) == (
        "registers: 40 a thread, shared memory: 2,048 bytes a block, occupancy: 48 of 64 warps, limited by registers"
    )


def test_what_is_full_is_limited_by_nothing_and_a_block_too_many_is_no_full_one() -> None:
    full = {"warps": 64, "limited_by": ("warps", "registers")}
    assert facts(**full).occupancy.endswith("runs 64 warps of this kernel at once, which is the maximum.")
    assert gpu_line(lab(**full)).endswith("64 of 64 warps")
    assert (facts(**full).full, facts(warps=32).full) == (True, False)  # which is no warning
    large = facts(warps=32, max_warps=48, block_threads=1024, limited_by=("warps",))
    assert "another block of this size does not fit" in large.occupancy


def test_dynamic_shared_memory_counts_and_none_is_none() -> None:
    assert terms(dynamic_shared_bytes=1024)["Shared memory"] == "3,072 bytes a block, 1,024 of them dynamic"
    assert terms(static_shared_bytes=0)["Shared memory"] == "none"


def test_a_kernel_that_never_ran_or_a_gpu_nobody_knows_has_no_occupancy() -> None:
    unknown = facts(warps=0, max_warps=0, block_threads=0, limited_by=())
    assert "Occupancy" not in unknown.facts
    assert unknown.occupancy == ""
    assert "limited" not in gpu_line(lab(warps=0, max_warps=0))


def test_spills_and_what_was_compiled_again_are_explained() -> None:
    resources = KernelResources(64, 0, 8, 16, 24)
    launch = Launch(shape="M=1", inputs="", verdict=Verdict.PASS, block=(32, 32, 1))
    cases = (JudgedCase("square", True, Verdict.PASS, launches=(launch,)),)
    outcome = LabOutcome("lab", cases=cases, gpu=GpuOutcome("nvcc 13.0", 90, resources=resources, register_limit=64))
    public = PublicSpec(
        title="T", summary="", problem="p", file="k.cu", kernel="k()", launch="l()", shapes="any",
        case=(CaseSpec(name="square", points=1),),
    )  # fmt: skip
    kernel = gpu_kernel(Lab("lab", public, None, Path("a"), None), outcome)
    assert kernel is not None
    found = gpu_facts(lab().model_copy(update={"gpu_kernel": kernel}))
    assert found is not None
    spilled, again = found.notes
    assert "16 bytes of stores and 24 bytes of loads" in spilled
    assert again.startswith("This kernel was compiled again with `-maxrregcount=64`")
    assert "`__launch_bounds__`" in again


def test_the_page_and_the_terminal_show_it(sample_named: Named) -> None:
    result, sources = sample_named("pass")
    note = "compiled again; `__launch_bounds__` says the same"
    labs = {
        lab_id: one.model_copy(
            update={"gpu_kernel": KERNEL.model_copy(update={"note": note}), "gpu_trouble": "no memory"}
        )
        for lab_id, one in result.labs.items()
    }
    shown = for_student(result.model_copy(update={"labs": labs}))
    page = student_page(shown, sources=sources)
    assert "48 of 64 warps" in page
    assert "<code>__launch_bounds__</code> says the same" in page
    assert "no memory" not in page
    lab_id, first = next(iter(shown.labs.items()))
    out = io.StringIO()
    console = Console(file=out, width=100)
    tried = Tried(lab_id, first, "", "a.cu")
    console.print(Screen([tried], tried))
    said = out.getvalue()
    assert "limited by registers" in " ".join(said.split())
    assert "Compiled again; __launch_bounds__ says the same." in " ".join(said.split())
