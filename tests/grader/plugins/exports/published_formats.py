"""JSON schemas of what autograding platforms publish about their files. Only what is written for one is allowed in it."""

from __future__ import annotations

from typing import Any

_NUMBER, _TEXT = {"type": "number"}, {"type": "string"}
_NAME = {"type": "string", "minLength": 1}
_WHOLE = {"type": "integer", "minimum": 0}
_TIME = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$"}
_SHOWN = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
_FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(required),
        "properties": required | (optional or {}),
    }


GRADESCOPE = _object(
    {
        "score": _NUMBER,
        "tests": {
            "type": "array",
            "items": _object(
                {"name": _NAME, "score": _NUMBER, "max_score": _NUMBER},
                {"status": {"enum": ["passed", "failed"]}, "output": _TEXT, "tags": {"type": "array", "items": _TEXT}},
            ),
        },
    },
    {
        "output": _TEXT,
        "output_format": _FORMAT,
        "test_output_format": _FORMAT,
        "test_name_format": _FORMAT,
        "visibility": _SHOWN,
        "stdout_visibility": _SHOWN,
        "leaderboard": {
            "type": "array",
            "items": _object({"name": _NAME, "value": {}}, {"order": {"enum": ["asc", "desc"]}}),
        },
    },
)
CLASSROOM50 = _object(
    {
        "schema": {"const": "classroom50/result/v1"},
        "classroom": _NAME,
        "assignment": _NAME,
        "assignment_type": {"enum": ["individual", "group"]},
        "owner": _NAME,
        "submission": {"type": "string", "pattern": "^submit/"},
        "commit": _NAME,
        "release": _NAME,
        "review": _NAME,
        "datetime": _TIME,
        "score": _WHOLE,
        "max-score": _WHOLE,
        "tests": {
            "type": "array",
            "items": _object(
                {"test-name": _NAME, "passed": {"type": "boolean"}, "score": _WHOLE, "max-score": _WHOLE},
                {"message": _TEXT},
            ),
        },
    },
    {"graded_at": _TIME},
)
PRAIRIELEARN = _object(
    {},
    {
        "gradable": {"type": "boolean"},
        "score": {"type": "number", "minimum": 0, "maximum": 1},
        "format_errors": {"type": "array", "items": _NAME},
        "output": _TEXT,
        "tests": {
            "type": "array",
            "items": _object({"name": _NAME}, {"points": _NUMBER, "max_points": _NUMBER, "message": _TEXT}),
        },
    },
)
AGS = _object(
    {
        "userId": _NAME,
        "scoreGiven": {"type": "number", "minimum": 0},
        "scoreMaximum": {"type": "number", "exclusiveMinimum": 0},
        "activityProgress": {"enum": ["Initialized", "Started", "InProgress", "Submitted", "Completed"]},
        "gradingProgress": {"enum": ["FullyGraded", "Pending", "PendingManual", "Failed", "NotReady"]},
        "timestamp": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|[+-]\d\d:\d\d)$"},
    },
    {"comment": _TEXT},
)
