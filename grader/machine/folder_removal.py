"""Removes a folder in which a hostile program wrote: folders that nobody may enter, or thousands of them inside each other."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import suppress
from pathlib import Path


def remove_folder(folder: Path) -> None:
    """Removes what it can, follows no link, and reports nothing: callers go on without the folder's room."""
    with suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if not folder.exists():
        return
    for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):  # both walk down without a limit
        subprocess.run([*command, "--", str(folder)], capture_output=True, check=False)
