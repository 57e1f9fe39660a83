"""A class as each platform lets an instructor download it, made from what the platforms publish of their formats.

Nobody's own download is here. docs/downloads.md says for each platform what the format was read from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from upload_files import NAIVE, TILED, tar_bytes, zip_bytes

BEGIN = datetime(2026, 11, 20, 9, 30, 15, tzinfo=UTC)
Tree = dict[str, bytes]


@dataclass(frozen=True)
class SampleStudent:
    number: int
    name: str
    attempts: int = 1  # all but the last one hold a file that must not count
    late: bool = False

    @property
    def login(self) -> str:
        return f"s_{self.number}"

    @property
    def account(self) -> str:
        return f"user-{self.number}"

    @property
    def email(self) -> str:
        return f"first_last{self.number}@example.edu"

    def time(self, attempt: int) -> datetime:
        return BEGIN + timedelta(days=attempt, minutes=self.number)

    def file(self, attempt: int, name: str = NAIVE) -> bytes:
        return f"// {name} of {self.number}, attempt {attempt}\n__global__ void k() {{}}\n".encode()

    @property
    def last(self) -> bytes:
        return self.file(self.attempts)


CLASS: tuple[SampleStudent, ...] = (
    SampleStudent(1, "Ada Lovelace", attempts=3),
    SampleStudent(2, "Jürgen Groß"),
    SampleStudent(3, "Maria del Carmen O'Brien-Müller", late=True),
    SampleStudent(4, "张伟"),
    SampleStudent(5, "Ada Lovelace"),  # another one
    SampleStudent(6, "Søren Kierkegård", attempts=12),
    SampleStudent(7, "D. J. van der Berg", attempts=2, late=True),
    SampleStudent(8, "Ng"),
)


def canvas() -> Tree:
    """Canvas gives the last attempt alone, and numbers a file that was handed in again."""
    tree = {"index.html": b"<html>"}
    for one in CLASS:
        plain = "".join(letter for letter in one.name if letter.isalnum()).lower()
        late = "LATE_" if one.late else ""
        again = f"-{one.attempts - 1}" if one.attempts > 1 else ""
        tree[f"{plain}_{late}{1000 + one.number}_{90_000 + one.number}_matmul_naive{again}.cu"] = one.last
    return tree


def canvas_nameless() -> Tree:
    """As Canvas writes it where an assignment is graded without names."""
    return {
        f"anon_{'LATE_' if one.late else ''}aB{one.number:03}_{90_000 + one.number}_{NAIVE}": one.last for one in CLASS
    }


def moodle_folders() -> Tree:
    tree = {}
    for one in CLASS:
        tree[f"{one.name}_{700_000 + one.number}_assignsubmission_file/src/{NAIVE}"] = one.last
        typed = b"<p>no text</p>"
        tree[f"{one.name}_{700_000 + one.number}_assignsubmission_onlinetext/onlinetext.html"] = typed
    return tree


def moodle_flat() -> Tree:
    return {f"{one.name}_{700_000 + one.number}_assignsubmission_file_{NAIVE}": one.last for one in CLASS}


def moodle_typed() -> Tree:
    """The code was typed into the text field."""
    tree = {}
    for one in CLASS:
        text = one.last.decode().rstrip("\n").replace("<", "&lt;")
        page = "".join(f"<p>{line}</p>" for line in text.splitlines())
        tree[f"{one.name}_{700_000 + one.number}_assignsubmission_onlinetext/onlinetext.html"] = page.encode()
    return tree


def blackboard() -> Tree:
    tree = {}
    for one in CLASS:
        for attempt in range(1, one.attempts + 1):
            at = one.time(attempt)
            base = f"Lab 2_ tiles_{one.login}_attempt_{at:%Y-%m-%d-%H-%M-%S}"
            cut = f"{base}_matmul_na.cu"  # Blackboard cuts long names
            tree[cut] = one.file(attempt)
            none = "There is no student submission text data for this assignment."
            lines = [f"Name: {one.name} ({one.login})", "Assignment: Lab 2: tiles"]
            lines += [f"Date Submitted: {at:%A, %B %d, %Y %I:%M:%S %p} CET", "Current Mark: Needs Marking", ""]
            lines += ["Submission Field:", none, "", "Comments:", "There are no student comments for this assignment."]
            lines += ["", "Files:", f"\tOriginal filename: {NAIVE}", f"\tFilename: {cut}", ""]
            tree[f"{base}.txt"] = "\n".join(lines).encode()
    return tree


def _brightspace_head(one: SampleStudent, attempt: int) -> str:
    at = one.time(attempt)
    return f"{24_000 + one.number}-88204 - {one.name} - {at:%b} {at.day}, {at.year} {at.hour % 12 or 12}{at:%M %p}"


def brightspace_folders() -> Tree:
    tree = {"index.html": b"<html>"}
    for one in CLASS:
        for attempt in range(1, one.attempts + 1):
            tree[f"{_brightspace_head(one, attempt)}/{NAIVE}"] = one.file(attempt)
    return tree


def brightspace_flat() -> Tree:
    return {path.replace("/", " - "): data for path, data in brightspace_folders().items()}


def gradescope() -> Tree:
    """One group of two, whose members are the first two of the class."""
    lines = []
    tree = {}
    for one in CLASS:
        if one.number == 2:  # hands in with the first
            continue
        submission = f"submission_{900_000 + one.number}"
        lines += [f"{submission}:", "  :submitters:"]
        for member in CLASS[:2] if one.number == 1 else [one]:
            name = member.name.replace("'", "''")
            lines += [f"  - :name: '{name}'", f"    :sid: '{member.number:05}'", f"    :email: {member.email}"]
        lines += [
            f"  :created_at: {one.time(one.attempts):%Y-%m-%d %H:%M:%S.123456000 Z}",
            "  :score: 3.0",
            "  :status: processed",
        ]
        lines += [
            "  :results:",
            "    tests:",
            "    - name: x",
            "      score: 1",
            "  :history:" if one.attempts > 1 else "  :history: []",
        ]
        for attempt in range(1, one.attempts):
            lines += [
                f"  - :id: {attempt}",
                f"    :created_at: {one.time(attempt):%Y-%m-%d %H:%M:%S.000000000 Z}",
                "    :score: 1.0",
            ]
        tree[f"assignment_4711_export/{submission}/{NAIVE}"] = one.last
        tree[f"assignment_4711_export/{submission}/submission_metadata.yml"] = (
            b"submission_900003: {}\n"  # a student's own
        )
    tree["assignment_4711_export/submission_metadata.yml"] = ("---\n" + "\n".join(lines) + "\n").encode()
    return tree


def _clone(folder: str, one: SampleStudent) -> Tree:
    """A repository with the handout's folders, an older copy, what a build left, and `.git`."""
    return {
        f"{folder}/.git/config": b"[core]\n",
        f"{folder}/assignments/01-naive/{NAIVE}": one.last,
        f"{folder}/old/{NAIVE}": one.file(99),
        f"{folder}/build/copy/{NAIVE}": one.file(98),
        f"{folder}/backup/assignments/01-naive/{NAIVE}": one.file(97),
        f"{folder}/README.md": b"hello",
    }


