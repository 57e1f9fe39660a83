"""Keeps the outcomes of finished judging: one file for each job, named by a hash of everything that the outcome depends on.

Points, feedback and wording are not part of the key: they only change how an outcome is scored.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, Self

from pydantic import BaseModel, TypeAdapter, ValidationError

from grader.engines.toolset import Toolset
from grader.model.labs import Lab
from grader.model.outcome import LabOutcome
from grader.model.verdicts import Verdict
from grader.model.visible_text import escaped
from grader.roll.policy.grade_history import Basis
from grader.run.lab_verdict import lab_verdict
from grader.run.programs.host_toolchain import host_toolchain
from grader.system.own_files import write_atomically

OUTCOME_JSON: TypeAdapter[LabOutcome] = TypeAdapter(LabOutcome)

# The packages that an outcome depends on. Points, words and pages are made from outcomes.
_JUDGING = ("engines", "model", "run", "source", "system")
# A lab's files that no outcome depends on: texts for people, and the two files whose fields are read one by one below.
_WORDS = frozenset({".md", ".toml"})


def grader_fingerprint() -> str:
    """A hash of the grader's own modules that take part in judging."""
    folder = Path(__file__).parents[2]
    return _hash_files(folder, [path for package in _JUDGING for path in (folder / package).rglob("*.py")])


def judging_fingerprints(toolset: Toolset, labs: Sequence[Lab]) -> dict[str, str]:
    """A hash of what a lab's outcomes depend on besides its files. It contains the judge as it was built, not its sources."""
    judges = {lab.id: toolset.judge_program(lab.judge_name, public_only=False).read_bytes() for lab in labs}
    bench = f"{toolset.fingerprint()} {grader_fingerprint()} {toolset.gpu.description}"
    found = {lab.id: f"{bench} {hashlib.sha256(judges[lab.id]).hexdigest()}" for lab in labs}
    if own := [lab.id for lab in labs if lab.public.starts_itself]:
        chain = host_toolchain(toolset)  # what builds and runs host code of a student's
        built = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (chain.archive, toolset.part("broker"))]
        host = _hash(chain.prelude.parent.name, built)
        found |= {lab_id: f"{found[lab_id]} {host}" for lab_id in own}
    return found


def lab_fingerprint(lab: Lab) -> str:
    """A hash of what the lab asks for and of its tests, public and private."""
    spec = lab.public
    contract = [
        lab.id,
        *_asked_in_data(lab),
        spec.file,
        spec.kernel,
        spec.launch,
        spec.through,
        *(
            (
                spec.contract,
                spec.launcher,
                spec.arguments,
                spec.memory,
                spec.headers,
                spec.files,
                spec.grid,
                spec.block,
                spec.shared,
            )
            if spec.starts_itself
            else ()
        ),
        spec.races.same_value_writes,
        spec.barriers.early_return,
        *_timed_against(lab),
    ]
    halves = [folder for folder in (lab.public_dir, lab.private_dir) if folder is not None]
    return _hash(contract, [_hash_files(folder, _judged(folder)) for folder in halves])


def _asked_in_data(lab: Lab) -> list[object]:
    if lab.public.described is None:
        return [lab.public.problem]
    return [lab.public.described.model_dump(), *([case.name, case.sizes, case.data] for case in lab.cases)]


def _timed_against(lab: Lab) -> list[str]:
    """What is timed, and the baseline's source."""
    if lab.public.performance is None:
        return []
    halves = (lab.private_dir, lab.public_dir)
    folders = [half.parent / lab.public.performance.baseline for half in halves if half is not None]
    return [lab.public.performance.shape, *(_hash_files(one, sorted(one.glob("*.cu"))) for one in folders)]


def grade_bases(labs: Sequence[Lab], fingerprints: Mapping[str, str], seed: int) -> dict[str, Basis]:
    """By lab, what grades follow from besides students' files: for the history, which says why one changed."""
    tests = {lab.id: _hash(lab_fingerprint(lab), _points(lab))[:32] for lab in labs}
    return {lab: Basis(tests=found, grader=_hash(fingerprints[lab], seed)[:32]) for lab, found in tests.items()}


def _points(lab: Lab) -> object:
    """What the points follow from besides the tests. No words."""
    private = lab.private.model_dump(mode="json") if lab.private is not None else {}
    cases = [case.model_dump(mode="json", exclude={"advice", "feedback"}) for case in lab.cases]
    counters = lab.counters.model_dump(mode="json", exclude={"advice", "versus"}) if lab.counters is not None else None
    speed = [private.get(name) for name in ("performance_points", "tier", "stand_in")]
    return [cases, counters, speed, lab.public.extra_credit]


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
        write_atomically(self._folder / f"{key}.json", escaped(OUTCOME_JSON.dump_json(outcome).decode()))


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
    return [path for path in paths if "rejects" not in path.relative_to(folder).parts]


def _hash_files(folder: Path, paths: list[Path]) -> str:
    names = sorted((path.relative_to(folder).as_posix(), path) for path in paths)
    return _hash([[name, hashlib.sha256(path.read_bytes()).hexdigest()] for name, path in names])


def _hash(*parts: object) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


# Outcomes on their way into the job store. Controls run beside the first jobs, and nothing is kept before they pass. Then an outcome
# that costs its student nothing is kept at once. Any other is held until controls have passed after it: what a broken machine says of a
# submission is kept nowhere.

