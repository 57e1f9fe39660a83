"""Finds a lab's files in one upload and copies them, normalised, into our own folder.

The name must be exact, except for what browsers and systems make of it by themselves. Where several files have it, the one at the
handout's own place counts, then the one nearest to the top. Copies in folders such as `old` or `build` count for nothing beside it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from grader.course.answer_text import (
    ANSWER_BYTES,
    NoAnswersError,
    answer_text,
    is_blank,
    is_named_answers,
    lab_of,
    read_answers,
)
from grader.course.question_file import ANSWERS, LabQuestions, load_questions
from grader.model.labs import Lab
from grader.model.several_files import MOST_FILES, BuildWords, build_words, can_be_named, is_asked, joined
from grader.model.written_names import clean, is_copy, is_prefixed, is_variant, nearly
from grader.roll.intake.upload import FILE_BYTES, Contents, Stored, stored_bytes
from grader.source.student_code import normalise

# The files that labs ask for, and how to know each of them: by its name, its place in the handout, what it defines, and the starter.

_CALLED = re.compile(r"([A-Za-z_]\w*)\(")


@dataclass(frozen=True)
class LabFile:
    name: str
    lab: str = ""  # the lab's id; the handout keeps the file in assignments/<lab>/
    entries: tuple[str, ...] = ()  # names of functions that it must define
    starter: bytes | None = None  # what the handout gives
    questions: LabQuestions | None = field(default=None, compare=False)  # whose answers may be beside it
    beside: tuple[str, ...] = ()  # names and patterns of other files of the lab
    given: frozenset[str] = frozenset()  # names that none of them has: those of the course's headers

    def asks_beside(self, name: str) -> bool:
        return is_asked(name, self.beside) and name != self.name and name not in self.given

    def is_at_home(self, path: tuple[str, ...]) -> bool:
        """Whether it lies where the handout keeps it, in whatever folder the handout is."""
        return bool(self.lab) and path[-3:] == ("assignments", self.lab, self.name)


def lab_file(lab: Lab) -> LabFile:
    """Raises LabError where the lab's questions are wrong."""
    names = tuple(found[1] for entry in lab.public.entries if (found := _CALLED.search(entry)))
    path, starter = lab.public_dir / lab.public.file, None
    with suppress(OSError):
        starter = path.read_bytes()
    return LabFile(lab.public.file, lab.id, names, starter, load_questions(lab), lab.public.beside, lab.public.given)


def lab_files(wanted: Collection[str] | Collection[LabFile]) -> Sequence[LabFile]:
    """In the order of their names. Of a plain name nothing else is known."""
    found = [one if isinstance(one, LabFile) else LabFile(one) for one in wanted]
    return sorted(found, key=lambda one: one.name)


_NESTED = 2  # how many single nested folders are entered
_MOST = 64  # of one name are compared
_SHOWN = 4
_POINTER = b"version https://git-lfs.github.com/spec/"
_VERSION = re.compile(r"Version (\d{1,4})")


