"""Builds one kernel of any file for `tilelab check`: first with what the kernel names, then with the whole file but for its host functions.
What does not compile and is not the kernel's own goes in the next try. Compiler and checks are those of every submission.

The user is told what was left out: headers that do not exist here, pragmas, declarations.
"""

from __future__ import annotations

import math
import random
import re
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.engines.cpu_build import CpuBuild
from grader.engines.device_functions import DEVICE_RUNTIME
from grader.engines.entry_points import USE_FILE, EntrySignatures
from grader.engines.refusal import Refusal
from grader.engines.token_scan import texture_reference
from grader.engines.toolset import Toolset
from grader.model.verdicts import Verdict
from grader.run.kernels.argument_text import ArgumentError, Content, Number, listed, parse_argument
from grader.run.kernels.host_code import (
    Item,
    blanked,
    items_of,
    macros_of,
    without_host_functions,
    without_host_members,
    without_lines,
)
from grader.run.kernels.kernel_source import (
    CheckError,
    KernelSource,
    base_name,
    failing_includes,
    is_needed,
    stand_in,
    with_flat_includes,
    with_line,
)
from grader.run.kernels.own_launches import versions_of

# What a kernel needs of its file and of its author's own headers: the declarations that it names, and those that they name.
#
# Everything else is host code for this kernel, and goes. Names decide, not scopes: a declaration too many stays where two share a name.
# If the compiler misses something in the rest, kernel_build.py tries the whole file.


def sliced(texts: Mapping[str, str], kernel: str, functions: Collection[str] = ()) -> dict[str, str]:
    """The texts, by name, with blanks in place of what `kernel` and some functions do not need. Lines and directives stay."""
    items = {name: items_of(text) for name, text in texts.items()}
    every = [item for of_file in items.values() for item in of_file]
    needed = _needed_names(every, macros_of("\n".join(texts.values())), {kernel, *functions})

    def goes(item: Item) -> bool:
        """Also a declaration of the kernel without its body: with other parameters, it would be a second version of the kernel."""
        announces = not item.is_function and "__global__" in item.words and item.declares == frozenset({kernel})
        return announces or not _stays(item, needed)

    return {name: blanked(text, list(filter(goes, items[name]))) for name, text in texts.items()}


def _needed_names(items: list[Item], macros: Mapping[str, frozenset[str]], roots: set[str]) -> set[str]:
    """Every word that the kernel and some functions contain, directly or through what they name."""
    needed = set(roots)
    waiting = [item for item in items if not item.is_host]
    while True:
        words = {word for item in waiting if _stays(item, needed) for word in item.words}
        words |= {word for name in needed if name in macros for word in macros[name]}
        if words <= needed:
            return needed
        needed |= words
        waiting = [item for item in waiting if not item.words <= needed or item.declares is None]


def _stays(item: Item, needed: set[str]) -> bool:
    return not item.is_host and (item.declares is None or bool(item.declares & needed))


_MAX_ROUNDS = 40  # how often the build is tried, each time without what did not compile
_MAX_LEFT_OUT = 64
_REFUSALS = 3
_ERROR = re.compile(r"^(?:\./)?([^:\n]+):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$", re.MULTILINE)
_MISSING = re.compile(r"'?\s*(\S+?)\s*(?:: No such file or directory|' file not found)")
_MAY_GO = re.compile(r"[ \t]*#[ \t]*(?P<kind>include|pragma|error|warning|import|using)\b")


@dataclass
class BuiltKernel:
    build: CpuBuild
    left_out: list[str] = field(default_factory=list)  # descriptions
    headers: list[str] = field(default_factory=list)  # those of them that are headers, as they were written


def build_kernel(
    toolset: Toolset,
    source: KernelSource,
    kernel: str,
    folder: Path,
    *,
    definitions: Sequence[str] = (),
    functions: Sequence[str] = (),
    beside: Sequence[str] = (),
) -> BuiltKernel:
    """Empties `folder` before each try. `functions`: passed to the kernel; `beside`: other kernels of the same program."""
    entries = EntrySignatures(kernel, by_name=True, functions=tuple(functions), beside=tuple(beside))
    tries: list[BuiltKernel] = []
    for texts in _choices(source, base_name(kernel), [base_name(one) for one in (*functions, *beside)]):
        flat = with_flat_includes(texts, source.name)
        built = _Tries(toolset, source.name, entries, folder, definitions, flat).result()
        if built.build.runner is not None:
            return built
        tries.append(built)
        refusal = built.build.refusals[0]
        if refusal.verdict is not Verdict.COMPILE_ERROR and "not defined" not in refusal.message:
            break
    return tries[0]


