"""A student has one id in every batch, whatever else is handed in, however names change; and nobody gets another's."""

from __future__ import annotations

import itertools
import random
import unicodedata

import pytest

from grader.model.result import Student
from grader.roll.people.identities import Identities, identities_in
from grader.roll.people.identity_resolution import Arrival, People, resolve_identities
from grader.roll.people.roster import Roster, roster_in

MUELLER = "anna-m\N{LATIN SMALL LETTER U WITH DIAERESIS}ller"


class Term:
    """Batches one after another. What is kept goes through its text each time."""

    def __init__(self) -> None:
        self.book = Identities()

    def batch(self, *uploads: str | Student, roster: Roster | None = None) -> People:
        arrivals = [Arrival(one, one) if isinstance(one, str) else Arrival(one.name, one.name, one) for one in uploads]
        people = resolve_identities(arrivals, roster, self.book)
        self.book = identities_in(self.book.text())
        return people

    def ids(self, *uploads: str | Student, roster: Roster | None = None) -> list[str]:
        return [one.id for one in self.batch(*uploads, roster=roster).arrived]


@pytest.fixture
def term() -> Term:
    return Term()


class History:
    """Batches at random: who comes, from which platform, under which name. What must be true of ids is checked after each."""

    NAMES = (
        MUELLER,
        unicodedata.normalize("NFD", MUELLER),
        "anna-muller",
        "Anna-Muller",
        "anna-muller-2",
        "anna-muller-2-2",
        "=1+1",
    )
    ROSTERS = (
        None,
        "name,number\nAnna Müller,10042\nanna muller,10043\n",
        "name,login\nMuller Anna,1\n=1+1,2\nanna,anna-muller\n",
    )

    def __init__(self, chance: random.Random) -> None:
        self.chance, self.term = chance, Term()
        self.of_account: dict[str, str] = {}
        self.of_id: dict[str, str] = {}

    def upload(self) -> str | Student:
        name = self.chance.choice(self.NAMES)
        account = self.chance.choice(["", "", "1", "2", "3"])
        return canvas(account, name) if account else name

    def batch(self) -> None:
        uploads = list({repr(one): one for one in (self.upload() for _ in range(self.chance.randrange(6)))}.values())
        roster = self.chance.choice(self.ROSTERS)
        people = self.term.batch(*uploads, roster=listed(roster) if roster else None)
        ids = [one.id.casefold() for one in (*people.arrived, *people.absent)]
        assert len({*ids}) == len(ids)
        accounts = [one.platform_ids["Canvas"] for one in uploads if isinstance(one, Student)]
        for upload, person in zip(uploads, people.arrived, strict=True):
            if isinstance(upload, str) or accounts.count(account := upload.platform_ids["Canvas"]) > 1:
                continue
            assert self.of_account.setdefault(account, person.id) == person.id
            assert self.of_id.setdefault(person.id, account) == account


def listed(text: str) -> Roster:
    return roster_in(text.encode(), "r.csv")


def canvas(number: str, name: str) -> Student:
    return Student(name=name, platform_ids={"Canvas": number})


def said(people: People) -> str:
    return " / ".join(people.notices)


@pytest.mark.parametrize(
    "names",
    list(itertools.permutations([MUELLER, "anna-muller", "Anna-Muller", "anna muller"])),
)
def test_a_student_added_later_never_takes_over_an_id(term: Term, names: tuple[str, ...]) -> None:
    given: dict[str, str] = {}
    for count in range(1, len(names) + 1):
        here = sorted(names[:count])
        now = dict(zip(here, term.ids(*here), strict=True))
        assert all(now[name] == given[name] for name in given)
        assert len({one.casefold() for one in now.values()}) == count
        given = now


