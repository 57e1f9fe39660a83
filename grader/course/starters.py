"""Makes the starters in `assignments/` from the model solutions in `solutions/`, and what is made from a lab's questions. Checks that
all are current and contain nothing secret. `starter_of` is pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from grader.course.leaks import CourseSecrets, Diagnostic, Line, MarkerError, Region, cut, leaks, secrets_of, unmarked
from grader.course.question_file import (
    ANSWERS,
    QUESTIONS,
    SEALS,
    LabQuestions,
    NumberSpec,
    is_sealed,
    load_questions,
    sealed,
)
from grader.model.labs import LabError, lab_ids, load_lab

# The two texts that are made from a lab's questions: the list in its write-up, and the `answers.md` that students fill in. Pure.

BLANK = "____"
PLACE = "_Write your answer here, in one or two sentences._"


def answer_form(lab: LabQuestions) -> str:
    """`answers.md` as it is handed out."""
    parts = [heading(lab), "\n".join(introduction(lab))]
    for number, one in enumerate(lab.questions, start=1):
        parts += [f"## Question {number}", "\n".join(f"> {line}" for line in one.lines)]
        if one.number:
            parts.append("\n".join(f"- {label_of(each)}: {BLANK}" for each in one.number))
        if one.wants_words:
            parts.append(PLACE)
    return "\n\n".join(parts) + "\n"


def heading(lab: LabQuestions) -> str:
    return f"# Answers: {lab.lab_id}"


def introduction(lab: LabQuestions) -> tuple[str, ...]:
    """Below the heading. Each line is known again where an answer is looked for."""
    numbers = f"Numbers take the place of `{BLANK}`, one on its line; words go below it."
    return (
        f"Write your answers into this file and hand it in beside `{lab.file}`. Leave the headings as they are.",
        *([numbers] if any(one.number for one in lab.questions) else []),
        "`make answers` says which questions are open, and whether your numbers are right.",
    )


def label_of(number: NumberSpec) -> str:
    return f"{number.label} ({number.unit})" if number.unit else number.label


# The files that are made from a lab's `questions.toml`: the write-up's list, `answers.md`, and the numbers' seals.
#
# Which answers are right stays in `solutions/`.

BEGIN, END = "<!-- questions -->", "<!-- questions: end -->"
_LIST = re.compile(rf"({re.escape(BEGIN)}\n).*?({re.escape(END)})", re.DOTALL)


def _from_questions(root: Path, lab_id: str) -> dict[Path, str]:
    """Empty: the lab asks nothing. Raises LabError."""
    lab = load_lab(root, lab_id)
    if (questions := load_questions(lab)) is None:
        return {}
    page = lab.public_dir / "README.md"
    text = _read(page)
    if len(_LIST.findall(text)) != 1:
        raise LabError(f"{page}: the questions need one place: a line {BEGIN}, and below it a line {END}")
    marks = [(f"{number}. ", one.lines) for number, one in enumerate(questions.questions, start=1)]
    listed = "\n".join(mark + f"\n{' ' * len(mark)}".join(lines) for mark, lines in marks)
    page_text = _LIST.sub(lambda found: f"{found[1]}{listed}\n{found[2]}", text)
    files = {page: page_text, lab.public_dir / ANSWERS: answer_form(questions)}
    if lab.private_dir is not None and any(not number.counted for one in questions.questions for number in one.number):
        files[lab.public_dir / SEALS] = _seals(questions)
    return files


def _seals(questions: LabQuestions) -> str:
    """The seals of the right numbers. One that is right stays, for it takes time to make one."""
    lines = [
        "# Seals of the right numbers: `make answers` knows a number by its seal. Made by `tilelab starters`; never edit it."
    ]
    for one in questions.questions:
        kept = [number for number in one.number if not number.counted]
        lines += ["", f"[{one.id}]"] if kept else []
        for number in kept:
            key = (one.id, number.label)
            if key not in questions.numbers:
                what = f"no numbers.toml says what is right for {one.id}.{number.label!r}"
                raise LabError(f"solutions/{questions.lab_id}: {what}")
            seal, value = questions.seals.get(key, ""), questions.numbers[key]
            if not (seal and is_sealed(value, seal)):
                seal = sealed(value, f"{questions.lab_id}/{one.id}/{number.label}")
            lines.append(f'"{number.label}" = "{seal}"')
    return "\n".join(lines) + "\n"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""


# In a PROMPT, `//> code` becomes `code` in the starter: the starter needs it to compile, and the solution does not.
_CODE = re.compile(r"^(\s*)//>(?: |$)")


def starter_of(text: str, name: str) -> str:
    """The starter: `text` without its SOLUTION regions. Raises MarkerError with `name` and the line."""
    kept: list[str] = []
    for line in cut(text, name):
        if line.region is Region.SOLUTION:
            continue
        text = _CODE.sub(r"\1", line.text) if line.region is Region.PROMPT else line.text
        if not text.strip() and (not kept or not kept[-1]):
            continue  # a removed region leaves one blank line, not two
        kept.append(text.rstrip())
    return "\n".join(kept).rstrip("\n") + "\n"


def _sources(root: Path) -> list[Path]:
    """The model solutions. A lab's rejects are not among them: they lie one folder deeper."""
    return sorted(path for suffix in (".cu", ".cuh") for path in (root / "solutions").glob(f"*/*{suffix}"))


