"""A section of a page: a function that takes from the results what there is to show, and the template that shows it. Pure.

A template consists of macros: `show(section)` is the HTML, `style()` the rules that no other section needs, if there are any.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Subject = TypeVar("Subject")


@dataclass(frozen=True)
class Section(Generic[Subject]):
    template: str  # below templates/
    content: Callable[[Subject], object]  # None or an empty tuple: nothing to show


@dataclass(frozen=True)
class ShownSection:
    template: str
    content: object


def shown_sections(sections: Sequence[Section[Subject]], subject: Subject) -> tuple[ShownSection, ...]:
    """The sections that have something to show, in their order."""
    made = ((one.template, one.content(subject)) for one in sections)
    return tuple(ShownSection(template, content) for template, content in made if content)
