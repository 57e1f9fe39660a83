"""The whole of a submission that a kernel can reach: each function proved, and what one promises another held against it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from grader.engines.announcements.function_proof import Call, FunctionReport, PointerCall, is_silent, prove_function
from grader.engines.announcements.processors import processor_of
from grader.engines.device_functions import DEVICE_PREFIX, PURE, is_device_function
from grader.engines.machine_model.code_object import CodeObject
from grader.engines.machine_model.memory_rules import Granted, Unannounced
from grader.engines.machine_model.refusals import UnprovableCodeError
from grader.engines.object_code.symbol_table import Symbol

_MOST_CODE = 1 << 20  # bytes that a kernel can reach: some seconds of this proof, and a hundred times a lab's


@dataclass(frozen=True)
class Unproved:
    """Why a function is beyond what can be proved."""

    function: str
    offset: int  # from the function's first byte
    why: str


@dataclass
class ObjectReport:
    unannounced: dict[str, list[Unannounced]] = field(default_factory=dict)  # by function; offsets from its first byte
    unproved: Unproved | None = None
    targets: list[str] = field(default_factory=list)  # functions that a call through a pointer may go to
    library_targets: list[str] = field(default_factory=list)  # the same, outside the file
    argument_bytes: dict[str, int] = field(
        default_factory=dict
    )  # on the stack, of the functions that the kit calls, by their symbols


@dataclass(frozen=True)
class Entry:
    """A function that the kit calls."""

    argument_bytes: int  # that the kit puts on the stack for it
    answer_bytes: int = 0  # of the kit's object in which it makes its result


def prove_object(code: CodeObject, entries: Mapping[str, Entry], passed: Collection[str] = ()) -> ObjectReport:
    """`entries` by their symbols; `passed`: functions whose addresses their arguments may hold."""
    return _ObjectProof(code, entries, passed).prove()


class _ObjectProof:
    def __init__(self, code: CodeObject, entries: Mapping[str, Entry], passed: Collection[str]) -> None:
        self.code, self.entries, self.passed = code, entries, passed
        self.processor = processor_of(code.machine)
        self.begun: set[tuple[int, int]] = set()
        self.done: dict[tuple[int, int], FunctionReport] = {}
        self.looked_at: set[tuple[int, int]] = set()  # with all that they call
        self.bytes = 0
        self.in_data = set[str]()
        self.report = ObjectReport()

    def prove(self) -> ObjectReport:
        functions = [symbol for symbol in self.code.symbols if symbol.kind == "STT_FUNC" and symbol.in_section]
        entered = [symbol for symbol in functions if symbol.name in self.entries]
        calls = list[tuple[Symbol, Call]]()
        try:
            self._prove_all(entered, calls)
            while not self._targets_proved() and (waiting := self._targets()):
                self._prove_all(waiting, calls)
        except _StoppedError as stop:
            self.report.unproved = stop.unproved
            return self.report
        self.report.unproved = self._broken_promise(entered, calls) or self._broken_target()
        if self._pointer_calls():
            self.report.targets = [symbol.name for symbol in self._targets()]
            self.report.library_targets = sorted((self._foreign() | self.in_data) & PURE)
        return self.report

    def _prove_all(self, waiting: list[Symbol], calls: list[tuple[Symbol, Call]]) -> None:
        waiting = list(waiting)
        while waiting:
            symbol = waiting.pop()
            if (symbol.section, symbol.value) not in self.looked_at:
                self.looked_at.add((symbol.section, symbol.value))
                proved = self._proved(symbol)
                calls.extend((symbol, call) for call in proved.calls)
                waiting.extend(call.target for call in proved.calls)

    # --- Calls through pointers.

    def _pointer_calls(self) -> list[tuple[tuple[int, int], PointerCall]]:
        return [(key, call) for key, proved in self.done.items() for call in proved.pointer_calls]

    def _targets_proved(self) -> bool:
        return not self._pointer_calls() or all((one.section, one.value) in self.looked_at for one in self._targets())

    def _targets(self) -> list[Symbol]:
        """Every function whose address proved code takes, or data that such code reaches."""
        functions = [one for one in self.code.symbols if one.kind == "STT_FUNC" and one.in_section]
        places, seen = {place for proved in self.done.values() for place in proved.taken}, set[int]()
        places |= {(one.section, one.value) for one in functions if one.name in self.passed}
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
        return {one for proved in self.done.values() for one in proved.foreign if _is_function(one)}

    def _broken_target(self) -> Unproved | None:
        """What a call through a pointer takes for granted of every function that it can go to."""
        for (section, offset), call in self._pointer_calls():
            caller = self.code.function_at(section, offset)
            name = caller.name if caller else ""
            for target in self._targets():
                proved = self.done[target.section, target.value]
                if proved.granted:
                    return Unproved(name, call.offset - offset, "a pointer to a function that announces nothing")
                if proved.argument_bytes > call.room:
                    return Unproved(
                        name, call.offset - offset, "a pointer to a function with arguments that nobody passed"
                    )
            if foreign := self._foreign() - PURE:
                return Unproved(name, call.offset - offset, f"a pointer to `{min(foreign)}`, which is not in the file")
        return None

    def _proved(self, symbol: Symbol) -> FunctionReport:
        key = symbol.section, symbol.value
        if key in self.done:
            return self.done[key]
        self.begun.add(key)
        self.bytes += symbol.size
        if self.bytes > _MOST_CODE:
            raise _StoppedError(Unproved(symbol.name, 0, "a program of this size"))
        try:
            entry = self._entry_at(symbol)
            answer_bytes = entry.answer_bytes if entry else 0
            proved = self.done[key] = prove_function(self.code, symbol, self.processor, self._asked_by, answer_bytes)
        except UnprovableCodeError as error:
            raise _StoppedError(Unproved(symbol.name, error.offset - symbol.value, str(error))) from error
        if proved.unannounced:
            self.report.unannounced[symbol.name] = [
                replace(one, offset=one.offset - symbol.value) for one in proved.unannounced
            ]
        return proved

    def _asked_by(self, symbol: Symbol) -> Granted:
        entry = self._entry_at(symbol)
        if not (entry and entry.answer_bytes) and not is_silent(self.code, symbol, self.processor.call_relocations):
            return {}
        if (symbol.section, symbol.value) in self.begun and (symbol.section, symbol.value) not in self.done:
            raise _StoppedError(Unproved(symbol.name, 0, "a launch function that calls itself"))
        proved = self._proved(symbol)
        if proved.jumps_on:
            raise _StoppedError(Unproved(symbol.name, 0, "a call of a function that jumps to another one"))
        return proved.granted

    def _entry_at(self, symbol: Symbol) -> Entry | None:
        """One function may have several names."""
        names = (one.name for one in self.code.functions[symbol.section] if one.value == symbol.value)
        return next((self.entries[name] for name in names if name in self.entries), None)

    def _broken_promise(self, entered: list[Symbol], calls: list[tuple[Symbol, Call]]) -> Unproved | None:
        """A function that takes for its arguments what nobody put there."""
        for caller, call in calls:
            if self.done[call.target.section, call.target.value].argument_bytes > call.room:
                return Unproved(caller.name, call.offset - caller.value, "arguments that nobody passed")
        for symbol in entered:
            proved = self.done[symbol.section, symbol.value]
            entry = self.entries[symbol.name]
            self.report.argument_bytes[symbol.name] = proved.argument_bytes
            granted = any(begin < 0 or end > entry.answer_bytes for begin, end in proved.granted.values())
            if proved.argument_bytes > entry.argument_bytes or granted:
                return Unproved(symbol.name, 0, "arguments that nobody passed")
        return None


def _is_function(name: str) -> bool:
    """Of a symbol that the file does not define: the kit's variables have no parameters behind their names."""
    return is_device_function(name) and not (name.startswith(DEVICE_PREFIX) and name.endswith("E"))


class _StoppedError(Exception):
    def __init__(self, unproved: Unproved) -> None:
        super().__init__(unproved.why)
        self.unproved = unproved
