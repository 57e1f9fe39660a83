"""What happens while a student works: a file is saved, or a key is pressed. It reads both and does nothing about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from grader.practice.file_poller import FilePoller


@dataclass(frozen=True)
class Key:
    """A key that was pressed."""

    sign: str


Event = Sequence[str] | Key  # the names of saved files, or a key


def watch_events(poller: FilePoller, take: Callable[[], str] | None) -> Iterator[Event]:
    """`take` gives the next key that was pressed, or an empty text; None: there are no keys. It never ends by itself."""
    if take is None:
        yield from poller.saves()
        return
    while True:
        if saved := poller.poll():
            yield saved
        while sign := take():
            yield Key(sign)