@dataclass
class Match:
    """What became of each wanted file, copied to `target`. A wanted file that is in none of the three dictionaries is missing."""

    target: Path
    sources: dict[str, Path] = field(default_factory=dict)
    blocked: dict[str, str] = field(default_factory=dict)
    hints: dict[str, str] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)

    def place(self, name: str, data: bytes | None) -> None:
        """A lab's file, however it came."""
        text, done = normalise((data or b"")[: FILE_BYTES + 1])
        if data is None:
            self.blocked[name] = f"{name!r} cannot be read"
        elif data.startswith(_POINTER):
            pull = "the file itself is not here: run `git lfs pull` in the clone"
            self.blocked[name] = f"{name!r} is a pointer of Git LFS, and {pull}"
        elif len(data) > FILE_BYTES or len(text) > 2 * FILE_BYTES:
            self.blocked[name] = f"{name!r} is larger than {FILE_BYTES >> 10} KiB, which no kernel needs"
        else:
            self.target.mkdir(parents=True, exist_ok=True)
            self.sources[name] = self.target / name
            self.sources[name].write_bytes(text)
            self.notices += [f"{name}: {one}" for one in done]
            if not text.strip():
                self.notices.append(f"{name} is empty")

    def place_beside(self, wanted: LabFile, found: Mapping[str, bytes | None]) -> None:
        """Other files of a lab whose main file has been placed: all of them become one text."""
        texts = {
            name: normalise(data)[0].decode("utf-8", "replace")
            for name, data in sorted(found.items())
            if data is not None
        }
        main = self.sources[wanted.name].read_bytes()
        unread = [
            f"{name!r} cannot be read, or is larger than {FILE_BYTES >> 10} KiB" for name in found if name not in texts
        ]
        whole = joined(main.decode("utf-8", "replace"), texts).encode()
        if len(found) > MOST_FILES or len(whole) > 4 * FILE_BYTES:
            unread = [
                f"{len(found)} files beside {wanted.name!r} are more than {MOST_FILES}, or more than {FILE_BYTES >> 8} KiB"
            ]
        if unread:
            del self.sources[wanted.name]
            self.blocked[wanted.name] = unread[0]
            return
        self.sources[wanted.name].write_bytes(whole)
        self.notices += [f"{wanted.name} comes with {', '.join(texts)}"] if texts else []
        words = build_words(texts)
        if words != BuildWords():
            options = [
                *(f"-D{one}" for one in words.definitions),
                *([f"-std=c++{words.standard}"] if words.standard else []),
            ]
            used = ", ".join([*words.sources, *options]) or "nothing"
            left = f"; not used: {', '.join(words.ignored[:_MOST])}" if words.ignored else ""
            self.notices.append(clean(f"from the build file: {used}{left}"))


def match_files(contents: Contents, target: Path, wanted: Sequence[LabFile]) -> Match:
    """Copies those of the `wanted` files that `contents` holds to `target`."""
    match = Match(target)
    files = list(contents.files)
    if not files and not contents.defects:
        match.notices.append("this submission has no files")
    files = _unnested(files, match.notices)
    names = frozenset(one.name for one in wanted)
    for one in wanted:
        _match_one(one, files, match)
    for defect in contents.defects:  # a wanted file that is a link or a device is blocked; others are only notices
        name = defect.path[-1] if defect.path else ""
        if name in names and name not in match.sources:
            match.blocked[name] = defect.reason
        else:
            match.notices.append(defect.reason)
    left = [file for file in files if file.path[-1] not in names]
    for one in wanted:
        if one.name not in match.sources and one.name not in match.blocked:
            _match_variant(one, left, match)
    for one in wanted:
        if one.beside and one.name in match.sources:
            home = next((file.path[:-1] for file in files if one.is_at_home(file.path)), ())
            near = [
                file for file in files if file.path[: len(home)] == home and file.path[-1] not in names - {one.name}
            ]
            _match_beside(one, near, match)
    return match


def _unnested(files: list[Stored], notices: list[str]) -> list[Stored]:
    """The files with paths from inside the one folder that holds everything, where there is one."""
    for _ in range(_NESTED):
        tops = {file.path[0] for file in files}
        if len(tops) != 1 or any(len(file.path) == 1 for file in files):
            break
        if tops == {"assignments"}:  # the handout's own place
            break
        notices.append(f"looked into {clean(tops.pop())!r}, the only folder there")
        files = [Stored(file.path[1:], file.size, file.at) for file in files]
    return files


