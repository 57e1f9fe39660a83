"""What one request of a warp costs, by the rules by which kit/simt/observers/request_counter.cpp counts a launch: distinct sectors of
32 bytes of global memory, or passes over the 32 banks of shared memory. Pure. Addresses count from a multiple of 128.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from grader.step_page.story import LANES, WarpCost

SECTOR_BYTES = 32
WORD_BYTES = 4
_WORDS_OF_A_SECTOR = SECTOR_BYTES // WORD_BYTES


def global_cost(addresses: Iterable[int], size: int) -> WarpCost:
    """`addresses`: one of each lane. `size`: bytes that each of them accesses."""
    words = _words(addresses, size)
    sectors = {word // _WORDS_OF_A_SECTOR for word in words}
    return WarpCost(len(sectors), max(1, -(-len(words) // _WORDS_OF_A_SECTOR)))


def shared_cost(addresses: Mapping[int, int], size: int, *, reads: bool) -> WarpCost:
    """`addresses`: by lane. Lanes with the same word of a bank count once; wide accesses are served by half or quarter warps."""
    if size <= WORD_BYTES:
        return WarpCost(_passes(_words(addresses.values(), size)), 1)
    together = 16 if size <= 2 * WORD_BYTES else 8
    if reads and (_paired(addresses, 1) or _paired(addresses, 2)):
        together *= 2
    groups = [
        [addresses[lane] for lane in range(first, first + together) if lane in addresses]
        for first in range(0, LANES, together)
    ]
    served = [group for group in groups if group]
    return WarpCost(sum(_passes(_words(group, size)) for group in served), len(served))


def _words(addresses: Iterable[int], size: int) -> set[int]:
    each = list(addresses)
    if 0 < size <= WORD_BYTES:  # in one word or in two neighbours
        return {one // WORD_BYTES for one in each} | {(one + size - 1) // WORD_BYTES for one in each}
    return {word for one in each for word in range(one // WORD_BYTES, (one + size - 1) // WORD_BYTES + 1)}


def _passes(words: Collection[int]) -> int:
    if len({word % LANES for word in words}) == len(words) > 0:
        return 1
    return max(Counter(word % LANES for word in words).values())


def _paired(addresses: Mapping[int, int], bit: int) -> bool:
    """Whether each lane has the address of the lane whose number differs in this bit, or that lane is inactive."""
    return all(addresses.get(lane ^ bit, one) == one for lane, one in addresses.items())
