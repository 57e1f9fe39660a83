"""Runs a command of the `tilelab` program. A known kind of error is printed as one sentence, without a stack trace."""

from __future__ import annotations

import dataclasses
import errno
import inspect
import sys
import types
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, NoReturn, get_args, get_origin, get_type_hints

import typer

from grader.model.errors import MachineError, RemediableError
from grader.roll.batch.plugin import OtherMachines, registered

# What no file and no argument of a command is to blame for.
_OF_MACHINE = frozenset(
    {errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EDQUOT, errno.ENOMEM, errno.EAGAIN, errno.EIO, errno.EROFS}
)
# What the owner of a file can mend.
_OF_PERMISSIONS = frozenset({errno.EACCES, errno.EPERM})


def as_command(own: Callable[..., int]) -> Callable[..., NoReturn]:
    """As typer takes it. A dataclass among its parameters gets its options: its fields by `option` and with typer's annotations,
    and those of plugins where it has a field `of_plugins`.
    """
    given = list(inspect.signature(own, eval_str=True).parameters.values())
    asked = next((one for one in given if dataclasses.is_dataclass(one.annotation)), None)

    @wraps(own)
    def run(**named: object) -> NoReturn:
        if asked is not None:
            beside = {one.name: named.pop(one.name) for one in given if one is not asked}
            named = {**beside, asked.name: _request(asked.annotation, named)}
        guarded(lambda: own(**named))

    if asked is not None:
        others = [one for one in given if one is not asked]
        takes_more = any(one.name == "of_plugins" for one in dataclasses.fields(asked.annotation))
        plugins = registered(OtherMachines) if takes_more else ()
        parameters = [
            *others,
            *_options(asked.annotation),
            *(one for each in plugins for one in _options(each.options)),
        ]
        vars(run)["__signature__"] = inspect.Signature(parameters)
        run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def option(words: str, *names: str, default: Any = "", **settings: Any) -> Any:  # noqa: ANN401 -- a field of any type
    """A field of such a dataclass. `words`: its help. `names` and `settings`: as typer has them."""
    return dataclasses.field(default=default, metadata={"typer": typer.Option(*names, help=words, **settings)})


def flag(name: str, words: str) -> Any:  # noqa: ANN401 -- as above
    return option(words, name, default=False)


def argument(words: str) -> Any:  # noqa: ANN401 -- as above
    """It has to be given."""
    return dataclasses.field(metadata={"typer": typer.Argument(help=words)})


def _options(kind: type) -> list[inspect.Parameter]:
    """The fields, as typer takes them: it knows lists alone."""
    hints = get_type_hints(kind, include_extras=True)
    annotated = {name: get_args(hint)[:2] for name, hint in hints.items() if get_origin(hint) is Annotated}
    told = {one.name: (hints[one.name], one.metadata["typer"]) for one in dataclasses.fields(kind) if one.metadata}
    return [_option(one, *both) for one in dataclasses.fields(kind) if (both := (annotated | told).get(one.name))]


def _option(field: dataclasses.Field[Any], kind: Any, told: object) -> inspect.Parameter:  # noqa: ANN401 -- a type
    default = inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default
    if get_origin(kind) is tuple:
        kind = types.GenericAlias(list, get_args(kind)[:1])
        if default == ():
            kind, default = kind | None, None
    how, annotation = inspect.Parameter.POSITIONAL_OR_KEYWORD, Annotated[kind, told]
    return inspect.Parameter(field.name, how, default=default, annotation=annotation)


def _request(kind: type, named: dict[str, Any]) -> object:
    """Of several values, a tuple: the field's default is one."""
    own = {one.name: named.pop(one.name) for one in _options(kind)}
    several = {name for name, hint in get_type_hints(kind).items() if get_origin(hint) is tuple}
    own |= {name: tuple(own[name] or ()) for name in several & own.keys()}
    return kind(**own, of_plugins=named) if named else kind(**own)


def say_next(words: str, *, on_errors: bool = False) -> None:
    """A command's last line: what to do next. `on_errors`: where standard output is another program's."""
    from grader.model.visible_text import whole  # noqa: PLC0415 -- few commands need it while a student waits

    (sys.stderr if on_errors else sys.stdout).write(f"next: {whole(words)}\n")


def guarded(run: Callable[[], int]) -> NoReturn:
    """The status that `run` returns; 2: the request cannot be carried out; 3: this machine failed; 130: interrupted."""
    try:
        raise typer.Exit(run())
    except KeyboardInterrupt:
        status, said = 130, "interrupted; what was judged is kept: run the same command again to continue"
    except (MachineError, RemediableError) as error:
        status, said = 3 if isinstance(error, MachineError) else 2, str(error)
    except OSError as error:
        if error.errno in _OF_PERMISSIONS and error.filename:
            status, where = 2, f"{error.filename}: {error.strerror}"
            said = f"{where}. Make it readable and writable for you, and run the same command again"
        elif error.errno in _OF_MACHINE:
            status = 3
            said = f"this machine failed: {error}. Mend that and run the same command again; what was judged is kept"
        else:
            raise
    from grader.model.visible_text import whole  # noqa: PLC0415 -- as above

    sys.stderr.write(f"tilelab: {whole(said)}\n")
    raise typer.Exit(status)
