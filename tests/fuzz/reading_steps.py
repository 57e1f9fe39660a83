"""The steps of the grader that read a submission's text, or words about it: each a function of a text alone. Nothing is compiled here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from grader.course.answer_text import says_nothing
from grader.engines.build_steps import asked_for, compile_errors, names_the_text
from grader.engines.compiler_view import CompilerView, different_programs, no_one_program
from grader.engines.cpu_build import build_for_cpu
from grader.engines.dump_scan import scan_gimple
from grader.engines.entry_points import EntrySignatures
from grader.engines.gpu_build import kernel_resources, nvcc_refusals
from grader.engines.local_arrays import at_run_time
from grader.engines.objects.assembly import calls_of
from grader.engines.ptx.ptx_reader import NotUnderstoodError
from grader.engines.ptx.ptx_reader import statements_of as ptx_statements
from grader.engines.text_steps import TextOrigin, in_steps, probably_changed
from grader.engines.token_scan import code_tokens
from grader.engines.toolset import Toolset
from grader.explain.clustering import LineShapes
from grader.explain.similar_files import Passages
from grader.explain.small_edits import small_edits
from grader.explain.solution_maps import statements_of
from grader.model import visible_text
from grader.model.advice import question_for
from grader.model.outcome import located_finding
from grader.model.result import Finding, Site
from grader.model.verdicts import Verdict
from grader.run.kernels.host_code import items_of, kernels_in, macros_of, without_host_functions, without_host_members
from grader.run.kernels.kernel_build import sliced
from grader.run.kernels.kernel_source import KernelSource, with_flat_includes
from grader.run.programs.host_text import host_text, passes_code, read_only_in, read_only_parameters
from grader.source.bare_code import hand_written_marker, live_lines, plain_text
from grader.source.compiler_message import diagnostics
from grader.source.kernel_causes import (
    dynamic_without_bytes,
    endless_loops,
    forgotten_shared,
    larger_than_the_block,
    one_too_many,
    pointers_without_memory,
    shared_places,
    unused_indices,
)
from grader.source.launch_causes import Started, launch_causes
from grader.source.lexer import Lexer, without_comments
from grader.source.student_code import StudentCode, function_called, kernels, launch_functions, normalise
from grader.source.warning_sentences import explaining

FILE = "k.cu"
_ORIGIN = TextOrigin(FILE, "/build", EntrySignatures("k(float*, int)", "k_launch(int)"))
_BY_NAME = TextOrigin(FILE, "/build", EntrySignatures("k", by_name=True), is_clang=True)
_LAUNCH = "LaunchConfig k_launch(int n) { return {dim3(n), dim3(32)}; }\n"
_KERNEL = "__global__ void k(float* a, int n) { a[n] = 1; }\n"
_CUBE = (4, 4, 1)
_WORD = re.compile(r"[^\W\d]\w*")
# What compilers say most often, of a word.
_ERRORS = (
    "error: '{}' was not declared in this scope", "error: expected ';' before '{}'", "error: expected primary-expression before '{}' token",
    "error: expected unqualified-id before '{}'", "error: no matching function for call to '{}(int&)'", "error: redeclaration of 'int {}'",
    "error: 'struct dim3' has no member named '{}'", "error: expected '}}' at end of input",
    "error: invalid types 'int[int]' for array subscript",
)  # fmt: skip
_WARNINGS = (
    "warning: '{}' is used uninitialized",
    "warning: unused variable '{}'",
    "warning: '{}' may be used uninitialized",
)
_MOST_SAID = 20  # as many as a compiler is allowed to say


def _said(text: str, messages: Iterable[str]) -> str:
    """A compiler's words about the text: each message about a word in its beginning, its middle and its end."""
    lines = text.split("\n")
    said = []
    for at, message in enumerate(messages):
        for share in (0, 1, 2):
            number = min(len(lines) - 1, share * len(lines) // 2)
            words = _WORD.findall(lines[number][:2000]) or ["x"]
            column = lines[number].find(words[at % len(words)]) + 1 or 1
            said.append(f"{FILE}:{number + 1}:{column}: {message.format(words[at % len(words)][:500])}")
    return "\n".join(said)


def _causes(text: str) -> None:
    code = StudentCode(text)
    for line in (1, len(code.lines) // 2, len(code.lines)):
        list(endless_loops(code, line))
        list(one_too_many(code, line, "As"))
    list(forgotten_shared(code))
    list(larger_than_the_block(code, "s1", 32))
    list(pointers_without_memory(code))
    list(dynamic_without_bytes(code, 0, "k_launch"))
    list(unused_indices(code, "k", _CUBE, _CUBE))
    list(shared_places(code, _CUBE, _CUBE))
    list(launch_causes(code, "k_launch", Started((16,), _CUBE, _CUBE)))


def _warnings(text: str) -> None:
    code = StudentCode(text)
    said = [one for one in diagnostics(_said(text, _WARNINGS), FILE, code.lines) if one.severity == "warning"]
    for sure in (True, False):
        explaining(said, code, sure=sure)


def _expanded(origin: TextOrigin) -> Callable[[str], object]:
    return lambda text: in_steps(f'# 1 "{FILE}"\n{text}\n', origin)


def _read_by_two(text: str) -> None:
    no_one_program(text)
    view = CompilerView(f'# 1 "{FILE}"\n{plain_text(text)}')
    different_programs(text, FILE, view, view)


def _parts(text: str) -> None:
    source = KernelSource(FILE, {FILE: text})
    kernels_in(text)
    macros_of(text)
    sliced(source.texts, "k")


def _as_ptx(text: str) -> None:
    with suppress(NotUnderstoodError):
        ptx_statements(text)


def _in_messages(text: str) -> None:
    """Of a text that a compiler repeats."""
    names_the_text(text, {FILE}, [])
    asked_for(text, text)
    kernel_resources(text)


def _findings(text: str) -> None:
    """Of every kind, in lines of the text."""
    lines = text.split("\n")
    for kind in Verdict:
        for number in sorted(range(1, len(lines) + 1), key=lambda one: len(lines[one - 1]))[-3:]:
            place = Site(file=FILE, line=number, access="write", block=(0, 0, 0), thread=(0, 0, 0))
            plain = place.model_dump() | {
                "kind": kind,
                "message": "found",
                "array": "a",
                "element": "a[0]",
                "other": place,
            }
            question_for(located_finding(Finding.model_validate(plain), {FILE: lines}))


STEPS: Mapping[str, Callable[[str], object]] = {
    "tokens of the source": lambda text: list(Lexer(text)),
    "comments": without_comments,
    "line markers": hand_written_marker,
    "lines of the source": live_lines,
    "text steps, GCC": _expanded(_ORIGIN),
    "text steps, Clang, by name": _expanded(_BY_NAME),
    "guess of the text steps": lambda text: probably_changed(text, _ORIGIN),
    "errors": lambda text: compile_errors(_said(text, _ERRORS), FILE, text),
    "warnings": _warnings,
    "causes": _causes,
    "comparison of two compilers' views": _read_by_two,
    "names of kernels": lambda text: (kernels(text), launch_functions(text), function_called(text, "k")),
    "items": items_of,
    "without functions of the host": without_host_functions,
    "without members of the host": without_host_members,
    "parts of kernels": _parts,
    "includes": lambda text: with_flat_includes({FILE: text, "h1.h": ""}, FILE)[FILE],
    "host code": lambda text: host_text(text, FILE),
    "what is only read": lambda text: (read_only_parameters(text, FILE), read_only_in(code_tokens(text))),
    "code that is passed": lambda text: passes_code(KernelSource(FILE, {FILE: text})),
    "passages": Passages,
    "statements": statements_of,
    "shapes of lines": LineShapes,
    "small edits": lambda text: small_edits(text, 40),
    "PTX": _as_ptx,
    "nvcc's log": lambda text: nvcc_refusals(_said(text, _ERRORS), FILE, "tail.cu", kernel="k(float*, int)", launch=None, source=text),
    "GCC's log": _in_messages,
    "GCC's dump": lambda text: scan_gimple(text, FILE),
    "local arrays": lambda text: at_run_time(text, FILE),
    "findings": _findings,
    "assembly": lambda text: calls_of(text, FILE),
    "upload": lambda text: normalise(text.encode("utf-8", "replace")),
    "answers": says_nothing,
    "shown text": lambda text: [visible_text.line(text, 200), visible_text.cleaned(text)],
}  # fmt: skip
# These stop at limits of their own, where no file of a course comes: seconds that they take there.
CAPPED: Mapping[str, float] = {"small edits": 2.0, "warnings": 2.0, "text steps, Clang, by name": 2.0}


def building(toolset: Toolset, folder: Path) -> Callable[[str], object]:
    """What reads the compiler's output. The compiler's own time is not this process's."""

    def build(text: str) -> None:
        with TemporaryDirectory(dir=folder) as scratch:
            source, work = Path(scratch) / FILE, Path(scratch) / "work"
            work.mkdir()
            kernel = "" if "void k(" in text else _KERNEL
            source.write_text(f"#include <tilelab/device.cuh>\n{text}\n{kernel}{_LAUNCH}", encoding="utf-8")
            build_for_cpu(toolset.toolchain, toolset.confinement, source, work, _ORIGIN.entries)

    return build