# So many wait for a look: an eighth of a large class, because each look costs as much as some files. They and what is taken until the
# look has passed are judged again after an interruption.
_MOST_HELD, _SHARE_HELD = 32, 0.125
_REST = 4.0  # times as long as the last look took, none begins: looks take a fifth of a batch at most


class Check(Protocol):
    """Looks whether this machine still grades as it must: what `Controls` does."""

    def trouble(self, labs: Sequence[Lab]) -> str: ...
    def covers(self, lab: Lab) -> bool: ...
    def stop(self) -> None:
        """Nobody waits for an answer any more. Called from another thread."""


@dataclass
class HeldOutcomes:
    """`check` None: there is nothing to hold this machine against, and everything is kept at once. Looks that take long run in a thread
    of their own; all else is for one thread. To be closed as a context.
    """

    store: JobStore
    check: Check | None
    faults: list[str] = field(default_factory=list)  # what could not be kept
    passed: bool = False  # the first look: before it has, nothing that was judged can be believed
    _held: dict[str, tuple[Lab, LabOutcome]] = field(default_factory=dict)
    _taken: int = 0
    _breaks: int = 0
    _next_look: int = 1
    clock: Callable[[], float] = time.monotonic
    _rested: float = 0.0  # when the next look may begin
    # A look beside the judging, and the keys that wait for it.
    _looking: tuple[Future[str], frozenset[str]] | None = None
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self.check is not None and kind is not None:
            self.check.stop()
        self._thread.shutdown(cancel_futures=True)

    def begin(self, labs: Sequence[Lab]) -> Future[str]:
        """Starts the first look. Its answer is for `begun`."""
        return self._thread.submit(self._look, labs)

    def begun(self, trouble: str) -> str:
        """Takes the first look's answer, and keeps what waited for it. Answers, as `settle` does, why this machine cannot grade."""
        if trouble:
            return trouble
        self.passed = True
        for key, (lab, outcome) in list(self._held.items()):
            if _costs_nothing(lab, outcome):
                del self._held[key]
                self._keep(key, outcome)
        return self._settle_many()

    def take(self, key: str, lab: Lab, outcome: LabOutcome) -> str:
        self._taken += 1
        if self.check is None or (self.passed and _costs_nothing(lab, outcome)):
            self._keep(key, outcome)
            return ""
        self._held[key] = (lab, outcome)
        return self._settle_many()

    def broke(self, lab: Lab) -> str:
        """A job of `lab` failed through us. Once the first look has passed, the machine is looked at after the first such job, the
        second, the fourth and so on.
        """
        self._breaks += 1
        if not self.passed or self._breaks < self._next_look:
            return ""
        self._next_look = 2 * self._breaks
        return self._look([lab])

    def keep(self, key: str, outcome: LabOutcome) -> None:
        """An outcome that was taken, or kept before, and of which more is known now. Raises OSError."""
        if key in self._held:
            self._held[key] = (self._held[key][0], outcome)
        else:
            self.store.keep(key, outcome)

    def last_look(self) -> Future[str]:
        """Starts a look at the labs of all that is held and waits for none. Its answer is for `settled`; nothing may be taken before."""
        waiting = self._looking[1] if self._looking is not None else frozenset[str]()
        return self._thread.submit(self._look, self._labs_of(self._held.keys() - waiting))

    def settled(self, trouble: str) -> str:
        """Keeps what is held if there was no trouble."""
        trouble = self._looked() or trouble
        if not trouble:
            self._keep_held(list(self._held))
        return trouble

    @property
    def unsettled(self) -> frozenset[str]:
        """Keys of outcomes that no control has passed after."""
        return frozenset(self._held)

    def _settle_many(self) -> str:
        """Starts a look beside the judging if much is held, and takes the answer of the one before."""
        if self._looking is not None and not self._looking[0].done():
            return ""
        if trouble := self._looked():
            return trouble
        many = len(self._held) >= max(_MOST_HELD, _SHARE_HELD * self._taken)
        if self.passed and many and self.clock() >= self._rested:
            self._looking = self._thread.submit(self._look, self._labs_of(self._held)), frozenset(self._held)
        return ""

    def _looked(self) -> str:
        """Waits for the look beside the judging, if there is one, and keeps what waited for it."""
        if self._looking is None:
            return ""
        (answer, waiting), self._looking = self._looking, None
        trouble = answer.result()
        if not trouble:
            self._keep_held(waiting & self._held.keys())
        return trouble

    def _keep_held(self, keys: Collection[str]) -> None:
        for key in keys:
            self._keep(key, self._held.pop(key)[1])

    def _labs_of(self, keys: Collection[str]) -> list[Lab]:
        """In the order in which they were held."""
        return list({lab.id: lab for key, (lab, _) in self._held.items() if key in keys}.values())

    def _look(self, labs: Sequence[Lab]) -> str:
        if self.check is None or not labs:
            return ""
        began = self.clock()
        trouble = self.check.trouble(labs)
        self._rested = self.clock() + _REST * (self.clock() - began)
        return trouble

    def _keep(self, key: str, outcome: LabOutcome) -> None:
        """What cannot be kept is graded all the same, and judged again next time."""
        try:
            self.store.keep(key, outcome)
        except OSError as error:
            if not self.faults:
                self.faults.append(f"what was judged cannot be kept for the next run: {error}")


def _costs_nothing(lab: Lab, outcome: LabOutcome) -> bool:
    """Whether nothing was lost. What has to be graded with a GPU, or is our own fault, did not go wrong, and is held all the same."""
    found = lab_verdict(lab, outcome)
    return found.verdict is Verdict.PASS and found.every_case_passed
