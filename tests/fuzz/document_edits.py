"""Changes documents that programs exchange: JSON as a tree, and any text or bytes as they are. Pure; all chance is given.

The values put in are those that readers get wrong: limits of integers, numbers that are none, empty, long and nested things,
text that is no text.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

NUMBERS = (
    0, 1, -1, 2, 63, 64, 65, 127, 128, 255, 256, 1024, 1025, 65535, 65536, 2**31 - 1, 2**31, -(2**31), 2**32, 2**53, 2**53 + 1,
    2**63 - 1, 2**63, -(2**63), 2**64 - 1, 2**64, 10**30, 0.0, -0.0, 0.5, 1e-320, 1e300, 1e308, -1.5,
)  # fmt: skip
TEXTS = (
    "", " ", "a", "\0", "\n", "\r\n", "\t", "\x1b[31m", "\x7f", "\u202e", "\ud800", "\ufffd", "\U0001f600", "é", "e\u0301", "../../x",
    "/etc/passwd", "a/b", "'", '"', "\\", "<script>alert(1)</script>", "{{ 7 * 7 }}", "&amp;", "]]>", "%s%n", "nan", "-1", "A" * 5000,
    "race", "pass", "internal-error", "completed", "note",
)  # fmt: skip


def odd_value(chance: random.Random) -> Any:  # noqa: ANN401 -- any JSON
    kind = chance.randrange(8)
    if kind < 3:
        return chance.choice(NUMBERS)
    if kind < 6:
        return chance.choice(TEXTS)
    deep: Any = []
    for _ in range(chance.choice((1, 3, 50, 100))):
        deep = [deep] if chance.random() < 0.5 else {"a": deep}
    return chance.choice((None, True, False, [], {}, [[]], {"": None}, [0] * 300, deep))


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:  # noqa: ANN401 -- any JSON
    """The path of everything in `tree` but itself."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def edited_tree(tree: Any, chance: random.Random, times: int) -> Any:  # noqa: ANN401 -- any JSON
    """A copy with `times` changes: a value replaced, removed, repeated, moved, or a key renamed."""
    tree = copy.deepcopy(tree)
    for _ in range(times):
        found = list(places(tree))
        if not found:
            return odd_value(chance)
        _edit(tree, chance.choice(found), chance, found)
    return tree


def _edit(tree: Any, path: tuple[Any, ...], chance: random.Random, found: list[tuple[Any, ...]]) -> None:  # noqa: ANN401
    holder, key = _at(tree, path[:-1]), path[-1]
    kind = chance.randrange(10)
    if kind < 5:
        holder[key] = _alike(holder[key], chance) if chance.random() < 0.7 else odd_value(chance)
    elif kind == 5:
        del holder[key]
    elif kind == 6 and isinstance(holder, list):
        holder.extend([copy.deepcopy(holder[key])] * chance.choice((1, 70, 300)))
    elif kind == 7 and isinstance(holder, dict):
        holder[chance.choice((*TEXTS, str(key) + "s"))] = holder.pop(key)
    elif kind == 8 and isinstance(holder[key], (int, float)) and not isinstance(holder[key], bool):
        holder[key] += chance.choice((-1, 1, 16, -16))
    else:
        holder[key] = copy.deepcopy(_at(tree, chance.choice(found)))


def _alike(value: Any, chance: random.Random) -> Any:  # noqa: ANN401 -- any JSON
    """Another value of the same type, which a reader may take."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return (
            chance.choice(NUMBERS)
            if chance.random() < 0.2
            else chance.choice([one for one in NUMBERS if isinstance(one, int)])
        )
    if isinstance(value, float):
        return chance.choice([float(one) for one in NUMBERS])
    return chance.choice(TEXTS) if isinstance(value, str) else odd_value(chance)


def _at(tree: Any, path: tuple[Any, ...]) -> Any:  # noqa: ANN401 -- any JSON
    for key in path:
        tree = tree[key]
    return tree


def as_json(tree: Any) -> bytes:  # noqa: ANN401 -- any JSON
    """UTF-8, also of what no UTF-8 has: lone surrogates stay as escapes."""
    return json.dumps(tree).encode()


def edited_bytes(data: bytes, chance: random.Random, times: int) -> bytes:
    """`times` changes: bits turned, bytes set, runs removed, repeated, moved or filled, the end cut off."""
    result = bytearray(data)
    for _ in range(times):
        if not result:
            return chance.randbytes(chance.choice((0, 1, 4, 100)))
        at = chance.randrange(len(result))
        chance.choice(_BYTE_EDITS)(result, at, min(len(result), at + chance.choice((1, 1, 2, 4, 8, 64, 512))), chance)
    return bytes(result)


def _turn_bit(data: bytearray, at: int, _end: int, chance: random.Random) -> None:
    data[at] ^= 1 << chance.randrange(8)


def _set_byte(data: bytearray, at: int, _end: int, chance: random.Random) -> None:
    data[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, 0x22, 0x5C, 0x2E, 0x2F, chance.randrange(256)))


def _set_number(data: bytearray, at: int, _end: int, chance: random.Random) -> None:
    """In the order of bytes that archives use."""
    width = chance.choice((2, 4, 8))
    number = chance.choice((0, 1, -1, 1 << 31, 1 << 15, 1 << 62)) % (1 << 8 * width)
    data[at : at + width] = number.to_bytes(width, "little")


def _remove(data: bytearray, at: int, end: int, _chance: random.Random) -> None:
    del data[at:end]


def _repeat(data: bytearray, at: int, end: int, chance: random.Random) -> None:
    data[at:at] = data[at:end] * chance.choice((1, 2, 40))


def _copy(data: bytearray, at: int, end: int, chance: random.Random) -> None:
    to = chance.randrange(len(data))
    data[to : to + end - at] = data[at:end]


def _fill(data: bytearray, at: int, end: int, chance: random.Random) -> None:
    data[at:end] = bytes([chance.choice((0, 0xFF, 0x20, 0x30))]) * (end - at)


def _cut(data: bytearray, at: int, _end: int, chance: random.Random) -> None:
    if chance.random() < 0.3:
        del data[at:]


_BYTE_EDITS = (_turn_bit, _set_byte, _set_number, _remove, _repeat, _copy, _fill, _cut)
