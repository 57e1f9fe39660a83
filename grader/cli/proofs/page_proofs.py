"""Passages in a page that are the output of a command. The command is run again and compared, so that no number is out of date.

<!-- made by: .venv/bin/tilelab … -->
what the command prints
<!-- made: end -->

The commands are those of the course's own pages, and run in its root without a shell. Never use this for other people's pages.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from posixpath import dirname, normpath
from urllib.parse import unquote

from grader.course.leaks import Diagnostic, shape_pattern, stated_size
from grader.course.new_lab import given_points
from grader.model.labs import Lab
from grader.model.result import Environment, LabResult, Result, Submission
from grader.pages.pages import student_page
from grader.run.scoring.redaction import for_student

_BEGIN, _END = r"^<!-- made by: (.+?) -->[^\S\n]*$", "<!-- made: end -->"
# A fenced block, whose markers are examples and do not count; a passage; a marker without its partner.
_MARKED = re.compile(rf"^```.*?^```|{_BEGIN}\n(.*?)^{_END}[^\S\n]*$|{_BEGIN}|^{_END}", re.MULTILINE | re.DOTALL)
_SECONDS = 120
REMEDY = "run `.venv/bin/tilelab check-course --remake`"


class MadeTextError(Exception):
    """A passage has no end, or a command fails. The text says what, `line` says where."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line


@dataclass(frozen=True)
class Passage:
    line: int  # of the opening marker, 1-based
    command: str
    text: str  # the present text, without the markers
    span: tuple[int, int]  # of the text and its last line break, in the page


def passages(text: str) -> list[Passage]:
    """The passages of a page, in order. Raises MadeTextError."""
    found: list[Passage] = []
    for match in _MARKED.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        command, held, alone = match.groups()
        if alone:
            raise MadeTextError(line, f"this passage has no `{_END}`")
        if match[0] == _END:
            raise MadeTextError(line, "a passage ends here, but none began")
        if command and (inner := re.search(_BEGIN, held, re.MULTILINE)):
            within = line + 1 + held.count("\n", 0, inner.start())
            raise MadeTextError(within, f"a passage begins inside the passage that began in line {line}")
        if command:
            found.append(Passage(line, command, held.strip("\n"), match.span(2)))
    return found


