"""A kernel gets the same findings and counts every time it is judged. So does a copy of it with other names and another layout.

The tests take a sample of the kernels by default, and all of them with TILELAB_WHOLE_CORPUS=1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from corpus_sample import sample

from grader.engines.toolset import Toolset
from grader.model.course_root import load_labs
from grader.model.outcome import LabOutcome
from grader.roll.batch.job_store import OUTCOME_JSON
from grader.run.lab_judging import LabJudge

ROOT = Path(__file__).resolve().parents[2]
SEED = 20_240_917
CORPUS = sorted(
    path.relative_to(ROOT).as_posix()
    for pattern in ("solutions/*/*.cu", "solutions/*/rejects/*.cu", "tests/labs/accepted/*/*.cu")
    for path in ROOT.glob(pattern)
)
SAMPLE = sample(CORPUS, 244)
OFTEN = (  # half of these in each run
    "solutions/01-naive/rejects/blocks_overlap.cu",
    "solutions/02-tiled/rejects/no_barriers.cu",
    "solutions/02-tiled/rejects/barrier_in_each_branch.cu",
    "solutions/03-boundary/rejects/no_zero_fill.cu",
    "solutions/03-boundary/rejects/unguarded_store.cu",
)
_DECLARED = re.compile(
    r"\b(?:int|unsigned|float|double|bool|size_t|auto|float2|float4|int4)\b[ *&]*(?:const )?(?:__restrict__ )?([A-Za-z]\w*) ?(?=[=;\[,){])"
)
_OTHERS = frozenset({*"xyzw", "int", "const", "operator"})  # members of vectors, and words that follow a type
_LINES = re.compile(r"\b[Ll]ines? \d+(?:(?:, | and | or | to )\d+)*")  # "line 3", "lines 3 and 5"
_NUMBER = re.compile(r"\d+")
_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|\b[A-Za-z_]\w*\b')  # a string is no name
_PLACES = ("line", "launch_line")
_UNTOLD = frozenset(
    {"source", "columns", "seconds", "log"}
)  # text of the file's lines, places in it, times, compiler messages


@dataclass(frozen=True)
class Copy:
    """The same text in another spelling. `lines[n]`: the original line of the copy's line n. `names`: the original names."""

    text: str
    lines: dict[int, int]
    names: dict[str, str]


def copied(text: str) -> Copy:
    """Reverses declared names, moves every line and changes its indentation, and puts comments in between."""
    used_otherwise = set(re.findall(r"(?:\.|->|#define |struct |class |#include <)(\w+)", text)) | _OTHERS
    names = {f"q_{name[::-1]}": name for name in _DECLARED.findall(text) if name not in used_otherwise}
    spelt = {name: copy for copy, name in names.items()}
    renamed = _WORD.sub(lambda word: spelt.get(word[0], word[0]), text)
    out: list[str] = []
    lines: dict[int, int] = {}
    whole = True  # whether the last line ended at its end of line
    for number, line in enumerate(renamed.split("\n"), 1):
        if whole and not line.startswith("#"):
            out += ["", f"  // {number % 7} lines of nothing"]
        indented = line if line.startswith("#") or not whole else f"\t  {line.strip()}"
        out.append(indented.replace(";  //", "  ;  //"))
        lines[len(out)] = number
        whole = not line.endswith("\\")
    return Copy("\n".join(out), lines, names)


def told(value: object, copy: Copy) -> object:
    """Everything that an outcome says, with the names and the lines of the original."""
    match value:
        case dict():
            return {
                key: copy.lines.get(one, one) if key in _PLACES else told(one, copy)
                for key, one in value.items()
                if key not in _UNTOLD
            } | {
                "findings": sorted((told(one, copy) for one in value.get("findings", [])), key=repr)
            }  # they go by name
        case list():
            return [told(one, copy) for one in value]
        case str():
            text = _LINES.sub(
                lambda line: _NUMBER.sub(lambda n: str(copy.lines.get(int(n[0]), int(n[0]))), line[0]), value
            )
            text = re.sub(r"\b0x[0-9a-f]{6,}", "an address", text)
            text = re.sub(r"\b[\d.]+ ms\b", "a time", text)  # that a program has measured and printed
            return re.sub(r"\bq_\w+", lambda word: copy.names.get(word[0], word[0]), text)
        case _:
            return value


def seen(outcome: LabOutcome, copy: Copy) -> object:
    return told(OUTCOME_JSON.dump_python(outcome, mode="json"), copy)


@pytest.mark.parametrize("kernel", sorted({*SAMPLE, *sample(OFTEN, 2)}))
def test_a_kernel_is_told_the_same_again_and_in_other_words(kernel: str, toolset: Toolset, tmp_path: Path) -> None:
    lab = next(lab for lab in load_labs(ROOT, []) if lab.id in Path(kernel).parts)
    text = (ROOT / kernel).read_text(encoding="utf-8")
    copy, itself = copied(text), Copy(text, {}, {})

    def judged(one: Copy) -> object:
        source = tmp_path / lab.public.file
        source.write_text(one.text, encoding="utf-8")
        return seen(LabJudge(toolset, SEED, public_only=True)(lab, source, tmp_path), one)

    first = judged(itself)
    assert judged(itself) == first
    assert judged(copy) == first
