"""Which local arrays of a submission a GPU would keep in local memory: those with a subscript that is known only when the kernel runs.

A GPU's registers have no addresses, so nvcc keeps an array in them only where each subscript is a constant once loops are unrolled. This
reads GCC's dump of functions, in which each value has a name. A value is known if it is made of numbers and of known values, and what
counts a loop if the loop ends at a known one. Loads, results of calls and a kernel's parameters are not known. Where an array's address
goes to a place that is not followed, such as a member, nothing is said against it. Sizes are looked at in `debug_info.py`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from grader.engines.clang_ir import parts_of
from grader.engines.dump_scan import CALL, NO_CALL, statements_of
from grader.engines.objects.symbol_table import reachable

_MOST_PASSES = 256  # of a loop that is unrolled: a thread has 255 registers
_MOST_ARRAYS = 600  # whose addresses are followed; in a file with more, all arrays count
_NAME = r"[A-Za-z_]\w*(?:\.\d+(?:_\d+)?)?"  # `i`, `_7`, `D.2207`, `i.0_1`
_WORD = re.compile(rf"(?<![\w.>])({_NAME})(?!\w)")
_HEAD = re.compile(r"(?P<name>\S+) \((?P<parameters>[^;]*)\)(?: const)?$")
_DECLARED = re.compile(rf"(?!return\b|goto\b)\w[^;=()]*[ *&](?P<name>{_NAME})(?:\[[^;=]*\])*;")
_ASSIGNED = re.compile(rf"(?P<target>{_NAME}) = (?P<value>.*);")
_COMPARED = re.compile(rf"if \((?P<one>{_NAME}) (?:[<>]=?|[!=]=) (?P<other>-?\w[\w.]*)\)")
_CAST = re.compile(r"^\([^()]*\) ")
_LOADS = re.compile(r"(?:^|[(\[])\*|->|\[|\.[A-Za-z_]")  # a value of memory
_ACCESS = re.compile(rf"(?P<base>{_NAME})(?P<path>(?:(?:\.|->)[A-Za-z_]\w*|\)|\[[^\[\]]*\])*\[[^\[\]]*\])")
_FOLLOWED = re.compile(rf"(?:(?<=[(=])|(?<=[(=] )|^)\*({_NAME})")
_INDEX = re.compile(r"\[([^\[\]]*)\]")
_MADE = re.compile(r"_\d+|\w+\.\d+(?:_\d+)?")  # by the compiler, for a value in between


# By the names of arrays, the lines of their functions: where one begins, and how far it or an earlier one goes; rising.
Spans = dict[str, list[tuple[int, int]]]
_ArrayName = tuple[str, int, int]  # and the first and last line of its function


@dataclass
class _Flow:
    """Variables are numbers: each declaration has its own."""

    arrays: dict[int, _ArrayName] = field(default_factory=dict)  # all variables that the file's functions declare
    made_of: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    # What it is compared with; empty: with small numbers alone.
    ends: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    at_run_time: set[int] = field(default_factory=set)
    leads_to: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    uses: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)  # an array or pointer, and its subscripts
    followed: list[int] = field(default_factory=list)
    calls: list[tuple[str, list[tuple[int | None, bool]]]] = field(default_factory=list)
    parameters: dict[str, list[int]] = field(default_factory=dict)
    count: int = 0

    def found(self) -> set[_ArrayName]:
        called = {name for name, _ in self.calls}
        for name, own in self.parameters.items():
            if name not in called:
                self.at_run_time.update(own)
        for name, given in self.calls:
            for parameter, (variable, is_address) in zip(self.parameters.get(name, ()), given, strict=False):
                if variable is not None:
                    (self.leads_to if is_address else self.made_of)[parameter].add(variable)
        for variable, others in [(one, found) for one in list(self.made_of) if (found := self._circle(one))]:
            ends = [self.ends[one] for one in others if one in self.ends]
            if not ends:
                self.at_run_time.add(variable)
            self.made_of[variable] = self.made_of[variable].union(*ends)
        self._spread()
        if sum(map(len, self.leads_to.values())) > _MOST_ARRAYS:
            return set(self.arrays.values())
        bad = {base for base, indices in self.uses if not self.at_run_time.isdisjoint(indices)}
        bad |= self.at_run_time.intersection(self.followed)
        pointers = reachable(bad, lambda one: self.leads_to.get(one, set()) | self.made_of.get(one, set()))
        places = {
            place for one in pointers for place in self.leads_to.get(one, ())
        }  # the arrays that these may point into
        return {self.arrays[one] for one in bad | places if one in self.arrays}

    def _spread(self) -> None:
        into: dict[int, list[int]] = defaultdict(list)
        for variable, parts in self.made_of.items():
            for part in parts:
                into[part].append(variable)
        self.at_run_time = reachable(self.at_run_time, lambda one: into.get(one, ()))

    def _circle(self, variable: int) -> list[int]:
        """Values that it is made of and that are made of it, as `i` is by `i + 1`, also by way of another value."""
        parts = self.made_of.get(variable, set())
        others = [one for one in parts if variable in self.made_of.get(one, ())]
        return [variable, *others] if others else []


def at_run_time(dump: str, file_name: str) -> Spans:
    """Those that the file itself declares."""
    flow = _Flow()
    for head, statements in _functions(dump, file_name):
        lines = [line for _, line in statements if line]
        scope = _Scope(flow, (min(lines, default=0), max(lines, default=0)))
        scope.begin(head)
        for text, _ in statements:
            scope.take(text)
    spans: Spans = defaultdict(list)
    for name, first, last in sorted(flow.found()):
        reach = spans[name][-1][1] if name in spans else last
        spans[name].append((first, max(last, reach)))
    return spans


def _functions(dump: str, file_name: str) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """The head and the statements of each, with their lines in the file."""
    head, statements = "", list[tuple[str, int]]()
    for one in statements_of(dump, file_name):
        text = one.text.strip()
        if not one.text.startswith((" ", "{", "}")) and text.endswith((")", ") const")):
            yield head, statements
            head, statements = text, []
        else:
            statements.append((text, one.line))
    yield head, statements


@dataclass
class _Scope:
    """The variables of one function: those of inner blocks may have the same names."""

    flow: _Flow
    lines: tuple[int, int]
    blocks: list[dict[str, int]] = field(default_factory=lambda: [{}])

    def begin(self, head: str) -> None:
        if matched := _HEAD.search(head):
            names = [one.split()[-1].strip("*&") for one in parts_of(matched["parameters"]) if one.split()]
            own = self.flow.parameters.setdefault(matched["name"], [])
            own += [self._declare(name) for name in names]

    def take(self, text: str) -> None:
        if text == "{":
            self.blocks.append({})
        elif text == "}":
            self.blocks = self.blocks[:-1] or [{}]
        elif declared := _DECLARED.fullmatch(text):
            self.flow.arrays[self._declare(declared["name"])] = (declared["name"], *self.lines)
        else:
            self._use(text)

    def _use(self, text: str) -> None:
        if ".DEFERRED_INIT (" in text:  # the pattern of what has no value yet
            return
        flow = self.flow
        for access in _ACCESS.finditer(text):
            if (base := self._number(access["base"])) is not None:
                indices = _INDEX.findall(access["path"])
                flow.uses.append((base, tuple(filter(None, map(self._number, indices)))))
        flow.followed += filter(None, map(self._number, _FOLLOWED.findall(text)))
        if compared := _COMPARED.match(text):
            for one, other in (compared.groups(), compared.groups()[::-1]):
                counter, end = self._number(one), self._number(other)
                is_small = other.lstrip("-").isdigit() and abs(int(other)) <= _MOST_PASSES
                if counter is not None and (end is not None or is_small):
                    flow.ends[counter].update([] if end is None else [end])
        elif (called := CALL.match(text)) and not NO_CALL.match(called["callee"]):
            given = [
                (self._number(one.lstrip("&").split("[")[0]), one.startswith("&")) for one in parts_of(called["rest"])
            ]
            flow.calls.append((called["callee"], given))
            if called["target"] and (target := self._number(called["target"])):
                flow.at_run_time.add(target)
        elif assigned := _ASSIGNED.fullmatch(text):
            self._assign(assigned["target"], _CAST.sub("", assigned["value"]))

    def _assign(self, target: str, value: str) -> None:
        number = self._number(target)
        if number is None:
            return
        flow, names = self.flow, [self._number(one) for one in _WORD.findall(value)]
        if value.startswith("&"):
            flow.leads_to[number].update(filter(None, names[:1]))
            flow.made_of[number].update(filter(None, names[1:]))
        elif _LOADS.search(value) or None in names:
            flow.at_run_time.add(number)
        else:
            flow.made_of[number].update(filter(None, names))

    def _declare(self, name: str) -> int:
        self.flow.count += 1
        self.blocks[-1][name] = self.flow.count
        return self.flow.count

    def _number(self, word: str) -> int | None:
        """None: a number, a type, or what is declared outside of functions."""
        found = next((block[word] for block in reversed(self.blocks) if word in block), None)
        if found is None and _MADE.fullmatch(word):
            self.blocks[0][word] = self.flow.count = self.flow.count + 1
            return self.flow.count
        return found
