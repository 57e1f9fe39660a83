"""The roster: who is in the course, as a platform exports it or as a person wrote it down.

A column that is not understood is said. A roster in which two rows may be one student, or a row tells of nobody, is refused with its
lines: a grade that reaches the wrong row is worse than one that has to wait.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.model.errors import RemediableError
from grader.model.result import Student
from grader.model.written_names import exact_form, first_and_last, folded_form, some
from grader.roll.people.identities import EMAIL, FOLDER, LOGIN, NUMBER, Key, keys_of, plain
from grader.roll.people.table_text import Row, TableError, columns_in, file_bytes, heading_word, read_table, unquoted

# What the headings of a roster mean: in a platform's own export, and in a table that a person wrote. Pure.
#
# A heading that may mean two things, such as "Group", is not guessed: it is said, with the words that are understood.

_WORDS = {
    "name": "name, full name, student, student name, display name, vollständiger name, nom complet, nombre completo, nome completo, "
    "volledige naam, naam, imię i nazwisko, fullständigt namn, fulde navn, fullt navn, ad soyad, celé jméno, jméno a příjmení, "
    "полное имя, фио, 姓名, 全名, 氏名, 이름, 성명",
    "first": "first name, firstname, first, given name, given names, forename, vorname, prénom, prenom, nombre, nome, voornaam, imię, "
    "förnamn, fornavn, etunimi, jméno, adı, ad, имя, 名, 名字",  # noqa: RUF001 -- these letters are meant
    "last": "last name, lastname, last, surname, family name, nachname, familienname, nom, nom de famille, apellidos, apellido, "
    "apellido s, cognome, sobrenome, achternaam, nazwisko, efternamn, efternavn, etternavn, sukunimi, příjmení, soyadı, soyad, фамилия, "  # noqa: RUF001 -- these letters are meant
    "姓, 姓氏",
    "login": "login, login id, username, user name, user, user id, userid, sis login id, account, netid, net id, uni login, kennung, "
    "benutzername, anmeldename, nom d utilisateur, nombre de usuario, usuario, utilisateur, nome utente, utente, nome de usuário, "
    "gebruikersnaam, nazwa użytkownika, användarnamn, brugernavn, brukernavn, käyttäjätunnus, kullanıcı adı, uživatelské jméno, "  # noqa: RUF001 -- these letters are meant
    "имя пользователя, логин, 用户名, 帳號, 账号, ユーザ名, ユーザー名, 사용자 이름",
    "number": "number, student number, student id, student no, studentid, sis user id, orgdefinedid, org defined id, sid, id number, "
    "student id number, matrikelnummer, matrikel nr, matrikelnr, matriculation number, matriculation no, matric number, id nummer, "
    "university id, uin, registration number, numéro d étudiant, numéro étudiant, numéro d identification, numéro de id, número de id, "
    "n étudiant, dni, matrícula, número de matrícula, matricola, numero di matricola, codice identificativo, studentnummer, id nr, "
    "numer indeksu, numer albumu, numer id, studienummer, opiskelijanumero, öğrenci no, öğrenci numarası, studentské číslo, "  # noqa: RUF001 -- these letters are meant
    "номер студента, студенческий билет, 学号, 學號, 学籍番号, 학번, idナンバー",
    "email": "email, e mail, email address, e mail address, mail, e mail adresse, emailadresse, courriel, adresse de courriel, "
    "adresse e mail, adresse électronique, correo, correo electrónico, dirección de correo, dirección email, indirizzo email, "
    "indirizzo e mail, indirizzo di posta elettronica, endereço de e mail, endereço de email, e mailadres, adres e mail, e postadress, "
    "e post, epost, e mailadresse, sähköposti, e posta, e posta adresi, e mailová adresa, эл почта, электронная почта, "
    "адрес электронной почты, 邮箱, 电子邮件, 电子邮件地址, 電子郵件, メールアドレス, 이메일",
    "section": "section, sections, section name, course section, tutorial, class, lecture, übungsgruppe, tutorium, 班级",
    "team": "team, team name, teams, group name, project group, lab group, abgabegruppe",
    "upload": "upload, upload name, folder, folder name",
    "group": "group, groups, gruppe, gruppen, groupe, groupes, grupo, grupos, gruppo, gruppi, groep, groepen",  # two meanings
    "role": "role, roles, rolle, course role",
    "GitHub Classroom": "github username, github login, github user, github",
    "PrairieLearn": "uid",
    "LTI": "lti user id, lti sub",
    "id": "id",
    "identifier": "identifier, identifiant, identificador, identificativo, identificatore, identificatie, identyfikator",
}  # fmt: skip
FIELDS = {word.strip(): name for name, words in _WORDS.items() for word in words.split(",")}
PLATFORMS = ("Canvas", "Moodle", "GitHub Classroom", "PrairieLearn", "LTI")  # with ids of their own
KEYS = ("number", "login", "email", "upload", *PLATFORMS)
_EXPORTS: dict[str, tuple[set[str], ...]] = {
    "Canvas": ({"sis user id"}, {"sis login id"}, {"student", "id", "section"}),
    "Brightspace": ({"orgdefinedid"},),
    "GitHub Classroom": ({"github username", "identifier"},),
    "classroom50": ({"username", "github id"},),
    "PrairieLearn": ({"uid", "uin"},),
    "Blackboard": (
        {"last name", "first name", "username", "student id"},
        {"last name", "first name", "username", "last access"},
        {"last name", "first name", "username", "availability"},
    ),
    "Moodle": (
        {"identifier", "full name"},
        {"email address", "surname"},
        {"email address", "id number"},
        {"email address", "groups"},
    ),
    "Gradescope": ({"sid", "email"},),
}
USUAL = "name,login,number,email,section,team"


def understood(headings: Sequence[str]) -> int:
    """How many of them are known."""
    return sum(heading_word(one) in FIELDS for one in headings)


def columns_of(headings: Sequence[str]) -> tuple[str, dict[str, int], list[str]]:
    """Whose export this is, as far as we know it; the column of each meaning; and notices that name the others. Of two with one meaning
    counts that whose heading is our own word, else the first.
    """
    words = [heading_word(one) for one in headings]
    quoted = [repr(one.strip()[:40]) for one in headings]
    # By the headings that only this platform writes together. All of one set must be there; the first such platform counts.
    platform = next((one for one, sets in _EXPORTS.items() if any({*words} >= each for each in sets)), "")
    found = columns_in(words, lambda word: _meaning(word, platform), lambda word, what: word != what)
    groups = [number for number, word in enumerate(words) if FIELDS.get(word) == "group"]
    notices = []
    if found.unknown:
        notices.append(f"columns that are not used: {_few([quoted[number] for number in found.unknown])}")
    if twice := [f"{quoted[one]} (as {quoted[other]})" for one, other in found.twice.items() if one not in groups]:
        notices.append(f"columns that say what another one says already, and are not used: {_few(twice)}")
    if groups:
        notices.append(
            f"{_few([quoted[number] for number in groups])} may mean a section or a team, and is not used but for uploads that are "
            "called like one: call it `section` or `team`"
        )
    return platform, found.at, notices


def _meaning(word: str, platform: str) -> str:
    what = FIELDS.get(word, "")
    if what == "id":
        return "Canvas" if platform == "Canvas" else "number"
    if what == "identifier":
        return "Moodle" if platform == "Moodle" else "identifier"
    if platform == "classroom50" and word == "username":
        return "GitHub Classroom"
    if what == "PrairieLearn" and platform != "PrairieLearn":
        return "login"
    return what


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")  # noqa: PLR2004 -- a few


_LARGEST = 32 << 20
_NOTHING = frozenset({"-", "n/a", "none", "null", "#n/a"})
_STAFF = frozenset({
    "instructor", "teacher", "ta", "teaching assistant", "staff", "grader", "reader", "observer", "designer", "editing teacher",
    "non-editing teacher", "hta", "course assistant", "course builder",
})  # fmt: skip


# What Moodle calls a participant in front of the number, in some languages of a site.
_PARTICIPANT = re.compile(
    r"(?:participante?|teilnehmer[^\d\s]*|partecipante|deelnemer|uczestnik|deltagare|deltager|osallistuja|účastník|katılımcı|участник|参与者"  # noqa: RUF001 -- these letters are meant
    r"|参加者|참가자) ?(\d+)",
    re.IGNORECASE,
)
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")  # they turn the text that follows around
# As a spreadsheet shows a long number: its last digits are lost.
_SHORTENED = re.compile(r"\d[.,]\d+E\+\d+", re.IGNORECASE)


@dataclass(frozen=True)
class RosterRow:
    student: Student
    line: int
    upload: str = ""  # the exact name of this student's upload, where the roster says it
    first: str = ""
    last: str = ""
    groups: tuple[str, ...] = ()  # that may be sections or teams: what is handed in tells

    @property
    def keys(self) -> list[Key]:
        """The strongest first."""
        return [*keys_of(self.student), *([Key(FOLDER, self.upload)] if self.upload else [])]

    @property
    def known_as(self) -> str:
        """For sentences and for a first id; never empty in a roster that was read."""
        one = self.student
        return one.name or one.login or one.number or one.email or self.upload or next(iter(one.platform_ids.values()))


@dataclass(frozen=True)
class Roster:
    rows: tuple[RosterRow, ...]
    notices: tuple[str, ...] = ()


def read_roster(path: Path) -> Roster:
    """Raises RemediableError."""
    remedy = "Name a CSV file, as in ROSTER=roster.csv."
    return roster_in(file_bytes(path, _LARGEST, "roster", remedy, RemediableError, "the roster"), path.name)


def roster_in(data: bytes, name: str) -> Roster:
    """The roster in a file's bytes. `name`: the file, for sentences. Raises RemediableError."""
    try:
        table = read_table(data, understood)
    except TableError as error:
        raise RemediableError(
            f"{name}: {error}. A roster is a CSV file whose first line is, for instance, {USUAL}."
        ) from error
    platform, at, of_columns = columns_of(table.headings.cells)
    if not any(key in at for key in (*KEYS, "identifier")):
        raise RemediableError(
            f"{name}: nothing in this roster tells two students of one name apart. Add a column `number`, `login` or `email`, "
            "or `upload` with the exact name of each student's folder."
        )
    left_out: dict[str, int] = {}
    rows = [row for one in table.rows if (row := _row(one, platform, at, left_out)) is not None]
    rows, merged = _once(rows)
    _check(name, rows)
    sections = {row.student.section for row in rows} - {""}
    teams = {row.student.team for row in rows} - {""}
    counted = {"student": len(rows), "section": len(sections), "team": len(teams)}
    counts = [f"{count} {what}{'s' if count != 1 else ''}" for what, count in counted.items() if count]
    counts += [f"without {count} {who}" for who, count in left_out.items()]
    notices = [f"roster {name}: {platform + ', ' if platform else ''}{', '.join(counts)}"]
    notices += [f"roster {name}: {notice}" for notice in table.notices]
    if merged:
        notices.append(f"roster {name}: students in several rows, which differ by the section alone: {some(merged)}")
    return Roster(tuple(rows), (*notices, *(f"roster {name}: {notice}" for notice in of_columns)))


