"""Which compiler builds submissions: the kit's, or the one that the environment names, and the message where that is impossible."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.engines.backend import COMPILER_VARIABLE, choose_compiler
from grader.model.errors import RemediableError


def pretended(folder: Path, name: str, first_line: str, number: str, machine: str = "x86_64-linux-gnu") -> str:
    """A program that answers like a compiler."""
    program = folder / name
    answers = f"--version) echo '{first_line}' ;; -dumpversion) echo {number} ;; -dumpmachine) echo {machine} ;;"
    program.write_text(f"#!/bin/sh\ncase $1 in {answers} esac\n", encoding="utf-8")
    program.chmod(0o755)
    return str(program)


def test_the_kits_own_compiler_is_used_unless_another_is_named(tmp_path: Path) -> None:
    gcc = pretended(tmp_path, "g++", "g++ (Debian 12.2.0) 12.2.0", "12")
    clang = pretended(tmp_path, "clang++", "Debian clang version 14.0.6", "14.0.6")
    by_default, named = choose_compiler(gcc, {}), choose_compiler(gcc, {COMPILER_VARIABLE: clang})
    assert (by_default.compiler, str(by_default)) == (gcc, "g++ (Debian 12.2.0) 12.2.0 (what the kit was built with)")
    assert (named.compiler, str(named)) == (clang, f"Debian clang version 14.0.6 ({COMPILER_VARIABLE}={clang})")


def test_the_kits_compiler_links_where_another_one_compiles(tmp_path: Path) -> None:
    own = pretended(tmp_path, "g++-14", "g++-14 (Debian 14.2.0-19) 14.2.0", "14")
    older = pretended(tmp_path, "g++-13", "g++-13 (Debian 13.3.0-16) 13.3.0", "13")
    same = pretended(tmp_path, "g++", "g++-14 (Debian 14.2.0-19) 14.2.0", "14")
    assert choose_compiler(own, {COMPILER_VARIABLE: older}).linker == own
    assert choose_compiler(own, {COMPILER_VARIABLE: same}).linker == ""
    assert choose_compiler(own, {}).linker == ""
    assert choose_compiler("/gone/g++", {COMPILER_VARIABLE: older}).linker == ""


@pytest.mark.parametrize(
    ("first_line", "number", "machine", "said"),
    [
        ("g++ 11.4", "11", "x86_64-linux-gnu", "submissions need GCC 12 or Clang 14, or newer"),
        ("clang version 13.0.1", "13.0.1", "x86_64-pc-linux-gnu", "submissions need GCC 12 or Clang 14, or newer"),
        ("clang version 19.1.7", "19.1.7", "aarch64-unknown-linux-gnu", "where submissions need GCC"),
        ("a text editor", "", "", "submissions need GCC 12"),
    ],
)
def test_a_compiler_that_cannot_do_is_refused_with_the_remedy(
    first_line: str, number: str, machine: str, said: str, tmp_path: Path
) -> None:
    program = pretended(tmp_path, "compiler", first_line, number, machine)
    with pytest.raises(RemediableError, match=said):
        choose_compiler("g++", {COMPILER_VARIABLE: program})


def test_a_clang_is_taken_where_the_kits_own_compiler_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clang = pretended(tmp_path, "clang++-19", "Debian clang version 19.1.7", "19.1.7")
    monkeypatch.setattr("shutil.which", lambda name: clang if name in {"clang++-19", clang} else None)
    assert str(choose_compiler("/gone/g++", {})) == "Debian clang version 19.1.7 (/gone/g++ is not on this machine)"


def test_a_compiler_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(
        RemediableError, match=f"{COMPILER_VARIABLE}=clang-999: there is no such program on this machine"
    ):
        choose_compiler("g++", {COMPILER_VARIABLE: "clang-999"})
    with pytest.raises(RemediableError, match="run `make setup`"):
        choose_compiler("/nowhere/g++", {})
