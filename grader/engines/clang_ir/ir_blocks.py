"""Adds a call to each basic block in Clang's dump, with which the block announces itself. GCC's `-fsanitize-coverage=trace-pc` does this.

Clang's own option also announces the blocks around each check of the sanitizer, which makes four times as many steps as there are
for the statements. Here such a block belongs to the block before it. So does a block that has one predecessor without a choice.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

from grader.engines.object_code.code_loops import BLOCK_BEGINS

_LABEL = re.compile(r'^("[^"]*"|[\w.$-]+):')
_TARGET = re.compile(r'label %("[^"]*"|[\w.$-]+)')
_PLACE = re.compile(r", !dbg !\d+")
# The kit's own functions that announce nothing have no such attribute.
_INSTRUMENTED = re.compile(r"^attributes #(\d+) = \{.*\bsanitize_thread\b", re.MULTILINE)
_DECLARATION = re.compile(rf"^declare .*@{BLOCK_BEGINS}\(", re.MULTILINE)
_ENTRY = ""
_MORE = "  ]"  # the end of a `switch` that has several lines


@dataclass
class _Block:
    label: str
    first: int  # the line of its first instruction
    end: int = 0  # the line after its last instruction
    # For each branch to it: whether it belongs to a check, whether it is unconditional.
    predecessors: list[tuple[bool, bool]] = field(default_factory=list)


def announce_blocks(dump: str) -> str:
    lines = dump.split("\n")
    instrumented = set(_INSTRUMENTED.findall(dump))
    announced: dict[int, str] = {}
    at = 0
    while at < len(lines):
        if not lines[at].startswith("define "):
            at += 1
            continue
        end = lines.index("}", at)
        if instrumented & set(re.findall(r" #(\d+)", lines[at])):
            announced.update(_calls(lines, at + 1, end))
        at = end
    rewritten = [
        piece for number, line in enumerate(lines) for piece in (announced.get(number), line) if piece is not None
    ]
    if announced and not _DECLARATION.search(dump):
        rewritten.append(f"declare void @{BLOCK_BEGINS}()\n")
    return "\n".join(rewritten)


def _calls(lines: list[str], first: int, end: int) -> dict[int, str]:
    """The calls to insert, by the number of the line that each comes before."""
    found = {}
    for block in _blocks(lines, first, end):
        own_branches = [unconditional for check, unconditional in block.predecessors if not check]
        if block.label == _ENTRY or (own_branches and not (len(block.predecessors) == 1 and own_branches[0])):
            numbers = range(block.first, block.end)
            at = next((n for n in numbers if not re.search(r"= (phi|alloca) ", lines[n])), block.end)
            places = (_PLACE.search(lines[n]) for n in numbers[at - block.first :])
            place = next((one[0] for one in places if one), "")
            found[at] = f"  call void @{BLOCK_BEGINS}(){place}"
    return found


def _blocks(lines: list[str], first: int, end: int) -> list[_Block]:
    """The blocks, each with the branches that lead to it."""
    blocks = [_Block(_ENTRY, first)]
    for number in range(first, end):
        if label := _LABEL.match(lines[number]):
            blocks[-1].end = number
            blocks.append(_Block(label[1], number + 1))
    blocks[-1].end = end
    branches: defaultdict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for block in blocks:
        for target, check, unconditional in _branches(
            [line for line in lines[block.first : block.end] if line.strip()]
        ):
            branches[target].append((check, unconditional))
    for block in blocks:
        block.predecessors = branches[block.label]
    return blocks


def _branches(instructions: list[str]) -> list[tuple[str, bool, bool]]:
    """The branches of a block's last instruction: label, whether it belongs to a sanitizer's check, whether it is unconditional."""
    last = len(instructions) - 1
    while last > 0 and (instructions[last].startswith(_MORE) or instructions[last].startswith("    ")):
        last -= 1  # a `switch`
    text = " ".join(instructions[last:])
    targets = _TARGET.findall(text)
    return [(target, "!nosanitize" in text, text.lstrip().startswith("br label ")) for target in targets]