def _once(rows: Sequence[RosterRow]) -> tuple[list[RosterRow], list[str]]:
    """Each student once, with all sections: platforms write a row for each section of a student. Rows that differ otherwise stay."""
    kept: dict[object, RosterRow] = {}
    merged: dict[object, list[int]] = {}
    for row in rows:
        one = row.student.model_copy(update={"section": ""})
        same = (one.model_dump_json(), row.upload) if row.keys else row.line
        if (first := kept.get(same)) is None:
            kept[same] = row
            continue
        sections = dict.fromkeys(each for each in (*first.student.section.split(", "), row.student.section) if each)
        kept[same] = replace(first, student=one.model_copy(update={"section": ", ".join(sections)}))
        merged.setdefault(same, [first.line]).append(row.line)
    return list(kept.values()), [f"lines {' and '.join(map(str, lines))}" for lines in merged.values()]


def _row(row: Row, platform: str, at: Mapping[str, int], left_out: dict[str, int]) -> RosterRow | None:
    """None for what is no student: `left_out` counts them."""
    found = {what: row.cells[number] for what, number in at.items() if number < len(row.cells)}
    cells = {what: unquoted(re.sub(r"\s+", " ", _TURNING.sub("", cell)).strip()) for what, cell in found.items()}
    if not any(cells.values()):
        return None
    name = cells.get("name", "")
    if platform == "Canvas" and (name.casefold() == "points possible" or not (name or cells.get("Canvas"))):
        return None
    is_test = platform == "Canvas" and name.casefold() == "student, test"
    if is_test or cells.get("role", "").casefold() in _STAFF:
        who = "test student" if is_test else "of the staff"
        left_out[who] = left_out.get(who, 0) + 1
        return None
    first, last = (cells.get(one, "").strip("_") for one in ("first", "last"))  # "_" stands for no name
    if not name:
        name = f"{first} {last}".strip()
    if not (first or last):
        first, last = first_and_last(name)
    keys = _keys(cells, platform)
    student = Student(
        name=name,
        login=keys.get("login", ""),
        number=keys.get("number", ""),
        email=keys.get("email", ""),
        section=cells.get("section", ""),
        team=cells.get("team", ""),
        platform_ids={one: keys[one] for one in PLATFORMS if keys.get(one)},
    )
    groups = tuple(filter(None, (one.strip() for one in re.split(r"[,;]", cells.get("group", "")))))
    return RosterRow(student, row.line, keys.get("upload", ""), first, last, groups)


