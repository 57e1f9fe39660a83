"""Runs all tests that need a GPU, several at a time, and ends with a table: what was tested, whether it passed, how long it took, and
what was measured.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "build" / "reports" / "gpu.xml"
# Making contexts takes most of the time; what is timed has the GPU alone.
WORKERS = max(1, min(7, (os.cpu_count() or 1) // 2))
_LOOKS = {"failure": ("FAILED", "red"), "error": ("ERROR", "red"), "skipped": ("skipped", "yellow")}


def table_of(report: str) -> Table:
    """Makes the table from a JUnit report. A test's measurements are properties in it."""
    table = Table("test", "outcome", "seconds", "measured", show_lines=True)
    for case in ET.fromstring(report).iter("testcase"):  # noqa: S314  our own runner wrote it
        tags = [child.tag for child in case if child.tag in _LOOKS]
        word, style = _LOOKS[tags[0]] if tags else ("ok", "green")
        said = [one.get("value", "") for one in case.iter("property") if one.get("name") == "measured"]
        said += [
            child.get("message", "").splitlines()[0] for child in case if child.tag in _LOOKS and child.get("message")
        ]
        name = case.get("name", "").removeprefix("test_").replace("_", " ")
        table.add_row(
            name, f"[{style}]{word}[/]", f"{float(case.get('time', 0)):.1f}", "\n".join(said).replace("[", r"\[")
        )
    return table


def main() -> int:
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.unlink(missing_ok=True)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-v",  # names each test as it ends: of a run that is stopped, that is all there is
        "-rs",
        "-n",
        str(WORKERS),
        "-o",
        "junit_family=xunit1",
        f"--junitxml={REPORT}",
        str(ROOT / "tests" / "gpu"),
    ]
    status = subprocess.run(command, cwd=ROOT, check=False).returncode
    if not REPORT.is_file():
        return status or 1
    Console(width=180, highlight=False).print(table_of(REPORT.read_text(encoding="utf-8", errors="replace")))
    return status


if __name__ == "__main__":
    sys.exit(main())
