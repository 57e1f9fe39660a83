"""The `tilelab` command: which commands there are, and which function does each. Its file is imported when the command is asked for: a
student waits for `tilelab test` many times a day.

Exit status: 0 done (and, for `test`, passed); 1 `test`: not passed, `starters --check`: not up to date, `check-course`: a
proof failed; 2 the request cannot be carried out, and nothing was written; 3 something of ours or of this machine failed: what could not
be graded is blank, and the reason is reported; 130 interrupted.
"""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from grader.cli.error_exit import as_command
from grader.model.errors import RemediableError
from grader.roll.batch.plugin import Command, docstring, loaded, registered

_OF_COURSE = (
    Command("starters", "grader.cli.course_commands:make_starters"),
    Command("handouts", "grader.cli.course_commands:make_handouts"),
    Command("check-course", "grader.cli.course_commands:check_course"),
    Command("new-lab", "grader.cli.course_commands:make_lab"),
    Command("calibrate", "grader.cli.doctor:calibrate_labs"),
    Command("doctor", "grader.cli.doctor:examine"),
    Command("canaries", "grader.cli.doctor:show_canaries"),
    Command("grade", "grader.cli.classes.grade_command:grade_class"),
    Command("export", "grader.cli.classes.pages_command:export_again"),
    Command("pages", "grader.cli.classes.pages_command:pages_again"),
    Command("history", "grader.cli.classes.pages_command:show_history"),
)
_OF_KERNELS = (
    Command("test", "grader.cli.practice_commands:run_tests"),
    Command("watch", "grader.cli.practice_commands:watch_labs"),
    Command("answers", "grader.cli.practice_commands:show_answers"),
    Command("report", "grader.cli.practice_commands:report_labs"),
    Command("trace", "grader.cli.launches.trace_command:trace_kernel"),
    Command("check", "grader.cli.launches.check_command:check_file"),
    Command("profile", "grader.cli.launches.check_command:profile_kernel"),
    Command("run", "grader.cli.launches.check_command:run_file", passes_words_on=True),
    Command("help", "grader.cli.cli:show_help", hidden=True),
)


# What most people need; `tilelab help all` lists the rest as well.
_FIRST = {
    "A student's commands": ("test", "watch", "answers", "trace"),
    "An instructor's commands": ("handouts", "grade", "pages", "export", "check-course"),
}


def show_help(
    context: typer.Context,
    what: Annotated[str, typer.Argument(help="a command, or all: every command there is")] = "",
) -> int:
    """Say what a command does, or which commands there are."""
    above = context.parent
    assert above is not None
    assert isinstance(above.command, _Program)
    if what in {"", "all"}:
        above.command.lists_all = what == "all"
        typer.echo(above.get_help())
        return 0
    if (command := above.command.get_command(above, what)) is None:
        raise RemediableError(f"there is no command {what}: `tilelab help all` lists them")
    typer.echo(command.get_help(command.make_context(what, [], parent=above, resilient_parsing=True)))
    return 0


class _Program(TyperGroup):
    lists_all = False

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401 -- typer's own
        super().__init__(**settings)
        self._own = {one.name: one for one in (*_OF_COURSE, *_OF_KERNELS)}

    @cached_property
    def _known(self) -> dict[str, Command]:
        """With those of plugins, which one of our own commands does not import."""
        return {one.name: one for one in (*_OF_COURSE, *registered(Command), *_OF_KERNELS)}

    def list_commands(self, ctx: object) -> list[str]:  # noqa: ARG002 -- as typer has it
        return list(self._known)

    def format_commands(self, ctx: object, formatter: Any) -> None:  # noqa: ANN401, ARG002 -- as typer has it
        shown = {"Commands": [one.name for one in self._known.values() if not one.hidden]} if self.lists_all else _FIRST
        for title, names in shown.items():
            told = [TyperCommand(name, help=docstring(self._known[name].does)) for name in names]
            with formatter.section(title):
                formatter.write_dl([(one.name, one.get_short_help_str(1000)) for one in told])
        if not self.lists_all:
            with formatter.section("More"):
                formatter.write_dl([("help all", "List every command."), ("help NAME", "Say what a command does.")])

    def get_command(self, ctx: object, cmd_name: str) -> Any:  # noqa: ANN401, ARG002 -- as typer has it
        if (one := self._own.get(cmd_name) or self._known.get(cmd_name)) is None:
            self.commands = dict.fromkeys(self._known)  # type: ignore[assignment]  # the names alone, to propose one for a typo
            return None
        alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
        words = {"allow_interspersed_args": False, "allow_extra_args": True} if one.passes_words_on else None
        alone.command(one.name, hidden=one.hidden, context_settings=words)(as_command(loaded(one.does)))
        command = typer.main.get_command(alone)
        for asked in command.params:  # --lab LAB, as in the documents, and not the type that Python gives it
            word = max(asked.opts, key=len).lstrip("-")
            asked.metavar = asked.metavar or (word if len(word) > 1 else str(asked.name)).upper()
        return command


app = typer.Typer(
    cls=_Program,
    callback=lambda: None,  # makes it a group
    help="Grades CUDA kernels, with or without a GPU.",
    epilog=(
        "Exit status: 0 done; 1 not passed, out of date or not proved; 2 the command cannot be carried out; "
        "3 this machine or the grader failed: some grades are blank."
    ),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
