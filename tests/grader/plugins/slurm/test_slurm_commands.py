"""Slurm's commands, by programs on the path that answer as they do, and as they do on a bad day."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.model.errors import RemediableError
from grader.plugins.slurm import array_run, own_options
from grader.plugins.slurm.array_run import QueuedTask, RefusedError, SilentError, SlurmCommands


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


def submit(folder: Path, *options: str) -> None:
    SlurmCommands().submit("judge 'it all'", folder / "100% mine" / "%A_%a-%N.log", 7, "tilelab-0", options)


def test_an_array_is_submitted_with_the_instructors_options_and_our_own_after_them(programs: Path) -> None:
    program(programs, "sbatch", "echo whatever it says")
    submit(programs, "--gres=gpu:1", "--exclude=n1,n2")
    words = said(programs, "sbatch")
    assert words[:2] == ["--gres=gpu:1", "--exclude=n1,n2"]
    assert {"--array=0-6", "--no-requeue", "--ntasks=1", "--nodes=1", "--job-name=tilelab-0"} <= {*words}
    assert f"--output={programs}/100%% mine/%A_%a-%N.log" in words
    assert words[-1] == "--wrap=exec judge 'it all'"


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("sbatch: error: Batch job submission failed: Invalid partition name specified", RefusedError),
        (
            "sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)",
            SilentError,
        ),
        ("sbatch: error: Batch job submission failed: Socket timed out on send/recv operation", SilentError),
    ],
)
def test_a_refusal_holds_slurms_words_and_whether_it_may_pass(
    programs: Path, words: str, kind: type[Exception]
) -> None:
    program(programs, "sbatch", f"echo '{words}' >&2; exit 1")
    with pytest.raises(kind) as raised:
        submit(programs)
    assert words in str(raised.value)


def test_a_machine_without_slurm_is_told_where_the_command_runs(programs: Path) -> None:
    with pytest.raises(RemediableError, match=r"there is no 'sbatch' on this machine.*login node") as raised:
        submit(programs)
    assert not isinstance(raised.value, RefusedError | SilentError)  # neither a smaller array nor time helps


def test_the_queue_tells_each_task_with_its_state_and_node(programs: Path) -> None:
    program(
        programs,
        "squeue",
        "echo 'RUNNING|n1|None'; echo 'PENDING||Resources'; echo; echo 'NODE_FAIL|n2|NodeDown'",
    )
    assert SlurmCommands().queue("tilelab-0") == [
        QueuedTask("RUNNING", "n1", "None"),
        QueuedTask("PENDING", "", "Resources"),
        QueuedTask("NODE_FAIL", "n2", "NodeDown"),
    ]
    assert {"--name=tilelab-0", "--array", "--states=all", "--noheader"} <= {*said(programs, "squeue")}


@pytest.mark.parametrize(
    "body",
    [
        "echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1",
        "echo 'no such thing' >&2; exit 1",
        "echo 'STATE NODELIST REASON'",
        "echo 'running|n1|None'",
        "echo 'RUNNING'",
        "echo 'RUNNING|n1'",
        "printf '\\377\\376\\n'",
    ],
)
def test_a_queue_that_is_not_understood_is_one_that_does_not_answer(programs: Path, body: str) -> None:
    program(programs, "squeue", body)
    with pytest.raises(SilentError):
        SlurmCommands().queue("tilelab-0")


def test_a_command_that_hangs_is_one_that_does_not_answer(programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(programs, "squeue", "exec /bin/sleep 60")
    monkeypatch.setattr(array_run, "_SECONDS", 0.2)
    with pytest.raises(SilentError, match="no answer within"):
        SlurmCommands().queue("tilelab-0")


def test_arrays_are_cancelled_by_name_and_no_scancel_is_no_trouble(programs: Path) -> None:
    SlurmCommands().cancel("tilelab-0")
    program(programs, "scancel", "exit 1")
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
    with pytest.raises(RemediableError, match="--slurm-options"):
        own_options(text)
