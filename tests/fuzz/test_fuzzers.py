"""A small run of each fuzzer, from a fixed seed: it finds nothing in Tilelab as it is, and it finds a fault that is planted.

`make fuzz` runs them for minutes. A fuzzer that finds no planted fault would be silent about real ones.
"""

from __future__ import annotations

import dataclasses
import os
import random
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from campaign import Campaign, check_case, run_campaign
from conversation_fuzzer import ConversationFuzzer, honest_reply
from document_edits import as_json, edited_bytes, edited_tree
from fuzzer import Fuzzer, WrongError, chance_of
from fuzzers import archives, configuration, conversation, downloads, kernel_texts, kernels
from growth_fuzzer import BUILT, CONSTRUCTS, GrowthFuzzer, Ruler, Step
from kernel_edits import mutant_of
from kernel_fuzzer import KernelFuzzer
from reading_steps import CAPPED, STEPS, building

from grader.engines.toolset import Toolset
from grader.model import labs as lab_reading
from grader.model.outcome import JudgedCase, LabOutcome
from grader.model.verdicts import Verdict
from grader.roll.intake import upload as archive_reading
from grader.roll.intake.intake import discover
from grader.roll.platforms import recognition
from grader.run import judge_call
from grader.run.lab_judging import LabJudge
from grader.run.scoring.lab_score import score_lab

pytestmark = [pytest.mark.long, pytest.mark.in_turn(4)]

ROOT = Path(__file__).resolve().parents[2]
SEED = 13
WHOLE = bool(os.environ.get("TILELAB_WHOLE_CORPUS"))
Run = Callable[[Fuzzer, int], Campaign]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """So many cases of a fuzzer."""
    return lambda fuzzer, cases: run_campaign(fuzzer, SEED, tmp_path, more=lambda done, _spent: done < cases)


def told(done: Campaign) -> list[str]:
    return [one.text for one in done.findings]


@pytest.mark.parametrize(("opened", "cases"), [(archives, 25), (downloads, 30), (configuration, 40), (conversation, 8)])
def test_a_few_cases_find_nothing(opened: Callable[[Path], Fuzzer], cases: int, run: Run) -> None:
    done = run(opened(ROOT), cases)
    assert told(done) == []
    assert done.cases == cases
    assert len(done.tally) > 1, "all cases came to the same: the fuzzer reaches one path alone"


def test_an_archive_that_a_reader_lets_fail_is_found(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_reading, "MachineError", Exception)  # what it lets through
    assert told(run(archives(ROOT), 40))


