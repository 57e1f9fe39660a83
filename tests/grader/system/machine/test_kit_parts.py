"""Parts of the kit that are built when they are first needed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.engines.backend import PartError, left_out, part, provide_parts

SET_UP = '#!/bin/sh\ncd "$(dirname "$0")/../.."\necho "$@" >>calls\n%s\n'
BUILDS = 'shift; mkdir -p build/parts build/bin; for one; do : >"build/bin/$one"; : >"build/parts/$one"; done'


def handout(folder: Path, does: str = BUILDS) -> Path:
    (folder / "build").mkdir()
    (folder / "build/kit.json").write_text(json.dumps({"on_demand": ["launch-problem", "broker"]}))
    (folder / "kit/setup").mkdir(parents=True)
    set_up = folder / "kit/setup/setup.sh"
    set_up.write_text(SET_UP % does)
    set_up.chmod(0o755)
    return folder


def calls(root: Path) -> list[str]:
    return (root / "calls").read_text().splitlines() if (root / "calls").exists() else []


def test_a_part_is_built_once_and_others_are_left_alone(tmp_path: Path) -> None:
    root = handout(tmp_path)
    assert part(root, "launch-problem", "bin/launch-problem") == root / "build/bin/launch-problem"
    assert part(root, "launch-problem", "bin/launch-problem").is_file()
    provide_parts(root, "launch-problem", "broker", "launch", "broker")
    assert calls(root) == ["part launch-problem", "part broker"]


def test_a_program_without_its_mark_is_not_believed(tmp_path: Path) -> None:
    root = handout(tmp_path)
    (root / "build/bin").mkdir()
    (root / "build/bin/launch-problem").write_text("half")
    part(root, "launch-problem", "bin/launch-problem")
    assert calls(root) == ["part launch-problem"]


def test_where_it_does_not_build_one_sentence_says_so(tmp_path: Path) -> None:
    root = handout(tmp_path, "exit 1")
    with pytest.raises(PartError, match=r"launch-problem and broker could not be built; .* run the same command again"):
        provide_parts(root, "launch-problem", "broker")
    (root / "kit/setup/setup.sh").unlink()
    with pytest.raises(PartError, match=r"restore the kit's files"):
        provide_parts(root, "broker")


@pytest.mark.parametrize("text", ["", "[]", '{"on_demand": 3}', "{}"])
def test_a_kit_that_leaves_nothing_out_builds_nothing_and_names_what_is_missing(tmp_path: Path, text: str) -> None:
    root = handout(tmp_path)
    (root / "build/kit.json").write_text(text)
    assert left_out(root) == frozenset()
    with pytest.raises(PartError, match=r"lib/x.a is missing: run `make setup`"):
        part(root, "launch-problem", "lib/x.a")
    assert calls(root) == []
