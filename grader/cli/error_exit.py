"""Runs a command of the `tilelab` program. A known kind of error is printed as one sentence, without a stack trace."""

from __future__ import annotations

import errno
import sys
from functools import wraps
from typing import TYPE_CHECKING, Any, NoReturn

import typer

if TYPE_CHECKING:
    from collections.abc import Callable


# What no file and no argument of a command is to blame for.
_OF_MACHINE = frozenset(
    {errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EDQUOT, errno.ENOMEM, errno.EAGAIN, errno.EIO, errno.EROFS}
)
# What the owner of a file can mend.
_OF_PERMISSIONS = frozenset({errno.EACCES, errno.EPERM})


def command(app: typer.Typer, name: str, **settings: Any) -> Callable[[Callable[..., int]], Callable[..., NoReturn]]:  # noqa: ANN401 -- typer's own
    """Makes a function a command of the program. What it returns is the exit status."""

    def made(own: Callable[..., int]) -> Callable[..., NoReturn]:
        @app.command(name, **settings)
        @wraps(own)
        def run(*args: object, **named: object) -> NoReturn:
            guarded(lambda: own(*args, **named))

        return run

    return made


def guarded(run: Callable[[], int]) -> NoReturn:
    """Ends the command with the status that `run` returns; 2 if the request cannot be carried out, 3 if this machine failed, 130 if
    interrupted.
    """
    from grader.model.errors import MachineError, RemediableError  # noqa: PLC0415 -- the same
    from grader.system.worker_processes import collect_rarely  # noqa: PLC0415 -- as in the commands: a student waits for it

    collect_rarely()
    try:
        status = run()
    except KeyboardInterrupt:
        _say("interrupted; what was judged is kept: run the same command again to continue")
        status = 130
    except MachineError as error:
        _say(str(error))
        status = 3
    except RemediableError as error:
        _say(str(error))
        status = 2
    except OSError as error:
        if error.errno in _OF_PERMISSIONS and error.filename:
            _say(
                f"{error.filename}: {error.strerror}. Make it readable and writable for you, and run the same command again"
            )
            raise typer.Exit(2) from error
        if error.errno not in _OF_MACHINE:
            raise
        _say(f"this machine failed: {error}. Mend that and run the same command again; what was judged is kept")
        status = 3
    raise typer.Exit(status)


def _say(message: str) -> None:
    sys.stderr.write(f"tilelab: {message}\n")