def github_classroom() -> Tree:
    tree: Tree = {}
    for one in CLASS:
        tree |= _clone(f"lab-1-submissions/lab-1-{one.account}", one)
    return tree


def classroom50() -> Tree:
    tree = {"cuda-lab-1_submissions_2026_11_21_T_14_30_45/scores.csv": b"username,score\n"}
    for one in CLASS:
        tree |= _clone(f"cuda-lab-1_submissions_2026_11_21_T_14_30_45/cuda-lab-1-{one.account}", one)
    return tree


def plain_clones() -> Tree:
    tree: Tree = {}
    for one in CLASS:
        tree |= _clone(f"repositories/lab-1-{one.account}", one)
    return tree


def _sakai(one: SampleStudent) -> Tree:
    first, _, last = one.name.rpartition(" ")
    who = f"{last}, {first}({one.login})" if first else f"{last}({one.login})"
    return {
        f"{who}/Submission attachment(s)/{NAIVE}": one.last,
        f"{who}/Feedback Attachment(s)/{NAIVE}": one.file(99),
        f"{who}/timestamp.txt": f"{one.time(one.attempts):%Y%m%d%H%M%S}000".encode(),
        f"{who}/comments.txt": b"",
    }


def sakai_folders() -> Tree:
    tree: Tree = {"Lab 1/grades.csv": b"Lab 1,Points\n"}
    for one in CLASS:
        tree |= {f"Lab 1/{path}": data for path, data in _sakai(one).items()}
    return tree


def sakai_flat() -> Tree:
    tree: Tree = {"Lab 1/grades.csv": b"Lab 1,Points\n"}
    for one in CLASS:
        tree |= {f"Lab 1/{path.replace('/', '_')}": data for path, data in _sakai(one).items()}
    return tree


