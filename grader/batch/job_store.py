"""Keeps the outcomes of finished judging: one file for each job, named by a hash of everything that the outcome depends on.

Points, feedback and wording are not part of the key: they only change how an outcome is scored.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ValidationError

from grader.machine.atomic_file import write_atomically
from grader.machine.toolset import Toolset
from grader.model.labs import Lab
from grader.model.outcomes.outcome import OUTCOME_JSON, LabOutcome
from grader.policy.grade_history import Basis
from grader.programs.host.host_toolchain import host_toolchain

# The packages that an outcome depends on. Points, words and pages are made from outcomes.
_JUDGING = (
    "engines",
    "judging",
    "kernel_files",
    "launch_arguments",
    "machine",
    "model",
    "programs",
    "sandbox",
    "speed",
)
# A lab's files that no outcome depends on: texts for people, and the two files whose fields are read one by one below.
_WORDS = frozenset({".md", ".toml"})
_NOT_JUDGED = frozenset({"rejects"})


def grader_fingerprint() -> str:
    """A hash of the grader's own modules that take part in judging."""
    folder = Path(__file__).parents[1]
    return _hash_files(folder, [path for package in _JUDGING for path in (folder / package).rglob("*.py")])


def judging_fingerprints(toolset: Toolset, labs: Sequence[Lab]) -> dict[str, str]:
    """A hash of what a lab's outcomes depend on besides its files. It contains the judge as it was built, not its sources."""
    judges = {lab.id: toolset.judge_program(lab.id, public_only=False).read_bytes() for lab in labs}
    bench = f"{toolset.fingerprint()} {grader_fingerprint()} {toolset.gpu.description}"
    host = _host_fingerprint(toolset) if any(lab.public.starts_itself for lab in labs) else ""
    hosts = {lab.id: f" {host}" if lab.public.starts_itself else "" for lab in labs}
    return {lab_id: f"{bench} {hashlib.sha256(judge).hexdigest()}{hosts[lab_id]}" for lab_id, judge in judges.items()}


def _host_fingerprint(toolset: Toolset) -> str:
    """A hash of what builds and runs host code of a student's."""
    chain = host_toolchain(toolset)
    built = [chain.archive, toolset.part("conductor")]
    return _hash(chain.prelude.parent.name, [hashlib.sha256(path.read_bytes()).hexdigest() for path in built])


def lab_fingerprint(lab: Lab) -> str:
    """A hash of what the lab asks for and of its tests, public and private."""
    spec = lab.public
    contract = [
        lab.id,
        spec.problem,
        spec.file,
        spec.kernel,
        spec.launch,
        *((spec.contract, spec.launcher, spec.arguments, spec.memory, spec.headers) if spec.starts_itself else ()),
        spec.races.same_value_writes,
        spec.barriers.early_return,
        *_timed_against(lab),
    ]
    halves = [folder for folder in (lab.public_dir, lab.private_dir) if folder is not None]
    return _hash(contract, [_hash_files(folder, _judged(folder)) for folder in halves])


def _timed_against(lab: Lab) -> list[str]:
    """What is timed, and the baseline's source."""
    if lab.public.performance is None:
        return []
    halves = (lab.private_dir, lab.public_dir)
    folders = [half.parent / lab.public.performance.baseline for half in halves if half is not None]
    return [lab.public.performance.shape, *(_hash_files(one, sorted(one.glob("*.cu"))) for one in folders)]


def grade_bases(labs: Sequence[Lab], fingerprints: Mapping[str, str], seed: int) -> dict[str, Basis]:
    """By lab, what grades follow from besides students' files: for the history, which says why one changed."""
    return {
        lab.id: Basis(
            tests=_hash(lab_fingerprint(lab), _points(lab))[:32], grader=_hash(fingerprints[lab.id], seed)[:32]
        )
        for lab in labs
    }


def _points(lab: Lab) -> object:
    """What the points follow from besides the tests. No words."""
    private = lab.private.model_dump(mode="json") if lab.private is not None else {}
    cases = [case.model_dump(mode="json", exclude={"advice", "feedback"}) for case in lab.cases]
    counters = lab.counters.model_dump(mode="json", exclude={"advice", "versus"}) if lab.counters is not None else None
    return [
        cases,
        counters,
        [private.get(name) for name in ("performance_points", "tier", "stand_in")],
        lab.public.extra_credit,
    ]


def job_key(source: bytes, lab: str, *, setup: str, seed: int) -> str:
    """The key of judging `source`. `lab` is the lab's fingerprint, `setup` that of everything used for judging."""
    return _hash(hashlib.sha256(source).hexdigest(), lab, setup, seed)


class JobStore:
    """Outcomes kept in a folder between runs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, key: str) -> LabOutcome | None:
        """The outcome kept under `key`. A missing or damaged file counts as none."""
        try:
            return _compact(OUTCOME_JSON.validate_json((self._folder / f"{key}.json").read_bytes()))
        except (OSError, ValidationError):
            return None

    def keys(self) -> frozenset[str]:
        """Of everything that is kept, as a listing of the folder has it at this moment."""
        return frozenset(path.stem for path in self._folder.iterdir() if path.suffix == ".json")

    def keep(self, key: str, outcome: LabOutcome) -> None:
        """Keeps `outcome` under `key`; not for failures of ours, which are to be tried again."""
        write_atomically(self._folder / f"{key}.json", OUTCOME_JSON.dump_json(outcome).decode())


_field_sets: dict[frozenset[str], set[str]] = {}


def _compact(outcome: LabOutcome) -> LabOutcome:
    """The same, with a third less memory: pydantic keeps of each object which fields were given, and hundreds in a class are equal. Nobody
    changes such a set, for the objects are frozen and their copies have sets of their own.
    """
    waiting: list[object] = [outcome.build, outcome.findings, *(case.launches for case in outcome.cases)]
    while waiting:
        one = waiting.pop()
        if isinstance(one, tuple):
            waiting.extend(one)
        elif isinstance(one, BaseModel):
            given = one.__pydantic_fields_set__
            object.__setattr__(one, "__pydantic_fields_set__", _field_sets.setdefault(frozenset(given), given))
            waiting.extend(one.__dict__.values())
    return outcome


def _judged(folder: Path) -> list[Path]:
    paths = [path for path in folder.rglob("*") if path.is_file() and path.suffix not in _WORDS]
    return [path for path in paths if not _NOT_JUDGED.intersection(path.relative_to(folder).parts)]


def _hash_files(folder: Path, paths: list[Path]) -> str:
    names = sorted((path.relative_to(folder).as_posix(), path) for path in paths)
    return _hash([[name, hashlib.sha256(path.read_bytes()).hexdigest()] for name, path in names])


def _hash(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
