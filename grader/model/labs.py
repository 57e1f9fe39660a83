"""A lab and its two halves, read from the course's folders: a lab whose files contradict themselves is refused."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal, Self, TypeVar

from pydantic import BaseModel, Field, ValidationError, model_validator

from grader.model.described_problem import ProblemSpec, Strict
from grader.model.errors import RemediableError
from grader.model.formula import FormulaError, as_cpp, names_in, read_formula
from grader.model.several_files import (
    BUILD_FILES,
    PATTERN,
    can_be_named,
    completed,
    is_asked,
    is_complete,
    joined,
    parted,
)

# What a lab's files say of its kernels' speed: how it is timed or counted, its tiers, and the climb of its write-up.

_MOST_PART = 3  # of the performance points
Table = TypeVar("Table", bound=BaseModel)


class PerformanceSpec(Strict):
    """How a lab's kernels are timed. Every number comes from one run: the baseline's time divided by the kernel's."""

    # Of speed 1.00: another lab's model solution, or a student's own kernel for the student; or a file beside grading.toml: "naive.cu".
    baseline: str
    shape: str  # of the timed launches, as the problem's sizes: "1024x1024x1024"
    sweep: tuple[str, ...] = ()  # shapes of the size sweep
    library: Literal["cublasSgemm"] | None = None  # NVIDIA's routine for the same work, timed too


class StepSpec(Strict):
    """One step of a lab's climb: what a kernel is like after it. A field that is not given stays as it was."""

    title: str  # as in "the next step is: …"
    section: str = Field(min_length=1)  # the heading in the lab's write-up
    threads: int | None = Field(default=None, ge=1, le=1024)  # of a block
    elements: int | None = Field(default=None, ge=1)  # of the result in a thread
    reads_for_a_product: float | None = Field(default=None, gt=0)  # operands that a thread reads
    bytes_of_a_load: int | None = Field(default=None, ge=4, le=16)  # from global memory
    bytes_of_a_read: int | None = Field(default=None, ge=4, le=16)  # from shared memory
    passes_of_a_read: float | None = Field(default=None, ge=1)  # of shared memory, for a warp
    tile: int | None = Field(default=None, ge=2)  # one side: so often each loaded value is used by a block
    without_conflicts: bool = False
    overlapped: bool = False
    copied: bool = False  # asynchronous copies bring the tiles
    sliced: bool = False  # several blocks share the sums of a piece
    # FLOP for each pass of the load/store unit, of the course's kernel.
    passes: float | None = Field(default=None, gt=0)
    gflops: float | None = Field(default=None, gt=0)  # of the course's kernel, measured


class ClimbSpec(Strict):
    """The steps by which kernels of this lab become faster, in the order in which the write-up tells them."""

    shape: str  # of the measurements: "2048x2048x2048"
    gpu: str  # on which they were made: a key of grader/run/scoring/gpus.toml
    step: tuple[StepSpec, ...] = Field(min_length=1)


class TierSpec(Strict):
    """A kernel with this `share` of another one's speed in the same rounds, or with this time on this GPU, gets this `part` of the
    performance points.
    """

    share: float = Field(default=0, ge=0)
    # The lab's model solution, the library's routine in `performance`, or no other kernel.
    of: Literal["model", "library", "time"] = "model"
    milliseconds: float = Field(default=0, ge=0)  # at most, of a launch of the size in `performance`
    gpu: str = ""  # a word of its name: on others the tier is not reached
    part: float = Field(gt=0, le=_MOST_PART)  # 1: full marks; more: beyond them, in a lab of extra credit

    @model_validator(mode="after")
    def has_one_bound(self) -> Self:
        by_time = self.of == "time"
        if by_time != bool(self.milliseconds and self.gpu) or by_time == bool(self.share):
            raise ValueError('a [[tier]] has a share, or of = "time" with milliseconds and gpu')
        return self

    @property
    def threshold(self) -> float:
        """Of a time, how many launches take a millisecond: more is better, as of a share."""
        return 1 / self.milliseconds if self.of == "time" else self.share


class StandInSpec(Strict):
    """A kernel of the course whose speed is known as a share of the library's. It is timed where the library is not there."""

    file: str  # beside grading.toml
    share: float = Field(gt=0)  # of the library's speed, at the shape that is timed: `tilelab calibrate` measures it
    measured_on: str  # the GPU


