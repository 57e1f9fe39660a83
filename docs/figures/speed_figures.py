"""The figures with numbers in them: a roofline, a tile in registers, and measured speeds. Measured on one H200."""

# ruff: noqa: INP001 -- a script's piece, in no package
from __future__ import annotations

from math import log10

from canvas import EDGE, INK, PALE, SOFT, A, B, C, Canvas

PEAK_TFLOPS, BANDWIDTH_TBS = 67.0, 4.8  # NVIDIA's data sheet for the H200 SXM: fp32 without tensor cores, HBM3e
# Kernel, operations per byte that its source asks of global memory, TFLOP/s at M = N = K = 1024.
AT_1024 = [("naive", 0.25, 5.0), ("tiles of 16", 4.0, 7.7), ("tiles of 32", 8.0, 9.0)]
# TFLOP/s at M = N = K = 4096.
AT_4096 = [
    ("naive, 16 × 16 block", 5.3),
    ("tiles of 16 × 16", 8.1),
    ("tiles of 32 × 32", 8.9),
    ("64 × 64, register tile", 22.8),
    ("128 × 128, register tile", 25.3),
    ("cuBLAS", 51.1),
]
# Microseconds of one launch at M = N = K = 2048, from Nsight Compute: the lab's model, and one step after another.
CLIMB = [
    ("the lab's model", 1852),
    ("1: eight outputs a thread", 989),
    ("2: 8 × 8 outputs a thread", 744),
    ("3: loads of 16 bytes", 704),
    ("4: a turned tile, no conflicts", 458),
    ("5: the next tile in registers", 414),
    ("6: asynchronous copies", 388),
    ("7: a piece of C for each warp", 372),
    ("8: blocks in bands", 376),
    ("9: slices of K", 395),
]


def roofline() -> str:
    canvas = Canvas(
        820, 470, "Roofline of an H200: the naive kernel lies above the memory roof, the tiled kernels well below it."
    )
    canvas.text(24, 34, "Asked of global memory against measured speed (H200, 1024³, fp32)", size=17, bold=True)
    left, low, wide, high = 90, 400, 660, 320

    def x(operations: float) -> float:
        return left + wide * (log10(operations) + 1) / 3  # 0.1 … 100 op/B

    def y(tflops: float) -> float:
        return low - high * (log10(tflops) + 1) / 3  # 0.1 … 100 TFLOP/s

    for power in range(-1, 3):
        value = 10.0**power
        canvas.line(left, y(value), left + wide, y(value), "#dcd8cc", weight=1)
        canvas.text(left - 10, y(value) + 5, f"{value:g}", size=13, anchor="end")
        canvas.line(x(value), low, x(value), low - high, "#dcd8cc", weight=1)
        canvas.text(x(value), low + 20, f"{value:g}", size=13, anchor="middle")
    canvas.text(
        left + wide / 2,
        low + 46,
        "operations per byte of global memory, as the source asks for them",
        size=13,
        anchor="middle",
    )
    canvas.text(left - 66, low - high - 14, "TFLOP/s", size=13)
    ridge = PEAK_TFLOPS / BANDWIDTH_TBS
    canvas.line(x(0.1), y(0.1 * BANDWIDTH_TBS), x(ridge), y(PEAK_TFLOPS), INK, weight=2.4)
    canvas.line(x(ridge), y(PEAK_TFLOPS), x(100), y(PEAK_TFLOPS), INK, weight=2.4)
    canvas.text(x(18), y(PEAK_TFLOPS) - 10, f"arithmetic: {PEAK_TFLOPS:g} TFLOP/s", size=13)
    canvas.text(x(0.9), y(2.4), f"memory: {BANDWIDTH_TBS:g} TB/s", size=13)
    for name, operations, tflops in AT_1024:
        roof = min(PEAK_TFLOPS, operations * BANDWIDTH_TBS)
        canvas.line(x(operations), y(tflops), x(operations), y(roof), SOFT, dashed=True)
        canvas.dot(x(operations), y(tflops), A)
        above = tflops > roof
        place = -14 if above else 26
        canvas.text(
            x(operations),
            y(tflops) + place,
            f"{name}: {tflops:.1f}",
            size=13,
            anchor="middle" if above else ("end" if operations < 5 else "start"),
            bold=True,
        )
    return canvas.svg()


def register_tile() -> str:
    canvas = Canvas(
        820,
        400,
        "A thread that owns four by four elements of C reads four elements of each tile and makes sixteen products of them.",
    )
    side = 40
    canvas.text(24, 34, "For one k: one element per thread, and sixteen", size=17, bold=True)
    canvas.text(60, 76, "one element", bold=True)
    canvas.box(70, 240, side, side, A, EDGE[A])
    canvas.box(150, 150, side, side, B, EDGE[B])
    canvas.box(150, 240, side, side, C, EDGE[C])
    canvas.text(60, 330, "2 reads of shared memory")
    canvas.text(60, 352, "1 product")
    canvas.text(340, 76, "4 × 4 elements, kept in registers", bold=True)
    canvas.cells(350, 160, 4, 1, side, lambda _r, _c: A)
    canvas.cells(430, 100, 1, 4, side, lambda _r, _c: B)
    canvas.cells(430, 160, 4, 4, side, lambda _r, _c: C)
    canvas.text(340, 350, "8 reads of shared memory, 16 products:")
    canvas.text(340, 372, "a quarter of the reads for each product")
    canvas.legend(640, 180, [(A, "of the tile of A"), (B, "of the tile of B"), (C, "sums")])
    return canvas.svg()


def measured_speeds() -> str:
    canvas = Canvas(
        820,
        340,
        "TFLOP/s on an H200: naive 5.3, tiles of 16 8.1, tiles of 32 8.9, register tiles 22.8 and 25.3, cuBLAS 51.1.",
    )
    canvas.text(24, 34, "TFLOP/s on an H200, M = N = K = 4096, fp32", size=17, bold=True)
    scale = 480 / max(tflops for _, tflops in AT_4096)
    naive = AT_4096[0][1]
    for number, (name, tflops) in enumerate(AT_4096):
        top = 64 + number * 42
        canvas.text(210, top + 20, name, anchor="end")
        canvas.box(222, top, tflops * scale, 30, PALE[A] if number == 0 else A, EDGE[A])
        canvas.text(222 + tflops * scale + 8, top + 20, f"{tflops:g}  ({tflops / naive:.1f}×)", size=13)
    return canvas.svg()


def climb() -> str:
    operations = 2 * 2048**3
    speeds = [(name, operations / microseconds / 1e6) for name, microseconds in CLIMB]
    said = ", ".join(f"{name.partition(': ')[2] or name} {tflops:.1f}" for name, tflops in speeds)
    canvas = Canvas(820, 68 + 36 * len(speeds) + 18, f"TFLOP/s on an H200, one step after another: {said}.")
    canvas.text(24, 34, "TFLOP/s on an H200, M = N = K = 2048, fp32: one step after another", size=17, bold=True)
    scale = 440 / max(tflops for _, tflops in speeds)
    for number, (name, tflops) in enumerate(speeds):
        top = 60 + number * 36
        canvas.text(252, top + 18, name, anchor="end", size=13)
        canvas.box(264, top, tflops * scale, 26, PALE[A] if number == 0 else A, EDGE[A])
        canvas.text(264 + tflops * scale + 8, top + 18, f"{tflops:.1f}  ({tflops / speeds[0][1]:.1f}×)", size=13)
    return canvas.svg()
