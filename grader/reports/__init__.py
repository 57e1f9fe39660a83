"""Reports: pure functions that turn results into what people read. `grader.scoring.redaction` decides what a student may see."""

from grader.reports.pages import class_page, student_page

__all__ = ["class_page", "student_page"]