class CounterTier(Strict):
    """A kernel that stays within every bound gets this `part` of the performance points.

    A bound on a `.sum` is for each unit of the problem's work. A bound on a `.ratio` is used as it is.
    """

    part: float = Field(gt=0, le=_MOST_PART)
    at_most: dict[str, float] = Field(min_length=1)  # keys are Nsight Compute's metric names

    def __hash__(self) -> int:
        """A lab is used as a key, but a dict has no hash."""
        return hash((self.part, *sorted(self.at_most.items())))


class CounterSpec(Strict):
    """How performance is assessed without a GPU: by the memory traffic of one case's last launch, as the executor counts it."""

    case: str  # the name of the case whose launch is counted
    # A hidden case whose launches have to reach the tier as well, on sizes that the student does not know.
    also: str = ""
    # How far these may exceed its bounds: their sides need not be multiples of a tile.
    slack: float = Field(default=1.25, ge=1)
    most_elements_of_a_thread: int = Field(default=64, ge=1)  # of the result: with more, too few threads share the work
    versus: str  # in words, the traffic of another kernel of the course: "a naive kernel loads 0.125"
    advice: str  # for a kernel that is not in the highest tier
    tier: tuple[CounterTier, ...] = Field(min_length=1)


# What `lab.toml` (public, beside the starter) and `grading.toml` (private, beside the model solution) may say.

_MOST_POINTS = 1_000_000  # more cannot be added up without rounding
Contract = Literal["kernel", "launcher", "program"]
# What a lab's file may say, by its contract. `needed` and `allowed` name fields of PublicSpec that belong to some contracts only.
_NEEDED = {"kernel": ("kernel",), "launcher": ("launcher",), "program": ()}
_ALLOWED = {
    "kernel": ("launch", "through", "performance", "climb"),
    "launcher": ("arguments", "memory", "headers", "performance"),
    "program": ("arguments", "headers"),
}
_OF_GIVEN_LAUNCHES = (
    "grid",
    "block",
    "shared",
    "arguments",
    "headers",
    "performance",
)  # a kernel that the lab launches
_SIGNATURE = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*\([\w:<>,*& \[\]]*\)")
_GIVEN_KERNEL = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*(?:<[\w ,]*>)?\([\w:*, ]+\)")  # that the lab launches
_PASSED_AS_IT_IS = frozenset({"float", "double", "__half", "half", "__nv_bfloat16"})
_HEADER = re.compile(r"(?:[A-Za-z0-9_][\w.+-]*/)*[A-Za-z0-9_][\w.+-]*\.(?:h|hpp|cuh|inc)")
_OF_ONE_CONTRACT = (
    "kernel", "launch", "through", "launcher", "arguments", "memory", "headers", "performance", "climb", "grid", "block", "shared",
)  # fmt: skip
_MOST_AXES = 3  # of a grid


class CaseSpec(Strict):
    """One Catch2 test case: `name` is its exact title in public_tests.cpp or hidden_tests.cpp."""

    name: str
    points: float = Field(ge=0, le=_MOST_POINTS)
    feedback: Literal["full", "verdict", "none"] = "full"
    role: Literal["correctness", "technique"] = "correctness"
    advice: str = ""  # what to look at if it fails, without the solution
    precision: bool = False  # a kernel that is right but less accurate than fp32 fails this case, and no other
    # Of a problem that lab.toml describes: runs with these sizes, each a number or drawn between two, and with the data in these folders.
    sizes: tuple[dict[str, int | tuple[int, int]], ...] = ()
    data: tuple[str, ...] = ()

    def __hash__(self) -> int:
        """As CounterTier's."""
        return hash((self.name, self.points, self.data))


class LeaderboardSpec(Strict):
    """A public page that ranks the lab's kernels by speed, written with every batch."""

    names: Literal["pseudonyms", "real"] = "pseudonyms"  # real: as the submissions are named


class RaceRules(Strict):
    """What counts as a race in this lab."""

    # Plain writes of the same value to the same place by several threads.
    same_value_writes: Literal["race", "allowed"] = "race"


class BarrierRules(Strict):
    """What counts as barrier divergence in this lab."""

    # A thread returns before a barrier at which others of its block wait.
    early_return: Literal["note", "error"] = "note"


