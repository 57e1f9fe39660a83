"""Compares what Tilelab says now with what a recorded revision said, byte for byte: `make same`. It asserts nothing about right or wrong.

    .venv/bin/python tests/same.py [--base REVISION] [--base-tree FOLDER] [--scope whole] [--only PART]…

It knows command lines and files alone, and imports nothing of the grader: modules may move between the two revisions. The inputs (class,
corpora, programs) are the base's for both sides. What the base said is kept in ~/.cache/tilelab/same/<commit>-<compiler>-<scope>/, one
archive for each part. Differences are written to build/same/.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from io import BytesIO
from pathlib import Path, PurePath

ROOT = Path(__file__).resolve().parent.parent
KEPT = Path.home() / ".cache" / "tilelab" / "same"
SHOWN = ROOT / "build" / "same"
_CORES = os.cpu_count() or 1
_SEED = "20240917\n"  # of hidden sizes and inputs: any number
_FIRST_LINES = 6  # of a difference, on the terminal
_MOST_SHOWN = 40  # differences on the terminal; all are in build/same
_PRODUCT = ("grader", "kit", "assignments", "solutions", "CMakeLists.txt")
_META = "meta.json"
Record = dict[str, str]  # what was said, by the name of what was asked

# What may differ between two runs of the same revision, and why. Places and dates of a run are masked beside it, in `masked`.
MASKS = [
    (r'("(?:[a-z_]*seconds|building|running)": ?)[-+.e\d]+', r"\1<seconds>", "time that a build or a launch took"),
    (r"(?m)^(?:\d+ of \d+ judged.*|writing pages.*)\n", "", "progress is told when some time is over"),
    (r"\b[0-9a-f]{64}\b|\b[0-9a-f]{32}\b", "<digest>", "fingerprints of Tilelab's own files"),
    (r'("kit": ?)"[^"]*"', r'\1"<version>"', "the version of Tilelab"),
    (r"/(tmp)/(?:tilelab|tmp)[-.\w]+", r"/\1/<scratch>", "a scratch folder has a random name"),
]
# What holds memory that nothing has set, or what lies behind an array: their numbers are masked, and their words are compared.
UNSET_MEMORY = {
    "run/found/result_larger_than_its_buffer.json",
    "traces/check/allocated_memory_without_a_value/page.html",
    "traces/check/member_of_a_node_without_a_value/page.html",
}
_NUMBER = re.compile(r"-?\b\d+(\.\d+)?(e[-+]?\d+)?\b")
_MASKS = [(re.compile(pattern), put) for pattern, put, _ in MASKS]


class SameError(Exception):
    """What was asked for cannot be compared: one sentence."""


@dataclass(frozen=True)
class Side:
    """One built tree, asked about `inputs`, a folder with the base's course and tests."""

    tree: Path
    inputs: Path
    whole: bool

    def some(self, corpus: Iterable[Path], every: int) -> list[Path]:
        return sorted(corpus)[:: 1 if self.whole else every]

    def tilelab(self, *words: str | Path, cwd: Path | None = None, backend: str = "cpu") -> str:
        """Exit status, standard output and standard error."""
        seed = self.inputs / "seed"
        seed.write_text(_SEED, encoding="ascii")
        own = {
            "TILELAB_SEED": str(seed),
            "TILELAB_BACKEND": backend,
            "COLUMNS": "120",
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
        }
        done = subprocess.run(
            [str(self.tree / ".venv" / "bin" / "tilelab"), *map(str, words)],
            cwd=cwd or self.tree,
            env={name: value for name, value in os.environ.items() if name != "MAKEFLAGS"} | own,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        if done.returncode < 0:
            message = (
                f"`tilelab {words[0]}` was ended by signal {-done.returncode}: nothing is known of it; run this again"
            )
            raise SameError(message)
        out, err = (text.decode("utf-8", "backslashreplace") for text in (done.stdout, done.stderr))
        return f"{out}\n-- standard error\n{err}\n-- exit status {done.returncode}\n"

    def labs(self) -> dict[str, str]:
        """The file that each lab asks for."""
        found = sorted(self.inputs.glob("assignments/*/lab.toml"))
        return {path.parent.name: tomllib.loads(path.read_text(encoding="utf-8"))["file"] for path in found}

    def folder(self) -> Path:
        return Path(tempfile.mkdtemp(prefix="work-", dir=self.inputs))


Ask = Callable[[], Record]


def class_asked(side: Side) -> Iterable[Ask]:
    """The bundled class: every page, every result and every export."""
    handed_in = side.folder() / "class"
    handed_in.mkdir()
    for one in side.some((side.inputs / "tests" / "class").iterdir(), 5):
        (handed_in / one.name).symlink_to(one) if one.is_file() else shutil.copytree(
            one, handed_in / one.name, symlinks=True
        )

    def graded() -> Record:
        out = side.folder() / "out"
        exports = re.findall(r"(?:^|;)([a-z0-9-]+):", re.sub(r"[│\s]", "", _export_help(side)))
        asked = [word for name in exports for word in ("--export", name)]
        said = side.tilelab(
            "grade", handed_in, "--out", out, "--jobs", str(_CORES), "--search-seconds", "0", *asked, *_NAMED
        )
        found = {f"class/{name}": _told(name, text) for name, text in files(out) if not _is_internal(name)}
        return {"class/grade": said, "class/history": side.tilelab("history", out), **found}

    yield graded


_NAMED = ("--assignment", "Week 3 (4711)", "--timezone", "UTC")


def _export_help(side: Side) -> str:
    said = re.search(r"--export NAME(.*?)--assignment", side.tilelab("grade", "--help"), re.DOTALL)
    return re.sub(r".*?several\s+times\.", "", said[1], count=1, flags=re.DOTALL) if said else ""


def _is_internal(name: str) -> bool:
    """What Tilelab keeps for itself, in a form that may change: outcomes before scoring, and what pages are made from again."""
    return name.startswith(
        ("instructor/jobs/", "instructor/pages/", "instructor/.", "instructor/seed", "instructor/people/last")
    )


def _told(name: str, text: str) -> str:
    """Of a student's record, what is told of the student: beside it lies what pages are made from again."""
    if not re.fullmatch(r"instructor/[^/]+\.json", name):
        return text
    record = json.loads(text)
    return json.dumps({word: record[word] for word in ("seed", "result")}, indent=1, ensure_ascii=False)


# Each file is a submission of the lab in its path.
CORPORA = {
    "models": ("solutions/*/*.cu", "solutions/*/faster/*.cu", "solutions/*/ladder/*.cu"),
    "starters": ("assignments/*/*.cu",),
    "rejects": ("solutions/*/rejects/*.cu",),
    "accepted": ("tests/labs/accepted/*/*.cu",),
    "mistakes": ("tests/labs/mistakes/*/*.cu",),
    "exploits": ("tests/exploits/*/*/*.cu",),
}


def verdicts_asked(side: Side) -> Iterable[Ask]:
    """All corpora of the labs: each file as one student, whose result and pages that step through a block are kept."""
    labs = side.labs()
    for lab, asked in labs.items():
        handed_in = side.folder()
        for corpus, patterns in CORPORA.items():
            found = {path for pattern in patterns for path in side.inputs.glob(pattern)}
            for file in side.some((path for path in found if lab in path.parts), 13):
                student = handed_in / f"{corpus}-{file.parent.parent.name}-{file.stem}"
                student.mkdir(exist_ok=True)
                shutil.copyfile(file, student / asked)
        if any(handed_in.iterdir()):
            yield partial(_graded_lab, side, lab, handed_in)
    lab = min(labs, key=lambda one: "naive" not in one)
    model = (side.inputs / "solutions" / lab / labs[lab]).read_text(encoding="utf-8")
    handed_in = side.folder()
    for file in side.some(side.inputs.glob("tests/exploits/two_programs/*.cu"), 13):
        student = handed_in / f"two-{file.stem}"
        student.mkdir()
        (student / labs[lab]).write_text(f"{file.read_text(encoding='utf-8')}\n{model}", encoding="utf-8")
    yield partial(_graded_lab, side, lab, handed_in, "auto")  # nvcc, where it is, tells the two programs apart


def _graded_lab(side: Side, lab: str, handed_in: Path, backend: str = "cpu") -> Record:
    out = side.folder() / "out"
    words = ("grade", handed_in, "--out", out, "--lab", lab, "--jobs", "1", "--search-seconds", "0")
    record = {f"verdicts/{lab}/grade-{backend}": side.tilelab(*words, backend=backend)}
    for name, text in files(out):
        where, _, rest = name.partition("/")
        if name.endswith(".html") and where == "students" and not name.endswith("report.html"):
            record[f"verdicts/{lab}/{rest}"] = text
        elif name.endswith("result.json") or (where == "instructor" and name.endswith(".json") and "/" not in rest):
            found = json.loads(text)
            labs = found.get("result", found).get("labs", {})  # an instructor's has the seed beside the result
            if lab in labs:
                record[f"verdicts/{lab}/{rest}"] = json.dumps(labs[lab], indent=1, ensure_ascii=False)
    return record


def traces_asked(side: Side) -> Iterable[Ask]:
    """`tilelab trace` of models and accepted kernels, `check --trace` of kernels with a mistake: what is shown, and the page."""
    for lab, asked in side.labs().items():
        model = side.inputs / "solutions" / lab / asked
        accepted = side.some((side.inputs / "tests" / "labs" / "accepted" / lab).glob("*.cu"), 20)
        for kernel in [model, *accepted[1::2]] if side.whole or lab < "03" else []:
            yield partial(_with_page, side, f"traces/{lab}/{kernel.stem}", ("trace", kernel, "--lab", lab))
        if side.whole:
            yield partial(_said, side, f"traces/{lab}/json", ("trace", model, "--lab", lab, "--json", "--no-with-page"))
    for file in side.some((side.inputs / "tests/anykernel/found").glob("*.cu"), 40)[:: 4 if side.whole else 1]:
        words = ("check", file.name, *_options(file), "--trace")
        yield partial(_with_page, side, f"traces/check/{file.stem}", words, file.parent)


def profiles_asked(side: Side) -> Iterable[Ask]:
    """`tilelab profile` of the models, as a table and as JSON, with the model of their speed."""
    for lab, file in side.labs().items():
        if side.whole or "02" <= lab < "04":
            kernel = side.inputs / "solutions" / lab / file
            yield partial(_said, side, f"profiles/{lab}/table", ("profile", kernel, "--lab", lab, "--gpu", "H200"))
            yield partial(_said, side, f"profiles/{lab}/json", ("profile", kernel, "--lab", lab, "--json"))


def check_asked(side: Side) -> Iterable[Ask]:
    """`tilelab check` of kernels of all kinds, each as its first line says; of some also what is shown."""
    for folder in ("clean", "found"):
        for at, file in enumerate(side.some((side.inputs / "tests/anykernel" / folder).glob("*.cu"), 20)):
            words = ("check", file.name, *_options(file))
            yield partial(_said, side, f"check/{folder}/{file.stem}.json", (*words, "--json"), file.parent)
            if at % 5 == 0:
                yield partial(_said, side, f"check/{folder}/{file.stem}", words, file.parent)


def run_asked(side: Side) -> Iterable[Ask]:
    """`tilelab run` of whole programs, each as its first line says; of some also what is shown."""
    for folder in ("clean", "found"):
        for at, file in enumerate(side.some((side.inputs / "tests/programs" / folder).glob("*.cu"), 20)):
            words = (file.name, *_options(file))
            yield partial(_said, side, f"run/{folder}/{file.stem}.json", ("run", "--json", *words), file.parent)
            if at % 5 == 0:
                yield partial(_said, side, f"run/{folder}/{file.stem}", ("run", *words), file.parent)


def counters_asked(side: Side) -> Iterable[Ask]:
    """The kernels whose traffic was measured on an H200."""
    golden = side.inputs / "tests" / "golden"
    shapes = json.loads((golden / "counters_on_h200.json").read_text(encoding="utf-8"))["kernels"]
    open_lab = next(lab for lab in side.labs() if "open" in lab)
    for file in side.some(golden.glob("counters/*.cu"), 4):
        for shape in list(shapes[file.stem])[: None if side.whole else 1]:
            words = ("profile", file, "--lab", open_lab, "--shape", shape, "--json")
            yield partial(_said, side, f"counters/{file.stem}/{shape}", words)
    launch = ("--block", "64", "--arg", "float[8192]=iota", "--arg", "float[64]=0", "--arg", "int=64", "--json")
    for file in side.some(golden.glob("divergence/*.cu"), 4):
        divergence = ("check", file, "--kernel", "divergence", *launch)
        yield partial(_said, side, f"counters/divergence/{file.stem}", divergence)


PARTS: dict[str, Callable[[Side], Iterable[Ask]]] = {
    "class": class_asked,
    "verdicts": verdicts_asked,
    "run": run_asked,
    "check": check_asked,
    "traces": traces_asked,
    "profiles": profiles_asked,
    "counters": counters_asked,
}


def _said(side: Side, name: str, words: Sequence[str | Path], cwd: Path | None = None) -> Record:
    return {name: side.tilelab(*words, cwd=cwd)}


def _with_page(side: Side, name: str, words: Sequence[str | Path], cwd: Path | None = None) -> Record:
    pages = side.folder()
    said = side.tilelab(*words, "--no-show", "--page", pages / "page.html", cwd=cwd)
    return {name: said, **{f"{name}/{file}": text for file, text in files(pages)}}


def _options(file: Path) -> list[str]:
    """What the first line of a kernel or a program says behind its colon."""
    return shlex.split(file.read_text(encoding="utf-8").split("\n", 1)[0].partition(":")[2])


def files(folder: Path) -> Iterable[tuple[str, str]]:
    """Every file as text, by its path; of an archive each member."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                yield from (
                    (f"{name}/{one}", archive.read(one).decode("utf-8", "backslashreplace"))
                    for one in archive.namelist()
                )
        elif path.is_file():
            yield name, path.read_bytes().decode("utf-8", "backslashreplace")


def collected(tree: Path, commit: str, part: str, *, whole: bool) -> Record:
    """What `tree` says about the inputs of `commit`, with where and when it was said."""
    began = datetime.now(UTC)
    with tempfile.TemporaryDirectory(prefix="same-") as scratch:
        inputs = Path(scratch)
        packed = git("archive", "--format=tar", commit, "assignments", "solutions", "tests")
        with tarfile.open(fileobj=BytesIO(packed)) as archive:
            archive.extractall(inputs)  # noqa: S202 -- our own commit; a filter is younger than Python 3.11.2
        side = Side(tree, inputs, whole)
        record: Record = {}
        asked = list(PARTS[part](side))
        with ThreadPoolExecutor(_CORES) as pool:
            for at, found in enumerate(pool.map(lambda ask: ask(), asked), 1):
                record |= found
                _progress(f"{part}: {at} of {len(asked)}")
        days = sorted({f"{day:%Y-%m-%d}" for day in (began, datetime.now(UTC))})
        return record | {_META: json.dumps({"tree": str(tree), "inputs": scratch, "days": days})}


def masked(record: Record) -> Record:
    """Without what may differ from run to run. A kept record has everything: a new mask holds for it, too."""
    meta = json.loads(record[_META])
    work = re.compile(re.escape(meta["inputs"]) + r"/work-\w{8}")
    dates = re.compile(rf"\b({'|'.join(meta['days'])})([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?")

    # A student who has chosen no name for the leaderboard gets one at random.
    made = json.loads(record.get("class/instructor/leaderboard/history.json", "{}")).get("made", {})

    def plain(name: str, text: str) -> str:
        text = dates.sub("<now>", work.sub("<work>", text))
        text = text.replace(meta["inputs"], "<inputs>").replace(meta["tree"], "<tree>")
        for pattern, put in _MASKS:
            text = pattern.sub(put, text)
        for student, drawn in made.items():
            text = text.replace(drawn, f"<name of {student}>")
        return _NUMBER.sub("<number>", text) if name in UNSET_MEMORY else text

    return {name: plain(name, text) for name, text in record.items() if name != _META}


def difference(name: str, before: str, after: str) -> list[str]:
    one, other = (re.sub(r"(?<=[>,;])(?=.)", "\n", text) if _is_long(text) else text for text in (before, after))
    return list(
        difflib.unified_diff(one.splitlines(), other.splitlines(), f"base/{name}", f"now/{name}", lineterm="", n=2)
    )


def _is_long(text: str) -> bool:
    return any(len(line) > 2000 for line in text.splitlines())


def compared(part: str, base: Record, now: Record) -> list[str]:
    """The names of what differs. Each difference is printed in short and written in full."""
    differing = sorted(name for name in base.keys() | now.keys() if base.get(name) != now.get(name))
    print(f"{part}: {len(base.keys() | now.keys()) - len(differing)} equal, {len(differing)} different")
    for at, name in enumerate(differing):
        lines = difference(name, base.get(name, ""), now.get(name, "")) or ["(line ends differ)"]
        file = SHOWN / "different" / f"{name}.diff"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join([*lines, ""]), encoding="utf-8")
        if at < _MOST_SHOWN:
            side = "" if name in base and name in now else " (only in the base)" if name in base else " (only now)"
            print(f"  {name}{side}")
            changed = [line for line in lines[2:] if line[:1] in {"+", "-"}]
            print(*(f"      {line[:160]}" for line in changed[:_FIRST_LINES]), sep="\n")
    return differing


def kept(path: Path) -> Record:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode("utf-8") for name in archive.namelist()}


def keep(record: Record, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}")
    with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in sorted(record.items()):
            archive.writestr(name, text)
    draft.replace(path)


def git(*words: str, tree: Path = ROOT) -> bytes:
    done = subprocess.run(["git", "-C", str(tree), *words], capture_output=True, check=False)
    if done.returncode:
        raise SameError(done.stderr.decode(errors="replace").strip())
    return done.stdout


def commit_of(revision: str, tree: Path = ROOT) -> str:
    try:
        return git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", tree=tree).decode().strip()
    except SameError as error:
        message = f"{revision} is no revision of this clone: git log lists them"
        raise SameError(message) from error


def compiler() -> str:
    """As it stands in the name of a record."""
    name = os.environ.get("TILELAB_COMPILER") or "g++"
    said = subprocess.run(
        [name, "-dumpfullversion", "-dumpversion"], capture_output=True, text=True, check=False
    ).stdout
    return f"{PurePath(name).name}-{said.strip()}"


def last_recorded(scope: str) -> str:
    """The newest commit on the first-parent line that has a record; else HEAD."""
    line = git("rev-list", "--first-parent", "HEAD").decode().split()
    return next((one for one in line if (KEPT / f"{one[:12]}-{compiler()}-{scope}").is_dir()), line[0])


def built(commit: str, given: str) -> Path:
    """A built tree of `commit`: the one given, or a clone that is made and built once."""
    if given:
        tree = Path(given).resolve()
        if git("diff", "--name-only", commit, "--", *_PRODUCT, tree=tree).strip():
            message = f"{tree} is not the product of {commit[:12]}: its sources differ"
            raise SameError(message)
        return tree
    tree = KEPT / "trees" / commit[:12]
    if not tree.exists():
        subprocess.run(["git", "clone", "--quiet", "--no-checkout", str(ROOT), str(tree)], check=True)
        git("checkout", "--quiet", "--detach", commit, tree=tree)
    subprocess.run(["bash", "kit/setup/setup.sh"], cwd=tree, check=True)
    return tree


def _progress(words: str) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{words}")


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", default="", help="a revision; default: the last one that has a record, else HEAD")
    parser.add_argument("--base-tree", default="", help="a built clone of BASE; default for BASE: its HEAD")
    parser.add_argument(
        "--scope", choices=["sample", "whole"], default="sample", help="sample: about 3 minutes on 2 cores"
    )
    parser.add_argument("--only", action="append", choices=list(PARTS), help="this part; may be given several times")
    parser.add_argument("--record", action="store_true", help="make the record of the base, and compare nothing")
    return parser.parse_args()


def main() -> int:
    asked = options()
    given = asked.base_tree
    commit = (
        commit_of("HEAD", Path(given))
        if given and not asked.base
        else commit_of(asked.base or last_recorded(asked.scope))
    )
    folder = KEPT / f"{commit[:12]}-{compiler()}-{asked.scope}"
    shutil.rmtree(SHOWN, ignore_errors=True)
    print(f"base: {commit[:12]}, {folder}")
    differing: list[str] = []
    for part in asked.only or PARTS:
        began = time.monotonic()
        file = folder / f"{part}.zip"
        if not file.exists():
            keep(collected(built(commit, given), commit, part, whole=asked.scope == "whole"), file)
        if not asked.record:
            now = collected(ROOT, commit, part, whole=asked.scope == "whole")
            keep(now, SHOWN / f"{part}.zip")
            differing += compared(part, masked(kept(file)), masked(now))
        _progress("")
        print(f"{part}: {time.monotonic() - began:.0f} s", flush=True)
    if not asked.record:
        print(f"{len(differing)} different; see {SHOWN / 'different'}" if differing else "the same")
    return 1 if differing else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SameError as error:
        sys.exit(f"same: {error}")
