"""What is known at one place of a function: registers, the words of its own frame, and what was announced last.

A frame's words are known by where they lie from the stack pointer the function began with. A store that is not known to miss
the frame forgets them all: nothing here trusts what a pointer points to.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

# Symbolic 64-bit integers: what a register holds, as a sum of unknowns. Equal sums are equal numbers, whatever the unknowns are.
#
# A value is `(constant, ((atom, factor), …))`, all modulo 2**64. An atom is an unknown: the stack pointer a function began with,
# a symbol's address, what a load found, or the result of an operation that is no sum. The same operation on the same values is
# the same atom, so an address that is computed twice is known to be one address. Not here: what memory holds.

Terms = tuple[tuple[int, int], ...]
Value = tuple[int, Terms]
Bounds = tuple[int, int]

WORD = 64
HALF = 32
_MASKS = {bits: (1 << bits) - 1 for bits in (8, 16, HALF, WORD)}
ALL = _MASKS[WORD]
HALF_BOUNDS: Bounds = (0, _MASKS[HALF])
_SIGNED_HALF: Bounds = (-(1 << (HALF - 1)), (1 << (HALF - 1)) - 1)


def constant(number: int) -> Value:
    return number & ALL, ()


def signed(number: int, bits: int = WORD) -> int:
    """The number that these bits stand for where the highest is a sign."""
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> (bits - 1) else number


def plus(one: Value, other: Value) -> Value:
    if not other[1]:
        return (one[0] + other[0]) & ALL, one[1]
    if not one[1]:
        return (one[0] + other[0]) & ALL, other[1]
    return (one[0] + other[0]) & ALL, _merged([*one[1], *other[1]], ALL)


def times(value: Value, factor: int) -> Value:
    if not value[1]:
        return (value[0] * factor) & ALL, ()
    return (value[0] * factor) & ALL, _merged([(atom, one * factor) for atom, one in value[1]], ALL)


def minus(one: Value, other: Value) -> Value:
    return plus(one, times(other, ALL))


def _merged(terms: list[tuple[int, int]], mask: int) -> Terms:
    sums: dict[int, int] = {}
    for atom, factor in terms:
        sums[atom] = (sums.get(atom, 0) + factor) & mask
    return tuple(sorted((atom, factor) for atom, factor in sums.items() if factor))


class Atoms:
    """The unknowns of one function."""

    def __init__(self) -> None:
        self._known: dict[Hashable, int] = {}
        self._extended: dict[int, Value] = {}  # the lower half of which an atom is the extension
        self._bounds: dict[int, Bounds] = {}

    def fresh(self, bounds: Bounds | None = None) -> Value:
        return self.named(object(), bounds)

    def named(self, what: Hashable, bounds: Bounds | None = None) -> Value:
        """The same for the same `what`."""
        atom = self._known.get(what)
        if atom is None:
            atom = self._known[what] = len(self._known)
            if bounds:
                self._bounds[atom] = bounds
        return 0, ((atom, 1),)

    def lower(self, value: Value) -> Value:
        """The lower half's sum, modulo 2**32: an extension counts as what it extends."""
        terms: list[tuple[int, int]] = []
        number = value[0]
        for atom, factor in value[1]:
            inner = self._extended.get(atom)
            if inner is None:
                terms.append((atom, factor))
            else:
                number += factor * inner[0]
                terms.extend((one, factor * times_one) for one, times_one in inner[1])
        return number & _MASKS[HALF], _merged(terms, _MASKS[HALF]) if terms else ()

    def widened(self, half: Value, *, keeps_sign: bool = False) -> Value:
        """Of a lower half, with zeros before it, or with its sign."""
        bounds = _SIGNED_HALF if keeps_sign else HALF_BOUNDS
        if not half[1]:
            return constant(signed(half[0], HALF)) if keeps_sign else half
        low, high = self._bounds.get(half[1][0][0], (-1, -1))
        if half == (0, ((half[1][0][0], 1),)) and 0 <= low <= high <= bounds[1]:
            return half
        value = self.named(("signed" if keeps_sign else "unsigned", half), bounds)
        self._extended[value[1][0][0]] = half
        return value

    def bounds(self, value: Value, facts: dict[int, Bounds]) -> Bounds | None:
        """The lowest and the highest number that it can be, where every atom in it has such; `facts` are what is known besides."""
        low = high = signed(value[0])
        for atom, factor in value[1]:
            known = facts.get(atom) or self._bounds.get(atom)
            if known is None:
                return None
            step = signed(factor)
            ends = known[0] * step, known[1] * step
            low, high = low + min(ends), high + max(ends)
        return low, high


