"""Beginners' mistakes, and what a student reads of each on the first screen: the line, and the cause in the names of the file.

Each kernel in tests/labs/mistakes/<lab>/ says on its first line what has to be shown:
`// mistake: verdict=compile-error; line=21; says="CUDA's name is `__syncthreads`"`. `line=0`: no line is asked for.
`verdict=crash|launch-error`: the compilers do not agree. Every mistake is also tried renamed, moved down, indented with tabs and with
Windows' line ends. By default a sample is judged, each file in one of these forms
and with one compiler; with TILELAB_WHOLE_CORPUS=1 all files, all forms and both compilers.
"""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import pytest
from corpus_sample import SEED, WHOLE, covering, sample
from rich.console import Console

from grader.cli.practice.practice import Practice
from grader.engines.backend import COMPILER_VARIABLE
from grader.engines.toolset import Toolset
from grader.explain.suspect_search import MOST_EDITS, SuspectSearch
from grader.model.course_root import PUBLIC_SEED
from grader.model.labs import load_lab
from grader.pages.screens.lab_screen import Screen
from grader.run.lab_judging import LabJudge

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent / "mistakes"
_HEADER = re.compile(
    r'// mistake: verdict=(?P<verdict>[\w|-]+); line=(?P<line>\d+); says="(?P<says>.*?)"(?P<searched>; searched)?$'
)
_OTHER_NAMES = {
    "As": "tileOfA",
    "Bs": "tileOfB",
    "sum": "total",
    "row": "my_row",
    "col": "my_col",
    "TILE": "WIDTH",
    "summ": "totall",
    "Row": "My_row",
}


@dataclass(frozen=True)
class Mistake:
    text: str
    verdict: str
    line: int
    says: str
    searched: bool = False  # whether the line is found by trying small changes, after the first screen


def read(path: Path) -> Mistake:
    text = path.read_text(encoding="utf-8")
    header = _HEADER.fullmatch(text.split("\n", 1)[0])
    assert header, f"{path.name}: the first line says what has to be shown"
    return Mistake(text, header["verdict"], int(header["line"]), header["says"], header["searched"] is not None)


def renamed(one: Mistake) -> Mistake:
    names = re.compile(rf"(?<!\w)({'|'.join(_OTHER_NAMES)})(?!\w)")

    def other(words: str) -> str:
        return names.sub(lambda match: _OTHER_NAMES[match[0]], words)

    text, says = other(one.text), re.sub(r"`[^`]*`", lambda code: other(code[0]), one.says)
    return Mistake(text, one.verdict, one.line, says, one.searched)


def moved_down(one: Mistake) -> Mistake:
    """Three lines lower. What is said of other lines moves with it."""
    says = re.sub(r"(?<=\b[Ll]ine )\d+", lambda match: str(int(match[0]) + 3), one.says)
    return Mistake(f"/* moved\n\n*/\n{one.text}", one.verdict, one.line + 3 if one.line else 0, says, one.searched)


def indented_otherwise(one: Mistake) -> Mistake:
    lines = (re.sub(r"^(?:  )+", lambda match: "\t" * (len(match[0]) // 2), line) for line in one.text.split("\n"))
    return Mistake("\r\n".join(lines), one.verdict, one.line, one.says, one.searched)


FORMS: tuple[Callable[[Mistake], Mistake], ...] = (lambda one: one, renamed, moved_down, indented_otherwise)
FILES = sorted(path.relative_to(HERE).as_posix() for path in HERE.glob("*/*.cu"))
COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
EVERY = list(product(FILES, range(len(FORMS)), COMPILERS))
# Of the whole table, a file of each lab and each sixteenth, in forms and with compilers that change from one to the next.
TAKEN = sorted({*sample(FILES, 16), *covering(FILES, lambda file: file.split("/", maxsplit=1)[0])})
SAMPLE = [(file, at % len(FORMS), COMPILERS[at // len(FORMS) % len(COMPILERS)]) for at, file in enumerate(TAKEN, SEED)]


@pytest.fixture(scope="module")
def toolsets() -> dict[str, Toolset]:
    with pytest.MonkeyPatch.context() as patch:
        opened = {}
        for compiler in COMPILERS:
            patch.setenv(COMPILER_VARIABLE, compiler)
            opened[compiler] = Toolset.open(ROOT, allow_no_sandbox=True)
        return opened


@pytest.mark.parametrize(("file", "form", "compiler"), EVERY if WHOLE else SAMPLE)
def test_the_first_screen_names_the_line_and_the_cause(
    file: str, form: int, compiler: str, toolsets: dict[str, Toolset], tmp_path: Path
) -> None:
    lab = load_lab(ROOT, file.split("/", maxsplit=1)[0])
    mistake = FORMS[form](read(HERE / file))
    source = tmp_path / lab.public.file
    source.write_bytes(mistake.text.encode())
    judge = LabJudge(toolsets[compiler], PUBLIC_SEED, public_only=True)
    tried = Practice(ROOT, [lab], judge, file=source).attempt(lab)
    out = io.StringIO()
    Console(file=out, width=120, color_system=None).print(Screen([tried], tried, lines=30))
    shown = " ".join(out.getvalue().split())
    assert tried.result.verdict.value in mistake.verdict.split("|"), shown
    assert mistake.says in shown
    assert mistake.searched or not mistake.line or re.search(rf"\bline {mistake.line}\b|▸ ?{mistake.line}\b", shown), (
        out.getvalue()
    )


SEARCHED = [(file, form, compiler) for file, form, compiler in EVERY if read(HERE / file).searched]
# The search builds and runs some dozen kernels for each.
FEW = [("01-naive/no_plus.cu", 1, COMPILERS[-1]), ("02-tiled/tile_of_a_stays.cu", 3, COMPILERS[0])]


@pytest.mark.parametrize(("file", "form", "compiler"), SEARCHED if WHOLE else sample(FEW, 2))
def test_the_line_of_a_wrong_result_is_found_by_small_changes(
    file: str, form: int, compiler: str, toolsets: dict[str, Toolset], tmp_path: Path
) -> None:
    lab = load_lab(ROOT, file.split("/", maxsplit=1)[0])
    mistake = FORMS[form](read(HERE / file))
    source = tmp_path / lab.public.file
    source.write_bytes(mistake.text.encode())
    judge = LabJudge(toolsets[compiler], PUBLIC_SEED, public_only=True)
    practice = Practice(
        ROOT,
        [lab],
        judge,
        file=source,
        search=SuspectSearch(toolsets[compiler], PUBLIC_SEED, most=MOST_EDITS if WHOLE else 30).suspects,
    )
    tried = practice.suspected(practice.attempt(lab))
    assert tried.result.verdict.value in mistake.verdict.split("|")
    assert mistake.line in {line for suspect in tried.result.suspects for line in suspect.lines}
    assert not any(suspect.before or suspect.after for suspect in tried.result.suspects)
