"""The private package lists that set-up makes from a machine's own sources, for each format of sources."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

SETUP = Path(__file__).resolve().parents[2] / "kit" / "setup"

STANZAS = """\
# made by an installer
Types: deb
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/archive.gpg

Types: deb
URIs: http://mirror.example/debian-security
Suites: bookworm-security
Components: main
Signed-By: /usr/share/keyrings/archive.gpg

Types: deb
URIs: https://vendor.example/apt
Suites: nodistro
Components: main
"""

LINES = """\
# deb http://mirror.example/debian bookworm non-free
deb cdrom:[Debian 12]/ bookworm main
deb [arch=amd64 signed-by=/k.gpg] http://mirror.example/debian bookworm main
deb http://mirror.example/debian bookworm-updates main
deb-src http://mirror.example/debian bookworm main
deb https://vendor.example/apt vendor-bookworm main
deb http://mirror.example/debian bookwormish main
"""


def call(function: str, *arguments: str, text: str = "", before: str = "") -> str:
    """What a function of apt.sh prints for `text` on its standard input."""
    script = f'. "$0"; {before}\n{function} "$@"'
    command = ["bash", "-euc", script, str(SETUP / "apt.sh"), *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def test_keeps_the_distributions_lines_and_no_others() -> None:
    assert call("one_line_sources", "bookworm stable", text=LINES).splitlines() == [
        "deb [arch=amd64 signed-by=/k.gpg] http://mirror.example/debian bookworm main",
        "deb http://mirror.example/debian bookworm-updates main",
    ]


def test_keeps_the_distributions_stanzas_word_for_word() -> None:
    kept = call("stanza_sources", "bookworm stable", text=STANZAS)
    assert kept.strip() == STANZAS[: STANZAS.index("\n\nTypes: deb\nURIs: https://vendor")].strip()


def test_keeps_nothing_of_another_release() -> None:
    assert call("one_line_sources", "trixie", text=LINES) == ""
    assert call("stanza_sources", "trixie", text=STANZAS) == ""


@pytest.mark.parametrize(
    ("source", "name", "expected"),
    [
        (
            "deb [signed-by=/k.gpg] http://mirror.example/debian bookworm main contrib\n",
            "machine.list",
            "deb [signed-by=/k.gpg] http://mirror.example/debian bookworm-backports main\n",
        ),
        (
            STANZAS,
            "machine.sources",
            STANZAS[: STANZAS.index("\n\n") + 2]
            .replace("bookworm bookworm-updates", "bookworm-backports")
            .replace("main contrib", "main"),
        ),
    ],
)
def test_takes_backports_from_the_same_mirror_with_the_same_key(
    tmp_path: Path, source: str, name: str, expected: str
) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    for file in ("machine.list", "machine.sources"):
        (sources / file).write_text(source if file == name else "")
    call("write_backports", "bookworm", before=f"apt_dir='{tmp_path}'")
    written = {path.name: path.read_text() for path in sources.glob("backports.*")}
    assert "".join(written.values()) == expected


def test_a_package_that_only_resembles_the_name_is_none() -> None:
    policy = "printf 'clang-14:\\n  Candidate: 1:14.0.0\\ng++-12:\\n  Installed: (none)\\n  Candidate: 12.3.0\\n'"
    answers = f"private_apt() {{ {policy}; }}"
    assert call("candidate", "g++-14", before=answers).strip() == ""
    assert call("candidate", "g++-12", before=answers).strip() == "12.3.0"


def test_prefers_the_first_package_that_is_new_enough() -> None:
    versions = "candidate() { case $1 in old) echo 2.13.8-1 ;; new) echo 3.7.1-0.4~bpo12+1 ;; esac; }"
    assert call("first_package", "3.4", "none", "old", "new", before=versions).strip() == "new"
    assert call("first_package", "3.8", "none", "old", "new", before=versions).strip() == ""