def test_a_student_who_is_called_like_anothers_id_gets_one_of_their_own(term: Term) -> None:
    assert term.ids("ada", "Ada!") == ["ada", "Ada-2"]
    people = term.batch("ada", "ada-2", "Ada!")
    assert [one.id for one in people.arrived] == ["ada", "ada-2-2", "Ada-2"]
    assert "'ada-2' is ada-2-2" in said(people)
    assert term.ids("Ada-2", "ada") == ["Ada-2-3", "ada"]


def test_the_id_of_a_student_who_is_gone_is_nobody_elses(term: Term) -> None:
    assert term.ids(MUELLER) == ["anna-muller"]
    assert term.ids("anna-muller") == ["anna-muller-2"]
    assert term.ids(MUELLER) == ["anna-muller"]


def test_two_uploads_of_one_name_keep_their_order(term: Term) -> None:
    assert term.ids("ada", "ada") == ["ada", "ada-2"] == term.ids("ada", "ada")


def test_one_name_in_two_unicode_forms_is_one_student_unless_both_are_there(term: Term) -> None:
    composed, split = (unicodedata.normalize(form, MUELLER) for form in ("NFC", "NFD"))
    assert term.ids(composed) == ["anna-muller"]
    assert term.ids(split) == ["anna-muller"]
    assert term.ids(composed, "ben") == ["anna-muller", "ben"]
    assert term.ids(split, composed) == ["anna-muller-2", "anna-muller"]
    fresh = Term()
    assert fresh.ids(composed) == ["anna-muller"]
    assert fresh.ids(split, composed) == ["anna-muller-2", "anna-muller"]


def test_names_that_are_no_unicode_are_kept_as_their_bytes(term: Term) -> None:
    names = ("a\udcff", "a\udcfe", "a")
    assert term.ids(*names) == term.ids(*names) == ["a-2", "a-3", "a"]


def test_a_rename_keeps_the_id_and_is_told(term: Term) -> None:
    assert term.ids(canvas("7", "Ada Byron")) == ["Ada-Byron"]
    people = term.batch(canvas("7", "Ada Lovelace"), canvas("8", "Ada Byron"))
    assert [one.id for one in people.arrived] == ["Ada-Byron", "Ada-Byron-2"]
    assert "Ada-Byron: 'Ada Byron' is now 'Ada Lovelace'" in said(people)


def test_a_login_that_is_given_to_a_new_student_takes_no_id_along(term: Term) -> None:
    first = listed("name,login,number\nAda,al1,42\n")
    assert term.ids("al1", roster=first) == ["al1"]
    people = term.batch("al1", roster=listed("name,login,number\nAlan,al1,99\n"))
    assert [one.id for one in people.arrived] == ["al1-2"]
    assert people.arrived[0].student.number == "99"
    assert "al1" in said(people)
    assert term.batch(roster=first).absent[0].id == "al1"


ROSTER = "name,login,number,email,section,team\nAda Lovelace,ada,10042,ada@x.org,Mon,\nAlan Turing,alan,10043,at@x.org,Tue,\n"


@pytest.mark.parametrize(
    "upload",
    [
        "ada", "10042", "ada@x.org", "Ada Lovelace", "lovelace, ada", "Lovelace_Ada_10042", "lovelaceada", "LovelaceAda",
        Student(name="Countess", number="10042"), Student(name="x", login="ADA"), Student(name="x", email="Ada@X.org"),
        Student(name="Ada Lovelace", platform_ids={"Canvas": "1"}),
    ],
    ids=str,
)  # fmt: skip
def test_an_upload_is_matched_by_what_tells_students_apart_or_by_an_only_name(
    term: Term, upload: str | Student
) -> None:
    people = term.batch(upload, roster=listed(ROSTER))
    assert (people.arrived[0].student.number, people.arrived[0].student.section) == ("10042", "Mon")
    assert [one.student.name for one in people.absent] == ["Alan Turing"]
    again = term.batch(upload, "Alan Turing", roster=listed(ROSTER))
    assert [one.id for one in again.arrived] == [people.arrived[0].id, people.absent[0].id]
    assert again.absent == ()


