"""The judge and the grader agree on the report: both are tested with the same sample."""

from __future__ import annotations

import json
import re
from pathlib import Path

from grader.model.result import Launch
from grader.model.verdicts import Verdict

ROOT = Path(__file__).resolve().parents[4]
SAMPLE = json.loads((ROOT / "tests/kit/samples/judge.json").read_text(encoding="utf-8"))


def test_every_launch_of_the_sample_is_a_launch_of_the_result() -> None:
    launches = [Launch.model_validate(launch) for case in SAMPLE["cases"] for launch in case["launches"]]
    full = launches[-1]
    assert full.grid == (1, 2, 3)
    assert full.findings[0].other is not None
    assert full.findings[0].other.line == 15
    assert full.findings[1].file is None
    assert full.mismatch is not None
    assert [element.got for element in full.mismatch.first] == [-4.5, None, None]


def test_cases_have_the_fields_that_the_architecture_page_names() -> None:
    for case in SAMPLE["cases"]:
        assert set(case) == {"name", "tags", "passed", "verdict", "message", "launches"}
        assert case["verdict"] in set(Verdict)


def test_the_judge_ranks_verdicts_as_the_grader_does() -> None:
    header = (ROOT / "build/generated/executor/verdict_list.hpp").read_text(encoding="utf-8")
    names = header.split("verdict_names{", 1)[1].split("}", 1)[0]
    assert re.findall(r'"([a-z-]+)"', names) == [verdict.value for verdict in Verdict]
