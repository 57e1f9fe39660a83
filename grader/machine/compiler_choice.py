"""Which host compiler builds submissions, GCC or Clang: the one that TILELAB_COMPILER names. Without that variable it is the
compiler that built the kit, and where that is no longer installed, a Clang that is.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

from grader.engines.cpu.cpu_toolchain import is_clang, target_of
from grader.model.errors import RemediableError

VARIABLE = "TILELAB_COMPILER"
OLDEST = {"GCC": 12, "Clang": 14}
TRIED = "GCC 12 to 16 and Clang 14 to 19"  # the versions that .ci/toolchains was run with
_NEWEST_CLANG = 22  # the newest version that is looked for by its numbered name


@dataclass(frozen=True)
class CompilerChoice:
    compiler: str
    version: str  # one line, as the compiler prints it
    why: str
    linker: str = ""  # the compiler that links instead: an older one than the kit's lacks functions that the kit needs

    def __str__(self) -> str:
        return f"{self.version} ({self.why})"


def choose_compiler(of_kit: str, environment: Mapping[str, str] = os.environ) -> CompilerChoice:
    """`of_kit`: the compiler that built the kit. Raises RemediableError where the compiler is missing or cannot be used."""
    asked = environment.get(VARIABLE, "").strip()
    found = shutil.which(asked or of_kit)
    why = f"{VARIABLE}={asked}" if asked else "what the kit was built with"
    if found is None and not asked and (found := _any_clang()):
        why = f"{of_kit} is not on this machine"
    if found is None:
        remedy = "install it, or leave the variable unset" if asked else "run `make setup`"
        message = f"{f'{VARIABLE}={asked}' if asked else of_kit}: there is no such program on this machine: {remedy}."
        raise RemediableError(message)
    version, number = _version(found)
    kind = "Clang" if is_clang(found) else "GCC"
    if number < OLDEST[kind]:
        message = f"{found} is {version}: submissions need GCC {OLDEST['GCC']} or Clang {OLDEST['Clang']}, or newer."
        raise RemediableError(message)
    if kind == "Clang" and target_of(found) != "x86_64":
        message = f"{found} compiles for {target_of(found)}, where submissions need GCC. Unset {VARIABLE} or set CXX."
        raise RemediableError(message)
    return CompilerChoice(found, version, why, _linker(of_kit, version))


def _any_clang() -> str | None:
    names = ["clang++", *(f"clang++-{number}" for number in range(_NEWEST_CLANG, OLDEST["Clang"] - 1, -1))]
    return next(filter(None, map(shutil.which, names)), None)


def _linker(of_kit: str, version: str) -> str:
    """The kit's own compiler where it is there and is another one."""
    own = shutil.which(of_kit)
    try:
        return own if own and _version(own)[0] != version else ""
    except RemediableError:
        return ""


def _version(compiler: str) -> tuple[str, int]:
    """The first line that it prints, and the major version."""
    try:
        output = subprocess.run([compiler, "--version"], check=True, capture_output=True, text=True, timeout=20).stdout
        number = subprocess.run(
            [compiler, "-dumpversion"], check=True, capture_output=True, text=True, timeout=20
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        message = f"{compiler} does not say its version ({error}): is it a compiler?"
        raise RemediableError(message) from error
    major = re.match(r"\d+", number)
    return output.partition("\n")[0], int(major[0]) if major else 0
