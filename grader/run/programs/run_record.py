"""What the broker recorded of a run, and what a sentence may need of it: names, places and calls, as the student wrote them. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from grader.model.outcome import quoted
from grader.model.result import Finding
from grader.model.verdicts import Verdict
from grader.run.programs.host_build import UnusedResult
from grader.run.programs.host_toolchain import SourceLine
from grader.run.programs.program_kernels import signature_of, without_parameters
from grader.source.lexer import closing_bracket, parts_between, without_comments

# The record as plain data: kit/program writes it. Words of kernels and of the program in it are untrusted; numbers were checked by the
# broker.


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class ReachRecord(_Record):
    """How far from its beginning a copy or a fill went, and where it was asked for."""

    at: int = 0
    bytes: int = 0
    row_bytes: int = 0  # of every `pitch` bytes, where it leaves gaps
    pitch: int = 0


class AllocationRecord(_Record):
    index: int = -1
    address: int
    bytes: int
    at: int = 0  # a return address in the program, here and below; 0: unknown
    kind: str = "device"  # "variable": a __device__ or __constant__ one
    name: str = ""
    freed_at: int | None = None
    pitch: int = 0  # of cudaMallocPitch: bytes from the start of a row to the next …
    row_bytes: int = 0  # … and those of a row that it asked for
    filled: ReachRecord | None = None  # the host's last copy or fill, if it did not reach the end
    taken: ReachRecord | None = None  # what was copied to the host, the farthest


class LaunchRecord(_Record):
    kernel: str  # a symbol
    at: int = 0
    grid: tuple[int, int, int] = (1, 1, 1)
    block: tuple[int, int, int] = (1, 1, 1)
    shared: int = 0
    count: int = 1
    error: int = 0
    status: str = "completed"
    detail: str = ""
    number: int = 0  # of the first of them among the run's launches, from 1


class ErrorRecord(_Record):
    op: str
    error: int
    at: int = 0
    seen: bool = True  # the program asked for the last error afterwards
    seen_at: int = 0  # where it did
    count: int = 1


class ProgramFinding(Finding):
    """A finding of a kernel, as `tilelab check` has it, and the launch in which it was seen."""

    kernel: str = ""  # in the record its symbol, in a report its name
    launch_file: str | None = None
    # Of the record alone: where that launch was asked for, and its number.
    at: SkipJsonSchema[int] = Field(default=0, exclude=True)
    number: SkipJsonSchema[int] = Field(default=0, exclude=True)


REFUSED_FILE = "file-refused"  # a file that the program could not open, for whatever reason


class HostRecord(BaseModel):
    """Something that the broker saw on the host's side. Which of the numbers there are depends on the kind."""

    model_config = ConfigDict(frozen=True, extra="allow")
    kind: str
    at: int = 0
    other_at: int | None = None
    count: int = 1
    allocation: int | None = None
    frames: tuple[int, ...] = ()  # of a fault: the calls that led there, the innermost first

    def number(self, name: str) -> int | None:
        value = (self.model_extra or {}).get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def flag(self, name: str) -> bool:
        return (self.model_extra or {}).get(name) is True

    def text(self, name: str) -> str:
        value = (self.model_extra or {}).get(name)
        return value if isinstance(value, str) else ""


class TracedLaunchRecord(LaunchRecord):
    """The launch that was followed: what it alone did."""

    findings: tuple[ProgramFinding, ...] = ()
    trace: dict[str, Any] | None = None  # None: the grid has no such block


class RefusalRecord(_Record):
    kernel: str = ""  # empty: not a kernel, but a call of a library
    at: int = 0
    verdict: Verdict = Verdict.NEEDS_GPU
    message: str = ""
    line: int = 0


class RunRecord(_Record):
    ended: str
    status: int | None = None
    signal: int | None = None
    limit: str = ""  # which one the program met: "processor-time", "wall-clock", "memory", "file-size"
    most: int = 0  # of it, in milliseconds or bytes
    calls: int = 0  # of CUDA that it had made then
    detail: str = ""
    refusal: RefusalRecord | None = None
    launches: tuple[LaunchRecord, ...] = ()
    findings: tuple[ProgramFinding, ...] = ()
    host: tuple[HostRecord, ...] = ()
    allocations: tuple[AllocationRecord, ...] = ()
    errors: tuple[ErrorRecord, ...] = ()
    printed: str = ""  # by kernels, and nobody waited for it: a GPU does not show it
    said_bye: bool = False  # the program ended in order
    truncated: bool = False
    traced: TracedLaunchRecord | None = None
    reversed: bool = False  # every launch ran its blocks and threads in reverse order

    def places(self) -> list[int]:
        """Every return address that a sentence may need."""
        kinds = (self.launches, self.findings, self.host, self.allocations, self.errors)
        found = [one.at for each in kinds for one in each] + ([self.refusal.at] if self.refusal else [])
        found += [one.seen_at for one in self.errors] + [one.freed_at or 0 for one in self.allocations]
        found += [one.other_at or 0 for one in self.host]
        found += [reach.at for one in self.allocations for reach in (one.filled, one.taken) if reach]
        found += [frame for one in self.host for frame in one.frames]
        return sorted({one for one in found if one > 0})


