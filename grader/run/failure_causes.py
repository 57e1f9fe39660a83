"""Why a case that a student sees in full may have failed, from the submission's own text: the launch function's arithmetic, arrays that
are not shared, and what the compiler warns of. Said beside the failure; no verdict, point or other case depends on it.

Cases that withhold anything add nothing: what is told here may not depend on them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from grader.engines.build_steps import BuildSteps
from grader.engines.entry_points import name_of
from grader.engines.refusal import Refusal
from grader.engines.toolset import Toolset
from grader.model.advice import advice_for
from grader.model.labs import Lab
from grader.model.outcome import JudgedCase
from grader.model.result import Finding, Launch
from grader.model.verdicts import Verdict
from grader.source.compiler_message import Diagnostic, Said, diagnostics
from grader.source.kernel_causes import ADVICE as UNSET_ADVICE
from grader.source.kernel_causes import (
    bare_declarations,
    dynamic_without_bytes,
    endless_loops,
    forgotten_shared,
    larger_than_the_block,
    never_set,
    one_too_many,
    pointers_without_memory,
    shared_places,
    unused_indices,
)
from grader.source.launch_causes import Started, launch_causes
from grader.source.student_code import Span, StudentCode
from grader.source.warning_sentences import explaining

MOST = 2
_SILENT = frozenset({Verdict.PASS, Verdict.INTERNAL_ERROR, Verdict.NEEDS_GPU})
_WITHOUT_MEMORY = frozenset(
    {Verdict.CRASH, Verdict.OUT_OF_BOUNDS, Verdict.UNINITIALIZED_READ, Verdict.WRONG_ANSWER, Verdict.MISALIGNED}
)
_OF_INDICES = frozenset({Verdict.WRONG_ANSWER, Verdict.RACE, Verdict.OUT_OF_BOUNDS})
_UNSET_FLOAT = -1.6947e38  # the executor fills what nobody has set with the byte 0xfe
_OF_VALUES = frozenset({Verdict.WRONG_ANSWER, Verdict.UNINITIALIZED_READ})
# Told well by their own findings: most of them are not worth another compilation.
_TOLD = frozenset({Verdict.MISALIGNED, Verdict.INPUT_MODIFIED})
_SIZE = re.compile(r"\w+=(\d+)")


def failure_causes(
    toolset: Toolset, lab: Lab, text: str, folder: Path, cases: Sequence[JudgedCase]
) -> tuple[Finding, ...]:
    """At most `MOST`, the likeliest first. `folder`: where the submission was built; its warnings are asked for there."""
    whole = {case.name for case in lab.cases if case.feedback == "full"}
    failed = [one for case in cases if case.name in whole for one in case.launches if one.verdict not in _SILENT]
    if not failed:
        return ()
    code = StudentCode(text)
    verdict = failed[0].verdict
    of_launches = list(_of_launches(lab, code, failed))
    said = of_launches
    if verdict is not Verdict.LAUNCH_ERROR or not said:
        warnings = compiler_warnings(toolset, lab.public.file, code, folder) if verdict not in _TOLD else []
        sure = explaining(warnings, code, sure=True)
        said = [*_of_arrays(lab, code, failed), *_of_returns(failed), *_of_tiles(code, failed), *sure, *of_launches]
        endless = [one.line for each in failed for one in each.findings if one.kind is Verdict.TIMEOUT and one.line]
        said += endless_loops(code, endless[0]) if endless else ()
        outside = [one for each in failed for one in each.findings if one.kind is Verdict.OUT_OF_BOUNDS and one.line]
        said += one_too_many(code, outside[0].line or 0, outside[0].array or "") if outside else ()
        said += [*_of_indices(lab, code, failed), *explaining(warnings, code, sure=False)]
        said += [] if said else _of_unset_sums(code, failed)
    first = {one.place.line: one for one in reversed(said)}
    kept = [one for one in said if first[one.place.line] is one][:MOST]
    return tuple(note_of(one, verdict, lab.public.file, code) for one in kept)


def _of_launches(lab: Lab, code: StudentCode, failed: Iterable[Launch]) -> Iterator[Said]:
    for launch in failed:
        if launch.grid is None or launch.block is None:
            continue
        sizes = tuple(int(size) for size in _SIZE.findall(launch.shape))
        wrong = launch.mismatch
        output = (wrong.rows, wrong.columns) if wrong else None
        unwritten = wrong.unwritten if wrong and wrong.unwritten == wrong.wrong else 0
        started = Started(sizes, launch.grid, launch.block, launch.shared_bytes, output, unwritten)
        if found := list(launch_causes(code, name_of(lab.public.launch), started)):
            yield from found
            return


def _of_arrays(lab: Lab, code: StudentCode, failed: Sequence[Launch]) -> Iterator[Said]:
    verdicts = {launch.verdict for launch in failed}
    if verdicts & _OF_VALUES:
        yield from forgotten_shared(code)
    if verdicts & _WITHOUT_MEMORY:
        yield from pointers_without_memory(code)
        yield from dynamic_without_bytes(code, failed[0].shared_bytes, name_of(lab.public.launch))


def _of_returns(failed: Sequence[Launch]) -> Iterator[Said]:
    """A thread that left early, where somebody misses what it should have stored: its `return`."""
    missed = [one for one in failed if any(finding.kind is Verdict.UNINITIALIZED_READ for finding in one.findings)]
    notes = [note for one in missed for note in one.findings if note.severity == "note" and note.other]
    for note in notes:
        place = note.other
        if place and place.access == "return" and place.line:
            yield Said(Span(place.line, *(place.columns or (0, 0))), note.message, advice_for(note) or "")
            return


def _of_tiles(code: StudentCode, failed: Sequence[Launch]) -> Iterator[Said]:
    """Of shared arrays that the block's threads do not fill."""
    for launch in failed:
        unset = [one.array for one in launch.findings if one.kind is Verdict.UNINITIALIZED_READ and one.array]
        if unset and launch.block:
            yield from larger_than_the_block(code, unset[0], math.prod(launch.block))
            return


