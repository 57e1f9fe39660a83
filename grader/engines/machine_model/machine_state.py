"""What is known at one place of a function: registers, the words of its own frame, and what was announced last.

A frame's words are known by where they lie from the stack pointer the function began with. A store that is not known to miss
the frame forgets them all: nothing here trusts what a pointer points to.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from grader.engines.machine_model.values import ALL, Bounds, Value

_MOST_WORDS = 2_000  # of a frame that are remembered: a function with more of them is no kernel's
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
        self.announced.append(Announced(kind, address, size))

    def is_announced(self, kind: str, address: Value, size: int | Value) -> bool:
        """All of it, since the last call that was none of the instrumentation's."""
        for one in self.announced:
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
        """What both know."""
        words = {at: word for at, word in self.words.items() if other.words.get(at) == word}
        announced = [one for one in self.announced if one in other.announced]
        facts = {
            atom: (min(low, other.facts[atom][0]), max(high, other.facts[atom][1]))
            for atom, (low, high) in self.facts.items()
            if atom in other.facts
        }
        registers = {name: value for name, value in self.registers.items() if other.registers.get(name) == value}
        return State(registers, words, announced, facts, self.flags if self.flags == other.flags else None)
