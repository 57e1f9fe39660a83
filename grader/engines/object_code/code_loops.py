"""Finds the loops in compiled code: the first block of each, and the last block that jumps back to it.

The compiler's text has labels and jumps but no addresses, and the object file has addresses but no labels. Every basic block
announces itself with a call. These calls are in both, in the same order, so they connect the two.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

BLOCK_BEGINS = "__sanitizer_cov_trace_pc"
_ITEM = re.compile(
    r"^(?:\s+\.type\s+(?P<begin>[\w.$]+),\s*[@%]function"
    r"|\s+(?P<end>\.size)\s"
    r"|(?P<label>\.L\w+):"
    rf"|\s+(?:call|bl)q?\s+(?P<block>{BLOCK_BEGINS})\b"
    r"|\s+(?:j\w+|b|b\.\w+|cbn?z|tbn?z)\s+(?:[^\n#/]*,\s*)?(?P<target>\.L\w+)\s*$)",
    re.MULTILINE,
)

Loop = tuple[int, int]


def loops_by_function(assembly: str) -> dict[str, tuple[int, list[Loop]]]:
    """For each function, the number of its blocks, and its loops as the numbers of their first and last block in the order of the text.
    Loops with the same first block are one loop.
    """
    found: dict[str, tuple[int, list[Loop]]] = {}
    function, blocks = "", 0
    labels: dict[str, int] = {}
    loops: dict[int, int] = {}
    for item in _ITEM.finditer(assembly):
        if item["begin"] is not None:
            function, blocks, labels, loops = item["begin"], 0, {}, {}
        elif item["end"] is not None:
            if function:
                found[function] = blocks, sorted(loops.items())
            function = ""
        elif item["label"] is not None:
            labels[item["label"]] = blocks
        elif item["block"] is not None:
            blocks += 1
        elif (first := labels.get(item["target"])) is not None and first < blocks:
            loops[first] = max(loops.get(first, 0), blocks - 1)
    return found


def loop_addresses(
    assembly: str, block_offsets: Mapping[str, Sequence[int]], addresses: Mapping[str, int]
) -> list[Loop]:
    """`block_offsets`: where the blocks of each function announce themselves, as offsets from the function's first byte.
    `addresses`: of the functions in the program. A function for which text and object disagree gets no loops.
    """
    placed: list[Loop] = []
    for function, (blocks, loops) in loops_by_function(assembly).items():
        offsets, base = block_offsets.get(function, ()), addresses.get(function)
        if base is None or len(offsets) != blocks:
            continue
        placed.extend((base + offsets[first], base + offsets[last]) for first, last in loops)
    return sorted(placed)
