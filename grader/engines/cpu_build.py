"""Turns one source file into a runner for the CPU executor: preprocess, scan, compile, check, link, describe.

The compiler, assembler and linker run confined, and the files that they write are read as data. Nothing of the submission runs here.
A failure of the submission is an outcome and no exception. A failure that nothing shows to be the submission's is an outcome too:
`internal-error`.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import DWARFError, ELFError

from grader.engines.build_steps import WHEN_EXPANDED, BuildSteps, TooLongError, refuse, shortened
from grader.engines.compiled_object import (
    WHEN_COMPILED,
    CompiledObject,
    announced_object,
    compile_text,
    read_compiled,
    refusal_of_dump,
    spread_variables,
)
from grader.engines.cpu_toolchain import CpuToolchain
from grader.engines.entry_points import EntrySignatures, check_object, missing_names
from grader.engines.objects.assembly import calls_of
from grader.engines.proof.object_proof import KERNEL, LAUNCH
from grader.engines.refusal import BuildFaultError, Refusal
from grader.engines.runner_image import described, image_beside, link
from grader.engines.text_steps import TextOrigin, in_steps, probably_changed
from grader.engines.token_scan import too_long
from grader.model.verdicts import Verdict
from grader.source.bare_code import hand_written_marker
from grader.system.confinement import Confinement

# What may be raised when an unusual object is read.
_UNREADABLE = (ELFError, DWARFError, KeyError, IndexError, ValueError, struct.error)


@dataclass(frozen=True)
class CpuBuild:
    """The result: a runner and its image, or why there is none."""

    runner: Path | None = None
    image: Path | None = None
    images_beside: tuple[Path, ...] = ()  # of `EntrySignatures.beside`, which are in the same runner
    refusals: tuple[Refusal, ...] = ()
    log: str = ""
    seconds: float = 0.0


def build_for_cpu(
    toolchain: CpuToolchain,
    confinement: Confinement,
    source: Path,
    folder: Path,
    entries: EntrySignatures,
    *,
    scanned: bool = True,
    definitions: Sequence[str] = (),
) -> CpuBuild:
    """Builds `source` in `folder`, which may hold headers of the submission and nothing else. The runner and image.json stay there.
    `scanned`: false for a file of ours that shows what the checks behind the scan of its text refuse. `definitions`: macros that a
    user's command line defines before the text, as NAME or NAME=VALUE.
    """
    began = time.monotonic()
    headers = frozenset(path.name for path in folder.iterdir())
    text = source.read_text(encoding="utf-8", errors="replace")
    defined = _defining(definitions)
    (folder / source.name).write_text(defined + text, encoding="utf-8")
    steps = BuildSteps(toolchain, confinement, folder, source.name, headers, scanned, defined)
    try:
        refusals = _build(steps, text, entries)
    except TooLongError as error:
        refusals = refuse(str(error))
    except BuildFaultError as error:
        refusals = (Refusal(Verdict.INTERNAL_ERROR, 0, f"building failed on our side: {error}"),)
    log = shortened("\n".join(steps.log))
    seconds = time.monotonic() - began
    if refusals:
        return CpuBuild(refusals=refusals, log=log, seconds=seconds)
    beside = tuple(folder / image_beside(number) for number in range(len(entries.beside)))
    return CpuBuild(folder / "runner", folder / "image.json", beside, log=log, seconds=seconds)


def _defining(definitions: Sequence[str]) -> str:
    """Lines before the text, which begins with line 1 all the same. The text itself may hold no line marker."""
    lines = [
        f"#define {name} {value if equals else 1}\n"
        for name, equals, value in (one.partition("=") for one in definitions)
    ]
    return "".join([*lines, "#line 1\n"] if lines else [])


def _build(steps: BuildSteps, text: str, entries: EntrySignatures) -> tuple[Refusal, ...]:
    if refusal := too_long(text):
        return (refusal,)
    if marker := hand_written_marker(text):
        message = "A line marker (#line) would make the report show the wrong lines of your file."
        return (Refusal(Verdict.REJECTED, marker, message, "Remove the line marker."),)
    # GCC compiles the expanded text in the same sandbox, before it is scanned, if our steps will hardly change it: a second sandbox would
    # cost more. Compiling runs none of it.
    origin = TextOrigin(steps.name, str(steps.folder), entries, steps.toolchain.is_clang, steps.scanned)
    one_sandbox = not (steps.toolchain.is_clang or entries.by_name or probably_changed(text, origin))
    compile_too = steps.toolchain.compile("scanned.ii", "submission.o") if one_sandbox else []
    succeeded = steps.preprocess(steps.toolchain.preprocess(steps.name, "scanned.ii"), "scanned.ii", compile_too)
    one_sandbox = one_sandbox and not steps.left_for_later()
    if not succeeded and not (one_sandbox and steps.first_step_succeeded()):
        return steps.failed()
    preprocessed = _preprocessed(steps)
    if refusal := steps.refused_library(preprocessed):
        return (refusal,)
    submitted = steps.toolchain.after_prelude(preprocessed, steps.name)
    changed = in_steps(submitted, origin)
    if changed.refusal:
        return (changed.refusal,)
    if changed.mended:  # what was compiled is another text
        steps.forget()
        one_sandbox = False
    prelude = preprocessed.removesuffix(submitted)
    try:
        if one_sandbox and (changed.whole == submitted or not succeeded):
            compiled = succeeded
        else:
            known = len(steps.log)
            (steps.folder / "scanned.ii").write_text(prelude + changed.whole, encoding="utf-8")
            compiled = compile_text(steps)
            if one_sandbox and compiled:
                del steps.log[known:]  # it said the same the first time
        return _link(steps, text, prelude + changed.text, entries) if compiled else steps.failed()
    except _UNREADABLE as error:
        raise BuildFaultError(f"the object file cannot be read: {type(error).__name__}: {error}") from error


def _preprocessed(steps: BuildSteps) -> str:
    preprocessed = steps.text("scanned.ii", WHEN_EXPANDED)
    if not steps.toolchain.has_prelude(preprocessed):
        raise BuildFaultError("the compiler did not take the kit's precompiled header")
    return preprocessed


def _link(steps: BuildSteps, text: str, preprocessed: str, entries: EntrySignatures) -> tuple[Refusal, ...]:
    """Checks the object that was compiled, and links it to a runner."""
    obj, found = read_compiled(steps, preprocessed, entries)
    if missing := missing_names(obj, found, entries, text):
        return missing
    own = (steps.folder / "submission.s").exists()
    assembly = steps.text("submission.s" if own else "scanned.s", WHEN_COMPILED)
    refusal = refusal_of_dump(steps, found) or check_object(obj, found, calls_of(assembly, steps.name))
    if refusal:
        return (refusal,)
    if len(found.beside) < len(entries.beside) or not all(obj.space_of(one).is_kernel for one in found.beside):
        what = f"One of {', '.join(entries.beside)} is no kernel that the file defines."
        return (Refusal(Verdict.COMPILE_ERROR, 0, what),)
    entered = dict.fromkeys((symbol.name for symbol in [*found.kernels, *found.beside]), KERNEL)
    entered |= dict.fromkeys((symbol.name for symbol in found.launches), LAUNCH)
    passed = [symbol.name for symbol in found.functions]
    if len(passed) < len(entries.functions):
        what = f"One of {', '.join(entries.functions)} is no function that the file defines."
        return (Refusal(Verdict.COMPILE_ERROR, 0, what, "Name a __device__ function of the file."),)
    assembly, obj, proved = announced_object(steps, assembly, obj, entered, passed)
    if proved.refusal:
        return (proved.refusal,)
    compiled = CompiledObject(
        obj,
        found,
        preprocessed,
        assembly,
        proved,
        frozenset(entered),
        spread_variables(steps.folder / "submission.o"),
        tuple(zip(entries.functions, passed, strict=True)),
    )
    link(steps, compiled)
    return described(steps, text, entries, compiled)
