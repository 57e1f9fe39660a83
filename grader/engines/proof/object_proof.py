"""The whole of a submission that a kernel can reach: each function proved, and what one promises another held against it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from grader.engines.device_functions import DEVICE_PREFIX, PURE, is_device_function
from grader.engines.objects.assembly import source_line
from grader.engines.objects.symbol_table import ObjectFile, Symbol
from grader.engines.proof.evaluator import Decoded
from grader.engines.proof.function_proof import FunctionProof, FunctionReport, is_silent, processor_of
from grader.engines.proof.machine_state import StrangeAssemblyError, UnprovableCodeError
from grader.engines.proof.memory_rules import Granted, Unannounced
from grader.engines.refusal import Refusal, needs_gpu

_MOST_CODE = 1 << 20  # bytes that a kernel can reach: some seconds of this proof, and a hundred times a lab's


class UnprovedError(Exception):
    """Why a function is beyond what can be proved. `offset`: from the function's first byte."""

    def __init__(self, function: str, offset: int, why: str) -> None:
        super().__init__(why)
        self.function, self.offset, self.why = function, offset, why


@dataclass
class ObjectReport:
    unannounced: dict[str, list[Unannounced]] = field(default_factory=dict)  # by function; offsets from its first byte
    unproved: UnprovedError | None = None
    targets: list[str] = field(default_factory=list)  # functions that a call through a pointer may go to
    library_targets: list[str] = field(default_factory=list)  # the same, outside the file
    # On the stack, of the functions that the kit calls, by their symbols.
    argument_bytes: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    """A function that the kit calls."""

    argument_bytes: int  # that the kit puts on the stack for it
    answer_bytes: int = 0  # of the kit's object in which it makes its result


def prove_object(code: ObjectFile, entries: Mapping[str, Entry], passed: Collection[str] = ()) -> ObjectReport:
    """`entries` by their symbols; `passed`: functions whose addresses their arguments may hold."""
    return _ObjectProof(code, entries, passed).prove()


