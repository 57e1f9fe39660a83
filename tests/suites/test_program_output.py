"""What counts as the same output of a program: times, rounding and the device's properties may differ, results may not."""

from __future__ import annotations

import pytest
from program_output import Likeness, likeness


@pytest.mark.parametrize(
    ("ours", "gpu", "like"),
    [
        ("sum 5\n", ["sum 5\n"], Likeness.SAME),
        ("sum 5\n", ["sum 6\n"], Likeness.OTHER),
        ("sum 5\n", ["total 5\n"], Likeness.OTHER),
        ("sum 5\n", ["sum 5\ndone\n"], Likeness.OTHER),
        ("sum 0.33333\n", ["sum 0.33334\n"], Likeness.ROUNDED),
        ("sum 0.33\n", ["sum 0.35\n"], Likeness.OTHER),
        ("sum 5\ntook 7.25 ms\n", ["sum 5\ntook 0.01 ms\n"], Likeness.TIMES),
        ("sum 5\ntook 7.25 ms\n", ["sum 6\ntook 0.01 ms\n"], Likeness.OTHER),
        ("elements 5\n", ["elements 6\n"], Likeness.OTHER),
        ("Device 0: NVIDIA H100\nok\n", ["Device 0: NVIDIA H200\nok\n"], Likeness.DEVICE),
        ("sum on the GPU 5\n", ["sum on the GPU 6\n"], Likeness.OTHER),
        ("block 1\nblock 0\n", ["block 0\nblock 1\n"], Likeness.ORDER),
        ("block 1\nblock 0\n3 ms\n", ["block 0\nblock 1\n5 ms\n"], Likeness.ORDER),
        ("at 0x7f00aa00\n", ["at 0x7f12bb00\n"], Likeness.SAME),
        ("drawn 7\n", ["drawn 3\n", "drawn 9\n"], Likeness.RANDOM),
        ("drawn 7\nsum 1\n", ["drawn 3\nsum 2\n", "drawn 9\nsum 2\n"], Likeness.OTHER),
        ("error in /tmp/a/x.cu\n", ["error in /var/b/x.cu\n"], Likeness.SAME),
    ],
)
def test_two_outputs_are_alike_in_what_counts(ours: str, gpu: list[str], like: Likeness) -> None:
    assert likeness(ours, gpu) is like