def _of_indices(lab: Lab, code: StudentCode, failed: Sequence[Launch]) -> Iterator[Said]:
    """Of threads that compute the same, where results are wrong or threads write one element."""
    kernel = name_of(lab.public.kernel)
    for launch in failed:
        if launch.verdict not in _OF_INDICES or launch.grid is None or launch.block is None:
            continue
        shared = shared_places(code, launch.grid, launch.block)
        if found := [*unused_indices(code, kernel, launch.grid, launch.block), *shared]:
            yield found[0]
            return


def _of_unset_sums(code: StudentCode, failed: Sequence[Launch]) -> Iterator[Said]:
    """Where a result is what unset memory holds and no compiler says why: the only variable that is declared without a value."""
    wrong = [one for launch in failed if launch.mismatch for one in launch.mismatch.first]
    if not any(one.got is not None and math.isclose(one.got, _UNSET_FLOAT, rel_tol=1e-4) for one in wrong):
        return
    declared = list(bare_declarations(code))
    if len(declared) == 1:
        name, place = declared[0]
        what = (
            f"`{name}` is declared in line {place.line} without a value, and the result is what unset memory holds: on some way "
            f"through the kernel nothing sets `{name}` before it is used."
        )
        yield Said(place, what, UNSET_ADVICE)


def compiler_warnings(toolset: Toolset, file: str, code: StudentCode, folder: Path) -> list[Diagnostic]:
    """`folder`: where the file was built."""
    steps = BuildSteps(toolset.toolchain, toolset.confinement, folder, file)
    steps.run(toolset.toolchain.warn(file, "warned.o"))
    return [one for one in diagnostics("\n".join(steps.log), file, code.lines) if one.severity == "warning"]


def note_of(said: Said, verdict: Verdict, file: str, code: StudentCode) -> Finding:
    refusal = Refusal(verdict, said.place.line, said.message, said.advice, said.place.columns)
    return refusal.finding(file, code.lines, "note")


# Notes on local variables of a checked file to which something is added, and which nothing sets. A run does not show them: they have
# some value.
#
# A variable is named where text and compiler agree: no statement of the text sets it, and the compiler warns of it. It is a note and no
# error, because the launch may never come there.

_WARNED = re.compile(r"'(\w+)' (?:is|may be) (?:used )?uninitialized")


def unset_locals(toolset: Toolset, built: Path, folder: Path) -> Iterator[Finding]:
    """`built`: the text as it was built; `folder`: where its headers lie. The compiler is asked only where the text has such a variable."""
    code = StudentCode(built.read_text(encoding="utf-8", errors="replace"))
    likely = list(never_set(code))
    if not likely:
        return
    warnings = compiler_warnings(toolset, built.name, code, folder)
    warned = {name for one in warnings for name in _WARNED.findall(one.text)}
    for said in likely:
        if code.token(said.place) in warned:
            yield note_of(said, Verdict.UNINITIALIZED_READ, built.name, code)
