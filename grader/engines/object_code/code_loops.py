"""Finds the loops of compiled code: where their first block begins, and the last one that jumps back to it.

The compiler's text knows labels and jumps but no addresses, the object knows addresses but no labels. Every basic block
announces itself with a call that stands in both, in the same order: that is what joins them.
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
    """For each function its number of blocks, and its loops as numbers of their first and last block, in the order of
    the text. Loops with one beginning are one loop.
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
    """`block_offsets`: where the blocks of each function announce themselves, from the function's first byte;
    `addresses`: where the functions lie in the program. Functions that text and object tell differently have no loops.
    """
    placed: list[Loop] = []
    for function, (blocks, loops) in loops_by_function(assembly).items():
        offsets, base = block_offsets.get(function, ()), addresses.get(function)
        if base is None or len(offsets) != blocks:
            continue
        placed.extend((base + offsets[first], base + offsets[last]) for first, last in loops)
    return sorted(placed)
