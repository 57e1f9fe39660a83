"""A sample is the same for the same seed, several seeds together take everything, and a run says that it sampled."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import corpus_sample
import pytest
from corpus_sample import covering, in_turn, sample, seed_of_commit, summary

ROOT = Path(__file__).resolve().parents[2]
CORPUS = [f"{lab}/{number}" for lab in ("naive", "tiled") for number in range(5)]


@pytest.fixture(autouse=True)
def sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_sample, "WHOLE", False)
    monkeypatch.setattr(corpus_sample, "SEED", 0)
    monkeypatch.setattr(corpus_sample, "_taken", {})


def test_the_first_and_every_so_many_after_it_are_taken() -> None:
    assert sample(CORPUS, 4) == [CORPUS[0], CORPUS[4], CORPUS[8]]
    assert sample(CORPUS, 100) == [CORPUS[0]]
    assert sample([], 4) == []


def test_as_many_seeds_as_members_are_left_out_take_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    together: list[str] = []
    for seed in range(4):
        monkeypatch.setattr(corpus_sample, "SEED", seed)
        together += sample(CORPUS, 4)
    assert sorted(together) == sorted(CORPUS)


@pytest.mark.parametrize("seed", [0, 3, 9, 1000])
def test_every_seed_takes_one_of_each_kind(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_sample, "SEED", seed)
    taken = covering(CORPUS, lambda one: one.split("/")[0])
    assert [one.split("/")[0] for one in taken] == ["naive", "tiled"]
    assert covering(CORPUS, lambda one: one.split("/")[0]) == taken
    assert sample(CORPUS[:2], 50) == [CORPUS[seed % 2]]


def test_each_test_of_a_file_has_its_turn_and_files_begin_at_different_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    files = [f"tests/test_{number}.py" for number in range(9)]
    together: dict[str, list[str]] = {file: [] for file in files}
    for seed in range(3):
        monkeypatch.setattr(corpus_sample, "SEED", seed)
        taken = {file: in_turn(file, CORPUS[:1], 3) for file in files}
        assert 0 < sum(map(len, taken.values())) < len(files)
        for file in files:
            together[file] += in_turn(file, CORPUS, 3)
    assert all(sorted(one) == sorted(CORPUS) for one in together.values())


MARKED = """import pytest
pytestmark = pytest.mark.in_turn(3)
@pytest.mark.parametrize("number", range(6))
def test_it(number): assert number < 6
"""


@pytest.fixture
def marked(tmp_path: Path) -> Callable[..., str]:
    """What pytest says of three files in a repository: of `test_marked.py` nothing has changed, `test_changed.py` has, and so has the page
    that `test_of_guide.py` names.
    """
    for name in ("test_marked.py", "test_changed.py", "guide.md"):
        (tmp_path / name).write_text(MARKED)
    (tmp_path / "test_of_guide.py").write_text(f"{MARKED}PAGE = 'docs/guide.md'\n")
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n  in_turn(n): a share\n  long: long\n")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "a"], ["commit", "-qm", "b", "--allow-empty"]):
        subprocess.run(
            ["git", "-c", "user.name=Ada", "-c", "user.email=a@example.org", *words], cwd=tmp_path, check=True
        )
    for name in ("test_changed.py", "guide.md"):
        (tmp_path / name).write_text(MARKED + "\n")
    path = os.pathsep.join(map(str, (ROOT, ROOT / "tests" / "samples")))

    def run(*words: str, **environment: str) -> str:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
        surroundings = os.environ | {"PYTHONPATH": path, "TILELAB_WHOLE_CORPUS": "0"} | environment
        return subprocess.run(
            command, cwd=tmp_path, check=False, capture_output=True, text=True, env=surroundings
        ).stdout

    return run


def test_a_share_of_marked_files_runs_and_all_of_one_that_was_changed_or_is_asked_for(
    marked: Callable[..., str],
) -> None:
    said = marked(TILELAB_SAMPLE_SEED="1")
    assert "sampled with seed 1: 2 of 6 cases" in said
    assert "14 passed, 4 deselected" in said
    assert "12 passed" in marked("test_marked.py", "test_changed.py", TILELAB_SAMPLE_SEED="1")
    assert "18 passed" in marked(TILELAB_WHOLE_CORPUS="1")


def test_each_member_of_a_kind_has_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    together: set[str] = set()
    for seed in range(40):
        monkeypatch.setattr(corpus_sample, "SEED", seed)
        together.update(covering(CORPUS, lambda one: one.split("/")[0]))
    assert together == set(CORPUS)


def test_a_run_says_how_much_it_took_and_how_to_take_the_rest() -> None:
    sample(CORPUS, 4)
    sample(CORPUS, 4)  # by another test: the same cases
    sample(CORPUS[:6], 3)
    assert corpus_sample.taken() == (5, 16)
    said = summary(*corpus_sample.taken())
    assert said.startswith(
        "sampled with seed 0: 5 of 16 cases; TILELAB_WHOLE_CORPUS=1 runs all, TILELAB_SAMPLE_SEED=0 "
    )


def test_the_whole_corpus_is_taken_where_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_sample, "WHOLE", True)
    assert sample(CORPUS, 4) == CORPUS
    assert covering(CORPUS, len) == CORPUS
    assert not summary(*corpus_sample.taken())


def test_each_commit_has_a_seed_of_its_own_which_every_worker_of_a_run_takes(tmp_path: Path) -> None:
    assert seed_of_commit(tmp_path) == 0
    seeds = []
    for words in ("one", "another"):
        for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", words]):
            identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
            subprocess.run(["git", *identity, *command], cwd=tmp_path, check=True)
        seeds.append(seed_of_commit(tmp_path))
    assert len({0, *seeds}) == 3
    assert seeds[1] == seed_of_commit(tmp_path)
    assert int(os.environ["TILELAB_SAMPLE_SEED"]) >= 0  # a commit that is made meanwhile changes nothing