# CUDA's errors by their numbers: their names, CUDA's own words, and what a student may look at.


@dataclass(frozen=True)
class ErrorWords:
    name: str
    said: str  # as cudaGetErrorString has it
    advice: str = ""


NOT_READY = 600
FIRST_OF_KERNELS = 700  # errors from this number on are what a kernel leaves behind
_TABLE = Path(__file__).resolve().parents[3] / "kit" / "host" / "runtime_types.hpp"
_ROW = re.compile(r'^  X\((?P<name>\w+), (?P<number>\d+), "(?P<said>.*)"\)', re.MULTILINE)
_ADVICE = {
    1: "Check the pointers, the bytes and the direction of this call.",
    2: "Check how the number of bytes is computed, and what could be freed before.",
    12: "A pitch is at least as large as the bytes of a row.",
    13: "Name the variable itself, not its address or a string.",
    20: "A texel has one, two or four numbers of the same size: make its description with cudaCreateChannelDesc<T>().",
    26: "A linear filter needs texels of floats, or integers of 8 or 16 bits that are read with cudaReadModeNormalizedFloat.",
    98: "Only a __global__ function can be launched.",
    101: "There is one device here: number 0.",
    400: "Check whether this stream or event was created, and not yet destroyed.",
    700: "A kernel before this call made an illegal memory access.",
    701: "Use fewer threads in a block or less shared memory.",
    900: "Between begin and end of a capture, call only what adds work to a stream: allocate before, wait afterwards.",
    901: "An earlier call since cudaStreamBeginCapture failed, or was not allowed.",
    903: "End a capture in the stream in which it began.",
    904: "Record an event at the end of each stream that joined the capture, and let the first stream wait for it.",
    905: "This event was not recorded in the capture.",
    906: "Name the captured stream in this call, or create that stream with cudaStreamNonBlocking.",
    910: "Instantiate the graph anew where its nodes or edges have changed.",
}


@cache
def error_words(error: int) -> ErrorWords:
    """As the kit's own table has them."""
    rows = _ROW.finditer(_TABLE.read_text(encoding="utf-8"))
    known = (
        ErrorWords(one["name"], one["said"], _ADVICE.get(error, "")) for one in rows if int(one["number"]) == error
    )
    return next(known, ErrorWords(f"error {error}", f"error {error}"))


# How a signal ended the program, in plain words.

SIGNALS = {
    4: "an illegal instruction",
    6: "abort(), after an assert, an uncaught exception, or a corrupted heap",
    7: "a bus error",
    8: "a division by zero",
    11: "segmentation fault: the host's code used an address that is no memory of its own",
}


# What the student wrote where a call of the runtime was made: the function's name and its arguments. Reads brackets of a few lines.

_CALL = re.compile(r"\b(cuda[A-Z]\w*)\s*(?:<[^;()]*>)?\s*\(")
_ASSIGNS = re.compile(r"\s*(?:(?:const\s+)?(?:cudaError_t|auto)\s+)?(?P<name>[A-Za-z_]\w*)\s*=\s*cuda\w+\s*\(")
_MOST_LINES = 6  # of one statement
# What the calls are named like that ask the broker for this.
_NAMED = {
    "allocate": r"cuda\w*(?:Malloc|Alloc)\w*",
    "free": r"cuda\w*Free\w*",
    "copy": r"cudaMemcpy\w*|cudaGraph\w*Memcpy\w*",
    "fill": r"cudaMemset\w*|cudaGraph\w*Memset\w*",
    "array": r"cuda\w*Array\w*|cudaGetChannelDesc|cudaMemcpy3D\w*",
    "texture": r"cuda\w*(?:Texture|Surface)Object\w*",
    "symbol": r"cuda\w*Symbol\w*",
    "launch": r"cudaLaunch\w*|cudaGraph\w*Kernel\w*",
    "stream": r"cudaStream\w*",
    "event": r"cudaEvent\w*",
    "device": r"cudaDevice\w*|cudaThread\w*|cudaSetDevice",
}


