"""The scripts that platforms start, run outside of any container: what they leave where the grader works, and where it does not."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from published_formats import GRADESCOPE

from grader.model.course_root import load_labs
from grader.plugins.autograders.packing import PackRequest, gradescope_pack, zipped
from grader.plugins.autograders.platform_list import NOT_GRADED

pytestmark = pytest.mark.in_turn(3)

ROOT = Path(__file__).resolve().parents[4]
SCRIPTS = ROOT / "docker" / "autograders"
LAB, FILE = "01-naive", "matmul_naive.cu"


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def stand_in(course: Path, body: str) -> None:
    """A `tilelab` that writes down how it was called, and then does something else."""
    program(course / ".venv/bin/tilelab", f'#!/bin/bash\nprintf "%s\\n" "$@" >"{course}/called"\n{body}\n')


def run(
    *command: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    told = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent", **(env or {})}
    return subprocess.run(command, cwd=cwd, env=told, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Gradescope's folder with the unpacked zip in it. What set-up would build is this clone's own."""
    folder = tmp_path_factory.mktemp("autograder")
    seed = folder / "seed"
    seed.write_text("20260228\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILELAB_SEED", str(seed))
        made = gradescope_pack(PackRequest(ROOT, load_labs(ROOT, [LAB]), time=1_700_000_000))
    with zipfile.ZipFile(io.BytesIO(made.files["autograder.zip"].data)) as archive:
        for member in archive.namelist():
            os.utime(
                archive.extract(member, folder / "source"), (1_700_000_000, 1_700_000_000)
            )  # before the build, as on Gradescope
    for name in (".venv", "build"):
        (folder / "source" / "tilelab" / name).symlink_to(ROOT / name)
    (folder / "submission_metadata.json").write_text('{"users": [{"name": "Ada"}]}', encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("submitted", "score"),
    [(f"solutions/{LAB}/{FILE}", 13.0), ("tests/autograders/samples/hostile-includes/vector_add.cu", 0.0)],
)
def test_gradescopes_script_grades_what_was_handed_in(unpacked: Path, submitted: str, score: float) -> None:
    for old in (unpacked / "submission").glob("*"):
        old.unlink()
    (unpacked / "submission").mkdir(exist_ok=True)
    (unpacked / "submission" / FILE).write_bytes((ROOT / submitted).read_bytes())
    (unpacked / "results").mkdir(exist_ok=True)
    (unpacked / "results" / "results.json").write_text('{"score": 100}', encoding="utf-8")
    done = run("bash", SCRIPTS / "gradescope/run_autograder", env={"AUTOGRADER_ROOT": str(unpacked)})
    assert done.returncode == 0, done.stderr
    data = json.loads((unpacked / "results" / "results.json").read_text())
    full = sum(one["max_score"] for one in data["tests"])
    assert data["score"] == (full if score else 0)
    assert data.keys() <= GRADESCOPE["properties"].keys()
    assert "20260228" not in json.dumps(data)
    assert stat.S_IMODE((unpacked / "submission_metadata.json").stat().st_mode) & 0o077 == 0


@pytest.mark.parametrize("body", ["exit 1", "kill -9 $$", "exit 0"])
def test_a_grader_that_leaves_no_result_is_no_zero_on_gradescope(tmp_path: Path, body: str) -> None:
    course = tmp_path / "source" / "tilelab"
    stand_in(course, body)
    (tmp_path / "source" / "labs.txt").write_text("a\nb\n", encoding="utf-8")
    run("bash", SCRIPTS / "gradescope/run_autograder", env={"AUTOGRADER_ROOT": str(tmp_path)})
    data = json.loads((tmp_path / "results" / "results.json").read_text())
    assert data["output"] == NOT_GRADED
    assert not {"score", "tests"} & data.keys()
    called = (course / "called").read_text().split("\n")
    assert called[called.index("--lab") :][:4] == ["--lab", "a", "--lab", "b"]


@pytest.mark.parametrize(
    ("system", "refused"),
    [
        ("ubuntu 22.04", True),
        ("ubuntu 20.04", True),
        ("debian 11", True),
        ("ubuntu 24.04", False),
        ("debian 12", False),
    ],
)
def test_gradescopes_set_up_refuses_a_system_that_is_too_old_at_once_and_says_what_to_choose(
    tmp_path: Path, system: str, refused: bool
) -> None:
    name, version = system.split()
    (tmp_path / "os-release").write_text(f'ID={name}\nVERSION_ID="{version}"\n', encoding="utf-8")
    program(tmp_path / "setup.sh", (SCRIPTS / "gradescope/gradescope_setup.sh").read_text())
    program(tmp_path / "tilelab/kit/setup/setup.sh", "echo set-up began; exit 1\n")
    done = run("bash", tmp_path / "setup.sh", env={"OS_RELEASE": str(tmp_path / "os-release")})
    assert done.returncode == 1
    assert ("set-up began" in done.stdout) is not refused
    assert ("choose Ubuntu 24.04 as base" in done.stdout) is refused
    assert "tilelab: " in done.stdout.splitlines()[-1]


