"""A finding on a page or a screen: its lines of the submission, where, which thread, which element, in which launch and cases. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Literal

from grader.model import visible_text
from grader.model.result import Case, Finding, LabResult, Launch, Site
from grader.model.verdicts import Verdict
from grader.model.visible_text import counted, index
from grader.source.lexer import closing_bracket

# The lines of a submission around a finding, with the lines of the finding marked. Pure.
#
# The text comes only from the submission's own files. A finding in another file has no excerpt.

_AROUND = 2  # lines of context on either side
_VERBS = {
    "read": "reads", "write": "writes", "atomic": "updates atomically", "barrier": "waits here", "skip": "goes past the barrier",
    "return": "returns here",
}  # fmt: skip
_NAME = re.compile(r"[A-Za-z_]\w*")
_OPENED = re.compile(r"\s*\[")

Role = Literal["", "first", "second"]


@dataclass(frozen=True)
class Fragment:
    text: str
    marked: bool


@dataclass(frozen=True)
class Note:
    """What a thread does on the line above the note."""

    role: Role
    text: str


@dataclass(frozen=True)
class Row:
    number: int
    pieces: tuple[Fragment, ...]
    role: Role = ""
    caret: str = ""  # for a terminal: spaces, and carets under the marked pieces
    notes: tuple[Note, ...] = ()
    after_gap: bool = False  # whether lines between this row and the one above are left out


def excerpt(finding: Finding, sources: Mapping[str, str], *, around: int = _AROUND) -> tuple[Row, ...]:
    """The finding's lines with the lines around them. Empty where the submission has no such line."""
    text = sources.get(finding.file or "")
    if text is None or finding.line is None:
        return ()
    lines = text.split("\n")
    if not 1 <= finding.line <= len(lines):
        return ()
    sites = _sites(finding, len(lines))
    wanted = sorted({n for line in sites for n in range(line - around, line + around + 1) if 1 <= n <= len(lines)})
    told = [at for at, number in enumerate(wanted) if number in sites or lines[number - 1].strip()]
    shown = wanted[told[0] : told[-1] + 1]  # no blank lines at either end
    gaps = {after for before, after in pairwise(shown) if after > before + 1}
    return tuple(_row(number, lines[number - 1], sites, finding, after_gap=number in gaps) for number in shown)


def _sites(finding: Finding, last: int) -> dict[int, list[tuple[Role, Site]]]:
    """What happened on each marked line: the finding itself, then the other side of a race or a divergence."""
    sites: dict[int, list[tuple[Role, Site]]] = {finding.line or 0: [("first", finding)]}
    other = finding.other
    if other and other.line and other.file in {None, finding.file} and 1 <= other.line <= last:
        sites.setdefault(other.line, []).append(("second", other))
    return sites


def _row(
    number: int, line: str, sites: dict[int, list[tuple[Role, Site]]], finding: Finding, *, after_gap: bool
) -> Row:
    text = visible_text.code(line.rstrip())
    here = sites.get(number, [])
    if not here:
        return Row(number, (Fragment(text, marked=False),), after_gap=after_gap)
    told = [span for _, site in here if (span := _told(line.rstrip(), site))]
    spans = told or _spans(text, finding.array)
    several = sum(len(each) for each in sites.values()) > 1
    notes = [Note(role, note) for role, site in here if (note := _note(site, finding, named=several))]
    under = [" "] * max((end for _, end in spans), default=0)
    for start, end in spans:
        under[start:end] = "^" * (end - start)
    return Row(number, _pieces(text, spans), here[0][0], "".join(under), tuple(notes), after_gap)


def _note(site: Site, finding: Finding, *, named: bool) -> str:
    """`thread (1,0,0) reads As[0][1]`."""
    verb = _VERBS.get(site.access or "", "")
    if not verb or site.thread is None:
        return ""
    # Where both threads are in the same block, it is stated once beside the excerpt.
    differ = site.block is not None and finding.other is not None and finding.block != finding.other.block
    whose = f" of block {index(site.block)}" if differ else ""
    what = finding.element or finding.array or ""
    what = "" if site.access in {"barrier", "skip", "return"} else f" {visible_text.line(what, 60)}"
    return f"thread {index(site.thread)}{whose} {verb}{what}" if named or what.strip() else ""


def _told(line: str, site: Site) -> tuple[int, int] | None:
    """The columns that the finding itself names, as they are shown: a tab is several blanks, a control character has a name."""
    if site.columns is None or not 0 <= site.columns[0] < site.columns[1] <= len(line):
        return None
    start, end = (len(visible_text.code(line[:at])) for at in site.columns)
    return (start, end) if start < end <= len(visible_text.code(line)) else None