def _choices(source: KernelSource, kernel: str, functions: Collection[str]) -> Iterator[dict[str, str]]:
    if any(base_name(one) == kernel for one in source.kernels):
        first = sliced(source.texts, kernel, functions)
        yield first
        members = {name: without_host_members(text) for name, text in first.items()}
        if members != first:
            yield members
        if source.companions:
            yield sliced(source.with_companions(), kernel, functions)
    yield {name: without_host_functions(text) for name, text in source.texts.items()}


@dataclass
class _Tries:
    """The tries with one choice of the file's declarations."""

    toolset: Toolset
    main: str  # the file's name
    entries: EntrySignatures
    folder: Path
    definitions: Sequence[str]
    texts: dict[str, str]
    left_out: list[str] = field(default_factory=list)
    missed: list[tuple[str, CpuBuild]] = field(default_factory=list)  # headers that are not here, and who missed them
    failed: list[CpuBuild] = field(default_factory=list)  # in which a library's header did not compile

    def result(self) -> BuiltKernel:
        as_given = self.texts[self.main]
        for _ in range(_MAX_ROUNDS):
            build = self._try()
            if build.runner is not None or not self._without_failures(build):
                break
        if build.runner is None:
            build = self._launching(_as_the_users(self._blamed(build)))
            # A texture reference was left out with the declarations that cannot be compiled, and then the kernel lacks it.
            if reference := texture_reference(build.log, as_given):
                build = replace(build, refusals=(reference,))
        return BuiltKernel(build, self.left_out, [header for header, _ in self.missed])

    def _try(self) -> CpuBuild:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        for name, text in self.texts.items():
            if name != self.main:
                (self.folder / name).write_text(text, encoding="utf-8")
        copy = self.folder.parent / self.main
        copy.write_text(self.texts[self.main], encoding="utf-8")
        definitions = (*DEVICE_RUNTIME, *self.definitions)
        return self.toolset.cpu_build(copy, self.folder, self.entries, definitions=definitions)

    def _without_failures(self, build: CpuBuild) -> bool:
        """Takes out what cannot be built: includes, directives, host declarations, other kernels. Whether it found any."""
        before = dict(self.texts)
        done = set[tuple[str, int]]()
        for name, number, message in _ERROR.findall(build.log):
            line = int(number)
            if name not in before or (name, line) in done:
                continue
            done.add((name, line))
            if header := _MISSING.match(message):
                self._leave_out_include(name, line, header[1], f"{header[1]}, which was not found")
                self.missed.append((header[1], build))
            else:
                self._leave_out_at(name, line, "a declaration that cannot be compiled")
        for name, line, library in failing_includes(build.log, before):
            if (name, line) not in done:
                done.add((name, line))
                what = f"what needs {library}, which cannot be compiled for a kernel"
                self._leave_out_include(name, line, library, what)
                self.failed.append(build)
        for refusal in build.refusals:
            if refusal.line > 0 and not refusal.file and (self.main, refusal.line) not in done:
                self._leave_out_at(self.main, refusal.line, "a declaration that cannot run here")
        return self.texts != before

    def _leave_out_include(self, name: str, line: int, header: str, what: str) -> None:
        self.texts[name] = with_line(self.texts[name], line, stand_in(header))
        self.left_out.append(f"{name}:{line}: #include of {what}")

    def _leave_out_at(self, name: str, line: int, what: str) -> None:
        text = self.texts[name]
        lines = text.split("\n")
        if 0 < line <= len(lines) and (directive := _MAY_GO.match(lines[line - 1])):
            self.texts[name], shown = with_line(text, line, ""), f"`{lines[line - 1].strip()[:60]}`"
            what = shown if directive["kind"] != "include" else "the #include in this line"
        else:
            self.texts[name] = without_lines(text, [line], but=base_name(self.entries.kernel))
        if self.texts[name] != text:
            self.left_out.append(f"{name}:{line}: {what}")

    def _launching(self, build: CpuBuild) -> CpuBuild:
        """A compiler does not know `<<<…>>>`: where it fails in such a line, the kernel launches another one."""
        lines = self.texts[self.main].split("\n")
        for name, line, message in _ERROR.findall(build.log):
            if name != self.main or not message.startswith("expected") or "<<<" not in lines[int(line) - 1]:
                continue
            what = "A kernel that launches another one (<<<…>>> in device code) cannot run on the CPU executor."
            return replace(build, refusals=(Refusal(Verdict.NEEDS_GPU, int(line), what),))
        return build

    def _blamed(self, last: CpuBuild) -> CpuBuild:
        """Whose words say why: the first that missed a header which the kernel needs, or in which one did not compile, else the last."""
        if last.refusals[0].verdict is not Verdict.COMPILE_ERROR:
            return last
        missed = (build for header, build in self.missed if is_needed(header, last.log))
        failed = self.failed[0] if self.failed else last
        return next((build for build in missed if build.refusals[0].verdict is Verdict.NEEDS_GPU), failed)


