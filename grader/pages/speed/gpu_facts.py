"""What nvcc says about a kernel, in the words of the labs: registers, shared memory, how much of a multiprocessor it uses, and what
limits that. Pure.
"""

from __future__ import annotations

import re

from grader.engines.occupancy import Resource, resources
from grader.model import visible_text
from grader.model.result import GpuKernel, LabResult
from grader.model.visible_text import counted, share
from grader.pages.page_section import Shown

# What the blocks of a kernel take of one multiprocessor, resource by resource, and which of them leaves no room for another block. Pure.
#
# It follows from nvcc's registers and shared memory, and from the largest block that was launched. Nothing of it was measured.

_UNITS = {"warps": "warps", "blocks": "blocks", "registers": "registers", "shared memory": "bytes of shared memory"}


def occupancy_figure(kernel: GpuKernel) -> Shown | None:
    """None where no launch or no such architecture is known, and where not even one block fits."""
    capability = re.fullmatch(r"sm_(\d+)[a-z]?", kernel.architecture)
    if capability is None:
        return None
    found = resources(
        int(capability[1]),
        threads=kernel.block_threads,
        registers=kernel.registers,
        shared_bytes=kernel.static_shared_bytes + kernel.dynamic_shared_bytes,
    )
    blocks = min((one.blocks for one in found), default=0)
    if not blocks:
        return None
    return Shown(blocks=f"{counted(blocks, 'block')} at once", rows=[_row(one, blocks) for one in found])


def _row(resource: Resource, blocks: int) -> Shown:
    """Widths in percent of the resource: what the blocks take, and what one more would, as far as it is there."""
    width = share(blocks * resource.of_block, resource.available)
    limits = resource.blocks == blocks
    return Shown(
        name=resource.name[:1].upper() + resource.name[1:],
        used=f"{blocks * resource.of_block:,} of {resource.available:,} {_UNITS[resource.name]}",
        room=f"room for {counted(resource.blocks, 'block')}" + (": this is the limit" if limits else ""),
        width=width,
        next_width=min(share(resource.of_block, resource.available), 100 - width),
        limits=limits,
    )


_LIMITS = {
    "warps": "the number of warps: another block of this size does not fit, a smaller one might",
    "blocks": "the number of blocks: larger blocks would use more of the multiprocessor",
    "registers": "the registers of its threads",
    "shared memory": "the shared memory of its blocks",
}


def gpu_facts(lab: LabResult) -> Shown | None:
    """None where there is no nvcc, or the kernel did not compile."""
    kernel = lab.gpu_kernel
    if kernel is None:
        return None
    facts = {"Registers": f"{kernel.registers} a thread", "Shared memory": _shared(kernel)}
    if kernel.warps and kernel.max_warps:
        facts["Occupancy"] = f"{kernel.warps} of {kernel.max_warps} warps"
    return Shown(
        compiled=visible_text.line(f"{kernel.compiler} for {kernel.architecture}", 80),
        facts=facts,
        occupancy=_occupancy(kernel),
        filled=share(kernel.warps, kernel.max_warps),
        figure=occupancy_figure(kernel),
        notes=tuple(_notes(kernel)),  # spills, and that it was compiled again
    )


def gpu_line(lab: LabResult) -> str:
    """The same as one line for a terminal. Empty where nothing is known."""
    facts = gpu_facts(lab)
    if facts is None:
        return ""
    kernel = lab.gpu_kernel
    assert kernel is not None
    named = " and ".join(visible_text.line(one, 40) for one in kernel.limited_by)
    limited = f", limited by {named}" if kernel.warps < kernel.max_warps and kernel.warps else ""
    return f"{', '.join(f'{term.lower()}: {detail}' for term, detail in facts.facts.items())}{limited}"


def _shared(kernel: GpuKernel) -> str:
    if not kernel.static_shared_bytes + kernel.dynamic_shared_bytes:
        return "none"
    dynamic = f", {kernel.dynamic_shared_bytes:,} of them dynamic" if kernel.dynamic_shared_bytes else ""
    return f"{kernel.static_shared_bytes + kernel.dynamic_shared_bytes:,} bytes a block{dynamic}"


def _occupancy(kernel: GpuKernel) -> str:
    if not (kernel.warps and kernel.max_warps):
        return ""
    held = (
        f"With blocks of {counted(kernel.block_threads, 'thread')}, a multiprocessor runs {counted(kernel.warps, 'warp')} of "
        "this kernel at once"
    )
    if kernel.warps >= kernel.max_warps:
        return f"{held}, which is the maximum."
    limits = [_LIMITS.get(one, visible_text.line(one, 40)) for one in kernel.limited_by]
    return f"{held}; {kernel.max_warps} is the maximum. The limit is: {'; '.join(limits)}." if limits else f"{held}."


def _notes(kernel: GpuKernel) -> list[str]:
    notes = []
    if kernel.spill_store_bytes or kernel.spill_load_bytes:
        notes.append(
            "The kernel's values do not all fit into registers. nvcc keeps some of them in local memory, which is part of global"
            f" memory ({kernel.spill_store_bytes:,} bytes of stores and {kernel.spill_load_bytes:,} bytes of loads in the code)."
        )
    elif kernel.stack_bytes:
        notes.append(
            f"Each thread keeps {kernel.stack_bytes:,} bytes in local memory: an array cannot stay in registers when its index is"
            " known only while the kernel runs."
        )
    if kernel.note:
        notes.append(visible_text.line(kernel.note[:1].upper() + kernel.note[1:], 400) + ".")
    return notes
