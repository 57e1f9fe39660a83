"""Runs one launch of one kernel, without grading it: `tilelab trace`, `profile` and `check`."""
