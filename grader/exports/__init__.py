"""Grades in formats that other programs read: one file for each format, and a line for it in EXPORTS."""

from grader.exports.export import Export
from grader.exports.grades_csv import GRADES_CSV

EXPORTS: tuple[Export, ...] = (GRADES_CSV,)
USUAL = GRADES_CSV.name  # if no format is requested


def export_help() -> str:
    """One line: each format's name and what it holds."""
    return "; ".join(f"{one.name}: {one.file}, {one.help}" for one in EXPORTS)


__all__ = ["EXPORTS", "USUAL", "Export", "export_help"]
