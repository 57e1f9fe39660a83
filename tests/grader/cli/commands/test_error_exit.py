"""How a command ends where something is wrong that is no fault of its code."""

from __future__ import annotations

import errno
import os

import pytest
import typer

from grader.cli.cli import app
from grader.cli.requests.error_exit import guarded


def failing(number: int) -> int:
    raise OSError(number, os.strerror(number))


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOSPC, errno.ENOMEM])
def test_a_machine_that_has_run_out_of_something_is_named_in_one_sentence(
    number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as ended:
        guarded(lambda: failing(number))
    assert ended.value.exit_code == 3
    (sentence,) = capsys.readouterr().err.splitlines()
    assert os.strerror(number) in sentence
    assert "what was judged is kept" in sentence


def test_a_mistake_of_ours_keeps_its_stack_trace() -> None:
    with pytest.raises(FileNotFoundError):
        guarded(lambda: failing(errno.ENOENT))


def test_a_file_that_may_not_be_touched_is_named_with_the_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    def forbidden() -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), "assignments/01-naive/matmul_naive.cu")

    with pytest.raises(typer.Exit) as ended:
        guarded(forbidden)
    assert ended.value.exit_code == 2
    (sentence,) = capsys.readouterr().err.splitlines()
    assert sentence.startswith("tilelab: assignments/01-naive/matmul_naive.cu: Permission denied. Make it readable")


def test_what_a_command_returns_is_the_exit_status_of_every_command() -> None:
    apps = [app, *(one.typer_instance for one in app.registered_groups)]
    commands = [one.callback for each in apps if each is not None for one in each.registered_commands]
    assert len(commands) > 20
    assert [one for one in commands if not hasattr(one, "__wrapped__")] == []  # `command` has wrapped each
