"""How a command ends where something is wrong that is no fault of its code."""

from __future__ import annotations

import errno
import os
from typing import Any

import pytest
import typer

from grader.cli.cli import app
from grader.cli.error_exit import guarded


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
    program: Any = typer.main.get_command(app)
    wrapped = {name: program.get_command(None, name).callback.__wrapped__ for name in program.list_commands(None)}
    assert len(wrapped) > 20
    assert [
        name for name, one in wrapped.items() if not hasattr(one, "__wrapped__")
    ] == []  # `as_command` has wrapped each
