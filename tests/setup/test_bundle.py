"""Bundles, made here from small files: set-up uses them, and gives a message for one that does not fit."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PIECES = "say bundle needs apt prefix packages python toolkit pack"
HERE = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    clone = tmp_path / "a clone"
    shutil.copytree(ROOT / "kit/setup", clone / "kit/setup")
    (clone / ".tilelab").mkdir()
    return clone


def run(clone: Path, script: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a script with set-up's parts, as setup.sh does. It stops at the first failure."""
    before = f"""
      set -euo pipefail
      root=$PWD prefix=$PWD/.tilelab/prefix log=$PWD/log apt_dir=
      digest() {{ for word in "$@"; do printf '%s\\n' "$word"; [ ! -f "$word" ] || cat "$word"; done | sha256sum; }}
      for piece in {PIECES}; do . "kit/setup/$piece.sh"; done
      trap close_private_lists EXIT
    """
    command = ["bash", "-c", before + script, "set-up", *map(str, arguments)]
    unnamed = {name: value for name, value in os.environ.items() if name != "PYTHON"}  # CI names one
    return subprocess.run(command, cwd=clone, env=unnamed, capture_output=True, text=True, check=False)


def bundled(clone: Path, **changed: str) -> Path:
    """A bundle with one wheel in the clone. `changed`: wrong fields of its description. Its checksums are right."""
    bundle = clone / ".tilelab/bundle"
    (bundle / "wheels").mkdir(parents=True)
    (bundle / "wheels/one-1-py3-none-any.whl").write_text("a wheel")
    assert run(clone, 'describe_bundle .tilelab/bundle "$1"', HERE).returncode == 0
    for key, value in changed.items():
        again = f'sed -i "s/^{key}=.*/{key}={value}/" bundle.txt'
        sums = "rm SHA256SUMS; find . -type f -printf '%P\\n' | xargs sha256sum >../sums; mv ../sums SHA256SUMS"
        subprocess.run(["bash", "-euc", f"{again}; {sums}"], cwd=bundle, check=True)
    return bundle


def test_one_that_fits_is_taken_and_read_through_once(clone: Path) -> None:
    bundled(clone)
    done = run(
        clone, 'open_bundle; open_bundle; expect_bundle_for "$1"; bundle_fits_system; bundled_wheels', sys.executable
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["--no-index", "--find-links", str(clone / ".tilelab/bundle/wheels")]
    assert done.stderr.count("checking the bundle") == 1


def test_without_one_packages_come_from_the_network(clone: Path) -> None:
    done = run(clone, 'open_bundle; prefer_bundled_python; expect_bundle_for "$1"; bundled_wheels', sys.executable)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"format": "99"}, "run make bundle in a clone of this version"),
        ({"architecture": "s390x"}, "is for s390x, and this machine is"),
        ({"python": "3.99"}, f"is for Python 3.99, and this machine has {HERE}"),
        ({"pins": "0123"}, "run make bundle in a clone of this version"),
    ],
)
def test_one_that_does_not_fit_is_refused_in_a_sentence_with_the_remedy(
    clone: Path, changed: dict[str, str], said: str
) -> None:
    bundled(clone, **changed)
    done = run(clone, 'open_bundle; expect_bundle_for "$1"; echo taken', sys.executable)
    assert done.returncode == 1
    assert done.stdout == ""
    sentence = done.stderr.splitlines()[-1]
    assert said in sentence
    assert "make bundle" in sentence


@pytest.mark.parametrize("harm", ["echo more >>wheels/one*", "rm wheels/one*", "sed -i s/python/Python/ bundle.txt"])
def test_a_damaged_file_is_named(clone: Path, harm: str) -> None:
    subprocess.run(["bash", "-euc", harm], cwd=bundled(clone), check=True)
    done = run(clone, "open_bundle; echo taken")
    assert (done.returncode, done.stdout) == (1, "")
    name = "bundle.txt" if "bundle.txt" in harm else "wheels/one-1-py3-none-any.whl"
    assert f"is damaged ({name} and perhaps more): remove that folder" in done.stderr


def test_checksums_that_leave_out_the_description_are_damaged(clone: Path) -> None:
    (bundled(clone) / "SHA256SUMS").write_text("")
    done = run(clone, "open_bundle")
    assert done.returncode == 1
    assert "is damaged" in done.stderr


def test_an_archive_put_there_unopened_is_no_bundle(clone: Path) -> None:
    (clone / ".tilelab/bundle").mkdir()
    (clone / ".tilelab/bundle/tilelab-bundle-debian-12-x86_64-py3.11.tar").touch()
    assert "unpack the archive here: tar -xf" in run(clone, "open_bundle").stderr


