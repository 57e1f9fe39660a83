"""Which local arrays of a submission a GPU would keep in local memory: those with a subscript that is known only when the kernel runs.

A GPU's registers have no addresses, so nvcc keeps an array in them only where each subscript is a constant once loops are unrolled. This
reads GCC's dump of functions, in which each value has a name. A value is known if it is made of numbers and of known values: also the
result of a function that only calculates, and what a local array or object holds whose address goes nowhere. What changes from pass to pass
of a loop is known if the loop goes on by a known comparison. Other loads and results, and a kernel's parameters, are not known. Where an
array's address goes to a place that is not followed, such as a member, nothing is said against it. Sizes are looked at in `debug_info.py`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from grader.engines.clang_ir import parts_of
from grader.engines.dump_scan import CALL, NO_CALL, statements_of
from grader.engines.objects.symbol_table import reachable

_MOST_PASSES = 256  # of a loop that is unrolled: a thread has 255 registers
_MOST_LOOPS = 32  # around one another; what is in more of them is not known
_MOST_ARRAYS = 600  # whose addresses are followed; in a file with more, all arrays count
_LONGEST = 2000  # characters of a statement; in a file with a longer one, all arrays count
_NAME = r"[A-Za-z_]\w*(?:\.\d+(?:_\d+)?)?"  # `i`, `_7`, `D.2207`, `i.0_1`
_WORD = re.compile(rf"(?<![\w.>])({_NAME})(?!\w)")
_HEAD = re.compile(r"(?P<name>\S+) \((?P<parameters>[^;]*)\)(?: const)?$")
_DECLARED = re.compile(rf"(?!return\b|goto\b)\w[^;=()]*[ *&](?P<name>{_NAME})(?:\[[^;=]*\])*;")
_ASSIGNED = re.compile(rf"(?P<target>{_NAME})(?P<part>(?:\.[A-Za-z_]\w*|\[[^\[\]]*\])*) = (?P<value>.*);")
_HELD = re.compile(rf"(?P<base>{_NAME})(?:\.[A-Za-z_]\w*|\[[^\[\]]*\])+")  # a part of a local array or object
_TAKEN = re.compile(rf"(?<!\w )&({_NAME})")
_CALCULATES = re.compile(r"cuda_on_cpu::(?:u?l?l?(?:min|max)|l?l?abs|__(?:popc|ffs|clz|brev|u?mul24|u?mulhi)(?:ll)?)")
_EXPRESSION = re.compile(r"\b(?:MIN|MAX|ABS)_EXPR\b")
# The pattern of what has no value yet, and the end of what has one.
_NO_USE = re.compile(r"\.DEFERRED_INIT \(|\{CLOBBER")
_LABEL = re.compile(r"(<[^<>]+>|\w+):")
_JUMP = re.compile(r"(?:\bgoto|:) (<[^<>]+>|\w+)")
_COMPARED = re.compile(rf"if \((?P<one>{_NAME}) (?:[<>]=?|[!=]=) (?P<other>-?\w[\w.]*)\)")
_CAST = re.compile(r"^\([^()]*\) ")
_LOADS = re.compile(r"(?:^|[(\[])\*|->|\[|\.[A-Za-z_]")  # a value of memory
_ACCESS = re.compile(rf"(?<![\w.])(?P<base>{_NAME})(?P<path>(?:(?:\.|->)[A-Za-z_]\w*|\)|\[[^\[\]]*\])*\[[^\[\]]*\])")
_FOLLOWED = re.compile(rf"(?:(?<=[(=])|(?<=[(=] )|^)\*({_NAME})")
_INDEX = re.compile(r"\[([^\[\]]*)\]")
_MADE = re.compile(r"_\d+|\w+\.\d+(?:_\d+)?")  # by the compiler, for a value in between


# By the names of arrays, the lines of their functions: where one begins, and how far it or an earlier one goes; rising.
Spans = dict[str, list[tuple[int, int]]]
_ArrayName = tuple[str, int, int]  # and the first and last line of its function


def _circles(following: Callable[[int], Iterable[int]], variables: Iterable[int]) -> Iterator[set[int]]:
    """The sets of variables that lead to one another, and each that leads to itself (R. Tarjan, 1972)."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}  # of those that are in no set yet
    waiting: list[int] = []
    for first in variables:
        path = [] if first in number else [(first, iter(following(first)))]
        while path:
            one, rest = path[-1]
            if one not in number:
                number[one] = low[one] = len(number)
                waiting.append(one)
            fresh = next((other for other in rest if other not in number or other in low), None)
            if fresh is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[one])
                if low[one] == number[one] and len(circle := _popped(waiting, one, low)) + (one in following(one)) > 1:
                    yield circle
            elif fresh in number:
                low[one] = min(low[one], number[fresh])
            else:
                path.append((fresh, iter(following(fresh))))


