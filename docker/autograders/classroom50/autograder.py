"""classroom50's entry point for one assignment. Its runner starts it in the student's checkout, and reads result.json there.

It unpacks the handout that lies beside it and runs the public tests on the student's files. Everything here can be read by students,
so no hidden test is in it. It uses only the standard library. Exit status 0: there is a result. Anything else: nothing was graded.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def unpack(archive: tarfile.TarFile, place: Path) -> None:
    """Writes files and folders inside of `place` and nothing else; raises ValueError for anything else. Python's own filter for this
    came with 3.11.4, and Debian 12 has 3.11.2.
    """
    for member in archive:
        target = place / member.name
        if ".." in target.parts or not target.resolve().is_relative_to(place) or not (member.isreg() or member.isdir()):
            message = f"handout.tar.gz: {member.name!r} is no file or folder of a handout"
            raise ValueError(message)
        (target if member.isdir() else target.parent).mkdir(parents=True, exist_ok=True)
        if content := archive.extractfile(member):
            target.unlink(missing_ok=True)
            with content, target.open("xb") as file:
                shutil.copyfileobj(content, file)
            target.chmod(0o755 if member.mode & 0o100 else 0o644)


def main() -> int:
    checkout = Path.cwd()
    for name in ("result.json", "release-body.md", "tilelab-report.html"):
        (checkout / name).unlink(missing_ok=True)  # of an earlier run, or the student's own
    place = Path(os.environ.get("RUNNER_TEMP") or tempfile.gettempdir()) / "tilelab-handout"
    place.mkdir(parents=True, exist_ok=True)
    with tarfile.open(HERE / "handout.tar.gz") as archive:
        unpack(archive, place.resolve())
    (course,) = [path for path in place.iterdir() if path.is_dir()]
    environment = os.environ | {"TILELAB_BACKEND": "cpu"}
    subprocess.run(["/bin/bash", course / "kit/setup/setup.sh"], cwd=course, env=environment, check=True)
    labs = (HERE / "labs.txt").read_text(encoding="utf-8").split()
    command: list[str | Path] = [
        course / ".venv/bin/tilelab",
        "grade-one",
        "classroom50",
        checkout,
        "--public",
        "--out",
        checkout,
    ]
    command += [word for lab in labs for word in ("--lab", lab)]
    return subprocess.run(command, cwd=course, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