@pytest.mark.parametrize(
    ("uploads", "rows"),
    [
        (["Ada Lovelace", "Lovelace, Ada"], "name,login\nAda Lovelace,al\n"),
        (["Ada Lovelace"], "name,login\nAda Lovelace,al1\nLovelace Ada,al2\n"),
        ([Student(name="Ada", number="7")], "name,number\nAda,8\n"),
        (["report 10042 10043"], ROSTER),
        (["Ada"], "name,login\nAda Lovelace,al\n"),
        (["\u674e\u660e"], "name,login\n\u738b\u4f1f,o\n"),
    ],
)
def test_nobody_is_matched_where_it_is_not_sure_who_it_is(term: Term, uploads: list[str | Student], rows: str) -> None:
    people = term.batch(*uploads, roster=listed(rows))
    assert not any(one.student.login or one.student.section for one in people.arrived)
    assert len(people.absent) == rows.count("\n") - 1
    assert f"{len(uploads)} who handed in are not on the roster" in said(people)


def test_names_that_differ_by_an_umlaut_go_to_their_own_rows_in_any_order(term: Term) -> None:
    roster = listed("name,login\nAnna Müller,am1\nAnna Muller,am2\n")
    logins = [[one.student.login for one in term.batch(*names, roster=roster).arrived] for names in (
        ["anna muller"], [MUELLER, "anna muller"], ["anna muller", MUELLER],
    )]  # fmt: skip
    assert logins == [["am2"], ["am1", "am2"], ["am2", "am1"]]


def test_a_name_alone_does_not_reach_a_student_who_handed_in_under_another_one(term: Term) -> None:
    roster = listed("name,login\nAda Lovelace,al\n")
    assert term.ids("lovelaceada", roster=roster) == ["lovelaceada"]
    people = term.batch("Ada Lovelace", roster=roster)
    assert people.arrived[0].id == "Ada-Lovelace"
    assert people.arrived[0].student.login == ""
    assert "write its name into a column `upload`" in said(people)
    stated = listed("name,login,upload\nAda Lovelace,al,Ada Lovelace\n")
    assert term.batch("Ada Lovelace", roster=stated).arrived[0].student.login == "al"


def test_an_account_that_takes_anothers_name_gets_nothing_of_theirs(term: Term) -> None:
    roster = listed("name,login\nAda Lovelace,al\nEve,eve\n")
    assert term.ids(canvas("1", "Ada Lovelace"), roster=roster) == ["Ada-Lovelace"]
    people = term.batch(canvas("666", "Ada Lovelace"), roster=roster)
    assert (people.arrived[0].id, people.arrived[0].student.login) == ("Ada-Lovelace-2", "")
    assert [one.id for one in people.absent] == ["Ada-Lovelace", "Eve"]
    assert "with another id of the platform" in said(people)


WITH_ADDRESSES = "name,login,email\nAda Lovelace,al,\nEve,eve,eve@x.org\n"


@pytest.mark.parametrize(
    ("before", "now", "why"),
    [
        ([], [Student(name="Ada Lovelace", email="mallory@x.org")], "e-mail 'mallory@x.org' is in no row"),
        ([canvas("2", "Mallory")], [canvas("2", "Ada Lovelace")], "it was called 'Mallory' before"),
        ([], ["eve", "Ada Lovelace", "frida", "grace"], "most others are called by a number, a login or an account"),
    ],
    ids=["address", "renamed", "folder"],
)
def test_a_name_is_not_enough_where_something_better_could_have_told(
    term: Term, before: list[str | Student], now: list[str | Student], why: str
) -> None:
    roster = listed(WITH_ADDRESSES + "Frida,frida,\nGrace,grace,\n")
    term.batch(*before)
    people = term.batch(*now, roster=roster)
    assert why in said(people)
    assert "write its name into a column `upload`" in said(people)
    assert "Ada Lovelace" in [one.student.name for one in people.absent]
    assert "al" not in [one.student.login for one in people.arrived]
    confirmed = listed(
        "name,login,email,upload\nAda Lovelace,al,,Ada Lovelace\nEve,eve,eve@x.org,\nFrida,frida,,\nGrace,grace,,\n"
    )
    assert "al" in [one.student.login for one in term.batch(*now, roster=confirmed).arrived]