def _popped(waiting: list[int], last: int, low: dict[int, int]) -> set[int]:
    at = next(at for at in range(len(waiting) - 1, -1, -1) if waiting[at] == last)
    circle = set(waiting[at:])
    del waiting[at:]
    for one in circle:
        del low[one]
    return circle


@dataclass
class _Flow:
    """Variables are numbers: each declaration has its own, and so has each loop, which is known if it goes on by known values."""

    arrays: dict[int, _ArrayName] = field(default_factory=dict)  # all variables that the file's functions declare
    made_of: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    # The same, where nothing is a part of it: what went through an array or object, and what a loop goes on by.
    hangs_on: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    # With what it is compared where that ends a loop (empty: with small numbers alone), and elsewhere.
    ends: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    other_ends: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    at_run_time: set[int] = field(default_factory=set)
    leads_to: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    uses: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)  # an array or pointer, and its subscripts
    followed: list[int] = field(default_factory=list)
    calls: list[tuple[str, list[tuple[int | None, bool]], int | None]] = field(default_factory=list)  # and the result
    parameters: dict[str, list[int]] = field(default_factory=dict)
    returned: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    # Of a variable: what it is made of at one place, the loop there (0: none), and whether each pass of it comes there.
    changes: dict[int, list[tuple[set[int], int, bool]]] = field(default_factory=lambda: defaultdict(list))
    around: dict[int, int] = field(default_factory=dict)  # a loop: the one around it
    count: int = 0
    is_unclear: bool = False

    def change(self, variable: int, parts: set[int], loop: int, *, always: bool, through: bool = False) -> None:
        (self.hangs_on if through else self.made_of)[variable] |= parts
        self.changes[variable].append((parts, loop, always))

    def found(self) -> set[_ArrayName]:
        called = {name for name, _, _ in self.calls}
        for name, own in self.parameters.items():
            if name not in called:
                self.at_run_time.update(own)
        recursion = self.count = self.count + 1
        self.at_run_time.add(recursion)
        self.around[recursion] = 0
        for name, given, _ in self.calls:
            for parameter, (variable, is_address) in zip(self.parameters.get(name, ()), given, strict=False):
                if variable is not None and is_address:
                    self.leads_to[parameter].add(variable)
                elif variable is not None:
                    self.change(parameter, {variable}, recursion, always=False)
        for circle in list(_circles(self._parts, list(self.changes))):
            self._close(circle)
        self._judge_calls()
        self.at_run_time = self._spread(self._parts, frozenset())
        if self.is_unclear or sum(map(len, self.leads_to.values())) > _MOST_ARRAYS:
            return set(self.arrays.values())
        bad = {base for base, indices in self.uses if not self.at_run_time.isdisjoint(indices)}
        bad |= self.at_run_time.intersection(self.followed)
        pointers = reachable(bad, lambda one: self.leads_to.get(one, set()) | self.made_of.get(one, set()))
        places = {
            place for one in pointers for place in self.leads_to.get(one, ())
        }  # the arrays that these may point into
        return {self.arrays[one] for one in bad | places if one in self.arrays}

    def _parts(self, variable: int) -> set[int]:
        return self.made_of.get(variable, set()) | self.hangs_on.get(variable, set())

    def _close(self, circle: set[int]) -> None:
        """Values that are made of one another, as `i` is of `i + 1`: each pass of the loops that they change in makes others of them."""
        if ended := [one for one in circle if one in self.ends]:
            first = self.hangs_on[ended[0]]  # and with it all others
            first.update(*(self.ends[one] for one in ended), *(self.other_ends.get(one, ()) for one in circle))
            return
        changes = [(one, *change) for one in circle for change in self.changes[one]]
        begun = {
            loop for _, parts, loop, always in changes if always and parts.isdisjoint(circle)
        }  # in each of its passes
        for one, parts, inner, _ in changes:
            loop, left = 0 if parts.isdisjoint(circle) else inner, _MOST_LOOPS
            while loop and loop not in begun:
                self.hangs_on[one].add(loop)
                if not left:
                    self.at_run_time.add(one)
                    break
                loop, left = self.around[loop], left - 1

    def _judge_calls(self) -> None:
        """The result of a function of the file is known if its arguments are and nothing else goes into it."""
        results: dict[int, set[int]] = defaultdict(set)
        for name, _, target in self.calls:
            if target is not None and name in self.parameters:
                results[target] |= self.returned[name]
            elif target is not None and not _CALCULATES.fullmatch(name):
                self.at_run_time.add(target)
        given = {one for parameters in self.parameters.values() for one in parameters}
        without = self._spread(lambda one: set() if one in given else self._parts(one) | results.get(one, set()), given)
        self.at_run_time |= without & results.keys()

    def _spread(self, parts: Callable[[int], set[int]], without: AbstractSet[int]) -> set[int]:
        into: dict[int, list[int]] = defaultdict(list)
        for variable in range(1, self.count + 1):
            for part in parts(variable):
                into[part].append(variable)
        return reachable(self.at_run_time - without, lambda one: into.get(one, ()))


