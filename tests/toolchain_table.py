"""Holds each compiler of this machine against the canaries and the corpus, and prints a row of a table for each: `.ci/toolchains`.

A row counts what came to what it must, in groups of kernels, and names what did not. A compiler that a submission cannot be built with
here has no row, and its name is said. What is skipped counts as neither.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

ROOT = Path(__file__).resolve().parent.parent
VARIABLE = "TILELAB_COMPILER"
COMPILERS = (*(f"g++-{number}" for number in range(12, 17)), *(f"clang++-{number}" for number in range(14, 23)))
GROUPS = {  # a column, and its tests
    "correct": ("test_models.py", "test_accepted.py"),
    "wrong": ("test_rejects.py", "test_crashes.py"),
    "exploits": ("test_kernel_exploits.py", "test_technique_exploits.py"),
}
_SECOND_COMPILER = "[clang++-"  # the same exploits once more, with a compiler that the test itself chooses


def row(compiler: str, canaries: tuple[int, int], tallies: dict[str, tuple[int, int]]) -> str:
    """`canaries` and `tallies`: how many came to what they must, and how many were run."""
    cells = [f"{right} of {total}" if total else "none" for right, total in (canaries, *tallies.values())]
    return f"| {' | '.join([compiler, *cells])} |"


def tallies_of(report: str) -> tuple[dict[str, tuple[int, int]], list[str]]:
    """For each column the passed and all tests of a JUnit report; and the names of those that failed."""
    total, right, failed = Counter[str](), Counter[str](), []
    for case in ET.fromstring(report).iter("testcase"):  # noqa: S314  our own runner wrote it
        file = f"{case.get('classname', '').rsplit('.', 1)[-1]}.py"
        group = next((name for name, files in GROUPS.items() if file in files), "")
        outcomes = {child.tag for child in case}
        if not group or "skipped" in outcomes:
            continue
        total[group] += 1
        if outcomes & {"failure", "error"}:
            failed.append(case.get("name", "?"))
        else:
            right[group] += 1
    return {name: (right[name], total[name]) for name in GROUPS}, failed


def sampled(listed: str, every: int) -> list[str]:
    """Every `every`-th of the tests that pytest lists, and all exploits, without those that choose a compiler themselves."""
    tests = [line for line in listed.splitlines() if "::" in line and _SECOND_COMPILER not in line]
    exploits = [test for test in tests if test.partition("::")[0].endswith(GROUPS["exploits"])]
    return [*[test for test in tests if test not in exploits][::every], *exploits]


def _canaries(environment: dict[str, str]) -> tuple[int, int, list[str]]:
    command = [str(ROOT / ".venv/bin/tilelab"), "canaries"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith(("ok ", "-- "))]
    missed = [line for line in lines if line.startswith("-- ")]
    return len(lines) - len(missed), len(lines), missed or ([] if lines else [done.stderr.strip()])


def _corpus(environment: dict[str, str], every: int, workers: str) -> tuple[dict[str, tuple[int, int]], list[str]]:
    files = [str(ROOT / "tests/labs" / file) for files in GROUPS.values() for file in files]
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    listed = subprocess.run(
        [*pytest, "--collect-only", *files], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    with tempfile.TemporaryDirectory(prefix="toolchains-") as folder:
        chosen, report = Path(folder, "tests"), Path(folder, "report.xml")
        chosen.write_text("\n".join(sampled(listed.stdout, every)), encoding="utf-8")
        command = [*pytest, "-n", workers, "-o", "junit_family=xunit1", f"--junitxml={report}", f"@{chosen}"]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        if not report.is_file():
            return dict.fromkeys(GROUPS, (0, 0)), [done.stdout[-500:] + done.stderr[-500:]]
        return tallies_of(report.read_text(encoding="utf-8", errors="replace"))


def _version(compiler: str) -> str:
    said = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False).stdout
    return said.partition("\n")[0]


def main() -> int:
    parser = argparse.ArgumentParser(prog=".ci/toolchains", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("compilers", nargs="*", metavar="COMPILER", help="default: all that are installed")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="run every Nth correct or wrong kernel only")
    parser.add_argument("--workers", default="2", metavar="N", help="how many tests run at once; default: 2")
    told = parser.parse_args()
    print(f"| compiler | canaries | {' | '.join(GROUPS)} |\n|{'---|' * (len(GROUPS) + 2)}", flush=True)
    broken = False
    for compiler in told.compilers or filter(shutil.which, COMPILERS):
        environment = {**os.environ, VARIABLE: compiler}
        right, total, missed = _canaries(environment)
        tallies, failed = _corpus(environment, max(1, told.every), told.workers)
        print(row(_version(compiler), (right, total), tallies), flush=True)
        for what in [*missed, *failed]:
            print(f"  {compiler}: {what}", file=sys.stderr, flush=True)
        broken = broken or bool(missed or failed)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
