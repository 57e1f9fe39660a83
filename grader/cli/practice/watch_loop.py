"""`tilelab watch`: tests the labs and shows the screen, and does so again whenever a file is saved or a key asks for it, until it is
interrupted. Between two saves the line of a wrong result is looked for, and shown when it is found.
"""

from __future__ import annotations

import dataclasses
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from rich.console import Console, Group
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from grader.cli.practice.practice import Practice, focus_of
from grader.cli.practice.terminal_keys import window_lines
from grader.model import visible_text
from grader.model.advice import question_for
from grader.model.errors import RemediableError
from grader.model.labs import load_lab
from grader.model.result import LabResult
from grader.model.verdicts import Verdict
from grader.pages.findings.one_cause import explanations
from grader.pages.screens.first_mistake import Tried, suspect_view
from grader.pages.screens.lab_screen import Screen

# Looks for the line of a wrong result while nobody waits: in a thread of its own, until the next save. Not here: what is shown.


class IdleSearch:
    """`found` is called with the lines, in the search's thread, while it holds `lock`; not after `stop`."""

    def __init__(self, practice: Practice, found: Callable[[Tried], None]) -> None:
        self._practice, self._found = practice, found
        self.lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, tried: Tried) -> None:
        """Ends the search before it."""
        self.stop()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(tried, self._stop), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """What is being tried ends by itself, and nothing is said of it."""
        self._stop.set()

    def wait(self) -> None:
        """Until the search has ended."""
        if self._thread is not None:
            self._thread.join()

    def _run(self, tried: Tried, stop: threading.Event) -> None:
        suspected = self._practice.suspected(tried, stopped=stop.is_set)
        with self.lock:
            if suspected.result.suspects and not stop.is_set():
                self._found(suspected)


# Waits for files to be saved. Some file systems deliver no file events (WSL's drives and network folders), so it reads their contents
# again and again. A save counts only after the file has stopped changing: an editor may write in pieces, or replace the file.

POLL_SECONDS = 0.4
_GONE_POLLS = 8  # after that many polls without the file, it was removed and not saved

Contents = bytes | None  # None if there is no readable file


def read_contents(path: Path) -> Contents:
    """The file's contents; None if it is missing, is no regular file, or cannot be read at the moment."""
    try:
        return path.read_bytes()
    except OSError:
        return None


class FilePoller:
    """`paths`: a name for each file. `beside`: of a name, the other files that a save may be of. Tests pass their own `sleep`."""

    def __init__(
        self,
        paths: Mapping[str, Path],
        *,
        sleep: Callable[[float], None],
        beside: Callable[[str], Sequence[Path]] = lambda _name: (),
    ) -> None:
        self._paths, self._sleep, self._beside = paths, sleep, beside
        self._known = self._look()

    def poll(self) -> list[str]:
        """Sleeps once, and gives the names of the files that were saved since the last time: mostly none."""
        self._sleep(POLL_SECONDS)
        now = self._look()
        if now == self._known:
            return []
        now = self._at_rest(now)
        changed = [name for name in self._paths if now[name] != self._known[name]]
        self._known = now
        return changed  # none if an edit has been undone since

    def _at_rest(self, seen: dict[str, Contents]) -> dict[str, Contents]:
        """The contents after nothing changes any more. A file that is missing for a moment was not removed."""
        away = 0
        while True:
            self._sleep(POLL_SECONDS)
            now = self._look()
            vanished = any(now[name] is None and self._known[name] is not None for name in now)
            away = away + 1 if vanished else 0
            if now == seen and (not vanished or away >= _GONE_POLLS):
                return now
            seen = now

    def _look(self) -> dict[str, Contents]:
        return {name: self._whole(name, read_contents(path)) for name, path in self._paths.items()}

    def _whole(self, name: str, main: Contents) -> Contents:
        others = self._beside(name) if main is not None else ()
        return main and b"\0".join(
            [main, *(b"%s\0%s" % (one.name.encode(), read_contents(one) or b"") for one in others)]
        )


Event = list[str] | str  # the names of saved files, or a key


