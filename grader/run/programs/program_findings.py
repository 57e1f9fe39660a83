"""Turns the record of a run into findings with the user's lines and names. Equal ones are joined. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from grader.model.outcome import located_finding
from grader.model.result import Model, Site
from grader.model.verdicts import Verdict
from grader.run.programs.host_sentences import left_out, told
from grader.run.programs.host_toolchain import SourceLine
from grader.run.programs.run_record import (
    FIRST_OF_KERNELS,
    MEMORY,
    NOT_READY,
    REFUSED_FILE,
    SIGNALS,
    AllocationRecord,
    ErrorRecord,
    HostRecord,
    ProgramFinding,
    RunFacts,
    RunRecord,
    call_at,
    calls_at,
    facts_of,
    given_names,
    is_overwritten,
    source_of,
)

# What `tilelab run --json` prints, and what the screen is made of: how the program ended, what was found, what could not be built.

Ending = Literal["exit", "signal", "timeout", "refused", "garbled", "stopped", "not-built"]


class HostFinding(Model):
    """A mistake on the host's side, at one line of the user's."""

    kind: str  # "leak", "copy-size", …: docs/running-a-program.md lists them
    severity: Literal["error", "note"] = "error"
    label: str
    message: str
    advice: str = ""
    file: str | None = None
    line: int | None = None  # 1-based
    source: str | None = None  # that line's text
    other: Site | None = None  # a second line: where memory was allocated or freed
    count: int = 1


class ProgramRefusal(Model):
    """Why the program, or one kernel that it launches, could not be built."""

    verdict: Verdict
    message: str
    kernel: str = ""
    file: str | None = None
    line: int | None = None
    columns: tuple[int, int] | None = None  # the part of the line, from 0, without its end
    launch_line: int | None = None


class ProgramReport(Model):
    ended: Ending
    status: int | None = None  # the program's own exit status
    message: str = ""  # how it ended, where that was not its own exit
    findings: tuple[ProgramFinding, ...] = ()
    host: tuple[HostFinding, ...] = ()
    refusals: tuple[ProgramRefusal, ...] = ()
    left_out: tuple[str, ...] = ()
    kernels: tuple[str, ...] = ()  # that were launched
    not_launched: tuple[str, ...] = ()  # kernels of which nothing is known therefore
    launches: int = 0
    output: str = ""  # with --json: what the program wrote to its standard output
    output_cut: bool = False
    seconds: dict[str, float] = Field(default_factory=dict)  # of building and running
    limit: bool = False  # it was stopped because it used all that it may

    @property
    def has_errors(self) -> bool:
        return "error" in {one.severity for one in self.findings} | {one.severity for one in self.host}

    @property
    def is_clean(self) -> bool:
        """Nothing was found, and the program says itself that it did what it should."""
        return self.ended == "exit" and not self.status and not self.has_errors


_ABOUT_A_LAUNCH = frozenset({"launch", "cudaLaunchKernel"})
_BAD_POINTERS = frozenset({"host-pointer-on-device", "use-after-free"})
_LEAST_BLOCK = 32  # threads: a smaller grid was not meant as a block
_DROPPED = re.compile(r"\s*(?:\(\s*void\s*\)\s*)?cuda(?:GetLastError|PeekAtLastError)\s*\(\s*\)\s*;")
_MOST_THREADS = 1024  # of a block
_LEAVE_UNSET = frozenset({"swapped-sizes", "copy-size", "copy-direction", "host-pointer-on-device", "never-set"})
_NUMBER = 8  # bytes of one
_LAUNCH_TIMEOUT = 702  # cudaErrorLaunchTimeout
_ENDINGS = {"timeout": Verdict.TIMEOUT, "crash": Verdict.CRASH}
# Phrases of findings that fit labs only, and what they become here.
_PHRASES = {
    "the launch function asks": "the launch asks",
    "(shared_bytes)": "(the third argument of <<<…>>>)",
}


def kernel_findings(facts: RunFacts) -> tuple[ProgramFinding, ...]:
    names = facts.names
    found: dict[tuple[object, ...], ProgramFinding] = {}
    told_at = {one.at for one in facts.record.host if one.kind in _BAD_POINTERS}
    runners = (
        one.model_copy(update={"message": one.message + (_short_fill(one, facts) or _small_room(one, facts))})
        for one in facts.record.findings
        # Of an access through such a pointer, the host's side says where it comes from: at its launch.
        if not (one.at in told_at and one.kind == Verdict.OUT_OF_BOUNDS and not one.array)
    )
    for one in (*runners, *_ends(facts)):
        launched = facts.places.get(one.at)
        finding = one.model_copy(
            update={
                **({"launch_file": launched.file, "launch_line": launched.line} if launched else {}),
                "kernel": facts.kernels.get(one.kernel, one.kernel),
                "message": reworded(names.told(one.message)),
                "array": names.told(one.array) if one.array else None,
                "element": names.told(one.element) if one.element else None,
            }
        )
        place = (finding.file, finding.line, finding.access, finding.array, finding.other and finding.other.line)
        key = (finding.kind, finding.severity, *place, finding.kernel, finding.launch_line)
        known = found.get(key)
        found[key] = finding if known is None else known.model_copy(update={"count": known.count + finding.count})
    return tuple(located_finding(one, facts.lines) for one in found.values())


def _ends(facts: RunFacts) -> Iterator[ProgramFinding]:
    """Launches that did not end well, where no finding of theirs says it."""
    said = {(one.kernel, one.at, one.kind) for one in facts.record.findings}
    stopped = facts.record.ended == "timeout"  # the launch that was running then is no mistake
    for launch in facts.record.launches:
        kind = _ENDINGS.get(launch.status)
        if kind is None or (stopped and kind is Verdict.TIMEOUT) or (launch.kernel, launch.at, kind.value) in said:
            continue
        words = kind.facts.sentence if kind is Verdict.TIMEOUT else launch.detail or kind.facts.sentence
        place = facts.places.get(launch.at)
        file, line = (place.file, place.line) if place else (None, None)
        yield ProgramFinding(kind=kind, message=words, file=file, line=line, kernel=launch.kernel, at=launch.at)


def reworded(message: str, phrases: Mapping[str, str] = _PHRASES) -> str:
    for lab, here in phrases.items():
        message = message.replace(lab, here)
    return message


def host_findings(facts: RunFacts) -> tuple[HostFinding, ...]:
    """In the order of the record: what happened first comes first. Leaks come last."""
    moved = {one.allocation for one in facts.record.host if one.kind == "bad-free" and one.allocation is not None}
    failed = any(one.error not in {0, NOT_READY} for one in facts.record.errors)
    failed = failed or any(one.kind == REFUSED_FILE for one in facts.record.host)
    records, leaks = list[HostRecord](), list[HostRecord]()
    for one in (*_with_errors(facts), *_short_copies(facts)):
        (leaks if one.kind == "leak" else records).append(one)
    if not (facts.record.status and failed):  # a program that gives up frees nothing
        records += [one for one in leaks if one.allocation not in moved]
    found: dict[tuple[object, ...], HostFinding] = {}
    for record in records:
        finding = _host_finding(record, facts)
        key = (finding.kind, finding.file, finding.line, finding.message)
        known = found.get(key)
        found[key] = finding if known is None else known.model_copy(update={"count": known.count + finding.count})
    return tuple(found.values())


def _with_errors(facts: RunFacts) -> Iterator[HostRecord]:
    stopped = facts.record.ended == "timeout"  # by the limit: the launch that was running then is no mistake
    for one in facts.record.host:
        if one.kind == REFUSED_FILE and not one.text("folder"):
            continue  # the program's own affair
        if (stopped and one.number("error") == _LAUNCH_TIMEOUT) or (
            one.flag("managed") and not left_out(facts_of(one, facts))
        ):
            continue
        yield _as_swapped(one, facts)
    record, printed = facts.record, facts.record.printed.strip()
    if record.ended == "exit" and printed and record.launches:  # by kernels, after the last time that the host waited
        lost = {"kind": "lost-output", "at": record.launches[-1].at, "text": printed.split("\n")[0]}
        yield HostRecord.model_validate(lost)
    told_at = {one.at for one in facts.record.host}
    faulty = {one.at for one in facts.record.findings}
    faulty |= {one.at for one in facts.record.launches if one.status in _ENDINGS}
    for error in facts.record.errors:
        is_the_kernels = error.error >= FIRST_OF_KERNELS and error.at in faulty  # its finding says more
        is_polled = error.error == NOT_READY and error.op != "event elapsed"
        if error.error == 0 or is_polled or error.at in told_at or is_the_kernels:
            continue
        if stopped and error.error == _LAUNCH_TIMEOUT:
            continue
        place = facts.places.get(error.at)
        is_unused = place is not None and (_is_unchecked(error, place, facts) or is_overwritten(place, facts.lines))
        # The program asks for the last error, and does nothing with it: `cudaGetLastError();`.
        if _DROPPED.match(source_of(facts.places.get(error.seen_at), facts.lines) or ""):
            error = error.model_copy(update={"seen": False})  # noqa: PLW2901 -- the same error, read better
        yield _as_swapped(_record_of(error, is_unused=is_unused), facts)


def _is_unchecked(error: ErrorRecord, place: SourceLine, facts: RunFacts) -> bool:
    """Whether the compiler says so of each call in this line that may have failed. Another call of the line may be looked at."""
    unused = {one.call for one in facts.unused if (one.file, one.line) == (place.file, place.line)}
    named = {one.name for one in calls_at(place, facts.lines, error.op)}  # none where a macro makes the call
    return bool(unused) and named <= unused


def _as_swapped(record: HostRecord, facts: RunFacts) -> HostRecord:
    """A launch that fails because its block is too large, where its grid would be a block."""
    launch = next((one for one in facts.record.launches if one.at == record.at), None)
    if record.kind != "unasked-launch" or launch is None:
        return record
    grid, block = math.prod(launch.grid), math.prod(launch.block)
    is_swapped = block > _MOST_THREADS >= grid >= _LEAST_BLOCK
    return record.model_copy(update={"kind": "swapped-sizes"}) if is_swapped else record


def _record_of(error: ErrorRecord, *, is_unused: bool) -> HostRecord:
    """A call that failed: seen by the program, it is a note."""
    kind = "error" if error.seen or not (is_unused or error.op in _ABOUT_A_LAUNCH) else "unchecked-error"
    if kind != "error" and error.op in _ABOUT_A_LAUNCH:
        kind = "unasked-launch"
    return HostRecord.model_validate(
        {"kind": kind, "at": error.at, "call": error.op, "error": error.error, "count": error.count}
    )


def _host_finding(record: HostRecord, facts: RunFacts) -> HostFinding:
    names = facts.names
    row, (message, advice, label) = told(facts_of(record, facts))
    place, other = facts.place_of(record), facts.places.get(record.other_at or 0) or names.place(record.allocation)
    if place is None and record.kind == "leak":
        place = names.place(record.allocation)
    return HostFinding(
        kind=record.kind,
        severity="note" if row.note == "always" or _may_end_early(record, facts) else "error",
        label=label,
        message=names.told(message),
        advice=advice,
        **_site(place, facts),
        other=Site(**_site(other, facts)) if other and other != place else None,
        count=record.count,
    )


def _may_end_early(record: HostRecord, facts: RunFacts) -> bool:
    """Whether a result may be meant to stay unset: no kernel has to do with it, or the host fetches a number too, which may say how much
    there is. Or it follows from another mistake.
    """
    if record.kind == "never-set":
        run = facts.record
        return bool(run.errors or run.findings) or not _is_given_to_a_kernel(record, facts)
    if record.kind != "partly-set":
        return False
    if any(one.kind in _LEAVE_UNSET for one in facts.record.host) or any(not one.seen for one in facts.record.errors):
        return True
    if left_out(facts_of(record, facts)):
        return False
    counted = record.flag("has_end") and any(one.taken and one.bytes <= _NUMBER for one in facts.record.allocations)
    return counted or not record.number("launches")


def _is_given_to_a_kernel(record: HostRecord, facts: RunFacts) -> bool:
    """Whether the name of the memory stands in a launch of this program: a kernel that is given it may well have to write it."""
    name = facts.names.name(record.allocation)
    places = [place for one in facts.record.launches if (place := facts.places.get(one.at))]
    texts = (" ".join(facts.lines[place.file][place.line - 1 : place.line + 2]) for place in places)
    return bool(name) and any(re.search(rf">>>.*\b{re.escape(name)}\b", text) for text in texts)


def _site(place: SourceLine | None, facts: RunFacts) -> dict[str, Any]:
    return {"file": place.file, "line": place.line, "source": source_of(place, facts.lines)} if place else {}


def crashed(record: RunRecord) -> bool:
    """Whether a signal ended the program: its sandbox reports that as an exit status."""
    by_signal = not record.said_bye and (record.status or 0) - _SIGNALLED in SIGNALS
    return record.ended == "exit" and (by_signal or bool(record.limit))


def ending(record: RunRecord, seconds: int) -> str:
    """How the program ended, where that was not its own exit."""
    if record.limit in _LIMITS:
        return _LIMITS[record.limit].format(gib=record.most / 2**30, seconds=record.most // 1000)
    if record.ended == "signal" or crashed(record):
        number = record.signal or (record.status or 0) - _SIGNALLED
        return f"The program crashed: {SIGNALS.get(number, f'signal {number}')}."
    if record.ended == "timeout":
        made = f", in which it made {record.calls:,} calls of CUDA" if record.calls else ""
        return f"The program was stopped: it did not end in {seconds} seconds{made}. --seconds N gives it more."
    if record.ended == "garbled":
        return "The program was stopped: it wrote over memory or descriptors through which it talks to the device."
    return "The program was stopped from outside." if record.ended == "stopped" else ""


_LIMITS = {
    "memory": "The program was stopped: it needs more memory than the {gib:.1f} GiB that it may use on the host.",
    "file-size": "The program was stopped: it writes more than {gib:.1f} GiB into a file, or prints as much.",
    "processor-time": "The program was stopped: it used {seconds} seconds of processor time. --seconds N gives it more.",
}
_SIGNALLED = 128  # and the signal: an exit status


# Copies that are too short: as many bytes as there are elements, or as a pointer has. Their lengths alone prove nothing, so the words of
# the call must say the same.

_ELEMENTS = (2, 4, 8, 12, 16)  # bytes of one
_POINTER = 8
_COPIED = frozenset({"device", "variable"})  # kinds of memory of which a part may be copied to the host
_OF_A_NAME = re.compile(r"sizeof\s*\(?\s*(?P<name>[A-Za-z_]\w*)\s*\)?")
_LENGTH, _OFFSET = 2, 3  # the places of the bytes in cudaMemcpy, and of the offset in cudaMemcpyToSymbol


def _short_fill(found: ProgramFinding, facts: RunFacts) -> str:
    """Of memory that was read and never set: the copy or the fill that ended before, where only one is meant."""
    if found.kind != Verdict.UNINITIALIZED_READ:
        return ""
    short = [(one, one.filled) for one in _given(found, facts) if one.filled and one.filled.at in facts.places]
    if len(short) != 1:
        return ""
    ((one, reach),) = short
    line, memory = facts.places[reach.at].line, facts.names.words(one.index)
    if reach.pitch:
        apart = f", whose rows lie {one.pitch:,} bytes apart" if one.pitch else ""
        return f" Line {line} sets {reach.row_bytes:,} of every {reach.pitch:,} bytes of {memory}{apart}."
    return f" Line {line} sets only the first {reach.bytes:,} of the {one.bytes:,} bytes of {memory}."


def _short_copies(facts: RunFacts) -> Iterator[HostRecord]:
    """Parts of results or of variables that are copied: as many bytes as there are elements, or as a pointer has."""
    lines = facts.lines
    for one in facts.record.allocations:
        for reach, is_write in ((one.filled, True), (one.taken, False)):
            if reach is None or reach.bytes >= one.bytes or one.kind not in ({"variable"} if is_write else _COPIED):
                continue
            is_symbol = one.kind == "variable"
            statement = call_at(facts.places.get(reach.at), lines, "symbol" if is_symbol else "copy")
            name = f"cudaMemcpy{('ToSymbol' if is_write else 'FromSymbol') if is_symbol else ''}"
            if statement is None or statement.name not in {name, f"{name}Async"}:
                continue
            if is_symbol and statement.argument(_OFFSET) not in {"", "0"}:
                continue
            length, to, source = (statement.argument(at) for at in (_LENGTH, 0, 1))
            is_count = any(reach.bytes * element == one.bytes for element in _ELEMENTS) and (
                _is_extent_of(length, to if is_write else source, lines)
                if is_symbol
                else "sizeof" not in length and _is_count_of(length, facts.names.place(one.index), lines)
            )
            if is_count or (reach.bytes == _POINTER and _is_of_pointer(length, source if is_write else to, lines)):
                numbers = {"at": reach.at, "allocation": one.index, "bytes": reach.bytes, "room": one.bytes}
                yield HostRecord.model_validate({"kind": "short-copy", "write": is_write, **numbers})


def _is_extent_of(length: str, symbol: str, lines: Mapping[str, Sequence[str]]) -> bool:
    """Whether the symbol is declared with these words: `float mask[K * K];` or `float mask[K][K];`, and `K * K`."""
    every = "\n".join(line for text in lines.values() for line in text)
    match = re.search(
        rf"__(?:constant|device)__[^;=(){{}}]*\b{re.escape(symbol)}\s*(?P<extents>(?:\[[^\]]*\]\s*)+)", every
    )
    if match is None:
        return False
    extents = re.findall(r"\[([^\]]*)\]", match["extents"])
    return re.sub(r"[\s()]+", "", "*".join(extents)) == re.sub(r"[\s()]+", "", length)


def _is_of_pointer(length: str, to: str, lines: Mapping[str, Sequence[str]]) -> bool:
    """Whether it is the size of the destination's pointer. An array of that name has a size of its own."""
    match = _OF_A_NAME.fullmatch(length)
    if match is None or match["name"] != to.strip():
        return False
    every = "\n".join(line for text in lines.values() for line in text)
    name = re.escape(match["name"])
    return re.search(rf"\*\s*{name}\b", every) is not None and not re.search(rf"\w\s+{name}\s*\[", every)


