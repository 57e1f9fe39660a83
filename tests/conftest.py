"""Which tests run, and their order: files that take longest come first. Those who run them in parallel keep it. At the end, what was
sampled and when each worker ran out of tests is said, and the report has each test's processor time. And a browser for pages.
"""

from __future__ import annotations

import contextlib
import gc
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
from corpus_sample import SEED, in_turn, summary, taken

from tests.changed_tests import changed_files, known_seconds

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

View = tuple[int, Literal["light", "dark"], Literal["screen", "print"]]  # the first: its width

# What another scheme or paper can break, and what another width can. Everything else follows from a page's elements.
_OF_COLOURS = ("color-contrast", "link-in-text-block")
_OF_SIZES = ("scrollable-region-focusable", "target-size", "aria-hidden-focus")
_SAMPLED: pytest.StashKey[tuple[int, int]] = pytest.StashKey()
_SPENT: pytest.StashKey[float] = pytest.StashKey()  # processor time up to the end of the last test
_ENDED: pytest.StashKey[list[str]] = pytest.StashKey()  # of each worker: when it ran out of tests
_BEGAN = time.monotonic()
_MINUTES = 600.0  # of a file that is marked, where no run of `make test` has timed it
os.environ.setdefault("TILELAB_RESIDENT", "0")  # no test leaves a process behind
os.environ["TILELAB_SAMPLE_SEED"] = str(
    SEED
)  # all workers of a run take the same, also when a commit is made meanwhile
_PATIENCE_MS = 300_000.0  # Playwright's own half a minute passes on a machine with much else to do


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    _take_turns(config, items)
    took = known_seconds(config.rootpath)

    def seconds(item: pytest.Item) -> float:
        return took.get(item.nodeid.split("::")[0], _MINUTES if item.get_closest_marker("long") else 0)

    items.sort(key=seconds, reverse=True)
    config.stash[_SPENT] = _processor_seconds()
    gc.freeze()  # eight thousand tests are no garbage: nobody looks through them again


