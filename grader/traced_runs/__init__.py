"""Runs of a student's own host code in which one launch is traced: which launches a run makes, and what a block of one of them does."""
