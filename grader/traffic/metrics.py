"""Nsight Compute's names for what the executor counts, and metrics that are computed from the counts. Pure.

The names are those of Nsight Compute's metrics reference. Names of our own begin with `tilelab__`: the problem's work, and its ratio
to the bytes moved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

SECTOR_BYTES = 32
SECTORS_PER_PASS = 4  # 128 bytes, a line of L1: the most that one pass of a multiprocessor's load/store unit moves
Counts = Mapping[str, int]
Operation = Literal["ld", "st", "atom"]


@dataclass(frozen=True)
class GlobalNames:
    requests: str
    sectors: str
    bytes_: str
    per_request: str


@dataclass(frozen=True)
class SharedNames:
    instructions: str
    wavefronts: str
    conflicts: str


def global_names(operation: Operation) -> GlobalNames:
    end = f"pipe_lsu_mem_global_op_{operation}"
    return GlobalNames(
        f"l1tex__t_requests_{end}.sum",
        f"l1tex__t_sectors_{end}.sum",
        f"l1tex__t_bytes_{end}.sum",
        f"l1tex__average_t_sectors_per_request_{end}.ratio",
    )


def shared_names(operation: Operation) -> SharedNames:
    return SharedNames(
        f"smsp__inst_executed_op_shared_{operation}.sum",
        f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{operation}.sum",
        f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{operation}.sum",
    )


OPERATIONS: tuple[Operation, ...] = ("ld", "st", "atom")
LOAD, STORE = global_names("ld"), global_names("st")
INTENSITY = "tilelab__flop_per_l1_byte.ratio"
COMPULSORY = "tilelab__compulsory_bytes.sum"


def work_name(unit: str) -> str:
    """The metric's name for a unit of work: tilelab__multiply_adds.sum for "multiply-add"."""
    return f"tilelab__{unit.replace('-', '_').replace(' ', '_')}s.sum"


def derived(counts: Counts) -> dict[str, float]:
    """Bytes, and sectors per request where there are requests."""
    found: dict[str, float] = {}
    for names in map(global_names, OPERATIONS):
        if names.sectors not in counts:
            continue
        found[names.bytes_] = SECTOR_BYTES * counts[names.sectors]
        if counts.get(names.requests, 0):
            found[names.per_request] = counts[names.sectors] / counts[names.requests]
    return found


def l1_bytes(counts: Counts) -> int:
    """The bytes of global memory that pass L1, in whole sectors."""
    return SECTOR_BYTES * sum(counts.get(global_names(operation).sectors, 0) for operation in OPERATIONS)


def global_passes(counts: Counts) -> int:
    """The fewest passes of the load/store unit for the global accesses: at least one for each request, and for each 128 bytes."""
    passes = 0
    for names in map(global_names, OPERATIONS):
        requests, sectors = counts.get(names.requests, 0), counts.get(names.sectors, 0)
        passes += max(requests, -(-sectors // SECTORS_PER_PASS))
    return passes


def shared_passes(counts: Counts) -> int:
    """Wavefronts of shared memory. The same unit serves one of them in a pass."""
    return sum(counts.get(shared_names(operation).wavefronts, 0) for operation in OPERATIONS)


def passes(counts: Counts) -> int:
    return global_passes(counts) + shared_passes(counts)
