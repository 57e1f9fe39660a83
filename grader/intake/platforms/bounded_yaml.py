"""Reads YAML of which only parts are wanted, event by event: in bounded memory, whatever a hostile file holds. All scalars are texts.

Nothing is constructed, tags say nothing, and an alias is the text or the part that its anchor named before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

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
            message = f"it is nested deeper than {_DEPTH} levels"
            raise TooMuchError(message)
        self._kept += keep
        if self._kept > _NODES:
            message = f"it holds more than {_NODES:,} values"
            raise TooMuchError(message)
        match type(event).__name__:
            case "AliasEvent":
                self._aliases += 1
                if self._aliases > _ALIASES:
                    message = f"it holds more than {_ALIASES:,} aliases"
                    raise TooMuchError(message)
                return self._anchors.get(event.anchor)
            case "ScalarEvent":
                return self._noted(event, event.value)
            case "SequenceStartEvent":
                return self._noted(event, self._sequence(depth, keep=keep))
            case "MappingStartEvent":
                return self._noted(event, self._mapping(depth, keep=keep))
        message = "it is cut off"
        raise ValueError(message)

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
                message = "a key in it is no text"
                raise ValueError(message)
            kept = keep and isinstance(key, str) and (depth != 1 or key in self._wanted)
            value = self.node(next(self._events), depth + 1, keep=kept)
            if kept and isinstance(key, str):
                found[key] = value
        return found if keep else None
