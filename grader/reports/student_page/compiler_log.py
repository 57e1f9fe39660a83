"""The section of the compiler's log. Errors are shown in full. Warnings are folded, further down the page. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model.result import Build
from grader.reports.student_page.lab_view import LabView
from grader.reports.text import visible

_MOST_LINES = 80


@dataclass(frozen=True)
class CompilerLog:
    block: visible.Block
    failed: bool


def compiler_errors(view: LabView) -> CompilerLog | None:
    build = view.lab.build
    return None if build is None or build.ok else _log(build)


def compiler_warnings(view: LabView) -> CompilerLog | None:
    build = view.lab.build
    return _log(build) if build is not None and build.ok else None


def _log(build: Build) -> CompilerLog | None:
    log = build.log.strip("\n")
    return CompilerLog(visible.block(log, lines=_MOST_LINES), failed=not build.ok) if log.strip() else None
