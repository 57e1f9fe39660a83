"""Opens a page in the machine's browser where there is a screen. Nothing depends on it: the page's path is printed too."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_WAIT_SECONDS = 3  # an opener that runs longer is the browser itself


def open_page(page: Path, environment: Mapping[str, str], *, platform: str = sys.platform) -> bool:
    """Whether a program opened the page."""
    command = _opener(page, environment, platform)
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


def _opener(page: Path, environment: Mapping[str, str], platform: str) -> list[str] | None:
    """The command that opens pages on this machine. None where there is no such program or no screen."""
    path = environment.get("PATH", "")

    def found(name: str) -> str | None:
        return shutil.which(name, path=path)

    if environment.get("WSL_DISTRO_NAME"):
        if wslview := found("wslview"):
            return [wslview, str(page)]
        if (explorer := found("explorer.exe")) and (wslpath := found("wslpath")):
            done = subprocess.run([wslpath, "-w", str(page)], capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return [explorer, done.stdout.strip()]
    if platform == "darwin":
        opener = found("open")
        return [opener, str(page)] if opener else None
    if environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"):
        opener = found("xdg-open")
        return [opener, str(page)] if opener else None
    return None