def watch_events(poller: FilePoller, take: Callable[[], str] = str) -> Iterator[Event]:
    """`take`: the next key that was pressed, or an empty text. What is saved while the caller works is reported next."""
    while True:
        if saved := poller.poll():
            yield saved
        while sign := take():
            yield sign


_KEYS = {
    "r": ("run", "runs the tests again"),
    "n": ("next", "goes on to the next lab"),
    "t": ("trace", "shows what one block of your kernel does"),
    "p": ("page", "opens the page that your instructor would see"),
    "h": ("hint", "gives a hint, and one more each time"),
    "a": ("answers", "says which questions are open, and whether your numbers are right"),
    "q": ("quit", "ends it, as Ctrl-C does"),
    "?": ("", "shows this list, and goes back"),
}


# What is said while another command runs for a key.
_DOING = {"t": "tracing …", "p": "writing the page …", "a": "looking at your answers …"}


class WatchLoop:
    """`commands`: by key, what is done with a lab; each returns what is to be shown below the screen. Empty: there are no keys."""

    def __init__(
        self,
        practice: Practice,
        console: Console,
        *,
        clock: Callable[[], datetime],
        commands: Mapping[str, Callable[[str], str]] = MappingProxyType({}),
    ) -> None:
        self._practice, self._console, self._clock, self._commands = practice, console, clock, commands
        self._tried: dict[str, Tried] = {}
        self._troubles: dict[str, str] = {}  # which labs could not be tested, and why
        self._focused: str | None = None  # the lab that a key or a save has chosen
        self._hints = 0  # of the lab in focus: how many are shown
        self._said = ""  # by another command
        self._lists_keys = False
        self._idle = IdleSearch(practice, self._found)

    def run(self, events: Iterable[Event]) -> int:
        """Tests every lab, then each lab whose file is saved. Ends with 0 when it is interrupted, or with the key for it."""
        try:
            self._test([lab.id for lab in self._practice.labs])
            for event in events:
                if isinstance(event, str):
                    if event.casefold() == "q":
                        raise KeyboardInterrupt  # noqa: TRY301 -- one way to end
                    self._press(event.casefold())
                else:
                    self._test(event)
            self._idle.wait()
        except KeyboardInterrupt:
            self._idle.stop()
            if self._console.is_terminal:
                self._console.print()
        return 0

    def _press(self, sign: str) -> None:
        focus = self._focus()
        if not self._commands or sign not in _KEYS:
            return
        listed, self._said = self._lists_keys, ""
        self._lists_keys = sign == "?" and not listed
        if sign == "r":
            self._test([focus.lab_id] if focus else [lab.id for lab in self._practice.labs])
            return
        if sign == "n" and self._went_on(focus):
            return
        if focus is not None and sign in self._commands:
            self._idle.stop()
            self._say(_DOING[sign])
            self._said = self._commands[sign](focus.lab_id)
        if sign == "h":
            self._hints += 1
        with self._idle.lock:
            self._show()

    def _went_on(self, focus: Tried | None) -> bool:
        """To the next of several labs; from the only one to the course's next lab: whether that was tested and shown."""
        ids = [lab.id for lab in self._practice.labs]
        if len(ids) > 1:
            place = ids.index(focus.lab_id) if focus else -1
            self._choose(ids[(place + 1) % len(ids)])
            return False
        following = self._practice.after(ids[0])
        if not following:
            self._said = "This is the last lab."
            return False
        self._idle.stop()
        with self._idle.lock:
            lab = load_lab(self._practice.root, following)
            self._practice = dataclasses.replace(self._practice, labs=[lab], case=None, file=None)
            self._idle = IdleSearch(self._practice, self._found)
            self._tried, self._troubles = {}, {}
        self._test([following])
        return True

    def _choose(self, lab_id: str | None) -> None:
        self._focused, self._hints = lab_id, 0

    def _test(self, lab_ids: Sequence[str]) -> None:
        lab_ids = [lab.id for lab in self._practice.labs if lab.id in lab_ids]
        if not lab_ids:  # a lab that is not watched any more
            return
        self._idle.stop()
        with self._idle.lock:
            self._test_now(lab_ids)
        focus = self._focus()
        if focus is not None and focus.lab_id in lab_ids:
            self._idle.begin(focus)

    def _found(self, suspected: Tried) -> None:
        """The screen again with the line to look at. A log gets only that line."""
        self._tried[suspected.lab_id] = suspected
        if self._console.is_terminal:
            self._show()
        else:
            shown = suspect_view(suspected.result, {suspected.result.file: suspected.source}, self._console.width)
            self._console.print(Group(*shown), "")

    def _test_now(self, lab_ids: Sequence[str]) -> None:
        self._said, self._lists_keys = "", False
        for lab in self._practice.labs:
            if lab.id in lab_ids:
                self._say(f"testing {lab.id} …")
                try:
                    self._tried[lab.id] = self._practice.attempt(lab)
                    self._troubles.pop(lab.id, None)
                except RemediableError as error:
                    self._tried.pop(lab.id, None)
                    self._troubles[lab.id] = str(error)
        # The author of a single saved lab wants to see it, if it does not pass.
        own = self._tried.get(lab_ids[0]) if len(lab_ids) == 1 else None
        self._choose(own.lab_id if own is not None and not own.passed else None)
        self._show()

    def _focus(self) -> Tried | None:
        tried = [self._tried[lab.id] for lab in self._practice.labs if lab.id in self._tried]
        return self._tried.get(self._focused or "") or focus_of(tried)

    def _show(self) -> None:
        tried = [self._tried[lab.id] for lab in self._practice.labs if lab.id in self._tried]
        focus = self._focus()
        self._console.clear()  # does nothing without a terminal
        for trouble in self._troubles.values():
            self._console.print(Text(trouble, style="red"), soft_wrap=True)
        lines = window_lines(self._console, 0)
        if lines is not None:
            lines = max(lines - 1 - len(self._troubles), 1)  # and the footer
        following = self._practice.after(tried[0].lab_id) if len(tried) == 1 else ""
        screen = Screen(tried, focus, lines=lines, next_lab=following)
        below = Group(*self._below(focus, screen))
        if self._lists_keys:
            rows = [Text.assemble((f"  {sign}  ", "bold"), what) for sign, (_, what) in _KEYS.items()]
            self._console.print(Group(Text("Save a file to test it. Keys:", style="bold"), *rows))
        elif tried:
            if lines is not None and below.renderables:
                used = len(self._console.render_lines(below, pad=False))
                screen = dataclasses.replace(screen, lines=max(lines - used, 1))
            self._console.print(screen)
        if below.renderables:
            self._console.print(below)
        if self._console.is_terminal:
            self._last_line(self._footer())
        else:
            self._console.print()  # a blank line between this screen and the next

    def _below(self, focus: Tried | None, screen: Screen) -> list[Text]:
        """What a key asked for. A hint that stands on the screen is none."""
        shown = [Text(self._said, style="" if "\n" in self._said else "bold")] if self._said else []
        if not self._hints or self._lists_keys:
            return shown
        hints = [] if focus is None else graded_hints(focus, self._practice.write_up(focus.lab_id))
        if not hints:
            return [*shown, Text("There is nothing to hint at: it passes.", style="bold")]
        lines = ("".join(each.text for each in line) for line in self._console.render_lines(screen))
        said = " ".join(" ".join(lines).split())
        hints = [one for one in hints if one.removeprefix(SEEN) not in said] or hints[-1:]
        number = min(self._hints, len(hints))
        last = "" if self._hints <= len(hints) else " That was the last one."
        head = (f"Hint {number} of {len(hints)}: ", "bold blue")
        return [*shown, Text.assemble(head, hints[number - 1], (last, "dim"))]

    def _footer(self) -> str:
        if not self._commands:
            many = len(self._practice.labs)
            files = self._practice.path(self._practice.labs[0]).name if many == 1 else f"{many} files"
            return f"{self._clock():%H:%M:%S}  watching {files}; save to test again, Ctrl-C to end"
        keys = "  ".join(f"{sign} {word}".rstrip() for sign, (word, _) in _KEYS.items())
        return f"{self._clock():%H:%M}  save: test  {keys}"  # 80 columns have room for no more

    def _say(self, doing: str) -> None:
        """Replaces the last line on a terminal. A log gets only the results."""
        if self._console.is_terminal:
            self._console.control(Control(ControlType.CARRIAGE_RETURN, (ControlType.ERASE_IN_LINE, 2)))
            self._last_line(doing)

    def _last_line(self, text: str) -> None:
        """Cut at the edge of the window, where it would make the window scroll."""
        self._console.print(Text(text, style="dim"), no_wrap=True, overflow="ellipsis", end="")


