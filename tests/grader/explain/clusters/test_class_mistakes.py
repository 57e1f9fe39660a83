"""From results to clusters and comments: what is shared, who stands for all, and whose page says what."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.explain.class_mistakes import commented, lab_mistakes, wrong_submissions
from grader.explain.clustering import went_wrong
from grader.model.result import Finding, Result, Site
from grader.model.verdicts import Verdict

SAMPLES = Path(__file__).resolve().parents[3] / "reports" / "samples"


def sample(name: str) -> tuple[Result, dict[str, str]]:
    result = Result.model_validate_json((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return result, {path.name: path.read_text(encoding="utf-8") for path in (SAMPLES / name).glob("*.cu")}


def of(result: Result, student: str) -> Result:
    return result.model_copy(update={"submission": result.submission.model_copy(update={"id": student})})


def race_lab(result: Result) -> str:
    return next(lab_id for lab_id, lab in result.labs.items() if lab.verdict is Verdict.RACE)


@pytest.fixture
def raced() -> tuple[Result, dict[str, str]]:
    return sample("race")


def test_the_same_mistake_under_other_names_has_the_same_key(raced: tuple[Result, dict[str, str]]) -> None:
    result, sources = raced
    lab_id = race_lab(result)
    lab = result.labs[lab_id]
    other = {name: text.replace("As", "leftTile").replace("sum", "acc") for name, text in sources.items()}
    renamed = lab.model_copy(
        update={
            "findings": tuple(
                one.model_copy(update={"array": one.array.replace("As", "leftTile") if one.array else None})
                for one in lab.findings
            )
        }
    )
    ada = of(result, "ada")
    ben = of(result, "ben").model_copy(update={"labs": {**result.labs, lab_id: renamed}})
    wrong = wrong_submissions([ada, ben], {"ada": sources, "ben": other}, {})[lab_id]
    assert [one.student for one in wrong] == ["ada", "ben"]
    assert wrong[0].keys == wrong[1].keys
    assert wrong[0].steps[0].key == f"{lab_id}/race"
    assert len(wrong[0].steps) == 3


def test_a_comment_reaches_all_who_share_the_key_and_nobody_else(raced: tuple[Result, dict[str, str]]) -> None:
    result, sources = raced
    lab_id = race_lab(result)
    passed = sample("pass")[0]
    results = [of(result, "ada"), of(result, "ben"), of(passed, "cyd")]
    texts = {"ada": sources, "ben": sources}
    wrong = wrong_submissions(results, texts, {})
    closest = wrong[lab_id][0].keys[0]
    told = commented(results, texts, {}, {closest: "See me.", f"{lab_id}/race": "Everybody with a race."})
    assert [one.labs[lab_id].comment for one in told[:2]] == ["See me.", "See me."]
    assert [lab.comment for lab in told[2].labs.values()] == [""] * len(passed.labs)
    wider = commented(results, texts, {}, {closest: "", f"{lab_id}/race": "Everybody with a race."})
    assert wider[0].labs[lab_id].comment == "Everybody with a race."
    assert [one.total for one in told] == [one.total for one in results]


def test_one_file_stands_for_all_with_the_line_and_those_around_it(raced: tuple[Result, dict[str, str]]) -> None:
    result, sources = raced
    lab_id = race_lab(result)
    results = [of(result, name) for name in ("ada", "ben", "cyd")]
    texts = {name: next(iter(sources.values())) for name in ("ada", "ben", "cyd")}
    wrong = wrong_submissions(results, dict.fromkeys(texts, sources), {})
    made = lab_mistakes(lab_id, wrong[lab_id], texts, {}, {})
    assert made.wrong == 3
    (mistake,) = made.mistakes
    assert mistake.students == ("ada", "ben", "cyd")
    assert mistake.line is not None
    assert texts[mistake.shown].split("\n")[mistake.first_line - 1] == mistake.source[0]
    assert mistake.first_line <= mistake.line < mistake.first_line + len(mistake.source)


def test_a_failure_of_ours_is_no_mistake_of_anybody() -> None:
    for name in ("internal-error", "needs-gpu", "missing-file", "pass"):
        result = sample(name)[0]
        assert not any(went_wrong(lab) for lab in result.labs.values() if lab.verdict.facts.tone != "bad")


def test_what_behaves_like_a_mutant_says_so(raced: tuple[Result, dict[str, str]]) -> None:
    result, sources = raced
    lab_id = race_lab(result)
    seen = wrong_submissions([of(result, "ada")], {"ada": sources}, {})[lab_id][0].behaviour
    assert seen
    likenesses = {seen: "the solution without `__syncthreads()` in line 20"}
    wrong = wrong_submissions([of(result, "ada")], {"ada": sources}, {lab_id: likenesses})[lab_id]
    (mistake,) = lab_mistakes(lab_id, wrong, {"ada": ""}, likenesses, {}).mistakes
    assert mistake.like == likenesses[seen]


def test_findings_of_hostile_text_have_keys_of_their_own_alphabet(raced: tuple[Result, dict[str, str]]) -> None:
    result, sources = raced
    lab_id = race_lab(result)
    finding = Finding(
        kind=Verdict.RACE, message='"]\n[[comment]]\x00', array="\ud800[", other=Site(line=10**9), line=-5, access="\n"
    )
    lab = result.labs[lab_id].model_copy(update={"findings": (finding,)})
    hostile = result.model_copy(update={"labs": {**result.labs, lab_id: lab}})
    (one,) = wrong_submissions([hostile], {result.submission.id: sources}, {})[lab_id]
    assert all(key.startswith(f"{lab_id}/race") and key.isascii() and key.isprintable() for key in one.keys)
    assert '"' not in "".join(one.keys)


def test_a_refused_upload_is_no_mistake_in_a_lab() -> None:
    result, sources = sample("refused")
    assert any(went_wrong(lab) for lab in result.labs.values())
    assert wrong_submissions([result], {result.submission.id: sources}, {}) == {}


def test_a_race_of_host_code_is_told_in_its_own_words(raced: tuple[Result, dict[str, str]]) -> None:
    result, sources = raced
    lab_id = race_lab(result)
    finding = Finding(kind=Verdict.RACE, message="The copy may still read h_c.", other=Site(line=3), line=5)
    lab = result.labs[lab_id].model_copy(update={"findings": (finding,)})
    changed = result.model_copy(update={"labs": {**result.labs, lab_id: lab}})
    (one,) = wrong_submissions([changed], {result.submission.id: sources}, {})[lab_id]
    assert one.steps[1].title == "The copy may still read h_c."


@pytest.mark.parametrize(("feedback", "told"), [("full", "Its cause."), ("verdict", "Any race."), ("none", "")])
def test_a_comment_tells_nothing_of_a_case_that_withholds_it(
    raced: tuple[Result, dict[str, str]], feedback: str, told: str
) -> None:
    result, sources = raced
    lab_id = race_lab(result)
    lab = result.labs[lab_id]
    cases = tuple(one.model_copy(update={"feedback": feedback, "visibility": "hidden"}) for one in lab.cases)
    hidden = lab.model_copy(update={"cases": cases, "suspects": (), "causes": ()})
    changed = result.model_copy(update={"labs": {**result.labs, lab_id: hidden}})
    texts = {result.submission.id: sources}
    (one,) = wrong_submissions([changed], texts, {})[lab_id]
    comments = {one.steps[1].key: "Its cause.", f"{lab_id}/race": "Any race."}
    assert commented([changed], texts, {}, comments)[0].labs[lab_id].comment == told
    assert lab_mistakes(lab_id, [one], {}, {}, comments).mistakes[0].comment == "Its cause."