def _below(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()


# What `tilelab starters` makes, and what it is made from. Broken markers raise MarkerError, and wrong questions LabError.


def _made_from(root: Path) -> Iterator[tuple[str, str, Callable[[], dict[Path, str]]]]:
    """The source's path below the root, its lab, and what is made of it."""
    for source in _sources(root):
        yield _below(root, source), source.parent.name, partial(_from_solution, root, source)
    for lab_id in lab_ids(root):
        yield f"assignments/{lab_id}/{QUESTIONS}", lab_id, partial(_from_questions, root, lab_id)


def _from_solution(root: Path, source: Path) -> dict[Path, str]:
    target = root / "assignments" / source.parent.name / source.name
    return {target: starter_of(source.read_text(encoding="utf-8"), _below(root, source))}


def write(root: Path) -> list[Path]:
    """Writes each file that is missing or stale, and returns these. Raises MarkerError or LabError before it writes anything."""
    wanted = {path: text for _, _, made in _made_from(root) for path, text in made().items()}
    stale = [path for path, text in wanted.items() if _read(path) != text]
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8")
    return stale


def stale(root: Path) -> list[Diagnostic]:
    """What is wrong with the starters and write-ups of the course at `root`. Empty: nothing."""
    return [*outdated(root), *leaked_solutions(root)]


def outdated(root: Path, without: Collection[str] = ()) -> list[Diagnostic]:
    """What is broken, missing, without a source, or differs from what its source gives. Labs in `without` are not looked at."""
    diagnostics: list[Diagnostic] = []
    made: set[Path] = set()
    broken = set(without)  # labs of which nobody knows what is made
    for source, lab_id, make in (one for one in _made_from(root) if one[1] not in without):
        try:
            files = make()
        except (MarkerError, LabError) as error:
            line, reason = (error.line, error.reason) if isinstance(error, MarkerError) else (None, str(error))
            diagnostics.append(Diagnostic(source, line, reason))
            broken.add(lab_id)
            continue
        made |= files.keys()
        for path, text in files.items():
            if _read(path) != text:
                what = f"differs from what {source} gives" if path.is_file() else "missing"
                diagnostics.append(Diagnostic(_below(root, path), None, f"{what}; run `tilelab starters`"))
    alone = [path for name in ("*.cu", ANSWERS, SEALS) for path in sorted((root / "assignments").glob(f"*/{name}"))]
    return diagnostics + [
        Diagnostic(_below(root, path), None, "there is nothing that it is made from; remove the file")
        for path in alone
        if path not in made and path.parent.name not in broken
    ]


def leaked_solutions(root: Path, without: Collection[str] = ()) -> list[Diagnostic]:
    """Code of a solution that is outside its markers, and pieces of a solution in a starter or a write-up of a lab not in `without`."""
    marked = [(_below(root, source), lines) for source, lines in _marked(root) if source.parent.name not in without]
    diagnostics = [one for name, lines in marked for one in _unmarked(name, lines)]
    secrets = course_secrets(root)
    shown = [*(root / "assignments").glob("*/*.cu"), *(root / "assignments").glob("*/*.md")]
    for path in sorted(one for one in shown if one.parent.name not in without):
        diagnostics += [
            Diagnostic(_below(root, path), leak.line, f"gives a solution away: {leak.text}")
            for leak in leaks(path.read_text(encoding="utf-8"), secrets.for_lab(path.parent.name))
        ]
    return diagnostics


def course_secrets(root: Path) -> CourseSecrets:
    """Without what a broken marker would hide: `outdated` reports the marker."""
    solutions: dict[str, list[list[Line]]] = {}
    for source, lines in _marked(root):
        solutions.setdefault(source.parent.name, []).append(lines)
    return secrets_of(solutions)


def _marked(root: Path) -> Iterator[tuple[Path, list[Line]]]:
    for source in _sources(root):
        with suppress(MarkerError):
            yield source, cut(source.read_text(encoding="utf-8"), _below(root, source))


def _unmarked(name: str, lines: list[Line]) -> list[Diagnostic]:
    if all(line.region is not Region.SOLUTION for line in lines):
        return [Diagnostic(name, None, "there is no SOLUTION region, so the starter would be the whole solution")]
    hint = (
        "this is outside all markers, so students get it; put it into a PROMPT, or mark it as GIVEN, if you want that"
    )
    return [Diagnostic(name, line.number, f"{hint}: {line.text.strip()}") for line in unmarked(lines)]
