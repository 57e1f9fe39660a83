"""Reports: pure functions from results to what people read. What a student may see, `grader.scoring.redaction` decides."""

from grader.reports.pages import class_page, student_page

__all__ = ["class_page", "student_page"]
