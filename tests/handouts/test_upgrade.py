"""Upgrades a handout in use to a newer one: the student's work stays, and everything else becomes the new version."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course.handout_archive import MANIFEST, Manifest, PackedFile, digest, pack
from grader.course.upgrade import Plan, upgrade
from grader.model.errors import RemediableError

STARTER = "assignments/01-add/add.cu"
OLD = {
    STARTER: "// TODO\n",
    "assignments/02-more/more.cu": "// TODO more\n",
    "kit/machine.cpp": "int version = 1;\n",
    "kit/retired.cpp": "int retired;\n",
    "Makefile": "test:\n",
}
NEW = {**OLD, "kit/machine.cpp": "int version = 2;\n", "kit/added.cpp": "int added;\n"}
del NEW["kit/retired.cpp"]
LONG_AGO = 1_000_000_000


def archive(path: Path, version: str, files: dict[str, str]) -> Path:
    packed = {name: PackedFile(text.encode(), executable=name.endswith(".sh")) for name, text in files.items()}
    digests = {name: digest(file.data) for name, file in packed.items()}
    manifest = Manifest(version, "2026-09-01", digests, frozenset(name for name in files if name.endswith(".cu")))
    packed["VERSION"] = PackedFile(f"{manifest}\n".encode())
    packed[MANIFEST] = PackedFile(manifest.to_json())
    path.write_bytes(pack(f"tilelab-{version}", packed, LONG_AGO))
    return path


@pytest.fixture
def folder(tmp_path: Path, untar: Callable[[Path, Path], None]) -> Path:
    """An unpacked handout, in a path with a space."""
    home = tmp_path / "my work"
    untar(archive(tmp_path / "old.tar.gz", "1", OLD), home)
    return home / "tilelab-1"


def upgraded(folder: Path, files: dict[str, str]) -> Plan:
    return upgrade(folder, archive(folder.parent / "new.tar.gz", "2", files))


def text(folder: Path, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8")


def everything(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_an_untouched_handout_becomes_exactly_the_newer_one(folder: Path, untar: Callable[[Path, Path], None]) -> None:
    upgraded(folder, NEW)
    untar(folder.parent / "new.tar.gz", folder.parent)
    assert everything(folder) == everything(folder.parent / "tilelab-2")


def test_a_starter_that_was_worked_on_stays(folder: Path) -> None:
    (folder / STARTER).write_text("my kernel\n")
    changes = upgraded(folder, NEW)
    assert text(folder, STARTER) == "my kernel\n"
    assert (changes.kept, changes.beside) == ([STARTER], {})
    assert text(folder, "kit/machine.cpp") == "int version = 2;\n"


def test_a_newer_starter_is_put_beside_the_one_that_was_worked_on(folder: Path) -> None:
    (folder / STARTER).write_text("my kernel\n")
    changes = upgraded(folder, {**NEW, STARTER: "// TODO, clearer\n"})
    assert (text(folder, STARTER), text(folder, f"{STARTER}.new")) == ("my kernel\n", "// TODO, clearer\n")
    assert changes.beside == {STARTER: f"{STARTER}.new"}


def test_a_starter_that_nobody_touched_is_replaced(folder: Path) -> None:
    upgraded(folder, {**NEW, STARTER: "// TODO, clearer\n"})
    assert text(folder, STARTER) == "// TODO, clearer\n"


def test_a_changed_file_of_the_kit_is_replaced_and_the_change_kept_beside(folder: Path) -> None:
    (folder / "kit/machine.cpp").write_text("int mine;\n")
    changes = upgraded(folder, NEW)
    assert (text(folder, "kit/machine.cpp"), text(folder, "kit/machine.cpp.mine")) == (
        "int version = 2;\n",
        "int mine;\n",
    )
    assert changes.aside == {"kit/machine.cpp": "kit/machine.cpp.mine"}


def test_a_second_change_does_not_overwrite_the_first_that_was_kept(folder: Path) -> None:
    (folder / "kit/machine.cpp").write_text("int mine;\n")
    upgraded(folder, NEW)
    (folder / "kit/machine.cpp").write_text("int mine again;\n")
    upgraded(folder, {**NEW, "kit/machine.cpp": "int version = 3;\n"})
    assert (text(folder, "kit/machine.cpp.mine"), text(folder, "kit/machine.cpp.mine2")) == (
        "int mine;\n",
        "int mine again;\n",
    )


def test_files_of_the_students_own_stay_where_they_are(folder: Path) -> None:
    for name in ("notes.txt", "assignments/01-add/try.cu", "build/lib/kit.a"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("mine\n")
    before = everything(folder).keys()
    upgraded(folder, NEW)
    assert before - everything(folder).keys() == {"kit/retired.cpp"}
    assert text(folder, "notes.txt") == text(folder, "assignments/01-add/try.cu") == "mine\n"


def test_a_file_that_stands_where_a_new_one_comes_is_kept_beside(folder: Path) -> None:
    (folder / "kit/added.cpp").write_text("mine\n")
    upgraded(folder, NEW)
    assert (text(folder, "kit/added.cpp"), text(folder, "kit/added.cpp.mine")) == ("int added;\n", "mine\n")


def test_what_is_handed_out_no_more_goes_unless_somebody_changed_it(folder: Path) -> None:
    (folder / "assignments/02-more/more.cu").write_text("my other kernel\n")
    (folder / "Makefile").write_text("mine:\n")
    changes = upgraded(folder, {STARTER: OLD[STARTER]})
    assert everything(folder).keys() == {STARTER, "assignments/02-more/more.cu", "Makefile.mine", "VERSION", MANIFEST}
    assert sorted(changes.removed) == ["kit/machine.cpp", "kit/retired.cpp"]


def test_replaced_files_are_newer_than_what_was_built_from_the_old_ones(folder: Path) -> None:
    built = folder / "machine.o"
    built.write_text("")
    os.utime(built, (LONG_AGO + 1000, LONG_AGO + 1000))
    upgraded(folder, NEW)
    assert (folder / "kit/machine.cpp").stat().st_mtime > built.stat().st_mtime
    assert (folder / "Makefile").stat().st_mtime == LONG_AGO  # an unchanged file is not built again


def test_upgrading_twice_does_nothing_the_second_time(folder: Path) -> None:
    (folder / STARTER).write_text("my kernel\n")
    upgraded(folder, NEW)
    before = everything(folder)
    changes = upgraded(folder, NEW)
    assert everything(folder) == before
    assert changes.changes_nothing


def test_an_interrupted_upgrade_can_be_run_again(folder: Path) -> None:
    (folder / "kit/machine.cpp").write_text(NEW["kit/machine.cpp"])  # the interrupted upgrade came this far
    (folder / "kit/retired.cpp").unlink()
    assert upgraded(folder, NEW).aside == {}
    assert text(folder, "kit/added.cpp") == "int added;\n"


def test_a_program_can_be_run_after_the_upgrade(folder: Path) -> None:
    upgraded(folder, {**NEW, "kit/setup.sh": "#!/bin/sh\n"})
    assert os.access(folder / "kit/setup.sh", os.X_OK)
    assert not os.access(folder / "kit/added.cpp", os.X_OK)


def test_a_file_that_has_the_name_of_a_newer_starter_stays(folder: Path) -> None:
    (folder / STARTER).write_text("my kernel\n")
    (folder / f"{STARTER}.new").write_text("my other try\n")
    changes = upgraded(folder, {**NEW, STARTER: "// TODO, clearer\n"})
    assert changes.beside == {STARTER: f"{STARTER}.new2"}
    assert text(folder, f"{STARTER}.new") == "my other try\n"
    assert text(folder, f"{STARTER}.new2") == "// TODO, clearer\n"


def test_a_newer_starter_replaces_the_one_of_the_upgrade_before(folder: Path) -> None:
    (folder / STARTER).write_text("my kernel\n")
    upgraded(folder, {**NEW, STARTER: "// TODO, clearer\n"})
    changes = upgraded(folder, {**NEW, STARTER: "// TODO, clearest\n"})
    assert changes.beside == {STARTER: f"{STARTER}.new"}
    assert text(folder, f"{STARTER}.new") == "// TODO, clearest\n"


def test_files_with_the_names_of_half_written_ones_stay(folder: Path) -> None:
    (folder / "kit/machine.cpp.unfinished").write_text("mine\n")
    upgraded(folder, NEW)
    assert text(folder, "kit/machine.cpp.unfinished") == "mine\n"
    assert list(folder.glob(".upgrade-*")) == []


def test_a_file_that_the_manifest_does_not_list_is_not_written(folder: Path, tmp_path: Path) -> None:
    new = archive(tmp_path / "new.tar.gz", "2", NEW)
    with tarfile.open(new) as tar:
        members = [(member, file.read()) for member in tar if (file := tar.extractfile(member))]
    more = plain(tmp_path / "more.tar.gz", *members, (tarfile.TarInfo("tilelab-2/notes.txt"), b"hello"))
    (folder / "notes.txt").write_text("mine\n")
    upgrade(folder, more)
    assert text(folder, "notes.txt") == "mine\n"


def test_a_folder_of_the_students_gives_way_to_a_file_and_a_file_to_a_folder(folder: Path) -> None:
    (folder / "kit/added.cpp").mkdir()
    (folder / "kit/added.cpp/notes.txt").write_text("mine\n")
    (folder / "more").write_text("mine too\n")
    upgraded(folder, {**NEW, "more/file.cpp": "int more;\n"})
    assert text(folder, "kit/added.cpp.mine/notes.txt") == "mine\n"
    assert text(folder, "more.mine") == "mine too\n"
    assert text(folder, "more/file.cpp") == "int more;\n"


def test_a_link_to_a_file_elsewhere_stays_and_so_does_the_file(folder: Path) -> None:
    elsewhere = folder.parent / "my repository.cu"
    for name in (STARTER, "kit/machine.cpp"):
        elsewhere.write_text(OLD[name])
        (folder / name).unlink()
        (folder / name).symlink_to(elsewhere)
    elsewhere.write_text(OLD["kit/machine.cpp"])
    changes = upgraded(folder, {**NEW, STARTER: "// TODO, clearer\n"})
    assert elsewhere.read_text() == OLD["kit/machine.cpp"]
    assert (folder / STARTER).is_symlink()
    assert changes.aside == {"kit/machine.cpp": "kit/machine.cpp.mine"}
    assert (folder / "kit/machine.cpp.mine").is_symlink()


def test_what_it_will_do_is_said_before_and_nothing_is_done_without_consent(folder: Path) -> None:
    (folder / STARTER).write_text("my kernel\n")
    (folder / "Makefile").write_text("mine:\n")
    newer = archive(folder.parent / "new.tar.gz", "2", {**NEW, STARTER: "// TODO, clearer\n", "Makefile": "all:\n"})
    before, told = everything(folder), list[str]()

    def refuse(plan: Plan) -> bool:
        assert everything(folder) == before
        told.append(str(plan))
        return False

    upgrade(folder, newer, refuse)
    assert everything(folder) == before
    for line in (f"  {STARTER}\n", f"  {STARTER}.new, beside {STARTER}", "  Makefile becomes Makefile.mine"):
        assert line in told[0]
    assert "files to bring up to date: 2, add: 1, remove: 1" in told[0]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_told_and_nothing_has_changed(folder: Path) -> None:
    newer = archive(folder.parent / "new.tar.gz", "2", NEW)
    folder.chmod(0o555)
    try:
        with pytest.raises(RemediableError, match="nothing was changed: make it writable"):
            upgrade(folder, newer)
    finally:
        folder.chmod(0o755)


@pytest.mark.parametrize(("step", "unchanged"), [("write_bytes", True), ("replace", False), ("unlink", False)])
def test_a_disk_that_fills_ends_in_a_sentence_and_the_same_command_finishes_it(
    folder: Path, untar: Callable[[Path, Path], None], monkeypatch: pytest.MonkeyPatch, step: str, *, unchanged: bool
) -> None:
    newer, before, real, calls = (
        archive(folder.parent / "new.tar.gz", "2", NEW),
        everything(folder),
        getattr(Path, step),
        0,
    )

    def full(path: Path, *arguments: object) -> object:
        nonlocal calls
        calls += 1
        if calls == 2 or step == "unlink":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(path, *arguments)

    with monkeypatch.context() as patched:
        patched.setattr(Path, step, full)
        with pytest.raises(RemediableError, match="make room on this disk, and run the same command again"):
            upgrade(folder, newer)
    assert (everything(folder) == before) == unchanged
    assert list(folder.glob(".upgrade-*")) == []
    upgrade(folder, newer)
    untar(newer, folder.parent)
    assert everything(folder) == everything(folder.parent / "tilelab-2")


def test_its_own_folder_is_no_newer_handout(folder: Path) -> None:
    with pytest.raises(RemediableError, match="this folder itself"):
        upgrade(folder, folder)


def test_an_unpacked_folder_upgrades_as_its_archive_does(folder: Path, untar: Callable[[Path, Path], None]) -> None:
    untar(archive(folder.parent / "new.tar.gz", "2", NEW), folder.parent / "unpacked")
    upgrade(folder, folder.parent / "unpacked")
    assert everything(folder) == everything(folder.parent / "unpacked/tilelab-2")


def plain(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for member, data in members:
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


def broken_archives(folder: Path) -> dict[str, Path]:
    whole = archive(folder / "whole.tar.gz", "2", NEW).read_bytes()
    link = tarfile.TarInfo("tilelab-2/kit")
    link.type, link.linkname = tarfile.SYMTYPE, "/tmp"  # noqa: S108  it is refused
    paths = {
        "missing": folder / "no.tar.gz",
        "folder": folder,
        "cut": folder / "cut.tar.gz",
        "text": folder / "text.tar.gz",
        "other": plain(folder / "other.tar.gz", (tarfile.TarInfo("x/notes.txt"), b"hello")),
        "outside": plain(folder / "outside.tar.gz", (tarfile.TarInfo("tilelab-2/../../evil"), b"hello")),
        "absolute": plain(folder / "absolute.tar.gz", (tarfile.TarInfo("/evil/x"), b"hello")),
        "link": plain(folder / "link.tar.gz", (link, b"")),
        "manifest": plain(folder / "manifest.tar.gz", (tarfile.TarInfo(f"x/{MANIFEST}"), b"{}")),
    }
    paths["cut"].write_bytes(whole[: len(whole) // 2])
    paths["text"].write_text("this is no archive\n")
    return paths


@pytest.mark.parametrize(
    "kind", ["missing", "folder", "cut", "text", "other", "outside", "absolute", "link", "manifest"]
)
def test_what_is_no_whole_handout_is_refused_and_changes_nothing(folder: Path, tmp_path: Path, kind: str) -> None:
    (tmp_path / "downloads").mkdir()
    before = everything(folder)
    with pytest.raises(RemediableError, match=r"handout"):
        upgrade(folder, broken_archives(tmp_path / "downloads")[kind])
    assert everything(folder) == before


def test_files_that_are_not_those_of_the_manifest_are_refused(folder: Path) -> None:
    new = archive(folder.parent / "new.tar.gz", "2", NEW)
    with tarfile.open(new) as tar:
        members = [(member, file.read()) for member in tar if (file := tar.extractfile(member))]
    tampered = [(member, b"other" if member.name.endswith("added.cpp") else data) for member, data in members]
    with pytest.raises(RemediableError, match="damaged"):
        upgrade(folder, plain(folder.parent / "tampered.tar.gz", *tampered))


def test_a_folder_that_is_no_handout_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(RemediableError, match="not an unpacked handout"):
        upgrade(tmp_path, archive(tmp_path / "new.tar.gz", "2", NEW))


def test_runs_on_python_alone_and_says_what_it_kept(folder: Path, tmp_path: Path) -> None:
    (folder / STARTER).write_text("my kernel\n")
    new = archive(tmp_path / "the new one.tar.gz", "2", NEW)
    grader = Path(__file__).resolve().parents[2] / "grader"
    alone = tmp_path / "alone" / "grader"
    for name in (
        "__init__",
        "model/__init__",
        "model/errors",
        *(f"course/{one}" for one in ("__init__", "handout_archive", "manifest", "tarball", "upgrade", "upgrade_plan")),
    ):
        (alone / f"{name}.py").parent.mkdir(parents=True, exist_ok=True)
        (alone / f"{name}.py").symlink_to(grader / f"{name}.py")
    command = [sys.executable, "-S", "-m", "grader.course.upgrade", str(new)]
    environment = {**os.environ, "PYTHONPATH": str(alone.parent)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"stays as you wrote it:\n  {STARTER}\n" in done.stdout
    refused = subprocess.run(
        [*command[:-1], ""], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert refused.returncode == 2
    assert "make upgrade FROM=" in refused.stderr
