"""What the blocks of a kernel take of one multiprocessor, resource by resource, and which of them leaves no room for another block. Pure.

It follows from nvcc's registers and shared memory, and from the largest block that was launched. Nothing of it was measured.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.engines.gpu.occupancy import Resource, resources
from grader.model.result import GpuKernel
from grader.reports.text.number_format import counted, share

_UNITS = {"warps": "warps", "blocks": "blocks", "registers": "registers", "shared memory": "bytes of shared memory"}


@dataclass(frozen=True)
class OccupancyRow:
    name: str
    used: str  # "61,440 of 65,536 registers"
    room: str  # "room for 6 blocks"
    width: float  # percent of the resource that the blocks take
    next_width: float  # percent that one more block would take, as far as it is there
    limits: bool


@dataclass(frozen=True)
class OccupancyFigure:
    blocks: str  # "6 blocks at once"
    rows: tuple[OccupancyRow, ...]


def occupancy_figure(kernel: GpuKernel) -> OccupancyFigure | None:
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
    return OccupancyFigure(f"{counted(blocks, 'block')} at once", tuple(_row(one, blocks) for one in found))


def _row(resource: Resource, blocks: int) -> OccupancyRow:
    width = share(blocks * resource.of_block, resource.available)
    limits = resource.blocks == blocks
    return OccupancyRow(
        name=resource.name[:1].upper() + resource.name[1:],
        used=f"{blocks * resource.of_block:,} of {resource.available:,} {_UNITS[resource.name]}",
        room=f"room for {counted(resource.blocks, 'block')}" + (": this is the limit" if limits else ""),
        width=width,
        next_width=min(share(resource.of_block, resource.available), 100 - width),
        limits=limits,
    )
