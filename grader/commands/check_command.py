"""`tilelab check` after its options are parsed: reads the file, checks, prints. Returns the exit status."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from grader.launch_arguments.argument_text import parse_argument
from grader.machine.toolset import Toolset
from grader.model.course_root import course_root
from grader.model.result import Finding
from grader.model.verdicts import Verdict
from grader.practice.terminal_window import student_console
from grader.reports.screens.check_screen import CheckPage
from grader.single_launch.host_code import launches_cooperatively
from grader.single_launch.kernel_build import why_not
from grader.single_launch.kernel_check import Checked, CheckRequest, Extent3, Refused, check_kernel
from grader.single_launch.kernel_source import CheckError, KernelSource, named_kernel, read_kernel_source

_FOUND, _CANNOT = 1, 2
_MAX_EXTENT = 2**31 - 1


def check_file(  # noqa: PLR0913 - one for each of the command's options
    file: Path,
    kernel: str | None,
    *,
    grid: str,
    block: str,
    shared_bytes: int,
    cooperative: bool,
    arguments: Sequence[str],
    seed: int,
    early_return: str,
    as_json: bool,
) -> int:
    """Returns 0 if the launch is clean; 1 if something was found or the launch did not end well; 2 if there was no launch."""
    source = read_kernel_source(file)
    name = named_kernel(source, kernel)
    request = CheckRequest(
        file=str(file),
        kernel=name,
        grid=_extent(grid, "--grid"),
        block=_extent(block, "--block"),
        shared_bytes=shared_bytes,
        cooperative=cooperative or launches_cooperatively(source.texts.values()),
        arguments=[parse_argument(one) for one in arguments],
        seed=seed,
        early_return_is_error=_is_error(early_return),
    )
    toolset = Toolset.open(course_root(Path.cwd()), allow_no_sandbox=True)
    with tempfile.TemporaryDirectory(prefix="tilelab-") as scratch:
        checked = check_kernel(toolset, source, request, Path(scratch))
    if isinstance(checked, Refused):
        _refused(source, name, checked, as_json=as_json)
        return _CANNOT
    if checked.verdict is Verdict.INTERNAL_ERROR:
        message = f"the launch could not be run: {checked.message}"
        raise CheckError(message)
    findings = _with_ending(checked, source)
    if as_json:
        _print_json(checked.verdict, checked.metrics, findings)
    else:
        page = CheckPage(
            kernel=name,
            verdict=checked.verdict,
            findings=findings,
            sources=source.texts,
            launch=checked.model_copy(update={"shape": name}),
            arguments=" ".join(f"--arg '{one}'" for one in arguments),
            metrics=checked.metrics,
            left_out=checked.left_out,
        )
        student_console().print(page, soft_wrap=False)
    return 0 if checked.verdict is Verdict.PASS else _FOUND


def _is_error(early_return: str) -> bool:
    if early_return not in {"note", "error"}:
        message = f"--early-return {early_return!r}: write note or error"
        raise CheckError(message)
    return early_return == "error"


def _extent(text: str, option: str) -> Extent3:
    """`4` and `4,2` are short for `4,1,1` and `4,2,1`."""
    if not re.fullmatch(r"\d{1,10}(,\d{1,10}){0,2}", text):
        message = f"{option} {text!r}: write one to three numbers, as x, x,y or x,y,z"
        raise CheckError(message)
    x, y, z = (*map(int, text.split(",")), 1, 1)[:3]
    if max(x, y, z) > _MAX_EXTENT:
        message = f"{option} {text!r}: a grid cannot be that large"
        raise CheckError(message)
    return x, y, z


def _with_ending(checked: Checked, source: KernelSource) -> tuple[Finding, ...]:
    """The findings, with two possible additions: how the launch ended, if no finding says it, and a note if the result depends
    on the order of blocks and threads.
    """
    findings = checked.findings
    if checked.verdict is not Verdict.PASS and all(one.kind is not checked.verdict for one in findings):
        findings = (*findings, Finding(kind=checked.verdict, file=source.name, message=checked.message))
    if why := checked.explanation:
        note = Finding(kind=Verdict.RACE, severity="note", file=source.name, message=why.sentence, advice=why.advice)
        findings = (*findings, note)
    return findings


def _refused(source: KernelSource, kernel: str, refused: Refused, *, as_json: bool) -> None:
    why = why_not(source, kernel, refused.built)
    if as_json:
        _print_json(refused.verdict, {}, refused.findings)
    sys.stderr.write(f"tilelab: {kernel} cannot be checked.\n{why}\n")


def _print_json(verdict: Verdict, metrics: Mapping[str, int], findings: Sequence[Finding]) -> None:
    plain = {
        "verdict": verdict.value,
        "metrics": dict(metrics),
        "findings": [finding.model_dump(mode="json", exclude={"cases"}, exclude_none=True) for finding in findings],
    }
    sys.stdout.write(json.dumps(plain, indent=1, ensure_ascii=False) + "\n")
