"""The `tilelab` program of the wheel: it makes a folder of labs from the handout in the wheel, and finds the labs around a folder."""

from __future__ import annotations

import importlib.util
import io
import sys
import tarfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "handout.json": "{}",
    "assignments/01-add/lab.toml": 'file = "add.cu"\n',
    "assignments/02-sum/lab.toml": 'file = "sum.cu"\n',
    "grader/__init__.py": "",
    "grader/cli/__init__.py": "",
    # The grader of this handout says what it was asked, and in which folder.
    "grader/cli/resident_process.py": (
        "import os, sys\ndef run():\n    print('\\x1b[31masked\\x1b[0m <b>', *sys.argv[1:], 'in', os.getcwd())\n    return 0\n"
    ),
    "kit/setup/setup.sh": 'mkdir -p build && echo {} >build/kit.json && echo "$1" >>set-ups; [ ! -e broken ]\n',
}


@pytest.fixture
def door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The wheel's module, as it is imported where the wheel is installed."""
    package = tmp_path / "site" / "tilelab"
    package.mkdir(parents=True)
    source = ROOT / "handouts/wheel/tilelab/__init__.py"
    (package / "__init__.py").write_bytes(source.read_bytes())
    with tarfile.open(package / "handout.tar.gz", "w:gz") as tar:
        for name, text in FILES.items():
            member = tarfile.TarInfo(f"tilelab-1/{name}")
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    monkeypatch.setenv("PYTHONPATH", str(package.parent))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    spec = importlib.util.spec_from_file_location("tilelab_door", package / "__init__.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tilelab(door: ModuleType, monkeypatch: pytest.MonkeyPatch, folder: Path, *words: str) -> int:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["tilelab", *words])
    status: int = door.main()
    return status


def test_start_makes_a_folder_of_labs_and_says_how_to_go_on(
    door: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert tilelab(door, monkeypatch, tmp_path, "start", "my labs") == 0
    assert {name for name in FILES if (tmp_path / "my labs" / name).is_file()} == set(FILES)
    assert (tmp_path / "my labs/set-ups").read_text() == "kit\n"
    assert capfd.readouterr().out.endswith(
        "my labs is ready. Begin with the first lab:\n  cd 'my labs'\n  tilelab test 01-add\n"
    )


def test_start_again_keeps_a_students_work(door: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tilelab(door, monkeypatch, tmp_path, "start")
    mine = tmp_path / "labs/assignments/01-add/lab.toml"
    mine.write_text("mine\n")
    assert tilelab(door, monkeypatch, tmp_path, "start") == 0
    assert mine.read_text() == "mine\n"


def test_an_interrupted_start_leaves_nothing_and_can_be_repeated(
    door: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    (tmp_path / "here").mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "chmod", stopped)
        with pytest.raises(KeyboardInterrupt):
            tilelab(door, monkeypatch, tmp_path / "here", "start")
    assert list((tmp_path / "here").iterdir()) == []
    assert tilelab(door, monkeypatch, tmp_path / "here", "start") == 0


def test_the_grader_of_a_folder_that_start_did_not_make_does_not_run(
    door: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tilelab(door, monkeypatch, tmp_path, "start")
    handed_in = (tmp_path / "labs").rename(tmp_path / "handed in")
    assert tilelab(door, monkeypatch, handed_in, "test", "01") == 2
    assert f"if they are yours, run `tilelab start '{handed_in}'` once" in capfd.readouterr().err
    assert tilelab(door, monkeypatch, tmp_path, "start", str(handed_in)) == 0
    assert "asked" in door._grader(handed_in, ["test", "01"]).stdout


def test_a_folder_with_other_files_is_left_alone(
    door: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "labs").mkdir()
    (tmp_path / "labs/thesis.tex").write_text("mine\n")
    assert tilelab(door, monkeypatch, tmp_path, "start") == 2
    assert (
        capfd.readouterr().err == f"tilelab: {tmp_path}/labs is there already, and is no folder of labs: name another\n"
    )
    assert [path.name for path in (tmp_path / "labs").iterdir()] == ["thesis.tex"]


def test_a_kit_that_is_not_ready_is_said(
    door: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tilelab(door, monkeypatch, tmp_path, "start")
    (tmp_path / "labs/broken").touch()
    assert tilelab(door, monkeypatch, tmp_path, "start") == 2
    assert f"the kit in {tmp_path}/labs is not ready" in capfd.readouterr().err


def test_other_commands_are_the_graders_in_the_folder_around(
    door: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert tilelab(door, monkeypatch, tmp_path, "test", "01") == 2
    assert "`tilelab start labs` makes the folder labs" in capfd.readouterr().err
    tilelab(door, monkeypatch, tmp_path, "start")
    inside = tmp_path / "labs/assignments/02-sum"
    done = door._grader(inside, ["test", "02-sum"])
    assert done.stdout.endswith(f"test 02-sum in {inside}\n")


class Notebook:
    """What of IPython's shell the extension uses."""

    def __init__(self) -> None:
        self.magics: dict[str, Any] = {}

    def register_magic_function(self, function: object, kind: str, name: str) -> None:
        assert name == "tilelab"
        self.magics[kind] = function


def test_a_cell_is_tested_as_its_labs_file_and_shown_with_colours(
    door: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    shown: list[str] = []
    monkeypatch.setattr(door, "_show", lambda text: shown.append(door.as_html(text)))
    notebook = Notebook()
    door.load_ipython_extension(notebook)
    notebook.magics["cell"]("sum --case two", "__global__ void sum() {}\n")
    assert (tmp_path / "labs/assignments/02-sum/sum.cu").read_text() == "__global__ void sum() {}\n"
    assert ">asked</span> &lt;b&gt; test 02-sum --case two in " in shown[0]
    notebook.magics["cell"]("03", "")
    assert "name one lab, as in %%tilelab 01-add. The labs are: 01-add, 02-sum" in shown[1]
    notebook.magics["line"]("answers 01")
    assert "answers 01 in " in shown[2]
