"""Which program opens a page on which system. Fake programs record their arguments."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.system.own_files import open_page

PAGE = Path("/a folder/report.html")


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    (tmp_path / "bin").mkdir()
    return tmp_path / "bin"


def install(tools: Path, name: str, *, status: int = 0, prints: str = "") -> None:
    program = tools / name
    program.write_text(f'#!/bin/sh\necho "$@" >"{tools}/{name}.got"\necho \'{prints}\'\nexit {status}\n')
    program.chmod(0o755)


def opened(tools: Path, **environment: str) -> tuple[bool, dict[str, str]]:
    """Whether the page was opened, and the arguments of each program."""
    took = open_page(PAGE, {"PATH": f"{tools}:/bin:/usr/bin", **environment})
    return took, {path.stem: path.read_text().strip() for path in sorted(tools.glob("*.got"))}


def test_a_desktop_opens_it(tools: Path) -> None:
    install(tools, "xdg-open")
    assert opened(tools, DISPLAY=":0") == (True, {"xdg-open": str(PAGE)})
    assert opened(tools, WAYLAND_DISPLAY="wayland-0")[0]


def test_without_a_screen_nothing_is_started(tools: Path) -> None:
    install(tools, "xdg-open")
    assert opened(tools) == (False, {})


def test_windows_opens_it_from_wsl(tools: Path) -> None:
    install(tools, "explorer.exe", status=1)  # its usual exit status
    install(tools, "wslpath", prints="W:/a folder/report.html")
    took, got = opened(tools, WSL_DISTRO_NAME="Debian")
    assert (took, got["explorer.exe"]) == (True, "W:/a folder/report.html")
    install(tools, "wslview")
    assert opened(tools, WSL_DISTRO_NAME="Debian")[1]["wslview"] == str(PAGE)


def test_an_opener_that_fails_or_is_not_there_is_told(tools: Path) -> None:
    bare = {"PATH": str(tools), "DISPLAY": ":0"}
    assert not open_page(PAGE, bare)
    install(tools, "xdg-open", status=3)
    assert not opened(tools, DISPLAY=":0")[0]
