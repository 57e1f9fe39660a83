"""Names for the leaderboard: chosen ones, made ones, and everything that a student may try with them."""

from __future__ import annotations

import pytest

from grader.model.result import Submission
from grader.plugins.leaderboard.pseudonyms import FORM, TAKEN, NameBook, Wish, call_students, wish_in

KEY = bytes(32)
EMPTY = NameBook()
CLASS = tuple(
    Submission(id=one, name=one.replace("-", " "))
    for one in ("ada-lovelace", "alan-turing", "grace-hopper", "s1234567", "Zoe-Angstrom")
)


def call(
    wishes: dict[str, str], book: NameBook = EMPTY, refused: tuple[str, ...] = ()
) -> tuple[dict[str, str], NameBook]:
    """Names by student; a note stands behind a bar."""
    asked = {one.id: wish_in(f"// leaderboard: {wishes[one.id]}" if one.id in wishes else "") for one in CLASS}
    called, book = call_students(CLASS, asked, book, KEY, refused)
    return {one: f"{'*' if call.chosen else ''}{call.name}|{call.note}" for one, call in called.items()}, book


def test_a_line_in_the_file_chooses_a_name() -> None:
    text = "// my kernel\n  //Leaderboard:  Tile   juggler \nint x;\n"
    assert wish_in(text) == Wish("Tile juggler")
    assert wish_in(text.replace("\n", "\r\n")) == Wish("Tile juggler")
    assert wish_in("int leaderboard; // no line of its own leaderboard: x") == Wish()
    names, _ = call({"alan-turing": "Tile juggler"})
    assert names["alan-turing"] == "*Tile juggler|"


def test_who_asks_to_be_left_out_has_no_name() -> None:
    names, _ = call({"alan-turing": "No"})
    assert names["alan-turing"] == "|"


@pytest.mark.parametrize(
    "text",
    [
        "x", "ab", "a" * 25, "a" * 100_000, "<b>bold</b>", "<script>alert(1)</script>", "a\u202eb evil", "tab\there\x07", "nul\0nul",
        "\u0430dmin name", "ﬁne name", "naïve", "😀😀😀", "🄰🄱🄲", "12345", "- - -", "-abc", "a/../b", "{{ 7 * 7 }}", "a&lt;b", "'or 1=1",
        "x" * 23 + "\u200b",
        "\u2066name\u2069", "e\u0301" * 4, "\ud800abc", "abc\u2028def",
    ],
)  # fmt: skip
def test_hostile_text_is_refused_and_nothing_of_it_is_repeated(text: str) -> None:
    names, _ = call({"alan-turing": text})
    assert names["alan-turing"].split("|")[1] == FORM
    assert not names["alan-turing"].startswith("*")


def test_two_different_lines_are_refused_and_the_same_twice_is_not() -> None:
    assert wish_in("// leaderboard: one name\n// leaderboard: other name\n").note
    assert wish_in("// leaderboard: one name\n// leaderboard: one name\n") == Wish("one name")


@pytest.mark.parametrize(
    "text",
    [
        "ada-lovelace", "Ada Lovelace", "LOVELACE", "lovelace2", "Iovelace", "l0velace", "Lovelacce", "loveiace",
        "the real lovelace", "turing",
        "grace", "h0pper", "s1234567", "S1234567 x", "Angstrom", "Turinq", "gracehopper",
    ],
)  # fmt: skip
def test_nobody_takes_a_real_name_or_id_or_what_looks_like_one(text: str) -> None:
    for student in ("alan-turing", "ada-lovelace"):
        names, _ = call({student: text})
        assert names[student].split("|")[1] in {TAKEN, FORM}, text
        assert not names[student].startswith("*"), text


def test_words_that_many_students_share_are_no_identity() -> None:
    exported = tuple(Submission(id=f"p{n}_assignsubmission_file", name=f"p{n}_assignsubmission_file") for n in range(5))
    called, _ = call_students(exported, {"p1_assignsubmission_file": Wish("profile picture")}, EMPTY, KEY)
    assert called["p1_assignsubmission_file"].chosen


def test_two_who_ask_for_one_name_at_once_both_get_another() -> None:
    names, _ = call({"alan-turing": "Warp speed", "grace-hopper": "warp-Speed"})
    assert [names[one].split("|")[1] for one in ("alan-turing", "grace-hopper")] == [TAKEN, TAKEN]
    assert "arp" not in (names["alan-turing"] + names["grace-hopper"]).split("|")[0]


@pytest.mark.parametrize(
    "copy", ["Warp speed", "warpspeed", "WARP SPEED", "Warp 5peed", "vvarp speed", "Warp speeds", "Wrap speed"]
)
def test_a_name_stays_with_whoever_had_it_first(copy: str) -> None:
    _, book = call({"alan-turing": "Warp speed"})
    names, later = call({"alan-turing": "Warp speed", "grace-hopper": copy}, book)
    assert names["alan-turing"] == "*Warp speed|"
    assert names["grace-hopper"].split("|")[1] == TAKEN
    # Also when the first one has chosen another meanwhile.
    names, _ = call({"alan-turing": "Other name", "grace-hopper": copy}, later)
    assert names["alan-turing"] == "*Other name|"
    assert names["grace-hopper"].split("|")[1] == TAKEN


def test_nobody_can_take_all_good_names() -> None:
    book = EMPTY
    for one in (
        "boulder",
        "granite",
        "sediment",
        "limestone",
        "feldspar",
        "obsidian",
        "quartzite",
        "pumicite",
        "basaltic",
        "tephrite",
    ):
        _, book = call({"alan-turing": one}, book)
    assert len(book.owned) == 8
    assert call({"grace-hopper": "boulder"}, book)[0]["grace-hopper"] == "*boulder|"


def test_names_of_the_course_s_own_kind_cannot_be_chosen() -> None:
    names, _ = call({"alan-turing": "quiet otter", "grace-hopper": "Quiet-Otter 7"})
    assert not any(names[one].startswith("*") for one in ("alan-turing", "grace-hopper"))


def test_the_instructor_refuses_a_name() -> None:
    _, book = call({"alan-turing": "rude word"})
    assert call({"alan-turing": "rude word"}, book, ("Rude Word",))[0]["alan-turing"].split("|")[1] == TAKEN


def test_made_names_stay_and_do_not_follow_from_the_id_alone() -> None:
    names, book = call({})
    assert len(set(names.values())) == len(CLASS)
    newcomers = (*CLASS, *(Submission(id=f"n{n}", name=f"n{n}") for n in range(200)))
    later, _ = call_students(newcomers, {one.id: Wish() for one in newcomers}, book, KEY)
    assert [f"{later[one.id].name}|" for one in CLASS] == [names[one.id] for one in CLASS]
    assert len({one.name for one in later.values()}) == len(newcomers)
    other, _ = call_students(CLASS, {one.id: Wish() for one in CLASS}, EMPTY, b"another key" * 3)
    assert all(other[one.id].name != names[one.id].rstrip("|") for one in CLASS)
    # Without the history, but with the key, they are the same again.
    assert call({})[0] == names


def test_made_names_do_not_depend_on_the_order_of_the_class() -> None:
    many = [Submission(id=f"n{n}", name=f"n{n}") for n in range(3_000)]  # some of them want the same name
    wishes = {one.id: Wish() for one in many}
    forwards, _ = call_students(many, wishes, EMPTY, KEY)
    backwards, _ = call_students(many[::-1], dict(reversed(wishes.items())), EMPTY, KEY)
    assert forwards == backwards
