"""Gradescope's "Export Submissions": a folder for each submission, and `submission_metadata.yml`, which says whose it is and when it came.

The file is Ruby's YAML, with keys such as `:submitters`. A group has several submitters. Earlier attempts are told, but not exported.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from grader.model.result import Student
from grader.model.written_names import clean, some
from grader.roll.intake.upload import Contents, Refusal, Stored, Upload, stem_of
from grader.roll.platforms.download_names import PAGES, ClassFiles, Export, Top, strange

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
            said = {name: _word(_of(one, name)) for name in ("name", "sid", "email")}
            if any(said.values()):
                yield Student(name=said["name"], number=said["sid"], email=said["email"])


def _of(told: Mapping[str, Any], word: str) -> Any:  # noqa: ANN401 -- whatever the file holds
    """A symbol of Ruby's is a key with a colon in front."""
    return told.get(f":{word}", told.get(word))


def _word(value: object) -> str:
    return value.strip() if isinstance(value, str) and value not in {"null", "~"} else ""


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