@pytest.mark.parametrize("ended", ["kill -9 $PPID", "sleep 0; exit 3"])
def test_a_result_says_not_graded_from_the_first_moment_until_there_is_one(tmp_path: Path, ended: str) -> None:
    course = tmp_path / "source" / "tilelab"
    stand_in(course, f'cat "{tmp_path}/results/results.json" >"{tmp_path}/seen"; {ended}')
    (tmp_path / "source" / "labs.txt").write_text("a\n", encoding="utf-8")
    run("bash", SCRIPTS / "gradescope/run_autograder", env={"AUTOGRADER_ROOT": str(tmp_path)})
    for text in ((tmp_path / "seen").read_text(), (tmp_path / "results" / "results.json").read_text()):
        data = json.loads(text)
        assert (data["output"], data["stdout_visibility"]) == (NOT_GRADED, "hidden")
        assert not {"score", "tests"} & data.keys()


def test_what_failed_is_on_the_stream_that_gradescope_shows_to_instructors(tmp_path: Path) -> None:
    stand_in(tmp_path / "source" / "tilelab", "echo the assembler is broken >&2; exit 3")
    (tmp_path / "source" / "labs.txt").write_text("a\n", encoding="utf-8")
    done = run("bash", SCRIPTS / "gradescope/run_autograder", env={"AUTOGRADER_ROOT": str(tmp_path)})
    assert "the assembler is broken" in done.stdout
    assert done.stderr == ""
    assert "assembler" not in (tmp_path / "results" / "results.json").read_text()


def test_a_grader_that_is_missing_is_no_zero_on_gradescope(tmp_path: Path) -> None:
    done = run("bash", SCRIPTS / "gradescope/run_autograder", env={"AUTOGRADER_ROOT": str(tmp_path)})
    assert done.returncode != 0
    assert json.loads((tmp_path / "results" / "results.json").read_text())["output"] == NOT_GRADED


@pytest.mark.parametrize("broken", [False, True])
def test_prairielearns_job_always_leaves_a_result_and_ends_well(tmp_path: Path, broken: bool) -> None:
    program(tmp_path / "grade_job.sh", (SCRIPTS / "prairielearn/grade_job.sh").read_text())
    (tmp_path / "labs.txt").write_text("a\nb\n", encoding="utf-8")
    good = f'echo \'{{"gradable": true, "score": 1}}\' >"{tmp_path}/grade/results/results.json"'
    stand_in(tmp_path / "tilelab", "exit 1" if broken else good)
    done = run(tmp_path / "grade_job.sh", env={"GRADE_ROOT": str(tmp_path / "grade"), "LAB": "b"})
    assert done.returncode == 0
    data = json.loads((tmp_path / "grade/results/results.json").read_text())
    assert data == ({"gradable": False, "format_errors": [NOT_GRADED]} if broken else {"gradable": True, "score": 1})
    called = (tmp_path / "tilelab/called").read_text().split("\n")
    assert called[called.index("--lab") + 1] == "b"
    assert called.count("--lab") == 1


def test_prairielearns_job_that_is_killed_leaves_no_zero(tmp_path: Path) -> None:
    program(tmp_path / "grade_job.sh", (SCRIPTS / "prairielearn/grade_job.sh").read_text())
    (tmp_path / "labs.txt").write_text("a\n", encoding="utf-8")
    stand_in(tmp_path / "tilelab", "kill -9 $PPID")
    run(tmp_path / "grade_job.sh", env={"GRADE_ROOT": str(tmp_path / "grade")})
    data = json.loads((tmp_path / "grade/results/results.json").read_text())
    assert data == {"gradable": False, "format_errors": [NOT_GRADED]}


