"""SARIF 2.1.0 of a class: every finding at its line, for editors and services that show such logs. Pure.

The file of a student is `<id>/<file>`, relative to a folder that the reader chooses.
"""

from __future__ import annotations

import re
from urllib.parse import quote
from xml.etree import ElementTree as ET

from grader.model.result import Finding, LabResult, Result, Site
from grader.model.verdicts import Verdict
from grader.plugins.exports.grade_rows import TestedRow, json_text, tested_rows
from grader.roll.batch.plugin import Grades

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_log(grades: Grades) -> str:
    found = [
        (result, lab_id, lab, one)
        for result in grades.results
        for lab_id, lab in result.labs.items()
        for one in lab.findings
        if one.kind.facts.tone != "absent"  # a file that was not handed in has no line
    ]
    kinds = list(dict.fromkeys(one.kind for *_, one in found))
    rules = [
        {
            "id": kind.value,
            "shortDescription": {"text": kind.facts.label},
            "fullDescription": {"text": kind.facts.sentence},
            "help": {"text": kind.facts.advice or kind.facts.sentence},
        }
        for kind in kinds
    ]
    driver: dict[str, object] = {"name": "Tilelab", "rules": rules}
    if grades.results:
        driver["version"] = grades.results[0].environment.kit
    results = [_result(*one, kinds.index(one[3].kind)) for one in found]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _result(result: Result, lab_id: str, lab: LabResult, finding: Finding, rule: int) -> dict[str, object]:
    words = [finding.message, finding.advice or ""]
    data: dict[str, object] = {
        "ruleId": finding.kind.value,
        "ruleIndex": rule,
        "level": finding.severity,
        "message": {"text": "\n".join(filter(None, words)) or finding.called},
        "locations": [_location(result, lab, finding)],
        "occurrenceCount": max(finding.count, 1),
        "properties": {"student": result.submission.id, "lab": lab_id},
    }
    if finding.other is not None:
        data["relatedLocations"] = [_location(result, lab, finding.other)]
    return data


def _location(result: Result, lab: LabResult, site: Site) -> dict[str, object]:
    path = quote(f"{result.submission.id}/{site.file or lab.file}", errors="replace")
    place: dict[str, object] = {"artifactLocation": {"uri": path}}
    if site.line is not None and site.line > 0:
        region: dict[str, object] = {"startLine": site.line}
        if site.columns is not None:
            region |= {"startColumn": site.columns[0] + 1, "endColumn": site.columns[1] + 1}
        if site.source:
            region["snippet"] = {"text": site.source}
        place["region"] = region
    return {"physicalLocation": place}


# JUnit's XML of a class: a suite for each student, a test case for each case, in the form that Jenkins and GitLab read. Pure.
#
# A case that did not pass is a failure; one that a fault of ours kept from being graded is an error; one that waits for a GPU is skipped.

_NO_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(grades: Grades) -> str:
    suites = ET.Element("testsuites", name=_clean(grades.assignment))
    for result in grades.results:
        suites.append(_suite(result))
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"


def _suite(result: Result) -> ET.Element:
    suite = ET.Element("testsuite", name=result.submission.id)
    counts = {"failure": 0, "error": 0, "skipped": 0}
    rows = tested_rows(result)
    for row in rows:
        case = ET.SubElement(suite, "testcase", classname=f"{result.submission.id}.{row.lab}", name=_clean(row.name))
        if outcome := _outcome(result, row):
            counts[outcome] += 1
            words = _clean(row.words)
            element = ET.SubElement(case, outcome, message=words.partition("\n")[0])
            element.text = words
    suite.attrib |= {
        "tests": str(len(rows)),
        "failures": str(counts["failure"]),
        "errors": str(counts["error"]),
        "skipped": str(counts["skipped"]),
    }
    return suite


def _outcome(result: Result, row: TestedRow) -> str:
    """Empty: it passed."""
    if row.passed is None:
        return "error" if result.labs[row.lab].verdict is Verdict.INTERNAL_ERROR else "skipped"
    return "" if row.passed else "failure"


def _clean(text: str) -> str:
    """Without what XML cannot hold."""
    return _NO_XML.sub("�", text)
