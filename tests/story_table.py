"""Which page each wrong kernel gets: its verdict, its first finding, and the stories with their questions, as a report has them.

    .venv/bin/python tests/story_table.py [LAB | FILE.cu=LAB]… [--pages FOLDER] [--json FILE]

Without names, all rejects of all labs are judged, with their public cases. It judges like a report and asserts nothing: a person reads it.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from html import unescape
from pathlib import Path

from grader.engines.toolset import Toolset
from grader.explain.story import unpacked
from grader.model.course_root import PUBLIC_SEED
from grader.model.labs import load_lab
from grader.model.outcome import LabOutcome
from grader.model.result import Finding, StepPage
from grader.roll.batch.opened_tools import lab_judge
from grader.run.lab_verdict import lab_verdict

ROOT = Path(__file__).resolve().parent.parent
_TRACE = "trace-"  # every failure has this page; the others are the stories


@dataclass(frozen=True)
class StoryRow:
    lab: str
    kernel: str
    verdict: str
    finding: str  # the first one, or the picture of a wrong result in words
    causes: tuple[str, ...]  # what is said beside it
    stories: dict[str, str]  # what each shows, by its kind
    questions: dict[str, tuple[str, ...]]  # each with its right answer

    @property
    def line(self) -> str:
        pages = ", ".join(f"{kind} ({len(self.questions[kind])}?)" for kind in self.stories) or "none"
        cells = (self.lab, self.kernel, self.verdict, self.finding, pages)
        return f"| {' | '.join(one.replace('|', '/') for one in cells)} |"


def row_of(lab_id: str, source: Path, outcome: LabOutcome, verdict: str) -> StoryRow:
    findings = [one for case in outcome.cases for launch in case.launches for one in launch.findings]
    told = next((one for one in (*outcome.findings, *findings) if one.severity == "error"), None)
    wrong = [launch.mismatch.summary for case in outcome.cases for launch in case.launches if launch.mismatch]
    said = [case.message for case in outcome.cases if case.message]
    pages = [page for page in outcome.step_pages if not page.name.startswith(_TRACE)]
    return StoryRow(
        lab_id,
        source.stem,
        verdict,
        _finding(told) if told else next(iter([*wrong, *said]), ""),
        tuple(_finding(one) for one in outcome.causes),
        {page.name.partition("-")[0]: summary_of(page) for page in pages},
        {page.name.partition("-")[0]: tuple(questions_of(page)) for page in pages},
    )


def summary_of(page: StepPage) -> str:
    found = re.search(r'<p class="summary[^>]*>(.*?)</p>|</summary><p>(.*?)</p></details>', unpacked(page))
    return unescape(re.sub(r"<[^>]*>", "`", found[1] or found[2])) if found else ""


def questions_of(page: StepPage) -> Iterator[str]:
    block = re.search(r'<script type="application/json" id="story">(.*?)</script>', unpacked(page), re.DOTALL)
    for one in json.loads(block[1])["questions"] if block else ():
        others = [choice for choice in one["choices"] if choice != one["choices"][one["answer"]]]
        yield f"{one['text']} ► {one['choices'][one['answer']]} (not: {'; '.join(others)})"


def _finding(finding: Finding) -> str:
    return f"{finding.kind.value}, line {finding.line}: {finding.message}"


def kernels(names: Sequence[str]) -> list[tuple[str, Path]]:
    """With the lab of each."""
    files = [name.rpartition("=") for name in names if "=" in name]
    labs = [name for name in names if "=" not in name]
    found = [(lab, Path(file)) for file, _, lab in files]
    for path in sorted(ROOT.glob("solutions/*/rejects/*.cu")):
        lab = path.parent.parent.name
        if not names or lab in labs:
            found.append((lab, path))
    return found


def judged(toolset: Toolset, lab_id: str, source: Path, pages: Path | None = None) -> StoryRow:
    lab = load_lab(ROOT, lab_id)
    with tempfile.TemporaryDirectory(prefix="story-table-") as scratch:
        judge = lab_judge(toolset, PUBLIC_SEED, public_only=True, draws=True)
        outcome = judge(lab, source, Path(scratch))
    for page in outcome.step_pages if pages else ():
        folder = (pages or Path()) / lab_id / source.stem
        folder.mkdir(parents=True, exist_ok=True)
        (folder / page.name).write_text(unpacked(page), encoding="utf-8")
    return row_of(lab_id, source, outcome, lab_verdict(replace(lab, private=None), outcome).verdict.value)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="LAB | FILE.cu=LAB", help="default: every reject of every lab")
    parser.add_argument("--pages", type=Path, metavar="FOLDER", help="keep the pages here")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write down what each page says and asks")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    asked = parser.parse_args()
    toolset = Toolset.open(ROOT, allow_no_sandbox=True)
    print("| lab | kernel | verdict | first finding | pages (questions) |\n|---|---|---|---|---|", flush=True)
    rows = []
    with ThreadPoolExecutor(asked.jobs) as workers:
        for row in workers.map(lambda one: judged(toolset, one[0], one[1], asked.pages), kernels(asked.names)):
            print(row.line, flush=True)
            rows.append(asdict(row))
    if asked.json:
        asked.json.write_text(json.dumps(rows, indent=1, ensure_ascii=False), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
