"""A mistake as it is told: its label, what happened, and what to look at next."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Told:
    label: str
    message: str
    advice: str = ""
    severity: str = "error"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