# Hints for a lab that fails, from a question to the place in the write-up, one more each time. They are taken from what the lab's files and
# its findings say to students; no solution is read. Pure.

SEEN = "Seen in the result: "
_HEADING = re.compile(r"^#{2,4} +(.+?)\s*$", re.MULTILINE)
_LIST = re.compile(r"^(?:[-*|>]|\d+\.|```|!\[|<)")
_LONGEST = 600
_NO_HELP = frozenset({"how it is graded", "questions", "what you will learn"})
# Words of a write-up about each mistake, the most telling first.
_WORDS: dict[Verdict, tuple[str, ...]] = {
    Verdict.RACE: ("__syncthreads", "barrier", "atomic", "overwrit"),
    Verdict.BARRIER_DIVERGENCE: ("every thread", "__syncthreads", "barrier"),
    Verdict.OUT_OF_BOUNDS: ("stick out", "outside", "edge", "exist", "past the end"),
    Verdict.UNINITIALIZED_READ: ("zero", "never written", "does not hold", "__syncthreads"),
    Verdict.WRONG_ANSWER: ("row-major", "index", "r·w", "sum"),
    Verdict.LAUNCH_ERROR: ("round up", "grid", "blocks"),
    Verdict.MISSING_ENTRY_POINT: ("keep their names", "you write"),
    Verdict.COMPILE_ERROR: ("you write", "edit"),
    Verdict.TIMEOUT: ("barrier", "loop"),
    Verdict.INPUT_MODIFIED: ("write every", "read none", "stores"),
}