def test_a_name_counts_where_nothing_else_is_known_of_anybody_and_this_is_told(term: Term) -> None:
    people = term.batch("Ada Lovelace", "Eve", roster=listed(WITH_ADDRESSES))
    assert [one.student.login for one in people.arrived] == ["al", "eve"]
    assert "1 matched with the roster by name alone: 'Ada Lovelace'" in said(people)


def test_moodle_numbers_participants_anew_in_each_assignment(term: Term) -> None:
    roster = listed("name,login\nAda Lovelace,al\n")
    weeks = [Student(name="Ada Lovelace", platform_ids={"Moodle": number}) for number in ("700001", "712345")]
    assert term.ids(weeks[0], roster=roster) == term.ids(weeks[1], roster=roster) == ["Ada-Lovelace"]


def test_who_joins_late_or_left_the_roster_is_graded_and_told(term: Term) -> None:
    assert term.ids("ada", "carl", roster=listed(ROSTER)) == ["ada", "carl"]
    people = term.batch("ada", "alan", roster=listed("name,login\nAlan Turing,alan\n"))
    assert [one.id for one in people.arrived] == ["ada", "Alan-Turing"]
    assert "1 who handed in are not on the roster, and are graded all the same: 'ada'" in said(people)
    assert "had a roster and this one has none" in said(term.batch("ada"))


def test_a_roster_that_comes_later_changes_no_id(term: Term) -> None:
    uploads = ("ada", canvas("8", "Alan M. Turing"), "10099")
    before = term.ids(*uploads)
    assert term.ids(*uploads, roster=listed(ROSTER)) == before
    assert term.ids(*uploads, roster=listed(ROSTER + "Grace Hopper,gh,10099,,,\n")) == before
    assert term.batch(roster=listed(ROSTER)).absent[0].id == "ada"


def test_an_id_that_only_the_roster_made_ends_where_the_student_turns_out_to_be_another(term: Term) -> None:
    people = term.batch("Ada L", roster=listed(ROSTER))
    assert [one.id for one in (*people.arrived, *people.absent)] == ["Ada-L", "Ada-Lovelace", "Alan-Turing"]
    stated = listed(ROSTER.replace("team\n", "team,upload\n").replace("Mon,\n", "Mon,,Ada L\n"))
    people = term.batch("Ada L", roster=stated)
    assert [one.id for one in (*people.arrived, *people.absent)] == ["Ada-L", "Alan-Turing"]
    assert term.ids("Ada Lovelace") == ["Ada-Lovelace-2"]


def test_a_row_whose_keys_are_anothers_has_one_id_for_good(term: Term) -> None:
    roster = listed("name,login,email\nAda,ada,a@x.org\n")
    term.batch(Student(name="Ada", login="ada", email="a@x.org"), roster=roster)
    clash = [Student(name="Z", login="ada", email="z@x.org")]
    assert len({tuple(one.id for one in term.batch(*clash, roster=roster).absent) for _ in range(3)}) == 1


@pytest.mark.parametrize("count", [5_000])
def test_every_one_of_a_large_course_keeps_their_id(term: Term, count: int) -> None:
    rows = "".join(f"Wei Wang,w{number},{10_000 + number},,,\n" for number in range(count))
    roster = listed("name,login,number,email,section,team\n" + rows)
    uploads = [f"w{number}" for number in range(0, count, 2)]
    first = term.batch(*uploads, roster=roster)
    again = term.batch(*reversed(uploads), roster=roster)
    assert [one.id for one in reversed(again.arrived)] == [one.id for one in first.arrived] == uploads
    assert len({one.id for one in (*first.arrived, *first.absent)}) == count
    assert again.absent == first.absent