class PublicSpec(Strict):
    """lab.toml."""

    title: str
    summary: str
    problem: str | ProblemSpec  # a header in kit/problems, or what is computed
    file: str = Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.+-]*\.cu$")  # that a student hands in: a plain name, no path
    # What may come beside it: "kernel.cuh" has to, "*.cuh" may, and so may "Makefile". Of a lab whose host code launches the kernels.
    files: tuple[str, ...] = ()
    # kernel: one kernel, which the judge launches. launcher: a host function that launches what it likes. program: a file with main().
    contract: Contract = "kernel"
    kernel: str = ""  # demangled signature: "scale(float const*, float*, int)"
    launch: str = ""  # demangled signature: "scale_launch(int)"
    # Demangled signature: "solve(float const*, float*, int)"; it may be extern "C" and may return anything.
    launcher: str = ""
    # Names of the problem's operands in the launcher's order; none: in the problem's order. Of a kernel that the lab launches, also
    # arithmetic over sizes. Of a program whose problem stands here: its command line, with {A} for A's file.
    arguments: tuple[str, ...] = ()
    # How the lab launches the kernel, instead of a launch function of the student's: ["ceil(N / 16)", "ceil(M / 16)"].
    grid: tuple[str, ...] = ()
    block: tuple[str, ...] = ()
    shared: str = "0"  # bytes
    memory: Literal["device", "host"] = "device"  # where the launcher's pointers lead to
    # Files of the lab that a launcher's or program's file may include: "wb.h", "thrust/scan.h".
    headers: tuple[str, ...] = ()
    # Libraries that kernels may use: CUB's collectives of a block do what some labs ask for.
    libraries: tuple[Literal["cub"], ...] = ("cub",)
    shapes: str  # in words, for people
    needs: tuple[str, ...] = ()  # labs that come before this one, in a course that has them
    step_questions: bool = True  # whether pages of a mistake ask before they show
    # Sizes that `make trace` takes where none are given: allowed here, and small enough to read.
    traced_shape: str = "8x8x8"
    extra_credit: bool = False
    # `performance_points` of grading.toml, where students are to be told of what may cost them.
    speed_points: float = Field(default=0, ge=0, le=_MOST_POINTS)
    performance: PerformanceSpec | None = None  # none: speed is not assessed in this lab
    climb: ClimbSpec | None = None  # none: reports say nothing about a next step
    leaderboard: LeaderboardSpec | None = None  # none: this lab has no leaderboard
    # The means that technique cases ask for besides: at least half of what threads use comes from others through it. Empty: any.
    through: Literal["", "shared"] = ""
    races: RaceRules = RaceRules()
    barriers: BarrierRules = BarrierRules()
    counters: CounterSpec | None = None  # without `also`; none: in grading.toml, or performance needs a GPU
    case: tuple[CaseSpec, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def with_main_file(cls, said: Any) -> Any:  # noqa: ANN401 -- as TOML has it
        """`files` alone is enough: the first is the main file."""
        if isinstance(said, dict) and "file" not in said and isinstance(files := said.get("files"), list) and files:
            return {**said, "file": files[0]}
        return said

    @model_validator(mode="after")
    def fits_its_contract(self) -> Self:
        """Raises ValueError where a field is missing, or belongs to another contract."""
        needed, allowed = _NEEDED[self.contract], _ALLOWED[self.contract]
        if self.contract == "kernel" and self.grid:
            needed, allowed = ("kernel", "block", "arguments"), _OF_GIVEN_LAUNCHES
        elif self.contract == "kernel":
            needed = ("kernel", "launch")
        missing = [name for name in needed if not getattr(self, name)]
        foreign = [
            name for name in self.model_fields_set.intersection(_OF_ONE_CONTRACT) if name not in needed + allowed
        ]
        if self.contract == "program" and self.performance:
            raise ValueError(
                "[performance]: a whole program is not timed, since reading files takes longer than its kernels, and host code of a"
                ' student\'s would run beside the clock. Ask for a host function: contract = "launcher"'
            )
        if missing:
            raise ValueError(f"a lab with contract = {self.contract!r} needs `{missing[0]}`")
        if foreign:
            raise ValueError(f"`{min(foreign)}` has no meaning in a lab with contract = {self.contract!r}: remove it")
        entry, form = (self.kernel, _GIVEN_KERNEL) if self.grid else (self.launcher, _SIGNATURE)
        if entry and not form.fullmatch(entry):
            what = "kernel" if self.grid else "launcher"
            raise ValueError(
                f'{what} = {entry!r} is no demangled signature, such as "solve(float const*, float*, int)"'
            )
        self._described_fits()
        self._files_fit()
        if self.performance and (wrong := next(self._untimed(self.performance), "")):
            raise ValueError(f"[performance]: {wrong}")
        if self.leaderboard and not self.performance:
            raise ValueError("[leaderboard] ranks measured speeds, so the lab needs [performance]")
        return self

    def _files_fit(self) -> None:
        """Raises ValueError where names of files or of headers are none, or are not asked for."""
        if wrong := next((one for one in self.files if not PATTERN.fullmatch(one)), None):
            raise ValueError(
                f"files: {wrong!r} is no name of a source, a header or a Makefile, such as kernel.cuh or *.cuh"
            )
        if self.files and not self.starts_itself:
            raise ValueError("`files` is for labs whose host code launches the kernels, or that say `grid`")
        plain = [PurePosixPath(one).name for one in self.headers]
        for header, name in zip(self.headers, plain, strict=True):
            if not _HEADER.fullmatch(header) or plain.count(name) > 1:
                raise ValueError(f"headers: {header!r} is no path of a file beside lab.toml with a name of its own")

    def _described_fits(self) -> None:
        """Raises ValueError where a launch or a problem that stands here cannot work."""
        if not (self.grid or self.described):
            return
        if max(len(self.grid), len(self.block)) > _MOST_AXES:
            raise ValueError(f"grid and block have at most {_MOST_AXES} sides")
        given = len(self.kernel.partition("(")[2].split(","))
        if self.grid and given != len(self.arguments):
            raise ValueError(f"`{self.kernel}` has {given} parameters, and `arguments` names {len(self.arguments)}")
        try:
            for text in (*self.grid, *self.block, self.shared):
                as_cpp(text)
            named = set(self.host_parameters) if self.described and self.has_operands else set()
        except FormulaError as error:
            raise ValueError(f"arguments, grid, block and shared: {error}") from error
        if self.described and (unknown := named - self.described.names):
            raise ValueError(f"[problem] has no {min(unknown)}, which arguments, grid, block or shared say")
        problem = self.described if self.contract == "program" else None
        if problem and (wrong := next(problem.wrong_for_a_program(self.arguments), "")):
            raise ValueError(f"[problem]: {wrong}")

    def _untimed(self, performance: PerformanceSpec) -> Iterator[str]:
        """Why what host code launches cannot be timed."""
        if not (self.starts_itself or self.described):
            return
        if self.described is None or not self.has_operands:
            yield "a lab whose host code launches kernels is timed where lab.toml has its [problem]"
            return
        if self.memory != "device":
            yield 'memory = "host" is not timed, since copies would count more than kernels: use memory = "device"'
        if performance.library:
            yield "`library` is for a problem of kit/problems"
        if any(one.endswith((".cu", ".cpp")) for one in self.beside):
            yield "a hand-in of several sources is not timed: ask for one, and headers"
        for shape in (performance.shape, *performance.sweep):
            if not all(map(str.isdecimal, sides := shape.split("x"))) or len(sides) != len(self.described.sizes):
                yield f"shape = {shape!r} is no size of the problem: it takes {' x '.join(self.described.sizes)}"
        yield from self.described.untimed()

    @property
    def described(self) -> ProblemSpec | None:
        """The problem, where it stands in lab.toml."""
        return self.problem if isinstance(self.problem, ProblemSpec) else None

    @property
    def problem_name(self) -> str:
        """The name under which a problem of kit/problems registers itself: that of its header."""
        return "" if isinstance(self.problem, ProblemSpec) else self.problem.rpartition("/")[2].removesuffix(".hpp")

    @property
    def beside(self) -> tuple[str, ...]:
        """Names and patterns of what comes beside the main file."""
        return tuple(one for one in self.files if one != self.file)

    def asks_beside(self, name: str) -> bool:
        """Not the main file, nor what the course gives."""
        return is_asked(name, self.beside) and name != self.file and name not in self.given

    @property
    def given(self) -> frozenset[str]:
        """The names of headers that the course hands out: no student's file replaces one."""
        return frozenset(PurePosixPath(one).name for one in self.headers)

    def lacking(self, files: Collection[str]) -> str:
        """The first file that has to be there and is not; empty: none. A build file may always be left out."""
        needed = (one for one in self.beside if "*" not in one and one not in BUILD_FILES)
        return next((one for one in needed if one not in files), "")

    @property
    def entries(self) -> tuple[str, ...]:
        """Signatures of the functions that a student's file must define; of a whole program none."""
        return tuple(one for one in (self.kernel, self.launch, self.launcher) if one)

    @property
    def starts_itself(self) -> bool:
        """Whether host code launches the kernels: the student's, or the lab's."""
        return self.contract != "kernel" or bool(self.grid)

    @property
    def host_parameters(self) -> dict[str, str]:
        """Of the function with which the lab launches a kernel: names of operands, each with its type. Raises FormulaError."""
        if not self.grid:
            return dict.fromkeys(self.arguments, "")
        types = [one.strip() for one in self.kernel.partition("(")[2].rstrip(")").split(",")]
        passed = list(zip(types, self.arguments, strict=True))
        found = {
            name: kind for kind, name in passed if "*" in kind or (kind in _PASSED_AS_IT_IS and name.isidentifier())
        }
        counted = [text for kind, text in passed if "*" not in kind and text not in found]
        for text in (*counted, *self.grid, *self.block, self.shared):
            found |= dict.fromkeys(names_in(read_formula(text)) - set(found), "long long")
        return found

    @property
    def host_entry(self) -> str:
        """The signature of the host function that is called: a student's launcher, or the lab's; empty: a program's main()."""
        given = ", ".join(self.host_parameters.values())
        return f"{GIVEN_LAUNCH}({given})" if self.grid else self.launcher

    @property
    def has_operands(self) -> bool:
        """Whether that host code is called with the problem's operands, and is no whole program."""
        return self.contract == "launcher" or bool(self.grid)


class PrivateSpec(Strict):
    """grading.toml."""

    case: tuple[CaseSpec, ...] = ()
    # Part of the maximum if performance is assessed.
    performance_points: float = Field(default=0, ge=0, le=_MOST_POINTS)
    counters: CounterSpec | None = None  # where students are not to be told of it; else it stands in lab.toml
    counted_also: str = ""  # `also` of the counters in lab.toml
    tier: tuple[TierSpec, ...] = ()
    stand_in: StandInSpec | None = None  # none: where the library is not there, no tier of its speed is reached
    rejects_at_least: int = Field(default=8, ge=0)  # the least number of wrong kernels in rejects/


SOURCE_BYTES = 256 << 10  # of one source file
DESCRIBED_JUDGE = "described"
GIVEN_LAUNCH = "tilelab_given_launch"


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

    def whole(self, text: str, source: Path | None = None) -> str:
        """All files of a lab that has several: `text` is the main one in `source`, or another version of the solution's. What a wrong file
        has behind a line with a file's name stands for the solution's.
        """
        if not self.public.files or is_complete(text):
            return text
        ours = source is None or (self.private_dir is not None and self.private_dir in source.parents)
        folder = self.private_dir if ours else source.parent if source else None
        beside = {path.name: path.read_text(encoding="utf-8", errors="replace") for path in self.files_beside(folder)}
        return completed(text, self.public.file, beside) if ours else joined(text, beside)

    def files_beside(self, folder: Path | None) -> list[Path]:
        """Those in `folder` that the lab asks for beside its main file."""
        return sorted(
            path
            for path in (folder.iterdir() if folder and self.public.beside else ())
            if self.public.asks_beside(path.name) and can_be_named(path.name)
            if path.is_file() and not path.is_symlink() and path.stat().st_size <= SOURCE_BYTES
        )

    def files_of(self, text: str) -> dict[str, str]:
        """By their names, the main file first."""
        return parted(text, self.public.file) if self.public.files else {self.public.file: text}

    @property
    def judge_name(self) -> str:
        """All labs whose problem stands in lab.toml have one judge."""
        return DESCRIBED_JUDGE if self.public.described else self.id

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


def read_table(path: Path, model: type[Table]) -> Table:
    """Raises LabError that names the file."""
    try:
        return model.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        raise LabError(f"{path}: {what_is_wrong(error, 'docs/lab-files.md')}") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise LabError(f"{path}: {error}") from error


def what_is_wrong(error: ValidationError, document: str) -> str:
    """A sentence: the first mistake, of two ways to write something, of the one that fits further. `document`: lists the fields."""
    first = max(error.errors(include_url=False), key=lambda one: (len(one["loc"]), one["loc"][-1:] != ("str",)))
    parts = [one for one in first["loc"] if one != "str" and not str(one).startswith("function-")]
    place = ".".join(f"entry {one + 1}" if isinstance(one, int) else str(one) for one in parts)
    if first["type"] == "value_error":
        return f"{first['ctx']['error']}."
    if first["type"] == "extra_forbidden":
        return f"`{place}` is not known here. {document} lists what may be written."
    return f"`{place}` is missing." if first["type"] == "missing" else f"`{place}`: {first['msg']}."


def load_lab(root: Path, lab_id: str) -> Lab:
    """Loads the lab `lab_id` of the course at `root`. Raises LabError that names the file."""
    public_dir, private_dir = root / "assignments" / lab_id, root / "solutions" / lab_id
    if not (public_dir / "lab.toml").is_file():
        known = ", ".join(lab_ids(root)) or "none"
        raise LabError(f"there is no lab {lab_id!r} under {root / 'assignments'} (known: {known})")
    public, grading = read_table(public_dir / "lab.toml", PublicSpec), private_dir / "grading.toml"
    private = read_table(grading, PrivateSpec) if grading.is_file() else None
    lab = Lab(lab_id, public, private, public_dir, private_dir if private else None)
    ours = public_dir / "lab.toml"
    wrong = [*_wrong_with_counters(lab, ours if public.counters else grading, ours)]
    wrong += [
        f"{ours}: headers: there is no {one} beside it" for one in public.headers if not (public_dir / one).is_file()
    ]
    wrong += (
        [f"{grading}: {one}" for one in _wrong_with_tiers(public, private, private_dir, lab.counters)]
        if private
        else []
    )
    if wrong:
        raise LabError(wrong[0])
    return lab


def _wrong_with_counters(lab: Lab, path: Path, ours: Path) -> Iterator[str]:
    """Why cases and counters do not fit the lab, with the file's name. `path`: where the counters stand."""
    names, spec, public, private = [case.name for case in lab.cases], lab.counters, lab.public, lab.private
    if repeated := {name for name in names if names.count(name) > 1}:
        yield f"{ours}: case listed twice: {', '.join(sorted(repeated))}"
    if public.counters and public.counters.also:
        yield f"{ours}: [counters] names a hidden case with `also`: write it as `counted_also` in grading.toml"
    if public.counters and private and private.counters:
        yield f"{ours}: [counters] stands in grading.toml too: remove one of them"
    for case in lab.cases:
        yield from _wrong_with_runs(lab, case, f"{path if case not in public.case else ours}: case {case.name!r}")
    if spec is None and private and private.counted_also:
        yield f"{ours}: `counted_also` needs [counters] here"
    if spec and public.starts_itself:
        yield f"{path}: [counters] is for labs with contract = 'kernel'"
    for name in (spec.case, spec.also) if spec else ():
        if name and name not in names:
            yield f"{path}: [counters] names a case that is not listed: {name!r}"


def _wrong_with_runs(lab: Lab, case: CaseSpec, where: str) -> Iterator[str]:
    problem = lab.public.described
    if problem is None:
        if case.sizes or case.data:
            yield f"{where}: `sizes` and `data` are for a problem that lab.toml describes"
        return
    if not (case.sizes or case.data):
        yield f"{where} needs `sizes`, or folders of `data`"
    for sizes in case.sizes:
        if set(sizes) != set(problem.sizes):
            yield f"{where}: the problem has the sizes {', '.join(problem.sizes) or '(none)'}, and a run {', '.join(sizes)}"
    drawn = [one for sizes in case.sizes for one in sizes.values() if isinstance(one, tuple)]
    if wrong := [one for one in drawn if not 0 < one[0] <= one[1]]:
        yield f"{where}: a size cannot be drawn from {wrong[0][0]} to {wrong[0][1]}"
    if case.sizes and not all(one.formula for one in problem.result):
        yield f"{where}: runs with `sizes` need a formula for each result"
    folder = lab.public_dir if case in lab.public.case else lab.private_dir
    for name in case.data:
        if folder is None or ".." in PurePosixPath(name).parts or not (folder / name).is_dir():
            yield f"{where}: there is no folder {name} beside this file"


def _wrong_with_tiers(
    public: PublicSpec, private: PrivateSpec, folder: Path, counters: CounterSpec | None
) -> Iterator[str]:
    counted = counters.tier if counters else ()
    highest = max([*(one.part for one in private.tier), *(one.part for one in counted)], default=0)
    if highest > 1 and not public.extra_credit:
        yield "a tier with part > 1 gives more than full marks: only a lab with extra_credit = true may have one"
    if any(one.of == "library" for one in private.tier) and not (public.performance and public.performance.library):
        yield "a [[tier]] is a share of the library's speed, but [performance] in lab.toml names no library"
    if private.stand_in and not (folder / private.stand_in.file).is_file():
        yield f"[stand_in]: there is no {private.stand_in.file} beside it"


def lab_ids(root: Path) -> list[str]:
    """Every folder of `assignments/` that holds a lab.toml, sorted."""
    return sorted(path.parent.name for path in (root / "assignments").glob("*/lab.toml"))
