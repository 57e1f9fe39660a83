"""The most memory a program's processes have held: VmHWM, looked up while they live.

Not ru_maxrss: that carries over what the forking Python held before it became the program.
"""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

_PEAK = re.compile(r"^VmHWM:\s*(\d+) kB", re.MULTILINE)


def peak_mib(command: list[str], program: Path) -> float:
    """Runs `command`; the largest process of `program` it started meanwhile. What the last 2 ms added can be missed."""
    peak = 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        while running.poll() is None:
            for process in Path("/proc").glob("[0-9]*"):
                try:
                    if (process / "exe").readlink() == program and (
                        found := _PEAK.search((process / "status").read_text())
                    ):
                        peak = max(peak, int(found[1]))
                except OSError:
                    continue  # ended meanwhile
            time.sleep(0.002)
    return peak / 1024
