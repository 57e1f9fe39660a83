"""CONTRIBUTING says which files a lab, a section of a page and an export take. Here each is added to a copy, in those files alone.

The copy's own `tilelab` then shows what was added. Nothing is built: what the copy needs of the kit is the build of this tree.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.model.labs import lab_ids
from tests.conventions.conftest import CopiedTree, named_files

pytestmark = [pytest.mark.long, pytest.mark.in_turn(4)]

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("grader", "assignments", "solutions", "kit")
STUDENT, LAB, FILE = "ada", "01-naive", "matmul_naive.cu"

EXPORT = '''"""Who handed in, one a line. Pure."""

from grader.roll.batch.plugin import Export, Grades


def names(grades: Grades) -> str:
    return "".join(f"{one.submission.id} handed in\\n" for one in grades.results)


NAMES_TXT = Export("names-txt", "names.txt", "who handed in", names)
'''
LAB_SECTION = '''"""How long it took to judge a lab. Pure."""

from grader.pages.student_page.lab_sections import LabView


def time_section(view: LabView) -> str:
    return f"Judged {view.lab.file} in some seconds."
'''
CLASS_SECTION = '''"""Who handed in. Pure."""

from grader.pages.class_page.class_view import ClassView


def time_section(view: ClassView) -> str:
    return f"Judged {len(view.results)} in some seconds."
'''
TEMPLATE = """{# How long it took. #}
{% macro show(section) %}
<p class="some-seconds">{{ section }}</p>
{% endmacro %}

{% macro style() %}
.some-seconds { color: var(--soft); }
{% endmacro %}
"""


@dataclass(frozen=True)
class Copy(CopiedTree):
    """A copy of the tree, and what is done to it."""

    def tilelab(self, *words: str) -> subprocess.CompletedProcess[str]:
        """The copy's own command, in the copy."""
        environment = os.environ | {"PYTHONPATH": str(self.root), "COLUMNS": "400"}
        environment |= {"NO_COLOR": "1", "TILELAB_BACKEND": "cpu"}
        command = [sys.executable, "-c", "from grader.cli.cli import app; app()", *words]
        return subprocess.run(
            command, cwd=self.root, env=environment, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, timeout=300,
        )  # fmt: skip

    def grade(self, *options: str) -> Path:
        """Grades a class of one, whose file does not compile; returns OUT."""
        submission = self.root / "class" / STUDENT / FILE
        submission.parent.mkdir(parents=True)
        submission.write_text("#error nothing here runs\n", encoding="utf-8")
        done = self.tilelab("grade", "class", "--lab", LAB, "--no-sandbox", "--out", "out", *options)
        assert done.returncode == 0, done.stdout
        return self.root / "out"


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    others = shutil.ignore_patterns(*(one for one in lab_ids(ROOT) if one != LAB))  # their seals take seconds each time
    for folder in COPIED:
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=others)  # with its bytecode: compiling it takes long
    for source in tmp_path.rglob("*.[ch]pp"):
        os.utime(source, (0, 0))  # older than any build: no judge runs here, so it need not be up to date
    # What the compiler makes in advance of these headers depends on where they lie.
    shutil.rmtree(tmp_path / "kit" / "executor" / "device")
    (tmp_path / "kit" / "executor" / "device").symlink_to(ROOT / "kit" / "executor" / "device")
    (tmp_path / "build").mkdir()
    for canary in sorted((tmp_path / "kit" / "canaries").glob("*.cu"))[1:]:
        canary.unlink()  # each copy's compiler is tried with them, and one will do
    (ROOT / "build" / "prelude").mkdir(exist_ok=True)
    for made in ("bin", "lib", "prelude", "kit.json"):
        (tmp_path / "build" / made).symlink_to(ROOT / "build" / made)
    return Copy(tmp_path, COPIED)


