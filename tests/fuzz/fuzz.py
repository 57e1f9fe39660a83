"""`make fuzz`: runs each fuzzer for a share of MINUTES, from one SEED. Prints what they did, and where each finding was kept.

Exit status: 0 nothing was found, 1 something was, 2 no fuzzer could work. `--again FOLDER` checks a kept finding once more.
"""

from __future__ import annotations

import argparse
import secrets
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "samples"))
from campaign import Campaign, Finding, check_case, run_campaign  # noqa: E402 - modules of these import what lies there
from fuzzers import FUZZERS, UnavailableError  # noqa: E402
from native_fuzzing import MessageFuzzing  # noqa: E402

FINDINGS = ROOT / "build" / "fuzz" / "findings"
_SHARES = {"kernels": 5.0, "conversation": 2.0}  # of the time; every other fuzzer has 1


def main() -> int:
    asked = _arguments()
    if asked.again:
        return _again(asked.again)
    names = asked.only or list(FUZZERS)
    total = sum(_SHARES.get(name, 1.0) for name in names)
    print(f"seed {asked.seed}; SEED={asked.seed} repeats it", flush=True)
    done = [
        one
        for name in names
        if (one := _run(name, asked, 60 * asked.minutes * _SHARES.get(name, 1.0) / total)) is not None
    ]
    found = sum(one.found for one in done)
    print(f"{sum(one.cases for one in done)} cases, {found} {'finding' if found == 1 else 'findings'}")
    return 2 if not done else 1 if found else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make fuzz", description="looks for inputs that Tilelab handles wrongly")
    parser.add_argument("--minutes", type=float, default=10, help="for all fuzzers together")
    parser.add_argument(
        "--seed", type=int, default=secrets.randbelow(1 << 31), help="the same seed makes the same cases"
    )
    parser.add_argument("--cases", type=int, default=0, help="so many of each fuzzer, however long they take")
    parser.add_argument("--only", action="append", choices=list(FUZZERS), help="may be given several times")
    parser.add_argument("--again", type=Path, help="the folder of a finding: check it once more")
    return parser.parse_args()


def _run(name: str, asked: argparse.Namespace, seconds: float) -> Campaign | None:
    """None: this fuzzer cannot work here."""
    try:
        fuzzer = FUZZERS[name](ROOT)
    except UnavailableError as reason:
        print(f"left out: {reason}", flush=True)
        return None
    if isinstance(fuzzer, MessageFuzzing):
        done = fuzzer.run(asked.seed, seconds, asked.cases, FINDINGS)
        shutil.rmtree(fuzzer.scratch, ignore_errors=True)
        for finding in done.findings:
            _tell(finding)
    else:
        done = run_campaign(fuzzer, asked.seed, FINDINGS, more=_until(seconds, asked.cases), tell=_tell)
    _summarise(done)
    return done


def _until(seconds: float, cases: int) -> Callable[[int, float], bool]:
    return (lambda done, _spent: done < cases) if cases else (lambda _done, spent: spent < seconds)


def _tell(finding: Finding) -> None:
    print(f"  {finding.text.strip().splitlines()[-1][:300]}\n    kept in {finding.folder}", flush=True)


def _summarise(done: Campaign) -> None:
    tally = ", ".join(f"{count} {name}" for name, count in done.tally.most_common(12))
    unkept = f", {done.unkept} of them like others and not kept" if done.unkept else ""
    print(
        f"{done.fuzzer}: {done.cases} cases in {done.seconds:.0f} s ({tally}): {done.found} found{unkept}", flush=True
    )


def _again(folder: Path) -> int:
    fuzzer = FUZZERS[folder.resolve().name.split("-", maxsplit=1)[0]](ROOT)
    became = "it is refused or taken"
    if isinstance(fuzzer, MessageFuzzing):
        trouble = fuzzer.again(folder)
    else:
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(shutil.copytree(folder, Path(scratch) / "case", symlinks=True))
            trouble, became = check_case(fuzzer, copy)
    print(trouble or f"nothing is wrong with it: {became}")
    return 1 if trouble else 0


if __name__ == "__main__":
    sys.exit(main())
