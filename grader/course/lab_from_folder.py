"""Drafts a lab from a folder of another course: its starter, its headers, its data sets. What it recognised is said, and so is what is
left to say. It reads numbers and words, and does not parse C++.
"""

from __future__ import annotations

import json
import math
import re
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from grader.course.new_lab import NewLab, from_skeleton, must_be_free
from grader.course.question_file import ANSWERS, QUESTIONS, LabQuestions, QuestionFile
from grader.course.starters import answer_form
from grader.model.errors import RemediableError
from grader.model.labs import Lab, PublicSpec
from grader.model.several_files import BUILD_FILES, SOURCES, build_words
from grader.run.described_cases import check_described
from grader.run.program_judging import signature_in

_MOST_FILES, _MOST_BYTES = 2_000, 16 << 20
_DATA = frozenset({".raw", ".txt", ".dat", ".bin", ".in", ".out", ".data"})
_HEADERS = frozenset({".h", ".hpp", ".cuh", ".inc"})
_RESULT = re.compile(r"out|expect|result|ref|gold|answer|solution", re.IGNORECASE)
_KERNEL = re.compile(r"__global__\s+void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\(")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
_SIZES = ("M", "N", "K", "P", "Q", "R", "S", "T")
_FORMULAS = (
    "{0}[i, j] = sum(k < {k}, {1}[i, k] * {2}[k, j])", "{0}[i, j] = {1}[i, j] + {2}[i, j]", "{0}[i] = {1}[i] + {2}[i]",
    "{0}[i] = {1}[i] * {2}[i]", "{0}[i, j] = {1}[j, i]", "{0}[i] = sum(k < {k}, {1}[k])", "{0}[i] = sum(k <= i, {1}[k])",
    "{0}[i] = sum(k < i, {1}[k])", "{0}[i] = sum(k < {k}, {1}[k] * {2}[k])",
)  # fmt: skip
_FILL = "FILL IN"


