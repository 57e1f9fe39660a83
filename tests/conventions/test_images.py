"""The images' recipes agree with the tree: what they copy exists, and nothing secret is copied. No image is built."""

from __future__ import annotations

import fnmatch
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course.handouts import handout
from grader.model.course_root import load_labs

ROOT = Path(__file__).resolve().parents[2]
RECIPES = sorted((ROOT / "docker").glob("*/Dockerfile"))
SECRET = (
    ".tilelab/seed",
    ".git/config",
    "out/grades.csv",
    "build/bin/confine",
    ".venv/bin/python",
    "tests/class/x.zip",
    ".env",
)


def instructions(recipe: Path) -> list[tuple[str, str]]:
    """Each instruction with its argument. Continued lines are joined."""
    text = re.sub(r"^#.*\n", "", recipe.read_text(encoding="utf-8"), flags=re.MULTILINE).replace("\\\n", "")
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in text.splitlines() if line)]


def of(recipe: Path, word: str) -> list[str]:
    return [rest for found, rest in instructions(recipe) if found == word]


def copied(recipe: Path) -> Iterator[str]:
    for rest in of(recipe, "COPY"):
        yield from [part for part in rest.split() if not part.startswith("--")][:-1]


def ignored(ignore_file: Path, path: str) -> bool:
    """Whether a build context leaves the path out. The last pattern that matches it or one of its folders decides."""
    parts = Path(path).parts
    prefixes = ["/".join(parts[: n + 1]) for n in range(len(parts))]
    answer = False
    for line in ignore_file.read_text(encoding="utf-8").splitlines():
        pattern = line.removeprefix("!")
        anywhere = pattern.removeprefix("**/")
        names = prefixes if anywhere == pattern else list(parts)
        if line and not line.startswith("#") and any(fnmatch.fnmatchcase(name, anywhere) for name in names):
            answer = not line.startswith("!")
    return answer


def test_there_is_an_image_for_each_role() -> None:
    assert [recipe.parent.name for recipe in RECIPES] == ["grader", "student"]


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.parent.name)
def test_starts_from_a_debian_that_a_course_may_replace_on_any_processor(recipe: Path) -> None:
    assert re.fullmatch(r"BASE=debian:(bookworm|trixie)-slim", of(recipe, "ARG")[0])
    assert of(recipe, "FROM")[0].split()[0] == "${BASE}"
    assert not re.search(r"amd64|x86|--platform|https?://", recipe.read_text(encoding="utf-8"))


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.parent.name)
def test_sets_up_and_runs_as_an_ordinary_user(recipe: Path) -> None:
    words = instructions(recipe)
    user = words.index(("USER", recipe.parent.name))
    assert [rest for word, rest in words if word == "USER"] == [recipe.parent.name]
    assert ("RUN", "make setup") in words[user:]
    assert not any(re.search(r"\bsudo\b|apt-get", rest) for word, rest in words[user:] if word == "RUN")


def test_the_graders_image_for_a_gpu_is_the_other_one_and_a_compiler_of_no_administrators() -> None:
    words = instructions(ROOT / "docker/grader/Dockerfile")
    stages = [rest for word, rest in words if word == "FROM"]
    assert stages == ["${BASE} AS grader", "grader AS gpu-grader"]
    last = words[words.index(("FROM", stages[1])) :]
    assert [rest for word, rest in last if word == "RUN"] == ["kit/setup/setup.sh toolkit"]
    assert not {"USER", "COPY", "CMD"} & {word for word, _ in last}
    (asked,) = [rest for word, rest in last if word == "ENV"]
    assert "NVIDIA_DRIVER_CAPABILITIES=compute,utility" in asked


