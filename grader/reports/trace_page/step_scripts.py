"""The page's scripts as one text. They share one scope, and the last one starts. Nothing is built and nothing is fetched."""

from __future__ import annotations

from markupsafe import Markup

from grader.reports.page.rendering import trusted_text

_SCRIPTS = (
    "page_parts",
    "story_data",
    "block_memory",
    "step_search",
    "step_words",
    "standings",
    "element_grid",
    "thread_grid",
    "matrix_place",
    "lane_picture",
    "lane_table",
    "question_card",
    "page_address",
    "stage",
    "stepping",
)


def step_script() -> Markup:
    parts = [trusted_text(f"trace_page/scripts/{name}.js") for name in _SCRIPTS]
    return Markup('(() => {\n"use strict";\n') + Markup("\n").join(parts) + Markup("\n})();")