def at_run_time(dump: str, file_name: str) -> Spans:
    """Those that the file itself declares."""
    flow = _Flow()
    for head, statements in _functions(dump, file_name):
        lines = [line for _, line in statements if line]
        scope = _Scope(flow, (min(lines, default=0), max(lines, default=0)), _Jumps([text for text, _ in statements]))
        scope.begin(head)
        for at, (text, _) in enumerate(statements):
            scope.take(text, at)
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


class _Jumps:
    """Of one function: where labels are, with the last jump back to each, and whether another statement than `if` leaves a loop."""

    def __init__(self, statements: Sequence[str]) -> None:
        self.places: dict[str, int] = {}
        self.loops: dict[str, int] = {}
        for at, text in enumerate(statements):
            if label := _LABEL.fullmatch(text):
                self.places[label[1]] = at
            else:
                self.loops |= {label: at for label in _JUMP.findall(text) if label in self.places}
        self.leaves = any(self._left(statements))

    def _left(self, statements: Sequence[str]) -> Iterator[bool]:
        inside = list[int]()
        for at, text in enumerate(statements):
            if (label := _LABEL.fullmatch(text)) and label[1] in self.loops:
                inside.append(self.loops[label[1]])
            while inside and inside[-1] <= at:
                inside.pop()
            if inside and text.startswith(("goto ", "return", "switch ")):
                yield text.startswith("return") or self.goes_behind(inside[-1], _JUMP.findall(text))

    def goes_behind(self, place: int, labels: Iterable[str]) -> bool:
        return any(self.places.get(one, 0) > place for one in labels)


