"""JUnit's XML of a class: a suite for each student, a test case for each case, in the form that Jenkins and GitLab read. Pure.

A case that did not pass is a failure; one that a fault of ours kept from being graded is an error; one that waits for a GPU is skipped.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from grader.exports.frame.export import Export, Grades
from grader.exports.frame.tested_rows import TestedRow, tested_rows
from grader.model.result import Result
from grader.model.verdicts import Verdict

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


JUNIT = Export("junit", "exports/junit.xml", "JUnit's XML of the class", junit_xml)
