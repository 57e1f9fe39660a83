"""The page of one lab's similar files as plain data: pairs, the most alike first, each with both texts. Pure.

It says what the texts have in common. It says nothing of the people who wrote them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from grader.explain.similar_files import SimilarFiles, SimilarPair
from grader.model import visible_text
from grader.model.visible_text import counted

# Two files beside each other, with the lines marked where passages begin that few others of the class have. Pure.

_MOST_LINES = 400
_COLUMNS = 160


@dataclass(frozen=True)
class TextLine:
    number: int
    text: str
    marked: bool


@dataclass(frozen=True)
class ShownText:
    lines: tuple[TextLine, ...]
    more: int


def shown_text(text: str, marked: Collection[int]) -> ShownText:
    """`marked`: numbers of lines, from 1."""
    block = visible_text.block(text, lines=_MOST_LINES, columns=_COLUMNS)
    lines = (TextLine(number, line, number in marked) for number, line in enumerate(block.lines, start=1))
    return ShownText(tuple(lines), block.more)


@dataclass(frozen=True)
class Who:
    name: str
    link: str
    text: ShownText | None = None


@dataclass(frozen=True)
class PairCard:
    anchor: str
    words: str  # "73 % of the passages that few others have, …"
    one: Who
    other: Who


@dataclass(frozen=True)
class SimilarSheet:
    lab_id: str
    title: str
    summary: str
    pairs: tuple[PairCard, ...]
    left_out: int
    equal: tuple[tuple[Who, ...], ...]


def similar_sheet(
    lab_id: str, title: str, found: SimilarFiles, names: Mapping[str, str], texts: Mapping[str, str]
) -> SimilarSheet:
    """`names` and `texts`: by student."""
    pairs = counted(len(found.pairs) + found.left_out, "pair")
    return SimilarSheet(
        lab_id=visible_text.line(lab_id, 60),
        title=visible_text.line(title, 120),
        summary=f"{pairs} of similar files, and {counted(len(found.equal), 'file')} that several students handed in",
        pairs=tuple(_card(at, pair, names, texts) for at, pair in enumerate(found.pairs, start=1)),
        left_out=found.left_out,
        equal=tuple(tuple(_who(one, names) for one in students) for students in found.equal),
    )


def _card(at: int, pair: SimilarPair, names: Mapping[str, str], texts: Mapping[str, str]) -> PairCard:
    how = "under other names" if pair.renamed else "with the same names"
    return PairCard(
        anchor=f"pair-{at}",
        words=f"{100 * pair.share:.0f} % of the passages that few others have, {how} ({pair.passages:,} in common)",
        one=_who(pair.one, names, shown_text(texts[pair.one], pair.lines[0])),
        other=_who(pair.other, names, shown_text(texts[pair.other], pair.lines[1])),
    )


def _who(student: str, names: Mapping[str, str], text: ShownText | None = None) -> Who:
    name = visible_text.line(names.get(student, ""), 80) or visible_text.line(student, 80)
    return Who(name, f"../{quote(student, safe='', errors='replace')}.html", text)
