"""A lab and its two halves, read from the course's folders: a lab whose files contradict themselves is refused."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from grader.model.errors import RemediableError
from grader.model.lab_spec import CaseSpec, PrivateSpec, PublicSpec
from grader.model.performance_spec import CounterSpec
from grader.model.toml_table import Strict


class LabError(RemediableError):
    """A lab's own files are wrong. Its author has to correct them; it is never a student's fault."""


@dataclass(frozen=True)
class Lab:
    """A lab and the folders of its two halves. `private` is None if only the public half exists (in a handout)."""

    id: str  # the folder's name
    public: PublicSpec
    private: PrivateSpec | None
    public_dir: Path
    private_dir: Path | None

    @property
    def cases(self) -> tuple[CaseSpec, ...]:
        """Public cases first, then hidden ones if the private half exists."""
        return self.public.case + (self.private.case if self.private else ())

    @property
    def counters(self) -> CounterSpec | None:
        """None: without a GPU, performance is not assessed."""
        if self.private is None or self.public.counters is None:
            return self.private.counters if self.private else self.public.counters
        return self.public.counters.model_copy(update={"also": self.private.counted_also})

    @property
    def max_points(self) -> float:
        performance = self.private.performance_points if self.private and self.counters else 0
        return sum(case.points for case in self.cases) + performance


def _read(path: Path, model: type[Strict]) -> Strict:
    try:
        return model.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError, ValidationError) as error:
        message = f"{path}: {error}"
        raise LabError(message) from error


def load_lab(root: Path, lab_id: str) -> Lab:
    """Loads the lab `lab_id` of the course at `root`. Raises LabError that names the file."""
    public_dir, private_dir = root / "assignments" / lab_id, root / "solutions" / lab_id
    if not (public_dir / "lab.toml").is_file():
        known = ", ".join(lab_ids(root)) or "none"
        message = f"there is no lab {lab_id!r} under {root / 'assignments'} (known: {known})"
        raise LabError(message)
    public = _read(public_dir / "lab.toml", PublicSpec)
    private = _read(private_dir / "grading.toml", PrivateSpec) if (private_dir / "grading.toml").is_file() else None
    assert isinstance(public, PublicSpec)
    assert private is None or isinstance(private, PrivateSpec)
    names = [case.name for case in public.case + (private.case if private else ())]
    if repeated := {name for name in names if names.count(name) > 1}:
        message = f"{public_dir / 'lab.toml'}: case listed twice: {', '.join(sorted(repeated))}"
        raise LabError(message)
    lab = Lab(lab_id, public, private, public_dir, private_dir if private else None)
    if wrong := _wrong_with_counters(lab, names):
        raise LabError(wrong)
    if absent := [name for name in public.headers if not (public_dir / name).is_file()]:
        message = f"{public_dir / 'lab.toml'}: headers: there is no {absent[0]} beside it"
        raise LabError(message)
    if private and (wrong := _wrong_with_tiers(lab)):
        message = f"{private_dir / 'grading.toml'}: {wrong}"
        raise LabError(message)
    return lab


def _wrong_with_counters(lab: Lab, names: Sequence[str]) -> str:
    """Why the counters do not fit the lab, with the file's name. Empty: they do. `names`: of its cases."""
    ours, spec = lab.public_dir / "lab.toml", lab.counters
    if lab.public.counters and lab.public.counters.also:
        return f"{ours}: [counters] names a hidden case with `also`: write it as `counted_also` in grading.toml"
    if lab.public.counters and lab.private and lab.private.counters:
        return f"{ours}: [counters] stands in grading.toml too: remove one of them"
    if spec is None:
        return f"{ours}: `counted_also` needs [counters] here" if lab.private and lab.private.counted_also else ""
    path = ours if lab.public.counters else (lab.private_dir or lab.public_dir) / "grading.toml"
    if lab.public.starts_itself:
        return f"{path}: [counters] is for labs with contract = 'kernel'"
    unlisted = [name for name in (spec.case, spec.also) if name and name not in names]
    return f"{path}: [counters] names a case that is not listed: {unlisted[0]!r}" if unlisted else ""


def _wrong_with_tiers(lab: Lab) -> str:
    """Why the tiers do not fit the lab. Empty: they do."""
    public, private, folder = lab.public, lab.private, lab.private_dir
    if private is None or folder is None:
        return ""
    counted = lab.counters.tier if lab.counters else ()
    highest = max([*(one.part for one in private.tier), *(one.part for one in counted)], default=0)
    if highest > 1 and not public.extra_credit:
        return "a tier with part > 1 gives more than full marks: only a lab with extra_credit = true may have one"
    if any(one.of == "library" for one in private.tier) and not (public.performance and public.performance.library):
        return "a [[tier]] is a share of the library's speed, but [performance] in lab.toml names no library"
    if private.stand_in and not (folder / private.stand_in.file).is_file():
        return f"[stand_in]: there is no {private.stand_in.file} beside it"
    return ""


def lab_ids(root: Path) -> list[str]:
    """Every folder of `assignments/` that holds a lab.toml, sorted."""
    return sorted(path.parent.name for path in (root / "assignments").glob("*/lab.toml"))
