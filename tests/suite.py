"""Runs the project's own tests, the kit's (Catch2) and the grader's (pytest), and ends with one line that adds both up.

Counts come from the JUnit files both write, never from their text. A runner that dies or writes none counts as one
failure, so that a crash cannot look like a pass. What was skipped is said with its reason: nothing is left out in silence. Which tests
and files took longest is said too, and kept in build/reports/slowest_tests.txt and slowest.txt.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / "build" / "reports"
# More than cores: a test that grades waits for compilers, sandboxes and time limits for about half of its time.
WORKERS = (os.cpu_count() or 1) * 2
SHOWN = 25  # of the tests, and of the files, that took longest


@dataclass(frozen=True)
class Tally:
    """Test cases by outcome."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def read_junit(text: str) -> Tally:
    """Counts a JUnit report's test cases. Raises ElementTree.ParseError on a report that was cut short."""
    tally = Tally()
    for case in ET.fromstring(text).iter("testcase"):  # noqa: S314  our own runners wrote it
        outcomes = {child.tag for child in case}
        if outcomes & {"failure", "error"}:
            tally += Tally(failed=1)
        elif "skipped" in outcomes:
            tally += Tally(skipped=1)
        else:
            tally += Tally(passed=1)
    return tally


def skips(text: str) -> Iterator[str]:
    """What a JUnit report says was skipped and why, each reason once with how many tests it kept from running."""
    reasons: Counter[tuple[str, str]] = Counter()
    for case in ET.fromstring(text).iter("testcase"):  # noqa: S314  our own runners wrote it
        if (skipped := case.find("skipped")) is not None:
            # tests.gpu.test_speed_on_gpu: what kind of test it was
            area = ".".join(case.get("classname", "").split(".")[1:-1]) or "others"
            reasons[area, skipped.get("message") or "no reason given"] += 1
    for (area, reason), count in sorted(reasons.items()):
        yield f"skipped, {area}: {count} {'test' if count == 1 else 'tests'}: {reason}"


def conclude(status: int, report: str | None) -> Tally:
    """What a runner's exit status and report amount to; a non-zero status never comes out without a failure."""
    try:
        tally = read_junit(report) if report is not None else Tally()
    except ET.ParseError:
        tally = Tally()
    return tally if (status == 0 and tally != Tally()) or tally.failed else tally + Tally(failed=1)


def environment() -> dict[str, str]:
    """Python keeps what it compiles, also where it is told not to: the tests start it hundreds of times. Git ignores these files."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def slowest(text: str, *, tests: bool = False) -> list[str]:
    """Of a report of pytest: what each file, or each test, took in seconds, on the clock and of processors, the longest first."""
    clock: defaultdict[str, float] = defaultdict(float)
    spent: defaultdict[str, float] = defaultdict(float)
    for case in ET.fromstring(text).iter("testcase"):  # noqa: S314  our own runners wrote it
        name = case.get("classname", "").replace(".", "/") + ".py" + (f"::{case.get('name')}" if tests else "")
        clock[name] += float(case.get("time", "0"))
        for one in case.iter("property"):
            spent[name] += float(one.get("value", "0")) if one.get("name") == "processor_seconds" else 0
    return [
        f"{seconds:8.1f} {spent[name]:8.1f}  {name}" for name, seconds in sorted(clock.items(), key=lambda one: -one[1])
    ]


def run(name: str, command: list[str], *, held: bool = False) -> Tally:
    """`held`: what it prints is shown when it has ended."""
    report = REPORTS / f"{name}.xml"
    report.unlink(missing_ok=True)
    done = subprocess.run(
        command, cwd=ROOT, env=environment(), check=False,
        stdout=subprocess.PIPE if held else None, stderr=subprocess.STDOUT if held else None,
    )  # fmt: skip
    text = report.read_text(encoding="utf-8", errors="replace") if report.is_file() else None
    tally = conclude(done.returncode, text)
    if held:
        sys.stdout.write(done.stdout.decode(errors="replace"))
    if text is not None and tally.skipped:
        print(*skips(text), sep="\n")
    print(f"{name}: {tally}" + (f" (exit status {done.returncode})" if done.returncode else ""), flush=True)
    return tally


def compile_tests() -> None:
    """Python compiles the tests once: otherwise each of pytest's workers would do it for itself."""
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only"]
    subprocess.run(command, cwd=ROOT, env=environment(), check=False, capture_output=True)


def show_slowest() -> None:
    for name, what in (("slowest_tests.txt", "test"), ("slowest.txt", "file")):
        try:
            lines = slowest((REPORTS / "grader.xml").read_text(encoding="utf-8"), tests=what == "test")
        except (OSError, ET.ParseError):  # which was told as a failure
            return
        heading = f" seconds processor  {what} (processor: without what ran in a sandbox)"
        (REPORTS / name).write_text("\n".join([heading, *lines, ""]), encoding="utf-8")
        print(heading, *lines[:SHOWN], sep="\n")


def main() -> int:
    REPORTS.mkdir(parents=True, exist_ok=True)
    catch2 = [str(ROOT / "build/bin/kit-tests"), "--rng-seed", "1", "--reporter", "console"]
    catch2 += ["--reporter", f"junit::out={REPORTS}/kit.xml"]
    pytest = [sys.executable, "-m", "pytest", "-q", "-n", str(WORKERS), "--dist", "loadfile", "--no-loadscope-reorder"]
    pytest.append(f"--junitxml={REPORTS}/grader.xml")
    with ThreadPoolExecutor(1) as beside:  # the kit's tests need one core
        kit = beside.submit(run, "kit", catch2, held=True)
        compile_tests()
        grader = run("grader", pytest)
        total = kit.result() + grader
    show_slowest()
    print(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
