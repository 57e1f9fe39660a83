"""Several files of one hand-in as one text: the main file first, so that its lines keep their numbers, and each other one behind a line
with its name. So what keeps, compares and shows a file does that with all of them. And what a Makefile or CMakeLists.txt among them says.
Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

SOURCES = frozenset({".cu", ".cpp", ".cc", ".cxx"})
BUILD_FILES = ("Makefile", "makefile", "CMakeLists.txt")
PATTERN = re.compile(
    r"[A-Za-z0-9_*][A-Za-z0-9_.+*-]{0,99}\.(?:cu|cuh|h|hh|hpp|hxx|inl|inc|cpp|cc|cxx)|Makefile|makefile|CMakeLists\.txt"
)
MOST_FILES = 32
_TESTS = frozenset({"public_tests.cpp", "hidden_tests.cpp"})  # the course's own, beside a lab's files
_MARK = re.compile(r"^// ==== (\S+) ====\n?", re.MULTILINE)
_COMPLETE = "// ==== (all) ====\n"


def can_be_named(name: str) -> bool:
    return bool(PATTERN.fullmatch(name)) and "*" not in name


def is_asked(name: str, patterns: Iterable[str]) -> bool:
    return name not in _TESTS and any(fnmatchcase(name, one) for one in patterns)


def joined(main: str, others: Mapping[str, str]) -> str:
    """Nothing is added to it any more: see `completed`."""
    parts = [_harmless(main), *(f"// ==== {name} ====\n{_harmless(text)}" for name, text in others.items()), _COMPLETE]
    return "".join(part if part.endswith("\n") else f"{part}\n" for part in parts)


def _harmless(text: str) -> str:
    return _MARK.sub(lambda found: f" {found[0]}", text)


def parted(text: str, main: str) -> dict[str, str]:
    """The files by their names, the main one first. Of a file that is alone, itself."""
    pieces = _MARK.split(text)
    found = {main: pieces[0]}
    for name, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        if can_be_named(name) and len(found) <= MOST_FILES:
            found.setdefault(name, piece)
    return found


def is_complete(text: str) -> bool:
    return text.endswith(f"\n{_COMPLETE}")


def lines_before(text: str) -> dict[str, int]:
    """How many lines of a whole text stand before each file beside the main one."""
    found = _MARK.finditer(text) if is_complete(text) else ()
    return {one[1]: text.count("\n", 0, one.end()) for one in found if can_be_named(one[1])}


def place_in(text: str, line: int) -> tuple[str, int]:
    """The file in which a line of a whole text stands, "" for the main one, and its number there: 0 for the line with the file's name."""
    before = {"": 0, **lines_before(text)}
    file = max((name for name, count in before.items() if count <= line), key=before.__getitem__)
    return file, line - before[file]


def with_text(whole: str, main: str, file: str, text: str) -> str:
    """With another text of one of the files."""
    if not is_complete(whole):
        return text
    files = {**parted(whole, main), file: text}
    return joined(files.pop(main), files)


def of_lab(sources: Mapping[str, str], main: str) -> Mapping[str, str]:
    """Texts of a submission by their names: those of the lab with this main file."""
    text = sources.get(main, "")
    return parted(text, main) if is_complete(text) else sources


def completed(text: str, main: str, beside: Mapping[str, str]) -> str:
    """With the files beside it, where `text` has no other version of them."""
    files = {**beside, **parted(text, main)}
    return joined(files.pop(main), dict(sorted(files.items())))


# What build files say. Of Makefiles only variables are known, of CMake the commands below: neither is run.

_WORDS = re.compile(r"[^\s()\"';]+")
_ASSIGNED = re.compile(
    r"^[ \t]*(?:export[ \t]+)?(\w+)[ \t]*(?::{0,3}|\?|(\+))=(.*)$|\bset\s*\(\s*(\w+)([^()]*)\)",
    re.MULTILINE | re.IGNORECASE,
)
_USED = re.compile(r"\$[({](\w+)[)}]")
_DEFINED = re.compile(r"[A-Za-z_]\w*(?:=[\w.+-]*)?")
_CMAKE_DEFINED = re.compile(
    r"\b(?:target_compile_definitions\s*\(\s*\w{1,60}|add_compile_definitions\s*\()([^()]*)\)", re.IGNORECASE
)
_OURS = re.compile(r"(?:tilelab|__|cuda|main\b)", re.IGNORECASE)
_LONGEST, _DEEPEST = 64 << 10, 4
_VALUE, _MOST_USES = 2_000, 500  # of a variable
_SCOPES = frozenset({"PRIVATE", "PUBLIC", "INTERFACE"})


@dataclass(frozen=True)
class BuildWords:
    """`sources`: empty where none is named."""

    sources: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()
    standard: str = ""  # "20"
    ignored: tuple[str, ...] = ()  # other options


def build_words(files: Mapping[str, str]) -> BuildWords:
    """Of the first build file among `files`. All files lie in one folder here, so -I changes nothing."""
    name = next((one for one in BUILD_FILES if one in files), "")
    text = re.sub(r"\\\n|#[^\n]*", " ", files.get(name, "")[:_LONGEST])
    if not name:
        return BuildWords()
    values: dict[str, str] = {}
    for found in _ASSIGNED.finditer(text):
        variable, value = found[1] or found[4], found[3] or found[5] or ""
        values[variable] = (f"{values.get(variable, '')} {value}" if found[2] else value)[:_VALUE]
    for _ in range(_DEEPEST):
        text = _USED.sub(lambda found: values.get(found[1], ""), text, count=_MOST_USES)[:_LONGEST]
    words = _WORDS.findall(text)
    made = [re.sub(r"\.o$", suffix, one) for one in words for suffix in (".cu", ".cpp", ".cc")]
    plain = [one.rpartition("/")[2] for one in (*words, *made)]
    sources = [one for one in dict.fromkeys(plain) if one in files and one[one.rfind(".") :] in SOURCES]
    defined = [one.removeprefix("-D") for one in _options(words, "-D")]
    for found in _CMAKE_DEFINED.finditer(text):
        defined += [one.removeprefix("-D") for one in _WORDS.findall(found[1]) if one not in _SCOPES]
    taken = [one for one in dict.fromkeys(defined) if _DEFINED.fullmatch(one) and not _OURS.match(one)]
    standards = [
        *re.findall(r"-std[= ](?:c|gnu)\+\+(\w\w)\b", text),
        *re.findall(r"\bCMAKE_(?:CUDA|CXX)_STANDARD\s+(\d\d)", text),
    ]
    known = ("-D", "-I", "-std", "--std", "-o", "-c")
    ignored = [one for one in words if re.fullmatch(r"-[A-Za-z-][\w=,.+:/-]*", one) and not one.startswith(known)]
    ignored += [f"-D{one}" for one in defined if one not in taken]
    return BuildWords(tuple(sources), tuple(taken), standards[-1] if standards else "", tuple(dict.fromkeys(ignored)))


def _options(words: Sequence[str], option: str) -> Iterator[str]:
    """Those of `-DX` and `-D X`."""
    for at, one in enumerate(words):
        if one == option:
            yield from words[at + 1 : at + 2]
        elif one.startswith(option):
            yield one