def _spans(text: str, array: str | None) -> list[tuple[int, int]]:
    """Where the array is subscripted on this line. Where it is not, the line's code without its comment."""
    named = [name.span() for name in _NAME.finditer(text) if array and name.group() == array]
    if found := [(start, end) for start, at in named if (end := _subscripts(text, at)) > at]:
        return found
    start, end = len(text) - len(text.lstrip()), len(text.split("//", 1)[0].rstrip())
    return [(start, end)] if start < end else [(0, len(text))]


def _subscripts(text: str, position: int) -> int:
    """The end of the `[…]`s that follow `position`, or `position` where there are none."""
    while opened := _OPENED.match(text, position):
        closed = closing_bracket(text, opened.end() - 1, "[]")
        if closed == len(text):
            break
        position = closed + 1
    return position


def _pieces(text: str, spans: list[tuple[int, int]]) -> tuple[Fragment, ...]:
    pieces, at = [], 0
    for start, end in spans:
        if start < at:  # As[As[0]]: the outer subscript includes the inner one
            continue
        pieces += [Fragment(text[at:start], marked=False), Fragment(text[start:end], marked=True)]
        at = end
    pieces.append(Fragment(text[at:], marked=False))
    return tuple(piece for piece in pieces if piece.text)


_MOST_CASES = 4


def launch_of(finding: Finding, launches: Iterable[Launch]) -> Launch | None:
    """The first of them with this finding."""
    place = finding.kind, finding.file, finding.line
    seen = ((one, {(each.kind, each.file, each.line) for each in one.findings}) for one in launches)
    return next((one for one, places in seen if place in places), None)


def shown_launches(lab: LabResult, *, instructor: bool) -> Iterator[Launch]:
    """The launches whose shapes and values may be shown, in the order of the cases."""
    return (launch for case in lab.cases if may_show(case, instructor=instructor) for launch in case.launches)


def may_show(case: Case, *, instructor: bool) -> bool:
    """Whether shapes and values may be shown. Redaction removed them already, but pages do not rely on that."""
    return instructor or case.feedback == "full"


def launch_text(launch: Launch) -> str:
    """`M=33 N=17 K=65, grid (2,3,1), block (16,16,1)`."""
    parts = [visible_text.line(launch.shape, 80)]
    parts += [f"grid {index(launch.grid)}"] if launch.grid else []
    parts += [f"block {index(launch.block)}"] if launch.block else []
    parts += [f"{launch.shared_bytes:,} bytes of dynamic shared memory"] if launch.shared_bytes else []
    return ", ".join(parts)


def place_of(finding: Finding) -> str:
    line = f"line {finding.line:,}" if finding.line is not None else ""
    return ", ".join(filter(None, (visible_text.line(finding.file or "", 80), line)))


def facts_of(finding: Finding, lab: LabResult, *, instructor: bool) -> dict[str, str]:
    launch = launch_of(finding, shown_launches(lab, instructor=instructor))
    cases, more = finding.cases[:_MOST_CASES], len(finding.cases) - _MOST_CASES
    others = [f"and {counted(more, 'other')}"] if more > 0 else []
    known = {
        "Thread": index(finding.thread),
        "Block": index(finding.block),
        "Element": visible_text.line(finding.element or finding.array or "", 80),
        "Function": visible_text.line(finding.function or "", 120),
        "Launched": f"in line {finding.launch_line:,}" if finding.launch_line else "",
        "Shape": launch_text(launch) if launch else "",
        "Seen": f"{finding.count:,} times" if finding.count > 1 else "",
        "Confirmed by": f"compute-sanitizer ({', '.join(finding.confirmed_by)})" if finding.confirmed_by else "",
        "Cases": "; ".join([*(visible_text.line(name, 120) for name in cases), *others]),
    }
    return {term: detail for term, detail in known.items() if detail}


# A finding of two threads as two lanes: what each does and in which line, and between them what is missing. Pages draw it, and terminals
# write it.

OTHER_PASS = "does not separate them"  # noqa: S105 -- the finding's words for a race from one pass of a loop to the next
_DOES = {"read": "reads", "write": "writes", "atomic": "changes (atomic)"}


@dataclass(frozen=True)
class LaneFigure:
    names: tuple[str, str]
    deeds: tuple[str, str]
    missing: str

    @property
    def alternative(self) -> str:
        one, other = (name[:1].upper() + name[1:] for name in self.names)
        first, second = self.deeds
        return f"Two lanes. {one}: {first}. Between the lanes: {self.missing}. {other}: {second}."


def lane_figure(finding: Finding) -> LaneFigure | None:
    """None for a finding that is not of two threads, and where a thread is not known."""
    if finding.kind is Verdict.RACE:
        return _race(finding)
    return _divergence(finding) if finding.kind is Verdict.BARRIER_DIVERGENCE else None


