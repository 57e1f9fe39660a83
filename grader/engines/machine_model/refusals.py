"""Why a function cannot be proved, with the place in the code; the caller knows the line."""

from __future__ import annotations


class UnprovableCodeError(Exception):
    """Code of a kind that no announcement can be proved for, or inserted before."""

    def __init__(self, offset: int, why: str) -> None:
        super().__init__(why)
        self.offset = offset


class StrangeAssemblyError(Exception):
    """The compiler's text and its object file do not tell the same story."""
