"""Every pair of text and background on the pages has the contrast of WCAG 2, level AA, in both colour schemes."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

STYLE = (Path(__file__).parents[2] / "grader/pages/templates/page/paper.css").read_text(encoding="utf-8")
TONES = ("good", "bad", "absent", "waiting", "ours", "first", "second")
PAIRS = [
    *((text, ground) for text in ("ink", "soft", "link") for ground in ("paper", "card", "sunk")),
    *((tone, ground) for tone in TONES for ground in (f"{tone}-ground", "card")),
    *(("ink", f"{tone}-ground") for tone in ("first", "second", "absent", "waiting", "good")),
    *(("card", tone) for tone in TONES[:5]),  # a glyph in a bar
]


def palette(scheme: str) -> dict[str, tuple[int, ...]]:
    light, dark, *_ = re.split(r"@media screen and \(prefers-color-scheme: dark\)|\n\* \{", STYLE)
    found = re.findall(r"--([\w-]+): #([0-9a-f]{6});", light + dark if scheme == "dark" else light)
    return {name: tuple(bytes.fromhex(value)) for name, value in found}


def luminance(colour: tuple[int, ...]) -> float:
    """Relative luminance as WCAG 2 defines it."""
    linear = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), PAIRS)
def test_text_stands_out_from_its_ground(scheme: str, text: str, ground: str) -> None:
    colours = palette(scheme)
    dark, light = sorted((luminance(colours[text]), luminance(colours[ground])))
    assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_the_two_schemes_differ_in_every_colour() -> None:
    light, dark = palette("light"), palette("dark")
    assert light.keys() == dark.keys()
    assert all(one != other for name in light for one, other in pairwise((light[name], dark[name])))
