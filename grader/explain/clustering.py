"""Puts the wrong submissions of a lab into at most twelve clusters: by verdict, then by cause, then by the shape of the line. Pure.

A cluster is taken apart where room is left, the largest parts first. What no part was made for stays together under the wider key.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain

from grader.explain.similar_files import file_tokens
from grader.model.outcome import JudgedCase
from grader.model.result import Case, Finding, LabResult, Launch, Site
from grader.model.several_files import lines_before
from grader.model.verdicts import Verdict, is_wrong

# The shape of a line of CUDA: its tokens, with a role in place of each name that the author chose. Pure.
#
# `part[j][i] = in[y * n + s + i];` and `piece[v][u] = data[r * width + from + u];` have one shape. Roles follow from the words of the
# file alone, so they may be wrong: they compare mistakes and prove nothing.

# Words that mean the same in every file. Names that the author chose become roles.
_KEPT_WORDS = """
if else for while do return break continue switch case default goto const static extern sizeof true false nullptr new
delete int unsigned signed long short char float double bool void size_t auto struct template typename dim3 float2
float4 int2 int4 threadIdx blockIdx blockDim gridDim warpSize x y z min max fminf fmaxf expf sqrtf printf assert
LaunchConfig __global__ __device__ __host__ __shared__ __restrict__ __constant__ constexpr
"""
_KEPT = frozenset(re.findall(r"\w+", _KEPT_WORDS))
_DECLARES = frozenset({"int", "float", "double", "unsigned", "auto", "long", "size_t", "bool", "char"})
_NUMBERS = frozenset({"0", "1", "2"})  # others are sizes of the author's choice
_NEAR = 40  # tokens; what belongs to a declaration or to the head of a loop is not farther away


class LineShapes:
    """Of one source file."""

    def __init__(self, source: str) -> None:
        self.tokens = [one for one in file_tokens(source) if one.kind not in {"comment", "include"}]

    def shape(self, line: str) -> str:
        """The tokens with one space between them; empty for a line without any."""
        kinds = {"comment", "include"}
        return " ".join(self._shown(one.kind, one.text) for one in file_tokens(line) if one.kind not in kinds)

    def role(self, name: str) -> str:
        """What `name` is in this file: tile, input, output, size, index, step, sum, side, local or name."""
        return self._roles.get(name, "name")

    def _shown(self, kind: str, text: str) -> str:
        if kind == "word":
            is_cuda = text.startswith(("__", "cuda", "atomic"))
            return text if text in _KEPT or is_cuda else self.role(text)
        if kind == "number":
            value = re.sub(r"(\.0*)?[fFuUlL]*$", "", text)
            return value if value in _NUMBERS else "n"
        return "text" if kind == "text" else text

    @cached_property
    def _roles(self) -> dict[str, str]:
        """The later of two roles of a name counts."""
        return dict(self._named())

    def _text(self, at: int) -> str:
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def _near(self, at: int, *ends: str) -> range:
        """From the token after `at` up to one of `ends`."""
        last = min(at + 1 + _NEAR, len(self.tokens))
        return range(at + 1, next((one for one in range(at + 1, last) if self._text(one) in ends), last))

    def _places(self, *texts: str) -> Iterator[int]:
        return (at for at, token in enumerate(self.tokens) if token.text in texts)

    def _named(self) -> Iterator[tuple[str, str]]:
        for at in self._places(*_DECLARES):
            yield self._text(at + 1), "local"
        for at in self._places("__shared__"):
            yield from ((self._text(one + 1), "side") for one in self._near(at, ";") if self._text(one) == "[")
        for at in self._places("for", "while"):
            assigned = next((one for one in self._near(at, ";", ")") if self._text(one) == "="), None)
            if assigned is not None:
                yield self._text(assigned - 1), "step"
        for at in self._places("="):
            if any(self._text(one) in {"threadIdx", "blockIdx"} for one in self._near(at, ";", ",", "{")):
                yield self._text(at - 1), "index"
        for at in self._places("+="):
            if self._text(at - 1) != "]":  # no array
                yield self._text(at - 1), "sum"
        yield from self._parameters()
        for at in self._places("__shared__"):
            yield self._text(self._near(at, "[", ";", "=").stop - 1), "tile"

    def _parameters(self) -> Iterator[tuple[str, str]]:
        """Of kernels: numbers are sizes, arrays that are const are inputs, and the others are outputs."""
        for start in self._places("__global__"):
            begin = next((one for one in self._near(start, ";", "{") if self._text(one) == "("), None)
            is_const = is_pointer = False
            for at in self._near(begin, "{", ";") if begin is not None else ():
                text = self._text(at)
                is_const, is_pointer = is_const or text == "const", is_pointer or text in {"*", "["}
                if self._text(at + 1) in {",", ")", "["} and self.tokens[at].kind == "word":
                    is_pointer = is_pointer or self._text(at + 1) == "["
                    yield text, ("input" if is_const else "output") if is_pointer else "size"
                if text == ",":
                    is_const = is_pointer = False


# Why one submission is wrong, in three steps from the verdict to the line, each with a key that another submission may share. Pure.
#
# A key holds no name that a student chose, no line number and no size, so it is the same in the next batch.

_ARRAYS = {"tile": "a shared array", "input": "an input", "output": "an output", "sum": "a sum"}
_QUOTED = re.compile(r"\u2018[^\u2019]*\u2019|'[^'\n]*'|`[^`\n]*`|\"[^\"\n]*\"|\([^)\n]*\)|\[[^]\n]*\]")
_NUMBER = re.compile(r"\d[\d,.]*")
_LONGEST = 2000  # characters of a message


@dataclass(frozen=True)
class Step:
    key: str
    title: str


@dataclass(frozen=True)
class WrongSubmission:
    student: str
    verdict: Verdict
    steps: tuple[Step, ...]  # from coarse to fine
    line: int | None  # in the student's file
    hidden: bool  # no public case shows it
    behaviour: str = ""
    also: tuple[str, ...] = ()  # other keys that a comment may be written for

    @property
    def keys(self) -> tuple[str, ...]:
        """Whose comments concern it, the closest first."""
        return (*(step.key for step in reversed(self.steps[1:])), *self.also, self.steps[0].key)


def went_wrong(lab: LabResult) -> bool:
    """As grader/model/verdicts.py says it."""
    return is_wrong(lab.verdict, every_case_passed=all(one.passed for one in lab.cases))


def on_one_text(lab: LabResult, text: str) -> LabResult:
    """With the lines of findings in files beside the main one where they stand in `text`, which holds them all."""
    before = lines_before(text)

    def moved(site: Site) -> dict[str, int]:
        return {"line": site.line + before[site.file]} if site.line and site.file in before else {}

    found = tuple(
        one.model_copy(update={**moved(one), "other": one.other and one.other.model_copy(update=moved(one.other))})
        for one in lab.findings
    )
    return lab.model_copy(update={"findings": found}) if before else lab


def wrong_submission(
    student: str, lab_id: str, lab: LabResult, text: str, *, like: str = "", behaviour: str = ""
) -> WrongSubmission:
    """`text`: the file that was handed in; `like`: the small mistake in the solution that behaves the same."""
    shapes, lab = LineShapes(text), on_one_text(lab, text)
    finding = next((one for one in lab.findings if one.kind is lab.verdict and one.severity == "error"), None)
    case = _case(lab)
    summary = _summary(case)
    cause, title, line = _cause(lab, finding, case, shapes)
    if not cause:
        cause, title = (f"like {like}", f"as {like}") if like else summary
    label = lab.verdict.facts.label if lab.verdict is not Verdict.PASS else "Right, but not as asked"
    verdict = Step(f"{lab_id}/{lab.verdict}", label)
    steps = [verdict]
    if cause:
        steps.append(Step(f"{verdict.key}/{_digest(cause)}", title))
        lines = text.split("\n")
        if shape := shapes.shape(lines[line - 1] if line is not None and 0 < line <= len(lines) else ""):
            steps.append(Step(f"{steps[-1].key}/{_digest(shape)}", title))
    also = [f"{verdict.key}/{_digest(one)}" for one in (f"like {like}" if like else "", summary[0]) if one]
    shown = {step.key for step in steps}
    hidden = bool(lab.cases) and all(one.visibility == "hidden" for one in lab.cases if not one.passed)
    others = tuple(one for one in also if one not in shown)
    return WrongSubmission(student, lab.verdict, tuple(steps), line, hidden, behaviour, others)


def _case(lab: LabResult) -> Case | None:
    """The first case that shows the verdict, a public one before all others."""
    failed = [one for one in lab.cases if not one.passed]
    fitting = [one for one in failed if one.verdict is lab.verdict] or failed
    return min(fitting, key=lambda one: one.visibility != "public", default=None)


def _summary(case: Case | None) -> tuple[str, str]:
    """Where the output is wrong, without sizes."""
    for launch in case.launches if case else ():
        if launch.mismatch:
            return f"wrong {_words(launch.mismatch.summary)}", f"the result is wrong: {launch.mismatch.summary}"
    return "", ""


def _cause(  # noqa: PLR0911 -- one for each way to know a cause
    lab: LabResult, finding: Finding | None, case: Case | None, shapes: LineShapes
) -> tuple[str, str, int | None]:
    """What a key is made of, the same for readers, and the line."""
    if finding is not None:
        cause, title = _of_finding(finding, shapes)
        return cause, title, finding.line
    suspect = next(iter(lab.suspects), None)
    line = suspect.lines[0] if suspect else None
    explained = next((one.explanation for one in case.launches if one.explanation), None) if case else None
    if explained:
        return f"explained {explained.mistake}", explained.sentence, line
    if suspect and suspect.after:
        change = f"change {shapes.shape(suspect.before)} -> {shapes.shape(suspect.after)}"
        return change, f"right with `{suspect.after.strip()}` for `{suspect.before.strip()}`", line
    hint = next(iter(lab.causes), None)
    if hint:
        return f"hint {_words(hint.message)}", hint.message, hint.line
    if lab.verdict is Verdict.PASS and case:
        return f"technique {case.name}", f"{case.name}: {case.message}", None
    if case and case.message and lab.verdict is not Verdict.WRONG_ANSWER:
        return f"said {_words(case.message)}", case.message, None
    return "", "", line


def _of_finding(finding: Finding, shapes: LineShapes) -> tuple[str, str]:
    if finding.array is None and finding.other is None:
        return f"said {finding.label or ''} {_words(finding.message)}", finding.message
    array = shapes.role((finding.array or "").split("[")[0])
    what = _ARRAYS.get(array, "a variable" if finding.array else "")
    other = finding.other
    if finding.kind is Verdict.RACE and other is not None:
        order = _order(finding.line, other.line)
        barrier = "a barrier in the wrong place" if "The __syncthreads()" in finding.message else "no barrier between"
        words = f"{what}: {finding.access} and {other.access} {order}, {barrier}"
        known = finding.array and finding.access and other.access  # of host code, the finding's own words say more
        return f"race {array} {finding.access} {other.access} {order} {barrier}", words if known else finding.message
    if finding.kind is Verdict.BARRIER_DIVERGENCE:
        missed = finding.access if other is None else f"{finding.access} {other.access}"
        title = "threads of a block wait at different places"
        if "skipped the barrier" in finding.message:
            title = "some threads skip a barrier for which others wait"
        return f"barrier {missed} {_words(finding.message)}", title
    where = next((words for sign, words in _PLACES.items() if sign in finding.message), "")
    if where or finding.kind is Verdict.UNINITIALIZED_READ:
        did = {"read": "reads", "write": "writes"}.get(finding.access or "", "uses")
        end = where or "that was never written"
        return f"{finding.kind} {finding.access} {array} {end}", f"{did} {what} {end}"
    return f"{finding.kind} {array} {_words(finding.message)}", finding.message


_PLACES = {
    "past the end": "past its end",
    "before the start": "before its start",
    "before the beginning": "before its beginning",
    "this dimension has only": "past one of its dimensions",
}


def _order(line: int | None, other: int | None) -> str:
    if line is None or other is None:
        return "somewhere"
    return "in one line" if line == other else "further down" if other > line else "further up"


def _words(message: str) -> str:
    """A message without names, numbers and places."""
    return " ".join(_NUMBER.sub("n", _QUOTED.sub("", message[:_LONGEST])).split()).casefold()


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=4).hexdigest()


MOST = 12
COVERED = 0.9  # of all wrong submissions, at least
_CAUSE, _SHAPE = 1, 2  # steps


@dataclass(frozen=True)
class Cluster:
    step: Step  # what all of them share
    depth: int  # 0: the verdict alone
    members: tuple[WrongSubmission, ...]
    rest: bool = False  # others of the same step have clusters of their own


def clusters_of(wrong: Sequence[WrongSubmission], most: int = MOST) -> tuple[Cluster, ...]:
    """The largest first. Every submission is in at most one of them; up to a tenth is in none, where that leaves room for causes."""
    verdicts = sorted(_groups([Cluster(Step("", ""), -1, tuple(wrong))], 0), key=_clustering_order)
    covered = accumulate((len(one.members) for one in verdicts), initial=0)
    needed = next((n for n, count in enumerate(covered) if count >= COVERED * len(wrong)), len(verdicts))
    made, small = verdicts[: min(needed, most)], verdicts[min(needed, most) :]
    made = _refined(made, _CAUSE, 2, most)
    made += small[: most - len(made)]
    for depth, least in ((_CAUSE, 1), (_SHAPE, 2)):
        made = _refined(made, depth, least, most)
    return tuple(sorted(made, key=_clustering_order))


def _refined(clusters: Sequence[Cluster], depth: int, least: int, most: int) -> list[Cluster]:
    """Parts of at least `least` submissions at step `depth` become clusters of their own, as long as there is room."""
    made = list(clusters)
    parts = _groups([one for one in made if one.depth == depth - 1], depth)
    for part in sorted((one for one in parts if len(one.members) >= least), key=_clustering_order):
        whole = next(one for one in made if one.depth == depth - 1 and set(part.members) <= set(one.members))
        others = tuple(one for one in whole.members if one not in set(part.members))
        if others and len(made) >= most:
            continue
        made.remove(whole)
        made.append(part)
        if others:
            made.append(Cluster(whole.step, whole.depth, others, rest=True))
    return made


def _groups(clusters: Sequence[Cluster], depth: int) -> list[Cluster]:
    found: dict[str, list[WrongSubmission]] = defaultdict(list)
    for one in chain.from_iterable(cluster.members for cluster in clusters):
        if len(one.steps) > depth:
            found[one.steps[depth].key].append(one)
    return [Cluster(members[0].steps[depth], depth, tuple(members)) for members in found.values()]


def _clustering_order(cluster: Cluster) -> tuple[int, str]:
    return -len(cluster.members), cluster.step.key


# What a kernel did in a lab's cases, so that two kernels can be compared: which cases fail, how, and how many elements are wrong. Pure.
#
# Two kernels with one behaviour may have different mistakes. Names, lines and values play no part.


def behaviour(cases: Sequence[JudgedCase | Case]) -> str:
    """A digest; empty where every case passes, and where something broke on our side or was not run."""
    verdicts = {case.verdict for case in cases}
    undecided = any(one.facts.tone in {"ours", "waiting"} for one in verdicts)
    if undecided or not any(case.launches for case in cases) or verdicts == {Verdict.PASS}:
        return ""
    seen = [(case.name, case.verdict, [_launch(one) for one in case.launches]) for case in cases]
    return hashlib.blake2b(repr(sorted(seen)).encode(), digest_size=12).hexdigest()


def _launch(launch: Launch) -> tuple[object, ...]:
    kinds = sorted({finding.kind for finding in launch.findings if finding.severity == "error"})
    wrong = (launch.mismatch.wrong, launch.mismatch.unwritten) if launch.mismatch else (0, 0)
    return launch.shape, launch.inputs, launch.verdict, [str(kind) for kind in kinds], wrong
