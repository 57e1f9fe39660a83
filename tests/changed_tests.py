"""Runs the tests that a change of some files can have broken, the nearest first, for about a minute: `make test-changed`.

A test is near to a file that it imports, and farther from what that imports in turn. A file that is no Python belongs to the modules and
tests whose text has its name. What would take longer is named and left to `make test`, and so are the kit's own tests.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 60.0
UNKNOWN_SECONDS = 3.0  # of a file that no run of `make test` in this clone has timed
START_SECONDS = 10.0  # each of pytest's processes imports the grader and collects


def changed_files(root: Path, base: str) -> list[str]:
    """What differs from that revision in the working tree, and what git does not know yet. Without such a revision: the latter."""
    told = []
    for words in (("diff", "--name-only", base), ("ls-files", "--others", "--exclude-standard")):
        told += subprocess.run(["git", *words], cwd=root, check=False, capture_output=True, text=True).stdout.split(
            "\n"
        )
    return sorted(filter(None, told))


def distances(root: Path, changed: Iterable[str]) -> dict[str, int]:
    """Of each test file that a change can reach: over how many imports."""
    modules = sorted(
        path.relative_to(root).as_posix()
        for folder in ("grader", "tests", "docs")
        for path in (root / folder).rglob("*.py")
    )
    texts = {module: (root / module).read_text(encoding="utf-8") for module in modules}
    users: dict[str, set[str]] = {}
    for module in modules:
        for used in _used(module, texts[module], texts):
            users.setdefault(used, set()).add(module)
    near = {one: 0 for one in changed if one in texts}
    for one in changed:
        if one not in texts:
            near |= {module: 1 for module in modules if Path(one).name in texts[module] and module not in near}
    front = sorted(near, key=near.__getitem__)
    for one in front:  # grows meanwhile
        for user in sorted(users.get(one, ())):
            if user not in near:
                near[user] = near[one] + 1
                front.append(user)
    packages = {Path("tests", one).parent.as_posix() for one in changed if one.startswith("grader/")}
    found = {}
    for module in filter(_is_test, modules):
        mirrored = any(module.startswith(f"{package}/") for package in packages)
        if module in near or mirrored:
            found[module] = min(near.get(module, 1), 1) if mirrored else near[module]
    return found


def _is_test(module: str) -> bool:
    return module.startswith("tests/") and Path(module).name.startswith("test_")


def _used(module: str, text: str, modules: Mapping[str, str]) -> Iterator[str]:
    """Files that this one imports, and the conftest.py of each folder around a test."""
    if _is_test(module):
        yield from (f"{folder.as_posix()}/conftest.py" for folder in Path(module).parents if folder != Path())
    for node in ast.walk(ast.parse(text)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            path = f"{name.replace('.', '/')}.py"
            if path in modules:
                yield path
            elif "." not in name:  # a module beside the tests: their folders are on the path, see pyproject.toml
                yield from (one for one in modules if one.endswith(f"/{path}") and not one.startswith("grader/"))


def known_seconds(root: Path) -> dict[str, float]:
    """What each file took in the last `make test` of this clone, see suite.py."""
    try:
        lines = (root / "build" / "reports" / "slowest.txt").read_text(encoding="utf-8").splitlines()[1:]
    except OSError:
        return {}
    rows = [line.split() for line in lines]
    return {file: max(float(clock), float(spent)) for clock, spent, file in rows}


def choose(found: Mapping[str, int], took: Mapping[str, float], most: float) -> tuple[list[str], list[str]]:
    """The files to run, and those left out: of equally near ones the quick come first, and `most` seconds are not exceeded."""
    taken, left_out = [], []
    for file in sorted(found, key=lambda one: (found[one], took.get(one, UNKNOWN_SECONDS), one)):
        seconds = took.get(file, UNKNOWN_SECONDS)
        if seconds <= most:
            most -= seconds
            taken.append(file)
        else:
            left_out.append(file)
    return taken, left_out


def main() -> int:
    base = os.environ.get("BASE") or "HEAD"
    known = subprocess.run(["git", "rev-parse", "--verify", "--quiet", f"{base}^{{commit}}"], cwd=ROOT, check=False)
    if known.returncode != 0:
        print(f"{base} is no revision of this clone")
        return 2
    changed = changed_files(ROOT, base)
    if not changed:
        print(f"nothing differs from {base}: BASE=REVISION compares with another one")
        return 0
    processes = max(1, os.cpu_count() or 1)
    taken, left_out = choose(distances(ROOT, changed), known_seconds(ROOT), (SECONDS - START_SECONDS) * processes)
    print(f"changed: {', '.join(changed)}")
    if left_out:
        print(f"left to `make test`, {len(left_out)} files: {', '.join(left_out)}")
    if any(one.startswith(("kit/", "tests/kit/")) for one in changed):
        print("left to `make test`: the kit's own tests")
    if not taken:
        print("no test of the grader is near to that")
        return 0
    together = ["-n", str(min(processes, len(taken))), "--dist", "loadfile"] if len(taken) > 1 else []
    return subprocess.run([sys.executable, "-m", "pytest", "-q", *together, *taken], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
