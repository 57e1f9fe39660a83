"""`tilelab trace` for a lab whose host code is the student's: there is no one launch to record, so each kernel of the file is launched once
as `tilelab check` would, with made-up arguments where the file says none, and its pages are written. It grades nothing.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.commands.launches.check_command import CheckOptions, check_file
from grader.kernel_files.host_code import kernels_in
from grader.kernel_files.kernel_source import read_kernel_source
from grader.model.errors import RemediableError
from grader.model.labs import Lab
from grader.single_launch.kernel_check import ProposalError
from grader.single_launch.lab_launch import LaunchRefusedError, several_launches

_MOST_KERNELS = 6
PLAIN = CheckOptions(
    kernel=None, grid=None, block=None, shared_bytes=0, cooperative=False, arguments=(), seed=1,
    early_return="note", definitions=(), folders=(), settings=(), trace=True,
)  # fmt: skip


@dataclass(frozen=True)
class OwnLaunches:
    """What is wanted: the pages' folder, and whether the first is opened."""

    folder: Path
    kernel: str | None = None  # None: all of them
    show: bool = True


def trace_own_launches(file: Path, lab: Lab, wanted: OwnLaunches) -> int:
    """Returns 0 if all launches are clean, else 1. Raises LaunchRefusedError where no kernel can be launched."""
    source = read_kernel_source(file, [])
    kernels = [one for one in kernels_in(source.texts[source.name]) if wanted.kernel in {None, one}]
    if not kernels:
        raise LaunchRefusedError(several_launches(lab))
    found, refused = 0, []
    for number, kernel in enumerate(kernels[:_MOST_KERNELS]):
        page = wanted.folder / f"{lab.id}-{re.sub(r'[^A-Za-z0-9_]+', '-', kernel)[:60]}.html"
        try:
            found |= _trace(file, kernel, page, show=wanted.show and number == 0)
        except RemediableError as error:
            refused.append(f"{kernel}: {error}")
    if len(refused) == len(kernels[:_MOST_KERNELS]):
        raise LaunchRefusedError("\n".join([several_launches(lab), *refused]))
    for one in refused:
        sys.stderr.write(f"not shown: {one}\n")
    return found


def _trace(file: Path, kernel: str, page: Path, *, show: bool) -> int:
    options = replace(PLAIN, kernel=kernel, page=page, show=show)
    try:
        return check_file(file, options, as_json=False)
    except ProposalError as error:
        proposed = proposed_options(options, error.command)
        if proposed is None:
            raise
        sys.stdout.write(
            f"\n{kernel} is launched once with made-up arguments, not as your host code does. To choose others:\n"
            f"  {error.command} --trace\n"
        )
        sys.stdout.flush()
        return check_file(file, proposed, as_json=False)


def proposed_options(options: CheckOptions, command: str) -> CheckOptions | None:
    """With grid, block, shared bytes and arguments of a proposed command line; None where it is none."""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    given = dict(_pairs(words))
    arguments = [value for name, value in _pairs(words) if name == "--arg"]
    if not arguments or "--grid" not in given or "--block" not in given:
        return None
    shared = given.get("--shared", "0")
    return replace(
        options,
        grid=given["--grid"],
        block=given["--block"],
        shared_bytes=int(shared) if shared.isdecimal() else 0,
        arguments=tuple(arguments),
    )


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """`--arg int=64` and `--arg=int=64` alike."""
    for word, value in zip(words, [*words[1:], ""], strict=False):
        if word.startswith("--"):
            name, equals, rest = word.partition("=")
            yield (name, rest) if equals else (name, value)