@dataclass
class _Scope:
    """The variables of one function: those of inner blocks may have the same names."""

    flow: _Flow
    lines: tuple[int, int]
    jumps: _Jumps
    blocks: list[dict[str, int]] = field(default_factory=lambda: [{}])
    # Labels that were jumped to and have not come yet; and the loops that we are in: number, label, how many labels waited at its head.
    waiting: set[str] = field(default_factory=set)
    inside: list[tuple[int, str, int]] = field(default_factory=list)
    heads: dict[str, int] = field(default_factory=dict)  # the numbers of loops by their labels
    name: str = ""

    def begin(self, head: str) -> None:
        if len(head) <= _LONGEST and (matched := _HEAD.search(head)):
            names = [one.split()[-1].strip("*&") for one in parts_of(matched["parameters"]) if one.split()]
            self.name = matched["name"]
            own = self.flow.parameters.setdefault(self.name, [])
            own += [self._declare(name) for name in names]

    def take(self, text: str, at: int) -> None:
        if len(text) > _LONGEST:
            self.flow.is_unclear = True
        elif label := _LABEL.fullmatch(text):
            self.waiting.discard(label[1])
            if label[1] in self.jumps.loops:
                self.flow.count += 1
                self.flow.around[self.flow.count] = self.inside[-1][0] if self.inside else 0
                self.inside.append((self.flow.count, label[1], len(self.waiting)))
                self.heads[label[1]] = self.flow.count
        elif text == "{":
            self.blocks.append({})
        elif text == "}":
            self.blocks = self.blocks[:-1] or [{}]
        elif declared := _DECLARED.fullmatch(text):
            number = self._declare(declared["name"])
            self.flow.arrays[number] = (declared["name"], *self.lines)
            if text.startswith("static "):
                self.flow.at_run_time.add(number)
        else:
            self._use(text)
            self._jump(text)
        while self.inside and self.jumps.loops[self.inside[-1][1]] <= at:
            self.inside.pop()

    def _jump(self, text: str) -> None:
        labels = _JUMP.findall(text)
        self.waiting.update(one for one in labels if one not in self.heads)
        for loop in [self.heads[one] for one in labels if one in self.heads]:
            if not (compared := _COMPARED.match(text)):
                self.flow.at_run_time.add(loop)
                continue
            for word in compared.groups():
                if (number := self._number(word)) is not None:
                    self.flow.made_of[loop].add(number)
                elif not word.lstrip("-").isdigit() or abs(int(word)) > _MOST_PASSES:
                    self.flow.at_run_time.add(loop)

    def _compare(self, text: str, one: str, other: str) -> None:
        counter, end = self._number(one), self._number(other)
        is_small = other.lstrip("-").isdigit() and abs(int(other)) <= _MOST_PASSES
        labels = _JUMP.findall(text)
        if counter is None or not (end is not None or is_small) or not self.inside:
            return
        if any(label in self.heads for label in labels) or self.jumps.goes_behind(
            self.jumps.loops[self.inside[-1][1]], labels
        ):
            self.flow.ends[counter].update([] if end is None else [end])
        elif self.jumps.leaves:
            self.flow.other_ends[counter].update([] if end is None else [end])

    def _change(self, variable: int, parts: set[int], *, through: bool = False) -> None:
        loop, _, waited = self.inside[-1] if self.inside else (0, "", 0)
        self.flow.change(variable, parts, loop, always=len(self.waiting) == waited, through=through)

    def _use(self, text: str) -> None:
        if _NO_USE.search(text):
            return
        flow = self.flow
        for access in _ACCESS.finditer(text):
            if (base := self._number(access["base"])) is not None:
                indices = _INDEX.findall(access["path"])
                flow.uses.append((base, tuple(filter(None, map(self._number, indices)))))
        flow.followed += filter(None, map(self._number, _FOLLOWED.findall(text)))
        flow.at_run_time.update(filter(None, map(self._number, _TAKEN.findall(text))))
        if compared := _COMPARED.match(text):
            self._compare(text, *compared.groups())
            self._compare(text, *compared.groups()[::-1])
        elif text.startswith("return "):
            flow.returned[self.name].update(filter(None, map(self._number, _WORD.findall(text[7:]))))
        elif (called := CALL.match(text)) and not NO_CALL.match(called["callee"]):
            given = [
                (self._number(one.lstrip("&").split("[")[0]), one.startswith("&")) for one in parts_of(called["rest"])
            ]
            target = self._number((_WORD.findall(called["target"] or "") or [""])[0])
            flow.calls.append((called["callee"], given, target))
            if target is not None:
                self._change(target, {one for one, _ in given if one is not None})
        elif assigned := _ASSIGNED.fullmatch(text):
            self._assign(assigned["target"], _CAST.sub("", assigned["value"]), is_part=bool(assigned["part"]))

    def _assign(self, target: str, value: str, *, is_part: bool) -> None:
        number = self._number(target)
        if number is None:
            return
        flow, names = self.flow, [self._number(one) for one in _WORD.findall(_EXPRESSION.sub("", value))]
        known = set(filter(None, names))
        if value.startswith("&"):
            flow.leads_to[number].update([] if is_part else filter(None, names[:1]))
            self._change(number, set(filter(None, names[1:])), through=is_part)
        elif None in names:
            flow.at_run_time.add(number)
        elif (held := _HELD.fullmatch(value)) and self._number(held["base"]) in flow.arrays:
            self._change(number, known, through=True)
        elif _LOADS.search(value):
            flow.at_run_time.add(number)
        else:
            self._change(number, known, through=is_part)

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