_EMPTY_WORDS = re.compile(r"variable or field .* declared void")


def _as_the_users(build: CpuBuild) -> CpuBuild:
    """An error in the line that names the kernel is about what the user asked for, and no fault of ours. What the compiler says of a
    signature after an unknown type in it says nothing.
    """
    telling = [one for one in build.refusals if not _EMPTY_WORDS.search(one.message)]
    if build.refusals and not telling:
        first = build.refusals[0]
        others = (message for _, line, message in _ERROR.findall(build.log) if int(line) == first.line)
        if other := next((one for one in others if not _EMPTY_WORDS.search(one)), None):
            telling = [replace(first, message=f"The compiler says: {other}")]
    build = replace(build, refusals=tuple(telling) or build.refusals)
    if not re.search(rf"^{re.escape(USE_FILE)}:\d+:(?:\d+:)? error: ", build.log, re.MULTILINE):
        return build
    theirs = {Verdict.INTERNAL_ERROR: Verdict.COMPILE_ERROR}
    refusals = (replace(one, verdict=theirs.get(one.verdict, one.verdict)) for one in build.refusals)
    return replace(build, refusals=tuple(refusals))


def why_not(source: KernelSource, kernel: str, built: BuiltKernel) -> str:
    """Why there is no runner: some lines of text."""
    log = built.build.log
    error = re.search(rf"^{re.escape(USE_FILE)}:\d+:(?:\d+:)? error: (.*)$", log, re.MULTILINE)
    if error and not any(one.line > 0 for one in built.build.refusals):
        versions = versions_of(source, kernel)
        named = f"The kernels in {source.name} are: {', '.join(dict.fromkeys(source.kernels))}."
        listed = f"The versions are: {'; '.join(versions)}." if len(versions) > 1 else named
        return f"{_about_name(kernel, error[1])} {listed}"
    errors = [one.told(source.name) for one in built.build.refusals[:_REFUSALS]]
    if not any(one.line > 0 for one in built.build.refusals):
        errors += re.findall(r"^[^\n]*error: [^\n]*$", log, re.MULTILINE)[:_REFUSALS]
    return "\n".join([*errors, *_perhaps(built), *(f"left out: {one}" for one in built.left_out[:_MAX_LEFT_OUT])])


def _perhaps(built: BuiltKernel) -> Iterator[str]:
    """Where a name that the kernel lacks may come from."""
    missing = re.findall(
        r"[\u2018'](\w+)[\u2019'] (?:was not declared|has not been declared|does not name a type)", built.build.log
    )
    missing += re.findall(r"(?:use of undeclared identifier|unknown type name) '(\w+)'", built.build.log)
    if not missing or built.build.refusals[0].verdict is not Verdict.COMPILE_ERROR:
        return
    if built.headers:
        headers = " or ".join(dict.fromkeys(built.headers))
        yield f"Perhaps `{missing[0]}` is declared in {headers}: put that header beside the file, or name its folder with -I."
    if missing[0].isupper():
        yield f"If `{missing[0]}` is a macro of your build, define it here as well: -D {missing[0]}=VALUE."


