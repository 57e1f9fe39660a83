"""The peak memory of a program's processes: VmHWM, read while they run.

ru_maxrss cannot be used: it includes the memory of the Python process that forked.
"""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

_PEAK = re.compile(r"^VmHWM:\s*(\d+) kB", re.MULTILINE)


def peak_mib(command: list[str], task: bytes, program: Path) -> float:
    """Runs `command` with `task` on its standard input, and returns the peak of the largest process of `program`.

    Growth in the last 2 ms can be missed.
    """
    peak = 0
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet) as running:
        assert running.stdin is not None
        running.stdin.write(task)
        running.stdin.close()
        while running.poll() is None:
            for process in Path("/proc").glob("[0-9]*"):
                try:
                    if (process / "exe").readlink() == program and (
                        found := _PEAK.search((process / "status").read_text())
                    ):
                        peak = max(peak, int(found[1]))
                except OSError:
                    continue  # the process has ended
            time.sleep(0.002)
    return peak / 1024
