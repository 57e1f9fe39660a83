"""Grades in formats that other programs read. The order is that of `tilelab grade --help`."""

from grader.plugins.exports.autograder_results import AUTOLAB, CLASSROOM50, GRADESCOPE, PRAIRIELEARN
from grader.plugins.exports.finding_logs import JUNIT, SARIF
from grader.plugins.exports.gradebook_tables import BLACKBOARD, BRIGHTSPACE, CANVAS, MOODLE, MOODLE_WORKSHEET
from grader.plugins.exports.grades_csv import AGS, ANSWERS_CSV, CANVAS_FEEDBACK, GRADES_CSV, MOODLE_FEEDBACK

PLUGINS = (
    *(GRADES_CSV, CANVAS, CANVAS_FEEDBACK, MOODLE, MOODLE_WORKSHEET, MOODLE_FEEDBACK, BLACKBOARD, BRIGHTSPACE),
    *(GRADESCOPE, CLASSROOM50, PRAIRIELEARN, AUTOLAB, JUNIT, SARIF, AGS, ANSWERS_CSV),
)
