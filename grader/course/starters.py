"""Makes the starters in `assignments/` from the model solutions in `solutions/`. Checks that they are current and contain nothing
secret. `starter_of` is pure.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from grader.course import question_pages
from grader.course.diagnostic import Diagnostic
from grader.course.leaks import leaks, secrets_of
from grader.course.markers import Line, MarkerError, Region, cut
from grader.course.unmarked import unmarked

# In a PROMPT, `//> code` becomes `code` in the starter: the starter needs it to compile, and the solution does not.
_CODE = re.compile(r"^(\s*)//>(?: |$)")


def starter_of(text: str, name: str) -> str:
    """The starter: `text` without its SOLUTION regions. Raises MarkerError with `name` and the line."""
    return _starter(cut(text, name))


def _starter(lines: list[Line]) -> str:
    kept: list[str] = []
    for line in lines:
        if line.region is Region.SOLUTION:
            continue
        text = _CODE.sub(r"\1", line.text) if line.region is Region.PROMPT else line.text
        if not text.strip() and (not kept or not kept[-1]):
            continue  # a removed region leaves one blank line, not two
        kept.append(text.rstrip())
    return "\n".join(kept).rstrip("\n") + "\n"


def _sources(root: Path) -> list[Path]:
    """The model solutions. A lab's rejects are not among them: they lie one folder deeper."""
    return sorted((root / "solutions").glob("*/*.cu"))


def _below(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()


def _target(root: Path, source: Path) -> Path:
    return root / "assignments" / source.parent.name / source.name


def write(root: Path) -> list[Path]:
    """Writes every starter that is missing or stale, and returns these. Raises MarkerError before it writes anything."""
    wanted = {
        _target(root, source): starter_of(source.read_text(encoding="utf-8"), _below(root, source))
        for source in _sources(root)
    }
    written: list[Path] = []
    for target, text in wanted.items():
        if not target.is_file() or target.read_text(encoding="utf-8") != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
            written.append(target)
    return written


def stale(root: Path) -> list[Diagnostic]:
    """What is wrong with the starters and write-ups of the course at `root`. Empty: nothing."""
    return [*outdated(root), *question_pages.outdated(root), *leaked_solutions(root)]


def outdated(root: Path) -> list[Diagnostic]:
    """Broken markers, starters that are missing or differ from what their solution gives, and starters without a solution."""
    diagnostics: list[Diagnostic] = []
    for source in _sources(root):
        name = _below(root, source)
        try:
            diagnostics += _outdated(root, source, cut(source.read_text(encoding="utf-8"), name))
        except MarkerError as error:
            diagnostics.append(Diagnostic(error.name, error.line, error.reason))
    targets = {_target(root, source) for source in _sources(root)}
    strays = [path for path in sorted((root / "assignments").glob("*/*.cu")) if path not in targets]
    return diagnostics + [
        Diagnostic(_below(root, path), None, "there is no model solution with this name; remove the file")
        for path in strays
    ]


def leaked_solutions(root: Path) -> list[Diagnostic]:
    """Code of a solution that is outside its markers, and pieces of a solution in a starter or a write-up."""
    diagnostics: list[Diagnostic] = []
    solutions: dict[str, list[list[Line]]] = {}
    for source in _sources(root):
        name = _below(root, source)
        with suppress(MarkerError):  # `outdated` reports it
            lines = cut(source.read_text(encoding="utf-8"), name)
            solutions.setdefault(source.parent.name, []).append(lines)
            diagnostics += _unmarked(name, lines)
    secrets = secrets_of(solutions)
    for path in sorted([*(root / "assignments").glob("*/*.cu"), *(root / "assignments").glob("*/*.md")]):
        diagnostics += [
            Diagnostic(_below(root, path), leak.line, f"gives a solution away: {leak.text}")
            for leak in leaks(path.read_text(encoding="utf-8"), secrets.for_lab(path.parent.name))
        ]
    return diagnostics


def _unmarked(name: str, lines: list[Line]) -> list[Diagnostic]:
    if all(line.region is not Region.SOLUTION for line in lines):
        return [Diagnostic(name, None, "there is no SOLUTION region, so the starter would be the whole solution")]
    hint = (
        "this is outside all markers, so students get it; put it into a PROMPT, or mark it as GIVEN, if you want that"
    )
    return [Diagnostic(name, line.number, f"{hint}: {line.text.strip()}") for line in unmarked(lines)]


def _outdated(root: Path, source: Path, lines: list[Line]) -> list[Diagnostic]:
    target = _target(root, source)
    if not target.is_file():
        return [Diagnostic(_below(root, target), None, "missing; run `tilelab starters`")]
    if target.read_text(encoding="utf-8") != _starter(lines):
        return [
            Diagnostic(
                _below(root, target), None, f"differs from what {_below(root, source)} gives; run `tilelab starters`"
            )
        ]
    return []