def _take_turns(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Files that are marked `in_turn(n)` run an n-th of their tests at each commit. All of them run in a file that is asked for by its
    name, and where the last commit, or merge, changed the file itself or a document, a lab's file or the like that it names.
    """
    marked: dict[str, dict[str, int]] = {}
    for item in items:
        if (mark := item.get_closest_marker("in_turn")) is not None:
            marked.setdefault(item.nodeid.split("::")[0], {})[item.nodeid] = mark.args[0]
    whole = {str((config.invocation_params.dir / one.split("::")[0]).resolve()) for one in config.args}
    with contextlib.suppress(OSError):  # no git: nothing has changed
        changed = [Path(one) for one in changed_files(config.rootpath, "HEAD^1")]
        whole |= {str(config.rootpath / one) for one in changed}
        names = {one.name for one in changed if one.suffix not in {".py", ".cpp", ".hpp"}}
        texts = {file: (config.rootpath / file).read_text(encoding="utf-8") for file in marked}
        whole |= {str(config.rootpath / file) for file, text in texts.items() if any(one in text for one in names)}
    waiting: set[str] = set()
    for file, tests in marked.items():
        if str(config.rootpath / file) not in whole:
            waiting |= {*tests} - {*in_turn(file, [*tests], max(tests.values()))}
    if waiting:
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in waiting])
        items[:] = [item for item in items if item.nodeid not in waiting]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """The report says what each test took, in this process and in those that it waited for. What runs in a sandbox is not in it."""
    yield
    before, now = item.config.stash[_SPENT], _processor_seconds()
    item.config.stash[_SPENT] = now
    item.user_properties.append(("processor_seconds", round(now - before, 2)))


def _processor_seconds() -> float:
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker tells how much of its corpora it took: each has collected every test."""
    if (told := getattr(session.config, "workeroutput", None)) is not None:
        told["sampled"] = list(taken())


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:  # noqa: ANN401 -- a class of pytest-xdist
    told = getattr(node, "workeroutput", {}).get("sampled", [0, 0])
    node.config.stash[_SAMPLED] = max(node.config.stash.get(_SAMPLED, (0, 0)), tuple(told), key=lambda one: one[1])
    node.config.stash.setdefault(_ENDED, []).append(f"{time.monotonic() - _BEGAN:.0f} s")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if said := summary(*config.stash.get(_SAMPLED, taken())):
        terminalreporter.write_line(said)
    if ended := config.stash.get(_ENDED, []):
        terminalreporter.write_line(f"workers ran out of tests after {', '.join(ended)}")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser of this machine, which shows pages as readers see them. Tests are skipped where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next(
        filter(None, map(shutil.which, ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome"))),
        None,
    )
    if found is None:
        pytest.skip("there is no Chromium on this machine: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        args = ["--no-sandbox", "--disable-gpu", "--in-process-gpu"]  # a process less for each page that is opened
        browser = playwright.chromium.launch(executable_path=found, args=args)
        yield browser
        browser.close()


# On paper nobody scrolls: what is wider than its box is lost. And a dark scheme must not reach paper.
_CUT = """() => [...document.querySelectorAll('body *')].filter((one) => {
  const style = getComputedStyle(one);
  return one.scrollWidth > one.clientWidth + 1 && style.overflowX !== 'visible' && style.position !== 'absolute' && one.clientWidth > 5;
}).map((one) => one.outerHTML.slice(0, 120))"""
_PAPER = "getComputedStyle(document.body).backgroundColor"
_LIGHT = ("rgb(255, 255, 255)", "rgba(0, 0, 0, 0)")


@dataclass
class OpenedPage:
    """A page of ours in the browser, and what went wrong in it."""

    page: Page
    errors: list[str] = field(default_factory=list)  # what it said on its console, and uncaught exceptions
    requests: list[str] = field(default_factory=list)  # besides itself: there should be none

    def violations(self, rules: Sequence[str] = ()) -> list[str]:
        """What axe finds against WCAG 2.2 AA, or against these rules of axe: each with the first element that breaks it."""
        from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415 -- only where there is a browser

        tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
        only = {"type": "rule", "values": list(rules)} if rules else {"type": "tag", "values": tags}
        found = Axe().run(self.page, options={"runOnly": only}).response["violations"]
        return [f"{one['id']}: {one['nodes'][0]['html'][:200]}: {one['nodes'][0]['failureSummary']}" for one in found]

    def violations_in(self, views: Sequence[View]) -> list[str]:
        """What axe finds in each of these views, where the page is wider than the screen, and what paper would cut. Every rule is tried
        in the first, and in the others those that a width, or a scheme or medium, that was not seen yet can break.
        """
        found: list[str] = []
        seen: set[object] = set()
        for width, scheme, medium in views:
            self.page.set_viewport_size({"width": width, "height": 900})
            self.page.emulate_media(media=medium, color_scheme=scheme)
            rules = [
                *(() if (scheme, medium) in seen else _OF_COLOURS),
                *(() if width in seen else _OF_SIZES),
            ]
            if rules:
                found += [f"{width} {scheme} {medium}: {one}" for one in self.violations(rules if seen else ())]
            wide = self.page.evaluate("document.documentElement.scrollWidth")
            found += [f"{width} {medium}: the page is {wide} wide"] if wide > width else []
            if medium == "print":
                found += [f"{width}, cut on paper: {one}" for one in self.page.evaluate(_CUT)[:3]]
                found += [f"{scheme}: dark paper"] if self.page.evaluate(_PAPER) not in _LIGHT else []
            seen |= {width, (scheme, medium)}
        return found


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Callable[..., OpenedPage]]:
    """Opens a file in the browser, as from a folder: `opened(path, "#step=3", width=1280, height=900, scheme="dark")`."""
    contexts = []

    def show(
        file: Path, fragment: str = "", *, width: int = 1280, height: int = 900, scheme: str = "light"
    ) -> OpenedPage:
        # axe is put into the page by the test, which the page's own policy would refuse.
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
            bypass_csp=True,
        )
        contexts.append(context)
        context.set_default_timeout(_PATIENCE_MS)
        page = context.new_page()
        shown = OpenedPage(page)
        page.on("console", lambda said: shown.errors.append(said.text) if said.type in {"error", "warning"} else None)
        page.on("pageerror", lambda error: shown.errors.append(str(error)))
        url = file.resolve().as_uri()
        page.on("request", lambda one: shown.requests.append(one.url) if one.url.split("#")[0] != url else None)
        page.goto(url + fragment)
        return shown

    yield show
    for context in contexts:
        context.close()