def test_a_lost_upload_is_found(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(*arguments: Any) -> Any:  # noqa: ANN401 -- as the function it stands for
        found = discover(*arguments)
        return dataclasses.replace(found, students=tuple(one for one in found.students if not one.submission.refused))

    monkeypatch.setattr("archive_fuzzer.discover", forgetful)
    assert any("uploads became" in text for text in told(run(archives(ROOT), 20)))


def test_a_class_that_a_students_name_stops_is_found(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognition, "_RECOGNISERS", recognition._RECOGNISERS[:2])
    assert any("was not recognised" in text or "was refused" in text for text in told(run(downloads(ROOT), 10)))


def test_a_setting_that_nobody_checks_is_found(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lab_reading, "ValidationError", KeyError)
    assert any("ValidationError" in text for text in told(run(configuration(ROOT), 40)))


def test_points_beyond_the_maximum_are_found(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def generous(*arguments: Any) -> Any:  # noqa: ANN401 -- as the function it stands for
        return score_lab(*arguments).model_copy(update={"points": 1000.0})

    monkeypatch.setattr("configuration_fuzzer.score_lab", generous)
    assert any("points" in text for text in told(run(configuration(ROOT), 40)))


def test_a_case_that_passes_for_a_lying_runner_is_found(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def gullible(*arguments: Any) -> Any:  # noqa: ANN401 -- as the function it stands for
        return dataclasses.replace(JudgedCase(*arguments), passed=True)

    monkeypatch.setattr(judge_call, "JudgedCase", gullible)
    assert any("although nothing was computed" in text for text in told(run(conversation(ROOT), 2)))


def test_a_lying_runner_is_heard(tmp_path: Path) -> None:
    """Else the judge would refuse every reply, and no page would be tried."""
    fuzzer = conversation(ROOT)
    assert isinstance(fuzzer, ConversationFuzzer)
    reply = honest_reply(random.Random(1)) | {"status": "completed", "findings": []}
    (tmp_path / "messages.json").write_bytes(as_json([["frame", as_json(reply).decode("latin-1")]]))
    assert fuzzer.check(tmp_path) == Verdict.WRONG_ANSWER


@pytest.fixture(scope="module")
def kernel_fuzzer() -> KernelFuzzer:
    if shutil.which("clang++") is None or shutil.which("g++") is None:
        pytest.skip("g++ and clang++ are not both installed")
    opened = kernels(ROOT)
    assert isinstance(opened, KernelFuzzer)
    return opened


def test_a_few_mutants_find_nothing(kernel_fuzzer: KernelFuzzer, run: Run) -> None:
    assert told(run(kernel_fuzzer, 2)) == []


def test_compilers_that_disagree_about_a_right_kernel_are_found(kernel_fuzzer: KernelFuzzer, tmp_path: Path) -> None:
    def stricter(toolset: Any, *arguments: Any, **options: Any) -> Callable[..., LabOutcome]:  # noqa: ANN401 -- as LabJudge
        honest = LabJudge(toolset, *arguments, **options)
        return honest if toolset is kernel_fuzzer.toolsets["GCC"] else rejecting

    def rejecting(lab: Any, *_: object, **__: object) -> LabOutcome:  # noqa: ANN401 -- as above
        return LabOutcome(lab.id, Verdict.REJECTED)

    lab_id = min(kernel_fuzzer.labs)
    (tmp_path / "mutant.cu").write_text(kernel_texts(ROOT, lab_id)[0], encoding="utf-8")
    (tmp_path / "lab.json").write_bytes(as_json(lab_id))
    trouble, _ = check_case(dataclasses.replace(kernel_fuzzer, judge=stricter), tmp_path)
    assert trouble.startswith("a pass with one compiler alone")


def _held(construct: str, steps: Mapping[str, Step], ruler: Ruler) -> None:
    GrowthFuzzer(steps, CAPPED, ruler).hold(CONSTRUCTS[construct])


@pytest.mark.parametrize("construct", CONSTRUCTS if WHOLE else list(CONSTRUCTS)[:: len(CONSTRUCTS) // 8])
def test_each_step_takes_time_in_proportion_to_what_it_reads(construct: str) -> None:
    """By default a few constructs in small texts, with TILELAB_WHOLE_CORPUS=1 all in larger ones."""
    _held(construct, STEPS, Ruler(1 << 17) if WHOLE else Ruler(1 << 13, 0.2))


@pytest.fixture(scope="module")
def toolset() -> Toolset:
    return Toolset.open(ROOT, allow_no_sandbox=True)


@pytest.mark.parametrize("construct", BUILT if WHOLE else ["stores"])
def test_what_reads_a_compilers_output_takes_time_in_proportion_to_it(
    construct: str, toolset: Toolset, tmp_path: Path
) -> None:
    _held(construct, {"build": building(toolset, tmp_path)}, Ruler(1 << 15 if WHOLE else 1 << 12))


def test_a_step_that_is_quadratic_in_time_or_in_memory_is_found() -> None:
    def slow(text: str) -> None:
        for at in range(0, len(text), 16):
            text.count("x", at)

    def large(text: str) -> list[str]:
        return [text[at:] for at in range(0, len(text), 64)]

    with pytest.raises(WrongError, match=r"step: .* times the time"):
        _held("semicolons", {"step": slow}, Ruler(1 << 20, 0.2))
    with pytest.raises(WrongError, match=r"step: .* times the memory"):
        _held("semicolons", {"step": large}, Ruler(1 << 18, 60))


def test_the_same_seed_makes_the_same_cases() -> None:
    texts = kernel_texts(ROOT, "01-naive")
    one, other = (
        [mutant_of(texts[0], texts, chance_of("kernels", seed, number)) for number in range(30)] for seed in (1, 1)
    )
    assert one == other
    assert len(set(one)) > 20
    trees = [edited_tree({"a": [1, "b"]}, chance_of("x", 1, 1), 3) for _ in range(2)]
    assert trees[0] == trees[1]
    assert edited_bytes(b"abcdef", chance_of("x", 1, 1), 9) == edited_bytes(b"abcdef", chance_of("x", 1, 1), 9)


@dataclasses.dataclass(frozen=True)
class _Spun:
    """A fuzzer whose every case ends as `how`."""

    how: Callable[[], None]
    name: str = "spun"
    seconds: float = 0.05

    def make(self, chance: random.Random, folder: Path) -> None:
        (folder / "case").write_text(str(chance.random()), encoding="utf-8")

    def check(self, folder: Path) -> str:
        (folder / "case").unlink()
        self.how()
        return "fine"


def forever() -> None:
    while True:
        pass


def wrongly() -> None:
    message = "9 of 10 are lost"
    raise WrongError(message)


@pytest.mark.parametrize(
    ("how", "says"), [(forever, "was not done after"), (wrongly, "are lost"), (sys.intern, "Traceback")]
)
def test_a_hang_a_wrong_result_and_an_error_are_kept_with_their_case(
    how: Callable[[], None], says: str, tmp_path: Path
) -> None:
    done = run_campaign(_Spun(how), SEED, tmp_path, more=lambda cases, _spent: cases < 5)
    assert [says in one.text for one in done.findings] == [True, True, True]
    assert done.unkept == 2  # like the others
    for one in done.findings:
        assert {path.name for path in one.folder.iterdir()} == {"case", "finding.txt"}
        assert f"seed {SEED}, case {one.number}" in (one.folder / "finding.txt").read_text(encoding="utf-8")
