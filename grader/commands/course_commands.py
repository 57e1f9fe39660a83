"""`tilelab starters`, `handouts` and `new-lab`: what an instructor makes from the course's files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

# ruff: noqa: PLC0415 -- what one command alone needs is imported in it
from rich.console import Console

from grader.model.course_root import course_root, load_labs
from grader.model.labs import LabError

_NOT_PASSED = 1


def make_starters(*, check: bool) -> int:
    """`tilelab starters`."""
    from grader.course import question_pages, starters
    from grader.course.markers import MarkerError

    console = Console(highlight=False)
    root = course_root(Path.cwd())
    if check:
        diagnostics = starters.stale(root)
        for one in diagnostics:
            console.print(str(one), markup=False, soft_wrap=True)
        return _NOT_PASSED if diagnostics else 0
    try:
        written = [*starters.write(root), *question_pages.write(root)]
    except MarkerError as error:
        raise LabError(str(error)) from error
    for path in written:
        console.print(f"wrote {path}", markup=False, soft_wrap=True)
    return 0


def make_handouts(out: Path, lab_ids: Sequence[str], *, accept: bool) -> int:
    """`tilelab handouts`."""
    from grader.course.handouts import LISTING, diagnostics, handout, listing, write

    console = Console(highlight=False)
    root = course_root(Path.cwd())
    labs = load_labs(root, lab_ids)
    made = handout(root, labs)
    if accept:
        (root / LISTING).write_text(listing(made), encoding="utf-8")
    if broken := diagnostics(root, labs, made):
        for one in broken:
            console.print(str(one), markup=False, soft_wrap=True)
        console.print("nothing was written", style="red")
        return _NOT_PASSED
    target = write(made, root / out)
    console.print(f"{target}\n{made.manifest}", markup=False, soft_wrap=True)
    return 0


def make_lab(lab_id: str, *, problem: str | None, kernel: str | None, title: str | None) -> int:
    """`tilelab new-lab`."""
    from grader.course.new_lab import files_of, next_steps, with_defaults, write_lab

    root = course_root(Path.cwd())
    new = with_defaults(lab_id, title=title, problem=problem, kernel=kernel)
    files = files_of(root, new)
    write_lab(root, files)
    said = "".join(f"wrote {path}\n" for path in files) + "\n" + next_steps(new)
    Console(highlight=False).print(said, markup=False, soft_wrap=True, end="")
    return 0
