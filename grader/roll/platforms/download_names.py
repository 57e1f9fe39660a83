"""What downloads of platforms have in common: a class's files as they lie at the top, and what each platform's names say of them.

A platform is a function of the files: None where it has not laid them out so. It reads each name into a `Part`; what belongs to one attempt
is put together here. Pure, but that texts of a platform's own are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo

from grader.model.result import Student
from grader.model.written_names import clean, nearly
from grader.roll.intake.upload import Contents, Stored, Upload, clashes, is_archive_name, stored_bytes


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
    """A class's files before anybody knows whose they are."""

    label: str  # the name of the folder or archive around it
    tops: Mapping[str, Top]
    wanted: frozenset[str]  # names of the labs' files
    zone: tzinfo  # of times that a platform writes without one
    most_bytes: int | None = None  # of a file in which a platform says something; none: as many as it may need

    def text(self, name: str, limit: int) -> str | None:
        """Of a file at the top. None: there is none, or it has more than `limit` bytes."""
        limit = limit if self.most_bytes is None else min(limit, self.most_bytes)
        top = self.tops.get(name)
        data = stored_bytes(top.file, limit) if top is not None and top.file is not None else None
        return None if data is None or len(data) > limit else data.decode("utf-8-sig", "replace")

    def only(self, *, folders: bool) -> dict[str, Top]:
        return {name: top for name, top in self.tops.items() if top.is_folder is folders}


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
PAGES = frozenset({"index.html", "index.htm"})  # which a platform adds itself


@dataclass(frozen=True)
class Part:
    """What one name at the top says, and what of it was handed in."""

    attempt: tuple[str, ...]  # equal for all that was handed in together
    owner: Student = field(default_factory=Student)
    called: str = ""  # what the upload is called
    stored: tuple[Stored, ...] = ()  # by their own names
    downloaded: tuple[str, ...] = ()  # the same, by the platform's names
    text: str = ""  # what was typed into the platform's text field
    at: datetime | None = None
    number: int = 0  # puts the parts of an attempt into their order; equal ones are in that of their names
    late: bool = False
    notices: tuple[str, ...] = ()
    is_clear: bool = True  # false: the name can be read in two ways

    def holding(self, top: Top, own: str = "") -> Part:
        """The same with all that is in a folder; or with a file, whose own name is `own`."""
        files = top.contents.files
        if top.is_folder:
            return replace(self, stored=files, downloaded=tuple("/".join((top.name, *one.path)) for one in files))
        named = tuple(Stored((own or top.name,), one.size, one.at) for one in files)
        return replace(self, stored=named, downloaded=(top.name,) * len(named))


@dataclass(frozen=True)
class Parts:
    """A download of which most names are a platform's."""

    files: ClassFiles
    clear: dict[str, Part]  # those that can be read in one way, by their names
    others: Sequence[str] = ()
    told: Mapping[str, Part] = field(default_factory=dict)  # all of them
    unclear: Sequence[str] = ()

    def uploads(self, *, once: bool = False) -> list[Upload]:
        """One for each attempt. `once`: a name that it holds twice refuses it."""
        attempts: dict[tuple[str, ...], list[tuple[str, Part]]] = {}
        for name, part in self.clear.items():
            attempts.setdefault(part.attempt, []).append((name, part))
        return [self._upload(named, once=once) for named in attempts.values()]

    def _upload(self, named: Sequence[tuple[str, Part]], *, once: bool) -> Upload:
        first = named[0][1]
        tops = [self.files.tops[name] for name, _ in named]
        parts = sorted((part for _, part in named), key=lambda part: part.number)
        stored = tuple(file for part in parts for file in part.stored)
        twice = clashes(file.path for file in stored) if once else []
        refused = next((top.refused for top in tops if top.refused), None)
        return Upload(
            first.called,
            Contents(stored, defects=tuple(one for top in tops for one in top.contents.defects)),
            refused or (twice[0].reason if twice else None),
            notices=tuple(dict.fromkeys(one for part in parts for one in part.notices)),
            owners=(first.owner,),
            at=next((part.at for part in parts if part.at is not None), None),
            late=any(part.late for part in parts),
            downloaded=tuple(name for part in parts for name in part.downloaded),
            text="\n".join(part.text for part in parts if part.text),
        )

    def export(
        self, platform: str, uploads: Sequence[Upload], notices: Sequence[str] = (), *, local_times: bool = False
    ) -> Export:
        why = "its name can be read in two ways, so it is not clear whose it is"
        said = (*notices, *(f"ignored {clean(name)!r}: {why}" for name in self.unclear))
        others = tuple(self.others)
        return Export(platform, tuple(uploads), said, others, strange(self.files, others), local_times)


def parts_in(
    files: ClassFiles, read: Callable[[Top], Part | None], tops: Mapping[str, Top] | None = None
) -> Parts | None:
    """What each name says; `tops`: not all of them. None: most say nothing, so another layout it is."""
    told: dict[str, Part] = {}
    others = []
    for name, top in sorted((files.tops if tops is None else tops).items()):
        if (one := read(top)) is not None:
            told[name] = one
        elif name.casefold() not in PAGES:
            others.append(name)
    if len(told) <= len(others):
        return None
    clear = {name: one for name, one in told.items() if one.is_clear}
    return Parts(files, clear, others, told, [name for name in told if name not in clear])


def strange(files: ClassFiles, others: Iterable[str]) -> tuple[str, ...]:
    """Those of `others` that may be a student's and not the instructor's own notes, so that nobody may pass over them."""

    def may_be_handed_in(top: Top) -> bool:
        names = [one.path[-1] for one in top.contents.files] if top.is_folder else [top.name]
        return (top.is_folder and top.refused is not None) or any(_looks_handed_in(one, files.wanted) for one in names)

    return tuple(name for name in others if may_be_handed_in(files.tops[name]))


def _looks_handed_in(name: str, wanted: Iterable[str]) -> bool:
    plain = name.casefold()
    ends = any(plain.endswith(one.casefold()) or nearly(one, [name]) for one in wanted)
    return ends or plain.endswith((".cu", ".cuh", ".cu.txt")) or is_archive_name(name)


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
    months = (at for word in words for at, starts in enumerate(_MONTHS, 1) if word.casefold().startswith(starts))
    month = next(months, 0)
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
    try:
        return WrittenDate(datetime(int(numbers[year]), first, second, *clock))  # noqa: DTZ001 -- local
    except ValueError:
        return None


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