@dataclass
class Draft:
    files: dict[str, str | bytes] = field(default_factory=dict)
    recognised: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def draft_of(root: Path, new: NewLab, folder: Path) -> Draft:
    """Reads, and writes nothing. Raises RemediableError."""
    files = _files(folder)
    source = _source(files)
    text = source.read_text(encoding="utf-8", errors="replace")
    draft, public, private = Draft(), f"assignments/{new.lab_id}", f"solutions/{new.lab_id}"
    said: dict[str, object] = {
        "title": new.title,
        "summary": f"{_FILL}: what a student writes, and what for.",
        "file": source.name,
        "shapes": _FILL,
    }
    said |= _contract(text, draft, source.name)
    headers = _headers(text, files, draft)
    said |= {"headers": [path.name for path in headers]} if headers and said["contract"] != "kernel" else {}
    others = _others(text, files, source, draft)
    if others and (said["contract"] != "kernel" or "grid" in said):
        said["files"] = [source.name, *(path.name for path in others)]
    sets, described = _data(folder, files, draft)
    if said["contract"] == "program":
        said["arguments"] = [_FILL]
        draft.left.append(
            "arguments: the command line, with {A} for the file of A, {N} for a size and {set} for the data set"
        )
    toml = "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in said.items())
    shown, hidden = sets[: (len(sets) + 1) // 2], sets[(len(sets) + 1) // 2 :]
    described = _with_formula(described, source.name, sets, draft)
    draft.files[f"{public}/lab.toml"] = toml + described + _cases(shown)
    draft.files[f"{private}/grading.toml"] = f"rejects_at_least = 0  # {_FILL}: wrong files in rejects/\n" + _cases(
        hidden, "verdict"
    )
    draft.left.append("points, names and advice of the cases" + ("" if hidden else "; hidden cases, in grading.toml"))
    for half, those in ((public, shown), (private, hidden)):
        for one in those:
            draft.files |= {f"{half}/{one.name}/{path.name}": path.read_bytes() for path in one.files}
    draft.files |= {f"{public}/{path.name}": path.read_bytes() for path in (*headers, *others)}
    draft.files |= {f"{private}/{path.name}": path.read_bytes() for path in others}
    draft.files |= {
        f"{public}/{source.name}": text,
        f"{private}/{source.name}": f"// {_FILL}: the model solution\n{text}",
    }
    draft.left.append(f"{private}/{source.name}: the model solution, with its markers")
    pages = dict(from_skeleton(new, {"public": len(shown), "hidden": len(hidden)}, of_each_lab=True))
    questions = QuestionFile.model_validate(tomllib.loads(pages[f"{public}/{QUESTIONS}"]))
    draft.files |= {
        **pages,
        f"{public}/{ANSWERS}": answer_form(LabQuestions(new.lab_id, new.title, source.name, questions)),
    }
    for name in draft.files:
        must_be_free(root, name)
    return draft


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise RemediableError(f"there is no folder {folder}")
    found = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    if len(found) > _MOST_FILES:
        raise RemediableError(
            f"{folder} has {len(found)} files; at most {_MOST_FILES} are looked at: name the lab's own folder"
        )
    return [path for path in found if path.stat().st_size <= _MOST_BYTES]


def _source(files: Sequence[Path]) -> Path:
    sources = [path for path in files if path.suffix == ".cu"]
    if not sources:
        raise RemediableError("there is no .cu file in that folder: a lab needs the starter that students get")
    return min(
        sources,
        key=lambda path: ("solution" in path.name, "template" not in path.name, "main" not in path.name, path.name),
    )


def _contract(text: str, draft: Draft, name: str) -> dict[str, object]:
    kernels = _KERNEL.findall(text)
    if re.search(r"\bint\s+main\s*\(", text):
        draft.recognised.append(f"{name} has a main(): a whole program, which reads and writes files")
        if kernels:
            draft.left.append(
                f'if the lab should launch `{kernels[0]}` itself: contract = "kernel" with grid, block and arguments'
            )
        return {"contract": "program"}
    if not kernels:
        draft.left.append('launcher: the signature of the function that is called, such as "solve(float const*, int)"')
        return {"contract": "launcher", "launcher": f"{_FILL}()"}
    draft.recognised.append(f"{name} has kernels and no main(): the lab launches `{kernels[0]}`")
    draft.left.append("arguments, grid, block: how the kernel is launched, as arithmetic over the sizes")
    kernel = signature_in(text, kernels[0]) or f"{kernels[0]}()"
    blanks = [_FILL] * (kernel.count(",") + 1)
    return {"contract": "kernel", "kernel": kernel, "arguments": blanks, "grid": ["ceil(N / 256)"], "block": ["256"]}


def _headers(text: str, files: Sequence[Path], draft: Draft) -> list[Path]:
    there = {path.name: path for path in files if path.suffix in _HEADERS}
    found: dict[str, Path] = {}
    asked = _INCLUDE.findall(text)
    while asked:
        name = asked.pop().rpartition("/")[2]
        if name in there and name not in found:
            found[name] = there[name]
            asked += _INCLUDE.findall(there[name].read_text(encoding="utf-8", errors="replace"))
    if found:
        draft.recognised.append(f"headers that come along: {', '.join(found)}")
    return list(found.values())


def _others(text: str, files: Sequence[Path], main: Path, draft: Draft) -> list[Path]:
    """What comes beside the main file: the other sources that the build file names, or all; and the build file."""
    build = next((path for name in BUILD_FILES for path in files if path.name == name), None)
    sources = {path.name: path for path in files if path.suffix in SOURCES and path != main}
    if build is None or re.search(r"^[ \t]*#[ \t]*include[^\n]*\.cu\b", text, re.MULTILINE):
        return []
    words = build_words(
        {build.name: build.read_text(encoding="utf-8", errors="replace"), main.name: "", **dict.fromkeys(sources, "")}
    )
    options = [
        *words.sources,
        *(f"-D{one}" for one in words.definitions),
        *([f"C++{words.standard}"] if words.standard else []),
    ]
    draft.recognised.append(f"{build.name}: {', '.join(options) or 'nothing that is used'}")
    if words.ignored:
        draft.left.append(f"nothing of these, which are not used: {' '.join(words.ignored)}")
    found = [sources[name] for name in words.sources if name in sources]
    return [*found, build] if words.definitions or words.standard or found else []


@dataclass(frozen=True)
class _Set:
    """A folder with one data set."""

    name: str  # "data/0"
    files: tuple[Path, ...]


def _data(folder: Path, files: Sequence[Path], draft: Draft) -> tuple[list[_Set], str]:
    """The data sets, and [problem] without formulas."""
    by_folder: dict[Path, list[Path]] = {}
    for path in files:
        if path.suffix in _DATA:
            by_folder.setdefault(path.parent, []).append(path)
    kinds = [tuple(path.name for path in those) for those in by_folder.values()]
    usual = max(kinds, key=lambda names: (kinds.count(names), len(names)), default=())
    alike = [(where, those) for where, those in by_folder.items() if tuple(path.name for path in those) == usual]
    sets = [_Set("data/" + (where.name if where != folder else "0"), tuple(those)) for where, those in alike]
    if not sets:
        draft.left.append("[problem] and the sizes of cases: there is no folder with data")
        return (
            [],
            f'\n[problem]\nsizes = ["N"]  # {_FILL}\nresult = [{{ name = "out", shape = ["N"], formula = "out[i] = i" }}]\n',
        )
    draft.recognised.append(f"{len(sets)} data sets with {', '.join(usual)}")
    sides = [[_sides(one.files[place]) for one in sets] for place in range(len(usual))]
    names: dict[tuple[int, ...], str] = {}
    text = ""
    for place, name in enumerate(usual):
        is_result = bool(_RESULT.search(name))
        read, given = sides[place], "result" if is_result else "input"
        known = all(read) and len({len(one) for one in read}) == 1
        each = [tuple(one[side] for one in read) for side in range(len(read[0]))] if known else []
        letters = [names.setdefault(one, _SIZES[min(len(names), len(_SIZES) - 1)]) for one in each]
        if not letters:
            draft.left.append(f"{name}: its shape, its header, and whether it is text or binary")
        header = (
            f"header = {json.dumps(letters)}\n"
            if letters and not is_result and _has_header(sets[0].files[place])
            else ""
        )
        shape = json.dumps(letters or ["N"])
        own = f'file = "{{set}}/my_{name}"\nexpected = "{name}"\n' if is_result else f'file = "{{set}}/{name}"\n'
        text += f'\n[[problem.{given}]]\nname = "{Path(name).stem}"\nshape = {shape}\n{own}{header}'
    draft.left.append("file of each result: what the program calls it")
    return sets, f"\n[problem]\nsizes = {json.dumps(list(names.values()) or ['N'])}\n{text}"


def _sides(path: Path) -> tuple[int, ...]:
    """Rows and columns, or how many numbers there are; empty: it is no text of numbers."""
    try:
        lines = path.read_text(encoding="ascii").split("\n", 1)
        first, rest = [float(one) for one in lines[0].split()], len("".join(lines[1:]).split())
        count = math.prod(int(one) for one in first)
    except (ValueError, OverflowError):
        return ()
    is_header = 0 < len(first) <= 3 and all(one == int(one) > 0 for one in first) and count == rest  # noqa: PLR2004 -- sides
    return tuple(int(one) for one in first) if is_header else (len(first) + rest,)


def _has_header(path: Path) -> bool:
    sides, words = _sides(path), path.read_text(encoding="ascii").split()
    return [str(one) for one in sides] == words[: len(sides)] and len(words) > len(sides)


def _cases(sets: Sequence[_Set], feedback: str = "full") -> str:
    names = [f'data = ["{one.name}"]' for one in sets] or ([] if feedback != "full" else ["sizes = [{ N = 100 }]"])
    said = "" if feedback == "full" else f'feedback = "{feedback}"\n'
    return "".join(
        f'\n[[case]]\nname = "{_FILL}: {feedback} {number}"\npoints = 1\n{said}{one}\nadvice = "{_FILL}"\n'
        for number, one in enumerate(names, 1)
    )


def _with_formula(described: str, file: str, sets: Sequence[_Set], draft: Draft) -> str:
    """With the first of the usual formulas that gives each file of a data set."""
    names = re.findall(r'\[\[problem\.(input|result)\]\]\nname = "(\w+)"', described)
    inputs, results = ([name for kind, name in names if kind == one] for one in ("input", "result"))
    for formula in _candidates(inputs, results, described) if sets else ():
        text = described.replace(f'name = "{results[0]}"\n', f'name = "{results[0]}"\nformula = "{formula}"\n')
        if _agrees(text, file, sets):
            draft.recognised.append(f"the data sets agree with {formula}")
            return text
    if results:
        draft.left.append("formula of each result, or its `relative` tolerance: no usual formula fits")
    return described


def _candidates(inputs: Sequence[str], results: Sequence[str], described: str) -> Iterator[str]:
    sizes = json.loads(re.findall(r"^sizes = (.*)$", described, re.MULTILINE)[0])
    for formula in _FORMULAS if len(results) == 1 and 1 <= len(inputs) <= 2 else ():  # noqa: PLR2004 -- as formulas have
        if ("{2}" in formula) == (len(inputs) == 2):  # noqa: PLR2004
            yield from dict.fromkeys(formula.format(results[0], *inputs, k=size) for size in sizes)


def _agrees(described: str, file: str, sets: Sequence[_Set]) -> bool:
    """Whether the data sets are what the description says."""
    with tempfile.TemporaryDirectory() as scratch:
        for one in sets:
            (Path(scratch) / one.name).mkdir(parents=True)
            for path in one.files:
                (Path(scratch) / one.name / path.name).write_bytes(path.read_bytes())
        plain = {"contract": "program", "arguments": [], "title": "", "summary": "", "shapes": "", "file": file}
        case = [{"name": "one", "points": 1, "data": [one.name for one in sets]}]
        try:
            spec = PublicSpec.model_validate({**plain, **tomllib.loads(described), "case": case})
        except ValidationError:
            return False
        return not list(check_described(Lab("draft", spec, None, Path(scratch), None)))