def _match_one(wanted: LabFile, files: list[Stored], match: Match) -> None:
    found = [file for file in files if file.path[-1] == wanted.name][:_MOST]
    if not found:
        return
    chosen = _chosen(wanted, found)
    bytes_of = {file.path: stored_bytes(file, FILE_BYTES) for file in chosen}
    if len(set(bytes_of.values())) > 1:
        places = ", ".join(clean("/".join(path)) for path in sorted(bytes_of)[:_SHOWN])
        several = f"{len(chosen)}{' or more' if len(chosen) == _MOST else ''} different files named {wanted.name!r} ({places})"
        match.blocked[wanted.name] = f"there are {several}; hand in only one"
        return
    used = chosen[0].path
    others = f"; {len(found) - 1} other files with that name are in other folders" if len(found) > len(chosen) else ""
    if len(used) > 1 or others:
        place = clean("/".join(used)) if len(used) > 1 else f"the {wanted.name} at the top level"
        match.notices.append(f"used {place}{others}")
    match.place(wanted.name, bytes_of[used])


def _match_beside(wanted: LabFile, files: Sequence[Stored], match: Match) -> None:
    """Of several files with one name, those in folders for older copies come last. Others must not differ."""
    by_name: dict[str, list[Stored]] = {}
    for file in files:
        if wanted.asks_beside(file.path[-1]):
            by_name.setdefault(file.path[-1], []).append(file)
    found: dict[str, bytes | None] = {}
    for name, those in by_name.items():
        if not can_be_named(name):
            match.notices.append(f"left out {clean(name)!r}: a source's name has only letters, digits and _ . + -")
            continue
        first = min(any(map(is_copy, file.path[:-1])) for file in those)
        alike = [file for file in those[:_MOST] if any(map(is_copy, file.path[:-1])) is first]
        contents = {stored_bytes(file, FILE_BYTES) for file in alike if file.size <= FILE_BYTES}
        if len(contents) > 1:
            del match.sources[wanted.name]
            match.blocked[wanted.name] = f"there are {len(alike)} different files named {name!r}; hand in only one"
            return
        found[name] = next(iter(contents), None)
        if len(found) > MOST_FILES:
            break
    match.place_beside(wanted, found)


def _chosen(wanted: LabFile, found: list[Stored]) -> list[Stored]:
    """Those of `found` that no other one comes before."""
    if len(found) == 1:
        return found
    starter = None if wanted.starter is None else normalise(wanted.starter)[0]
    changed = [file for file in found if normalise(stored_bytes(file, FILE_BYTES) or b"")[0] != starter]
    ranked = [(_rank(wanted, file.path), file) for file in changed or found]
    first = min(rank for rank, _ in ranked)
    return _last_versions([file for rank, file in ranked if rank == first])


def _last_versions(files: list[Stored]) -> list[Stored]:
    """Without those of which there is a later one: Microsoft Teams puts what was handed in again into a folder "Version 2"."""
    last: dict[tuple[str, ...], int] = {}
    versions = []
    for file in files:
        numbers = [int(found[1]) for part in file.path[:-1] if (found := _VERSION.fullmatch(part))]
        number = numbers[0] if len(numbers) == 1 else 0
        place = tuple("Version" if number and _VERSION.fullmatch(part) else part for part in file.path)
        last[place] = max(number, last.get(place, 0))
        versions.append((file, place, number))
    return [file for file, place, number in versions if number == last[place]]


def _rank(wanted: LabFile, path: tuple[str, ...]) -> tuple[bool, int, int]:
    is_aside = any(is_copy(part) for part in path[:-1])
    places = (wanted.is_at_home(path), len(path) == 1, bool(wanted.lab) and path[-2:-1] == (wanted.lab,), True)
    return is_aside, places.index(True), len(path)