def autolab() -> Tree:
    """Autolab puts the address before the last two words of `3_matmul_naive.cu`."""
    tree = {}
    for one in CLASS:
        for attempt in range(1, one.attempts + 1):
            tree[f"{attempt}_{one.email}_{NAIVE}"] = one.file(attempt)
    return tree


def autolab_disk() -> Tree:
    """As Autolab keeps them itself: the address in front, whatever the file is called."""
    return {f"{one.email}_{at}_{NAIVE}": one.file(at) for one in CLASS for at in range(1, one.attempts + 1)}


def autolab_archives() -> Tree:
    tree = {}
    for one in CLASS:
        for attempt in range(1, one.attempts + 1):
            tree[f"{one.email}_{attempt}_handin.tar"] = tar_bytes({NAIVE: one.file(attempt)}, "w")
    return tree


def prairielearn() -> Tree:
    tree = {}
    for one in CLASS:
        for attempt in range(1, one.attempts + 1):
            name = f"{one.email}_1_cuda/naive_1_{attempt}_{50_000 + 100 * one.number + attempt}_{NAIVE}"
            tree[f"Homework1/{name}"] = one.file(attempt)
        other = f"{one.email}_1_cuda/tiled_1_1_{90_000 + one.number}_{TILED}"
        tree[f"Homework1/{other}"] = one.file(1, TILED)
    return tree


def prairielearn_manual() -> Tree:
    return {f"Homework1/{one.email}_{one.number:09}_naive_{50_000 + one.number}_{NAIVE}": one.last for one in CLASS}


def zips_in_a_zip() -> Tree:
    return {f"class/{one.login}.zip": zip_bytes({"hw.zip": zip_bytes({NAIVE: one.last})}) for one in CLASS}


@dataclass(frozen=True)
class Sample:
    make: Callable[[], Tree]
    said: str  # how the download is called
    key: Callable[[SampleStudent], str]  # what tells the student, as it is found
    told: str  # what the platform tells of each: students' names as they are, all attempts, times


def _number(base: int) -> Callable[[SampleStudent], str]:
    return lambda one: str(base + one.number)


SAMPLES = {
    "Canvas": Sample(canvas, "Canvas export, 8 students", _number(1000), "students"),
    "Canvas, without names": Sample(
        canvas_nameless, "Canvas export, 8 students", lambda one: f"anon aB{one.number:03}", "students"
    ),
    "Moodle, folders": Sample(moodle_folders, "Moodle export, 8 students", _number(700_000), "names"),
    "Moodle, side by side": Sample(moodle_flat, "Moodle export, 8 students", _number(700_000), "names"),
    "Moodle, text field": Sample(moodle_typed, "Moodle export, 8 students", _number(700_000), "names"),
    "Blackboard": Sample(
        blackboard,
        "Blackboard export, 8 students, up to 12 attempts of each",
        lambda one: one.login,
        "names attempts times",
    ),
    "Brightspace, folders": Sample(
        brightspace_folders, "Brightspace export, 8 students", _number(24_000), "names attempts times"
    ),
    "Brightspace, side by side": Sample(
        brightspace_flat, "Brightspace export, 8 students", _number(24_000), "names attempts times"
    ),
    "Gradescope": Sample(
        gradescope, "Gradescope export, 8 students", lambda one: f"{one.number:05}", "names attempts times"
    ),
    "GitHub Classroom": Sample(
        github_classroom, "GitHub Classroom clones, 8 students", lambda one: one.account, "students"
    ),
    "classroom50": Sample(classroom50, "classroom50 clones, 8 students", lambda one: one.account, "students"),
    "plain clones": Sample(plain_clones, "GitHub clones, 8 students", lambda one: f"lab-1-{one.account}", "students"),
    "Sakai, folders": Sample(sakai_folders, "Sakai export, 8 students", lambda one: one.login, "names times"),
    "Sakai, side by side": Sample(sakai_flat, "Sakai export, 8 students", lambda one: one.login, "names times"),
    "Autolab": Sample(autolab, "Autolab export, 8 students", lambda one: one.email, "attempts"),
    "Autolab, its own disk": Sample(autolab_disk, "Autolab export, 8 students", lambda one: one.email, "attempts"),
    "Autolab, archives": Sample(autolab_archives, "Autolab export, 8 students", lambda one: one.email, "attempts"),
    "PrairieLearn": Sample(
        prairielearn, "PrairieLearn export, 8 students, up to 12 attempts of each", lambda one: one.email, "attempts"
    ),
    "PrairieLearn, manual grading": Sample(
        prairielearn_manual, "PrairieLearn export, 8 students", lambda one: one.email, "students"
    ),
}
