"""Reports: pure functions from results to what people read. What may be shown to whom is decided in `grader.redaction`."""

from grader.reports.pages import class_page, student_page

__all__ = ["class_page", "student_page"]
