"""Errors that a person can correct. The text says what is wrong, where, and what to do; no stack trace is shown.

The other kind is what fails on our side: any other exception. It becomes `internal-error` or a bug report. Python alone is enough for
this file: the upgrade of a handout uses it before anything is installed.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class RemediableError(Exception):
    """The request cannot be carried out as it is."""


class MachineError(RemediableError):
    """The request cannot be carried out on this machine, for a reason that has nothing to do with any submission."""


# A file that one process holds at a time. The kernel lets go of it when the process ends, however it ends.

_NO_LOCKS_HERE = frozenset({errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL})  # some network drives


class HeldByAnotherError(Exception):
    """Another process holds the file."""


@contextmanager
def exclusively(path: Path, *, wait: bool = True) -> Iterator[None]:
    """Holds `path`, which is made where it is missing. Without `wait`, raises HeldByAnotherError at once. Raises OSError where the
    file cannot be made. On a drive without locks nothing is held.
    """
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise HeldByAnotherError(str(path)) from error
        except OSError as error:
            if error.errno not in _NO_LOCKS_HERE:
                raise
        yield
    finally:
        os.close(file)