# So much is remembered, or the work would grow with the square of a function. What is forgotten counts as unknown.
_MOST_WORDS = 2_000  # of a frame: a function with more of them is no kernel's
_MOST_ANNOUNCED, _MOST_FACTS = 256, 1_000  # the compiler announces an access, and checks an index, just before it
_WIDEST = 16  # bytes of one word of a frame that is remembered


@dataclass(frozen=True, slots=True)
class Announced:
    """`size` bytes from `address` on; a length that no constant tells is a value."""

    kind: str  # "read", "write"
    address: Value
    size: int | Value


@dataclass(slots=True)
class State:
    registers: dict[str, Value] = field(default_factory=dict)
    words: dict[int, tuple[int, Value]] = field(default_factory=dict)  # of the frame: offset -> bytes, what they hold
    announced: list[Announced] = field(default_factory=list)
    facts: dict[int, Bounds] = field(default_factory=dict)
    flags: Hashable = None  # of the last comparison

    def copy(self) -> State:
        return State(dict(self.registers), dict(self.words), list(self.announced), dict(self.facts), self.flags)

    def stored(self, offset: int, size: int, value: Value | None) -> None:
        """A store into the frame; no value: nobody knows it."""
        words = self.words
        near = range(offset - _WIDEST + 1, offset + size) if size <= _WIDEST else list(words)
        for at in near:
            if at in words and at < offset + size and at + words[at][0] > offset:
                del words[at]
        if value is not None and size <= _WIDEST:
            if len(words) > _MOST_WORDS:
                words.clear()
            words[offset] = size, value

    def dropped(self, below: int) -> None:
        """The stack pointer has come back to `below`: what lies beneath is anybody's."""
        for at in [at for at in self.words if at < below]:
            del self.words[at]

    def announce(self, kind: str, address: Value, size: int | Value) -> None:
        if len(self.announced) >= _MOST_ANNOUNCED:
            del self.announced[: _MOST_ANNOUNCED // 2]
        self.announced.append(Announced(kind, address, size))

    def learn(self, atom: int, bounds: Bounds) -> None:
        if len(self.facts) >= _MOST_FACTS:
            self.facts.clear()
        self.facts[atom] = bounds

    def is_announced(self, kind: str, address: Value, size: int | Value) -> bool:
        """All of it, since the last call that was none of the instrumentation's."""
        for one in reversed(self.announced):
            if one.kind != kind or one.address[1] != address[1]:
                continue
            if one.size == size and one.address == address:
                return True
            if isinstance(one.size, int) and isinstance(size, int):
                begin = (address[0] - one.address[0]) & ALL
                if begin + size <= one.size:
                    return True
        return False

    def called(self, kept: frozenset[str]) -> None:
        """Every register but `kept` holds something else."""
        self.registers = {name: value for name, value in self.registers.items() if name in kept}
        self.flags = None

    def met(self, other: State) -> State:
        words = {at: word for at, word in self.words.items() if other.words.get(at) == word}
        others = set(other.announced)
        announced = [one for one in self.announced if one in others]
        facts = {
            atom: (min(low, other.facts[atom][0]), max(high, other.facts[atom][1]))
            for atom, (low, high) in self.facts.items()
            if atom in other.facts
        }
        registers = {name: value for name, value in self.registers.items() if other.registers.get(name) == value}
        return State(registers, words, announced, facts, self.flags if self.flags == other.flags else None)


# Why a function cannot be proved, with the place in the code; the caller knows the line.


class UnprovableCodeError(Exception):
    """Code of a kind that no announcement can be proved for, or inserted before."""

    def __init__(self, offset: int, why: str) -> None:
        super().__init__(why)
        self.offset = offset


class StrangeAssemblyError(Exception):
    """The compiler's text and its object file do not tell the same story."""