@pytest.mark.parametrize("broken", [False, True])
def test_autolabs_job_tells_no_cause_and_gives_no_zero(tmp_path: Path, broken: bool) -> None:
    job = tmp_path / "job"
    for name, text in {
        "labs.txt": "a\nb\n",
        "seed": "5\n",
        "autolab_job.sh": (SCRIPTS / "autolab/autolab_job.sh").read_text(),
    }.items():
        program(tmp_path / "autograde" / name, text)
    job.mkdir()
    with tarfile.open(job / "autograde.tar", "w") as tar:
        tar.add(tmp_path / "autograde", "autograde")
    (job / "Makefile").write_text((SCRIPTS / "autolab/autograde-Makefile").read_text(), encoding="utf-8")
    (job / "handin.zip").write_bytes(zipped({}, 0).data)
    body = (
        'echo "hidden case 97" >&2; exit 1' if broken else 'cat "$TILELAB_SEED" >>"$PWD/called"; echo found; echo "{}"'
    )
    stand_in(tmp_path / "opt/tilelab", body)
    done = run("make", cwd=job, env={"AUTOGRADER": str(tmp_path / "opt")})
    assert "97" not in done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines == ([NOT_GRADED, '{"scores": {"a": null, "b": null}}'] if broken else ["found", "{}"])
    assert [path.name for path in (job / "autograde/submission").iterdir()] == ["handin.zip"]
    assert not (job / "autograde.tar").exists()


@pytest.mark.parametrize("status", [0, 3])
def test_classroom50s_entry_point_sets_up_the_handout_and_says_how_it_ended(tmp_path: Path, status: int) -> None:
    beside, checkout = tmp_path / "bundle", tmp_path / "checkout"
    handout = tmp_path / "tilelab-0.1.0"
    program(handout / "kit/setup/setup.sh", "#!/bin/bash\ntouch set-up\n")
    stand_in(handout, f"exit {status}")
    text = (handout / ".venv/bin/tilelab").read_text().replace(f"{handout}/called", f"{tmp_path}/called")
    program(handout / ".venv/bin/tilelab", text)
    program(beside / "autograder.py", (SCRIPTS / "classroom50/autograder.py").read_text())
    (beside / "labs.txt").write_text("a\n", encoding="utf-8")
    with tarfile.open(beside / "handout.tar.gz", "w:gz") as tar:
        tar.add(handout, handout.name)
    checkout.mkdir()
    (checkout / "result.json").write_text('{"score": 1000}', encoding="utf-8")
    done = run(sys.executable, beside / "autograder.py", cwd=checkout, env={"RUNNER_TEMP": str(tmp_path / "temp")})
    assert done.returncode == status, done.stderr
    assert not (checkout / "result.json").exists()
    called = (tmp_path / "called").read_text().split()
    assert called == ["grade-one", "classroom50", str(checkout), "--public", "--out", str(checkout), "--lab", "a"]


@pytest.mark.parametrize(
    "kind", ["../evil", "/evil", "tilelab/../../evil", "link", "hard link", "through a link", "fifo"]
)
def test_classroom50s_entry_point_writes_nothing_outside_of_its_folder(tmp_path: Path, kind: str) -> None:
    program(tmp_path / "bundle/autograder.py", (SCRIPTS / "classroom50/autograder.py").read_text())
    name = kind if "evil" in kind else "tilelab/evil"
    member = tarfile.TarInfo(f"{tmp_path}/evil" if name == "/evil" else name)
    member.linkname = f"{tmp_path}/secret"
    member.type = {"link": tarfile.SYMTYPE, "hard link": tarfile.LNKTYPE, "fifo": tarfile.FIFOTYPE}.get(
        kind, tarfile.REGTYPE
    )
    with tarfile.open(tmp_path / "bundle/handout.tar.gz", "w:gz") as tar:
        tar.addfile(member, io.BytesIO())
    temp = tmp_path / "temp"
    (temp / "tilelab-handout").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    if kind == "through a link":
        (temp / "tilelab-handout/tilelab").symlink_to(tmp_path / "outside")
    script = tmp_path / "bundle/autograder.py"
    done = run(sys.executable, script, cwd=tmp_path / "outside", env={"RUNNER_TEMP": str(temp)})
    assert done.returncode != 0
    assert "is no file or folder of a handout" in done.stderr
    assert [path for path in tmp_path.rglob("evil") if path.exists() or path.is_symlink()] == []


def test_every_script_says_the_same_where_nothing_was_graded() -> None:
    said = [path for path in SCRIPTS.rglob("*") if path.is_file() and "Not graded: the autograder" in path.read_text()]
    assert sorted(path.name for path in said) == ["autolab_job.sh", "grade_job.sh", "run_autograder"]
    assert all(NOT_GRADED in path.read_text() for path in said)
    assert os.access(SCRIPTS / "gradescope/run_autograder", os.X_OK)
