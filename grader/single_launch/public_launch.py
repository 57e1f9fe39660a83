"""One launch of a lab's public tests, traced or profiled: for a problem that registers no sizes of its own. The lab's judge chooses the
launch and watches it instead of judging it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from grader.judging.judge_call import JUDGE_SECONDS, run_reporter
from grader.machine.toolset import Toolset
from grader.model.errors import RemediableError
from grader.model.labs import Lab

_NO_SUCH_LAUNCH = 4  # the judge's exit status
_KEY = "00" * 32  # public: inputs are the same each time


class NoSuchLaunchError(RemediableError):
    """No public test has such a launch. The text says which there are."""


def watch_public_launch(  # noqa: PLR0913 -- what is run, and how it is asked for
    toolset: Toolset,
    lab: Lab,
    runner_file: Path,
    asked: Mapping[str, str],
    *,
    seconds: float = JUDGE_SECONDS,
    option: Literal["--runner", "--program"] = "--runner",
) -> bytes:
    """The judge's report. `asked`: what `--watch` of kit/judge/judge_main.cpp takes. `option`: what `runner_file` describes.

    Raises NoSuchLaunchError where the tests have no such launch, and RuntimeError where the judge fails.
    """
    judge = toolset.judge_program(lab.id, public_only=True)
    report_file = runner_file.with_name("watched.json")
    command = [str(judge), "--watch", json.dumps(asked), option, str(runner_file), "--report", str(report_file)]
    task = json.dumps({"key": _KEY}).encode()
    name = f"the judge of {lab.id}"
    status, said = run_reporter(name, command, report_file, seconds, task=task, refused=[_NO_SUCH_LAUNCH])
    if status == _NO_SUCH_LAUNCH:
        raise NoSuchLaunchError(said)
    return report_file.read_bytes()
