"""OUT, the folder that a batch writes its results into. It answers two questions: may it be used, and is it ours?

It deletes nothing: other files in `OUT`, and the rest of an earlier batch, stay (publishing.py withdraws pages of its own that are about
an earlier file of a student). What it makes is readable for the instructor
alone, or for the group of an OUT that a group shares (`chmod g+ws OUT`).
"""

from __future__ import annotations

import hashlib
import os
import shlex
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from grader.model.errors import HeldByAnotherError, MachineError, RemediableError, exclusively
from grader.roll.batch.plugin import ClassAddition, Export, registered
from grader.roll.people.identities import IdentityFile
from grader.system.own_files import is_shared, remove_folder, write_atomically

_LARGEST = 256 << 20  # of a file that is kept
_Read = TypeVar("_Read", bound=BaseModel)
_LOCK = Path("instructor/.lock")
_CLAIM = Path("instructor/OUT.txt")
_CLAIM_TEXT = "Tilelab's results. instructor/ is for the instructor alone; students/<id>/ may be given back.\n"


class OutError(RemediableError):
    """OUT cannot take the results. The message says why, and what to use instead."""


@dataclass(frozen=True)
class OutputFolder:
    """`path` is OUT; `submissions` is what is graded into it."""

    path: Path
    submissions: Path

    @property
    def jobs(self) -> Path:
        """Where outcomes are kept between runs."""
        return self.path / "instructor" / "jobs"

    @property
    def identities(self) -> IdentityFile:
        """Which student has which id."""
        return IdentityFile(self.path / "instructor")

    @property
    def comments(self) -> Path:
        """Where the instructor writes a comment for all who made the same mistake."""
        return self.path / "instructor" / "comments.toml"

    @property
    def private(self) -> Path:
        """What is for the instructor alone."""
        return self.path / "instructor"

    @property
    def students(self) -> Path:
        return self.path / "students"

    @property
    def is_ours(self) -> bool:
        """Whether a batch wrote its results here."""
        return (self.path / _CLAIM).is_file()

    def claim(self) -> None:
        """Prepares the folder for results. If it is not ours to write to, it raises OutError and writes nothing."""
        self.require_usable()
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.students.mkdir(mode=self._mode, parents=True, exist_ok=True)
            self.private.mkdir(mode=self._mode, exist_ok=True)
            self.jobs.mkdir(exist_ok=True)
            write_atomically(self.path / _CLAIM, _CLAIM_TEXT)
        except OSError as error:
            raise self._unwritable(error) from error

    @contextmanager
    def alone(self) -> Iterator[None]:
        """No other batch writes here meanwhile. Raises OutError where one does already, or where results cannot be written here. If it is
        left by an exception before `claim`, an OUT that was not there before is gone again.
        """
        self.require_usable()
        made = [] if self.is_ours else [one for one in (self.path, *self.path.absolute().parents) if not one.exists()]
        with ExitStack() as held:
            if not self.is_ours:
                held.push(partial(self._unmark, made))
            try:
                self._mark()
                held.enter_context(exclusively(self.path / _LOCK, wait=False))
            except HeldByAnotherError as error:
                raise OutError(
                    f"{self.path}: another `tilelab grade` writes its results here. Wait until it has ended, or choose another OUT. What "
                    "it has judged is not judged again."
                ) from error
            except OSError as error:
                raise self._unwritable(error) from error
            yield

    def _mark(self) -> None:
        """Makes the folder for the lock, and says whose it is: a batch that is killed at this moment must not be in its own way later."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if is_shared(self.path):
            os.umask(0o002)  # whatever this program makes in it is for the group as well
        self.private.mkdir(mode=self._mode, exist_ok=True)
        if is_shared(self.path):
            with suppress(OSError):  # somebody else of the group has made it
                (self.path / _LOCK).touch(mode=0o660)
        if not self.is_ours:
            write_atomically(self.path / _CLAIM, _CLAIM_TEXT)

    def _unmark(self, made: Sequence[Path], failed: type[BaseException] | None, *_: object) -> None:
        """Takes `_mark` back where a batch failed before `claim`. `made`: folders above, the innermost first; one that holds anything else
        stays.
        """
        if failed is None or failed is OutError or self.students.exists():
            return
        with suppress(OSError):
            (self.path / _CLAIM).unlink(missing_ok=True)
            (self.path / _LOCK).unlink(missing_ok=True)
            (self.path / "instructor").rmdir()
            for folder in made:
                folder.rmdir()

    def _unwritable(self, error: OSError) -> OutError:
        return OutError(f"{self.path}: results cannot be written here ({error.strerror}). Choose another OUT.")

    def require_usable(self) -> None:
        """Raises OutError if results cannot be written here. Writes nothing."""
        out, source = self.path, self.submissions
        real_out, real_source = out.resolve(), source.resolve()
        if out.exists() and not out.is_dir():
            raise OutError(f"{out}: this is a file. OUT is the folder that results are written to.")
        if real_out.is_relative_to(real_source):
            raise OutError(f"{out}: this lies inside SUBMISSIONS ({source}). Choose an OUT beside it.")
        if any(real_source.is_relative_to(real_out / part) for part in ("students", "instructor")):
            raise OutError(f"{source}: these are results of {out}, not submissions. Choose another OUT.")
        existing = next(parent for parent in (out, *out.absolute().parents) if parent.exists())
        if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
            raise OutError(
                f"{out}: results cannot be written here ({existing} may not be written to). Choose another OUT."
            )
        plugins = (*registered(ClassAddition), *registered(Export))
        ours = ("index.html", *(Path(one.file).parts[0] for one in plugins), "students", "instructor")
        if not self.is_ours and (foreign := [name for name in ours if os.path.lexists(out / name)]):
            raise OutError(
                f"{out}: this folder holds {foreign[0]!r}, which tilelab did not write and would overwrite. Choose another OUT."
            )

    @property
    def _mode(self) -> int:
        """Of a folder that is made."""
        return 0o770 if is_shared(self.path) else 0o700

    def open_notices(self) -> list[str]:
        """A notice where others on this machine may read results, as they may in an OUT of an older version."""
        folders = (self.path, self.students)
        rights = [one.stat().st_mode & (0o007 if is_shared(self.path) else 0o077) for one in folders]
        if not all(rights):
            return []
        keep = f"chmod -R go= {shlex.quote(str(self.path))}"
        return [f"{self.students} can be read by other users of this machine. To keep results to yourself: {keep}"]

    def left_over(self, current: Collection[str]) -> list[str]:
        """A notice about pages of an earlier batch whose students are not among the `current` ids."""
        old = sorted(path.name for path in self.students.iterdir() if path.name not in current)
        said = f"{self.students} still holds pages of {len(old)} not in this batch, as they were: {', '.join(old[:5])}"
        return [said] if old else []

    def record_faults(self, faults: Sequence[str]) -> None:
        """Writes what failed on our side, including stack traces, for the person who looks into it."""
        path = self.path / "instructor" / "faults.txt"
        with suppress(OSError):  # OUT is full: then that is among the faults, and said on the terminal
            if not faults and not path.exists():
                return
            write_atomically(path, "\n\n".join(faults) + "\n" if faults else "Nothing broke in the last run.\n")


def read_kept(path: Path, kind: type[_Read]) -> _Read | None:
    """What an earlier batch has written. None: it is missing, damaged, or far too large."""
    try:
        return kind.model_validate_json(path.read_bytes()) if path.stat().st_size <= _LARGEST else None
    except (OSError, ValidationError, RecursionError):
        return None


def graded_folder(out: str) -> OutputFolder:
    """The OUT of an earlier batch. Raises RemediableError."""
    folder = OutputFolder(Path(out), Path("submissions that nobody reads"))
    if not out.strip() or not folder.is_ours:
        raise RemediableError(f"{out}: this folder holds no graded class. Name the OUT of `make grade`.")
    return folder


def digest(data: bytes | str) -> str:
    return hashlib.blake2b(data.encode() if isinstance(data, str) else data, digest_size=16).hexdigest()


# A batch's folder for temporary files. One that a killed batch has left behind is removed by the next.
#
# Its owner holds a lock file in it, which the kernel lets go when the owner ends; a folder whose lock is free has no owner.

_PREFIX = "tilelab-batch-"
_SCRATCH_FOLDER_LOCK = ".owner"


def require_temporary_files() -> None:
    """Raises MachineError where temporary files cannot be written: nothing works then, and each thing says so in its own way."""
    try:
        with tempfile.TemporaryFile() as probe:
            probe.write(bytes(1 << 16))  # a full disk still makes files and folders
            probe.flush()
    except OSError as error:
        raise MachineError(
            f"temporary files cannot be written ({error}). Make room there, or name another folder with TMPDIR; nothing was graded."
        ) from error


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Raises MachineError where temporary files cannot be written."""
    require_temporary_files()
    place = Path(tempfile.gettempdir())
    remove_abandoned(place)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
    try:
        with exclusively(folder / _SCRATCH_FOLDER_LOCK):
            yield folder
    finally:
        remove_folder(folder)


def remove_abandoned(place: Path) -> None:
    """Those of this user alone. One without a lock file is being made, or emptied, at this moment."""
    for folder in place.glob(f"{_PREFIX}*"):
        try:
            lock = folder / _SCRATCH_FOLDER_LOCK
            if folder.is_symlink() or folder.stat().st_uid != os.geteuid() or not lock.is_file():
                continue
            with exclusively(lock, wait=False):
                remove_folder(folder)
        except (OSError, HeldByAnotherError):
            continue