def test_images_are_built_by_the_names_of_their_stages() -> None:
    script = (ROOT / "docker/images.sh").read_text(encoding="utf-8")
    stages = {rest.split(" AS ")[1] for recipe in RECIPES for rest in of(recipe, "FROM")} - {"tools"}
    (listed,) = re.findall(r"^    ([a-z| -]+)\) ;;$", script, re.MULTILINE)
    assert set(listed.split(" | ")) == stages
    unknown = subprocess.run(
        [ROOT / "docker/images.sh"],
        env={"PATH": "/usr/bin:/bin", "IMAGES": "teacher"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert unknown.returncode == 2
    assert all(stage in unknown.stderr for stage in stages)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.parent.name)
def test_packages_come_before_what_changes_daily(recipe: Path) -> None:
    words = instructions(recipe)
    packages = words.index(("RUN", "/opt/tilelab/kit/setup/setup.sh packages"))
    whole = next(n for n, (word, rest) in enumerate(words) if word == "COPY" and " . " in rest)
    assert words.index(("COPY", "kit/setup /opt/tilelab/kit/setup")) < packages < whole


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.parent.name)
def test_names_no_package_that_this_distribution_lacks(recipe: Path) -> None:
    listed = re.findall(r"apt-get install ((?:[\w.+-]+ )+)", " ".join(of(recipe, "RUN")))
    packages = [word for words in listed for word in words.split() if not word.startswith("-")]
    assert "make" in packages
    if not shutil.which("apt-cache"):
        pytest.skip("no apt-cache here to ask")
    known = set(subprocess.run(["apt-cache", "pkgnames"], capture_output=True, text=True, check=True).stdout.split())
    if len(known) < 10_000:
        pytest.skip("this machine keeps no package lists")
    assert [package for package in packages if package not in known] == []


def test_the_graders_context_holds_what_it_copies_and_what_grading_needs() -> None:
    recipe = ROOT / "docker/grader/Dockerfile"
    (command,) = json.loads(of(recipe, "CMD")[0])
    needed = [*copied(recipe), command, "Makefile", "CMakeLists.txt", "pyproject.toml", "grader/cli/cli.py"]
    needed += ["assignments/01-naive/lab.toml", "solutions/01-naive/hidden_tests.cpp", "kit/setup/setup.sh"]
    assert [path for path in needed if not (ROOT / path).exists()] == []
    assert [path for path in needed if path != "." and ignored(ROOT / ".dockerignore", path)] == []


def test_everything_that_a_handout_takes_to_be_set_up_is_in_the_graders_context_too() -> None:
    made = handout(ROOT, load_labs(ROOT, []))
    shared = [path for path in made.files if path.startswith(("kit/", "grader/", "assignments/")) or "/" not in path]
    shared = [path for path in shared if (ROOT / path).is_file() and not Path(path).name.startswith(".")]
    assert len(shared) > 100
    assert [path for path in shared if ignored(ROOT / ".dockerignore", path)] == ["README.md"]


@pytest.mark.parametrize("path", SECRET)
def test_no_secret_and_no_student_comes_into_the_graders_image(path: str) -> None:
    assert ignored(ROOT / ".dockerignore", path)


def test_the_students_context_is_a_handout_and_so_holds_nothing_private() -> None:
    made = handout(ROOT, load_labs(ROOT, []))
    recipe = ROOT / "docker/student/Dockerfile"
    assert made.files[".devcontainer/Dockerfile"].data == recipe.read_bytes()
    for path in copied(recipe):
        assert path == "." or any(name.startswith(f"{path}/") for name in made.files)
    assert not any(name.startswith(("solutions/", "tests/")) for name in made.files)
    script = (ROOT / "docker/images.sh").read_text(encoding="utf-8")
    assert re.search(r'--target student --tag tilelab-student "\$context/labs"$', script, re.MULTILINE)


def test_the_dev_container_is_the_students_image_before_the_handout_goes_in() -> None:
    folder = ROOT / "handouts/student/.devcontainer"
    said = json.loads((folder / "devcontainer.json").read_text(encoding="utf-8"))
    recipe = ROOT / "docker/student/Dockerfile"
    stages = [rest.split(" AS ")[1] for rest in of(recipe, "FROM")]
    assert said["build"] == {"dockerfile": "Dockerfile", "context": "..", "target": stages[0]}
    assert [said["remoteUser"]] == of(recipe, "USER")
    assert said["postCreateCommand"] == "make setup"
