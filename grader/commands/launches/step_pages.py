"""Writes the page that steps through a block, and the pages of its mistakes beside it. Other files are never replaced or taken away."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from grader.machine.atomic_file import write_atomically
from grader.machine.own_page import is_foreign
from grader.machine.page_opener import open_page
from grader.reports.pages import trace_page
from grader.single_launch.lab_launch import LaunchRefusedError
from grader.step_page.story import Story
from grader.stories.told_story import ToldStory

_STORIES = {  # beside the page: the end of its name, and what it is
    "race": "both orders of the race",
    "blocks": "two blocks that race, in both orders",
    "barrier": "who waits where",
    "lanes": "who reads from whom",
    "unset": "who should have written it",
    "outside": "where the address lies",
    "sum": "the sum in a wrong element",
    "copy": "where a wrong element comes from",
    "untouched": "what no thread reads or writes",
}


def write_stories(page: Path, races: Mapping[str, Story | None], told: Sequence[ToldStory], *, asks: bool) -> None:
    """`page`: the page that they stand beside. `races`: "race" within a block, "blocks" between two. `asks`: with their questions."""
    stories: dict[str, Story | None] = {**races, **{one.kind: one.story for one in told}}
    for kind, words in _STORIES.items():
        story = stories.get(kind)
        shown = story if story is None or asks else replace(story, questions=())
        _write_beside(shown, page.with_name(f"{page.stem}-{kind}{page.suffix}"), words)


def _write_beside(story: Story | None, file: Path, words: str) -> None:
    """A page whose name was not asked for. It replaces, and is taken away, only where an earlier run has made it."""
    if is_foreign(file):
        if story is not None:
            sys.stderr.write(
                f"{words}: not written, because {file} is no page of Tilelab's; name another file with --page\n"
            )
        return
    write_page(story, file, words, show=False)


def write_page(story: Story | None, file: Path, words: str, *, show: bool) -> None:
    """Writes nothing where there is no story, and takes away what an earlier one left there."""
    try:
        if story is None:
            file.unlink(missing_ok=True)
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, trace_page(story))
    except OSError as error:
        message = f"{file} cannot be written ({error.strerror}); name another file with --page"
        raise LaunchRefusedError(message) from error
    sys.stdout.flush()
    sys.stderr.write(f"{words}: {file}\n")
    if show and sys.stdout.isatty() and not open_page(file, os.environ):
        sys.stderr.write("No browser could be started: open that file in a browser yourself.\n")
