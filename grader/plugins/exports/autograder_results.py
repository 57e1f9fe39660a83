"""What was found of each student, in the forms of autograders, editors and test reports. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from urllib.parse import quote
from xml.etree import ElementTree as ET

from grader.model.result import Finding, LabResult, Result, Site
from grader.model.verdicts import Verdict
from grader.plugins.exports.grade_tables import (
    TestedRow,
    about,
    above_maximum,
    finding_lines,
    grade,
    is_decided,
    json_line,
    json_text,
    noticed,
    rows_by,
    tested_rows,
    without,
    zip_bytes,
)
from grader.roll.batch.plugin import Grades, Made

# Gradescope's `results.json`, one for each student in a zip: the score, and each case as a test. Everything in it is visible to the
# student, for it is redacted. Where a lab is not graded yet, there is no file: Gradescope has no score that means "later".


def gradescope_results(result: Result) -> dict[str, object]:
    """Of a redacted result in which each lab is graded."""
    data: dict[str, object] = {
        "score": result.total,
        "output": "\n".join(finding_lines(result)),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [
            {
                "name": row.whole_name,
                "score": row.points,
                "max_score": row.max_points,
                "status": "passed" if row.passed else "failed",
                "output": row.words,
                "tags": [row.lab],
            }
            for row in tested_rows(result)
        ],
    }
    if ranked := [entry for lab in result.labs.values() for entry in _leaderboard(lab)]:
        data["leaderboard"] = ranked
    return data


def _leaderboard(lab: LabResult) -> list[dict[str, object]]:
    """Of a kernel that was timed, and whose author wants to be ranked."""
    if lab.leaderboard is None or not lab.leaderboard.name or lab.timing is None or lab.timing.speedup is None:
        return []
    return [{"name": f"{lab.title}: speed-up", "value": round(lab.timing.speedup.middle, 3), "order": "desc"}]


def gradescope_zip(grades: Grades) -> Made:
    left = [one for one in grades.results if grade(one) is None]
    data = _zip(without(grades.results, left), "/results.json", lambda one: json_text(gradescope_results(one)))
    return noticed(data, about(left, "not graded yet, so there is no results.json"))


def _zip(results: Iterable[Result], name: str, text_of: Callable[[Result], str]) -> bytes:
    """A file for each student, whose name begins with the student's id."""
    return zip_bytes((f"{one.submission.id}{name}", text_of(one)) for one in results)


# PrairieLearn's `results.json` of an external grader, one for each student in a zip: a score from 0 to 1, and each case as a test. Pure.
#
# Where a lab is not graded yet, the result is "not gradable": PrairieLearn then takes no points and no attempt.


def prairielearn_results(result: Result) -> dict[str, object]:
    """Of a redacted result."""
    points = grade(result)
    if points is None:
        facts = [lab.verdict.facts for lab in result.labs.values()]
        why = [one.sentence for one in facts if one.tone in {"ours", "waiting"}]
        return {"gradable": False, "format_errors": why}
    return {
        "gradable": True,
        "score": min(points / result.most, 1.0) if result.most else 0.0,
        "output": "\n".join(finding_lines(result)),
        "tests": [
            {"name": row.whole_name, "points": row.points, "max_points": row.max_points, "message": row.words}
            for row in tested_rows(result)
        ],
    }


def prairielearn_zip(grades: Grades) -> Made:
    return noticed(
        _zip(grades.results, "/results.json", lambda one: json_text(prairielearn_results(one))),
        about([one for one in grades.results if grade(one) is None], "not graded yet, so the result is not gradable"),
        above_maximum(grades.results, "more than the maximum: PrairieLearn takes no score above 1"),
    )


# classroom50's `result.json` (classroom50/result/v1), one for each student in a zip. Pure.
#
# Its points are whole numbers. Where ours are not, all are multiplied by 10 or 100, and a notice says so. The assignment is named
# "classroom/assignment". Submission, commit and links are what classroom50 itself writes for a grade that is entered by hand.

_FACTORS = (1, 10, 100)
_DUST = 1e-6