def _match_variant(wanted: LabFile, left: Sequence[Stored], match: Match) -> None:
    """A file whose name a browser or a system has changed is taken if it is the only one. Other near names are only said."""
    near = [file for file in left if is_variant(file.path[-1], wanted.name)][:_MOST]
    if not near:
        prefixed = [file for file in left if is_prefixed(file.path[-1], wanted.name)][:_MOST]
        near = prefixed if len(prefixed) == 1 else []
    if near:
        chosen = _chosen(wanted, near)
        data = {stored_bytes(file, FILE_BYTES) for file in chosen}
        name = clean("/".join(chosen[0].path))
        if len(data) == 1:
            match.notices.append(f"took {name!r} as {wanted.name!r}: it is the only file with such a name")
            match.place(wanted.name, data.pop())
            return
        shown = ", ".join(repr(clean("/".join(file.path))) for file in chosen[:_SHOWN])
        hint = (
            f"found {shown}, which differ, but the name must be exactly {wanted.name!r}; rename the file that is meant"
        )
    elif names := nearly(wanted.name, (file.path[-1] for file in left)):
        found = clean(names[0])
        hint = f"found {found!r}, but the name must be exactly {wanted.name!r}; rename the file if it is this one"
    else:
        return
    match.hints[wanted.name] = hint
    match.notices.append(hint)


# Finds the files with answers in one upload, and whose lab each of them is. Nothing here refuses an upload or a lab's file.
#
# All labs' files have one name, `answers.md`. So what is in a file counts first: the questions that it holds, then its title, then the
# folder that it lies in.

_MOST_FILES = 64


@dataclass(frozen=True)
class HandedAnswers:
    """One lab's answers in one attempt."""

    text: str
    place: str  # in the upload, safe to show
    trouble: str = ""  # why it cannot be read; then there is no text
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Found:
    """A file that may hold a lab's answers."""

    lab: LabQuestions
    path: tuple[str, ...]
    text: str
    trouble: str
    said: bool  # the text itself says whose it is

    @property
    def rank(self) -> tuple[object, ...]:
        """The first one counts: a text that was filled in and says whose it is, where the handout keeps it, at the top."""
        blank = bool(self.trouble) or is_blank(read_answers(self.text, self.lab))
        aside = any(is_copy(part) for part in self.path[:-1])
        home = self.path[-3:-1] == ("assignments", self.lab.lab_id) or self.path[-2:-1] == (self.lab.lab_id,)
        place = (self.path[-1] != ANSWERS, len(self.path), self.path)
        return bool(self.trouble), aside, blank, not self.said, not home, *place


def take_answers(contents: Contents, wanted: Sequence[LabFile]) -> tuple[dict[str, HandedAnswers], list[str]]:
    """By the name of each lab's file: the answers to its questions. And notices about files that are nobody's."""
    labs = {one.questions.lab_id: one for one in wanted if one.questions is not None}
    asking = [one.questions for one in labs.values() if one.questions is not None]
    named = [file for file in contents.files if file.path and is_named_answers(file.path[-1])][:_MOST_FILES]
    found: dict[str, list[_Found]] = {}
    notices: list[str] = []
    for file in named if asking else []:
        one = _read(file, asking)
        if isinstance(one, str):
            notices.append(one)
        elif one is not None:
            found.setdefault(one.lab.lab_id, []).append(one)
    return {labs[lab_id].name: _answer_files_chosen(files) for lab_id, files in found.items()}, notices[:3]


def _read(file: Stored, labs: Sequence[LabQuestions]) -> _Found | str | None:
    """None: it is of a lab that is not asked for here. A text: nothing says whose it is."""
    name, text, trouble = clean(file.path[-1]), "", ""
    data = stored_bytes(file, 2 * ANSWER_BYTES)
    try:
        text = answer_text(normalise(data)[0], name) if data is not None else ""
    except NoAnswersError as error:
        trouble = str(error)
    if data is None:
        trouble = f"{name} cannot be read"
    lab, said = lab_of(text, file.path, labs)
    if lab is not None:
        return _Found(lab, file.path, text, trouble, said)
    shown = clean("/".join(file.path))
    unclear = f"{shown} holds answers, and it is not clear for which lab: leave the title as the handout has it"
    return None if said else unclear


