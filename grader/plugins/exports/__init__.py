"""Grades in formats that other programs read, a row for each. The order is that of `tilelab grade --help`."""

from grader.plugins.exports.autograder_results import (
    autolab_zip,
    classroom50_zip,
    gradescope_zip,
    junit_xml,
    prairielearn_zip,
    sarif_log,
)
from grader.plugins.exports.grade_tables import (
    ags_scores,
    answers_csv,
    blackboard_table,
    brightspace_csv,
    canvas_csv,
    canvas_feedback,
    grades_csv,
    moodle_csv,
    moodle_feedback,
    moodle_worksheet,
    parts_csv,
)
from grader.roll.batch.plugin import Export

PLUGINS = (
    Export("grades-csv", "grades.csv", "student,total,max and a column for each lab", grades_csv, always=True),
    Export("canvas", "exports/canvas.csv", "gradebook of Canvas", canvas_csv),
    Export(
        "canvas-feedback", "exports/canvas-feedback.zip", "pages for Canvas's re-upload of submissions", canvas_feedback
    ),
    Export("moodle", "exports/moodle.csv", "import of Moodle's gradebook", moodle_csv),
    Export("moodle-worksheet", "exports/moodle-worksheet.csv", "Moodle's offline grading worksheet", moodle_worksheet),
    Export(
        "moodle-feedback", "exports/moodle-feedback.zip", "pages for Moodle's multiple feedback files", moodle_feedback
    ),
    Export("blackboard", "exports/blackboard.*", "upload for Blackboard's grade centre", blackboard_table),
    Export("brightspace", "exports/brightspace.csv", "import of grades into Brightspace", brightspace_csv),
    Export("gradescope", "exports/gradescope.zip", "results.json of each student for Gradescope", gradescope_zip),
    Export("classroom50", "exports/classroom50.zip", "result.json of each student for classroom50", classroom50_zip),
    Export(
        "prairielearn", "exports/prairielearn.zip", "results.json of each student for PrairieLearn", prairielearn_zip
    ),
    Export("autolab", "exports/autolab.zip", "autograder's output of each student for Autolab", autolab_zip),
    Export("junit", "exports/junit.xml", "JUnit's XML of the class", junit_xml),
    Export("sarif", "exports/findings.sarif", "SARIF 2.1.0 of all findings", sarif_log),
    Export("ags", "exports/ags-scores.jsonl", "score payloads of LTI's Assignment and Grade Services", ags_scores),
    Export("parts-csv", "exports/parts.csv", "points for correctness, technique and speed, in columns", parts_csv),
    Export("answers-csv", "exports/answers.csv", "how many questions of each lab are answered", answers_csv),
)
