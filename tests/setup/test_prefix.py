"""The private prefix: packages that are made here are unpacked as set-up unpacks the distribution's."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SETUP = Path(__file__).resolve().parents[2] / "kit" / "setup"

pytestmark = pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="packages are Debian's")


def run(*command: str | Path) -> str:
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout


def package(folder: Path, name: str, files: dict[str, Path | str]) -> Path:
    """A .deb with `files`: paths in it, each with a file or a text."""
    tree = folder / name
    (tree / "DEBIAN").mkdir(parents=True)
    control = f"Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: nobody\nDescription: a test\n"
    (tree / "DEBIAN/control").write_text(control)
    for place, content in files.items():
        (tree / place).parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Path):
            shutil.copy(content, tree / place)
        else:
            (tree / place).write_text(content)
    run("dpkg-deb", "--build", tree, folder / f"{name}.deb")
    return folder / f"{name}.deb"


def unpack(prefix: Path, *packages: Path) -> None:
    script = 'prefix=$1; . "$0"; shift; unpack_packages "$@"'
    run("bash", "-euc", script, SETUP / "prefix.sh", prefix, *packages)


def test_adds_to_what_was_unpacked_before(tmp_path: Path) -> None:
    prefix = tmp_path / "a clone" / "prefix"
    unpack(prefix, package(tmp_path, "one", {"usr/include/one.h": "1"}))
    unpack(prefix, package(tmp_path, "two", {"usr/include/two.h": "2"}))
    assert (prefix / "usr/include/one.h").read_text() == "1"
    assert (prefix / "usr/include/two.h").read_text() == "2"
    assert [path.name for path in prefix.parent.iterdir()] == ["prefix"]


def test_takes_the_place_of_what_an_interrupted_run_left(tmp_path: Path) -> None:
    prefix = tmp_path / "prefix"
    (tmp_path / "prefix.new/usr/include").mkdir(parents=True)
    (tmp_path / "prefix.new/usr/include/half.h").touch()
    unpack(prefix, package(tmp_path, "one", {"usr/include/one.h": "1"}))
    assert not (prefix / "usr/include/half.h").exists()


def test_leaves_the_prefix_alone_when_a_package_is_broken(tmp_path: Path) -> None:
    prefix = tmp_path / "prefix"
    unpack(prefix, package(tmp_path, "one", {"usr/include/one.h": "1"}))
    broken = tmp_path / "broken.deb"
    broken.write_text("no package")
    with pytest.raises(subprocess.CalledProcessError):
        unpack(prefix, broken)
    assert (prefix / "usr/include/one.h").read_text() == "1"


def test_holds_what_packages_ship_outside_usr_in_the_same_place(tmp_path: Path) -> None:
    unpack(tmp_path / "prefix", package(tmp_path, "old", {"lib/old.so": "x", "bin/old": "y"}))
    assert (tmp_path / "prefix/usr/lib/old.so").read_text() == "x"
    assert (tmp_path / "prefix/usr/bin/old").read_text() == "y"


def test_a_program_finds_the_libraries_unpacked_with_it_and_hands_on_no_trace_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    machine = run("gcc", "-print-multiarch").strip()
    (tmp_path / "library.c").write_text("int answer(void) { return 42; }\n")
    (tmp_path / "program.c").write_text(
        "#include <stdio.h>\n#include <stdlib.h>\nint answer(void);\n"
        "int main(int n, char** words) {\n"
        '  printf("%d %s %s\\n", answer(), words[n - 1], getenv("LD_LIBRARY_PATH") ? "leaked" : "clean");\n}\n'
    )
    run("gcc", "-shared", "-fPIC", "-o", tmp_path / "libanswer.so", tmp_path / "library.c")
    run("gcc", "-o", tmp_path / "bwrap", tmp_path / "program.c", f"-L{tmp_path}", "-lanswer")
    parts = package(tmp_path, "parts", {f"usr/lib/{machine}/libanswer.so": tmp_path / "libanswer.so"})
    prefix = tmp_path / "a clone" / "prefix"
    unpack(prefix, package(tmp_path, "program", {"usr/bin/bwrap": tmp_path / "bwrap"}), parts)
    assert run(prefix / "usr/bin/bwrap", "two words") == "42 two words clean\n"
