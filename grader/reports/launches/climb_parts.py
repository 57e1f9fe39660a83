"""Where a kernel stands on its lab's climb, for a terminal: what binds it by prediction, and the next step. Pure; no measurement."""

from __future__ import annotations

from collections.abc import Iterator

from grader.model.result import Outlook
from grader.reports.launches.climb_words import binding_words, prediction_words, step_words
from grader.reports.launches.trace_tables import Heading, Part, Sentence, Table


def climb_parts(found: Outlook) -> Iterator[Part]:
    yield Heading("The next step")
    for step in step_words(found):
        yield Sentence(step)
    yield Sentence(binding_words(found))
    yield Sentence(prediction_words(found))
    rows = tuple((term.name, f"{term.milliseconds:.3g}") for term in found.terms)
    yield Table(("predicted, the longest binds", "milliseconds"), rows, frozenset({1}))