@dataclass(frozen=True)
class CallStatement:
    name: str
    arguments: tuple[str, ...]

    def argument(self, number: int) -> str:
        """Without casts; empty where there is none, or where it is longer than a name should be."""
        text = self.arguments[number] if number < len(self.arguments) else ""
        text = re.sub(r"^(?:\(\s*(?:const\s+)?\w+(?:\s*\*)*\s*\)\s*|&\s*)+", "", text.strip())
        return text if len(text) <= _LONGEST else ""


_LONGEST = 40


def source_of(place: SourceLine | None, lines: Mapping[str, Sequence[str]]) -> str | None:
    """The text of its line."""
    return quoted(lines.get(place.file, ()), place.line) if place else None


def call_at(place: SourceLine | None, lines: Mapping[str, Sequence[str]], op: str = "") -> CallStatement | None:
    """The call in the line of `place`; of several, the first whose name fits `op`."""
    return next(iter(calls_at(place, lines, op)), None)


def calls_at(place: SourceLine | None, lines: Mapping[str, Sequence[str]], op: str = "") -> list[CallStatement]:
    """The calls in the line of `place` whose names fit `op`."""
    first = source_of(place, lines)
    if place is None or first is None:
        return []
    statement = "\n".join(lines[place.file][place.line - 1 : place.line - 1 + _MOST_LINES])
    found = [match for match in _CALL.finditer(statement) if match.start() < max(1, len(first))]
    fitting = [one for one in found if re.fullmatch(_NAMED.get(op, r"\w+"), one[1])]
    between = ((one[1], one.end()) for one in fitting or ([] if op in _NAMED else found))
    parts = ((name, parts_between(statement[at : closing_bracket(statement, at - 1)])) for name, at in between)
    return [CallStatement(name, tuple(" ".join(part.split()) for part in given)) for name, given in parts]


def is_overwritten(place: SourceLine, lines: Mapping[str, Sequence[str]]) -> bool:
    """Whether the variable that this line gives a call's value to gets another one before anybody looks at it, in the same block."""
    first = source_of(place, lines) or ""
    match = _ASSIGNS.match(first)
    if match is None:
        return False
    rest = "\n".join([first[match.end() :], *lines[place.file][place.line : place.line + _MOST_LINES]])
    after = re.split(r"[{}]", without_comments(rest))[0]
    uses = re.search(rf"\b{match['name']}\b(?P<behind>\s*=(?!=)[^;]*)?", after)
    return uses is not None and uses["behind"] is not None and not re.search(rf"\b{match['name']}\b", uses["behind"])


def given_names(place: SourceLine | None, lines: Mapping[str, Sequence[str]]) -> set[str]:
    """The names between the parentheses of the launch `kernel<<<...>>>(...)` in the line of `place`."""
    text = lines.get(place.file, ()) if place else ()
    statement = " ".join(text[place.line - 1 : place.line - 1 + _MOST_LINES]) if place else ""
    return set(re.findall(r"[A-Za-z_][\w.]*", statement.partition(">>>")[2].partition(";")[0]))


# What the student calls each piece of memory: the pointer's name in the line that allocated it. Reads words of one statement.

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
_MEMORY_NAMES_MOST_LINES = 4  # of one statement
MEMORY = re.compile(r"memory#(\d+)")


class MemoryNames:
    """`lines`: the user's files."""

    def __init__(
        self,
        allocations: Sequence[AllocationRecord],
        places: Mapping[int, SourceLine],
        lines: Mapping[str, Sequence[str]],
    ) -> None:
        self._by_index = {one.index if one.index >= 0 else number: one for number, one in enumerate(allocations)}
        self._places, self._lines, self._on_line = places, lines, cache(self._names_on_line)
        # Several calls in one line run in their order; a compiler may lay out their code in another one.
        number_in_line: dict[int, int] = {}  # of each return address, in the order in which they came
        calls: Counter[SourceLine] = Counter()
        for _, one in sorted(self._by_index.items()):
            place = places.get(one.at)
            if place is not None and one.at not in number_in_line:
                number_in_line[one.at] = calls[place]
                calls[place] += 1
        self._names = {index: self._name(one, number_in_line) for index, one in self._by_index.items()}

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

    def place(self, index: int | None) -> SourceLine | None:
        allocation = self.allocation(index)
        return self._places.get(allocation.at) if allocation and allocation.kind != "variable" else None

    def told(self, text: str) -> str:
        """A sentence or an element with the student's names in it."""
        return MEMORY.sub(lambda match: self.name(int(match[1])) or f"memory {match[1]}", text)

    def _name(self, allocation: AllocationRecord, number_in_line: Mapping[int, int]) -> str:
        if allocation.kind == "operand":  # of a launcher: its caller allocated it
            return allocation.name
        place = self._places.get(allocation.at)
        if place is None or place.file not in self._lines:
            return ""
        if allocation.kind == "variable":
            match = _OF_A_SYMBOL.search(source_of(place, self._lines) or "")
            return allocation.name or (match["name"] if match else "")
        found, number = self._on_line(place), number_in_line[allocation.at]
        return found[0] if len(found) == 1 else found[number] if number < len(found) else ""

    def _names_on_line(self, place: SourceLine) -> list[str]:
        lines = self._lines[place.file]
        text = " ".join(lines[place.line - 1 : place.line - 1 + _MEMORY_NAMES_MOST_LINES])
        first = source_of(place, self._lines) or ""
        own = [match for match in _ALLOCATES.finditer(text) if match.start() < max(1, len(first))]
        names = [re.sub(r"\s+", "", match["name"]) for match in own]
        if node := _BY_A_NODE.search(text[: len(first)]):
            params = _LAST_ARGUMENT.search(text, node.end())
            return [f"{params['name']}.dptr"] if params else []
        if not names and (other := _ANY_ADDRESS.search(first)):
            names = [other["name"]]
        return names


