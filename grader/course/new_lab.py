"""Makes a new lab: its two folders and, where its problem is new too, the problem's header and source.

The new files build, run and pass the project's tests at once. FILL IN stands where the author has to write something. No existing
file is changed. `files_of` reads, and only `write_lab` writes.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from grader.course.leaks import MarkerError
from grader.course.question_file import ANSWERS, QUESTIONS, LabQuestions, QuestionFile
from grader.course.starters import answer_form, starter_of
from grader.model.errors import RemediableError
from grader.model.labs import Lab, lab_ids, load_lab

_SKELETON = Path(__file__).resolve().parent / "skeleton"
_LAB_ID = re.compile(r"(\d\d)-([a-z][a-z0-9]*(?:-[a-z0-9]+)*)")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_SIZE = re.compile(r"(?!(?:in|out|row|col|i|count|shape|random)$)[A-Za-z][A-Za-z0-9]{0,19}")  # no name of the skeleton
_TITLE = re.compile(r'[^\x00-\x1f\x7f"\\]{1,80}')
# Words that C++ or the kit uses already.
_TAKEN_NAMES = frozenset({
    "alignas", "alignof", "and", "asm", "auto", "bool", "break", "case", "catch", "char", "class", "concept", "const",
    "continue", "decltype", "default", "delete", "do", "double", "else", "enum", "explicit", "export", "extern",
    "false", "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable", "namespace", "new", "not",
    "operator", "or", "private", "protected", "public", "register", "requires", "return", "short", "signed", "sizeof",
    "static", "struct", "switch", "template", "this", "throw", "true", "try", "typedef", "typeid", "typename",
    "union", "unsigned", "using", "virtual", "void", "volatile", "while", "xor", "judge", "simt", "protocol",
    "runner", "sandbox", "main", "std", "tilelab",
})  # fmt: skip
_MOST_SIZES = 2  # of a matrix
_REJECTS = 3  # how many rejects are copied from the lab that is the pattern, each with another verdict


@dataclass(frozen=True)
class NewLab:
    """The names of a new lab."""

    lab_id: str  # "08-stencil"
    title: str
    problem: str  # a header in kit/problems, without its suffix
    kernel: str  # also names `<kernel>_launch` and `<kernel>.cu`
    sizes: tuple[str, ...] = ("M", "N")  # of a new problem: one or two

    @property
    def number(self) -> str:
        return self.lab_id[:2]

    @property
    def file(self) -> str:
        return f"{self.kernel}.cu"


def with_defaults(
    lab_id: str, *, title: str | None, problem: str | None, kernel: str | None, shape: str = "M,N"
) -> NewLab:
    """The lab, with a default for each name that is None. Raises RemediableError for a bad name, with a good one as an example."""
    match = _LAB_ID.fullmatch(lab_id)
    if not match:
        raise RemediableError(
            f"{lab_id!r} cannot be a lab's name: write two digits, then words of small letters and digits, such as 08-stencil"
        )
    topic = match[2].replace("-", "_")
    problem = problem if problem is not None else topic
    kernel = kernel if kernel is not None else topic if topic.startswith(problem) else f"{problem}_{topic}"
    for what, name in (("problem", problem), ("kernel", kernel)):
        if not _NAME.fullmatch(name) or name in _TAKEN_NAMES:
            raise RemediableError(
                f"{name!r} cannot be the name of a {what}: use small letters, digits and _, but no word that C++ or the kit uses"
            )
    title = title if title is not None else topic.replace("_", " ").capitalize()
    if not _TITLE.fullmatch(title) or not title.strip():
        raise RemediableError(
            f"{title!r} cannot be a title: write one line of at most 80 characters, without quotes and backslashes"
        )
    sizes = tuple(shape.replace(" ", "").split(","))
    named = all(_SIZE.fullmatch(one) and one not in _TAKEN_NAMES for one in sizes)
    if not named or len(sizes) > _MOST_SIZES or len(set(sizes)) < len(sizes):
        raise RemediableError(f"{shape!r} cannot be the sizes of a problem: write n for a vector, or rows,columns")
    return NewLab(lab_id, title.strip(), problem, kernel, sizes)


def files_of(root: Path, new: NewLab) -> dict[str, str]:
    """The text of every file of the new lab, by path below `root`. Raises RemediableError where one of them exists already."""
    if not (root / "solutions").is_dir():
        raise RemediableError(
            f"{root} has no solutions/: labs are made in the course's own repository, not in a handout"
        )
    labs = [load_lab(root, lab_id) for lab_id in lab_ids(root)]
    for path in (f"assignments/{new.lab_id}", f"solutions/{new.lab_id}"):
        must_be_free(root, path)
    for lab in labs:
        if lab.public.file == new.file:
            raise RemediableError(f"{lab.id} already asks for {new.file}; choose another name with --kernel")
    same = [lab for lab in labs if lab.public.problem == f"{new.problem}.hpp"]
    if same and new.sizes != NewLab.sizes:
        raise RemediableError(f"kit/problems/{new.problem}.hpp has its sizes already: leave out --shape")
    pattern = next((lab for lab in same if not lab.public.starts_itself), None)
    if same and pattern is None:
        raise RemediableError(
            f"{same[0].id} has the problem {new.problem}, and its contract is {same[0].public.contract}: such a lab is no pattern. "
            f"Copy assignments/{same[0].id} and solutions/{same[0].id}, and change the names in them"
        )
    files = dict(_from_lab(root, new, pattern) if pattern else from_skeleton(new, {"public": 2, "hidden": 2}))
    public, private = f"assignments/{new.lab_id}", f"solutions/{new.lab_id}"
    model = f"{private}/{new.file}"
    try:
        files[f"{public}/{new.file}"] = starter_of(files[model], model)
    except MarkerError as error:
        of = pattern.id if pattern else "the skeleton"
        raise RemediableError(f"no starter can be made from the lab's pattern, {of}: {error}") from error
    questions = QuestionFile.model_validate(tomllib.loads(files[f"{public}/{QUESTIONS}"]))
    files[f"{public}/{ANSWERS}"] = answer_form(LabQuestions(new.lab_id, new.title, new.file, questions))
    for path in files:
        must_be_free(root, path)
    return files


def must_be_free(root: Path, path: str) -> None:
    if (root / path).exists() or (root / path).is_symlink():
        raise RemediableError(
            f"{path} already exists, so nothing was written. Choose another name, or remove it first."
        )


def write_lab(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Writes every file, or none. Raises RemediableError where one cannot be written."""
    written: list[Path] = []
    try:
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                written.append(path)
                file.write(text.encode() if isinstance(text, str) else text)
    except OSError as error:
        for path in written:
            path.unlink(missing_ok=True)
        what = f"{error.filename}: {error.strerror}; the files written so far were removed again"
        raise RemediableError(what) from error


