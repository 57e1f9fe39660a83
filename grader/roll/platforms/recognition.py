"""Which platform has laid out a class, by what the platform itself writes. The most particular marks are asked first.

Students may choose names like another platform's. So a platform that explains all names comes before one that explains only most.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from grader.model.result import Student
from grader.model.written_names import clean, some
from grader.roll.intake.upload import Contents, Refusal, Stored, Upload, stem_of
from grader.roll.platforms.course_systems import (
    STAMP,
    TEXT,
    autolab_handins,
    blackboard_download,
    brightspace_download,
    canvas_download,
    moodle_download,
    prairielearn_files,
    sakai_download,
)
from grader.roll.platforms.download_names import PAGES, ClassFiles, Export, Recogniser, Top, strange

# Gradescope's "Export Submissions": a folder for each submission, and `submission_metadata.yml`, which says whose it is and when it came.
#
# The file is Ruby's YAML, with keys such as `:submitters`. A group has several submitters. Earlier attempts are told, but not exported.

METADATA = "submission_metadata.yml"
METADATA_BYTES = 64 << 20
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?\s*(Z|UTC|[+-]\d\d:?\d\d)?")


def gradescope_export(files: ClassFiles) -> Export | None:
    """Raises Refusal where the file about the submissions cannot be understood."""
    if METADATA not in files.tops:
        return None
    told = _metadata(files.text(METADATA, METADATA_BYTES))
    uploads = [_upload(key, one, files.tops.get(key, Top(key))) for key, one in told.items()]
    others = [name for name in files.tops if name not in {METADATA, *told} and name.casefold() not in PAGES]
    gone = [clean(key) for key in told if key not in files.tops]
    notices = (f"{METADATA} names submissions that are not there, so they have no files: {some(gone)}",) if gone else ()
    return Export("Gradescope", tuple(uploads), notices, ignored=tuple(others), strange=strange(files, others))


def _metadata(text: str | None) -> Mapping[str, Mapping[str, Any]]:
    """All values are texts: tags of Ruby's classes are passed over, and nothing is constructed."""
    from yaml import YAMLError  # noqa: PLC0415 -- no other platform needs it, and a student waits for `tilelab test` many times a day

    if text is None:
        raise Refusal(f"{METADATA} cannot be read, or is larger than {METADATA_BYTES >> 20} MiB")
    words = ("submitters", "created_at", "history")
    try:
        told = wanted_yaml(text, [f"{mark}{word}" for word in words for mark in (":", "")])
    except (ValueError, RecursionError, StopIteration, YAMLError) as error:
        raise Refusal(f"{METADATA} is damaged: {clean(str(error))}. Export the submissions again") from error
    if not isinstance(told, dict) or not all(isinstance(one, dict) for one in told.values()):  # keys are texts
        raise Refusal(f"{METADATA} does not say whose the submissions are. Export them again")
    return told


def _upload(key: str, told: Mapping[str, Any], top: Top) -> Upload:
    owners = tuple(_submitters(told))
    history = _of(told, "history")
    before = len(history) if isinstance(history, list) else 0
    names = " and ".join(one.name or one.email for one in owners)
    contents = top.contents
    if top.file is not None:  # of an assignment of one file each, such as 900001.pdf
        contents = Contents((Stored((key,), top.file.size, top.file.at),))
    return Upload(
        names or stem_of(key),
        contents,
        top.refused,
        owners=owners,
        at=_moment(_of(told, "created_at")),
        attempt=before + 1,
        told=before + 1,
        downloaded=(key,),
        packed=False,
    )


def _submitters(told: Mapping[str, Any]) -> Iterator[Student]:
    listed = _of(told, "submitters")
    for one in listed if isinstance(listed, list) else []:
        if isinstance(one, dict):
            told_of = ((name, _of(one, name)) for name in ("name", "sid", "email"))
            said = {
                name: word.strip() if isinstance(word, str) and word not in {"null", "~"} else ""
                for name, word in told_of
            }
            if any(said.values()):
                yield Student(name=said["name"], number=said["sid"], email=said["email"])


def _of(told: Mapping[str, Any], word: str) -> Any:  # noqa: ANN401 -- whatever the file holds
    """A symbol of Ruby's is a key with a colon in front."""
    return told.get(f":{word}", told.get(word))


def _moment(value: object) -> datetime | None:
    """Ruby writes a time, or an object that holds it. Without an offset it is in UTC."""
    if isinstance(value, dict):
        value = value.get("utc") or value.get("time")
    found = _TIME.match(value) if isinstance(value, str) else None
    if found is None:
        return None
    day, clock, fraction, offset = found.groups()
    offset = "+00:00" if offset in {None, "Z", "UTC"} else offset
    try:
        at = datetime.fromisoformat(f"{day}T{clock}.{(fraction or '0')[:6]:0<6}{offset}")
    except ValueError:
        return None
    return at.astimezone(UTC) if at.year > 1 else None


# Reads YAML of which only parts are wanted, event by event: in bounded memory, whatever a hostile file holds. All scalars are texts.
#
# Nothing is constructed, tags say nothing, and an alias is the text or the part that its anchor named before.