def _is_count_of(length: str, allocated: SourceLine | None, lines: Mapping[str, Sequence[str]]) -> bool:
    """Whether the allocation multiplies the same words by something, or is given other words: `n` beside `n * sizeof(int)`."""
    statement = call_at(allocated, lines, "allocate")
    if statement is None or len(statement.arguments) < _LENGTH:
        return False
    asked = re.sub(r"\s+", "", statement.arguments[1])
    words = re.sub(r"\s+", "", length)
    return bool(words) and asked != words and ("sizeof" in asked and words in asked)


# Memory with room for too little: as many bytes as there should be elements. The words of its allocation must say the same. Pure.

_INDEX = re.compile(r"\[(\d{1,18})\]$")
_SIZED = re.compile(r"sizeof|\b(?:2|4|8|16)\b|<<|ytes")  # the length may be meant in bytes


def _small_room(found: ProgramFinding, facts: RunFacts) -> str:
    """Of an access past the end: the allocation whose length counts elements. Empty where that is not sure."""
    index = _INDEX.search(found.element or "")
    if found.kind != Verdict.OUT_OF_BOUNDS or index is None:
        return ""
    given = _given(found, facts)
    named = [one for one in given if facts.names.name(one.index) == found.array]
    meant = [one for one in named or given if int(index[1]) < one.bytes]
    if len(meant) != 1 or (place := facts.places.get(meant[0].at)) is None:
        return ""
    statement = call_at(place, facts.lines, "allocate")
    if statement is None or len(statement.arguments) < 2 or _SIZED.search(statement.arguments[1]):  # noqa: PLR2004 -- the address, and the bytes
        return ""
    memory = f"{meant[0].bytes:,} bytes for {facts.names.words(meant[0].index)}"
    return f" Line {place.line} allocates {memory}: {statement.name} counts bytes, not elements."


def _given(found: ProgramFinding, facts: RunFacts) -> list[AllocationRecord]:
    """The memory that the finding names; else all that its launch is given."""
    if named := MEMORY.match(found.array or ""):
        return [one for one in facts.record.allocations if one.index == int(named[1])]
    given = given_names(facts.places.get(found.at), facts.lines)
    return [one for one in facts.record.allocations if facts.names.name(one.index) in given]
