"""How many blocks and warps of a kernel a multiprocessor holds at the same time, by the rules of NVIDIA's occupancy calculator. Pure.

Source of the limits: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", and the allocation
granularities of the occupancy calculator (Nsight Compute). The limit of shared memory is that for blocks that do not opt in to more.
"""

from __future__ import annotations

from dataclasses import dataclass

LANES = 32
_REGISTER_UNIT = 256  # registers are allocated to a warp in this unit: 8 for each lane
_WARP_UNIT = 4  # a multiprocessor has four register files


@dataclass(frozen=True)
class Capability:
    """The resources of one multiprocessor of a compute capability."""

    warps: int
    blocks: int
    shared_bytes: int  # of all its blocks together
    shared_reserved: int = 1 << 10  # what the driver takes in each block, from 8.0 on
    shared_unit: int = 128
    registers: int = 65_536


_LIMITS = {
    75: Capability(32, 16, 64 << 10, 0, 256),
    80: Capability(64, 32, 164 << 10),
    86: Capability(48, 16, 100 << 10),
    87: Capability(48, 16, 164 << 10),
    **dict.fromkeys((89, 120, 121), Capability(48, 24, 100 << 10)),
    **dict.fromkeys((90, 100, 103), Capability(64, 32, 228 << 10)),
}


@dataclass(frozen=True)
class Occupancy:
    """`limited_by`: those of "warps", "blocks", "registers" and "shared memory" that allow no more than `blocks`."""

    blocks: int
    warps: int
    max_warps: int
    limited_by: tuple[str, ...]


@dataclass(frozen=True)
class Resource:
    """What one multiprocessor has of a resource, and what a block takes of it. `blocks`: as many as it has room for."""

    name: str
    of_block: int
    available: int
    blocks: int


def resident_threads(capability: int) -> int:
    """The most threads that a multiprocessor holds; where the capability is not known, the most that any does."""
    known = _LIMITS.get(capability)
    return LANES * (known.warps if known else max(one.warps for one in _LIMITS.values()))


def occupancy(capability: int, *, threads: int, registers: int, shared_bytes: int) -> Occupancy | None:
    """For a block of `threads` threads, each with `registers` registers, and `shared_bytes` of static and dynamic shared memory.

    None for a capability that is not in the table, and for a block without threads.
    """
    found = resources(capability, threads=threads, registers=registers, shared_bytes=shared_bytes)
    if not found:
        return None
    blocks = min(one.blocks for one in found)
    tight = tuple(one.name for one in found if one.blocks == blocks)
    warps = found[0]
    return Occupancy(blocks, blocks * warps.of_block, warps.available, tight)


def resources(capability: int, *, threads: int, registers: int, shared_bytes: int) -> tuple[Resource, ...]:
    """What blocks of a kernel share of a multiprocessor: warps first. Empty where `occupancy` gives None."""
    if capability not in _LIMITS or threads < 1:
        return ()
    limits = _LIMITS[capability]
    warps = _round_up(threads, LANES) // LANES
    shared = _round_up(shared_bytes + limits.shared_reserved, limits.shared_unit)
    of_a_warp = _round_up(max(registers, 0) * LANES, _REGISTER_UNIT)
    of_registers = of_a_warp * warps
    # Each warp's registers come from one of four equal parts of the register file.
    in_a_part = limits.registers // _WARP_UNIT // of_a_warp if of_a_warp else 0
    by_registers = in_a_part * _WARP_UNIT // warps if of_a_warp else limits.blocks
    by_shared = limits.shared_bytes // shared if shared else limits.blocks
    return (
        Resource("warps", warps, limits.warps, limits.warps // warps),
        Resource("blocks", 1, limits.blocks, limits.blocks),
        Resource("registers", of_registers, limits.registers, by_registers),
        Resource("shared memory", shared, limits.shared_bytes, by_shared),
    )


def registers_that_fit(threads: int, registers: int = 65_536) -> int:
    """The most registers that a thread may have so that a block of `threads` threads can be launched. At most 255."""
    warps = _round_up(max(threads, 1), LANES * _WARP_UNIT) // LANES
    return min(255, registers // warps // _REGISTER_UNIT * _REGISTER_UNIT // LANES)


def _round_up(number: int, unit: int) -> int:
    return -(-number // unit) * unit
