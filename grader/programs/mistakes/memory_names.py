"""What the student calls each piece of memory: the pointer's name in the line that allocated it. Reads words of one statement."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from grader.programs.host.host_places import Place
from grader.programs.mistakes.run_record import AllocationRecord

_CAST = r"(?:\(\s*(?:const\s+)?\w+(?:\s*\*)+\s*\)|(?:reinterpret|static|const)_cast\s*<[^>]*>\s*\()?"
_SYMBOL = r"cuda(?:MemcpyToSymbol|MemcpyFromSymbol|GetSymbolAddress)(?:Async)?"
_OF_A_SYMBOL = re.compile(rf"\b{_SYMBOL}\s*\(\s*(?:\([^()]*\)\s*)?&?\s*(?P<name>[A-Za-z_]\w*)")
_ALLOCATES = re.compile(
    rf"\bcuda(?:Malloc(?:Managed|Host|Pitch|Async|FromPoolAsync|Array|3DArray|MipmappedArray)?|HostAlloc)\s*(?:<[^;()]*>)?\s*\(\s*{_CAST}\s*&?\s*\(?\s*"
    r"(?P<name>[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*|\s*\[[^\]]*\])*)"
)
# The node's parameters come last, and the address is written into them.
_BY_A_NODE = re.compile(r"\bcudaGraphAddMemAllocNode\s*\(")
_LAST_ARGUMENT = re.compile(r",\s*&?\s*(?P<name>[A-Za-z_][\w.]*(?:->\w+)*)\s*\)+\s*[;,!=)]")
_ANY_ADDRESS = re.compile(r"\(\s*(?:\(\s*void\s*\*\*\s*\)\s*)?&\s*(?P<name>[A-Za-z_][\w.]*)")
_MOST_LINES = 4  # of one statement
_MEMORY = re.compile(r"memory#(\d+)")


class MemoryNames:
    """`lines`: the user's files."""

    def __init__(
        self,
        allocations: Sequence[AllocationRecord],
        places: Mapping[int, Place],
        lines: Mapping[str, Sequence[str]],
    ) -> None:
        self._by_index = {one.index if one.index >= 0 else number: one for number, one in enumerate(allocations)}
        self._places, self._lines = places, lines
        # Several calls in one line run in their order; a compiler may lay out their code in another one.
        self._number_in_line: dict[int, int] = {}  # of each return address, in the order in which they came
        calls: Counter[Place] = Counter()
        for _, one in sorted(self._by_index.items()):
            place = places.get(one.at)
            if place is not None and one.at not in self._number_in_line:
                self._number_in_line[one.at] = calls[place]
                calls[place] += 1
        self._names_in_line: dict[Place, list[str]] = {}
        self._names = {index: self._name(index) for index in self._by_index}

    def allocation(self, index: int | None) -> AllocationRecord | None:
        return self._by_index.get(-1 if index is None else index)

    def name(self, index: int | None) -> str:
        """`d_a`; empty where nobody knows it."""
        return self._names.get(-1 if index is None else index, "")

    def words(self, index: int | None) -> str:
        """`` `d_a` ``, or "the memory that line 12 allocates"."""
        if name := self.name(index):
            return f"`{name}`"
        allocation = self.allocation(index)
        place = self._places.get(allocation.at) if allocation else None
        if allocation and allocation.kind == "variable":
            return "the variable"
        return f"the memory that line {place.line} allocates" if place else "the memory"

    def place(self, index: int | None) -> Place | None:
        allocation = self.allocation(index)
        return self._places.get(allocation.at) if allocation and allocation.kind != "variable" else None

    def told(self, text: str) -> str:
        """A sentence or an element with the student's names in it."""
        return _MEMORY.sub(lambda match: self.name(int(match[1])) or f"memory {match[1]}", text)

    def _name(self, index: int) -> str:
        allocation = self._by_index[index]
        if allocation.kind == "operand":  # of a launcher: its caller allocated it
            return allocation.name
        place = self._places.get(allocation.at)
        if place is None or place.file not in self._lines:
            return ""
        if allocation.kind == "variable":
            line = self._lines[place.file][place.line - 1 : place.line]
            match = _OF_A_SYMBOL.search("".join(line))
            return allocation.name or (match["name"] if match else "")
        if place not in self._names_in_line:
            self._names_in_line[place] = self._on_line(place)
        found = self._names_in_line[place]
        number = self._number_in_line[allocation.at]
        if len(found) == 1:
            return found[0]
        return found[number] if number < len(found) else ""

    def _on_line(self, place: Place) -> list[str]:
        lines = self._lines[place.file]
        text = " ".join(lines[place.line - 1 : place.line - 1 + _MOST_LINES])
        first = lines[place.line - 1] if place.line <= len(lines) else ""
        own = [match for match in _ALLOCATES.finditer(text) if match.start() < max(1, len(first))]
        names = [re.sub(r"\s+", "", match["name"]) for match in own]
        if node := _BY_A_NODE.search(text[: len(first)]):
            params = _LAST_ARGUMENT.search(text, node.end())
            return [f"{params['name']}.dptr"] if params else []
        if not names and (other := _ANY_ADDRESS.search(first)):
            names = [other["name"]]
        return names
