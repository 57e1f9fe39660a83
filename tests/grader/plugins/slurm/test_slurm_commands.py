"""Slurm's commands, by programs on the path that answer as they do, and as they do on a bad day."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.plugins.slurm import slurm_commands
from grader.plugins.slurm.slurm_commands import (
    QueueLostError,
    RefusedError,
    SlurmCommands,
    SlurmError,
    Submission,
    TaskId,
    TaskState,
    own_options,
    state_of,
)


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on the path."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def program(folder: Path, name: str, body: str) -> None:
    """It also writes its arguments, one a line, to `name`.said."""
    path = folder / name
    path.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{folder}/{name}.said"\n{body}\n')
    path.chmod(0o755)


def said(folder: Path, name: str) -> list[str]:
    return (folder / f"{name}.said").read_text().splitlines()


def submission(folder: Path, **more: tuple[str, ...]) -> Submission:
    return Submission(folder / "task.sh", 7, "tilelab-0", folder, folder / "100% mine" / "log-%a.txt", **more)


def test_an_array_is_submitted_with_the_instructors_options_and_our_own_after_them(programs: Path) -> None:
    program(programs, "sbatch", "echo 4711")
    what = submission(programs, options=("--gres=gpu:1",), excluded=("n1", "n2"))
    assert SlurmCommands().submit(what) == 4711
    words = said(programs, "sbatch")
    assert words[:2] == ["--gres=gpu:1", "--exclude=n1,n2"]
    assert {"--array=0-6", "--no-requeue", "--parsable", "--ntasks=1", "--job-name=tilelab-0"} <= {*words}
    assert f"--output={programs}/100%% mine/log-%a.txt" in words


@pytest.mark.parametrize(
    ("body", "number"),
    [("echo 12", 12), ("echo '12;north'", 12), ("echo 'sbatch: note: default account'; echo 12", 12)],
)
def test_the_number_of_an_array_is_found_in_what_each_version_prints(programs: Path, body: str, number: int) -> None:
    program(programs, "sbatch", body)
    assert SlurmCommands().submit(submission(programs)) == number


@pytest.mark.parametrize("body", ["echo Submitted batch job 12", "true", "echo 12x", "echo '-1'"])
def test_an_answer_of_sbatch_that_is_not_understood_is_no_number(programs: Path, body: str) -> None:
    program(programs, "sbatch", body)
    with pytest.raises(SlurmError, match="no number of an array") as raised:
        SlurmCommands().submit(submission(programs))
    assert not isinstance(raised.value, RefusedError)  # it may have been taken: no smaller one is tried


@pytest.mark.parametrize(
    ("words", "later"),
    [
        ("sbatch: error: Batch job submission failed: Invalid partition name specified", False),
        ("sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)", True),
        ("sbatch: error: Batch job submission failed: Socket timed out on send/recv operation", True),
    ],
)
def test_a_refusal_holds_slurms_words_and_whether_it_may_pass(programs: Path, words: str, later: bool) -> None:
    program(programs, "sbatch", f"echo '{words}' >&2; exit 1")
    with pytest.raises(RefusedError) as raised:
        SlurmCommands().submit(submission(programs))
    assert words in str(raised.value)
    assert raised.value.later is later


def test_a_machine_without_slurm_is_told_where_the_command_runs(programs: Path) -> None:
    with pytest.raises(SlurmError, match=r"there is no 'sbatch' on this machine.*login node"):
        SlurmCommands().submit(submission(programs))


def test_the_queue_tells_each_task_with_its_state_and_node(programs: Path) -> None:
    program(
        programs,
        "squeue",
        "echo '7_0|RUNNING|n1|None'; echo '7_1|PENDING||Resources'; echo; echo '7_2|NODE_FAIL|n2|NodeDown'",
    )
    assert SlurmCommands().queue("tilelab-0") == {
        TaskId(7, 0): TaskState("RUNNING", "n1", "None"),
        TaskId(7, 1): TaskState("PENDING", "", "Resources"),
        TaskId(7, 2): TaskState("NODE_FAIL", "n2", "NodeDown"),
    }
    assert {"--name=tilelab-0", "--array", "--states=all", "--noheader"} <= {*said(programs, "squeue")}


def test_tasks_that_are_not_listed_one_by_one_are_those_of_their_array(programs: Path) -> None:
    program(
        programs, "squeue", "echo '7_0|RUNNING|n1|None'; echo '7_[1-3]|PENDING||Resources'; echo '8|CANCELLED||None'"
    )
    states = SlurmCommands().queue("tilelab-0")
    assert state_of(TaskId(7, 0), states) == TaskState("RUNNING", "n1", "None")
    assert state_of(TaskId(7, 2), states) == TaskState("PENDING", "", "Resources")
    assert (
        state_of(TaskId(8, 0), states) is None
    )  # what is left of an array whose tasks were cancelled before they began


@pytest.mark.parametrize(
    "body",
    [
        "echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1",
        "echo '7_[0-3|PENDING||Resources'",
        "echo 'JOBID STATE'",
        "echo '7_0|running|n1|None'",
        "echo '7_0|RUNNING'",
        "printf '\\377\\376\\n'",
    ],
)
def test_a_queue_that_is_not_understood_is_one_that_does_not_answer(programs: Path, body: str) -> None:
    program(programs, "squeue", body)
    with pytest.raises(QueueLostError):
        SlurmCommands().queue("tilelab-0")


def test_a_command_that_hangs_is_one_that_does_not_answer(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(programs, "squeue", "exec /bin/sleep 60")
    monkeypatch.setattr(slurm_commands, "_SECONDS", 0.2)
    with pytest.raises(QueueLostError, match="no answer within"):
        SlurmCommands().queue("tilelab-0")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("echo 'OUT_OF_MEMORY|0:125|n3'", "OUT_OF_MEMORY, exit code 0:125, on n3"),
        ("echo 'Slurm accounting storage is disabled' >&2; exit 1", ""),
        ("true", ""),
        ("echo 'strange'", ""),
    ],
)
def test_the_accounting_may_know_why_a_task_ended(programs: Path, body: str, why: str) -> None:
    program(programs, "sacct", body)
    assert SlurmCommands().why(TaskId(7, 1)) == why


def test_no_accounting_is_no_trouble(programs: Path) -> None:
    assert programs.is_dir()
    assert not SlurmCommands().why(TaskId(7, 1))


def test_arrays_are_cancelled_by_name_or_by_number_and_no_scancel_is_no_trouble(programs: Path) -> None:
    SlurmCommands().cancel("tilelab-0")
    program(programs, "scancel", "exit 1")
    SlurmCommands().cancel("tilelab-0", 7, 8)
    assert said(programs, "scancel") == ["7", "8"]
    SlurmCommands().cancel("tilelab-0")
    assert said(programs, "scancel") == ["--name=tilelab-0"]


def test_an_allocation_around_the_command_and_a_persons_formats_are_no_part_of_it(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SLURM_JOB_ID", "SLURM_CPUS_PER_TASK", "SQUEUE_FORMAT"):
        monkeypatch.setenv(name, "9")
    for name in ("SLURM_CONF", "SBATCH_ACCOUNT"):
        monkeypatch.setenv(name, "kept")
    program(
        programs,
        "squeue",
        f'echo "$SLURM_JOB_ID$SLURM_CPUS_PER_TASK$SQUEUE_FORMAT-$SLURM_CONF-$SBATCH_ACCOUNT" > "{programs}/seen"',
    )
    SlurmCommands().queue("tilelab-0")
    assert (programs / "seen").read_text() == "-kept-kept\n"


def test_options_for_sbatch_are_taken_apart_as_a_shell_does() -> None:
    assert own_options(" --partition=gpu --gres=gpu:1 --comment='a b' ") == (
        "--partition=gpu",
        "--gres=gpu:1",
        "--comment=a b",
    )
    assert own_options("-p gpu") == ("-p", "gpu")
    assert own_options("") == ()


@pytest.mark.parametrize(
    "text", ["--array=0-3", "-a 1", "--job-name mine", "-J mine", "--output=x", "gpu", "--x='", "--wrap=true"]
)
def test_options_that_are_ours_to_choose_are_refused(text: str) -> None:
    with pytest.raises(SlurmError, match="--slurm-options"):
        own_options(text)
