"""What all parts of a result are."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """Immutable, and a field that is not listed is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")