class _ObjectProof:
    def __init__(self, code: ObjectFile, entries: Mapping[str, Entry], passed: Collection[str]) -> None:
        self.code, self.entries, self.passed = code, entries, passed
        self.processor = processor_of(code.machine)
        self.begun: set[tuple[int, int]] = set()
        self.done: dict[tuple[int, int], tuple[Symbol, FunctionReport]] = {}
        self.looked_at: set[tuple[int, int]] = set()  # with all that they call
        self.bytes = 0
        self.in_data = set[str]()
        self.report = ObjectReport()

    def prove(self) -> ObjectReport:
        entered = [symbol for name, symbol in self.code.named.items() if name in self.entries]
        try:
            self._prove_all(entered)
            while self._pointer_calls() and not self.looked_at.issuperset(map(_place_of, self._targets())):
                self._prove_all(self._targets())
        except UnprovedError as error:
            self.report.unproved = error
            return self.report
        self.report.unproved = self._broken_promise(entered) or self._broken_target()
        if self._pointer_calls():
            self.report.targets = [symbol.name for symbol in self._targets()]
            self.report.library_targets = sorted((self._foreign() | self.in_data) & PURE)
        return self.report

    def _prove_all(self, waiting: list[Symbol]) -> None:
        waiting = list(waiting)
        while waiting:
            symbol = waiting.pop()
            if _place_of(symbol) not in self.looked_at:
                self.looked_at.add(_place_of(symbol))
                waiting.extend(call.target for call in self._proved(symbol).calls)

    # --- Calls through pointers.

    def _pointer_calls(self) -> list[tuple[Symbol, int, int]]:
        """Of each the caller, where in it the call is, and how much room it leaves for arguments."""
        return [
            (symbol, offset - symbol.value, room)
            for symbol, proved in self.done.values()
            for offset, room in proved.pointer_calls
        ]

    def _targets(self) -> list[Symbol]:
        """Every function whose address proved code takes, or data that such code reaches."""
        places, seen = {place for _, proved in self.done.values() for place in proved.taken}, set[int]()
        places |= {_place_of(one) for name, one in self.code.named.items() if name in self.passed}
        self.in_data = set[str]()  # what the data name outside the file: most of it is no function
        waiting = [section for section, _ in places]
        while waiting:
            section = waiting.pop()
            if section in seen or section in self.code.functions:
                continue
            seen.add(section)
            for relocation in self.code.sections[section].relocations.values():
                if relocation.symbol.in_section:
                    places.add((relocation.symbol.section, relocation.symbol.value + relocation.addend))
                    waiting.append(relocation.symbol.section)
                elif relocation.symbol.undefined and relocation.symbol.kind != "STT_TLS":
                    self.in_data.add(relocation.symbol.name)
        found = (self.code.function_at(section, offset) for section, offset in sorted(places))
        return [symbol for symbol in found if symbol]

    def _foreign(self) -> set[str]:
        """The functions outside the file whose addresses proved code takes."""
        named = {one for _, proved in self.done.values() for one in proved.foreign if is_device_function(one)}
        # The kit's variables have no parameters behind their names.
        return {one for one in named if not (one.startswith(DEVICE_PREFIX) and one.endswith("E"))}

    def _broken_target(self) -> UnprovedError | None:
        """What a call through a pointer takes for granted of every function that it can go to."""
        for caller, at, room in self._pointer_calls():
            for target in self._targets():
                _, proved = self.done[_place_of(target)]
                if proved.granted:
                    return UnprovedError(caller.name, at, "a pointer to a function that announces nothing")
                if proved.argument_bytes > room:
                    return UnprovedError(caller.name, at, "a pointer to a function with arguments that were not passed")
            if foreign := self._foreign() - PURE:
                return UnprovedError(caller.name, at, f"a pointer to `{min(foreign)}`, which is not in the file")
        return None

    def _proved(self, symbol: Symbol) -> FunctionReport:
        key = _place_of(symbol)
        if key in self.done:
            return self.done[key][1]
        self.begun.add(key)
        self.bytes += symbol.size
        if self.bytes > _MOST_CODE:
            raise UnprovedError(symbol.name, 0, "a program of this size")
        try:
            answer_bytes = self._entry_at(symbol).answer_bytes
            proved = FunctionProof(self.code, symbol, self.processor, self._asked_by, answer_bytes).prove()
        except UnprovableCodeError as error:
            raise UnprovedError(symbol.name, error.offset - symbol.value, str(error)) from error
        self.done[key] = symbol, proved
        if proved.unannounced:
            self.report.unannounced[symbol.name] = [
                replace(one, offset=one.offset - symbol.value) for one in proved.unannounced
            ]
        return proved

    def _asked_by(self, symbol: Symbol) -> Granted:
        answers = self._entry_at(symbol).answer_bytes > 0
        if not answers and not is_silent(self.code, symbol, self.processor.call_relocations):
            return {}
        key = _place_of(symbol)
        if key in self.begun and key not in self.done:
            raise UnprovedError(symbol.name, 0, "a launch function that calls itself")
        proved = self._proved(symbol)
        if proved.jumps_on:
            raise UnprovedError(symbol.name, 0, "a call of a function that jumps to another one")
        return proved.granted

    def _entry_at(self, symbol: Symbol) -> Entry:
        """One function may have several names."""
        names = (one.name for one in self.code.functions[symbol.section] if one.value == symbol.value)
        return next((self.entries[name] for name in names if name in self.entries), Entry(0))

    def _broken_promise(self, entered: list[Symbol]) -> UnprovedError | None:
        """A function that takes for its arguments what nobody put there."""
        for caller, report in self.done.values():
            for call in report.calls:
                if self.done[_place_of(call.target)][1].argument_bytes > call.room:
                    return UnprovedError(caller.name, call.offset - caller.value, "arguments that were not passed")
        for symbol in entered:
            _, proved = self.done[_place_of(symbol)]
            entry = self.entries[symbol.name]
            self.report.argument_bytes[symbol.name] = proved.argument_bytes
            granted = any(begin < 0 or end > entry.answer_bytes for begin, end in proved.granted.values())
            if proved.argument_bytes > entry.argument_bytes or granted:
                return UnprovedError(symbol.name, 0, "arguments that were not passed")
        return None


def _place_of(symbol: Symbol) -> tuple[int, int]:
    return symbol.section, symbol.value


# Puts a call that announces an access before each instruction that the proof found unannounced, into the compiler's assembly.
#
# What comes of it is assembled and proved anew, so nothing here has to be trusted: a call in the wrong place proves nothing.
# What the calls look like is each processor's.

_LABEL = re.compile(r"^([\w.$]+):")
_SIZE = re.compile(r"^\s+\.size\s+([\w.$]+),")
_INSTRUCTION = re.compile(r"^\s+(?![.#/])\S")
# Not of a volatile: ours does not say that.
_ANNOUNCEMENT = re.compile(r"^\s+(?:callq?|bl)\s+__tsan_(read|write)\d+(?:@PLT)?\s*$")
# From the frame, into a register.
_RELOAD = re.compile(r"^\s+(?:mov[lq]|ldr)\s.*(?:Reload|\(%rbp\), %\w+|\[(?:sp|x29)[^\]]*\])\s*$")
_RELOADS = 2  # at most so many instructions between the call and the access

Code = Sequence[tuple[int, Decoded]]  # of one function: its instructions with their offsets


def instruction_lines(assembly: str, functions: Mapping[str, Code]) -> dict[str, list[int]]:
    """For each function the numbers of the lines on which its instructions stand, in their order. Raises StrangeAssemblyError."""
    found: dict[str, list[int]] = {}
    inside = ""
    for number, line in enumerate(assembly.split("\n")):
        if not inside:
            label = _LABEL.match(line)
            if label and label[1] in functions:
                inside = label[1]
                found[inside] = []
        elif (size := _SIZE.match(line)) and size[1] == inside:
            inside = ""
        elif _INSTRUCTION.match(line):
            found[inside].append(number)
    for name, code in functions.items():
        if len(found.get(name, ())) != len(code):
            raise StrangeAssemblyError(name)
    return found


