"""Workflows for GitHub, held against what GitHub offers at each place of one. A schema does not say that; GitHub refuses the whole file."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[4]
WORKFLOWS = sorted(
    path
    for folder in ("docker/autograders", "handouts/ci")
    for path in (ROOT / folder).rglob("*.yml")
    if "gitlab" not in path.name
)

_RUN = {"github", "inputs", "vars"}
_JOB = {"github", "needs", "strategy", "matrix", "vars", "inputs"}
_STEP = _JOB | {"job", "runner", "env", "steps", "secrets"}
# What GitHub's reference of contexts says may stand where; the first pattern that fits a place counts.
PLACES = (
    (r"env\..*", _RUN | {"secrets"}),
    (r"(name|run-name|concurrency.*|on\..*)", _RUN),
    (r"jobs\.[^.]+\.env\..*", _JOB | {"secrets"}),
    (r"jobs\.[^.]+\.if", {"github", "needs", "vars", "inputs"}),
    (r"jobs\.[^.]+\.outputs\..*", _STEP),
    (r"jobs\.[^.]+\.steps\.\d+\.if", _STEP - {"secrets"}),
    (r"jobs\.[^.]+\.steps\.\d+\..*", _STEP),
    (r"jobs\..*", _JOB),
)
_NAMES = re.compile(r"(?<![\w.'-])([a-z]+)(?=\.[\w-])")


def expressions(node: Any, place: str = "") -> Iterator[tuple[str, str]]:  # noqa: ANN401 -- whatever YAML has
    """Each expression of a workflow, and where it stands: `jobs.grade.env.OUT`."""
    if isinstance(node, dict):
        for key, value in node.items():
            yield from expressions(value, f"{place}.{'on' if key is True else key}".lstrip("."))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from expressions(value, f"{place}.{index}")
    elif isinstance(node, str):
        whole = [node] if place.endswith(".if") else re.findall(r"\$\{\{(.*?)\}\}", node, re.DOTALL)
        yield from ((place, one) for one in whole)


def refused(text: str) -> list[str]:
    found = []
    for place, expression in expressions(yaml.safe_load(text)):
        allowed = next(names for pattern, names in PLACES if re.fullmatch(pattern, place))
        words = re.sub(r"'[^']*'", "", expression)
        found += [f"{place}: {name}" for name in _NAMES.findall(words) if name not in allowed]
    return found


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_workflow_uses_at_each_place_only_what_github_offers_there(path: Path) -> None:
    assert refused(path.read_text(encoding="utf-8")) == []


def test_what_github_refuses_is_seen() -> None:
    text = """
concurrency: {group: "${{ matrix.a }}"}
jobs:
  a:
    if: secrets.x == 'env.no'
    env: {OUT: "${{ runner.temp }}/out", IN: "${{ vars.IN }}"}
    steps:
      - if: inputs.x && secrets.y
        env: {A: "${{ runner.temp }}${{ steps.a.outputs.b }}", B: "${{ hashFiles('kit.setup/**') }}"}
"""
    assert refused(text) == [
        "concurrency.group: matrix",
        "jobs.a.if: secrets",
        "jobs.a.env.OUT: runner",
        "jobs.a.steps.0.if: secrets",
    ]


@pytest.mark.parametrize("name", ["student.yml", "private.yml"])
def test_a_workflow_fits_githubs_schema_and_has_few_rights(name: str) -> None:
    path = ROOT / "docker/autograders/github-actions" / name
    checker = Path(sys.executable).parent / "check-jsonschema"
    words: list[str | Path] = [checker, "--builtin-schema", "vendor.github-workflows", path]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    text = path.read_text(encoding="utf-8")
    assert "permissions:\n  contents: read\n" in text
    assert "persist-credentials: false" in text
    assert "pull_request_target" not in text
    scripts = [place for place, _ in expressions(yaml.safe_load(text)) if place.endswith(".run")]
    assert scripts == []


def test_secrets_are_in_the_environment_of_the_steps_that_need_them_alone() -> None:
    text = (ROOT / "docker/autograders/github-actions/private.yml").read_text(encoding="utf-8")
    (job,) = yaml.safe_load(text)["jobs"].values()
    secret = {
        step["name"]: re.findall(r"secrets\.(\w+)", str(step)) for step in job["steps"] if "secrets." in str(step)
    }
    token = ["SUBMISSIONS_TOKEN"]
    assert secret == {"fetch": token, "grade": ["TILELAB_SEED"], "give back": token}
    assert text.count("secrets.") == len(secret)
