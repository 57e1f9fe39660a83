"""The formats of grades that a command was asked for, by their names."""

from __future__ import annotations

from collections.abc import Sequence

from grader.exports import EXPORTS, Export
from grader.model.errors import RemediableError


def exports_named(names: Sequence[str]) -> list[Export]:
    """Raises RemediableError for a name that is no format."""
    known = {export.name: export for export in EXPORTS}
    for name in names:
        if name not in known:
            message = f"there is no export {name!r}. There are: {', '.join(known)}"
            raise RemediableError(message)
    return [known[name] for name in dict.fromkeys(names)]
