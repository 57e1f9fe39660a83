"""Builds each kernel that a host program names, several at a time, as `tilelab check` builds one. What was built is kept by its hash.

A kernel that cannot be built is refused when it is launched, and not before.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from grader.kernel_files.kernel_build import build_kernel, why_not
from grader.kernel_files.kernel_source import KernelSource, base_name
from grader.machine.toolset import Toolset
from grader.model.verdicts import Verdict
from grader.programs.host.kernel_symbols import KernelName, buildable_name, unit_of
from grader.programs.host.program_source import ProgramSource
from grader.programs.kernel_description import KernelMismatchError, kernel_description

_KEPT = 40  # kernels; the oldest go
_FORMAT = "3"  # another number where what is kept changes
_PARTS = ("runner", "image.json")


@dataclass(frozen=True)
class ProgramKernel:
    """With `runner`, it was built; else `refusal` says why not."""

    name: KernelName
    unit: str  # the file that it is built from
    runner: Path | None = None
    image: Path | None = None
    description: dict[str, object] | None = None
    refusal: dict[str, object] | None = None
    left_out: tuple[str, ...] = ()


def build_kernels(  # noqa: PLR0913, PLR0917 - what to build, where, and with what
    toolset: Toolset,
    source: ProgramSource,
    names: Sequence[KernelName],
    scratch: Path,
    definitions: Sequence[str],
    kept: Path | None,
) -> Iterator[ProgramKernel]:
    """One after the other as they are asked for; all are built at once, in folders of their own in `scratch`. `kept`: a folder for what was
    built, of which the oldest go; none: nothing is kept, so nothing goes while somebody else runs it.
    """
    fingerprint = toolset.fingerprint() if names and kept else ""
    with ThreadPoolExecutor(max(1, os.cpu_count() or 1)) as beside:
        jobs = [
            beside.submit(_kernel, toolset, source, name, scratch / f"kernel{number}", definitions, kept, fingerprint)
            for number, name in enumerate(names)
        ]
        for job in jobs:
            yield job.result()
    if kept is not None:
        _forget_the_oldest(kept)


def with_read_parameters(kernel: ProgramKernel, only_read: Mapping[str, frozenset[str]]) -> ProgramKernel:
    """`only_read`: see read_parameters.py. What is kept does not know them: the macros of a file change what its kernels do."""
    names = only_read.get(base_name(kernel.name.shown), frozenset())
    if kernel.description is None or not names:
        return kernel
    parameters = [
        {**one, "const": True} if one["pointer"] and one["name"] in names else one
        for one in cast("list[dict[str, object]]", kernel.description["parameters"])
    ]
    return replace(kernel, description={**kernel.description, "parameters": parameters})


def _kernel(  # noqa: PLR0913, PLR0917 - what to build, where, and with what
    toolset: Toolset,
    source: ProgramSource,
    name: KernelName,
    scratch: Path,
    definitions: Sequence[str],
    kept: Path | None,
    fingerprint: str,
) -> ProgramKernel:
    unit = unit_of(name, source.units) or source.main
    place = kept / _key(unit, name, definitions, fingerprint) if kept else None
    draft = ProgramKernel(name, unit.name)
    if place is not None and (found := _taken(place, draft)) is not None:
        return found
    scratch.mkdir()
    built = build_kernel(toolset, unit, buildable_name(name, unit), scratch / "work", definitions=definitions)
    if built.build.runner is None and "<" not in name.shown and all(one.line == 0 for one in built.build.refusals):
        # A header may declare a function of the same name: then only the parameters tell the kernel.
        again = build_kernel(toolset, unit, name.signature, scratch / "again", definitions=definitions)
        built = built if again.build.runner is None else again
    left_out = tuple(built.left_out)
    if built.build.runner is None or built.build.image is None:
        first = built.build.refusals[0]
        refusal = _refusal(first.verdict, why_not(unit, name.shown, built), first.line)
        refusal["said"] = f"{first.message} {first.advice}".strip()
        return replace(draft, refusal=refusal, left_out=left_out)
    try:
        description = kernel_description(built.build, name)
    except KernelMismatchError as error:
        return replace(draft, refusal=_refusal(Verdict.NEEDS_GPU, str(error), 0), left_out=left_out)
    made = replace(
        draft, runner=built.build.runner, image=built.build.image, description=description, left_out=left_out
    )
    if place is not None:
        _keep(place, made)
    return made


def _refusal(verdict: Verdict, message: str, line: int) -> dict[str, object]:
    return {"verdict": verdict.value, "message": message, "line": max(0, line)}


def _key(unit: KernelSource, name: KernelName, definitions: Sequence[str], fingerprint: str) -> str:
    digest = hashlib.sha256()
    texts = [*sorted(unit.texts.items()), *sorted(unit.companions.items())]
    for word in (_FORMAT, fingerprint, unit.name, name.symbol, name.signature, *definitions):
        digest.update(word.encode() + b"\0")
    for file, text in texts:
        digest.update(f"{file}\0{len(text)}\0{text}".encode())
    return digest.hexdigest()[:32]


def _taken(place: Path, draft: ProgramKernel) -> ProgramKernel | None:
    try:
        record = json.loads((place / "kernel.json").read_text(encoding="utf-8"))
        os.utime(place)
    except (OSError, ValueError):
        return None
    runner, image = (place / part for part in _PARTS)
    if not (runner.is_file() and image.is_file()):
        return None
    left_out = tuple(record["left_out"])
    return replace(draft, runner=runner, image=image, description=record["description"], left_out=left_out)


def _keep(place: Path, made: ProgramKernel) -> None:
    """Without a word where the folder cannot be written: then it is built again next time. The record comes last."""
    try:
        unfinished = place.with_name(f".{place.name}-{os.getpid()}")
        unfinished.mkdir(parents=True)
        for part, path in zip(_PARTS, (made.runner, made.image), strict=True):
            if path is not None:
                shutil.copy2(path, unfinished / part)
        record = {"description": made.description, "left_out": made.left_out}
        (unfinished / "kernel.json").write_text(json.dumps(record), encoding="utf-8")
        unfinished.rename(place)
    except OSError:
        shutil.rmtree(unfinished, ignore_errors=True)


def _forget_the_oldest(kept: Path) -> None:
    if not kept.is_dir():
        return
    dated = []
    for place in kept.iterdir():
        try:
            dated.append((place.stat().st_mtime, place))
        except OSError:
            continue
    for _, place in sorted(dated, reverse=True)[_KEPT:]:
        shutil.rmtree(place, ignore_errors=True)
