"""Notes on local variables of a checked file to which something is added, and which nothing sets. A run does not show them: they have
some value.

A variable is named where text and compiler agree: no statement of the text sets it, and the compiler warns of it. It is a note and no
error, because the launch may never come there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from grader.engines.causes.unset_values import never_set
from grader.engines.compiler_words.compiler_message import diagnostics
from grader.engines.cpu.build_steps import BuildSteps
from grader.engines.student_text.student_code import StudentCode
from grader.machine.toolset import Toolset
from grader.model.result import Finding
from grader.model.verdicts import Verdict

_WARNED = re.compile(r"'(\w+)' (?:is|may be) (?:used )?uninitialized")


def unset_locals(toolset: Toolset, built: Path, folder: Path) -> Iterator[Finding]:
    """`built`: the text as it was built; `folder`: where its headers lie. The compiler is asked only where the text has such a variable."""
    code = StudentCode(built.read_text(encoding="utf-8", errors="replace"))
    likely = list(never_set(code))
    if not likely:
        return
    steps = BuildSteps(toolset.toolchain, toolset.confinement, folder, built.name)
    steps.run(toolset.toolchain.warn(built.name, "warned.o"))
    found = diagnostics("\n".join(steps.log), built.name, code.lines)
    warned = {name for one in found if one.severity == "warning" for name in _WARNED.findall(one.text)}
    for said in likely:
        if code.line(said.place.line)[said.place.start : said.place.end] in warned:
            yield Finding(
                kind=Verdict.UNINITIALIZED_READ,
                severity="note",
                message=said.message,
                advice=said.advice,
                file=built.name,
                line=said.place.line,
                columns=said.place.columns,
            )
