"""What may hang on Tilelab without being a part of it: the interfaces of plugins, and the registry that finds them.

`grader/plugins/__init__.py` lists the packages. Each has PLUGINS: what it adds, of the kinds below. Nothing else imports them by name. What
a plugin does is named as `loaded` takes it.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:  # a student waits for `tilelab test` many times a day
    from grader.model.graded_class import ClassInsight
    from grader.model.result import Result
    from grader.run.scoring.redaction import RedactedClass

_Kind = TypeVar("_Kind")


@cache
def registered(kind: type[_Kind]) -> tuple[_Kind, ...]:
    """All plugins of a kind, in the order of the list."""
    packages: Sequence[str] = importlib.import_module("grader.plugins").PACKAGES
    modules = [importlib.import_module(f"grader.plugins.{name}") for name in packages]
    return tuple(one for module in modules for one in module.PLUGINS if isinstance(one, kind))


def loaded(target: str) -> Callable[..., Any]:
    """The function `module:function`, imported only now: a student waits for `tilelab test` many times a day."""
    module, _, function = target.partition(":")
    return cast("Callable[..., Any]", getattr(importlib.import_module(module), function))


def docstring(target: str) -> str:
    """That function's, of which nothing is imported: a list of commands needs a line of each."""
    module, _, function = target.partition(":")
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    found = ast.walk(ast.parse(Path(spec.origin).read_text(encoding="utf-8")))
    return next(
        ast.get_docstring(one) or "" for one in found if isinstance(one, ast.FunctionDef) and one.name == function
    )


@dataclass(frozen=True)
class Command:
    """A command of `tilelab`: a function with typer's annotations that returns the exit status."""

    name: str
    does: str
    hidden: bool = False
    passes_words_on: bool = False  # what follows its argument is for another program


# A format of grades that other programs read. It is made from redacted results alone, so that it can tell no student of a hidden case.


@dataclass(frozen=True)
class Grades:
    """What an export is made from."""

    graded: RedactedClass
    assignment: str  # what the platform calls it: the heading of its column
    at: str = ""  # when they were exported: ISO 8601 in UTC, with milliseconds
    # By a student's id: the page that may be given back; None: there is none.
    page: Callable[[str], bytes | None] = lambda _: None

    @property
    def results(self) -> tuple[Result, ...]:
        return self.graded.results

    @property
    def max(self) -> float:
        """The same for everybody."""
        return self.results[0].max if self.results else 0.0


@dataclass(frozen=True)
class Made:
    """What an export holds, and what the instructor has to know before an import."""

    contents: str | bytes | Mapping[str, str | bytes]  # of its file; of several files, by path in OUT
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Export:
    """`render` makes what `file` holds, with notices or without, or all files of several."""

    name: str  # as in `--export NAME`
    file: str  # in OUT; of an export of several files, the folder or the name with a *
    help: str  # one line
    render: Callable[[Grades], str | Made]
    always: bool = False  # whether a class is never graded without it

    def made(self, grades: Grades) -> tuple[Mapping[str, str | bytes], tuple[str, ...]]:
        """The files, by path in OUT, and the notices."""
        found = self.render(grades)
        made = Made(found) if isinstance(found, str) else found
        files = made.contents if isinstance(made.contents, Mapping) else {self.file: made.contents}
        return files, made.notices


def export_help() -> str:
    """One line: each format's name and what it holds."""
    return "; ".join(f"{one.name}: {one.file}, {one.help}" for one in registered(Export))


# What is added to a graded class before its pages are written.


@dataclass(frozen=True)
class File:
    """A file to be written, and what makes its text."""

    path: Path
    make: Callable[[], str | bytes]
    inputs: str = ""  # a digest of all that it is made from; empty: it is made each time
    mode: int = 0o600  # grades are nobody else's on this machine


@dataclass(frozen=True)
class Added:
    results: tuple[Result, ...]
    files: tuple[File, ...] = ()  # the first is what the plugin is for; empty: nothing in this batch asks for it
    notices: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()  # what broke on our side
    insight: ClassInsight | None = None  # of the class as a whole

    def with_more(self, other: Added) -> Added:
        return Added(
            other.results,
            (*self.files, *other.files),
            (*self.notices, *other.notices),
            (*self.faults, *other.faults),
            other.insight or self.insight,
        )


@dataclass(frozen=True)
class ClassAddition:
    name: str
    file: str  # that it writes into OUT
    # Makes an Added of results, each student's files by their names, labs, and OUT. Costs nobody a grade, whatever breaks.
    adds: str


@dataclass(frozen=True)
class OtherMachines:
    """Machines that judge a class in place of this one."""

    name: str
    options: type[Any]  # of `tilelab grade`: a dataclass with typer's annotations
    asked: Callable[[Any], bool]  # whether they judge. Raises RemediableError for options that do not fit
    opens: str  # makes an Elsewhere of the options, JudgingOptions, a JudgingSetup, OUT and the course's root
