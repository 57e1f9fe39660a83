"""Draws the write-ups' figures as SVG text: boxes, words, arrows and matrices of cells on a light card.

The card has a background of its own, so that a figure reads the same on paper, on a dark page and on a light one.
Knows nothing of what a figure shows.
"""

# ruff: noqa: INP001 -- a script's piece, in no package
from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

INK, SOFT, PAPER = "#23282d", "#59626b", "#fcfbf7"
A, B, C = "#b9d3ee", "#f7cf9f", "#bfe0c4"  # the three matrices wherever they are drawn; letters say it on grey paper
PALE = {A: "#eaf2fa", B: "#fdf1e2", C: "#eaf5ec"}
EDGE = {A: "#2f6299", B: "#9a5713", C: "#2f6e40"}
ALARM = "#b3261e"
_FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"


class Canvas:
    """One picture of `width` by `height` pixels; `title` is what somebody hears who cannot see it."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self._parts = [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
                f' font-family="{_FONT}" font-size="14" fill="{INK}" role="img" aria-labelledby="title">'
            ),
            f'  <title id="title">{escape(title)}</title>',
            (
                '  <defs><marker id="tip" viewBox="0 0 10 10" refX="8.5" refY="5" markerWidth="7" markerHeight="7"'
                f' orient="auto-start-reverse"><path d="M0 0 10 5 0 10z" fill="{SOFT}"/></marker>'
                '<pattern id="hatch" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
                f'<path d="M0 0V7" stroke="{SOFT}" stroke-width="1.6" opacity=".55"/></pattern></defs>'
            ),
        ]
        self.box(1, 1, width - 2, height - 2, PAPER, "#cfcabd", radius=12)

    def box(
        self, x: float, y: float, width: float, height: float, fill: str, stroke: str = INK, *,
        radius: float = 0, weight: float = 1.2, dashed: bool = False,
    ) -> None:  # fmt: skip
        dash = ' stroke-dasharray="6 4"' if dashed else ""
        self._parts.append(
            f'  <rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" fill="{fill}"'
            f' stroke="{stroke}" stroke-width="{weight:g}"{dash}/>'
        )

    def text(
        self, x: float, y: float, words: str, *, size: int = 14, fill: str = INK, anchor: str = "start",
        bold: bool = False,
    ) -> None:  # fmt: skip
        weight = ' font-weight="600"' if bold else ""
        self._parts.append(
            f'  <text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}" text-anchor="{anchor}"{weight}>'
            f"{escape(words)}</text>"
        )

    def paragraph(self, x: float, y: float, words: str, *, gap: float = 23, size: int = 14) -> None:
        """The lines of `words`, one below the other."""
        for number, line in enumerate(words.split("\n")):
            self.text(x, y + number * gap, line, size=size)

    def line(
        self, x1: float, y1: float, x2: float, y2: float, stroke: str = SOFT, *,
        weight: float = 1.6, tip: bool = False, dashed: bool = False,
    ) -> None:  # fmt: skip
        more = (' marker-end="url(#tip)"' if tip else "") + (' stroke-dasharray="6 4"' if dashed else "")
        self._parts.append(
            f'  <path d="M{x1:g} {y1:g}L{x2:g} {y2:g}" stroke="{stroke}" stroke-width="{weight:g}"{more}/>'
        )

    def dot(self, x: float, y: float, fill: str) -> None:
        self._parts.append(f'  <circle cx="{x:g}" cy="{y:g}" r="6" fill="{fill}" stroke="{INK}"/>')

    def cells(
        self, x: float, y: float, rows: int, columns: int, side: float, fill: Callable[[int, int], str], *,
        words: Callable[[int, int], str] | None = None, size: int = 13, stroke: str = SOFT,
    ) -> None:  # fmt: skip
        """A matrix with its first element at (x, y); `fill` and `words` are asked with row and column."""
        for row in range(rows):
            for column in range(columns):
                left, top = x + column * side, y + row * side
                self.box(left, top, side, side, fill(row, column), stroke, weight=0.8)
                if words is not None:
                    self.text(
                        left + side / 2, top + side / 2 + size * 0.36, words(row, column), size=size, anchor="middle"
                    )

    def legend(self, x: float, y: float, entries: Sequence[tuple[str, str]], gap: float = 24) -> None:
        for number, (fill, words) in enumerate(entries):
            self.box(x, y + number * gap, 16, 16, fill, SOFT)
            self.text(x + 24, y + number * gap + 13, words, size=13)

    def svg(self) -> str:
        return "\n".join([*self._parts, "</svg>"]) + "\n"


def hatched(canvas: Canvas, x: float, y: float, width: float, height: float) -> None:
    """What lies outside a matrix."""
    if width > 0 and height > 0:
        canvas.box(x, y, width, height, "url(#hatch)", "none")
