"""How Sphinx makes the documents a web site (`make site`): which pages there are, and how a repository's links become a site's.

Pages keep their paths. The navigation is the table of docs/README.md. What students may not have is no part of it.
"""

# ruff: noqa: INP001 -- Sphinx reads this file by its path
import posixpath
import re
import shutil
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import download_reference

ROOT = Path(__file__).resolve().parents[2]
INDEX = ROOT / "docs" / "README.md"

_ROW = re.compile(r"^\| ([^|]+) \| (.*\.md\).*) \|$", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)#\s]+\.md)\)")
ROWS = [("all documents", "](README.md)"), *_ROW.findall(INDEX.read_text(encoding="utf-8"))]
PAGES = {title: [posixpath.normpath(f"docs/{one}") for one in _LINK.findall(cell)] for title, cell in ROWS}

project = html_title = "Tilelab"
extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["README.md", *chain.from_iterable(PAGES.values())]
myst_heading_anchors = 6
html_theme = "furo"
html_use_index = html_copy_source = html_show_sphinx = html_show_copyright = False

# Forms that are filled in, and what only instructors have: the text of such a link stays.
_LEFT_OUT = re.compile(r"\[([^\]]+)\]\((?:answers\.md|[^)]*solutions/[^)]*)\)")

_NARROW = (
    "article table td, article table th { padding: .2rem .3rem; font-size: .75rem; overflow-wrap: break-word; } "
    "article table code { white-space: normal; }"
)

# What the theme leaves out of its pages, for those who use a keyboard, a screen reader or a phone.
_MENDED = (
    ('class="caption" role="heading">', 'class="caption" role="heading" aria-level="2">'),
    ('<aside class="sidebar-drawer">', '<aside class="sidebar-drawer" aria-label="All pages">'),
    ('<aside class="toc-drawer">', '<aside class="toc-drawer" aria-label="On this page">'),
    ('<th class="head"><p></p></th>', "<td></td>"),
    ('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper'),
    ("<pre>", '<pre tabindex="0">'),
    # On a phone, a table's last column is on the screen.
    ("</head>", f"<style>@media (max-width: 40em) {{ {_NARROW} }}</style></head>"),
)


def navigation() -> str:
    """A hidden table of contents for each row of the index."""
    return "".join(
        f"\n```{{toctree}}\n:hidden:\n:caption: {title[0].upper()}{title[1:]}\n\n" + "\n".join(pages) + "\n```\n"
        for title, pages in PAGES.items()
    )


def _read(app: Any, name: str, text: list[str]) -> None:  # noqa: ANN401 -- Sphinx's application
    app.env.note_dependency(str(INDEX))
    text[0] = _LEFT_OUT.sub(r"\1", text[0]) + (navigation() if name == root_doc else "")


def _open_files(_app: object, doctree: nodes.document, name: str) -> None:
    """A link to a file opens it, as the worked example, in place of saving it."""
    for link in list(doctree.findall(download_reference)):
        if "filename" in link:
            place = "../" * name.count("/") + "_downloads/" + link["filename"]
            link.replace_self(nodes.reference("", "", *link.children, refuri=place))


def _finish(app: Any, error: Exception | None) -> None:  # noqa: ANN401 -- as above
    if error is None:
        for page in (one for one in Path(app.outdir).rglob("*.html") if "_downloads" not in one.parts):
            text = page.read_text(encoding="utf-8")
            page.write_text(reduce(lambda all_, one: all_.replace(*one), _MENDED, text), encoding="utf-8")
        shutil.copy(Path(app.outdir, f"{root_doc}.html"), Path(app.outdir, "index.html"))


def setup(app: Any) -> None:  # noqa: ANN401 -- as above
    app.connect("source-read", _read)
    app.connect("doctree-resolved", _open_files)
    app.connect("build-finished", _finish)
