"""What is packed for each platform: all that grading needs, for the labs asked for, and no secret where students can read."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from grader.course.leaks import Diagnostic
from grader.model.course_root import load_labs
from grader.model.errors import RemediableError
from grader.plugins.autograders import packing
from grader.plugins.autograders.autograder_commands import PackOptions, make_autograder
from grader.plugins.autograders.packing import (
    PACKS,
    PackMade,
    PackRequest,
    autolab_pack,
    classroom50_pack,
    github_pack,
    gradescope_pack,
    prairielearn_pack,
)

ROOT = Path(__file__).resolve().parents[4]
SEED = "987654321987654321"
LAB = "02-tiled"


@pytest.fixture(autouse=True)
def _seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "seed").write_text(f"{SEED}\n", encoding="utf-8")
    monkeypatch.setenv("TILELAB_SEED", str(tmp_path / "seed"))


def request(*labs: str, bundle: Path | None = None, image: str = "") -> PackRequest:
    return PackRequest(ROOT, load_labs(ROOT, labs or (LAB,)), bundle, image, 1_700_000_000)


def zip_of(made: PackMade) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(made.files["autograder.zip"].data))


def everything(made: PackMade) -> bytes:
    """All bytes, also those in archives."""
    parts = []
    for name, file in made.files.items():
        parts.append(file.data)
        if name.endswith(".tar.gz"):
            with tarfile.open(fileobj=io.BytesIO(file.data)) as tar:
                parts += [stream.read() for one in tar if (stream := tar.extractfile(one)) is not None]
    return b"\n".join(parts)


def test_gradescopes_zip_has_its_scripts_at_the_top_and_the_course_below() -> None:
    with zip_of(gradescope_pack(request())) as archive:
        names = set(archive.namelist())
        assert {"setup.sh", "run_autograder", "Dockerfile", "labs.txt"} <= names
        assert {
            "tilelab/kit/setup/setup.sh",
            "tilelab/grader/cli/cli.py",
            f"tilelab/solutions/{LAB}/hidden_tests.cpp",
        } <= names
        assert archive.read("tilelab/.tilelab/seed").decode() == f"{SEED}\n"
        assert archive.read("labs.txt").decode() == f"{LAB}\n"
        modes = {one.filename: stat.S_IMODE(one.external_attr >> 16) for one in archive.infolist()}
        assert modes["run_autograder"] == modes["setup.sh"] == modes["tilelab/kit/setup/setup.sh"] == 0o755
        assert modes["tilelab/pyproject.toml"] == 0o644


def test_only_the_labs_that_were_asked_for_are_packed() -> None:
    with zip_of(gradescope_pack(request("01-naive", LAB))) as archive:
        folders = {name.split("/")[2] for name in archive.namelist() if name.startswith("tilelab/solutions/")}
        tests = [
            name for name in archive.namelist() if name.startswith(("tilelab/tests/", "tilelab/docs/", "tilelab/out"))
        ]
    assert folders == {"01-naive", LAB}
    assert tests == []


def test_the_same_course_makes_the_same_bytes() -> None:
    assert gradescope_pack(request()).files == gradescope_pack(request()).files


def test_a_bundle_is_put_where_set_up_looks_for_it(tmp_path: Path) -> None:
    bundle = tmp_path / "b.tar"
    with tarfile.open(bundle, "w") as tar:
        for name in (".tilelab/bundle/bundle.txt", ".tilelab/bundle/wheels/a.whl"):
            tar.addfile(tarfile.TarInfo(name), io.BytesIO())
    with zip_of(gradescope_pack(request(bundle=bundle))) as archive:
        assert {"tilelab/.tilelab/bundle/bundle.txt", "tilelab/.tilelab/bundle/wheels/a.whl"} <= set(archive.namelist())


@pytest.mark.parametrize("name", ["elsewhere.txt", ".tilelab/bundle/../../x", ".tilelab/bundle/a.whl"])
def test_what_is_no_bundle_is_refused(tmp_path: Path, name: str) -> None:
    bundle = tmp_path / "b.tar"
    with tarfile.open(bundle, "w") as tar:
        tar.addfile(tarfile.TarInfo(name), io.BytesIO())
    with pytest.raises(RemediableError, match="no bundle"):
        gradescope_pack(request(bundle=bundle))
    bundle.write_bytes(b"no archive")
    with pytest.raises(RemediableError, match="cannot be read"):
        gradescope_pack(request(bundle=bundle))


def test_prairielearn_gets_an_image_and_a_question_for_each_lab() -> None:
    made = prairielearn_pack(request("01-naive", LAB, image="me/grader:3"))
    assert "image/tilelab/.tilelab/seed" in made.files
    info = made.files[f"questions/{LAB}/info.json"].data.decode()
    assert '"image": "me/grader:3"' in info
    assert f'"LAB": "{LAB}"' in info
    page = made.files["questions/01-naive/question.html"].data.decode()
    assert '<pl-file-upload file-names="matmul_naive.cu" optional-file-names="answers.md">' in page
    assert info != made.files["questions/01-naive/info.json"].data.decode()
    assert len(made.steps) < len(prairielearn_pack(request()).steps)


def test_autolabs_image_is_without_the_seed_which_comes_with_the_job() -> None:
    made = autolab_pack(request())
    assert {"autograde-Makefile", "autograde.tar", "image/Dockerfile"} <= made.files.keys()
    assert SEED.encode() not in b"".join(file.data for name, file in made.files.items() if name.startswith("image/"))
    with tarfile.open(fileobj=io.BytesIO(made.files["autograde.tar"].data)) as tar:
        assert sorted(tar.getnames()) == ["autograde/autolab_job.sh", "autograde/labs.txt", "autograde/seed"]
    assert "02-tiled (13)" in made.steps[1]


def test_classroom50_gets_nothing_that_a_student_may_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "diagnostics", lambda *_: [])  # tests/handouts look for what it looks for
    made = classroom50_pack(request())
    assert sorted(made.files) == [
        f"autograders/{LAB}/{name}" for name in ("autograder.py", "handout.tar.gz", "labs.txt")
    ]
    assert not made.is_secret
    packed = everything(made)
    assert SEED.encode() not in packed
    hidden = (ROOT / "solutions" / LAB / "hidden_tests.cpp").read_bytes()
    titles = [line for line in hidden.splitlines() if b"TEST_CASE" in line or b"CASE(" in line]
    assert titles
    assert not any(title in packed for title in titles)


def test_a_handout_that_may_not_be_given_out_is_not_packed_for_classroom50(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "diagnostics", lambda *_: [Diagnostic("a.cu", 3, "gives a solution away")])
    with pytest.raises(RemediableError, match=r"a\.cu:3: gives a solution away"):
        classroom50_pack(request())


def test_github_keeps_solutions_out_of_the_students_part_and_the_seed_out_of_both() -> None:
    made = github_pack(request())
    students = [name for name in made.files if name.startswith("student/")]
    assert students == ["student/.github/workflows/practice.yml"]
    assert SEED.encode() not in b"".join(file.data for name, file in made.files.items() if name != "seed.txt")
    assert f"private/tilelab/solutions/{LAB}/hidden_tests.cpp" in made.files


def test_a_pack_replaces_an_earlier_one_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    folder = tmp_path / "made" / "gradescope"
    options = PackOptions("gradescope", (LAB,), tmp_path / "made")
    folder.mkdir(parents=True)
    (folder / "mine.txt").write_text("keep", encoding="utf-8")
    with pytest.raises(RemediableError, match="was not made by this command"):
        make_autograder(options)
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    (folder / "mine.txt").unlink()
    folder.rmdir()
    assert make_autograder(options) == 0
    (folder / "old.txt").write_text("of last term", encoding="utf-8")
    assert make_autograder(options) == 0
    assert not (folder / "old.txt").exists()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_platform_that_nobody_packs_for_is_refused_with_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    for platform in ("", "moodle"):
        with pytest.raises(RemediableError) as refused:
            make_autograder(PackOptions(platform, out=Path("nowhere")))
        assert all(pack.name in str(refused.value) for pack in PACKS)
    assert PACKS
