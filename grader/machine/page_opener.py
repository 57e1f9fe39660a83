"""Opens a page in whatever shows pages on this machine, where somebody is there to see it. Never needed: its path is
printed as well.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_PATIENCE_SECONDS = 3  # an opener that runs on longer is the browser itself


def open_page(page: Path, environment: Mapping[str, str], *, platform: str = sys.platform) -> bool:
    """Whether something took it."""
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
        status = process.wait(timeout=_PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        return True
    except OSError:
        return False
    return status == 0 or Path(command[0]).name == "explorer.exe"  # which says 1 whenever it has opened something


def _opener(page: Path, environment: Mapping[str, str], platform: str) -> list[str] | None:
    """The command for this machine; None where nothing opens pages or there is no screen to open them on."""
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
