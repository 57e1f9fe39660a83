"""Runs every program with a main under a folder with `tilelab run`, and prints what came of each: whether it ran to its end, whether
its output is that of a GPU, what was found, and what was refused. It fetches nothing.

    python tests/suites/programs_suite.py FOLDER [--only PART] [--every 10] [--gpu results.json] [--json FILE] [--jobs 2]

`--gpu`: {"runs": {name: [{"status": …, "out": …, "cut": true where not all was kept}, …]}}, what the same programs printed on a GPU. The
programs themselves are not part of this repository.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from program_output import Likeness, likeness
from public_program import ProgramRun, programs_in, run

_DIFFERENT = frozenset({Likeness.OTHER})


def ending(done: ProgramRun) -> str:
    """`ran`, or why it did not run to its end: what was refused, or how it ended."""
    if not done.report:
        return "no end" if done.status == "no end" else f"no report, exit status {done.status}"
    if done.refusals:
        return "refused"
    ended = str(done.report.get("ended", "not built"))
    return "ran" if ended == "exit" else ended


def row(done: ProgramRun, gpu: Mapping[str, Any]) -> dict[str, Any]:
    there = gpu.get(done.program.name, [])
    out = str(done.report.get("output", ""))
    like = likeness(*_compared(out, done, there)) if there else ""
    if like is Likeness.OTHER and done.program.draws_anew:
        like = Likeness.RANDOM
    return {
        "name": done.program.name,
        "ending": ending(done),
        "status": done.report.get("status"),
        "gpu_status": there[0]["status"] if there else None,
        "output": str(like),
        "findings": [[one.get("kind"), one.get("file"), one.get("line"), one.get("message")] for one in done.findings],
        "refusals": done.refusals,
        "err": "" if done.report and not done.refusals else done.err,
        "seconds": round(done.seconds, 1),
        "printed": out[:12000],
    }


def _compared(out: str, done: ProgramRun, there: Sequence[Mapping[str, Any]]) -> tuple[str, list[str]]:
    """Both outputs as far as the GPU's was kept, with the program's own name in both."""
    gpu = [str(one["out"]).replace(done.program.name, done.program.file.stem) for one in there]
    if any(one.get("cut") for one in there):
        lines = min(one.count("\n") for one in gpu)
        out, *gpu = ("\n".join(one.split("\n")[:lines]) for one in (out, *gpu))
    return out, gpu


def summary(rows: Sequence[Mapping[str, Any]]) -> str:
    lines = [f"{len(rows)} programs"]
    for title, counts in (
        ("ended", Counter(one["ending"] for one in rows)),
        ("output", Counter(one["output"] for one in rows if one["ending"] == "ran" and one["output"])),
        ("found", Counter(kind for one in rows for kind in {finding[0] for finding in one["findings"]})),
        ("refused", Counter(one["refusals"][0] for one in rows if one["refusals"])),
    ):
        lines += [f"  {title}: {count} {what}" for what, count in counts.most_common()]
    ran = [one for one in rows if one["ending"] == "ran" and one["output"] and one["output"] not in _DIFFERENT]
    compared = [one for one in rows if one["gpu_status"] not in (None, "timeout")]
    if compared:
        lines.append(f"  {len(ran)} of {len(compared)} that a GPU ran to their end end here with its output")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--gpu", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    chosen = parser.parse_args()
    gpu = json.loads(chosen.gpu.read_text(encoding="utf-8"))["runs"] if chosen.gpu else {}
    rows = []
    with ThreadPoolExecutor(chosen.jobs) as pool:
        for done in pool.map(run, list(programs_in(chosen.folder, chosen.only))[:: chosen.every]):
            rows.append(row(done, gpu))
            one = rows[-1]
            found = ", ".join(f"{kind} in line {line}" for kind, _, line, _ in one["findings"])
            said = [one["ending"], one["output"], found, *one["refusals"][:1]]
            sys.stdout.write(f"{one['seconds']:6} s {one['name']}: {'; '.join(part for part in said if part)}\n")
            sys.stdout.flush()
            if chosen.json:
                chosen.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    sys.stdout.write(summary(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
