"""A section of a page: a function that takes what it shows from the results, and a template that shows it. Pure.

The template consists of macros. `show(section)` writes the HTML. `style()` writes the section's own style rules, if it has any.
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
