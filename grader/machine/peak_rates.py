"""The highest rates that a GPU can reach, computed from its own description. Pure."""

from __future__ import annotations

from dataclasses import dataclass

# fp32 lanes of a multiprocessor by compute capability, from the "Arithmetic Instructions" table of NVIDIA's CUDA C++ Programming
# Guide. Each lane does one multiplication and one addition in a clock. A newer, unknown capability counts as the newest known.
_FP32_LANES = {75: 64, 80: 64, 86: 128, 87: 128, 89: 128, 90: 128, 100: 128, 103: 128, 120: 128, 121: 128}


@dataclass(frozen=True)
class Peak:
    """The highest rates of a device, per second."""

    flops: float  # fp32, on CUDA cores
    bytes: float  # of device memory


def peak_of(
    capability: int, multiprocessors: int, clock_khz: int, memory_clock_khz: int, memory_bus_bits: int
) -> Peak | None:
    """None where the driver does not say the clocks of the device or of its memory."""
    if min(multiprocessors, clock_khz, memory_clock_khz, memory_bus_bits) <= 0:
        return None
    lanes = _FP32_LANES.get(capability, max(_FP32_LANES.values()))
    transfers = 2  # per clock: double data rate
    return Peak(
        flops=2.0 * lanes * multiprocessors * clock_khz * 1e3,
        bytes=transfers * memory_clock_khz * 1e3 * memory_bus_bits / 8,
    )
