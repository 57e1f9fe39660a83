"""Which part may use which: grader and executors name no lab, the kit includes only itself, observers do not use the scheduler."""

from __future__ import annotations

import ast
import json
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from corpus_sample import sample

from grader.model.labs import lab_ids, load_lab

ROOT = Path(__file__).resolve().parents[2]
KIT = ROOT / "kit"
MADE = ROOT / "build" / "generated"  # headers that are made when the kit is built
_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)

# What the kit may include besides itself: the standard library has no suffix, the system's headers lie at these places.
_SYSTEM = re.compile(
    r"(sys|linux|asm|netinet)/[\w/]+\.h|(assert|cxxabi|dirent|dlfcn|elf|errno|fcntl|float|getopt|grp|limits|link|malloc|math|poll|pthread|pwd|sched"
    r"|signal|spawn|stdarg|stddef|stdint|stdio|stdlib|strings?|time|ucontext|unistd|unwind)\.h"
)
_LIBRARIES = re.compile(r"(boost/context/|catch2/|nlohmann/|cuda|sanitizer/)[\w./]*|seccomp\.h|sodium\.h|mma\.h")


def sources(*folders: str, suffixes: tuple[str, ...] = (".hpp", ".cpp", ".h", ".cuh", ".cu", ".py")) -> list[Path]:
    paths = (path for folder in folders for path in (ROOT / folder).rglob("*"))
    return sorted(path for path in paths if path.is_file() and path.suffix in suffixes)


def includes(path: Path) -> list[tuple[str, str]]:
    """Quote and target of each include."""
    return _INCLUDE.findall(path.read_text(encoding="utf-8"))


def named(paths: list[Path]) -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in paths]


def test_no_lab_is_named_in_the_grader_or_the_executors() -> None:
    labs = [load_lab(ROOT, lab_id) for lab_id in lab_ids(ROOT)]
    stems = {lab.public.file.split(".")[0] for lab in labs}
    # `histogram` alone is also a word for a picture.
    words = {lab.id for lab in labs} | {stem if "_" in stem else f"{stem}.cu" for stem in stems}
    assert words
    word = re.compile(rf"(?:{'|'.join(re.escape(one) for one in sorted(words))})\b")  # CUB has a header block_scan.cuh
    paths = sources("grader", "kit/executor", "kit/gpu", "kit/judge", "kit/protocol", "kit/runner", "kit/sandbox")
    assert paths
    assert named([path for path in paths if word.search(path.read_text(encoding="utf-8"))]) == []


def foreign(path: Path) -> list[str]:
    """Includes of `path` that neither the kit nor what it may use provides."""
    beside = (KIT, KIT / "include", KIT / "executor" / "device", KIT / "host", MADE, path.parent)
    strange = []
    for quote, target in includes(path):
        ours = any((folder / target).is_file() for folder in beside) and ".." not in Path(target).parts
        standard = re.fullmatch(r"[a-z_]+", target) or _SYSTEM.fullmatch(target) or _LIBRARIES.fullmatch(target)
        if not ours and not (quote == "<" and standard):
            strange.append(target)
    return strange


def test_the_kit_includes_nothing_outside_itself_but_its_few_libraries() -> None:
    paths = sources("kit")
    assert paths
    strange = {name: foreign(path) for name, path in zip(named(paths), paths, strict=True)}
    assert {name: targets for name, targets in strange.items() if targets} == {}


def test_observers_include_the_event_contract_and_never_the_scheduler() -> None:
    paths = sources("kit/executor/observers")
    targets = {path: [target for _, target in includes(path)] for path in paths}
    assert any("executor/event.hpp" in one for one in targets.values())
    scheduling = re.compile(r"scheduler|machine|fiber|announcer|boost/")
    assert named([path for path, one in targets.items() if any(scheduling.search(target) for target in one)]) == []


def test_the_scheduler_includes_no_observer() -> None:
    """Nor what is above it: the machine, and the memory of a launch."""
    paths = sources("kit/executor/scheduler")
    assert paths
    above = re.compile(r"observer|executor/(machine|memory|submission)/")
    assert named([path for path in paths if any(above.search(target) for _, target in includes(path))]) == []


# The grader's packages, from the command line down to plain data. A package imports from those below it, and no other way.
PACKAGES = ("cli", "plugins", "roll", "pages", "explain", "course", "run", "engines", "source", "system", "model")


def package_of(path: Path) -> str:
    return path.relative_to(ROOT / "grader").parts[0]


