"""What a student reads who handed in files, but none of the name that a lab asks for. No verdict depends on it. Pure."""

from __future__ import annotations

from grader.model.result import Result
from grader.model.verdicts import Verdict
from grader.reports.text import visible

_MOST = 8


def misnamed_words(result: Result) -> str:
    """Empty: each lab has its file, or nothing but the labs' files is there."""
    missing = [lab.file for lab in result.labs.values() if lab.verdict is Verdict.MISSING_FILE]
    asked = {lab.file for lab in result.labs.values()}
    others = [one for one in result.submission.files if one.rsplit("/", 1)[-1] not in asked]
    others = [one for one in others if ".cu" in one.lower()] or others
    if not missing or not others:
        return ""
    more = f" and {len(others) - _MOST} more" if len(others) > _MOST else ""
    there = ", ".join(visible.line(one, 80) for one in others[:_MOST])
    asks = "If one of these is meant, give it that name and submit again."
    return f"Your submission holds {there}{more}, but no {' and no '.join(missing)}. {asks}"
