"""JUnit's XML and SARIF: what other tools read of them. docs/exports.md says which schemas they were held against."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree as ET

from export_class import ADA, contents, export, make_result, small_class, ungraded_lab
from jsonschema import Draft202012Validator

from grader.model.result import LabResult
from grader.model.verdicts import Verdict

# What the two schemas allow of what is written here. docs/exports.md says against which the files themselves were held.
_TEXT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["text"],
    "properties": {"text": {"type": "string", "minLength": 1}},
}
_FROM_1 = {"type": "integer", "minimum": 1}


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    properties = required | (optional or {})
    return {"type": "object", "additionalProperties": False, "required": list(required), "properties": properties}


_PLACE = _object({
    "physicalLocation": _object(
        {"artifactLocation": _object({"uri": {"type": "string", "format": "uri-reference"}})},
        {"region": _object({"startLine": _FROM_1}, {"startColumn": _FROM_1, "endColumn": _FROM_1, "snippet": _TEXT})},
    )
})  # fmt: skip
_RULE = _object({"id": {"type": "string"}}, {"shortDescription": _TEXT, "fullDescription": _TEXT, "help": _TEXT})
_RESULT = _object(
    {"message": _TEXT},
    {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "locations": {"type": "array", "items": _PLACE},
        "relatedLocations": {"type": "array", "items": _PLACE},
        "occurrenceCount": _FROM_1,
        "properties": {"type": "object"},
    },
)
_RULES = {"type": "array", "items": _RULE, "uniqueItems": True}
_DRIVER = _object({"name": {"const": "Tilelab"}}, {"version": {"type": "string"}, "rules": _RULES})
_RUN = _object(
    {"tool": _object({"driver": _DRIVER})},
    {"columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]}, "results": {"type": "array", "items": _RESULT}},
)
SARIF = _object(
    {"version": {"const": "2.1.0"}, "runs": {"type": "array", "items": _RUN}}, {"$schema": {"type": "string"}}
)
JUNIT = {
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname"},
    "testcase": {"name", "classname", "time", "group"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "skipped": {"type", "message"},
}


def junit(results: list[Any] | None = None) -> ET.Element:
    return ET.fromstring(contents(export("junit", results or small_class()).files[0]).decode())  # noqa: S314 -- our own text


def sarif() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(contents(export("sarif", small_class()).files[0]))
    return data


def test_both_hold_only_what_their_schemas_allow() -> None:
    assert list(Draft202012Validator(SARIF).iter_errors(sarif())) == []
    for element in junit().iter():
        assert {*element.attrib} <= JUNIT[element.tag]
        assert element.tag == "testsuites" or "name" in element.attrib or element.tag in {"failure", "error", "skipped"}


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
    assert (failure.text or "").startswith("a⟨NUL⟩b⟨ESC⟩[31m⟨U+D800⟩ <&>⟨U+FFFE⟩")


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
