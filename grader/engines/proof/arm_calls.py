"""The call that announces an access before it happens, as assembly for 64-bit ARM."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.engines.proof.instructions import Decoded, Memory, Register
from grader.engines.proof.kit_calls import UNSEEN
from grader.engines.proof.machine_state import StrangeAssemblyError
from grader.engines.proof.memory_rules import Unannounced

_SAVED = 32  # bytes
_LOW = re.compile(r"#?(:lo12:[^\]\s]+)\]")


def call_before(missing: Unannounced, instruction: Decoded, line: str) -> list[str]:
    """As `Processor.call_before`."""
    return [
        f"\tstp\tx0, x1, [sp, #-{_SAVED}]!",
        "\tstr\tx30, [sp, #16]",
        *_where(missing, instruction, line),
        f"\tbl\t{UNSEEN[missing.kind]}",
        "\tldr\tx30, [sp, #16]",
        f"\tldp\tx0, x1, [sp], #{_SAVED}",
    ]


def _where(missing: Unannounced, instruction: Decoded, line: str) -> Iterator[str]:
    """The first byte's address into x0, the number of bytes into x1; of a call through a pointer, where that leads."""
    target, place = instruction.operands[0], instruction.operands[-1]
    if missing.kind == "call" and isinstance(target, Register):
        yield f"\tmov\tx0, {target.name}"
        return
    if missing.register:
        begin, end = missing.span
        yield f"\tadd\tx0, {missing.register}, #{begin}"
        yield f"\tmov\tx1, #{end - begin}"
        return
    if not isinstance(place, Memory):
        raise StrangeAssemblyError(line)
    low = _LOW.search(line)
    displacement = 0 if place.writes_back == "behind" else place.displacement
    if place.base == "sp":
        displacement += _SAVED
    if place.index is not None:
        width = "w" if place.index.bits == 32 else "x"  # noqa: PLR2004 - bits
        how = place.index.extend or "lsl"
        yield f"\tadd\tx0, {place.base}, {width}{place.index.name[1:]}, {how} #{place.index.by}"
    elif low:
        yield f"\tadd\tx0, {place.base}, #{low[1]}"
    else:
        yield f"\tmov\tx0, {place.base}"
    if displacement:
        yield f"\tmov\tx1, #{displacement}"
        yield "\tadd\tx0, x0, x1"
    yield f"\tmov\tx1, #{place.size}"