def imported_packages(path: Path) -> set[str]:
    """The grader's packages that `path` imports from."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            whole = name.removeprefix("grader.")
            if name.startswith("grader."):
                found.add(whole.split(".")[0])
    return found


def test_the_graders_packages_import_in_one_direction() -> None:
    paths = [path for path in sources("grader", suffixes=(".py",)) if path.parent != ROOT / "grader"]
    assert {package_of(path) for path in paths} == set(PACKAGES)
    upward = [
        f"{path.relative_to(ROOT)} imports grader.{other}"
        for path in paths
        for other in imported_packages(path) - {package_of(path)}
        if PACKAGES.index(other) < PACKAGES.index(package_of(path))
    ]
    assert upward == []


def test_nothing_imports_a_plugin() -> None:
    """grader/roll/batch/plugin.py finds them, so that one can be taken away."""
    paths = [path for path in sources("grader", suffixes=(".py",)) if path.parent != ROOT / "grader"]
    users = [path for path in paths if package_of(path) != "plugins" and "plugins" in imported_packages(path)]
    assert named(users) == []


def test_few_files_of_the_grader_are_short() -> None:
    """A file is as long as its subject. Many short ones are a corridor: each needs a reason as much as one of 600 lines does."""
    paths = [path for path in sources("grader", suffixes=(".py",)) if path.name != "__init__.py"]
    short = [path for path in paths if path.read_text(encoding="utf-8").count("\n") < 40]
    assert len(short) <= len(paths) // 20, named(short)


def test_no_folder_of_the_kits_processes_is_a_flat_room() -> None:
    """A header and its source are two files. Detectors and CUDA's functions are looked for by their names, however many they are."""
    paths = sources("kit/judge", "kit/program", "kit/protocol", "kit/runner", "kit/executor", suffixes=(".hpp", ".cpp"))
    files = Counter(
        path.parent for path in paths if not {"observers", "device", "device_impl"}.intersection(path.parts)
    )
    assert len(files) > 15
    assert {named([folder])[0]: count for folder, count in files.items() if count > 16} == {}


PUBLIC_HEADERS = named(
    [*sources("kit/include", "kit/problems", suffixes=(".hpp", ".cuh")), KIT / "executor" / "event.hpp"]
)


@pytest.mark.parametrize("header", sample(PUBLIC_HEADERS, 2))
def test_a_public_header_compiles_alone(header: str) -> None:
    compiler = json.loads((ROOT / "build" / "kit.json").read_text(encoding="utf-8"))["compiler"]
    folders = [KIT, KIT / "include", KIT / "executor" / "device", MADE]
    command = [compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", *(f"-I{folder}" for folder in folders)]
    command += [f"-isystem{ROOT / '.tilelab' / 'prefix' / 'usr' / 'include'}", "-"]
    text = f'#include "{ROOT / header}"\n'
    done = subprocess.run(command, input=text, text=True, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


_DOES_IO = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "mkdir", "unlink", "print", "input"}
_IO_MODULES = {"os", "subprocess", "socket", "shutil", "tempfile", "time", "random", "sys"}


def input_output(path: Path) -> list[str]:
    """Imports and calls in `path` that reach outside the process."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [name.name for name in node.names if name.name.split(".")[0] in _IO_MODULES]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in _IO_MODULES:
            found.append(node.module or "")
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            found += [called] if called in _DOES_IO else []
    return found


PURE = [
    *(f"grader/run/scoring/{name}.py" for name in ("lab_score", "redaction", "metrics", "outlook")),
    "grader/course/leaks.py",
    *(f"grader/plugins/leaderboard/{name}.py" for name in ("board", "leaderboard_sheet", "pseudonyms")),
    *(f"grader/plugins/exports/{name}.py" for name in ("autograder_results", "grade_tables")),
    "grader/run/lab_verdict.py",
    "grader/run/speed/speed_score.py",
    *(f"grader/roll/policy/{name}.py" for name in ("class_policy", "grade_history", "late_rules")),
    "grader/model/result.py",
    "grader/model/outcome.py",
    "grader/model/visible_text.py",
]


@pytest.mark.parametrize("module", PURE)
def test_scoring_and_its_like_do_no_input_or_output(module: str) -> None:
    assert input_output(ROOT / module) == []


def test_reports_do_no_input_or_output() -> None:
    paths = sources("grader/pages", suffixes=(".py",))
    assert paths
    found = {name: input_output(path) for name, path in zip(named(paths), paths, strict=True)}
    assert {name: calls for name, calls in found.items() if calls} == {}
