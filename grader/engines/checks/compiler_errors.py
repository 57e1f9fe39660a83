"""Turns the compiler's errors into reasons that a student can act on: mistakes, host code, and CUDA that the executor lacks."""

from __future__ import annotations

import re

from grader.engines.checks.attribution import is_about_writing
from grader.engines.device_functions import UNSUPPORTED_HEADERS, UNSUPPORTED_MEMBERS, UNSUPPORTED_NAMES
from grader.engines.refusal import Refusal
from grader.model.verdicts import Verdict

MAX_ERRORS = 3
_UNKNOWN_NAME = re.compile(
    r"[\u2018'](?:::)?(?P<gcc>\w+)(?:::\w+)*[\u2019'] "
    r"(?:was not declared|does not name a type|has not been declared|is not a namespace-name)"
    r"|(?:use of undeclared identifier|unknown type name|expected namespace name|no (?:type|member|template) named) '(?P<clang>\w+)'"
)
_UNKNOWN_GROUP = re.compile(
    r"[\u2018'](coalesced_\w+|\w*multi_grid\w*|\w*cluster\w*|\w+_partition|memcpy_async|wait\w*|\w+_scan\w*|invoke_one\w*)[\u2019'] "
    r"(?:is not a member of|in namespace) [\u2018'](?:\w+::)?(?:cg|cooperative_groups)[\u2019']"
)
_UNKNOWN_MEMBER = re.compile(
    r"[\u2018'](?:const )?class cooperative_groups::(\w+)[^\u2019']*[\u2019'] has no member named [\u2018'](\w+)[\u2019']"
    r"|no member named '(?P<member>\w+)' in 'cooperative_groups::(?P<group>\w+)"
)
_HALF = re.compile(r"half2?|__half2?|__(float|double|int)2half\w*|__half2float")
_LAUNCH = re.compile(r"<<<|expected primary-expression before [\u2018']<[\u2019']")
_HOST_NAME = re.compile(
    r"[\u2018']cuda(?!TextureObject_t|SurfaceObject_t)(?:[A-Z]\w*|_\w+)[\u2019']|[\u2018']cublas\w*[\u2019']"
)
_NOT_FOR_THIS_FILE = (
    "hand in only the kernel, its helper functions and the launch function. The grader allocates, copies and launches."
)


def compile_errors(log: str, file_name: str) -> tuple[Refusal, ...]:
    """The first errors in `file_name` itself. Where one of them names CUDA that the executor lacks, only that one. May be empty."""
    pattern = re.compile(rf"^(?:\./)?{re.escape(file_name)}:(\d+):(?:\d+:)? (?:fatal )?error: (.*)$", re.MULTILINE)
    errors = [(int(match[1]), match[2]) for match in pattern.finditer(log) if not is_about_writing(match[0])]
    host_code = any(_HOST_NAME.search(message) for _, message in errors) or _LAUNCH.search(log) is not None
    for line, message in errors:
        if not host_code and (what := _needs_a_gpu(message)):
            text = f"The CPU executor does not know {what}: this file has to be graded on a GPU."
            return (Refusal(Verdict.NEEDS_GPU, line, text),)
    return tuple(
        Refusal(Verdict.COMPILE_ERROR, line, f"The compiler says: {message}", _hint(log, message))
        for line, message in errors[:MAX_ERRORS]
    )


def _needs_a_gpu(message: str) -> str | None:
    header = re.match(r"'?(\S+?)(?:: No such file or directory|' file not found)", message)
    if header and UNSUPPORTED_HEADERS.fullmatch(header[1]):
        return f"<{header[1]}>"
    if group := _UNKNOWN_GROUP.search(message):
        return f"`cooperative_groups::{group[1]}`"
    member = _UNKNOWN_MEMBER.match(message)
    if member and UNSUPPORTED_MEMBERS.fullmatch(member["member"] or member[2]):
        return f"`{member['member'] or member[2]}()` of `cooperative_groups::{member['group'] or member[1]}`"
    name = _UNKNOWN_NAME.match(message)
    unknown = (name["gcc"] or name["clang"]) if name else ""
    return f"`{unknown}`" if UNSUPPORTED_NAMES.fullmatch(unknown) else None


def _hint(log: str, message: str) -> str:
    if _HOST_NAME.search(message):
        return f"This is host code: {_NOT_FOR_THIS_FILE}"
    if (name := _UNKNOWN_NAME.match(message)) and _HALF.fullmatch(name["gcc"] or name["clang"]):
        return "Half precision needs #include <cuda_fp16.h>."
    if _LAUNCH.search(log):
        return f"A launch with <<<…>>> is host code, as is the main() around it: {_NOT_FOR_THIS_FILE}"
    return ""
