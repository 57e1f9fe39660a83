"""Compiles the attacks, and finds the confinements that start on this machine. The others are skipped visibly."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.system import confined_run as detecting
from grader.system.confinement import Bubblewrap, Confinement, Launcher, Limits

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[4]
CONFINE = ROOT / "build" / "bin" / "confine"
ATTACKS = ROOT / "tests" / "exploits" / "sandbox"


@pytest.fixture(scope="session")
def confine() -> Path:
    assert CONFINE.is_file(), f"{CONFINE} is not built: run make setup"
    return CONFINE


@pytest.fixture(scope="session")
def attack(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Builds tests/exploits/sandbox/NAME.cpp, once, in a folder whose name has a space and an umlaut."""
    folder = tmp_path_factory.mktemp("attacks") / "böse programs"
    folder.mkdir()

    def build(name: str) -> Path:
        program = folder / name
        if not program.exists():
            source = ATTACKS / f"{name}.cpp"
            subprocess.run(["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-o", program, source], check=True)
        return program

    return build


@pytest.fixture(scope="session", params=["bubblewrap", "launcher"])
def confinement(request: pytest.FixtureRequest, confine: Path) -> Confinement:
    kind = {"bubblewrap": Bubblewrap, "launcher": Launcher}[request.param]
    prefix = ROOT / ".tilelab" / "prefix"
    reasons = ["not among what this machine offers"]
    for candidate in detecting.candidates(confine, prefix if prefix.is_dir() else None):
        if isinstance(candidate, kind):
            reason = detecting.objection(candidate)
            if reason is None:
                return candidate
            reasons.append(reason)
    pytest.skip(f"{request.param} does not start here: {reasons[-1]}")


@pytest.fixture
def limits() -> Limits:
    return Limits(
        "run", cpu_seconds=5, wall_seconds=20, memory_bytes=64 << 20, processes=16, file_bytes=4 << 20, open_files=64
    )
