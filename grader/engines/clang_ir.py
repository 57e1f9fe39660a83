"""Parses Clang's dump of a file (LLVM's intermediate language as text, before any pass): functions with their instructions, the symbols
that each symbol uses, and the file and line of an instruction. Checks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from grader.engines.objects.symbol_table import reachable

SYMBOL = re.compile(r'@("[^"]*"|[\w.$-]+)')
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_DEFINE = re.compile(r'^define\b[^@]*@("[^"]*"|[\w.$-]+)\(')
_GLOBAL = re.compile(r'^@("[^"]*"|[\w.$-]+) = ')
_GROUP = re.compile(r"^attributes #(\d+) = \{(.*)\}")
_NODE = re.compile(r"^!(\d+) = (?:distinct )?!(\w+)?[({](.*)[)}]$")
_PLACED = re.compile(r"!dbg !(\d+)")
_ATTRIBUTE = re.compile(r'"((?:[^"\\]|\\.)*)"(?:="((?:[^"\\]|\\.)*)")?|(\w+(?:\([^)]*\))?)')


@dataclass(frozen=True)
class Attributes:
    names: frozenset[str] = frozenset()  # noinline, sanitize_thread, …; without their parentheses
    values: dict[str, str] = field(default_factory=dict)  # "target-features": "+sse2"


@dataclass(frozen=True)
class IrFunction:
    symbol: str
    head: str  # its first line
    attributes: Attributes
    instructions: list[str]
    subprogram: str  # the metadata node with its file and line; "": none


@dataclass(frozen=True)
class IrDump:
    functions: dict[str, IrFunction]
    globals: dict[str, str]  # variables and aliases, with the text after their `=`
    file_level_assembly: bool
    nodes: dict[str, tuple[str, str]]  # metadata: its kind, and the text in its parentheses
    unread: tuple[str, ...] = ()  # lines that begin like a function or a variable and go on in a way that is not known

    def reached(self, roots: Iterable[str]) -> set[str]:
        """These symbols, all symbols that their code or initial values name, and so on."""
        return reachable(roots, lambda symbol: self._names.get(symbol, ()))

    @cached_property
    def _names(self) -> dict[str, set[str]]:
        found = {name: _symbols_in([text]) for name, text in self.globals.items()}
        return found | {name: _symbols_in(one.instructions) for name, one in self.functions.items()}

    def path_of(self, function: IrFunction) -> str:
        """The file that defines the function, or "" where the dump does not say."""
        return self._path(function.subprogram)

    def line_of(self, function: IrFunction) -> int:
        return _number(self.nodes.get(function.subprogram, ("", ""))[1], "line")

    def place_of(self, instruction: str) -> tuple[str, int]:
        """File and line of the statement that the instruction belongs to."""
        placed = _PLACED.search(instruction)
        kind, fields = self.nodes.get(placed[1], ("", "")) if placed else ("", "")
        if kind != "DILocation":
            return "", 0
        scope = re.search(r"scope: !(\d+)", fields)
        return self._path(scope[1]) if scope else "", _number(fields, "line")

    def _path(self, scope: str) -> str:
        _, fields = self.nodes.get(scope, ("", ""))
        file = re.search(r"\bfile: !(\d+)", fields)
        _, named = self.nodes.get(file[1], ("", "")) if file else ("", "")
        name = re.search(r'filename: "((?:[^"\\]|\\.)*)"', named)
        folder = re.search(r'directory: "((?:[^"\\]|\\.)*)"', named)
        if name is None:
            return ""
        return name[1] if name[1].startswith("/") or folder is None else f"{folder[1]}/{name[1]}"


def read_dump(text: str) -> IrDump:
    functions: dict[str, IrFunction] = {}
    variables: dict[str, str] = {}
    nodes: dict[str, tuple[str, str]] = {}
    lines = text.split("\n")
    unread: list[str] = []
    groups = {match[1]: _attributes(match[2]) for line in lines if (match := _GROUP.match(line))}
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if match := _DEFINE.match(line):
            first = at
            while at < len(lines) and lines[at] != "}":
                at += 1
            name = match[1].strip('"')
            functions[name] = _function(name, line, lines[first:at], groups)
        elif match := _GLOBAL.match(line):
            variables[match[1].strip('"')] = line[match.end() :]
        elif match := _NODE.match(line):
            nodes[match[1]] = match[2] or "", match[3]
        elif line.startswith(("define", "@")):
            unread.append(line)
    assembly = any(line.startswith("module asm") for line in lines)
    return IrDump(functions, variables, assembly, nodes, tuple(unread))


def _function(name: str, head: str, body: list[str], groups: dict[str, Attributes]) -> IrFunction:
    bare = _STRING.sub('""', head)
    group = re.search(r" #(\d+)", bare)
    placed = _PLACED.search(bare)
    return IrFunction(
        name,
        head,
        groups.get(group[1], Attributes()) if group else Attributes(),
        [line.strip() for line in body if line.startswith(" ")],
        placed[1] if placed else "",
    )


def _attributes(text: str) -> Attributes:
    names, values = set(), {}
    for match in _ATTRIBUTE.finditer(text):
        if match[3]:
            names.add(match[3].partition("(")[0])
        else:
            values[match[1]] = match[2] or ""
    return Attributes(frozenset(names), values)


def _symbols_in(lines: Iterable[str]) -> set[str]:
    return {name.strip('"') for line in lines for name in SYMBOL.findall(line)}


def _number(fields: str, name: str) -> int:
    found = re.search(rf"\b{name}: (\d+)", fields)
    return int(found[1]) if found else 0


# Types in LLVM's intermediate language, as text: where a type ends, and its size. Pointers may have a type or not.

_OPENING, _CLOSING = "([{<", ")]}>"
_WORD = re.compile(r'%"[^"]*"|[%\w.$-]+')
_SCALARS = {"half": 2, "bfloat": 2, "float": 4, "double": 8, "ptr": 8}
_VECTOR = re.compile(r"<(\d+) x (.*)>")
_SUFFIX = re.compile(r"\s*\*+")


def parts_of(text: str) -> list[str]:
    """Splits at commas outside brackets. Ends at a closing bracket that was not opened in `text`."""
    ends = [-1]
    for at, depth in _depths(text):
        if depth < 0:
            text = text[:at]
            break
        if text[at] == "," and depth == 0:
            ends.append(at)
    return [text[one + 1 : other].strip() for one, other in pairwise([*ends, len(text)])]


def _depths(text: str, first: int = 0) -> Iterator[tuple[int, int]]:
    """Of each character outside quotes, how many brackets are open behind it."""
    depth, quoted = 0, False
    for at in range(first, len(text)):
        quoted ^= text[at] == '"'
        if not quoted:
            depth += (text[at] in _OPENING) - (text[at] in _CLOSING)
            yield at, depth


def leading_type(text: str) -> str:
    """The type that `text` begins with: `{ i64, i64 }` of `{ i64, i64 } %5`, `void (float*)*` of `void (float*)* @f`."""
    word = _WORD.match(text)
    end = word.end() if word else _after_bracket(text, 0)
    while True:
        if stars := _SUFFIX.match(text, end):
            end = stars.end()
        elif text.startswith(" (", end) and _SUFFIX.match(text, _after_bracket(text, end + 1)):
            end = _after_bracket(text, end + 1)
        else:
            return text[:end]


def _after_bracket(text: str, opening: int) -> int:
    """The position after the bracket that closes the one at `opening`."""
    return next((at + 1 for at, depth in _depths(text, opening) if depth == 0), len(text))


def bytes_of(kind: str) -> int:
    """The size of a value in memory. 0 for structures and arrays, and for types without a whole number of bytes."""
    if kind.endswith("*"):
        return 8
    if kind == "i1":
        return 1
    if kind in _SCALARS:
        return _SCALARS[kind]
    if integer := re.fullmatch(r"i(\d+)", kind):
        return int(integer[1]) // 8 if int(integer[1]) % 8 == 0 else 0
    vector = _VECTOR.fullmatch(kind)
    return int(vector[1]) * bytes_of(vector[2]) if vector and vector[2] != "i1" else 0
