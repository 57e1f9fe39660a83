"""What flat downloads have in common: names that a platform made, and names that it did not make. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any, TypeVar

from grader.model.written_names import clean, nearly
from grader.roll.intake.upload import Contents, Stored, Upload, is_archive_name, stored_bytes

# A class's files before anybody knows whose they are: what lies at the top of a folder or archive that was given.
#
# grader/roll/platforms/ says which platform has laid them out so.


@dataclass(frozen=True)
class Top:
    """One entry at the top. Of a folder: what is in it, and paths begin there. Of a file: the file alone."""

    name: str
    contents: Contents = field(default_factory=Contents)
    is_folder: bool = False
    refused: str | None = None  # why its contents cannot be taken

    @property
    def file(self) -> Stored | None:
        return None if self.is_folder or not self.contents.files else self.contents.files[0]


@dataclass(frozen=True)
class ClassFiles:
    label: str  # the name of the folder or archive around it
    tops: Mapping[str, Top]
    wanted: frozenset[str]  # names of the labs' files
    zone: tzinfo  # of times that a platform writes without one
    most_bytes: int | None = (
        None  # of a file in which a platform says something; none: as many as the platform may need
    )

    def text(self, name: str, limit: int) -> str | None:
        """Of a file at the top. None: there is none, or it has more than `limit` bytes."""
        limit = limit if self.most_bytes is None else min(limit, self.most_bytes)
        top = self.tops.get(name)
        data = stored_bytes(top.file, limit) if top is not None and top.file is not None else None
        return None if data is None or len(data) > limit else data.decode("utf-8-sig", "replace")

    def local(self, when: datetime) -> datetime:
        return when.replace(tzinfo=self.zone)


@dataclass(frozen=True)
class Export:
    """A class as one platform lays it out."""

    platform: str
    uploads: tuple[Upload, ...]
    notices: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()  # names at the top that the platform did not write
    strange: tuple[str, ...] = ()  # those of them that may be what somebody handed in
    local_times: bool = False  # the platform wrote times without a time zone
    what: str = "export"


# None: another layout.
Recogniser = Callable[[ClassFiles], Export | None]


@dataclass
class Gathered:
    """The files of one attempt, while they are put together from a flat download."""

    files: list[Stored] = field(default_factory=list)
    downloaded: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


PAGES = frozenset({"index.html", "index.htm"})  # which a platform adds itself
_Part = TypeVar("_Part")


def read_names(names: Iterable[str], read: Callable[[str], _Part | None]) -> tuple[dict[str, _Part], list[str]] | None:
    """What each name says, and the names that say nothing. None: most say nothing, so another layout it is."""
    told: dict[str, _Part] = {}
    others = []
    for name in names:
        if (one := read(name)) is not None:
            told[name] = one
        elif name.casefold() not in PAGES:
            others.append(name)
    return (told, others) if len(told) > len(others) else None


def strange(files: ClassFiles, others: Iterable[str]) -> list[str]:
    """Those of `others` that may be a student's, so that nobody may pass over them."""
    return [name for name in others if is_submission(files.tops[name], files.wanted)]


def is_submission(top: Top, wanted: frozenset[str]) -> bool:
    """Whether it may be something that was handed in, and not the instructor's own notes."""
    if not top.is_folder:
        return looks_handed_in(top.name, wanted)
    return top.refused is not None or any(looks_handed_in(one.path[-1], wanted) for one in top.contents.files)


def looks_handed_in(name: str, wanted: Iterable[str]) -> bool:
    plain = name.casefold()
    ends = any(plain.endswith(one.casefold()) or nearly(one, [name]) for one in wanted)
    return ends or plain.endswith((".cu", ".cuh", ".cu.txt")) or is_archive_name(name)


def unclear_notices(names: Iterable[str]) -> list[str]:
    return [
        f"ignored {clean(name)!r}: its name can be read in two ways, so it is not clear whose it is" for name in names
    ]


def only_folders(files: ClassFiles) -> Mapping[str, Top]:
    return {name: top for name, top in files.tops.items() if top.is_folder}


def only_files(files: ClassFiles) -> Mapping[str, Top]:
    return {name: top for name, top in files.tops.items() if not top.is_folder}


# Reads a date with a time as a learning platform writes it into a name: "Nov 20, 2026 1011 AM", "20 novembre 2026 10h11". Pure.
#
# Words of many languages are known. A date of which day and month cannot be told apart is a date, and no moment.

# By their first letters.
_MONTHS = (
    ("jan", "ene", "gen", "янв"), ("feb", "fév", "fev", "фев"), ("mar", "mär", "maa", "mrt", "мар"),
    ("apr", "avr", "abr", "апр"), ("may", "mai", "mei", "mag", "maj", "май", "мая"), ("jun", "juin", "giu", "июн"),
    ("jul", "juil", "lug", "июл"), ("aug", "aoû", "aou", "ago", "авг"), ("sep", "set", "сен"),
    ("oct", "okt", "out", "ott", "окт"), ("nov", "ноя"), ("dec", "dez", "déc", "dic", "дек"),
)  # fmt: skip
_HALF = re.compile(r"(?<![^\W\d_])([ap])[. ]{0,2}m\b|(上午|午前|오전)|(下午|午後|오후)", re.IGNORECASE)
_ALLOWED = re.compile(r"[\w\s.,:/-]{8,48}\Z")
_FILE = re.compile(r"\.[A-Za-z]\w{0,4}\Z")
_MOST_WORDS, _NOON = 8, 12
_YEARS = range(1990, 2100)


@dataclass(frozen=True)
class WrittenDate:
    at: datetime | None  # the platform's local time; none: it can be read in two ways


