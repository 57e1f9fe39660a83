"""The page of one lab's similar files: pairs, the most alike first, each with both texts and the lines where common passages begin. Pure.

It says what the texts have in common. It says nothing of the people who wrote them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from urllib.parse import quote

from grader.explain.similar_files import SimilarFiles, SimilarPair
from grader.model import visible_text
from grader.model.visible_text import counted
from grader.pages.page_section import Shown


def similar_sheet(
    lab_id: str, title: str, found: SimilarFiles, names: Mapping[str, str], texts: Mapping[str, str]
) -> Shown:
    """`names` and `texts`: by student."""
    pairs = counted(len(found.pairs) + found.left_out, "pair")
    return Shown(
        lab_id=lab_id,
        title=title,
        summary=f"{pairs} of similar files, and {counted(len(found.equal), 'file')} that several students handed in",
        pairs=[_card(pair, names, texts) for pair in found.pairs],
        left_out=found.left_out,
        equal=[[_who(one, names) for one in students] for students in found.equal],
    )


def _card(pair: SimilarPair, names: Mapping[str, str], texts: Mapping[str, str]) -> Shown:
    how = "under other names" if pair.renamed else "with the same names"
    return Shown(
        words=f"{100 * pair.share:.0f} % of the passages that few others have, {how} ({pair.passages:,} in common)",
        one=_who(pair.one, names, texts[pair.one], pair.lines[0]),
        other=_who(pair.other, names, texts[pair.other], pair.lines[1]),
    )


def _who(student: str, names: Mapping[str, str], text: str = "", marked: Collection[int] = ()) -> Shown:
    """`marked`: numbers of lines, from 1."""
    name = visible_text.line(names.get(student, ""), 80) or visible_text.line(student, 80)
    link = f"../{quote(student, safe='', errors='replace')}.html"
    return Shown(name=name, link=link, text=visible_text.block(text, lines=400, columns=160), marked=marked)
