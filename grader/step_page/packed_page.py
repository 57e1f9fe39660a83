"""A page as it is kept with an outcome until reports are written: compressed text. Pure."""

from __future__ import annotations

import base64
import zlib

from grader.model.result import StepLink, StepPage


def packed_page(name: str, text: str, links: tuple[StepLink, ...]) -> StepPage:
    return StepPage(name=name, packed=base64.b64encode(zlib.compress(text.encode(), 9)).decode(), links=links)


def unpacked(page: StepPage) -> str:
    return zlib.decompress(base64.b64decode(page.packed)).decode()
