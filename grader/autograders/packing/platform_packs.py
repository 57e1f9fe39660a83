"""The packs of platforms that run an image or an archive of the instructor's: Gradescope, PrairieLearn, Autolab."""

from __future__ import annotations

import json
import uuid

from grader.autograders.packing.autograder_pack import AutograderPack, PackMade, PackRequest
from grader.autograders.packing.packed_archives import tarred, zipped
from grader.autograders.packing.packed_course import COURSE, lab_list, platform_files, private_course, seed_file
from grader.course.tarball import PackedFile
from grader.model.labs import Lab
from grader.questions.question_file import ANSWERS, QUESTIONS

_SEED = f"{COURSE}/.tilelab/seed"
_MOST_SECONDS = 600  # of a job of PrairieLearn


def gradescope_pack(request: PackRequest) -> PackMade:
    ours = platform_files(request.root, "gradescope", ["gradescope_setup.sh", "run_autograder", "Dockerfile"])
    ours["setup.sh"] = ours.pop("gradescope_setup.sh")
    seed = {_SEED: seed_file(request.root), "labs.txt": lab_list(request.labs)}
    made = zipped(private_course(request) | ours | seed, request.time)
    steps = (
        "Gradescope: make a Programming Assignment; under Configure Autograder, choose Ubuntu 24.04 as base image",
        "upload autograder.zip there, press Update Autograder, and wait for the build; then Test Autograder with a solution",
        f"give the assignment {_points(request)} autograder points, and a timeout of 20 minutes or more",
    )
    return PackMade({"autograder.zip": made}, steps)


def prairielearn_pack(request: PackRequest) -> PackMade:
    image = request.image or "your-account/tilelab-autograder:1"
    ours = platform_files(request.root, "prairielearn", ["Dockerfile", "grade_job.sh"])
    seed = {_SEED: seed_file(request.root), "labs.txt": lab_list(request.labs)}
    inside = private_course(request) | ours | seed
    files = {f"image/{path}": file for path, file in inside.items()}
    for lab in request.labs:
        for name, text in _question(lab, image).items():
            files[f"questions/{lab.id}/{name}"] = PackedFile(text.encode())
    steps = (
        f"docker build --tag {image} image, and push it to a private repository that PrairieLearn may read",
        "copy the folders in questions/ into the course's own folder questions/, and name them in an assessment",
        *(
            []
            if request.image
            else ["the questions name an image that does not exist: give yours with IMAGE=account/name:tag"]
        ),
    )
    return PackMade(files, steps)


def _question(lab: Lab, image: str) -> dict[str, str]:
    """A question that asks for the lab's file."""
    info = {
        "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, f"tilelab/{lab.id}/{lab.public.file}")),
        "title": lab.public.title,
        "topic": "CUDA",
        "type": "v3",
        "gradingMethod": "External",
        "externalGradingOptions": {
            "enabled": True,
            "image": image,
            "entrypoint": "/opt/autograder/grade_job.sh",
            "timeout": _MOST_SECONDS,
            "environment": {"LAB": lab.id},
        },
    }
    asks = (lab.public_dir / QUESTIONS).is_file()
    beside = f", and the answers to the lab's questions in <code>{ANSWERS}</code>" if asks else ""
    optional = f' optional-file-names="{ANSWERS}"' if asks else ""
    page = (
        "<pl-question-panel>\n"
        f"<p>Hand in <code>{lab.public.file}</code>{beside}. What it has to do is in the lab's README.</p>\n"
        f'<pl-file-upload file-names="{lab.public.file}"{optional}></pl-file-upload>\n'
        "</pl-question-panel>\n"
        "<pl-submission-panel>\n"
        "<pl-external-grader-results></pl-external-grader-results>\n"
        "<pl-file-preview></pl-file-preview>\n"
        "</pl-submission-panel>\n"
    )
    return {"info.json": json.dumps(info, indent=2) + "\n", "question.html": page}


def autolab_pack(request: PackRequest) -> PackMade:
    ours = platform_files(request.root, "autolab", ["Dockerfile", "autograde-Makefile", "autolab_job.sh"])
    job = {
        "autograde/autolab_job.sh": ours["autolab_job.sh"],
        "autograde/labs.txt": lab_list(request.labs),
        "autograde/seed": seed_file(request.root),
    }
    files = {f"image/{path}": file for path, file in private_course(request).items()}
    files["image/Dockerfile"] = ours["Dockerfile"]
    files["autograde-Makefile"] = ours["autograde-Makefile"]
    files["autograde.tar"] = tarred(job, request.time)
    problems = ", ".join(f"{lab.id} ({_number(lab.max_points)})" for lab in request.labs)
    handed_in = request.labs[0].public.file if len(request.labs) == 1 else "handin.zip"
    steps = (
        "docker build --tag tilelab_autograding image, where Autolab's Tango runs, with --build-arg BASE=its own grading image",
        f"Autolab: an assessment with the problems {problems}, and {handed_in} as the file that is handed in",
        "Add Autograder: image tilelab_autograding, a timeout of 600 s or more, and the files autograde-Makefile and autograde.tar",
    )
    return PackMade(files, steps)


def _points(request: PackRequest) -> str:
    """Extra credit comes on top of the others, where there are others."""
    counted = [lab for lab in request.labs if not lab.public.extra_credit] or request.labs
    return _number(sum(lab.max_points for lab in counted))


def _number(points: float) -> str:
    return f"{points:g}"


GRADESCOPE_PACK = AutograderPack("gradescope", "autograder.zip, to be uploaded", gradescope_pack)
PRAIRIELEARN_PACK = AutograderPack("prairielearn", "an image to build, and a question for each lab", prairielearn_pack)
AUTOLAB_PACK = AutograderPack("autolab", "autograde-Makefile, autograde.tar and an image to build", autolab_pack)
