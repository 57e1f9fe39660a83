"""The steps of one build: each runs confined in the build's folder, and says afterwards whose fault it is that it failed.

Not here: which steps there are, and what is looked for in the files that they write.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from grader.engines.checks.attribution import asked_for, names_the_text, used_up
from grader.engines.checks.compiler_errors import compile_errors
from grader.engines.cpu.cpu_toolchain import CpuToolchain
from grader.engines.refusal import BuildFaultError, Refusal
from grader.model.verdicts import Verdict
from grader.sandbox import Confinement, Finished, Limits, run_confined

BUILD_LIMITS = Limits(
    cpu_seconds=10, wall_seconds=60, memory_bytes=2 << 30, processes=64, file_bytes=128 << 20, open_files=256
)
MAX_TEXT_BYTES = 32 << 20  # of preprocessed text, and of assembly; a lab's have some hundred kilobytes
_STEP = "step.done"  # exists once the first of several commands has succeeded


class TooLongError(Exception):
    """A text is longer than any lab's: the submission's doing, and the message is for its author."""


@dataclass
class BuildSteps:
    """The steps of one build in one folder."""

    toolchain: CpuToolchain
    confinement: Confinement
    folder: Path
    name: str
    headers: frozenset[str] = frozenset()  # headers of the submission's author
    scanned: bool = True  # whether the text is scanned before it counts as compiled
    defined: str = ""  # lines of macros before the text, which has line numbers of its own
    log: list[str] = field(default_factory=list)
    stopped: str = ""  # at which of our limits the compiler was killed
    ended: str = ""  # how the last commands ended

    def confined(self, argv: list[str]) -> Finished:
        home = self.toolchain.home
        readable = [*self.toolchain.includes, *self.toolchain.archives, self.toolchain.prelude.parent, *home.places]
        return run_confined(
            self.confinement,
            [*home.before, *argv],
            readable=readable,
            writable=[self.folder],
            limits=BUILD_LIMITS,
            profile="build",
            cwd=self.folder,
        )

    def run(self, *commands: list[str]) -> bool:
        """Runs the commands one by one until one fails. They share a sandbox: starting one costs as much as compiling a small program."""
        command = (
            commands[0] if len(commands) == 1 else ["sh", "-c", f" && : >{_STEP} && ".join(map(shlex.join, commands))]
        )
        finished = self.confined(command)
        text = (finished.stderr + finished.stdout).decode("utf-8", "replace").replace(f"{self.folder}/", "")
        if text.strip():
            self.log.append(text.strip())
        if finished.returncode != 0 and (limit := used_up(finished, BUILD_LIMITS, text)):
            self.stopped = f"The compiler was stopped: it needed more than {limit} for {self.name}."
            self.log.append(self.stopped)
        self.ended = "did not end in time" if finished.timed_out else f"ended with status {finished.returncode}"
        return finished.returncode == 0

    def first_step_succeeded(self) -> bool:
        """Whether the first of the commands that `run` was given last has succeeded."""
        return (self.folder / _STEP).is_file()

    def forget(self) -> None:
        """What the last commands said is about a text that is not compiled any more."""
        self.log.clear()
        self.stopped = self.ended = ""

    def text(self, name: str, too_long: str) -> str:
        """The text of a file that a step wrote. `too_long`: what a student is told where it is longer than any lab's."""
        path = self.folder / name
        if path.is_symlink() or not path.is_file():
            message = f"{name} was not written"
            raise BuildFaultError(message)
        if path.stat().st_size > MAX_TEXT_BYTES:
            raise TooLongError(too_long)
        return path.read_text(encoding="utf-8", errors="replace")

    def authors_text(self) -> str:
        """The submission's file and its own headers, with the macros of the command line."""
        names = (self.name, *sorted(self.headers))
        return "\n".join((self.folder / name).read_text(encoding="utf-8", errors="replace") for name in names)

    def failed(self) -> tuple[Refusal, ...]:
        """Why the last step failed, in the compiler's words. Raises BuildFaultError where they do not say that it is the submission."""
        log = "\n".join(self.log)
        source = (self.folder / self.name).read_text(encoding="utf-8", errors="replace").removeprefix(self.defined)
        if errors := compile_errors(log, self.name, source):
            return errors
        if self.stopped:
            return refuse(self.stopped)
        if file := asked_for(log, self.authors_text()):
            return refuse(f"The file asks for {file}, which a submission may not read.")
        ours = [*map(str, self.toolchain.includes), str(self.toolchain.prelude.parent)]
        if names_the_text(log, {self.name, *self.headers}, ours):
            return refuse("The file does not compile; the compiler's log says why.")
        return self.break_off("the compiler")

    def break_off(self, who: str) -> NoReturn:
        """Nothing shows that the submission made `who` fail."""
        said = next((line for line in reversed(self.log[-1:]) if line), "it said nothing")
        message = f"{who} {self.ended} and names nothing in the submission: {said[-400:]}"
        raise BuildFaultError(message)


def refuse(message: str) -> tuple[Refusal, ...]:
    return (Refusal(Verdict.COMPILE_ERROR, 0, message),)