@dataclass(frozen=True)
class RunFacts:
    """What is known of the program besides the record."""

    record: RunRecord
    places: Mapping[int, SourceLine]
    lines: Mapping[str, Sequence[str]]  # the user's files, the main one first
    kernels: Mapping[str, str]  # names by symbols
    unused: Sequence[UnusedResult] = ()

    @cached_property
    def names(self) -> MemoryNames:
        return MemoryNames(self.record.allocations, self.places, self.lines)

    def place_of(self, record: HostRecord) -> SourceLine | None:
        """Of a fault, the innermost call in the user's own files."""
        return self.places.get(next((frame for frame in record.frames if frame in self.places), record.at))


_OPS = {
    **dict.fromkeys(("copy-size", "copy-direction", "never-set", "host-computed", "host-reads"), "copy"),
    **dict.fromkeys(("bad-free", "double-free"), "free"),
}
_SHOWN = 60  # characters of an output
# How many arguments stand before those that a plain call would have.
_OF_NODES = (
    (r"cudaGraphAddMem(?:cpyNode1D|cpyNodeToSymbol|FreeNode)", 4),
    (r"cudaGraphMemcpyNodeSetParams1D", 1),
)


@dataclass(frozen=True)
class Facts:
    """What a sentence may need of one record."""

    record: HostRecord
    run: RunFacts
    statement: CallStatement | None
    call: str  # as the student wrote it
    memory: str
    allocated: str  # ", allocated in line 12,"
    other: str  # where the second place is: " in line 12"
    source_line: str
    launch: LaunchRecord | None
    kernel: str
    other_kernel: str
    size: str
    room: str
    printed: str
    error: ErrorWords

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

    @property
    def device_variable(self) -> str:
        """A `__device__` or `__constant__` variable that this call is given like a pointer; empty: none."""
        if self.statement and "Symbol" in self.statement.name:
            return ""
        every = [line for lines in self.run.lines.values() for line in lines]
        for name in filter(str.isidentifier, map(self._argument, (0, 1))):
            declared = re.compile(rf"__(?:device|constant)__[^;(){{}}]*\b{re.escape(name)}\s*(?:\[|=|;)")
            if any(map(declared.search, every)):
                return name
        return ""


def facts_of(record: HostRecord, run: RunFacts) -> Facts:
    names, places = run.names, run.places
    op = record.text("call") or record.text("op") or _OPS.get(record.kind, "")
    statement = call_at(places.get(record.at), run.lines, op)
    launch = next((one for one in run.record.launches if one.at == record.at), None)
    other, allocated = places.get(record.other_at or 0), names.place(record.allocation)

    def called(symbol: str, otherwise: str) -> str:
        return run.kernels.get(symbol) or without_parameters(signature_of(symbol)) or otherwise

    def size(name: str) -> str:
        value = record.number(name)
        return "some bytes" if value is None else "1 byte" if value == 1 else f"{value:,} bytes"

    return Facts(
        record,
        run,
        statement,
        call=f"`{op}`" if op.startswith("cuda") else f"`{statement.name}`" if statement else "this call",
        memory=names.words(record.allocation),
        allocated=f", allocated in line {allocated.line}," if allocated else "",
        other=f" in line {other.line}" if other else "",
        source_line=source_of(run.place_of(record), run.lines) or "",
        launch=launch,
        kernel=called(record.text("kernel") or (launch.kernel if launch else ""), "the kernel"),
        other_kernel=called(record.text("other_kernel"), "another kernel"),
        size=size("bytes"),
        room=size("room"),
        printed=record.text("text")[:_SHOWN],
        error=error_words(record.number("error") or 0),
    )
