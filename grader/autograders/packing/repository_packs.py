"""The packs for students' own repositories on GitHub: a workflow for practice, a private repository that grades, and classroom50.

What a student's repository runs, its student can read and change. So hidden tests go into the private repository alone, and the seed
into none: it becomes a secret there.
"""

from __future__ import annotations

from grader.autograders.packing.autograder_pack import AutograderPack, PackMade, PackRequest
from grader.autograders.packing.packed_course import lab_list, platform_files, private_course, seed_file
from grader.course.handouts import diagnostics, handout
from grader.course.tarball import PackedFile
from grader.model.course_root import load_labs
from grader.model.errors import RemediableError
from grader.model.labs import lab_ids, load_lab

_MOST_BUNDLE = 10 << 20  # classroom50's runner fetches no more


def github_pack(request: PackRequest) -> PackMade:
    ours = platform_files(request.root, "github-actions", ["student.yml", "private.yml", "grade_repositories.sh"])
    files = {f"private/{path}": file for path, file in private_course(request).items()}
    files |= {
        "student/.github/workflows/practice.yml": ours["student.yml"],
        "private/.github/workflows/grade.yml": ours["private.yml"],
        "private/grade_repositories.sh": ours["grade_repositories.sh"],
        "private/labs.txt": lab_list(request.labs),
        "seed.txt": seed_file(request.root),
    }
    steps = (
        "students: put student/.github into the template repository, beside an unpacked handout (make handouts)",
        "instructors: push the folder private/ as a PRIVATE repository in which no student is a member",
        "there: gh secret set TILELAB_SEED <seed.txt, and gh secret set SUBMISSIONS_TOKEN; then run the workflow `grade`",
    )
    return PackMade(files, steps)


def classroom50_pack(request: PackRequest) -> PackMade:
    """Raises RemediableError where the handout may not be given out."""
    given = load_labs(request.root, _with_earlier(request))
    made = handout(request.root, given)
    if refused := diagnostics(request.root, given, made):
        message = f"{refused[0]}: what students can read must not hold this. `make handouts` lists all."
        raise RemediableError(message)
    archive = made.archive()
    if len(archive) > _MOST_BUNDLE:
        message = (
            f"the handout has {len(archive) >> 20} MiB, and classroom50 takes {_MOST_BUNDLE >> 20}: pack fewer labs"
        )
        raise RemediableError(message)
    slug = request.labs[0].id if len(request.labs) == 1 else "tilelab"
    folder = f"autograders/{slug}"
    files = {
        f"{folder}/{name}": file
        for name, file in platform_files(request.root, "classroom50", ["autograder.py"]).items()
    }
    files[f"{folder}/handout.tar.gz"] = PackedFile(archive)
    files[f"{folder}/labs.txt"] = lab_list(request.labs)
    steps = (
        f"copy {folder} into the classroom's folder of your repository classroom50, and push; {slug} is the assignment's name",
        'in the assignment, name "tilelab-report.html" under Submission release files',
        "hidden tests are not in it, because students can read all of it: grade with them in a clone, or with PLATFORM=github-actions",
    )
    return PackMade(files, steps, is_secret=False)


def _with_earlier(request: PackRequest) -> list[str]:
    """The labs and those that come before them, to which their write-ups link: these were given out already."""
    here, wanted = set(lab_ids(request.root)), [lab.id for lab in request.labs]
    for lab_id in wanted:  # grows while it is read
        needed = load_lab(request.root, lab_id).public.needs
        wanted += [one for one in needed if one in here and one not in wanted]
    return sorted(wanted)


GITHUB_PACK = AutograderPack(
    "github-actions", "a workflow for students' repositories, and a private repository that grades them", github_pack
)
CLASSROOM50_PACK = AutograderPack(
    "classroom50", "an assignment's autograder, with the public tests alone", classroom50_pack
)