def test_wheels_collected_by_hand_are_taken_as_they_are(clone: Path) -> None:
    folder = clone / ".tilelab/bundle"
    folder.mkdir()
    (folder / "one-1-py3-none-any.whl").touch()
    done = run(clone, 'open_bundle; expect_bundle_for "$1"; bundle_fits_system; bundled_wheels', sys.executable)
    assert done.stdout.splitlines() == ["--no-index", "--find-links", str(folder)]


def package(clone: Path, name: str, *, needs: str = "") -> None:
    """A .deb with one header, in pack.sh's download folder, with the name that apt-get would give it."""
    tree = clone / name
    (tree / "DEBIAN").mkdir(parents=True)
    control = f"Package: {name}\nVersion: 1:7\nArchitecture: all\nMaintainer: nobody\nDescription: a test\n"
    (tree / "DEBIAN/control").write_text(control + (f"Depends: {needs}\n" if needs else ""))
    (tree / "usr/include").mkdir(parents=True)
    (tree / f"usr/include/{name}.h").touch()
    (clone / "got/debs").mkdir(parents=True, exist_ok=True)
    target = clone / f"got/debs/{name}_1%3a7_all.deb"
    subprocess.run(["dpkg-deb", "--build", tree, target], check=True, capture_output=True)


@pytest.mark.skipif(not shutil.which("apt-get") or not shutil.which("dpkg-deb"), reason="packages are Debian's")
def test_its_packages_are_unpacked_by_apt_get_with_what_they_need_and_without_a_network(clone: Path) -> None:
    package(clone, "tilelab-upper", needs="tilelab-lower (= 1:7)")
    package(clone, "tilelab-lower")
    bundled(clone)
    made = run(clone, "mkdir .tilelab/bundle/packages; apt_dir=got; index_packages .tilelab/bundle/packages; apt_dir=")
    assert made.returncode == 0, made.stderr
    take = """
      open_private_lists
      update_private_lists
      [ "$(candidate tilelab-upper)" = 1:7 ]
      [ -z "$(candidate g++)" ] || [ "$(candidate g++)" = "$(dpkg-query -f '${Version}' -W g++)" ]
      download_packages tilelab-upper
      unpack_packages "$apt_dir"/debs/*.deb
    """
    taken = run(clone, take)
    assert taken.returncode == 0, taken.stderr + taken.stdout
    assert sorted(path.name for path in (clone / ".tilelab/prefix/usr/include").iterdir()) == [
        "tilelab-lower.h",
        "tilelab-upper.h",
    ]


def test_packages_of_another_release_are_left_alone(clone: Path) -> None:
    bundle = bundled(clone, system="debian-1")
    (bundle / "packages").mkdir()
    (bundle / "packages/Packages").touch()
    done = run(clone, "open_bundle; bundle_fits_system || echo left")
    assert done.stdout == "left\n"
    assert "are for debian-1, and this machine is" in done.stderr
    assert "make bundle on a machine like this one" in done.stderr


@pytest.mark.parametrize(("asked", "said"), [("3.9", "Python 3.11 or newer"), ("3.12.1", "such as PYTHON=3.12")])
def test_is_made_for_no_python_that_tilelab_does_not_run_on(clone: Path, asked: str, said: str) -> None:
    done = run(clone, 'PYTHON=$1; make_bundle; echo "went on"', asked)
    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr


def test_is_made_with_no_option_that_it_does_not_know(clone: Path) -> None:
    done = run(clone, "make_bundle --cuda12")
    assert done.returncode == 1
    assert "accepts only OPTIONS=--cuda, not --cuda12" in done.stderr


def test_its_python_is_taken_where_nobody_named_one(clone: Path) -> None:
    bundled(clone)
    assert run(clone, 'prefer_bundled_python; echo "$PYTHON"').stdout.strip() == f"python{HERE}"
    assert run(clone, 'PYTHON=mine; prefer_bundled_python; echo "$PYTHON"').stdout.strip() == "mine"


def test_its_pip_will_do_for_a_python_that_has_none(clone: Path) -> None:
    pip = bundled(clone) / "wheels/pip-99.0-py3-none-any.whl"
    pip.touch()
    without = "find_python() { echo ./python; }; printf '#!/bin/sh\\nexit 1\\n' >python; chmod +x python; "
    found = run(clone, without + "find_pip").stdout.strip()
    assert found.endswith("/pip-99.0-py3-none-any.whl") or found.startswith("/usr/share/python-wheels/")
