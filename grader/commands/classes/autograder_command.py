"""`tilelab autograder PLATFORM`: packs what a platform needs to grade this course's labs, and says what to do with it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from grader.autograders.packing.autograder_pack import PackMade, PackRequest
from grader.autograders.packing.platform_packs import AUTOLAB_PACK, GRADESCOPE_PACK, PRAIRIELEARN_PACK
from grader.autograders.packing.repository_packs import CLASSROOM50_PACK, GITHUB_PACK
from grader.course.handouts import course_time
from grader.machine.atomic_file import write_atomically
from grader.model.course_root import course_root, load_labs
from grader.model.errors import RemediableError

PACKS = (GRADESCOPE_PACK, CLASSROOM50_PACK, GITHUB_PACK, PRAIRIELEARN_PACK, AUTOLAB_PACK)
_MARK = ".tilelab-autograder"  # a folder that this command has made, and may make again


@dataclass(frozen=True)
class PackOptions:
    platform: str
    out: Path
    labs: tuple[str, ...] = ()
    bundle: str = ""  # a file; empty: none
    image: str = ""


def make_autograder(options: PackOptions) -> int:
    """Writes the pack into a folder of the platform's name in OUT, and returns the exit status."""
    pack = next((one for one in PACKS if one.name == options.platform), None)
    if pack is None:
        listed = "; ".join(f"{one.name}: {one.help}" for one in PACKS)
        message = f"name a platform, as in `make autograder PLATFORM=gradescope LAB=…`. {listed}"
        raise RemediableError(message)
    root = course_root(Path.cwd())
    labs = load_labs(root, options.labs)
    bundle = Path(options.bundle) if options.bundle.strip() else None
    request = PackRequest(root, labs, bundle, options.image.strip(), course_time(root))
    made = pack.make(request)
    folder = options.out / pack.name
    _write(made, folder)
    _say(made, folder, [lab.id for lab in labs])
    return 0


def _write(made: PackMade, folder: Path) -> None:
    """What an earlier pack left there is removed first: a seed or a lab of last term must not stay in it."""
    if folder.exists():
        if not (folder / _MARK).is_file():
            message = f"{folder} was not made by this command, and would be overwritten: name another OUT"
            raise RemediableError(message)
        shutil.rmtree(folder)
    folder.mkdir(parents=True, mode=0o700)
    write_atomically(folder / _MARK, "made by `tilelab autograder`; it is made anew each time\n")
    for path, file in made.files.items():
        write_atomically(folder / path, file.data)
        if file.executable:
            (folder / path).chmod(0o755)


def _say(made: PackMade, folder: Path, labs: list[str]) -> None:
    console = Console(highlight=False)
    console.print(f"made {folder} for {', '.join(labs)}", style="bold", markup=False, soft_wrap=True)
    if made.is_secret:
        console.print(
            "Keep it to yourself: solutions, hidden tests and the course's seed are in it.",
            style="yellow",
            soft_wrap=True,
        )
    for number, step in enumerate(made.steps, start=1):
        console.print(f"{number}. {step}", markup=False, soft_wrap=True)
    console.print("docs/autograders.md has every step.", soft_wrap=True)
