"""The whole of a submission that a kernel can reach: each function proved, and what one promises another held against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from grader.engines.announcements.function_proof import Call, FunctionReport, is_silent, prove_function
from grader.engines.arm_code.arm_processor import Arm
from grader.engines.machine_model.code_object import CodeObject
from grader.engines.machine_model.memory_rules import Granted, Unannounced
from grader.engines.machine_model.refusals import UnprovableCodeError
from grader.engines.object_code.symbol_table import Symbol
from grader.engines.x86_code.x86_processor import X86

PROCESSORS: dict[str, type[X86 | Arm]] = {"x64": X86, "AArch64": Arm}
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


@dataclass(frozen=True)
class Entry:
    """A function that the kit calls."""

    argument_bytes: int  # that the kit puts on the stack for it
    answer_bytes: int = 0  # of the kit's object in which it makes its result


def prove_object(code: CodeObject, entries: Mapping[str, Entry]) -> ObjectReport:
    """`entries` by their symbols."""
    return _ObjectProof(code, entries).prove()


class _ObjectProof:
    def __init__(self, code: CodeObject, entries: Mapping[str, Entry]) -> None:
        self.code, self.entries = code, entries
        self.processor = PROCESSORS[code.machine]
        self.begun: set[tuple[int, int]] = set()
        self.done: dict[tuple[int, int], FunctionReport] = {}
        self.bytes = 0
        self.report = ObjectReport()

    def prove(self) -> ObjectReport:
        functions = [symbol for symbol in self.code.symbols if symbol.kind == "STT_FUNC" and symbol.in_section]
        entered = [symbol for symbol in functions if symbol.name in self.entries]
        waiting, calls = list(entered), list[tuple[Symbol, Call]]()
        try:
            while waiting:
                symbol = waiting.pop()
                if (symbol.section, symbol.value) not in self.done:
                    proved = self._proved(symbol)
                    calls.extend((symbol, call) for call in proved.calls)
                    waiting.extend(call.target for call in proved.calls)
        except _StoppedError as stop:
            self.report.unproved = stop.unproved
            return self.report
        self.report.unproved = self._broken_promise(entered, calls)
        return self.report

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
        return self._proved(symbol).granted

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
            granted = any(begin < 0 or end > entry.answer_bytes for begin, end in proved.granted.values())
            if proved.argument_bytes > entry.argument_bytes or granted:
                return Unproved(symbol.name, 0, "arguments that nobody passed")
        return None


class _StoppedError(Exception):
    def __init__(self, unproved: Unproved) -> None:
        super().__init__(unproved.why)
        self.unproved = unproved
