"""What the sections of the class page are made from: the results, and what the batch knows of the class as a whole. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote

from grader.model import visible_text
from grader.model.graded_class import NOTHING_KNOWN, ClassInsight
from grader.model.result import LabResult, Result
from grader.model.verdicts import LOOKS, Verdict, VerdictFacts
from grader.pages.page_section import Shown


@dataclass(frozen=True)
class ClassView:
    results: Sequence[Result]
    insight: ClassInsight = NOTHING_KNOWN

    @cached_property
    def handed_in(self) -> tuple[Result, ...]:
        """Without those whom only the roster knows."""
        return tuple(result for result in self.results if result.submission.handed_in)

    @cached_property
    def by_id(self) -> Mapping[str, Result]:
        return {result.submission.id: result for result in self.results}

    @cached_property
    def by_lab(self) -> Mapping[str, Sequence[tuple[Result, LabResult]]]:
        """What each student has of each lab."""
        found: dict[str, list[tuple[Result, LabResult]]] = {}
        for result in self.results:
            for lab_id, lab in result.labs.items():
                found.setdefault(lab_id, []).append((result, lab))
        return found

    @cached_property
    def labs(self) -> Mapping[str, LabResult]:
        """Each lab as its first student has it: for titles and maxima."""
        return {lab_id: each[0][1] for lab_id, each in self.by_lab.items()}

    @cached_property
    def looks(self) -> Sequence[VerdictFacts]:
        """What there is of them, in the order of the verdicts."""
        seen = {lab.look for each in self.by_lab.values() for _, lab in each}
        return [one for one in LOOKS if one in seen]

    def title(self, lab_id: str) -> str:
        return self.labs[lab_id].title if lab_id in self.labs else lab_id

    @cached_property
    def sections(self) -> tuple[str, ...]:
        """The course's sections by name; empty where the roster names none."""
        return tuple(sorted({one for result in self.results if (one := result.submission.student.section)}))


def brought_nothing(result: Result) -> bool:
    """Whether there is no upload, or none of a lab's files in it."""
    if not result.submission.handed_in:
        return True
    return result.submission.refused is None and all(
        lab.verdict is Verdict.MISSING_FILE for lab in result.labs.values()
    )


def is_open(result: Result) -> str:
    """Why the total may still change; empty where it does not."""
    verdicts = {lab.verdict for lab in result.labs.values()}
    if Verdict.INTERNAL_ERROR in verdicts:
        return "the grader failed on a lab"
    return "a lab is still to be graded on a GPU" if Verdict.NEEDS_GPU in verdicts else ""


def report_link(result: Result) -> str:
    """The link relative to the class page. The id is quoted as a whole, so it can neither leave its folder nor name a scheme."""
    return f"students/{_quoted(result)}/report.html"


def full_link(result: Result) -> str:
    """The same to the instructor's page."""
    return f"instructor/{_quoted(result)}.html"


def _quoted(result: Result) -> str:
    return quote(result.submission.id, safe="", errors="replace")


Said = tuple[Result, str]  # a student, and what there is to say


def group(
    title: str, remedy: str, found: Iterable[Said], *, most: int, few: int, letters: int = 240, **more: object
) -> Shown:
    """Students of whom the same is to be said. A list longer than `few` is folded, and one longer than `most` is cut."""
    told = ((one.submission, report_link(one), visible_text.line(detail, letters)) for one, detail in found)
    of = [
        Shown(name=visible_text.person(who), link=link, detail=detail, section=who.student.section)
        for who, link, detail in told
    ]
    shown = {"title": title, "remedy": remedy, "entries": of[:most], "count": len(of), "more": max(0, len(of) - most)}
    return Shown(**{**shown, "unfolded": len(of) <= few, "look": None, "tone": "", "anchor": "", **more})


def people(view: ClassView, students: Sequence[str], most: int, link: Callable[[Result], str] = full_link) -> Shown:
    """Names with links, of those whom the class holds."""
    known = [view.by_id[one] for one in students if one in view.by_id]
    names = [(visible_text.person(one.submission, 60), link(one)) for one in known[:most]]
    return Shown(names=names, more=max(0, len(known) - most))
