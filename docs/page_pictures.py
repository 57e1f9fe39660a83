"""Draws the pictures of pages in docs/img again, with Chromium. Nothing compares them with the pages: do it when a page has changed.

Usage: make grade LAB="01 02 03", then .venv/bin/python docs/page_pictures.py out
"""

# ruff: noqa: INP001 -- a script, in no package
from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).resolve().parent / "img"
# Page, width, and what ends the picture: its bottom edge, with a margin in pixels.
PICTURES = {
    "student-report.png": ("students/edsger-dijkstra/report.html", 960, ".finding", 16),
    "class-report.png": ("index.html", 1180, ".panels", 16),
}


def main(out: Path) -> None:
    found = shutil.which("chromium") or shutil.which("chromium-headless-shell")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        for name, (path, width, last, margin) in PICTURES.items():
            page = browser.new_page(viewport={"width": width, "height": 1000})
            page.goto((out / path).resolve().as_uri())
            below = page.locator(last).first.evaluate("one => one.getBoundingClientRect().bottom + scrollY")
            page.screenshot(
                path=IMAGES / name, full_page=True, clip={"x": 0, "y": 0, "width": width, "height": below + margin}
            )
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