@pytest.mark.parametrize("seed", range(40))
def test_whatever_is_handed_in_an_account_keeps_its_id_and_shares_it_with_no_other(seed: int) -> None:
    history = History(random.Random(seed))
    for _ in range(25):
        history.batch()


@pytest.mark.parametrize("number", ["42", "0042"])
@pytest.mark.parametrize(
    "upload", ["42", "0042", Student(name="Ada", number="0042"), Student(name="Ada", number="42", email="a@x")]
)
def test_a_number_that_lost_its_zeros_is_the_same_and_keeps_its_id(
    term: Term, number: str, upload: str | Student
) -> None:
    roster = roster_in(f"name,number,email\nAda L,{number},a@x\nBen B,1234,b@x\n".encode(), "r.csv")
    people = term.batch(upload, roster=roster)
    assert (people.arrived[0].student.name, len(people.absent)) == ("Ada L", 1)
    other = "0042" if number == "42" else "42"
    later = roster_in(f"name,number,email\nAda L,{other},a@x\nBen B,1234,b@x\n".encode(), "r.csv")
    again = term.batch(upload, roster=later)
    assert (again.arrived[0].id, len(again.absent)) == (people.arrived[0].id, 1)
    gone = term.batch(roster=later)
    assert people.arrived[0].id in {one.id for one in gone.absent}


def test_numbers_that_differ_by_their_zeros_alone_are_two_students_if_both_are_there(term: Term) -> None:
    roster = roster_in(b"name,number\nAda L,42\nBen B,0042\n", "r.csv")
    people = term.batch("42", "0042", roster=roster)
    assert [one.student.name for one in people.arrived] == ["Ada L", "Ben B"]
    assert not any("without the zeros" in one for one in people.notices)


def test_a_login_that_is_an_address_is_matched_with_an_address(term: Term) -> None:
    """Canvas's logins are often addresses; Autolab, Gradescope and PrairieLearn tell the address alone."""
    canvas = roster_in(
        b'Student,ID,SIS User ID,SIS Login ID,Section\n"L, Ada",1,01,ada@x.edu,A\n"B, Ben",2,02,ben@x.edu,A\n', "r.csv"
    )
    people = term.batch(Student(email="ADA@x.edu"), Student(email="ben@x.edu"), roster=canvas)
    assert [one.student.number for one in people.arrived] == ["01", "02"]
    other = roster_in(b"name,email\nAda L,ada@x.edu\n", "r.csv")
    assert Term().batch(Student(login="ada@x.edu"), roster=other).arrived[0].student.name == "Ada L"


LOGINS = "name,login\nAda L,ada\nBen B,ben\nEve E,eve\nDan D,dan\n"


def test_the_first_part_of_the_universitys_address_is_the_login(term: Term) -> None:
    roster = roster_in(LOGINS.encode(), "r.csv")
    people = term.batch(*(Student(email=f"{one}@x.edu") for one in ("ada", "ben", "eve")), roster=roster)
    assert [one.student.login for one in people.arrived] == ["ada", "ben", "eve"]
    assert any("3 matched with the roster because the login is the first part" in one for one in people.notices)


@pytest.mark.parametrize(
    "stranger",
    [Student(email="dan@mail.example"), Student(name="Zoe Z", email="dan@x.edu")],
    ids=["another domain", "another name"],
)
def test_the_first_part_of_any_other_address_is_nobodys_login(term: Term, stranger: Student) -> None:
    roster = roster_in(LOGINS.encode(), "r.csv")
    people = term.batch(*(Student(email=f"{one}@x.edu") for one in ("ada", "ben", "eve")), stranger, roster=roster)
    assert people.arrived[3].student.login == ""
    few = Term().batch(Student(email="ada@x.edu"), Student(email="ben@x.edu"), roster=roster)
    assert [one.student.login for one in few.arrived] == ["", ""]
