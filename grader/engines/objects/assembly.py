"""Reads the compiler's assembly: which function calls which, in which line, and which calls go through a pointer."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterator
from dataclasses import dataclass, field

BLOCK_BEGINS = "__sanitizer_cov_trace_pc"
# One line of a variable's or a constant's data, in a section that holds no code.
_DATA = (
    r"(?:[ \t]*(?:\.(?:globl|weak|hidden|local|comm|align|p2align|size|zero|byte|value|2byte|4byte|8byte|long|quad|word|xword)\b[^\n;#]*"
    r"|\.(?:string|ascii)[ \t]+\"(?:\\.|[^\"\\\n])*\"|\.(?:bss|data)|\.section[ \t]+\.(?:t?bss|t?data|rodata)\b[^\n;#]*"
    r"|\.type[ \t]+[\w.$]+,[ \t]*[@%](?:gnu_unique_)?object|[\w.$]+:)[ \t]*\n)"
)
# The exact text with which <iostream> refers to its library's initialiser since GCC 13, outside any function. The compiler closes it
# before its next function: what it keeps may stand between.
_HARMLESS = rf"\n\s*\.globl _ZSt21ios_base_library_initv\n{_DATA}*+#NO_APP\n"
_LINE = re.compile(
    r'^[ \t]*(?:\.file\s+(?P<number>\d+)\s+(?:"[^"]*"\s+)?"(?P<path>[^"]*)"'
    r"|\.loc\s+(?P<file>\d+)\s+(?P<line>\d+)"
    r"|\.type\s+(?P<begin>[\w.$]+),\s*[@%]function"
    r"|(?P<end>\.size)\s"
    r"|(?:call|jmp)q?\s+(?P<indirect>\*)"
    r"|(?:blr|br)\s+(?P<register>x\d+)"
    r"|(?:call|jmp|bl|b)q?\s+(?P<name>(?!\.L)[\w.$]+)"
    rf"|(?P<app>\#APP)(?!{_HARMLESS}))",
    re.MULTILINE,
)


@dataclass(frozen=True)
class FunctionCalls:
    """Lines are those of the submission, or 0 where the code comes from another file."""

    lines: dict[str, int] = field(default_factory=dict)  # the first line that calls each symbol
    indirect: list[int] = field(default_factory=list)  # calls through a pointer
    inline_assembly: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Calls:
    """Calls by the calling function's symbol. "" stands for code outside all functions."""

    by_function: dict[str, FunctionCalls]

    def within(self, functions: Container[str]) -> FunctionCalls:
        """The calls of these functions, and of code outside all functions."""
        together = FunctionCalls()
        for name, calls in self.by_function.items():
            if name and name not in functions:
                continue
            for symbol, line in calls.lines.items():
                together.lines[symbol] = together.lines.get(symbol) or line
            together.indirect.extend(calls.indirect)
            together.inline_assembly.extend(calls.inline_assembly)
        return together


def _told(assembly: str, file_name: str) -> Iterator[tuple[re.Match[str], str, int]]:
    """Each line that tells something, with the function in which it stands and the line of the submission that it belongs to."""
    ours: set[str] = set()
    line, function = 0, ""
    for match in _LINE.finditer(assembly):
        if match["number"] is not None:
            if match["path"].rsplit("/", 1)[-1] == file_name:
                ours.add(match["number"])
            continue
        if match["file"] is not None:  # Clang writes 0 for what it adds to a statement
            line = (int(match["line"]) or line) if match["file"] in ours else 0
        elif match["begin"] is not None or match["end"] is not None:
            line, function = 0, match["begin"] or ""
        yield match, function, line


def calls_of(assembly: str, file_name: str) -> Calls:
    found: defaultdict[str, FunctionCalls] = defaultdict(FunctionCalls)
    for match, function, line in _told(assembly, file_name):
        if match["indirect"] is not None or match["register"] is not None:
            found[function].indirect.append(line)
        elif name := match["name"]:
            calls = found[function].lines
            calls[name] = calls.get(name) or line
        elif match["app"] is not None:
            found[function].inline_assembly.append(line)
    return Calls(dict(found))


def first_line_naming(assembly: str, file_name: str, functions: Container[str], symbol: str) -> int:
    """The lowest line of the submission in which one of these functions names the symbol; 0 where there is none."""
    names = re.compile(rf"(?<![\w.]){re.escape(symbol)}(?![\w.$])")
    told = [(match.start(), function, line) for match, function, line in _told(assembly, file_name)]
    ends = [*(begin for begin, _, _ in told[1:]), len(assembly)]
    lines = (
        line
        for (begin, function, line), end in zip(told, ends, strict=False)
        if line and function != symbol and function in functions and names.search(assembly, begin, end)
    )
    return min(lines, default=0)


def source_line(assembly: str, file_name: str, at: int) -> int:
    """The submission's line that the text at this place belongs to; 0 where that is another file's."""
    lines = [line for match, _, line in _told(assembly, file_name) if match.start() <= at]
    return lines[-1] if lines else 0
