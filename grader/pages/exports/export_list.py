"""Grades in formats that other programs read: one file for each format, and a line for it in EXPORTS."""

from grader.pages.exports.autograder_results import AUTOLAB, CLASSROOM50, GRADESCOPE, PRAIRIELEARN
from grader.pages.exports.export import Export
from grader.pages.exports.finding_logs import JUNIT, SARIF
from grader.pages.exports.gradebook_tables import BLACKBOARD, BRIGHTSPACE, CANVAS, MOODLE, MOODLE_WORKSHEET
from grader.pages.exports.grades_csv import AGS, ANSWERS_CSV, CANVAS_FEEDBACK, GRADES_CSV, MOODLE_FEEDBACK

EXPORTS: tuple[Export, ...] = (
    *(GRADES_CSV, CANVAS, CANVAS_FEEDBACK, MOODLE, MOODLE_WORKSHEET, MOODLE_FEEDBACK, BLACKBOARD, BRIGHTSPACE),
    *(GRADESCOPE, CLASSROOM50, PRAIRIELEARN, AUTOLAB, JUNIT, SARIF, AGS, ANSWERS_CSV),
)


def export_help() -> str:
    """One line: each format's name and what it holds."""
    return "; ".join(f"{one.name}: {one.file}, {one.help}" for one in EXPORTS)


__all__ = ["EXPORTS", "Export", "export_help"]