def classroom50_result(result: Result, owner: str, assignment: str, at: str, factor: int = 1) -> dict[str, object]:
    """Of a redacted result. `at`: "2026-02-02T00:00:00Z". `factor`: from `whole_factor`."""
    classroom, _, slug = assignment.partition("/")
    by_hand = f"submit/manual-{at.replace(':', '-')}"
    tests = [
        {
            "test-name": row.whole_name,
            "passed": bool(row.passed),
            "score": round(row.points * factor),
            "max-score": round(row.max_points * factor),
            "message": row.words,
        }
        for row in tested_rows(result)
    ]
    highest = round(result.most * factor)
    return {
        "schema": "classroom50/result/v1",
        "classroom": classroom,
        "assignment": slug or classroom,
        "assignment_type": "individual",
        "owner": owner,
        "submission": by_hand,
        "commit": by_hand,
        "release": by_hand,
        "review": by_hand,
        "datetime": at,
        "graded_at": at,
        "score": min(round(result.total * factor), highest),
        "max-score": highest,
        "tests": tests,
    }


def whole_factor(results: Iterable[Result]) -> int:
    """The smallest one that makes all points whole."""
    points: list[float] = []
    for result in results:
        points += [result.total, result.most]
        points += [one for row in tested_rows(result) for one in (row.points, row.max_points)]
    fits = (one for one in _FACTORS if all(abs(each * one - round(each * one)) < _DUST for each in points))
    return next(fits, _FACTORS[-1])


def _owner(result: Result) -> str:
    """The account whose repository it is."""
    return result.submission.student.platform_ids.get("GitHub Classroom", "")


def classroom50_zip(grades: Grades) -> Made:
    known = rows_by(
        grades.results, lambda one: [_owner(one)], "left out, because the GitHub account is not known: give a roster"
    )
    left = [one for one in known.results if grade(one) is None]
    given = without(known.results, left)
    factor = whole_factor(given)
    named, at = grades.assignment, f"{grades.at[:19]}Z"
    multiplied = f"all points are multiplied by {factor}, because classroom50 takes whole numbers alone"
    return noticed(
        _zip(given, "/result.json", lambda one: json_text(classroom50_result(one, _owner(one), named, at, factor))),
        known.notices,
        about(left, "not graded yet, so there is no result.json"),
        above_maximum(known.results, "more than the maximum, which classroom50 does not take: the maximum is written"),
        [multiplied] if factor > 1 else [],
        [] if "/" in named else ['name the classroom and the assignment: ASSIGNMENT="cuda-26/week-3"'],
    )


# What Autolab reads from an autograder's output, one file for each student: findings, the stages, and the scores in the last line. Pure.
#
# Each lab is one of Autolab's problems, under the lab's id. A lab that is not graded yet has no score there. Where no lab is, there is no
# file: of an output without any score, Autolab makes zeros.


def autolab_output(result: Result) -> str:
    """Of a redacted result. Autolab reads the stages from the last line but one, and the scores from the last line."""
    scores = {lab_id: lab.points for lab_id, lab in result.labs.items() if is_decided(lab)}
    stages: dict[str, dict[str, object]] = {lab_id: {} for lab_id in scores}
    for row in tested_rows(result):
        if row.lab in stages:
            stages[row.lab][row.name] = {"passed": bool(row.passed)} | ({"hint": row.words} if row.words else {})
    shown: dict[str, object] = {"_presentation": "semantic", "stages": list(stages), **stages}
    found = "".join(f"# {' '.join(line.split())}\n" for line in finding_lines(result))
    return found + json_line(shown) + json_line({"scores": scores})


def autolab_zip(grades: Grades) -> Made:
    scored = [one for one in grades.results if any(map(is_decided, one.labs.values()))]
    part = [one for one in scored if grade(one) is None]
    return noticed(
        _zip(scored, ".txt", autolab_output),
        about(part, "partly graded, so some of their problems have no score"),
        about(without(grades.results, scored), "not graded yet, so there is no output"),
    )


# SARIF 2.1.0 of a class: every finding at its line, for editors and services that show such logs. Pure.
#
# The file of a student is `<id>/<file>`, relative to a folder that the reader chooses.

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