def test_an_export_is_one_file_and_its_line(copy: Copy) -> None:
    copy.create("grader/plugins/exports/names_txt.py", EXPORT)
    assert "names-txt" not in copy.tilelab("grade", "--help").stdout
    assert copy.tilelab("grade", "class", "--export", "names-txt").returncode == 2

    module = "grader/plugins/exports/__init__.py"
    copy.replace(module, "\nPLUGINS =", "from grader.plugins.exports.names_txt import NAMES_TXT\n\nPLUGINS =")
    copy.replace(module, "grades_csv, always=True),\n", "grades_csv, always=True),\n    NAMES_TXT,\n")
    assert "names-txt: names.txt, who handed in" in copy.tilelab("grade", "--help").stdout
    out = copy.grade("--export", "names-txt")
    assert (out / "names.txt").read_text(encoding="utf-8") == f"{STUDENT} handed in\n"
    assert (out / "grades.csv").is_file()  # which is always written

    assert set(named_files("an export of grades")) == {"grader/plugins/exports/", module}
    assert copy.touched() == {"grader/plugins/exports/names_txt.py", module}


@pytest.mark.parametrize(
    ("addition", "package", "registry", "list_name", "module", "page", "text"),
    [
        (
            "a section of a student's page", "student_page", "student_sheet", "LAB_SECTIONS", LAB_SECTION,
            f"students/{STUDENT}/report.html", f"Judged {FILE} in some seconds.",
        ),
        (
            "a section of the class page", "class_page", "class_sheet", "FIRST_SECTIONS", CLASS_SECTION,
            "index.html", "Judged 1 in some seconds.",
        ),
    ],
)  # fmt: skip
def test_a_section_of_a_page_is_a_module_a_template_and_a_line(  # noqa: PLR0913, PLR0917 -- what differs between pages
    copy: Copy, addition: str, package: str, registry: str, list_name: str, module: str, page: str, text: str
) -> None:
    code, templates = f"grader/pages/{package}/", f"grader/pages/templates/{package}/"
    registered = f"{code}{registry}.py"
    copy.create(f"{code}time_section.py", module)
    copy.create(f"{templates}time.html.j2", TEMPLATE)
    lines = (copy.root / registered).read_text(encoding="utf-8").splitlines()
    (opening,) = [line for line in lines if line.startswith(f"{list_name}:")]
    added = f'    Section("{package}/time.html.j2", time_section),'
    imported = f"from grader.pages.{package}.time_section import time_section"
    copy.replace(registered, f"\n{opening}\n", f"\n{imported}\n\n{opening}\n{added}\n")

    html = (copy.grade() / page).read_text(encoding="utf-8")
    assert f'<p class="some-seconds">{text}</p>' in html
    assert ".some-seconds { color: var(--soft); }" in html[: html.index("</style>")]

    assert set(named_files(addition)) == {code, templates, registered}
    assert copy.touched() == {f"{code}time_section.py", f"{templates}time.html.j2", registered}


def test_a_lab_is_what_new_lab_makes_and_nothing_else(copy: Copy) -> None:
    lab, kernel = "06-strips", "matmul_strips.cu"
    starter = f"assignments/{lab}/{kernel}"
    assert lab not in copy.tilelab("test", "no such lab").stdout

    made = copy.tilelab("new-lab", lab, "--problem", "matmul")
    assert made.returncode == 0, made.stdout
    assert lab in copy.tilelab("test", "no such lab").stdout.split("the labs here are:")[-1]
    # The lab loads: all that is missing before a class can be graded is the build of its judge.
    assert f"judge-{lab} is missing" in copy.tilelab("grade", "class", "--lab", lab, "--no-sandbox").stdout

    text = (copy.root / starter).read_text(encoding="utf-8")
    (copy.root / starter).unlink()
    assert copy.tilelab("starters", "--check").returncode == 1
    assert copy.tilelab("starters").stdout.splitlines()[0] == f"wrote {copy.root / starter}"
    assert (copy.root / starter).read_text(encoding="utf-8") == text
    assert copy.tilelab("starters", "--check").returncode == 0

    folders = set(named_files("a lab"))
    assert folders == {"assignments/", "solutions/"}
    assert {f"{Path(name).parts[0]}/" for name in copy.touched()} == folders
    assert {Path(name).parts[1] for name in copy.touched()} == {lab}
