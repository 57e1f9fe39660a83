"""What the headings of a roster mean: in a platform's own export, and in a table that a person wrote. Pure.

A heading that may mean two things, such as "Group", is not guessed: it is said, with the words that are understood.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field

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
_TWO_MEANINGS = frozenset(
    {
        "group",
        "groups",
        "gruppe",
        "gruppen",
        "groupe",
        "groupes",
        "grupo",
        "grupos",
        "gruppo",
        "gruppi",
        "groep",
        "groepen",
    }
)
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


@dataclass(frozen=True)
class Columns:
    platform: str  # whose export this is; empty: nobody's that we know
    at: dict[str, int] = field(default_factory=dict)  # what it says → its column
    notices: tuple[str, ...] = ()


def understood(headings: Sequence[str]) -> int:
    """How many of them are known."""
    return sum(_word(one) in FIELDS for one in headings)


def columns_of(headings: Sequence[str]) -> Columns:
    """The column whose heading is our own word for its meaning, else the first of it. The others are named in the notices."""
    words = [_word(one) for one in headings]
    platform = _platform(frozenset(words))
    at: dict[str, int] = {}
    twice: list[str] = []
    unknown: list[str] = []
    unclear: list[str] = []
    for number, word in enumerate(words):
        what = _meaning(word, platform)
        if what and at.setdefault(what, number) != number:
            other = at[what]
            if word == what and words[other] != what:
                at[what], other = number, at[what]
                twice.append(f"{_quoted(headings[other])} (as {_quoted(headings[number])})")
            else:
                twice.append(f"{_quoted(headings[number])} (as {_quoted(headings[other])})")
        elif what:
            continue
        elif word in _TWO_MEANINGS:
            at.setdefault("group", number)
            unclear.append(_quoted(headings[number]))
        elif word:
            unknown.append(_quoted(headings[number]))
    notices = []
    if unknown:
        notices.append(f"columns that are not used: {_few(unknown)}")
    if twice:
        notices.append(f"columns that say what another one says already, and are not used: {_few(twice)}")
    if unclear:
        notices.append(
            f"{_few(unclear)} may mean a section or a team, and is not used but for uploads that are called like one: "
            "call it `section` or `team`"
        )
    return Columns(platform, at, tuple(notices))


def _platform(words: frozenset[str]) -> str:
    """By the headings that only this platform writes together. All of one set must be there; the first such platform counts."""
    found = (platform for platform, sets in _EXPORTS.items() if any(words >= one for one in sets))
    return next(found, "")


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


def _word(heading: str) -> str:
    return re.sub(r"[\W_]+", " ", unicodedata.normalize("NFKC", heading).casefold()).strip()


def _quoted(heading: str) -> str:
    return repr(heading.strip()[:40])


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")  # noqa: PLR2004 -- a few
