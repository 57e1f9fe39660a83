"""A clone that was moved or copied uses its own kit, and not the one of the folder where it was built."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.engines.backend import kit_facts


@pytest.mark.parametrize("still_there", [True, False])
def test_paths_of_the_kit_lie_below_the_folder_that_was_copied(tmp_path: Path, *, still_there: bool) -> None:
    old, new = tmp_path / "old", tmp_path / "a new one"
    (new / "build").mkdir(parents=True)
    if still_there:
        old.mkdir()
    written = {"archives": [f"{old}/build/lib/x.a", "/usr/lib/y.a", f"{old}er/z.a"], "compiler": "/usr/bin/g++"}
    (new / "build" / "kit.json").write_text(json.dumps(written), encoding="utf-8")
    assert kit_facts(new) == written  # where nobody noted the folder
    (new / "build" / ".root").write_text(f"{old}\n", encoding="utf-8")
    assert kit_facts(new)["archives"] == [f"{new}/build/lib/x.a", "/usr/lib/y.a", f"{old}er/z.a"]
