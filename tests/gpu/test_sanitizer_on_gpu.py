"""Compares what compute-sanitizer and the CPU executor find in wrong and correct kernels.

It takes a sample. TILELAB_WHOLE_CORPUS=1 takes all kernels, which needs some minutes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from corpus_sample import sample

from grader.engines.gpu_toolchain import TOOLS
from grader.engines.toolset import Toolset
from grader.model.errors import RemediableError
from grader.model.result import LabResult
from grader.model.verdicts import Verdict
from grader.run.gpu_judging import under_sanitizer

ROOT = Path(__file__).resolve().parents[2]
Grade = Callable[[Sequence[tuple[str, Path]]], list[LabResult]]
Measured = Callable[[str], None]
ACCEPTED = sorted((ROOT / "tests" / "labs" / "accepted").glob("*/*.cu"))
REJECTS = sorted(ROOT.glob("solutions/*/rejects/*.cu"))
# We refuse these before they run, so the tools do not see them.
_RUN = frozenset(
    {
        "race",
        "out-of-bounds",
        "uninitialized-read",
        "barrier-divergence",
        "misaligned",
        "wrong-answer",
        "input-modified",
    }
)
_FIRST_LINE = re.compile(r"// verdict: ([a-z-]+)")
_EACH = 9  # the sample takes one kernel in this many


@pytest.fixture
def on_gpu(on_gpu: Toolset) -> Toolset:
    try:
        return under_sanitizer(on_gpu)
    except RemediableError as error:
        pytest.skip(str(error))


def chosen(paths: list[Path]) -> list[Path]:
    return list(sample(paths, _EACH))


def seen_by(result: LabResult) -> dict[str, set[str]]:
    """The kinds that each tool reports."""
    seen: dict[str, set[str]] = {tool: set() for tool in TOOLS}
    for finding in result.findings:
        for tool in finding.confirmed_by:
            seen[tool].add(finding.kind.value)
    return seen


def outputs_differ(result: LabResult) -> bool:
    """Whether the outputs on the GPU are wrong, without any tool and without the CPU executor."""
    return any(case.on_gpu is not None and case.on_gpu.verdict is not Verdict.PASS for case in result.cases)


def test_a_correct_kernel_is_clean_under_every_tool(grade: Grade, measured: Measured) -> None:
    paths = chosen(ACCEPTED)
    results = grade([(path.parent.name, path) for path in paths])
    said = {
        f"{path.parent.name}/{path.stem}": [one.message for one in result.findings if one.confirmed_by]
        for path, result in zip(paths, results, strict=True)
        if any(one.confirmed_by for one in result.findings)
    }
    troubles = Counter(result.gpu_trouble for result in results if result.gpu_trouble)
    measured(
        f"{len(paths) - len(said)} of {len(paths)} clean under all four tools; otherwise: {said}; not asked: {troubles}"
    )
    assert said == {}


def test_wrong_kernels_under_every_tool(grade: Grade, measured: Measured) -> None:
    """Asserts only that the tools work. They may miss mistakes."""
    found = [(path, _FIRST_LINE.match(path.read_text(encoding="utf-8"))) for path in REJECTS]
    rows = [(path, match[1]) for path, match in found if match and match[1] in _RUN]
    paths = chosen([path for path, _ in rows])
    demanded = dict(rows)
    results = grade([(path.parent.parent.name, path) for path in paths])
    heard = {path: seen_by(result) for path, result in zip(paths, results, strict=True)}
    differ = {path for path, result in zip(paths, results, strict=True) if outputs_differ(result)}
    for path in paths:
        tools = ", ".join(f"{tool}: {'/'.join(sorted(kinds))}" for tool, kinds in heard[path].items() if kinds)
        outputs = "outputs differ" if path in differ else "outputs agree"
        measured(
            f"{path.parent.parent.name}/{path.stem}: {demanded[path]}; {tools or 'nothing from any tool'}; {outputs}"
        )
    by_tool = Counter(tool for kinds in heard.values() for tool, one in kinds.items() if one)
    silent = {path for path in paths if not any(heard[path].values())}
    measured(
        f"{len(paths)} run; outputs of {len(differ)} differ; each tool reports something of {dict(by_tool)}; nothing from any tool"
        f" of {len(silent)}, {len(silent - differ)} of them with outputs that agree:"
        f" {sorted(path.stem for path in silent - differ)}"
    )
    assert by_tool