def next_steps(new: NewLab, files: Iterable[str]) -> str:
    """The commands to type next, and what each does; at the end the one that removes `files` again."""
    own = (f"assignments/{new.lab_id}", f"solutions/{new.lab_id}")
    made = " ".join([*own, *(path for path in files if not path.startswith(own))])
    return f"""\
Next, from the top of the course:

  make setup
      builds the lab's judges
  make test LAB={new.lab_id}
      the starter, which fails as it should
  .venv/bin/tilelab test {new.lab_id} --file solutions/{new.lab_id}/{new.file}
      the model solution, which passes

Then write what says FILL IN. After every change of the model solution, `.venv/bin/tilelab starters` makes the starter. It also
makes the list of questions and answers.md from questions.toml.
docs/writing-a-lab.md leads through it, from here to a lab that can be handed out.

To take it back: rm -r {made}
"""


def from_skeleton(new: NewLab, points: Mapping[str, float], *, of_each_lab: bool = False) -> Iterator[tuple[str, str]]:
    """A lab with a new problem, which copies a vector or a matrix. `of_each_lab`: only what a lab that copies another one has of it."""
    templates = Environment(
        loader=FileSystemLoader(_SKELETON),
        autoescape=False,  # noqa: S701 -- C++, TOML and Markdown, from names that `named` has checked
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
    )
    title = json.dumps(new.title, ensure_ascii=False)
    places = {"LAB": new.lab_id, "KERNEL": new.kernel, "PROBLEM": new.problem}
    for template in sorted(templates.list_templates(["j2"])):
        path = re.sub("|".join(places), lambda found: places[found[0]], template.removesuffix(".j2"))
        if not of_each_lab or path.endswith(("/README.md", f"/{ANSWERS}", f"/{QUESTIONS}")):
            values = {"number": new.number, "title_toml": title, "rows": _rows(points), **_sizes(new.sizes)}
            yield path, templates.get_template(template).render(vars(new), **values)


