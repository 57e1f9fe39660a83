"""Draws the course's map: `.venv/bin/python docs/figures/course_map.py` brings docs/img/course-map.svg up to date.

Labs and arrows are those of the labs' own files (`needs` in lab.toml). tests/conventions/test_course_map.py fails when it is not current.
"""

# ruff: noqa: INP001 -- a script, in no package
from __future__ import annotations

from pathlib import Path
from textwrap import shorten

from canvas import EDGE, PALE, SOFT, B, C, Canvas

from grader.model.labs import Lab, lab_ids, load_lab

ROOT = Path(__file__).resolve().parents[2]
MAP = ROOT / "docs" / "img" / "course-map.svg"
_WIDTH, _HEIGHT, _ACROSS, _DOWN, _LEFT, _TOP = 170, 52, 212, 78, 30, 70


def columns_of(labs: dict[str, Lab]) -> dict[str, int]:
    """How many labs come before each one, on the longest way. Raises ValueError where labs need each other in a circle."""
    columns: dict[str, int] = {}
    while len(columns) < len(labs):
        ready = [
            name
            for name, lab in labs.items()
            if name not in columns and all(one in columns for one in lab.public.needs if one in labs)
        ]
        if not ready:
            message = f"labs need each other in a circle: {', '.join(sorted(set(labs) - set(columns)))}"
            raise ValueError(message)
        for name in ready:
            columns[name] = 1 + max((columns[one] for one in labs[name].public.needs if one in columns), default=-1)
    return columns


def places_of(labs: dict[str, Lab]) -> dict[str, tuple[int, int]]:
    """Column and row of each lab: the first in the row of one that it needs, if that place is free."""
    taken: set[tuple[int, int]] = set()
    places: dict[str, tuple[int, int]] = {}
    columns = columns_of(labs)
    for name in sorted(labs, key=lambda one: (columns[one], labs[one].public.extra_credit, one)):
        rows = [places[one][1] for one in labs[name].public.needs if one in places]
        row = max(rows, default=0)
        while (columns[name], row) in taken:
            row += 1
        places[name] = (columns[name], row)
        taken.add(places[name])
    return places


def course_map(labs: dict[str, Lab]) -> str:
    places = places_of(labs)
    width = _LEFT * 2 + (1 + max(column for column, _ in places.values())) * _ACROSS - (_ACROSS - _WIDTH)
    height = _TOP + (1 + max(row for _, row in places.values())) * _DOWN + 20
    shown = "; ".join(f"{name} after {', '.join(labs[name].public.needs) or 'nothing'}" for name in sorted(labs))
    canvas = Canvas(max(width, 620), height, f"The labs and what comes before each: {shown}.")
    canvas.text(24, 34, "The labs, and which come before which", size=17, bold=True)
    canvas.text(24, 55, "Start with 01-naive. Labs with a dashed edge are extra credit.", size=13, fill=SOFT)
    for name, (column, row) in places.items():
        x, y = _LEFT + column * _ACROSS, _TOP + row * _DOWN
        for before in labs[name].public.needs:
            if before in places:
                from_x, from_y = (_LEFT + places[before][0] * _ACROSS + _WIDTH, _TOP + places[before][1] * _DOWN)
                canvas.line(from_x, from_y + _HEIGHT / 2, x - 3, y + _HEIGHT / 2, tip=True)
    for name, (column, row) in places.items():
        x, y, lab = _LEFT + column * _ACROSS, _TOP + row * _DOWN, labs[name]
        extra = lab.public.extra_credit
        canvas.box(
            x, y, _WIDTH, _HEIGHT, PALE[C] if extra else B, EDGE[C] if extra else EDGE[B], radius=8, dashed=extra
        )
        canvas.text(x + _WIDTH / 2, y + 22, name, anchor="middle", size=14, bold=True)
        canvas.text(
            x + _WIDTH / 2, y + 41, shorten(lab.public.title, 28, placeholder="…"), anchor="middle", size=11, fill=SOFT
        )
    return canvas.svg()


def current() -> str:
    return course_map({name: load_lab(ROOT, name) for name in lab_ids(ROOT)})


if __name__ == "__main__":
    MAP.write_text(current(), encoding="utf-8")