def _keys(cells: Mapping[str, str], platform: str) -> dict[str, str]:
    """The cells that tell students apart, without what platforms put around them and without what stands for nothing."""
    keys = {what: value for what, value in cells.items() if value.casefold() not in _NOTHING}
    if platform == "Brightspace":
        keys |= {what: keys[what].removeprefix("#") for what in ("number", "login") if what in keys}
    if found := re.search(r"\d+$", keys.get("Moodle", "")):  # "Participant 700001", in the site's language
        keys["Moodle"] = found[0]
    for what in ("number", "identifier"):
        if found := _PARTICIPANT.fullmatch(keys.get(what, "")):
            del keys[what]
            keys.setdefault("Moodle", found[1])
    if "number" in keys:
        keys["number"] = re.sub(r"(?<=\d)\.0+\Z", "", keys["number"])
    if identifier := keys.pop("identifier", ""):
        what = "email" if "@" in identifier else "number" if identifier.isdecimal() else "login"
        keys.setdefault(what, identifier)
    return keys


def _check(name: str, rows: Sequence[RosterRow]) -> None:
    """Raises RemediableError where a row tells of nobody, or two rows of one student."""
    if not rows:
        raise RemediableError(f"{name}: no student is in this roster, only headings. Is it the right file?")
    if nobody := [row for row in rows if not row.keys]:
        lines = some(f"line {row.line} ({row.student.name[:40]!r})" for row in nobody)
        raise RemediableError(
            f"{name}: these rows have neither number, login nor e-mail, so it is not known who they are: {lines}. Fill one in."
        )
    if short := [row for row in rows if _SHORTENED.fullmatch(row.student.number)]:
        lines = some(f"line {row.line} ({row.student.number})" for row in short)
        raise RemediableError(
            f"{name}: a spreadsheet has shortened these numbers, and their last digits are lost: {lines}. Export the roster again, and do "
            "not save it from a spreadsheet; or set that column to text there first."
        )
    first: dict[Key, int] = {}
    places = [(key, first.setdefault(key, row.line), row.line) for row in rows for key in row.keys]
    if twice := [f"{key} in lines {one} and {other}" for key, one, other in places if one != other]:
        raise RemediableError(
            f"{name}: what must be one student's alone is in two rows: {some(twice)}. Remove or correct one of each."
        )