def with_calls(
    assembly: str, functions: Mapping[str, Code], unannounced: Mapping[str, Sequence[Unannounced]], machine: str
) -> str:
    """Raises StrangeAssemblyError. The compiler's own call right before such an access goes: what it announces could not be proved to be
    the same, and the access would be counted twice.
    """
    processor = processor_of(machine)
    places = instruction_lines(assembly, functions)
    lines = assembly.split("\n")
    before: dict[int, list[str]] = {}
    behind: dict[int, list[str]] = {}
    instead: dict[int, str] = {}
    gone: set[int] = set()
    for name, missing in unannounced.items():
        number_of = {offset: number for number, (offset, _) in enumerate(functions[name])}
        for one in missing:
            number = number_of[one.offset]
            line = places[name][number]
            if one.kind == "end":
                behind[line] = [processor.stop]
            else:
                instruction = functions[name][number][1]
                before.setdefault(line, []).extend(processor.call_before(one, instruction, lines[line]))
                gone.update(_doubted(one, lines, places[name][max(0, number - _RELOADS - 1) : number]))
                if one.kind in {"call", "stack"}:
                    instead[line] = processor.in_place_of(instruction, lines[line])
    return "\n".join(
        piece
        for number, line in enumerate(lines)
        if number not in gone
        for piece in (*before.get(number, ()), instead.get(number, line), *behind.get(number, ()))
    )


def _doubted(missing: Unannounced, lines: Sequence[str], before: Sequence[int]) -> Iterator[int]:
    """The line of the compiler's own call for this access; `before`: the lines of the instructions right before it."""
    for line in reversed(before):
        if announced := _ANNOUNCEMENT.match(lines[line]):
            if announced[1] == missing.kind:
                yield line
            return
        if not _RELOAD.match(lines[line]):
            return


# What the builder asks of this package: is every access of these functions announced, and if not, the assembly in which it is.

_STACK_ARGUMENTS = 4096  # bytes that kit/runner/kernel_call.cpp can put on the stack: what CUDA allows a kernel
_ANSWER = 28  # bytes of a LaunchConfig, to which a launch function's first argument points
KERNEL, LAUNCH = Entry(_STACK_ARGUMENTS), Entry(0, _ANSWER)


@dataclass(frozen=True)
class Checked:
    """Everything is announced where the first two are empty."""

    refusal: Refusal | None = None
    assembly: str = ""  # with the calls that are missing, to be assembled and checked again
    report: ObjectReport = field(default_factory=ObjectReport)


def check_announcements(
    code: ObjectFile, assembly: str, entries: Mapping[str, Entry], file_name: str, passed: Sequence[str] = ()
) -> Checked:
    """`entries`: the functions that the kit calls, by their symbols; `assembly`: what `code` was made from; `passed`: functions
    whose addresses are the kernel's arguments.
    """
    report = prove_object(code, entries, passed)
    if report.unproved is not None:
        return Checked(_refused(report.unproved, code, assembly, file_name))
    if not report.unannounced:
        return Checked(report=report)
    try:
        functions = {_label(code, name): _code_of(code, name) for name in report.unannounced}
        missing = {_label(code, name): found for name, found in report.unannounced.items()}
        return Checked(assembly=with_calls(assembly, functions, missing, code.machine))
    except StrangeAssemblyError as error:
        return Checked(_beyond(0, f"the compiler's text is not what it made of `{str(error)[:60]}`"))


def _refused(unproved: UnprovedError, code: ObjectFile, assembly: str, file_name: str) -> Refusal:
    name = _label(code, unproved.function)
    instructions = _code_of(code, unproved.function)
    line = 0
    try:
        numbers = instruction_lines(assembly, {name: instructions})[name]
        position = next((at for at, (offset, _) in enumerate(instructions) if offset == unproved.offset), 0)
        line = source_line(assembly, file_name, sum(len(one) + 1 for one in assembly.split("\n")[: numbers[position]]))
    except (StrangeAssemblyError, IndexError):
        pass  # the refusal stands without its line
    return _beyond(line, unproved.why)


def _beyond(line: int, why: str) -> Refusal:
    what = f"The CPU executor cannot follow what the compiler made of this ({why})"
    return needs_gpu(line, what, "Write it in a simpler way, and it can be checked here as well.")


def _code_of(code: ObjectFile, name: str) -> Code:
    symbol = code.named[name]
    section = code.sections[symbol.section]
    return processor_of(code.machine).decoder.decode(section.code[symbol.value : symbol.value + symbol.size])


def _label(code: ObjectFile, name: str) -> str:
    """A constructor has two names, of which the text has one as a label: `C2`."""
    symbol = code.named[name]
    same = [one.name for one in code.functions[symbol.section] if one.value == symbol.value]
    return next((one for one in same if "C2" in one or "D2" in one), name) if len(same) > 1 else name
