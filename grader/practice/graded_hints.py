"""Hints for a lab that fails, from a question to the place in the write-up, one more each time. They are taken from what the lab's
files and its findings say to students; no solution is read. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.model.outcomes.advice import question_for
from grader.model.result import LabResult
from grader.model.verdicts import Verdict
from grader.reports.findings.lab_summary import explanations
from grader.reports.screens.checklist import Tried
from grader.reports.text import visible

_HEADING = re.compile(r"^#{2,4} +(.+?)\s*$", re.MULTILINE)
_LIST = re.compile(r"^(?:[-*|>]|\d+\.|```|!\[|<)")
_LONGEST = 600
_NO_HELP = frozenset({"how it is graded", "questions", "what you will learn"})
# Words of a write-up about each mistake, the most telling first.
_WORDS: dict[Verdict, tuple[str, ...]] = {
    Verdict.RACE: ("__syncthreads", "barrier", "atomic", "overwrit"),
    Verdict.BARRIER_DIVERGENCE: ("every thread", "__syncthreads", "barrier"),
    Verdict.OUT_OF_BOUNDS: ("stick out", "outside", "edge", "exist", "past the end"),
    Verdict.UNINITIALIZED_READ: ("zero", "never written", "does not hold", "__syncthreads"),
    Verdict.WRONG_ANSWER: ("row-major", "index", "r·w", "sum"),
    Verdict.LAUNCH_ERROR: ("round up", "grid", "blocks"),
    Verdict.MISSING_ENTRY_POINT: ("keep their names", "you write"),
    Verdict.COMPILE_ERROR: ("you write", "edit"),
    Verdict.TIMEOUT: ("barrier", "loop"),
    Verdict.INPUT_MODIFIED: ("write every", "read none", "stores"),
}


def graded_hints(tried: Tried, write_up: str) -> list[str]:
    """From the most general to the most exact; none for a lab that passes. `write_up`: the text of the lab's README.md."""
    if tried.passed:
        return []
    return list(dict.fromkeys(one for one in _hints(tried, write_up) if one))


def _hints(tried: Tried, write_up: str) -> Iterator[str]:
    lab = tried.result
    error = next((one for one in lab.findings if one.severity == "error"), None)
    if not tried.starting:
        if error is not None and lab.ran:
            yield question_for(error)
        failed = [case for case in lab.cases if not case.passed]
        yield from (visible.line(case.advice, _LONGEST) for case in failed[:2])
        yield from (f"Seen in the result: {visible.line(one.sentence, _LONGEST)}" for one in explanations(lab)[:1])
    yield from _of_write_up(lab, write_up, starting=tried.starting)


def _of_write_up(lab: LabResult, write_up: str, *, starting: bool) -> Iterator[str]:
    """Which section to read, and then its sentence."""
    words = ("edit", "you write") if starting else _WORDS.get(lab.verdict, ())
    for word in words:
        for heading, text in _sections(write_up):
            paragraph = next((one for one in _paragraphs(text) if word in one.casefold()), "")
            if paragraph and heading.casefold() not in _NO_HELP:
                yield f"Read again in README.md: “{visible.line(_plain(heading), 120)}”."
                yield visible.line(_plain(paragraph), _LONGEST)
                return


def _sections(write_up: str) -> Iterator[tuple[str, str]]:
    found = list(_HEADING.finditer(write_up))
    ends = [*(one.start() for one in found[1:]), len(write_up)]
    for heading, end in zip(found, ends, strict=False):
        yield heading[1], write_up[heading.end() : end]


def _paragraphs(text: str) -> Iterator[str]:
    """Prose alone: no code, tables, pictures. The points of a list count one by one."""
    outside = "".join(text.split("```")[::2])
    for block in re.split(r"\n\s*\n|\n(?=- |\d+\. )", outside):
        line = " ".join(block.split())
        if re.match(r"- |\d+\. ", line):
            yield line.partition(" ")[2]
        elif line and not _LIST.match(line):
            yield line


def _plain(markdown: str) -> str:
    """Without the signs of Markdown."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    return re.sub(r"\*\*|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)|`", "", text)
