"""Finding a confinement: what is refused, with which message, and the launcher's own answers."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from grader.system import confined_run as detecting
from grader.system.confined_run import detect
from grader.system.confinement import Bubblewrap, Launcher, SandboxUnavailable, Unconfined, outermost_first, spare_user


def confine_says(confine: Path, *words: str) -> tuple[int, str]:
    finished = subprocess.run([confine, *words], capture_output=True, text=True, check=False)
    return finished.returncode, finished.stderr


def test_offers_what_bounds_processes_before_what_does_not(confine: Path) -> None:
    offered = detecting.candidates(confine, None)
    unbounded = [
        os.geteuid() == 0
        and ((isinstance(one, Bubblewrap) and not one.as_root) or (isinstance(one, Launcher) and one.keep_root))
        for one in offered
    ]
    assert offered
    assert unbounded == sorted(unbounded)


def test_finds_bubblewrap_in_the_private_prefix_when_it_is_nowhere_else(
    confine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "usr" / "bin"
    programs.mkdir(parents=True)
    (programs / "bwrap").write_text("#!/bin/sh\necho --size\n")
    (programs / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", "/nowhere")
    assert not any(isinstance(one, Bubblewrap) for one in detecting.candidates(confine, None))
    first = detecting.candidates(confine, tmp_path)[0]
    assert isinstance(first, Bubblewrap)
    assert first.bwrap == programs / "bwrap"


def test_refuses_when_nothing_confines_and_says_what_was_tried_and_what_to_do(
    confine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detecting, "objection", lambda _: "Operation not permitted")
    with pytest.raises(SandboxUnavailable) as refusal:
        detect(confine, None, allow_none=False)
    for word in ("Operation not permitted", "apt-get install bubblewrap", "Landlock", "--no-sandbox"):
        assert word in str(refusal.value)
    assert detect(confine, None, allow_none=True) == Unconfined(confine)


def test_a_confinement_that_lets_files_be_read_is_no_confinement(confine: Path) -> None:
    assert detecting.objection(Unconfined(confine)) == "files outside can be read"


def test_a_launcher_that_does_not_work_is_named(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="make setup"):
        detect(tmp_path / "missing", None, allow_none=False)
    assert detecting.objection(Launcher(Path("/bin/false"))) == "exit status 1"


def test_the_launcher_tells_what_the_kernel_offers(confine: Path) -> None:
    answer = json.loads(subprocess.run([confine, "--probe"], capture_output=True, check=True).stdout)
    assert answer["seccomp"] is True
    assert answer["landlock"] >= 0


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        ([], 125, "no command"),
        (["--memory=1GiB", "--", "true"], 125, "whole number"),
        (["--memory=-1", "--", "true"], 125, "whole number"),
        (["--memory"], 125, "needs a value"),
        (["--guard=yes", "--", "true"], 125, "takes no value"),
        (["--profile=none", "--", "true"], 125, "build, run, gpu, program or gpu-program"),
        (["--bogus", "--", "true"], 125, "unknown option --bogus"),
        (["--keep-root", "--", "no-such-program"], 127, "no program 'no-such-program'"),
        (["--keep-root", "--", "/etc"], 126, "/etc"),
        (["--keep-root", "--readable=/nowhere", "--", "/bin/true"], 125, "/nowhere"),
    ],
)
def test_the_launcher_says_what_it_cannot_do(confine: Path, words: list[str], status: int, says: str) -> None:
    returncode, stderr = confine_says(confine, *words)
    assert returncode == status
    assert stderr.startswith("confine: ")
    assert says in stderr


def test_spare_users_lie_in_the_widest_range_and_differ_between_calls_and_graders() -> None:
    everybody, rootless = "0 0 4294967295\n", "0 1000 1\n1 100000 65536\n"
    assert len({spare_user(everybody, grader, call) for grader in (7, 8) for call in range(64)}) == 128
    for uid_map, last in ((everybody, 4294967294), (rootless, 65536)):
        users = {spare_user(uid_map, grader, call) for grader in (1, 4194303) for call in range(200)}
        assert all(last // 2 <= user < last - 1 for user in users)
    assert spare_user("0 1000 1\n", 1, 1) == 65534


def test_a_folder_is_mounted_before_what_lies_beneath_it() -> None:
    paths = [Path("/a/b/c"), Path("/a"), Path("/a/b"), Path("/a")]
    assert outermost_first(paths) == [Path("/a"), Path("/a/b"), Path("/a/b/c")]