def _race(finding: Finding) -> LaneFigure | None:
    other = finding.other
    if other is None or not (finding.thread and other.thread and {finding.access, other.access} <= _DOES.keys()):
        return None
    one_block = finding.block == other.block
    element = visible_text.line(finding.element or finding.array or "it", 24)
    barrier = "no __syncwarp() here" if "no __syncwarp() between" in finding.message else "no __syncthreads() here"
    missing = barrier if one_block else "nothing orders two blocks"
    if one_block and finding.line == other.line:
        missing = "nothing says which comes first"
    sites: list[Site] = [finding, other]
    again = ""
    if one_block:
        sites.sort(key=lambda site: site.line or 0)
    if OTHER_PASS in finding.message:  # what stands last comes first, and what stands first follows in the next pass
        sites.reverse()
        missing, again = "no __syncthreads() before the next pass", ", next pass"
    first, second = sites
    names = _name(first, one_block=one_block), _name(second, one_block=one_block)
    return LaneFigure(names, (_deed(first, element), _deed(second, element) + again), missing)


def _divergence(finding: Finding) -> LaneFigure | None:
    other = finding.other
    if finding.thread is None or finding.line is None or finding.access != "barrier":
        return None
    theirs, do = "other threads of the block", "went past it"
    if other is not None and other.access == "barrier" and other.line is not None:
        theirs = _name(other, one_block=True) if other.thread else theirs
        do = f"line {other.line}: waits at another barrier"
    deeds = f"line {finding.line}: waits at the barrier", do
    return LaneFigure((_name(finding, one_block=True), theirs), deeds, "not every thread of the block comes here")


def _name(site: Site, *, one_block: bool) -> str:
    thread = f"thread {index(site.thread)}" if site.thread else ""
    return thread if one_block or not site.block else f"block {index(site.block)} {thread}"


def _deed(site: Site, element: str) -> str:
    where = f"line {site.line}: " if site.line is not None else ""
    return f"{where}{_DOES[site.access or '']} {element}"


# The lines that a student should look at first, in words. What was changed in them is for the instructor. Pure.

_TOKEN = re.compile(r"\w+(?:\.\w+)*|[<>=!+\-*/%&|^]+|\S")
_MOST_TOKENS = 8  # of a change that is told in tokens; a longer one is told in lines


def suspect_sentence(lab: LabResult) -> str:
    """Empty: nothing was found with public tests, nothing was looked for, or a cause names its own line."""
    shown = [one for one in lab.suspects if one.public]
    if not shown or any(cause.line for cause in lab.causes):
        return ""
    places = " or ".join(line_numbers(one.lines) for one in shown)
    return f"{places}. One small change there is enough: it alone makes every public test right."


def suspect_changes(lab: LabResult) -> list[str]:
    """For the instructor: each change, and what passes with it."""
    found = []
    for one in sorted((one for one in lab.suspects if one.before), key=lambda one: not one.every):
        if one.every:
            passes = "every case passes" if one.public else "every case passes; no public case shows the mistake"
        else:
            passes = "every public case passes (hidden ones were not tried, or fail)"
        before, after = (" ".join(text.split()) for text in (one.before, one.after))
        words = f"{line_numbers(one.lines)}: {_words(before, after)} {passes}. `{before}` → `{after}`"
        found.append(visible_text.line(words, 600))
    return found


def _words(before: str, after: str) -> str:
    """`with X in place of Y`, from the first token that differs to the last."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    changed = [one for one in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if one[0] != "equal"]
    if not changed:
        return "with that change"
    first, last = changed[0], changed[-1]
    was, becomes = old[first[1] : last[2]], new[first[3] : last[4]]
    if max(len(was), len(becomes)) > _MOST_TOKENS:
        return "with that change"
    if not becomes:
        return f"without `{_joined(was)}`"
    return f"with `{_joined(becomes)}` in place of `{_joined(was)}`" if was else f"with `{_joined(becomes)}` added"


def _joined(tokens: Sequence[str]) -> str:
    return re.sub(
        r"\s*([\[\]();,.])\s*", lambda sign: f"{sign[1]} " if sign[1] in ";," else sign[1], " ".join(tokens)
    ).strip()


def line_numbers(lines: Iterable[int | None]) -> str:
    """`line 20`, or `lines 20 and 24`."""
    words = [f"{one:,}" for one in sorted({one for one in lines if one is not None})]
    several = ", ".join(words[:-1]) + " and " + words[-1] if len(words) > 1 else "".join(words)
    return f"line{'s' if len(words) > 1 else ''} {several}"