def _sizes(sizes: Sequence[str]) -> dict[str, object]:
    """What depends on them: how a problem and its cases write them, and how a kernel's threads find an element."""
    first, last = sizes[0], sizes[-1]

    def shapes(*each: Sequence[int]) -> str:
        written = [f"{{.{first} = {rows}, .{last} = {columns}}}" for rows, columns in each]
        return written[0] if len(written) == 1 else f"{{{', '.join(written)}}}"

    told: dict[str, object] = {"integers": ", ".join(f"int {one}" for one in sizes), "shapes": shapes}
    if len(sizes) == 1:
        return told | {
            "one_size": True, "given": sizes, "counts": ["count"],
            "grid": f"dim3(({first} + 255) / 256), dim3(256)",
            "index": "const int i = blockIdx.x * blockDim.x + threadIdx.x;", "guard": f"i < {first}", "element": "i",
        }  # fmt: skip
    row, col = (f"blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis}" for axis in "yx")
    return told | {
        "one_size": False, "given": [f"shape.{one}" for one in sizes], "counts": sizes,
        "grid": f"dim3(({last} + 15) / 16, ({first} + 15) / 16), dim3(16, 16)",
        "index": f"const int row = {row}, col = {col};", "guard": f"row < {first} && col < {last}", "element": f"row * {last} + col",
    }  # fmt: skip


def _from_lab(root: Path, new: NewLab, pattern: Lab) -> Iterator[tuple[str, str]]:
    """A lab whose problem exists: `pattern`, a lab of that problem, under new names."""
    public, private = root / "assignments" / pattern.id, root / "solutions" / pattern.id
    renamed = {
        pattern.id: new.lab_id,
        pattern.public.file: new.file,
        pattern.public.launch.split("(")[0]: f"{new.kernel}_launch",
        pattern.public.kernel.split("(")[0]: new.kernel,
    }
    old = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in renamed))

    def renamed_text(path: Path) -> str:
        return old.sub(lambda name: renamed[name[0]], path.read_text(encoding="utf-8"))

    note = f"FILL IN: so far a copy of {pattern.id}'s, under new names"
    contract = renamed_text(public / "lab.toml")
    said = {"title": new.title, "summary": "FILL IN: what a student writes, and what for."}
    for name, words in said.items():
        line = f"{name} = {json.dumps(words, ensure_ascii=False)}"
        contract = re.sub(rf"^{name} = .*$", line, contract, flags=re.MULTILINE)
    here, there = f"assignments/{new.lab_id}", f"solutions/{new.lab_id}"
    yield f"{here}/lab.toml", f"# {note}.\n{contract}"
    yield f"{here}/Makefile", renamed_text(public / "Makefile")
    yield f"{here}/public_tests.cpp", f"// {note}.\n{renamed_text(public / 'public_tests.cpp')}"
    yield from from_skeleton(new, given_points(pattern), of_each_lab=True)
    for mark, name in (("//", pattern.public.file), ("#", "grading.toml"), ("//", "hidden_tests.cpp")):
        yield f"{there}/{renamed.get(name, name)}", f"{mark} {note}.\n{renamed_text(private / name)}"
    verdicts: set[str] = set()
    for reject in sorted((private / "rejects").glob("*.cu")):
        verdict = reject.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("// verdict: ").split(" ")[0]
        if verdict not in verdicts and len(verdicts) < _REJECTS:
            verdicts.add(verdict)
            yield f"solutions/{new.lab_id}/rejects/{reject.name}", renamed_text(reject)


def given_points(lab: Lab) -> dict[str, float]:
    """The points, by what they are given for. What gets no points is left out."""
    public = {case.name for case in lab.public.case}
    points: dict[str, float] = dict.fromkeys(("public", "technique", "hidden", "speed"), 0)
    for one in lab.cases:
        points["technique" if one.role == "technique" else "public" if one.name in public else "hidden"] += one.points
    points["speed"] = lab.private.performance_points if lab.private else 0
    return {what: worth for what, worth in points.items() if worth}


def _rows(points: Mapping[str, float]) -> list[tuple[str, str]]:
    labels = {
        "public": "public tests, which you see in `public_tests.cpp`",
        "technique": "technique: FILL IN",
        "hidden": "hidden tests: FILL IN",
        "speed": "speed, where it is measured",
    }
    return [(labels[what], f"{number:g}") for what, number in points.items()]
