"""Where a batch's results land: claims `OUT`, and writes each file whole or not at all.

Never deletes anything: what else lies in `OUT`, or is left of an earlier batch, stays.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from grader.errors import RemediableError

_CLAIM = Path("instructor/OUT.txt")
_CLAIM_TEXT = "Tilelab's results. instructor/ is for the instructor alone; students/<id>/ may be given back.\n"
_OURS = ("index.html", "grades.csv", "students", "instructor")


class OutError(RemediableError):
    """OUT cannot take the results: says why and what to give instead."""


def claim(out: Path, source: Path) -> None:
    """Makes `out` ready for results. Raises OutError, having written nothing, when it is not ours to write."""
    check(out, source)
    try:
        (out / "students").mkdir(parents=True, exist_ok=True)
        (out / "instructor").mkdir(mode=0o700, exist_ok=True)
        (out / "instructor" / "jobs").mkdir(exist_ok=True)
        land(out / _CLAIM, _CLAIM_TEXT)
    except OSError as error:
        message = f"{out}: results cannot be written here ({error.strerror}). Choose another OUT."
        raise OutError(message) from error


def check(out: Path, source: Path) -> None:
    """Raises OutError when `out` is no place for results. Writes nothing."""
    real_out, real_source = out.resolve(), source.resolve()
    if out.exists() and not out.is_dir():
        message = f"{out}: this is a file. OUT is the folder that results are written to."
        raise OutError(message)
    if real_out.is_relative_to(real_source):
        message = f"{out}: this lies inside SUBMISSIONS ({source}). Choose an OUT beside it."
        raise OutError(message)
    if any(real_source.is_relative_to(real_out / part) for part in ("students", "instructor")):
        message = f"{source}: these are results of {out}, not submissions. Choose another OUT."
        raise OutError(message)
    existing = next(parent for parent in (out, *out.absolute().parents) if parent.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        message = f"{out}: results cannot be written here ({existing} may not be written to). Choose another OUT."
        raise OutError(message)
    if not (out / _CLAIM).is_file() and (foreign := [name for name in _OURS if os.path.lexists(out / name)]):
        message = (
            f"{out}: this holds {foreign[0]!r} from somewhere else, which would be overwritten. Choose another OUT."
        )
        raise OutError(message)


def land(path: Path, text: str) -> None:
    """Writes `text` to `path` by atomic rename: a reader sees the old file or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=".landing-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            os.fchmod(file.fileno(), 0o644)
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
