"""Grades the bundled class once, as `make grade` does, and compares every verdict with class_verdicts.toml.

By default those who handed in archives are graded, and every sixth of all; with TILELAB_WHOLE_CORPUS=1 all.
"""

from __future__ import annotations

import csv
import os
import runpy
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from class_expectations import class_expectations
from corpus_sample import WHOLE, sample

from grader.model.labs import lab_ids
from grader.model.result import LabResult, Result
from grader.model.verdicts import Verdict
from grader.roll.intake.upload import stem_of

pytestmark = pytest.mark.long

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CLASS = ROOT / "tests" / "class"
ARCHIVED: dict[str, dict[str, bytes]] = runpy.run_path(str(HERE / "class_archives.py"))["members"]()
EXPECTED = class_expectations(list(lab_ids(ROOT)))
UPLOADS = {stem_of(path.name): path for path in sorted(CLASS.iterdir())}
TAKEN = sorted({*(one for one, path in UPLOADS.items() if path.is_file()), *sample(sorted(UPLOADS), 6)})


@dataclass(frozen=True)
class Graded:
    out: Path
    results: dict[str, Result]  # by the name of the student's upload
    said: str  # on the terminal


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    out, handed_in = tmp_path_factory.mktemp("class") / "out", tmp_path_factory.mktemp("handed in")
    for path in (UPLOADS[one] for one in TAKEN):
        copy = shutil.copytree if path.is_dir() else shutil.copy2
        copy(path, handed_in / path.name)
    tilelab = Path(sys.executable).with_name("tilelab")
    seed = tmp_path_factory.mktemp("seed") / "seed"
    seed.write_text("20240917\n", encoding="utf-8")
    # tests/gpu grades it with a GPU. With another seed, a kernel that makes two mistakes may meet the other one first.
    environment = {**os.environ, "TILELAB_BACKEND": "cpu", "TILELAB_SEED": str(seed)}
    command: list[str | Path] = [tilelab, "grade", handed_in, "--out", out]
    if not WHOLE:
        command += ["--search-seconds", "0"]  # no verdict depends on it, and test_class_search.py tries it
    done = subprocess.run(
        command, check=False, cwd=ROOT, stdin=subprocess.DEVNULL, env=environment, capture_output=True, text=True
    )
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    results = [
        Result.model_validate_json(path.read_text(encoding="utf-8")) for path in out.glob("students/*/result.json")
    ]
    return Graded(out, {result.submission.name: result for result in results}, said)


def lines_of(lab: LabResult, kind: Verdict) -> set[int | None]:
    errors = [finding for finding in lab.findings if finding.severity == "error" and finding.kind is kind]
    return {site.line for finding in errors for site in (finding, finding.other) if site is not None}


@pytest.mark.parametrize("upload", TAKEN)
def test_an_upload_gets_the_verdicts_expected(upload: str, graded: Graded) -> None:
    labs = graded.results[upload].labs
    seen = {lab_id: lab.verdict.value for lab_id, lab in labs.items()}
    assert seen == {lab_id: wanted["verdict"] for lab_id, wanted in EXPECTED[upload].items()}
    for lab_id, wanted in EXPECTED[upload].items():
        lab = labs[lab_id]
        if "line" in wanted:
            assert wanted["line"] in lines_of(lab, lab.verdict), (lab_id, lab.findings)
        if lab.verdict is Verdict.PASS:
            assert (lab.points >= lab.max_points) == wanted.get("full_marks", True), lab_id


def test_every_upload_of_the_class_is_expected_and_graded(graded: Graded) -> None:
    assert set(EXPECTED) == set(UPLOADS)
    assert set(graded.results) == set(TAKEN)


def test_the_gradebook_has_a_row_for_everybody(graded: Graded) -> None:
    with (graded.out / "grades.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(TAKEN)
    assert list(rows[0])[:3] == ["student", "total", "max"]
    assert len({row["max"] for row in rows}) == 1


def test_no_page_shows_a_file_that_is_not_the_submissions_own(graded: Graded) -> None:
    stolen = Path("/etc/passwd").read_text(encoding="utf-8").splitlines()[0]
    pages = [path.read_text(encoding="utf-8") for path in graded.out.rglob("*") if path.suffix in {".html", ".json"}]
    assert pages
    assert not [page for page in pages if stolen in page]


def test_what_a_kernel_prints_stays_text(graded: Graded) -> None:
    pages = [path.read_text(encoding="utf-8") for path in graded.out.rglob("*.html")]
    assert pages
    assert not [page for page in pages if "<script>alert(" in page]


@pytest.mark.parametrize("archive", sorted(ARCHIVED))
def test_an_archive_holds_what_its_script_says(archive: str) -> None:
    path = CLASS / archive
    if archive.endswith(".zip"):
        with zipfile.ZipFile(path) as zipped:
            held = {name: zipped.read(name) for name in zipped.namelist()}
    else:
        with tarfile.open(path) as tar:
            held = {one.name: file.read() for one in tar if (file := tar.extractfile(one)) is not None}
    assert held == ARCHIVED[archive], "run `python tests/labs/class_archives.py`"
