"""JUnit's XML and SARIF: what other tools read of them. docs/exports.md says which schemas they were held against."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree as ET

from export_class import ADA, contents, export, make_result, small_class, ungraded_lab

from grader.model.result import LabResult
from grader.model.verdicts import Verdict


def junit(results: list[Any] | None = None) -> ET.Element:
    return ET.fromstring(contents(export("junit", results or small_class()).files[0]).decode())  # noqa: S314 -- our own text


def sarif() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(contents(export("sarif", small_class()).files[0]))
    return data


def test_junit_counts_what_it_holds() -> None:
    for suite in junit():
        assert int(suite.attrib["tests"]) == len(suite.findall("testcase"))
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.attrib[name]) == len(suite.findall(f"testcase/{tag}"))


def test_junit_tells_a_failure_from_an_error_of_ours() -> None:
    outcomes = {suite.attrib["name"]: [[one.tag for one in case] for case in suite] for suite in junit()}
    assert outcomes == {"ada": [[], []], "alan": [["failure"], ["failure"]], "zoe": [["error"]], "anna": [["failure"]]}
    waiting = make_result("ada", ADA, ungraded_lab(Verdict.NEEDS_GPU))
    assert junit([waiting]).find("testsuite/testcase/skipped") is not None


def test_junit_holds_no_character_that_xml_forbids() -> None:
    lab = small_class()[1].labs["01-a"]
    case = lab.cases[0].model_copy(update={"message": "a\0b\x1b[31m\ud800 <&>\ufffe"})
    broken: LabResult = lab.model_copy(update={"cases": (case, lab.cases[1])})
    failure = junit([make_result("ada", ADA, broken)]).find("testsuite/testcase/failure")
    assert failure is not None
    assert (failure.text or "").startswith("a�b�[31m� <&>�")


def test_sarif_has_each_finding_at_its_place_with_a_rule() -> None:
    (run,) = sarif()["runs"]
    (one,) = run["results"]
    place = one["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "alan/k.cu"}
    assert (place["region"]["startLine"], place["region"]["startColumn"], place["region"]["endColumn"]) == (19, 5, 21)
    assert one["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 22
    assert run["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == one["ruleId"] == "race"
    assert one["level"] == "error"


def test_sarif_says_its_version_and_its_schema() -> None:
    assert sarif()["version"] == "2.1.0"
    assert "sarif-2.1.0" in sarif()["$schema"]
