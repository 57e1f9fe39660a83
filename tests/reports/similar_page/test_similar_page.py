"""The page of similar files: both texts, safe to show, in words that accuse nobody."""

from __future__ import annotations

import re

from grader.explain.similar_files import SimilarFiles, SimilarPair
from grader.pages.pages import similar_page

NAMES = {"ada": "Ada <b>", "../x": "Ben", "cyd": ""}
TEXTS = {"ada": "one\n</pre><script>alert(1)</script>\nthree", "../x": "eins\nzwei", "cyd": ""}
FOUND = SimilarFiles((SimilarPair("ada", "../x", 0.734, 41, ((2,), (1,)), renamed=True),), (("ada", "cyd"),), 3)


def page(found: SimilarFiles = FOUND) -> str:
    return similar_page("lab", "A lab", found, names=NAMES, texts=TEXTS)


def test_both_texts_stand_side_by_side_with_their_marks() -> None:
    html = page()
    assert re.findall(r'<span class="marked"><b>(\d)</b> ([^<]*)', html) == [
        ("2", "&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("1", "eins"),
    ]
    assert "73 % of the passages that few others have, under other names (41 in common)" in html
    assert "3 more pairs" in html


def test_hostile_text_adds_no_tag_and_no_way_out_of_the_folder() -> None:
    html = page()
    assert "<script" not in html
    assert "Ada &lt;b&gt;" in html
    assert set(re.findall(r'href="([^"]*)"', html)) == {
        "../../index.html",
        "../ada.html",
        "../..%2Fx.html",
        "../cyd.html",
    }
    assert "script-src &#39;none&#39;" in html


def test_nobody_is_accused() -> None:
    words = re.sub(r"<[^>]*>", " ", page()).casefold()
    assert not re.search(r"cheat|plagia|copie|copy|stole|suspect|guilt|dishonest|misconduct|offen", words)


def test_a_lab_without_pairs_says_so() -> None:
    assert "No two files have many passages in common" in page(SimilarFiles())