def _answer_files_chosen(files: Sequence[_Found]) -> HandedAnswers:
    first, *others = sorted(files, key=lambda one: one.rank) if len(files) > 1 else files
    notices: list[str] = []
    place = clean("/".join(first.path))
    folders = first.path[:-1]
    if "assignments" in folders[:-1] and folders[-1] != first.lab.lab_id and first.said:
        notices.append(f"{place} holds the answers of {first.lab.lab_id}, so they are taken for that lab")
    if any(one.text != first.text and not one.trouble for one in others):
        notices.append(f"there are {len(files)} files with answers for this lab: {place} was taken")
    return HandedAnswers(first.text, place, first.trouble, tuple(notices))


# What a student typed into a platform's text field: the plain text of the page that the platform makes of it. Pure.
#
# It is no reader of all HTML. Every page is read in a time that grows as its length does, and none raises an error.

MOST = (256 << 10) + 1  # characters: one more than a lab's file may have, so that a longer text is refused and not cut
_BREAKS = frozenset({"p", "div", "br", "li", "tr", "pre", "h1", "h2", "h3", "h4", "blockquote"})
_UNSEEN = frozenset({"script", "style", "head", "title"})
_PLATFORMS = re.compile(r"</?(?:p|div|br|pre|span|html|body|li|h[1-4])(?:\s[^<>]*)?/?>", re.IGNORECASE)
# No tag goes beyond the next "<": so each character is looked at only a few times, whatever the page is.
_TAG = re.compile(
    r"<(?P<end>/?)(?P<name>[A-Za-z][^\s/<>]*)(?![^\s/<>])(?:(?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*>|[^<>]*>)|<!--|<(?:\?|!\[|!doctype\b)[^<>]*>",
    re.IGNORECASE,
)
_HUGE_NUMBER = re.compile(r"&#(?:[0-9]{9,}|[xX][0-9A-Fa-f]{9,});?")  # is no character, and Python refuses a longer one


def online_text(page: str) -> str:
    """The text as it was typed: a line for each paragraph. A text without tags stays as it is."""
    if not _PLATFORMS.search(page):
        return page.strip("\n")[:MOST]
    text = _Text()
    for tag, data in _pieces(page):
        text.add(data)
        if tag is not None and tag["name"]:
            text.take_tag(tag)
    return "".join(text.parts).replace("\N{NO-BREAK SPACE}", " ").strip("\n")[:MOST]


def _pieces(page: str) -> Iterator[tuple[re.Match[str] | None, str]]:
    """Each tag or the like, with the text before it; and the text behind the last one. Comments are left out."""
    at = 0
    last_comment = page.rfind("-->")
    while (tag := _TAG.search(page, at)) is not None:
        yield tag, page[at : tag.start()]
        at = tag.end()
        if tag[0] == "<!--" and at <= last_comment:
            at = page.index("-->", at) + len("-->")
    yield None, page[at:]


class _Text:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self._unseen = ""  # the tag that hides what is in it
        self._pre = 0

    def add(self, data: str) -> None:
        if data and not self._unseen:
            data = html.unescape(_HUGE_NUMBER.sub("\N{REPLACEMENT CHARACTER}", data))
            self.parts.append(data if self._pre else data.replace("\r", "").strip("\n"))

    def take_tag(self, tag: re.Match[str]) -> None:
        name, is_end = tag["name"].casefold(), bool(tag["end"])
        if self._unseen:
            self._unseen = "" if is_end and name == self._unseen else self._unseen
            return
        if name in _UNSEEN and not is_end and not tag[0].endswith("/>"):
            self._unseen = name
        if name == "pre":
            self._pre = max(0, self._pre + (-1 if is_end else 1))
        begun = bool(self.parts) and not self.parts[-1].endswith("\n")
        if (name == "br" and not is_end) or (name != "br" and name in _BREAKS and begun):
            self.parts.append("\n")
