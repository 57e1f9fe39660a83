"""`make wheel`: the labs, the grader and the built kit as one file for `pip install`, in build/wheel.

The handout is what students get in any case, and the wheel is that and a door to it (tilelab/__init__.py). pip builds it, with setuptools.
Its name says the oldest C library for which the kit was built: this machine's.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

from grader.course import handouts
from grader.model.course_root import load_labs
from grader.model.errors import RemediableError

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent


def project(version: str, dependencies: list[str]) -> str:
    """The wheel's pyproject.toml."""
    needed = "".join(f'  "{one}",\n' for one in dependencies)
    return f"""[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "tilelab"
version = "{version}"
description = "CUDA labs with a grader that needs no GPU"
requires-python = ">=3.11.2"
dependencies = [
{needed}]

[project.scripts]
tilelab = "tilelab:main"

[tool.setuptools]
packages = ["tilelab"]

[tool.setuptools.package-data]
tilelab = ["handout.tar.gz"]

[tool.distutils.bdist_wheel]
plat-name = "manylinux_{platform.libc_ver()[1].replace(".", "_")}_{platform.machine()}"
"""


def make(out: Path, labs: list[str]) -> Path:
    """Writes the wheel into the folder `out`. Raises RemediableError where the handout may not be given out, or pip cannot build it."""
    chosen = load_labs(ROOT, labs)
    made = handouts.handout(ROOT, chosen)
    if broken := handouts.diagnostics(ROOT, chosen, made):
        raise RemediableError(
            "the handout may not be given out: " + "; ".join(f"{one.path}: {one.what}" for one in broken[:3])
        )
    made = handouts.with_built_kit(ROOT, made)
    described = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    with TemporaryDirectory() as scratch:
        shutil.copytree(HERE / "tilelab", Path(scratch) / "tilelab", ignore=shutil.ignore_patterns("__pycache__"))
        (Path(scratch) / "tilelab" / "handout.tar.gz").write_bytes(made.archive())
        (Path(scratch) / "pyproject.toml").write_text(
            project(made.manifest.version, described["dependencies"]), encoding="utf-8"
        )
        command = [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--no-deps",
            "--quiet",
            "--wheel-dir",
            str(out.absolute()),
            scratch,
        ]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode != 0:
            raise RemediableError(f"pip cannot build the wheel:\n{done.stderr.strip()}")
    return next(out.glob(f"tilelab-{made.manifest.version}-*.whl"))


if __name__ == "__main__":
    try:
        print(make(ROOT / "build/wheel", sys.argv[1:]))
    except RemediableError as error:
        sys.exit(f"tilelab: {error}")