def graded_hints(tried: Tried, write_up: str) -> list[str]:
    """From the most general to the most exact; none for a lab that passes. `write_up`: the text of the lab's README.md."""
    if tried.passed:
        return []
    return list(dict.fromkeys(one for one in _hints(tried, write_up) if one))


def _hints(tried: Tried, write_up: str) -> Iterator[str]:
    lab = tried.result
    if not tried.starting:
        if lab.first_error is not None and lab.ran:
            yield question_for(lab.first_error)
        failed = [case for case in lab.cases if not case.passed]
        yield from (visible_text.line(case.advice, _LONGEST) for case in failed[:2])
        yield from (f"{SEEN}{visible_text.line(one.sentence, _LONGEST)}" for one in explanations(lab)[:1])
    yield from _of_write_up(lab, write_up, starting=tried.starting)


def _of_write_up(lab: LabResult, write_up: str, *, starting: bool) -> Iterator[str]:
    """Which section to read, and then its sentence."""
    words = ("edit", "you write") if starting else _WORDS.get(lab.verdict, ())
    found = list(_HEADING.finditer(write_up))
    ends = [*(one.start() for one in found[1:]), len(write_up)]
    sections = [(one[1], write_up[one.end() : end]) for one, end in zip(found, ends, strict=False)]
    for word in words:
        for heading, text in sections:
            paragraph = next((one for one in _paragraphs(text) if word in one.casefold()), "")
            if paragraph and heading.casefold() not in _NO_HELP:
                yield f"Read again in README.md: “{visible_text.line(_without_signs(heading), 120)}”."
                yield visible_text.line(_without_signs(paragraph), _LONGEST)
                return


def _paragraphs(text: str) -> Iterator[str]:
    """Prose alone: no code, tables, pictures. The points of a list count one by one."""
    outside = "".join(text.split("```")[::2])
    for block in re.split(r"\n\s*\n|\n(?=- |\d+\. )", outside):
        line = " ".join(block.split())
        if re.match(r"- |\d+\. ", line):
            yield line.partition(" ")[2]
        elif line and not _LIST.match(line):
            yield line


def _without_signs(markdown: str) -> str:
    """Without the signs of Markdown."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    return re.sub(r"\*\*|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)|`", "", text)
