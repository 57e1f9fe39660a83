"""Tilelab's grader: takes submissions in, builds and judges them, scores and reports."""

__version__ = "0.1.0"
