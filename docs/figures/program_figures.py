"""The figures of the lab on a first program: two memories, one thread for each number, and who waits for whom."""

# ruff: noqa: INP001 -- a script's piece, in no package
from __future__ import annotations

from canvas import ALARM, EDGE, PALE, SOFT, A, B, C, Canvas


def two_memories() -> str:
    canvas = Canvas(
        900,
        372,
        "The host has memory of its own, and the GPU has memory of its own. cudaMemcpy carries numbers from one to the other.",
    )
    canvas.text(24, 34, "Two memories, and five steps", size=17, bold=True)
    for left, name, fill in ((40, "memory of the host", A), (600, "memory of the GPU", C)):
        canvas.box(left, 60, 260, 236, PALE[fill], EDGE[fill], radius=8)
        canvas.text(left + 130, 84, name, anchor="middle", size=15, bold=True)
    for row, name in enumerate("xyz"):
        top = 102 + row * 62
        canvas.box(64, top, 212, 40, A)
        canvas.text(170, top + 26, name, anchor="middle", size=16)
        canvas.box(624, top, 212, 40, C)
        canvas.text(730, top + 26, f"1: cudaMalloc, {name} on the GPU", anchor="middle", size=13)
    for row in (0, 1):
        top = 122 + row * 62
        canvas.line(282, top, 616, top, EDGE[A], tip=True)
        canvas.text(450, top - 8, "2: cudaMemcpy, host to device", anchor="middle", size=13)
    canvas.line(616, 246, 282, 246, EDGE[C], tip=True)
    canvas.text(450, 238, "4: cudaMemcpy, device to host", anchor="middle", size=13)
    canvas.text(730, 288, "5: cudaFree", anchor="middle", size=13)
    canvas.text(40, 328, "3: The kernel works in the memory of the GPU alone.", size=14)
    canvas.text(40, 352, "A pointer to one memory leads nowhere on the other side.", size=14, fill=ALARM)
    return canvas.svg()


def numbers_and_blocks() -> str:
    side, block, numbers = 44, 4, 10
    canvas = Canvas(
        900,
        250,
        "Ten numbers and blocks of four threads: three blocks are needed, and the last two threads have no number.",
    )
    canvas.text(24, 34, "10 numbers, blocks of 4 threads: (10 + 4 - 1) / 4 = 3 blocks", size=17, bold=True)
    left, top = 60, 96
    for start in range(3):
        x = left + start * (block * side + 24)
        canvas.box(x - 6, top - 34, block * side + 12, side + 74, "#ffffff", EDGE[B], radius=8, dashed=True)
        canvas.text(x, top - 14, f"block {start}", size=13)
        for thread in range(block):
            index = start * block + thread
            inside = index < numbers
            canvas.box(x + thread * side, top, side, side, B if inside else "#ffffff", SOFT if inside else ALARM)
            canvas.text(x + (thread + 0.5) * side, top + 28, str(index), anchor="middle", size=16)
            canvas.text(
                x + (thread + 0.5) * side, top + side + 20, f"thr. {thread}", anchor="middle", size=12, fill=SOFT
            )
    canvas.text(left, 204, "number = block · 4 + thread", size=14)
    canvas.text(left, 228, "Numbers 10 and 11 do not exist: these threads must not touch memory.", size=14, fill=ALARM)
    return canvas.svg()


def who_waits() -> str:
    canvas = Canvas(
        900,
        300,
        "A launch returns at once, while the kernel runs on the GPU. The copy back waits until the kernel is done.",
    )
    canvas.text(24, 34, "Who waits for whom", size=17, bold=True)
    for top, name in ((84, "host"), (184, "GPU")):
        canvas.text(30, top + 26, name, size=15, bold=True)
        canvas.line(90, top + 60, 870, top + 60, SOFT)
    for x, width, words in ((100, 130, "copy in"), (236, 76, "launch"), (560, 190, "copy back"), (756, 100, "use it")):
        canvas.box(x, 84, width, 44, A)
        canvas.text(x + width / 2, 111, words, anchor="middle", size=14)
    canvas.box(318, 84, 236, 44, "#ffffff", SOFT, dashed=True)
    canvas.text(436, 104, "goes on at once: here the", anchor="middle", size=13)
    canvas.text(436, 121, "result is not there yet", anchor="middle", size=13, fill=ALARM)
    canvas.box(300, 184, 300, 44, C)
    canvas.text(450, 211, "the kernel runs", anchor="middle", size=14)
    canvas.line(274, 130, 300, 180, EDGE[A], tip=True)
    canvas.line(600, 182, 626, 132, EDGE[C], tip=True)
    canvas.text(640, 206, "cudaMemcpy waits for the kernel", size=13)
    canvas.text(90, 280, "Time goes from left to right.", size=13, fill=SOFT)
    return canvas.svg()
