"""`make site`: every document and write-up is in it, each link leads somewhere, nothing comes from another host, and axe finds nothing."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from corpus_sample import sample

pytestmark = pytest.mark.in_turn(4)

ROOT = Path(__file__).resolve().parents[2]
_LINK = re.compile(r'<(\w+)[^>]*? (?:href|src)="([^"]*)"')
_NAMED = re.compile(r'\b(?:id|name)="([^"]+)"')


def build(out: Path, *sources: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-c", "docs/site", "-d", str(out / "parts")]
    return subprocess.run([*command, *sources], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("furo") is None:
        pytest.skip("Sphinx is not installed: `make site` installs it")
    out = tmp_path_factory.mktemp("site")
    done = build(out, ".", str(out / "html"))
    assert (done.returncode, done.stderr) == (0, "")
    return out / "html"


def test_every_document_is_in_it_and_nothing_that_only_instructors_have(site: Path) -> None:
    listed = ["git", "ls-files", "--", "*.md", ":!:solutions", ":!:*/answers.md", ":!:tests/other_courses"]
    pages = subprocess.run(listed, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    made = {one.relative_to(site).as_posix() for one in site.rglob("*") if one.is_file()}
    assert len(pages) > 40
    assert {page.replace(".md", ".html") for page in pages} | {"index.html", "search.html"} == {
        one for one in made if one.endswith(".html") and not one.startswith("_downloads/")
    }
    assert sum(one.endswith("/worked-example.html") for one in made) == 1
    secret = {path.name for path in (ROOT / "solutions").rglob("*.cu")} | {"hidden_tests.cpp", "numbers.toml"}
    assert not secret & {Path(one).name for one in made}


def test_each_link_leads_to_a_place_in_the_site_and_nothing_is_fetched_from_another_host(site: Path) -> None:
    texts = {page: page.read_text(encoding="utf-8") for page in site.rglob("*.html")}
    places = {page: set(_NAMED.findall(text)) for page, text in texts.items()}
    broken, fetched = [], []
    for page, text in texts.items():
        for tag, link in _LINK.findall(text):
            path, _, place = unquote(link).partition("#")
            if re.match(r"[a-z]+:", path):
                fetched += [link] if tag != "a" and not path.startswith("data:") else []
                continue
            to = (page.parent / path.partition("?")[0]).resolve() if path else page
            if not to.is_file() or (place and to in places and place not in places[to]):
                broken.append(f"{page.relative_to(site)}: {link}")
    assert (broken, fetched) == ([], [])


def test_a_link_that_leads_nowhere_stops_it(site: Path, tmp_path: Path) -> None:
    assert site.is_dir()
    for page in ("docs/README.md", "docs/site/conf.py", "README.md"):
        (tmp_path / page).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / page).write_text((ROOT / page).read_text(encoding="utf-8"), encoding="utf-8")
    done = build(tmp_path, str(tmp_path), str(tmp_path / "html"), str(tmp_path / "README.md"))
    assert done.returncode != 0
    assert "docs/running-a-course" in done.stderr


@pytest.mark.parametrize("page", sample(["index", "assignments/02-tiled/README", "docs/how-the-cpu-executor-works"], 3))
def test_axe_finds_nothing_on_it(site: Path, opened: Callable[..., Any], page: str) -> None:
    shown = opened(site / f"{page}.html")
    assert shown.violations_in([(390, "light", "screen"), (1280, "dark", "screen")]) == []


def test_its_search_finds_a_word_without_a_server(site: Path, opened: Callable[..., Any]) -> None:
    shown = opened(site / "search.html", "?q=barrier")
    shown.page.wait_for_selector("#search-results li a")
    assert shown.page.locator("#search-results li a").count() > 5
    assert {one.partition(":")[0] for one in shown.requests} <= {"file", "data"}