# What in the name of a folder tells whose it is: a number, an address, or a login beside the student's name. Pure.
#
# Whether that is enough is decided in identity_resolution.py.

_LONG_NUMBER = re.compile(r"(?<!\d)\d{5,}(?!\d)")
_ADDRESS = re.compile(r"(?P<front>[\w.+'-]+)@(?P<end>[\w.-]+)")
_ZEROS = 12
_LONGEST = 255  # of a folder's name
_UMLAUTS = (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("Ä", "Ae"), ("Ö", "Oe"), ("Ü", "Ue"))


def numbers_in(name: str, rows: Mapping[str, RosterRow] | None = None) -> list[str]:
    """Those that are long enough to be a student's; and a name that is one, with the zeros that a spreadsheet took away."""
    bare = name if rows and name.isascii() and name.isdecimal() else ""
    return [*_LONG_NUMBER.findall(name), *("0" * zeros + bare for zeros in range(1, _ZEROS) if bare)]


def _addresses(name: str, rows: Mapping[str, RosterRow]) -> Iterator[str]:
    """Of `Lovelace_Ada_ada@example.org_2026`, in which an address may hold underscores too."""
    for found in _ADDRESS.finditer(plain(name)[:_LONGEST]):
        fronts, ends = found["front"].split("_"), found["end"].split("_")
        for first, last in itertools.product(range(len(fronts)), range(len(ends), 0, -1)):
            address = f"{'_'.join(fronts[first:])}@{'_'.join(ends[:last]).strip('.-')}"
            if address in rows:
                yield address
                break


def _logins(name: str, rows: Mapping[str, RosterRow]) -> Iterator[str]:
    """Of `Lovelace_Ada_ada_4711` or `ada - Ada Lovelace`: where all words of that student's name stand there too."""
    words = Counter(ascii_words(name[:_LONGEST]))
    for separators in (r"[\s_,;()]+", r"[\s_,;()-]+"):
        for login in dict.fromkeys(re.split(separators, plain(name)[:_LONGEST])):
            row = rows.get(login)
            if row is not None and (called := Counter(ascii_words(row.student.name))):
                beside = words - Counter(ascii_words(login))
                if called <= beside:
                    yield login


def ascii_words(name: str) -> list[str]:
    """With "ue" for an umlaut, as platforms that know no such letters write it."""
    for letter, plain_form in _UMLAUTS:
        name = name.replace(letter, plain_form)
    return (folded_form(name) or exact_form(name)).split()


PARTS: Mapping[str, Callable[[str, Mapping[str, RosterRow]], Iterable[str]]] = {
    NUMBER: numbers_in,
    LOGIN: _logins,
    EMAIL: _addresses,
}
