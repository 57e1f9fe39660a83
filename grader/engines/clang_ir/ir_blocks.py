"""Has the basic blocks of Clang's dump announce themselves, as GCC's `-fsanitize-coverage=trace-pc` does.

Clang's own option announces the blocks around each of the sanitizer's checks too, four times as many steps as the
statements take. Here those count as one with the block before, and so does a block that only ever follows one other.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

from grader.engines.object_code.code_loops import BLOCK_BEGINS

_LABEL = re.compile(r'^("[^"]*"|[\w.$-]+):')
_TARGET = re.compile(r'label %("[^"]*"|[\w.$-]+)')
_PLACE = re.compile(r", !dbg !\d+")
_WATCHED = re.compile(r"^attributes #(\d+) = \{.*\bsanitize_thread\b", re.MULTILINE)  # the kit's own quiet ones are not
_DECLARATION = re.compile(rf"^declare .*@{BLOCK_BEGINS}\(", re.MULTILINE)
_ENTRY = ""
_MORE = "  ]"  # how a `switch` over several lines ends


@dataclass
class _Block:
    label: str
    first: int  # line of its first instruction
    end: int = 0  # behind its last
    comes_from: list[tuple[bool, bool]] = field(default_factory=list)  # each way in: a check's, without a choice


def announce_blocks(dump: str) -> str:
    lines = dump.split("\n")
    watched = set(_WATCHED.findall(dump))
    announced: dict[int, str] = {}
    at = 0
    while at < len(lines):
        if not lines[at].startswith("define "):
            at += 1
            continue
        end = lines.index("}", at)
        if watched & set(re.findall(r" #(\d+)", lines[at])):
            announced.update(_calls(lines, at + 1, end))
        at = end
    rewritten = [
        piece for number, line in enumerate(lines) for piece in (announced.get(number), line) if piece is not None
    ]
    if announced and not _DECLARATION.search(dump):
        rewritten.append(f"declare void @{BLOCK_BEGINS}()\n")
    return "\n".join(rewritten)


def _calls(lines: list[str], first: int, end: int) -> dict[int, str]:
    """By the line before which each stands."""
    found = {}
    for block in _blocks(lines, first, end):
        by_choice = [free for check, free in block.comes_from if not check]
        if block.label == _ENTRY or (by_choice and not (len(block.comes_from) == 1 and by_choice[0])):
            numbers = range(block.first, block.end)
            at = next((n for n in numbers if not re.search(r"= (phi|alloca) ", lines[n])), block.end)
            places = (_PLACE.search(lines[n]) for n in numbers[at - block.first :])
            place = next((one[0] for one in places if one), "")
            found[at] = f"  call void @{BLOCK_BEGINS}(){place}"
    return found


def _blocks(lines: list[str], first: int, end: int) -> list[_Block]:
    """With the ways that lead into each."""
    blocks = [_Block(_ENTRY, first)]
    for number in range(first, end):
        if label := _LABEL.match(lines[number]):
            blocks[-1].end = number
            blocks.append(_Block(label[1], number + 1))
    blocks[-1].end = end
    ways: defaultdict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for block in blocks:
        for target, check, free in _ways_out([line for line in lines[block.first : block.end] if line.strip()]):
            ways[target].append((check, free))
    for block in blocks:
        block.comes_from = ways[block.label]
    return blocks


def _ways_out(instructions: list[str]) -> list[tuple[str, bool, bool]]:
    """Of a block's last instruction: label, whether a check of the sanitizer's goes there, whether without a choice."""
    last = len(instructions) - 1
    while last > 0 and (instructions[last].startswith(_MORE) or instructions[last].startswith("    ")):
        last -= 1  # a `switch`
    text = " ".join(instructions[last:])
    targets = _TARGET.findall(text)
    return [(target, "!nosanitize" in text, text.lstrip().startswith("br label ")) for target in targets]
