"""One public program with a main of its own, run by `tilelab run`, and what came of it. Knows nothing of tables.

A program is a folder with `origin.json` (`path` of its .cu below `tree/`, folders for `-I` in `includes`, other sources below `tree/` in
`with`) and `run.json` (`args`,
`stdin_hex`), or any other .cu file that has a main.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECONDS = 100  # of the run itself; as much again is allowed for compilers
_MAIN = re.compile(r"\bmain\s*\(")
_CLOCK = re.compile(
    r"\btime\s*\(\s*(?:NULL|0|nullptr)?\s*\)|random_device|\bclock\s*\(\s*\)|gettimeofday|getpid|system_clock"
)
_DRAWN = re.compile(r"\bs?rand\w*\s*\(|mt19937|default_random_engine|curand_init|curandSetPseudo")


@dataclass(frozen=True)
class PublicProgram:
    name: str
    folder: Path  # what is copied before a run, so that files that the program writes stay apart
    file: Path  # below `folder`
    includes: Sequence[str] = ()
    others: Sequence[str] = ()  # sources, below `folder`
    arguments: Sequence[str] = ()
    stdin: bytes = b""

    @property
    def draws_anew(self) -> bool:
        """Whether it draws numbers from a seed that it takes from the clock: no two runs print the same."""
        text = (self.folder / self.file).read_text("utf-8", "replace")
        return bool(_CLOCK.search(text) and _DRAWN.search(text))


@dataclass(frozen=True)
class ProgramRun:
    """`report`: what `tilelab run --json` wrote; empty if it wrote none. `err`: the end of its standard error."""

    program: PublicProgram
    status: int | str
    report: Mapping[str, Any]
    err: str
    seconds: float

    @property
    def findings(self) -> list[Mapping[str, Any]]:
        """Of kernels and of the host, without notes."""
        both = [*self.report.get("findings", []), *self.report.get("host", [])]
        return [one for one in both if one.get("severity", "error") == "error"]

    @property
    def refusals(self) -> list[str]:
        return [
            str(one.get("message", one)) if isinstance(one, dict) else str(one)
            for one in self.report.get("refusals", [])
        ]


def programs_in(folder: Path, only: str = "") -> Iterator[PublicProgram]:
    described = sorted(folder.rglob("origin.json"))
    for origin in described:
        own = origin.parent
        said, run = (json.loads((own / name).read_text(encoding="utf-8")) for name in ("origin.json", "run.json"))
        if only in own.name and not run.get("skip"):
            stdin = bytes.fromhex(run["stdin_hex"])
            others = [f"tree/{one}" for one in said.get("with", ())]
            file = Path("tree") / said["path"]
            yield PublicProgram(own.name, own, file, said["includes"] or (), others, run["args"], stdin)
    within = {origin.parent for origin in described}
    for file in sorted(folder.rglob("*.cu")):
        if only in str(file) and not within & set(file.parents) and _MAIN.search(file.read_text("utf-8", "replace")):
            yield PublicProgram(str(file.relative_to(folder)), file.parent, Path(file.name))


def run(program: PublicProgram) -> ProgramRun:
    with tempfile.TemporaryDirectory(prefix="program-") as scratch:
        copy = Path(scratch) / "program"
        shutil.copytree(program.folder, copy)
        file = copy / program.file
        includes = [word for one in program.includes for word in ("-I", str(copy / one))]
        others = [word for one in program.others for word in ("--with", str(copy / one))]
        command = [
            str(Path(sys.executable).with_name("tilelab")),
            "run",
            "--json",
            "--seconds",
            str(SECONDS),
            *includes,
            *others,
            file.name,
            *program.arguments,
        ]
        begun = time.monotonic()
        try:
            done = subprocess.run(
                command, cwd=file.parent, input=program.stdin, capture_output=True, timeout=3 * SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return ProgramRun(program, "no end", {}, "", time.monotonic() - begun)
    seconds = time.monotonic() - begun
    try:
        report = json.loads(done.stdout)
    except ValueError:
        report = {}
    return ProgramRun(program, done.returncode, report, done.stderr.decode("utf-8", "replace").strip()[-600:], seconds)
