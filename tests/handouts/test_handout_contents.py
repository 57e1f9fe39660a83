"""The contents of the course's handout: they match the listing, nothing is private, and the bytes are always the same."""

from __future__ import annotations

import io
import json
import subprocess
import tarfile
from pathlib import Path

import pytest

from grader.course.handout_archive import Handout, digest
from grader.course.handouts import LISTING, diagnostics, handout, listing
from grader.model.course_root import load_labs
from grader.model.labs import lab_ids, load_lab

ROOT = Path(__file__).resolve().parents[2]


def members(made: Handout) -> list[tarfile.TarInfo]:
    with tarfile.open(fileobj=io.BytesIO(made.archive()), mode="r:gz") as tar:
        return tar.getmembers()


def test_the_kinds_of_file_are_those_of_the_golden_listing(course_handout: Handout) -> None:
    remedy = "if you want that, run `.venv/bin/tilelab handouts --accept`"
    assert listing(course_handout) == (ROOT / LISTING).read_text(encoding="utf-8"), remedy


def test_nothing_in_it_is_private_or_leads_out_of_it(course_handout: Handout) -> None:
    assert [str(one) for one in diagnostics(ROOT, load_labs(ROOT, []), course_handout)] == []


def test_no_line_of_hidden_tests_with_a_number_in_it_is_anywhere_in_it(course_handout: Handout) -> None:
    public = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "assignments").glob("*/public_tests.cpp"))
    hidden = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "solutions").glob("*/hidden_tests.cpp"))
    secret = {line.strip() for line in hidden.splitlines() if "check_" in line} - {
        line.strip() for line in public.splitlines()
    }
    assert len(secret) > 10
    held = {line.strip() for file in course_handout.files.values() for line in file.data.decode().splitlines()}
    assert secret & held == set()


@pytest.mark.parametrize("lab_id", lab_ids(ROOT))
def test_every_lab_has_its_starter_write_up_and_public_tests(course_handout: Handout, lab_id: str) -> None:
    starter = f"assignments/{lab_id}/{load_lab(ROOT, lab_id).public.file}"
    for name in (
        starter,
        *(f"assignments/{lab_id}/{one}" for one in ("README.md", "public_tests.cpp", "lab.toml", "Makefile")),
    ):
        assert course_handout.files[name].data == (ROOT / name).read_bytes()
    assert {starter, f"assignments/{lab_id}/answers.md"} <= course_handout.manifest.starters
    assert f"(assignments/{lab_id}/README.md)" in course_handout.files["README.md"].data.decode()


def test_the_kit_is_there_verbatim(course_handout: Handout) -> None:
    command = ["git", "ls-files", "-z", "--", "kit"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    kit = {name: (ROOT / name).read_bytes() for name in listed.split("\0") if name and (ROOT / name).is_file()}
    assert len(kit) > 50
    assert {name: file.data for name, file in course_handout.files.items() if name.startswith("kit/")} == kit


def test_two_archives_of_one_course_are_the_same_bytes(course_handout: Handout) -> None:
    assert handout(ROOT, load_labs(ROOT, [])).archive() == course_handout.archive()


def test_says_nothing_of_who_made_it_where_or_when(course_handout: Handout) -> None:
    found = members(course_handout)
    assert [member.name for member in found] == sorted(member.name for member in found)
    assert {(one.uid, one.gid, one.uname, one.gname, one.mtime) for one in found} == {
        (0, 0, "", "", course_handout.time)
    }
    assert {one.mode for one in found} == {0o644, 0o755}
    packed = course_handout.archive()
    assert (packed[3], packed[4:8]) == (0, bytes(4))  # gzip's own header: no name, no time


def test_everything_unpacks_into_one_folder_named_after_the_version(course_handout: Handout) -> None:
    assert {member.name.split("/")[0] for member in members(course_handout)} == {course_handout.name}


def test_set_up_can_be_run(course_handout: Handout) -> None:
    assert [name for name, file in course_handout.files.items() if file.executable] == ["kit/setup/setup.sh"]


def test_the_manifest_names_every_file_with_its_digest(course_handout: Handout) -> None:
    said = json.loads(course_handout.files["handout.json"].data)["files"]
    assert said == {
        name: digest(file.data)
        for name, file in course_handout.files.items()
        if name not in {"handout.json", "VERSION"}
    }


def test_the_version_says_number_date_and_contents(course_handout: Handout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1788220800")
    later = handout(ROOT, load_labs(ROOT, []))
    contents = course_handout.manifest.contents
    assert later.files["VERSION"].data.decode() == f"{later.manifest.version} of 2026-09-01, contents {contents}\n"
    assert {member.mtime for member in members(later)} == {1788220800}


def test_a_handout_of_one_lab_has_no_link_to_another(course_handout: Handout) -> None:
    page = "assignments/02-tiled/README.md"
    alone = handout(ROOT, load_labs(ROOT, ["02-tiled"]))
    link = "[what others call it](../01-naive/README.md#what-others-call-it)"
    assert link in course_handout.files[page].data.decode()
    text = alone.files[page].data.decode()
    assert "A table there lists what others call it." in text
    assert "../01-naive" not in text
    assert [str(one) for one in diagnostics(ROOT, load_labs(ROOT, ["02-tiled"]), alone)] == []