def written_date(text: str) -> WrittenDate | None:
    """None: this is no date with a time."""
    is_file = _FILE.search(text) and not _HALF.search(text[-4:])
    numbers = re.findall(r"\d+", text)
    year = next((at for at, one in enumerate(numbers) if len(one) == 4 and int(one) in _YEARS), -1)  # noqa: PLR2004 -- a year's digits
    words = re.findall(r"[^\W\d_]+", _HALF.sub(" ", text))
    month = next((number for word in words if (number := _month(word))), 0)
    if is_file or not _ALLOWED.match(text) or year < 0 or len(words) > _MOST_WORDS:
        return None
    days, rest = (1, numbers[:year] + numbers[year + 1 :]) if month else (2, numbers[:year] + numbers[year + 1 :])
    dates, times = rest[:days], rest[days:]
    if len(dates) < days or any(len(one) > 2 for one in dates) or not times or year > days:  # noqa: PLR2004 -- digits of a day
        return None
    clock = _clock(times, _HALF.search(text))
    first, second = (month, int(dates[0])) if month else map(int, dates)
    if clock is None:
        return None
    if not month and year and first <= _NOON and second <= _NOON and first != second:
        return WrittenDate(None)
    if not month and year and first > _NOON:
        first, second = second, first
    return _date(int(numbers[year]), first, second, clock)


def _date(year: int, month: int, day: int, clock: tuple[int, int]) -> WrittenDate | None:
    try:
        return WrittenDate(datetime(year, month, day, *clock))  # noqa: DTZ001 -- local
    except ValueError:
        return None


def _month(word: str) -> int:
    """0: no month is called so."""
    plain = word.casefold()
    return next((number for number, starts in enumerate(_MONTHS, 1) if plain.startswith(starts)), 0)


def _clock(numbers: list[str], half: re.Match[str] | None) -> tuple[int, int] | None:
    """Of "1011" or "10" and "11"; seconds do not count."""
    first = numbers[0]
    if len(first) in {3, 4}:
        hour, minute = int(first[:-2]), int(first[-2:])
    elif len(numbers) > 1 and len(first) <= 2 and len(numbers[1]) == 2:  # noqa: PLR2004 -- digits of an hour and of minutes
        hour, minute = int(first), int(numbers[1])
    else:
        return None
    if half is not None and hour <= _NOON:
        is_afternoon = half[3] is not None or (half[1] or "").casefold() == "p"
        hour = hour % _NOON + (_NOON if is_afternoon else 0)
    return hour, minute


# Reads YAML of which only parts are wanted, event by event: in bounded memory, whatever a hostile file holds. All scalars are texts.
#
# Nothing is constructed, tags say nothing, and an alias is the text or the part that its anchor named before.

_DEPTH = 24
_NODES = 2_000_000  # that are kept; of the others nothing is
_ALIASES = 100_000


class TooMuchError(ValueError):
    """The file exceeds a limit. The text says which."""


def wanted_yaml(text: str, wanted: Collection[str]) -> object:
    """The document, without those values of its entries whose keys are not `wanted`: `{entry: {key: value}}`. Raises ValueError or
    yaml.YAMLError.
    """
    import yaml  # noqa: PLC0415 -- no other platform needs it, and a student waits for `tilelab test` many times a day

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    events = yaml.parse(text, Loader=loader)
    reading = _Reading(events, frozenset(wanted))
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            return reading.node(next(events), 0)
    return None


class _Reading:
    def __init__(self, events: Iterator[Any], wanted: frozenset[str]) -> None:
        self._events, self._wanted = events, wanted
        self._anchors: dict[str, object] = {}
        self._kept = self._aliases = 0

    def node(self, event: Any, depth: int, *, keep: bool = True) -> object:  # noqa: ANN401 -- an event of a package without types
        """The node that begins with `event`. None: it is passed over."""
        if depth > _DEPTH:
            raise TooMuchError(f"it is nested deeper than {_DEPTH} levels")
        self._kept += keep
        if self._kept > _NODES:
            raise TooMuchError(f"it holds more than {_NODES:,} values")
        match type(event).__name__:
            case "AliasEvent":
                self._aliases += 1
                if self._aliases > _ALIASES:
                    raise TooMuchError(f"it holds more than {_ALIASES:,} aliases")
                return self._anchors.get(event.anchor)
            case "ScalarEvent":
                return self._noted(event, event.value)
            case "SequenceStartEvent":
                return self._noted(event, self._sequence(depth, keep=keep))
            case "MappingStartEvent":
                return self._noted(event, self._mapping(depth, keep=keep))
        raise ValueError("it is cut off")

    def _noted(self, event: Any, value: object) -> object:  # noqa: ANN401 -- as above
        if event.anchor and len(self._anchors) < _ALIASES:
            self._anchors[event.anchor] = value
        return value

    def _sequence(self, depth: int, *, keep: bool) -> list[object] | None:
        found = []
        for event in self._events:
            if type(event).__name__ == "SequenceEndEvent":
                break
            value = self.node(event, depth + 1, keep=keep)
            if keep:
                found.append(value)
        return found if keep else None

    def _mapping(self, depth: int, *, keep: bool) -> dict[str, object] | None:
        found: dict[str, object] = {}
        for event in self._events:
            if type(event).__name__ == "MappingEndEvent":
                break
            key = self.node(event, depth + 1, keep=keep)
            if keep and depth <= 1 and not isinstance(key, str):
                raise ValueError("a key in it is no text")
            kept = keep and isinstance(key, str) and (depth != 1 or key in self._wanted)
            value = self.node(next(self._events), depth + 1, keep=kept)
            if kept and isinstance(key, str):
                found[key] = value
        return found if keep else None
