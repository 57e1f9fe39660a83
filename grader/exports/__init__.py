"""Grades in formats that other programs read: one file for each format, and a line for it in EXPORTS."""

from grader.exports.ags_scores import AGS
from grader.exports.answers_csv import ANSWERS_CSV
from grader.exports.autolab_text import AUTOLAB
from grader.exports.blackboard_table import BLACKBOARD
from grader.exports.brightspace_csv import BRIGHTSPACE
from grader.exports.canvas_csv import CANVAS
from grader.exports.classroom50_json import CLASSROOM50
from grader.exports.feedback_zips import CANVAS_FEEDBACK, MOODLE_FEEDBACK
from grader.exports.frame.export import Export
from grader.exports.grades_csv import GRADES_CSV
from grader.exports.gradescope_json import GRADESCOPE
from grader.exports.junit_xml import JUNIT
from grader.exports.moodle_csv import MOODLE, MOODLE_WORKSHEET
from grader.exports.prairielearn_json import PRAIRIELEARN
from grader.exports.sarif_log import SARIF

EXPORTS: tuple[Export, ...] = (
    *(GRADES_CSV, CANVAS, CANVAS_FEEDBACK, MOODLE, MOODLE_WORKSHEET, MOODLE_FEEDBACK, BLACKBOARD, BRIGHTSPACE),
    *(GRADESCOPE, CLASSROOM50, PRAIRIELEARN, AUTOLAB, JUNIT, SARIF, AGS, ANSWERS_CSV),
)


def export_help() -> str:
    """One line: each format's name and what it holds."""
    return "; ".join(f"{one.name}: {one.file}, {one.help}" for one in EXPORTS)


__all__ = ["EXPORTS", "Export", "export_help"]
