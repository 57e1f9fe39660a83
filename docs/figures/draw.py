"""Draws every figure of the write-ups: `.venv/bin/python docs/figures/draw.py` brings assignments/figures up to date.

Another folder may be named instead. tests/conventions/test_write_ups.py fails when a figure is not current.
"""

# ruff: noqa: INP001 -- a script, in no package
from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import convolution_figures
import edge_figures
import histogram_figures
import product_figures
import program_figures
import reduction_figures
import scan_figures
import softmax_figures
import speed_figures
import tile_figures
import transpose_figures
import worked_figures

FIGURES: dict[str, Callable[[], str]] = {
    "two-memories": program_figures.two_memories,
    "numbers-and-blocks": program_figures.numbers_and_blocks,
    "who-waits": program_figures.who_waits,
    "dot-product": product_figures.dot_product,
    "repeated-reads": product_figures.repeated_reads,
    "blocks-over-c": product_figures.blocks_over_c,
    "phases": tile_figures.phases,
    "one-phase": tile_figures.one_phase,
    "two-barriers": tile_figures.two_barriers,
    "worked-tiles": worked_figures.worked_tiles,
    "worked-phases": worked_figures.worked_phases,
    "roofline": speed_figures.roofline,
    "ragged-tiles": edge_figures.ragged_tiles,
    "wrapped-row": edge_figures.wrapped_row,
    "zero-fill": edge_figures.zero_fill,
    "register-tile": speed_figures.register_tile,
    "measured-speeds": speed_figures.measured_speeds,
    "climb": speed_figures.climb,
    "strided-store": transpose_figures.strided_store,
    "turned-tile": transpose_figures.turned_tile,
    "column-of-banks": transpose_figures.column_of_banks,
    "sum-tree": reduction_figures.sum_tree,
    "lost-update": reduction_figures.lost_update,
    "shuffle-down": reduction_figures.shuffle_down,
    "private-bins": histogram_figures.private_bins,
    "meeting-in-a-bin": histogram_figures.meeting_in_a_bin,
    "scan-steps": scan_figures.scan_steps,
    "three-kernels": scan_figures.three_kernels,
    "mask-over-pixels": convolution_figures.mask_over_pixels,
    "tile-and-halo": convolution_figures.tile_and_halo,
    "row-to-softmax": softmax_figures.row_to_softmax,
    "passes-over-rows": softmax_figures.passes_over_rows,
}


def write(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in FIGURES.items():
        (folder / f"{name}.svg").write_text(figure(), encoding="utf-8")


if __name__ == "__main__":
    default = Path(__file__).resolve().parents[2] / "assignments" / "figures"
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else default)
