"""Whose submission it is, and what was handed in."""

from __future__ import annotations

from pydantic import Field

from grader.model.result.plain_data import Model


class Student(Model):
    """Who a student is, as the course's platform and its roster say. What nobody said is empty; nothing here is checked or made safe."""

    name: str = ""  # as the platform spells it
    login: str = ""
    number: str = ""  # the university's
    email: str = ""
    section: str = ""
    team: str = ""  # those of one team share what they hand in
    platform_ids: dict[str, str] = Field(
        default_factory=dict
    )  # "Canvas" → its id of this student, which stays for good


class Submission(Model):
    id: str  # safe as a folder name, unique in the batch; the same student has the same one in every batch
    name: str  # as in the upload
    student: Student = Student()
    handed_in: bool = True  # false: on the roster, and there is no upload
    at: str = ""  # when it was handed in: ISO 8601 with the offset from UTC; empty: the platform does not say
    attempt: str = ""  # which of several it is: "3 of 3"
    files: tuple[str, ...] = ()
    downloaded: tuple[
        str, ...
    ] = ()  # the names that the platform gave its files in a download, from which it knows whose they are
    notices: tuple[str, ...] = ()  # what intake changed: "took the one nested folder", "removed a byte-order mark"
    refused: str | None = None  # why the whole upload was refused; then every lab is `rejected`

    @property
    def called(self) -> str:
        """What people call the student: as the roster or the platform does, else as the upload is called."""
        return self.student.name or self.name
