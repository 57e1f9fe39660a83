"""Reports: pure functions that turn results into what people read. `grader.scoring.redaction` decides what a student may see."""
