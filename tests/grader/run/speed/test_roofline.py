"""The least time a device can take for a problem."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.engines.backend import Device, Peak
from grader.run.speed.speed_score import floor_seconds

N = 1024
PRODUCT = (2.0 * N**3, 3.0 * 4 * N**2)  # flops and bytes


def peak_of(
    capability: int, multiprocessors: int, clock_khz: int, memory_clock_khz: int, memory_bus_bits: int
) -> Peak | None:
    device = Device(
        0, "a GPU", capability, multiprocessors, 1 << 30, 1 << 20, 13000, "", "", clock_khz, memory_clock_khz
    )
    return replace(device, memory_bus_bits=memory_bus_bits).peak


def test_an_h200s_peak_follows_from_what_its_driver_tells() -> None:
    peak = peak_of(90, multiprocessors=132, clock_khz=1_980_000, memory_clock_khz=3_201_000, memory_bus_bits=6144)
    assert peak is not None
    assert peak.flops == pytest.approx(66.9e12, rel=0.001)
    assert peak.bytes == pytest.approx(4.92e12, rel=0.001)


def test_the_floor_is_the_slower_of_computing_and_moving() -> None:
    assert floor_seconds(*PRODUCT, Peak(flops=1e12, bytes=1e15)) == pytest.approx(2.0 * N**3 / 1e12)
    assert floor_seconds(*PRODUCT, Peak(flops=1e18, bytes=1e9)) == pytest.approx(12.0 * N**2 / 1e9)


def test_a_time_below_the_floor_is_impossible() -> None:
    peak = Peak(flops=67e12, bytes=5e12)
    assert floor_seconds(*PRODUCT, peak) > 30e-6
    assert floor_seconds(*PRODUCT, peak) < 66e-6  # cuBLAS's


def test_a_device_that_does_not_tell_its_clocks_has_no_floor() -> None:
    assert peak_of(90, 132, 0, 0, 0) is None
    assert floor_seconds(*PRODUCT, None) == 0


def test_a_device_newer_than_the_table_is_given_the_most() -> None:
    assert peak_of(130, 1, 1_000_000, 1, 8) == peak_of(120, 1, 1_000_000, 1, 8)