def _about_name(kernel: str, error: str) -> str:
    if "unable to deduce" in error or "no matches converting" in error or "overloaded" in error:
        remedy = f"Name one instance, such as '{kernel}<float>', or its parameters, such as '{kernel}(float*, int)'."
        return f"--kernel {kernel!r} is a template or has several versions. {remedy}"
    said = f"the compiler says: {error}."
    if "not declared" in error or "is not a member" in error:
        said = f"there is no kernel of this name. Name a kernel in a namespace with it: ns::{kernel}."
    return f"--kernel {kernel!r}: {said}"


# What a `__constant__` or `__device__` variable holds, as a user says it with --set: host code would have copied it there.
#
# The value becomes the variable's initialiser in the text that is compiled. Lines stay.

_SETTING = re.compile(r"\s*([A-Za-z_]\w*)\s*((?:\[\s*\d+\s*\]\s*)*)=\s*(.+?)\s*", re.DOTALL)
_MODULE_WORDS = frozenset({"__constant__", "__device__", "__managed__"})
_FLOATING = frozenset({"float", "double", "half", "__half", "float2", "float3", "float4", "double2"})
_MOST_NUMBERS = 1 << 16  # of an initialiser


def with_contents(source: KernelSource, settings: Sequence[str]) -> KernelSource:
    """The source with these variables initialised. Raises CheckError."""
    texts = dict(source.texts)
    for setting in settings:
        match = _SETTING.fullmatch(setting)
        if match is None:
            example = "'weights={1,2,1}', 'scale=0.5' or 'w[9]=random'"
            raise CheckError(f"--set {setting!r}: write a variable and what it holds, as in {example}")
        content, count = _contents(setting, match[2] or "[1]", match[3])
        changed = {name: _initialised(text, match[1], content, count) for name, text in texts.items()}
        if changed == texts:
            raise CheckError(f"--set {setting!r}: there is no __constant__ or __device__ variable {match[1]!r}")
        texts = changed
    return replace(source, texts=texts)


def _contents(setting: str, extents: str, fill: str) -> tuple[Content, int]:
    """What the variable holds, read as that of a buffer is, and how many numbers that are."""
    try:
        wanted = parse_argument(f"float{extents}={fill}")
        content = wanted.content if wanted.content.fill != "parts" else listed(setting, fill, "float")
    except ArgumentError as error:
        raise CheckError(f"--set {setting!r}: {str(error).partition(': ')[2]}") from error
    count = len(content.numbers) if content.fill == "listed" else math.prod(wanted.extents)
    if count > _MOST_NUMBERS or not all(map(math.isfinite, content.numbers)):
        most = f"at most {_MOST_NUMBERS:,} numbers, without infinity and NaN"
        raise CheckError(f"--set {setting!r}: a variable may be given {most}")
    return content, count


def _initialised(text: str, name: str, content: Content, count: int) -> str:
    for item in reversed(items_of(text)):
        if not (item.declares and name in item.declares and _MODULE_WORDS & item.words) or item.is_function:
            continue
        if place := _after_name(text, item, name):
            start, end = place
            lines = "\n" * text.count("\n", start, end)
            written = _written(content, count, whole=not _FLOATING & item.words)
            text = f"{text[:start]} = {{{written}}}{lines}{text[end:]}"
    return text


def _written(content: Content, count: int, *, whole: bool) -> str:
    drawn = random.Random(1)  # noqa: S311 -- numbers to compute with, the same each time
    numbers: Iterable[Number] = content.numbers if content.fill == "listed" else content.numbers * count
    if content.fill == "iota":
        numbers = range(count)
    elif content.fill == "random":
        span = content.span or ((0, 99) if whole else None)
        numbers = (drawn.randint(*span) if span else round(drawn.uniform(-1, 1), 6) for _ in range(count))
    return ", ".join(map(repr, numbers))


def _after_name(text: str, item: Item, name: str) -> tuple[int, int] | None:
    """Where the initialiser goes: after the name and its extents, and up to the end of one that is there."""
    found = re.compile(rf"\b{re.escape(name)}\s*((?:\[[^\]]*\]\s*)*)").search(text, item.first, item.end)
    if not found or "extern" in item.words:
        return None
    depth, end = 0, found.end()
    while end < item.end and (depth or text[end] not in ",;"):
        depth += (text[end] in "({[") - (text[end] in ")}]")
        end += 1
    return len(text[: found.end()].rstrip()), end
