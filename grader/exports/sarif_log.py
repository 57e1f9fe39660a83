"""SARIF 2.1.0 of a class: every finding at its line, for editors and services that show such logs. Pure.

The file of a student is `<id>/<file>`, relative to a folder that the reader chooses.
"""

from __future__ import annotations

from urllib.parse import quote

from grader.exports.frame.export import Export, Grades
from grader.exports.frame.json_text import json_text
from grader.model.result import Finding, LabResult, Result, Site

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


SARIF = Export("sarif", "exports/findings.sarif", "SARIF 2.1.0 of all findings", sarif_log)