_DEPTH = 24
_NODES = 2_000_000  # that are kept; of the others nothing is
_ALIASES = 100_000


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
            raise ValueError(f"it is nested deeper than {_DEPTH} levels")
        self._kept += keep
        if self._kept > _NODES:
            raise ValueError(f"it holds more than {_NODES:,} values")
        value: object = None
        match type(event).__name__:
            case "AliasEvent":
                self._aliases += 1
                if self._aliases > _ALIASES:
                    raise ValueError(f"it holds more than {_ALIASES:,} aliases")
                return self._anchors.get(event.anchor)
            case "ScalarEvent":
                value = event.value
            case "SequenceStartEvent":
                found = []
                for one in self._until("SequenceEndEvent"):
                    item = self.node(one, depth + 1, keep=keep)
                    found += [item] if keep else []
                value = found if keep else None
            case "MappingStartEvent":
                entries = dict(self._entries(depth, keep=keep))
                value = entries if keep else None
            case _:
                raise ValueError("it is cut off")
        if event.anchor and len(self._anchors) < _ALIASES:
            self._anchors[event.anchor] = value
        return value

    def _until(self, end: str) -> Iterator[Any]:
        for event in self._events:
            if type(event).__name__ == end:
                return
            yield event

    def _entries(self, depth: int, *, keep: bool) -> Iterator[tuple[str, object]]:
        for event in self._until("MappingEndEvent"):
            key = self.node(event, depth + 1, keep=keep)
            if keep and depth <= 1 and not isinstance(key, str):
                raise ValueError("a key in it is no text")
            kept = keep and isinstance(key, str) and (depth != 1 or key in self._wanted)
            value = self.node(next(self._events, None), depth + 1, keep=kept)
            if kept and isinstance(key, str):
                yield key, value


# Clones of students' repositories: GitHub Classroom's (`gh classroom clone student-repos`), classroom50's, and plain ones.
#
# Each is a folder `<assignment>-<account>`. Nothing in it is the platform's. The name of the folder around the clones tells the assignment;
# otherwise accounts are not known, because both may hold hyphens. Times of commits are what students say, so they are not used. Pure.

_CLASSROOM = re.compile(r"(?P<assignment>.+)-submissions")
_CLASSROOM50 = re.compile(r"(?P<assignment>.+)_submissions_\d{4}_\d\d_\d\d_T_\d\d_\d\d_\d\d")
_ACCOUNT = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
PLAIN = "GitHub"  # clones that nothing of the classroom tells of
_FEWEST = 2


def repository_clones(files: ClassFiles) -> Export | None:
    around = _CLASSROOM50.fullmatch(files.label) or _CLASSROOM.fullmatch(files.label)
    prefix = f"{around['assignment']}-" if around else ""
    given = around["assignment"] if around else ""  # the template's own clone, which no student has
    folders = {name: top for name, top in files.only(folders=True).items() if name != given}
    named = bool(prefix) and all(name.startswith(prefix) for name in folders)
    clones = {name: top for name, top in folders.items() if named or () in top.contents.repositories}
    few = not named and len(clones) < _FEWEST  # one student may hand in a folder with `.git` in it
    if few or not clones or len(clones) <= len(folders) - len(clones):
        return None
    platform = PLAIN
    if _CLASSROOM50.fullmatch(files.label) or ("scores.csv" in files.tops and named):
        platform = "classroom50"
    elif named:
        platform = "GitHub Classroom"
    others = [name for name in files.tops if name not in folders and name != given]
    notices = (f"{clean(given)!r} is the assignment's own repository and no student's",) if given in files.tops else ()
    uploads = []
    for name, top in folders.items():
        account = name.removeprefix(prefix) if named else ""
        owners = (Student(platform_ids={"GitHub Classroom": account}),) if _ACCOUNT.fullmatch(account) else ()
        contents = replace(top.contents, repositories=frozenset())
        uploads.append(Upload(account or name, contents, top.refused, owners=owners, downloaded=(name,)))
    return Export(platform, tuple(uploads), notices, tuple(others), strange(files, others), what="clones")


_RECOGNISERS: tuple[Recogniser, ...] = (
    gradescope_export,
    moodle_download,
    blackboard_download,
    brightspace_download,
    sakai_download,
    prairielearn_files,
    autolab_handins,
    canvas_download,
    repository_clones,
)
_PAGE_BYTES = 1 << 20
_TOP = 3  # below so many folders nothing is the platform's


def recognised(files: ClassFiles) -> Export | None:
    """None: no platform that we know. Raises Refusal where it is one, and what it says of the submissions cannot be understood."""
    first = None
    for recogniser in _RECOGNISERS:
        one = recogniser(files)
        if one is not None and not one.strange:
            return one
        first = first or one
    return first


def own_file_bytes(path: tuple[str, ...]) -> int:
    """How many bytes are needed of a file by which a platform says whose submissions are, or in which it keeps a text. 0: it is none."""
    if len(path) > _TOP:
        return 0
    name = path[-1]
    if name == METADATA:
        return METADATA_BYTES if len(path) < _TOP else 0
    typed = name.endswith(("onlinetext.html", "_text.html", TEXT, STAMP))
    receipt = name.endswith(".txt") and "_attempt_" in name
    return _PAGE_BYTES if typed or receipt else 0
