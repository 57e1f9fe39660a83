"""What a sentence about the host's side may need of one record: names, places and calls, as the student wrote them. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.programs.host.host_places import Place
from grader.programs.host.kernel_symbols import signature_of, without_parameters
from grader.programs.mistakes.call_statement import CallStatement, call_at
from grader.programs.mistakes.error_words import error_words
from grader.programs.mistakes.memory_names import MemoryNames
from grader.programs.mistakes.run_record import HostRecord, LaunchRecord

_OPS = {
    **dict.fromkeys(("copy-size", "copy-direction", "never-set", "host-computed", "host-reads"), "copy"),
    **dict.fromkeys(("bad-free", "double-free"), "free"),
}
# How many arguments stand before those that a plain call would have.
_OF_NODES = (
    (r"cudaGraphAddMem(?:cpyNode1D|cpyNodeToSymbol|cpyNodeFromSymbol|FreeNode)", 4),
    (r"cudaGraphExecMemcpyNodeSetParams1D", 2),
    (r"cudaGraphMemcpyNodeSetParams1D", 1),
)


@dataclass(frozen=True)
class Facts:
    """Of one record."""

    record: HostRecord
    names: MemoryNames
    places: Mapping[int, Place]
    kernels: Mapping[str, str]  # names of kernels by their symbols
    lines: Mapping[str, Sequence[str]]  # the user's files
    launches: Sequence[LaunchRecord] = ()

    @property
    def memory(self) -> str:
        return self.names.words(self.record.allocation)

    @property
    def statement(self) -> CallStatement | None:
        return call_at(self.places.get(self.record.at), self.lines, self._op)

    @property
    def _op(self) -> str:
        said = self.record.text("call") or self.record.text("op")
        return said or _OPS.get(self.record.kind, "")

    @property
    def call(self) -> str:
        """As the student wrote it."""
        if self._op.startswith("cuda"):
            return f"`{self._op}`"
        return f"`{self.statement.name}`" if self.statement else "this call"

    def argument(self, number: int, otherwise: str) -> str:
        text = self._argument(number)
        return f"`{text}`" if text else otherwise

    def _argument(self, number: int) -> str:
        """Of a node of a graph, the arguments of the copy stand behind those of the node; or in a structure."""
        if self.statement is None:
            return ""
        if not self.statement.name.startswith("cudaGraph"):
            return self.statement.argument(number)
        first = next((before for pattern, before in _OF_NODES if re.fullmatch(pattern, self.statement.name)), None)
        return "" if first is None else self.statement.argument(first + number)

    def source(self, otherwise: str) -> str:
        """Of a copy."""
        is_of_rows = self.statement is not None and self.statement.name.startswith("cudaMemcpy2D")
        return self.argument(2 if is_of_rows else 1, otherwise)

    @property
    def source_line(self) -> str:
        at = next((frame for frame in self.record.frames if frame in self.places), self.record.at)
        place = self.places.get(at)
        text = self.lines.get(place.file, ()) if place else ()
        return text[place.line - 1] if place and 0 < place.line <= len(text) else ""

    @property
    def device_variable(self) -> str:
        """A `__device__` or `__constant__` variable that this call is given like a pointer; empty: none."""
        if self.statement and "Symbol" in self.statement.name:
            return ""
        for number in (0, 1):
            name = self._argument(number)
            declared = re.compile(rf"__(?:device|constant)__[^;(){{}}]*\b{re.escape(name)}\s*(?:\[|=|;)")
            if name.isidentifier() and any(declared.search(line) for lines in self.lines.values() for line in lines):
                return name
        return ""

    @property
    def kernel(self) -> str:
        symbol = self.record.text("kernel") or next((one.kernel for one in self._launches_here), "")
        return self.kernels.get(symbol) or without_parameters(signature_of(symbol)) or "the kernel"

    def kernel_named(self, key: str) -> str:
        symbol = self.record.text(key)
        return self.kernels.get(symbol) or without_parameters(signature_of(symbol)) or "another kernel"

    @property
    def _launches_here(self) -> list[LaunchRecord]:
        return [one for one in self.launches if one.at == self.record.at]

    @property
    def launch(self) -> LaunchRecord | None:
        return next(iter(self._launches_here), None)

    @property
    def other(self) -> str:
        """Where the second place is: " in line 12"."""
        place = self.places.get(self.record.other_at or 0)
        return f" in line {place.line}" if place else ""

    @property
    def allocated(self) -> str:
        place = self.names.place(self.record.allocation)
        return f", allocated in line {place.line}," if place else ""

    def bytes(self, name: str = "bytes") -> str:
        value = self.record.number(name)
        return "some bytes" if value is None else "1 byte" if value == 1 else f"{value:,} bytes"

    @property
    def error(self) -> str:
        return error_words(self.record.number("error") or 0).said
