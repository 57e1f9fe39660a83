"""The continuous-integration files: valid by their hosts' schemas, without secrets, with the fewest rights and a time limit."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from grader.course.handout_archive import Handout

ROOT = Path(__file__).resolve().parents[2]
CI = ROOT / "handouts" / "ci"
SCHEMAS = {"github": "vendor.github-workflows", "gitlab": "vendor.gitlab-ci"}
FILES = sorted(CI.glob("*.yml"))
GITHUB = [path for path in FILES if "github" in path.name]


def read(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = YAML(typ="safe").load(path)
    return loaded


def jobs(path: Path) -> dict[str, dict[str, Any]]:
    entries = read(path)
    if path in GITHUB:
        found: dict[str, dict[str, Any]] = entries["jobs"]
        return found
    return {name: entry for name, entry in entries.items() if isinstance(entry, dict) and "script" in entry}


def commands(job: dict[str, Any]) -> list[str]:
    return [step["run"] for step in job.get("steps", []) if "run" in step] + list(job.get("script", []))


def test_there_is_one_for_each_host_and_each_kind_of_repository() -> None:
    assert [path.name for path in FILES] == [
        f"{whose}-{host}.yml" for whose in ("course", "student") for host in ("github", "gitlab")
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_its_host_would_take_it(path: Path) -> None:
    schema = SCHEMAS[path.stem.split("-")[1]]
    command = [str(Path(sys.executable).parent / "check-jsonschema"), "--builtin-schema", schema, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_job_has_a_limit_in_time(path: Path) -> None:
    assert [name for name, job in jobs(path).items() if not ("timeout-minutes" in job or "timeout" in job)] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_needs_no_secret_and_keeps_no_seed(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"secrets\.|TILELAB_SEED|password", text, re.IGNORECASE) == []
    if path.stem.startswith("course"):  # where a seed may lie in .tilelab
        assert re.findall(r"^\W*\.tilelab/?\W*$", text, re.MULTILINE) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_runs_what_the_front_door_has(path: Path) -> None:
    door = ROOT / ("handouts/student/Makefile" if path.stem.startswith("student") else "Makefile")
    targets = set(re.findall(r"^([a-z]+):", door.read_text(encoding="utf-8"), re.MULTILINE))
    run = [word[1] for job in jobs(path).values() for line in commands(job) if (word := re.match(r"make (\w+)", line))]
    assert run == (["setup", "test"] if path.stem.startswith("student") else ["check", "handouts"])
    assert set(run) <= targets


@pytest.mark.parametrize("path", GITHUB, ids=lambda path: path.stem)
def test_reads_only_unless_a_job_says_why_and_pins_every_action(path: Path) -> None:
    assert read(path)["permissions"] == {"contents": "read"}
    wider = {name: job["permissions"] for name, job in jobs(path).items() if "permissions" in job}
    assert wider == ({"publish": {"contents": "write"}} if path.stem.startswith("course") else {})
    used = [step["uses"] for job in jobs(path).values() for step in job["steps"] if "uses" in step]
    assert used
    assert [one for one in used if not re.fullmatch(r"actions/[a-z-]+@v\d+", one)] == []


def test_a_student_finds_them_where_the_hosts_look(course_handout: Handout) -> None:
    places = {".github/workflows/test.yml": "student-github.yml", ".gitlab-ci.yml": "student-gitlab.yml"}
    for place, name in places.items():
        assert course_handout.files[place].data == (CI / name).read_bytes()
    assert [name for name in course_handout.files if "course-" in name] == []
