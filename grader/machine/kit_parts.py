"""Parts of the kit that are built when a command first needs them: a lab's tests, the tracer, the timer and the like.

In a handout, set-up leaves them out, so that a student's first `make test` does not wait for what others need. kit.json says which
these are; `build/parts/` has a file for each that is complete. Everywhere else set-up builds everything, and nothing happens here.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from threading import Lock

from grader.model.errors import RemediableError

_ONE_AT_A_TIME = Lock()


class PartError(RemediableError):
    """A part of the kit is not there and could not be built."""


def left_out(root: Path) -> frozenset[str]:
    """The parts that set-up leaves out here. None where kit.json cannot be read: whoever opens the kit says what to do then."""
    try:
        kit = json.loads((root / "build" / "kit.json").read_text(encoding="utf-8"))
        return frozenset(kit.get("on_demand", ()))
    except (OSError, ValueError, AttributeError, TypeError):
        return frozenset()


def provide_parts(root: Path, *targets: str) -> None:
    """Builds those that are still to be built, all at once; set-up says which, and shows what goes wrong. Raises PartError."""
    if not missing_parts(root, *targets):
        return
    with _ONE_AT_A_TIME:
        missing = missing_parts(root, *targets)  # another thread may have built them
        if not missing:
            return
        set_up = root / "kit" / "setup" / "setup.sh"
        try:
            # Bash, because an unpacked file may have lost the right to be run.
            command = ["/bin/bash", str(set_up.resolve(strict=True)), "part", *missing]
            done = subprocess.run(command, stdin=subprocess.DEVNULL, check=False)
        except OSError as error:
            message = f"{set_up} cannot be run ({error}): restore the kit's files"
            raise PartError(message) from error
    if done.returncode != 0:
        message = f"{' and '.join(missing)} could not be built; what is wrong stands above. Mend it, then run the same command again."
        raise PartError(message)


def part(root: Path, target: str, file: str) -> Path:
    """The path of a part, `file` below build/, which is built first where need be. Raises PartError."""
    provide_parts(root, target)
    path = root / "build" / file
    if not path.is_file():
        message = f"{path} is missing: run `make setup` to build it."
        raise PartError(message)
    return path


def program(root: Path, name: str) -> Path:
    """The same for a program, which is named like its target."""
    return part(root, name, f"bin/{name}")


def missing_parts(root: Path, *targets: str) -> list[str]:
    """Those that are still to be built, in the order in which they are asked for. None where every build has all parts."""
    wanted = [one for one in dict.fromkeys(targets) if not (root / "build" / "parts" / one).is_file()]
    known = left_out(root) if wanted else frozenset()
    return [one for one in wanted if one in known]
