"""What the card of a finding says: where, which thread, which element, in which launch and cases. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from grader.model import visible_text
from grader.model.result import Case, Finding, LabResult, Launch, Site, Suspect
from grader.model.verdicts import Verdict
from grader.model.visible_text import counted, index

_MOST_CASES = 4


def launch_of(finding: Finding, launches: Iterable[Launch]) -> Launch | None:
    """The first of them with this finding."""
    place = finding.kind, finding.file, finding.line
    return next(
        (one for one in launches if place in {(seen.kind, seen.file, seen.line) for seen in one.findings}), None
    )


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
    known = {
        "Thread": index(finding.thread),
        "Block": index(finding.block),
        "Element": visible_text.line(finding.element or finding.array or "", 80),
        "Function": visible_text.line(finding.function or "", 120),
        "Launched": f"in line {finding.launch_line:,}" if finding.launch_line else "",
        "Shape": launch_text(launch) if launch else "",
        "Seen": f"{finding.count:,} times" if finding.count > 1 else "",
        "Confirmed by": f"compute-sanitizer ({', '.join(finding.confirmed_by)})" if finding.confirmed_by else "",
        "Cases": _cases(finding.cases),
    }
    return {term: detail for term, detail in known.items() if detail}


def _cases(names: tuple[str, ...]) -> str:
    shown = "; ".join(visible_text.line(name, 120) for name in names[:_MOST_CASES])
    more = len(names) - _MOST_CASES
    return f"{shown}; and {counted(more, 'other')}" if more > 0 else shown


# A finding of two threads as two lanes: what each does and in which line, and between them what is missing. Pure.
#
# It shows nothing that the finding does not say. Pages draw it, and terminals write it.

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
    missing = "no __syncthreads() here" if one_block else "nothing orders two blocks"
    if one_block and finding.line == other.line:
        missing = "nothing says which comes first"
    names = _name(finding, one_block=one_block), _name(other, one_block=one_block)
    return LaneFigure(names, (_deed(finding, element), _deed(other, element)), missing)


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
_COLUMNS = 600


def suspect_sentence(lab: LabResult) -> str:
    """Empty: nothing was found with public tests, nothing was looked for, or a cause names its own line."""
    shown = [one for one in lab.suspects if one.public]
    if not shown or any(cause.line for cause in lab.causes):
        return ""
    places = " or ".join(line_numbers(one.lines) for one in shown)
    every = "either makes" if len(shown) > 1 else "that change alone makes"
    return f"Look at {places}: one small change is enough there, and {every} every public test right."


def suspect_changes(lab: LabResult) -> list[str]:
    """For the instructor: each change, and what passes with it."""
    ordered = sorted(lab.suspects, key=lambda one: not one.every)
    return [visible_text.line(_change(one), _COLUMNS) for one in ordered if one.before]


def _change(one: Suspect) -> str:
    if one.every:
        passes = "every case passes" if one.public else "every case passes; no public case shows the mistake"
    else:
        passes = "every public case passes (hidden ones were not tried, or fail)"
    before, after = (" ".join(text.split()) for text in (one.before, one.after))
    return f"{line_numbers(one.lines)}: {_words(before, after)} {passes}. `{before}` → `{after}`"


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