def made(root: Path, passage: Passage) -> str:
    """What the passage's command prints now. Raises MadeTextError where it fails."""
    path = f"{root / '.venv' / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    try:
        done = subprocess.run(
            shlex.split(passage.command), cwd=root, env={**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True, timeout=_SECONDS,
        )  # fmt: skip
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        output = getattr(error, "stderr", None) or ""
        raise MadeTextError(passage.line, f"`{passage.command}` fails: {error} {output}".rstrip()) from error
    return done.stdout.strip("\n")


def outdated(root: Path, page: str) -> Iterator[Diagnostic]:
    """The passages of `page` that differ from what their commands print."""
    try:
        for passage in passages((root / page).read_text(encoding="utf-8")):
            if made(root, passage) != passage.text:
                yield Diagnostic(page, passage.line, f"differs from what `{passage.command}` prints; {REMEDY}")
    except MadeTextError as error:
        yield Diagnostic(page, error.line, str(error))


def remake(root: Path, page: str) -> bool:
    """Brings the passages of `page` up to date, and returns whether any was out of date. Raises MadeTextError."""
    text = (root / page).read_text(encoding="utf-8")
    fresh = text
    for passage in reversed(passages(text)):
        start, end = passage.span
        fresh = f"{fresh[:start]}{made(root, passage)}\n{fresh[end:]}"
    if fresh == text:
        return False
    (root / page).write_text(fresh, encoding="utf-8")
    return True


# The write-ups' pictures: those that `docs/figures/draw.py` draws are up to date, and a write-up shows each of them.
#
# A course may also have pictures that were drawn by hand.

FIGURES = "assignments/figures"
SCRIPT = "docs/figures/draw.py"


def drawn(root: Path) -> dict[str, bytes]:
    """What the script draws, by file name. Empty where a course has no script. Raises CalledProcessError."""
    if not (root / SCRIPT).is_file():
        return {}
    with tempfile.TemporaryDirectory(prefix="tilelab-") as folder:
        command = [sys.executable, str(root / SCRIPT), folder]
        subprocess.run(command, cwd=root, capture_output=True, text=True, check=True, timeout=_SECONDS)
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def outdated_figures(root: Path) -> Iterator[Diagnostic]:
    try:
        pictures = drawn(root)
    except subprocess.SubprocessError as error:
        yield Diagnostic(SCRIPT, None, f"fails: {getattr(error, 'stderr', None) or error}")
        return
    for name, picture in sorted(pictures.items()):
        path = root / FIGURES / name
        if not path.is_file() or path.read_bytes() != picture:
            what = f"differs from what {SCRIPT} draws; run `.venv/bin/python {SCRIPT}`"
            yield Diagnostic(f"{FIGURES}/{name}", None, what)
    write_ups = "".join(path.read_text(encoding="utf-8") for path in sorted((root / "assignments").glob("*/*.md")))
    for path in sorted((root / FIGURES).glob("*.*")):
        if f"/{path.name}" not in write_ups:
            yield Diagnostic(f"{FIGURES}/{path.name}", None, "no write-up shows this figure; show it or remove it")


# Finds links in a Markdown page whose target does not exist: files, figures and headings. Pure. Web addresses are not tried.

_LINK = re.compile(r"\]\(([^)\s]+)\)|<(?:img|a)\b[^>]*?\b(?:src|href)=\"([^\"]+)\"")
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_ABSOLUTE = re.compile(r"[a-z]+:")

# A file's text by its path below the root; "" where it is no text, None where it does not exist.
Read = Callable[[str], str | None]


def broken_links(page: str, read: Read) -> Iterator[Diagnostic]:
    """One diagnostic for each link in `page` whose target `read` does not find."""
    text = read(page) or ""
    for number, line in enumerate(unfenced(text).splitlines(), start=1):
        for link in (one or other for one, other in _LINK.findall(line)):
            if _ABSOLUTE.match(link):
                continue
            path, _, anchor = unquote(link).partition("#")
            target = normpath(f"{dirname(page)}/{path}" if dirname(page) else path) if path else page
            found = read(target)
            if found is None:
                yield Diagnostic(page, number, f"links to {link}, and there is no such file")
            elif anchor and anchor not in anchors(found):
                yield Diagnostic(page, number, f"links to {link}, and {target} has no such heading")


def unfenced(text: str) -> str:
    """`text` with blank lines in place of its fenced blocks."""
    return _FENCE.sub(lambda fence: "\n" * fence[0].count("\n"), text)


def anchors(text: str) -> set[str]:
    """The anchors of the web page that this Markdown becomes."""
    headings = _HEADING.findall(unfenced(text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


# Compares the points that a write-up states under "How it is graded" with those in `lab.toml` and `grading.toml`.

_STATED_POINTS_HEADING = "## How it is graded"
_ROW = re.compile(r"\| (public|hidden|technique|speed)\b[^|]* \| ([\d.]+) \|")


def wrong_points_of(root: Path, lab: Lab) -> Iterator[Diagnostic]:
    page = f"assignments/{lab.id}/README.md"
    if not (root / page).is_file():
        yield Diagnostic(page, None, "is missing")
        return
    yield from wrong_points(lab, (root / page).read_text(encoding="utf-8"), page)


def wrong_points(lab: Lab, text: str, page: str) -> Iterator[Diagnostic]:
    """Rows of the table with wrong points, and points that no row states."""
    lines = text.splitlines()
    if _STATED_POINTS_HEADING not in lines:
        what = f"has no `{_STATED_POINTS_HEADING}`: students are not told what the points are for"
        yield Diagnostic(page, None, what)
        return
    start = lines.index(_STATED_POINTS_HEADING) + 1
    length = next((n for n, line in enumerate(lines[start:]) if line.startswith("## ")), len(lines) - start)
    expected = given_points(lab)
    stated: set[str] = set()
    for number, line in enumerate(lines[start : start + length], start=start + 1):
        if row := _ROW.fullmatch(line.strip()):
            stated.add(row[1])
            if float(row[2]) != (right := expected.get(row[1], 0)):
                yield Diagnostic(page, number, f"says {row[2]} points for {row[1]}, and it is {right:g}")
    if lab.private and lab.public.speed_points not in {0, expected.get("speed", 0)}:
        told = f"lab.toml says {lab.public.speed_points:g} points for speed, and it is {expected.get('speed', 0):g}"
        yield Diagnostic(page, start, told)
    for what in sorted(expected.keys() - stated):
        yield Diagnostic(page, start, f"does not say that there are {expected[what]:g} points for {what}")


# Searches the page and the result.json that a student gets for the seed and for withheld shapes. Pure.
#
# A shape of a case that withholds it is secret, unless a case that shows everything has the same shape.

_LARGE = 32  # smaller numbers are everywhere: in blocks, grids and threads


def disclosures(lab: LabResult, seed: int) -> Iterator[str]:
    """What the report on `lab` shows a student although the feedback policy withholds it."""
    who, where = Submission(id="kernel", name="kernel"), Environment(kit="", compiler="", sandbox="", date="")
    whole = Result(submission=who, environment=where, labs={"lab": lab}, total=lab.points, max=lab.max_points)
    shown = for_student(whole)
    texts = shown.model_dump_json(by_alias=True) + re.sub(r"<[^>]*>", " ", student_page(shown, sources={}))
    if re.search(rf"(?<!\d){seed}(?!\d)", texts):
        yield "a student's report on it tells the seed"
    for case, shape in withheld_shapes(lab):
        if _states(texts, shape):
            yield f"a student's report on it tells a shape of {case!r}: {shape}"


def withheld_shapes(lab: LabResult) -> list[tuple[str, str]]:
    """The case and the shape of every launch that a student may not see."""
    launches = [(case, launch.shape) for case in lab.cases for launch in case.launches]
    shown = {shape for case, shape in launches if case.feedback == "full"}
    return [(case.name, shape) for case, shape in launches if case.feedback != "full" and shape not in shown]


def _states(text: str, shape: str) -> bool:
    """Whether `text` states this very shape (`n=2` is not in `n=255`), or the numbers of a large one in any notation: `97 x 13 x 61`."""
    if re.search(rf"(?<![\w.]){re.escape(shape)}(?!\w|\.\d)", text):
        return True
    numbers = re.findall(r"\d+", shape)
    if not numbers or max(map(int, numbers)) <= _LARGE:
        return False
    pattern = shape_pattern(numbers) if len(numbers) > 1 else stated_size(shape.partition("=")[0].strip(), numbers[0])
    return pattern.search(text) is not None
