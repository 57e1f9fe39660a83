"""`make same`: two trees that say the same are equal wherever they lie, and one changed word of a message is shown."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.in_turn(3)

ROOT = Path(__file__).resolve().parents[1]
SAME: dict[str, Any] = runpy.run_path(str(ROOT / "tests" / "same.py"))
RACE = "Thread 0 reads tile[0], which thread 1 writes"


def tree(folder: Path, message: str) -> Path:
    """A tree whose `tilelab` says `message` of whatever it is asked, and what differs from run to run."""
    program = folder / ".venv" / "bin" / "tilelab"
    program.parent.mkdir(parents=True)
    program.write_text(f"""#!/bin/sh
echo '{message}'
echo "in {folder}, of $2, at $(date -u +%FT%T+00:00)"
echo "  \\"device_seconds\\": 0.$$, \\"building\\": 1.$$"
exit 1
""")
    program.chmod(0o755)
    return folder


def asked(folder: Path) -> dict[str, str]:
    record: dict[str, str] = SAME["masked"](SAME["collected"](folder, "HEAD", "profiles", whole=False))
    assert len(record) >= 2
    return record


@pytest.fixture
def shown(tmp_path: Path) -> Path:
    SAME["compared"].__globals__["SHOWN"] = tmp_path
    return tmp_path / "different"


def test_trees_that_say_the_same_are_equal(tmp_path: Path, shown: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, now = asked(tree(tmp_path / "a", RACE)), asked(tree(tmp_path / "longer", RACE))
    assert all("exit status 1" in text for text in base.values())
    assert SAME["compared"]("profiles", base, now) == []
    assert f"{len(base)} equal, 0 different" in capsys.readouterr().out
    assert not shown.exists()


def test_a_changed_word_is_shown(tmp_path: Path, shown: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = asked(tree(tmp_path / "a", RACE))
    now = asked(tree(tmp_path / "b", RACE.replace("reads", "loads")))
    assert SAME["compared"]("profiles", base, now) == sorted(base)
    said = capsys.readouterr().out
    assert f"0 equal, {len(base)} different" in said
    assert "-Thread 0 reads tile[0]" in said
    assert "+Thread 0 loads tile[0]" in said
    written = [path.read_text(encoding="utf-8") for path in shown.rglob("*.diff")]
    assert len(written) == len(base)
    assert "+Thread 0 loads tile[0]" in written[0]


def test_an_answer_that_is_gone_is_a_difference(shown: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert SAME["compared"]("check", {"check/a": "pass\n"}, {}) == ["check/a"]
    assert "check/a (only in the base)" in capsys.readouterr().out
    assert (shown / "check" / "a.diff").is_file()


def test_a_kept_record_is_what_was_kept(tmp_path: Path) -> None:
    record = {"class/grade": "Zoë Ångström\r\n", "meta.json": "{}"}
    SAME["keep"](record, tmp_path / "new" / "class.zip")
    assert SAME["kept"](tmp_path / "new" / "class.zip") == record


def test_a_command_that_was_killed_is_no_answer(tmp_path: Path) -> None:
    killed = tree(tmp_path, RACE)
    (killed / ".venv" / "bin" / "tilelab").write_text("#!/bin/sh\nkill -TERM $$\n")
    with pytest.raises(SAME["SameError"], match="was ended by signal 15"):
        SAME["collected"](killed, "HEAD", "profiles", whole=False)
