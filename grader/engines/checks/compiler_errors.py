"""Turns the compiler's errors into reasons that a student can act on: host code, and CUDA that the executor lacks. What the other errors
mean is told in `compiler_words/`.
"""

from __future__ import annotations

import re

from grader.engines.checks.attribution import is_about_writing
from grader.engines.checks.texture_references import texture_reference
from grader.engines.compiler_words.compiler_message import Diagnostic, diagnostics
from grader.engines.compiler_words.error_report import mistakes
from grader.engines.compiler_words.told import Said
from grader.engines.device_functions import (
    UNSUPPORTED_HEADERS,
    UNSUPPORTED_MEMBERS,
    UNSUPPORTED_NAMES,
    WITHOUT_A_MASK,
)
from grader.engines.refusal import Refusal
from grader.engines.student_text.student_code import Place, StudentCode
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
_UNKNOWN_OF_CUDA = re.compile(
    r"[\u2018'](?P<gcc>\w+)[\u2019'] (?:is not a member of|in namespace) [\u2018'](?P<space>cuda(?:::\w+)*|nvcuda(?:::\w+)*)[\u2019']"
    r"|no (?:type|member|template) named '(?P<clang>\w+)' in namespace '(?P<of>cuda(?:::\w+)*|nvcuda(?:::\w+)*)'"
)
# A template of our headers that has no definition for these arguments, or an object of one that lacks a member.
_INCOMPLETE_OF_CUDA = re.compile(
    r"[\u2018'](?:class |struct )?(?P<gcc>cuda::\w+)<[^\u2019']*[\u2019'] has incomplete type"
    r"|incomplete type [\u2018'](?:class |struct )?(?P<used>cuda::\w+)<"
    r"|undefined template '(?P<clang>cuda::\w+)<"
)
_UNKNOWN_MEMBER_OF_CUDA = re.compile(
    r"[\u2018'](?:const )?(?:using \w+ = )?(?:class |struct )?(?P<of>cuda::\w+)<[^\u2019]*[\u2019'] has no member named "
    r"[\u2018'](?P<gcc>\w+)[\u2019']"
    r"|no member named '(?P<clang>\w+)' in '(?P<its>cuda::\w+)<"
)
_CALL_OF_A_TEMPLATE = re.compile(r"there are no arguments to [\u2018'](\w+)[\u2019'] that depend")
_LAUNCH = re.compile(r"<<<|expected primary-expression before [\u2018']<[\u2019']")
_HOST_NAME = re.compile(
    r"[\u2018']cuda(?!TextureObject_t|SurfaceObject_t)(?:[A-Z]\w*|_\w+)[\u2019']|[\u2018']cublas\w*[\u2019']"
)
_NOT_FOR_THIS_FILE = (
    "This is host code: hand in only the kernel, its helper functions and the launch function. "
    "The grader allocates, copies and launches."
)


def compile_errors(log: str, file_name: str, source: str) -> tuple[Refusal, ...]:
    """The first errors in `file_name` itself, whose text is `source`. Where one of them names CUDA that the executor lacks, only that
    one. May be empty.
    """
    code = StudentCode(source)
    own = "\n".join(line for line in log.split("\n") if not is_about_writing(line))
    errors = [one for one in diagnostics(own, file_name, code.lines) if one.severity == "error"]
    host_code = any(_HOST_NAME.search(one.text) for one in errors) or _LAUNCH.search(log) is not None
    if errors and (removed := texture_reference(log, source)):
        return (removed,)
    for error in errors:
        if not host_code and (what := _needs_a_gpu(error.text)):
            text = f"The CPU executor does not know {what}: this file has to be graded on a GPU."
            return (Refusal(Verdict.NEEDS_GPU, error.line, text),)
    host = next((found for error in errors if (found := _host_code(error, code) or _without_a_mask(error, code))), None)
    said = [host] if host else mistakes(errors, code, MAX_ERRORS)
    return tuple(
        Refusal(Verdict.COMPILE_ERROR, one.place.line, one.message, one.advice, one.place.columns) for one in said
    )


def _host_code(error: Diagnostic, code: StudentCode) -> Said | None:
    bare = code.line(error.line)
    if "<<<" in bare:
        place = Place(error.line, bare.index("<<<"), bare.rindex(">>>") + 3 if ">>>" in bare else len(bare))
        return Said(place, "This launches a kernel with <<<…>>>, as a main() does.", _NOT_FOR_THIS_FILE)
    if match := _HOST_NAME.search(error.text):
        name = match[0].strip("\u2018\u2019'")
        return Said(
            code.word_at(error.line, error.column, name), f"`{name}` is not for a kernel's file.", _NOT_FOR_THIS_FILE
        )
    return None


def _without_a_mask(error: Diagnostic, code: StudentCode) -> Said | None:
    name = _UNKNOWN_NAME.match(error.text) or _CALL_OF_A_TEMPLATE.match(error.text)
    unknown = next((one for one in name.groups() if one), "") if name else ""
    if unknown not in WITHOUT_A_MASK:
        return None
    what = f"`{unknown}` is of old CUDA: since its version 9, the lanes that take part have to be named."
    advice = f"Write `{unknown}_sync(0xffffffff, …)` where all 32 lanes of the warp come here."
    return Said(code.word_at(error.line, error.column, unknown), what, advice)


def _needs_a_gpu(message: str) -> str | None:
    header = re.match(r"'?(\S+?)(?:: No such file or directory|' file not found)", message)
    if header and UNSUPPORTED_HEADERS.fullmatch(header[1]):
        return f"<{header[1]}>"
    if group := _UNKNOWN_GROUP.search(message):
        return f"`cooperative_groups::{group[1]}`"
    member = _UNKNOWN_MEMBER.match(message)
    if member and UNSUPPORTED_MEMBERS.fullmatch(member["member"] or member[2]):
        return f"`{member['member'] or member[2]}()` of `cooperative_groups::{member['group'] or member[1]}`"
    if of_cuda := _UNKNOWN_OF_CUDA.search(message):
        return f"`{of_cuda['space'] or of_cuda['of']}::{of_cuda['gcc'] or of_cuda['clang']}`"
    name = _UNKNOWN_NAME.match(message)
    unknown = (name["gcc"] or name["clang"]) if name else ""
    return f"`{unknown}`" if UNSUPPORTED_NAMES.fullmatch(unknown) else _lacking_template(message)


def _lacking_template(message: str) -> str | None:
    if incomplete := _INCOMPLETE_OF_CUDA.search(message):
        return f"this kind of `{incomplete['gcc'] or incomplete['used'] or incomplete['clang']}`"
    if lacks := _UNKNOWN_MEMBER_OF_CUDA.search(message):
        return f"`{lacks['gcc'] or lacks['clang']}` of `{lacks['of'] or lacks['its']}`"
    return None
