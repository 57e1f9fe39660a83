"""Writes a file as a whole or not at all: a reader sees the old contents or the new ones, and never a part of them."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

_GROUP = 0o060


def is_shared(folder: Path) -> bool:
    """Whether a group works in this folder together: it may write there, and what is made there is the group's (`chmod g+ws`)."""
    both = stat.S_ISGID | stat.S_IWGRP
    return folder.stat().st_mode & both == both


def write_atomically(path: Path, text: str | bytes, *, durable: bool = False, mode: int = 0o644) -> None:
    """Writes `text` to `path` by atomic rename: a reader sees the old file or the new one. `durable`: it is there after a loss of power
    too. `mode`: who may read it; in a folder that a group shares, its group may read and write it as well.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=".unfinished-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text.encode() if isinstance(text, str) else text)
            os.fchmod(file.fileno(), mode | (_GROUP if is_shared(path.parent) else 0))
            if durable:
                file.flush()
                os.fsync(file.fileno())
        Path(draft).replace(path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
    if durable:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


# Removes a folder in which a hostile program wrote: folders that nobody may enter, or thousands of them inside each other.


def remove_folder(folder: Path) -> None:
    """Removes what it can, follows no link, and reports nothing: callers go on without the folder's room."""
    with suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if not folder.exists():
        return
    for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):  # both walk down without a limit
        subprocess.run([*command, "--", str(folder)], capture_output=True, check=False)


# Which files are pages that step through a block, so that an earlier run has made them: others are never replaced or taken away.

_MARKS = (b'<main class="stepper">', b'<script type="application/json" id="story">')
_MOST_BYTES = 4_000_000
# How their names begin beside a report.
KINDS = ("trace", "race", "blocks", "barrier", "lanes", "unset", "outside", "sum", "copy", "untouched")
MOST_LAUNCHES = 3  # of a lab that have pages


def beside_report(kind: str, lab: str, launch: int = 1) -> str:
    """The name of a page beside a report. `launch`: counts those of the lab that have pages."""
    return f"{kind}-{lab}.html" if launch == 1 else f"{kind}-{lab}-{launch}.html"


def is_foreign(file: Path) -> bool:
    """Whether there is something that is no such page. What cannot be read is foreign."""
    if not file.is_symlink() and not file.exists():
        return False
    try:
        if file.is_symlink() or not file.is_file() or file.stat().st_size > _MOST_BYTES:
            return True
        text = file.read_bytes()
    except OSError:
        return True
    return not all(mark in text for mark in _MARKS)


def remove_stale(folder: Path, labs: Iterable[str], written: Iterable[str]) -> None:
    """Takes away the pages of these labs that an earlier run has left in `folder`, but for those that were written now."""
    kept = set(written)
    launches = range(1, MOST_LAUNCHES + 1)
    for name in (beside_report(kind, lab, launch) for lab in labs for kind in KINDS for launch in launches):
        file = folder / name
        if name not in kept and file.is_file() and not is_foreign(file):
            file.unlink(missing_ok=True)


# Opens a page in the machine's browser where there is a screen. Nothing depends on it: the page's path is printed too.

_WAIT_SECONDS = 3  # an opener that runs longer is the browser itself


def open_page(page: Path, environment: Mapping[str, str]) -> bool:
    """Whether a program opened the page."""
    command = _opener(page, environment)
    if command is None:
        return False
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=dict(environment),
        )
        status = process.wait(timeout=_WAIT_SECONDS)
    except subprocess.TimeoutExpired:
        return True
    except OSError:
        return False
    return status == 0 or Path(command[0]).name == "explorer.exe"  # it returns 1 when it has opened something


def _opener(page: Path, environment: Mapping[str, str]) -> list[str] | None:
    """The command that opens pages on this machine. None where there is no such program or no screen."""
    found = partial(shutil.which, path=environment.get("PATH", ""))
    if environment.get("WSL_DISTRO_NAME"):
        if wslview := found("wslview"):
            return [wslview, str(page)]
        if (explorer := found("explorer.exe")) and (wslpath := found("wslpath")):
            done = subprocess.run([wslpath, "-w", str(page)], capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return [explorer, done.stdout.strip()]
    screen = environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY")
    return [opener, str(page)] if screen and (opener := found("xdg-open")) else None
