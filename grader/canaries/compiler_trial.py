"""Whether the compiler of this machine still does what the detectors rely on: all canaries are run with it, once.

A compiler that passes is written down beside its prelude, under a digest of all that the answer depends on: the compiler's programs,
the grader's own code, the kit's library and the canaries. A compiler that does not pass is tried again each time.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from grader.canaries.canary import Canary, read_canaries
from grader.canaries.canary_run import run_canary
from grader.machine.atomic_file import write_atomically
from grader.machine.compiler_choice import TRIED, VARIABLE
from grader.machine.diagnosis import known_remedy_for
from grader.machine.toolset import Toolset
from grader.model.errors import RemediableError

_CODE = Path(__file__).resolve().parents[1]


def compiler_trouble(toolset: Toolset) -> str:
    """Why submissions cannot be built with this compiler, and what to do, in one sentence. Empty where every canary comes to what
    it must, now or when this compiler was first met.
    """
    try:
        record = _record(toolset)
        if record.is_file():
            return ""
        tried = try_compiler(toolset)
        trouble = next((sentence(toolset, canary, what) for canary, what in tried if what), "")
        if not trouble:
            with suppress(OSError):  # in a folder of another user: then it is tried again next time
                write_atomically(record, f"{toolset.compiler_version}: {len(tried)} canaries\n")
    except (OSError, RemediableError) as error:
        return f"the compiler cannot be tried: {error}"
    return trouble


def try_compiler(toolset: Toolset) -> list[tuple[Canary, str]]:
    """All canaries, each with what went otherwise than it must; empty: nothing. Raises RemediableError where there are none."""
    canaries = read_canaries(_folder(toolset))

    def run(canary: Canary) -> str:  # twice, as a submission: what fails once may have been another program's doing
        return run_canary(toolset, canary) and run_canary(toolset, canary)

    with ThreadPoolExecutor(min(os.cpu_count() or 1, len(canaries))) as pool:
        return list(zip(canaries, pool.map(run, canaries), strict=True))


def sentence(toolset: Toolset, canary: Canary, what: str) -> str:
    """What a person is told of a canary that went otherwise."""
    if remedy := known_remedy_for(what):
        return f"this machine cannot grade at the moment: the kit's canary {canary.source.stem} {what}. {remedy}"
    return (
        f"the detectors cannot rely on {toolset.compiler_version}: the kit's canary {canary.source.stem} {what}. "
        f"Choose another compiler with {VARIABLE} ({TRIED} were tried), then grade again."
    )


def _folder(toolset: Toolset) -> Path:
    return toolset.root / "kit" / "canaries"


def _record(toolset: Toolset) -> Path:
    """The file that says that this compiler passed."""
    digest = hashlib.sha256()
    for path in _large_parts(toolset):
        state = path.stat()
        # In whole seconds: an image of a container keeps no smaller parts, and what was tried when it was built has to count in it.
        digest.update(f"{path}\0{state.st_size}\0{int(state.st_mtime)}\n".encode())
    for path in [*sorted((_CODE / "engines").rglob("*.py")), *sorted(_folder(toolset).glob("*.cu"))]:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    digest.update(f"{toolset.compiler_version}\0{toolset.confinement.name}".encode())
    return toolset.toolchain.prelude.parent / f"canaries-{digest.hexdigest()[:16]}"


def _large_parts(toolset: Toolset) -> Iterator[Path]:
    """Files that are told by size and time."""
    yield from toolset.compiler_programs
    yield from toolset.toolchain.archives
    yield toolset.build / "bin" / "checker"
