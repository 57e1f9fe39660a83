"""Maps what went wrong in a class to the lines of a lab's model solution that play the same part. Decides no grade. Pure.

A finding is placed by the statement of the student's file that it stands in. A race without a barrier between its two accesses is
placed at the solution's barrier that this student does not have. A wrong result is placed by what helps it, or by the change of the
solution that behaves the same. Everything else is counted as not placed, with the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from grader.course.leaks import MarkerError, Region, cut
from grader.explain.clustering import LineShapes, behaviour, on_one_text, went_wrong
from grader.explain.similar_files import FileToken
from grader.explain.suspect_search import lines_of
from grader.model import visible_text
from grader.model.graded_class import PlacedMistake, SolutionLine, SolutionMap
from grader.model.result import Finding, LabResult, Result, Site
from grader.model.verdicts import Verdict

# A source's statements, each as the part that it plays: tokens with a role in place of each name that the author chose. Pure.
#
# Its roles are finer than those of `clustering.py`, which makes keys that must last: here a parameter of a kernel is its position, and a
# tile is what it is loaded from. Like those, they follow from words alone, may be wrong, and prove nothing.

_MOST = 1500  # statements of a file; no kernel of a course has so many
_LONGEST_HEAD = 300  # tokens of a kernel's parameters
_HEADS = frozenset({"for", "while", "if", "switch"})
# As people write them, also where they do not compile.
_BUILT_IN = {one.lower(): one for one in ("threadIdx", "blockIdx", "blockDim", "gridDim")} | {"threadid": "threadIdx"}
_OPEN, _CLOSE = frozenset("(["), frozenset(")]")


@dataclass(frozen=True)
class Statement:
    first: int  # lines, 1-based
    last: int
    words: frozenset[str]  # as they were written
    shape: tuple[str, ...]

    @property
    def is_barrier(self) -> bool:
        return self.shape[0] == "__syncthreads"


def statements_of(source: str) -> list[Statement]:
    """Those of the file, in its order. The head of a loop or a condition is one of its own."""
    shapes = LineShapes(source)
    tokens = list(_joined(shapes.tokens))
    roles = _Roles(tokens, shapes)
    return [
        Statement(part[0].line, part[-1].line, frozenset(one.text for one in part if one.kind == "word"), shape)
        for part in _parts(tokens)
        if (shape := tuple(roles.shown(one) for one in part))
    ][:_MOST]


def _joined(tokens: Sequence[FileToken]) -> Iterator[FileToken]:
    """`threadIdx . x` as one token."""
    at = 0
    while at < len(tokens):
        name = _BUILT_IN.get(tokens[at].text.lower())
        if name and [one.text for one in tokens[at + 1 : at + 2]] == ["."]:
            axis = tokens[at + 2].text if at + 2 < len(tokens) else ""
            yield FileToken("built-in", f"{name}.{axis}", tokens[at].line)
            at += 3
        else:
            yield tokens[at]
            at += 1


def _parts(tokens: Sequence[FileToken]) -> list[list[FileToken]]:
    parts: list[list[FileToken]] = [[]]
    depth = 0
    for token in tokens:
        if parts[-1] and parts[-1][0].text == "#" and token.line != parts[-1][0].line:
            parts.append([])
            depth = 0
        part = parts[-1]
        depth += (token.text in _OPEN) - (token.text in _CLOSE)
        ends = token.text in {"{", "}"} or (token.text == ";" and not (part and part[0].text == "for" and depth > 0))
        ends |= depth <= 0 and token.text == ","  # each name of a declaration is one of its own
        if not ends:
            part.append(token)
        is_head = part and part[0].text in _HEADS and token.text == ")" and depth <= 0
        if ends or is_head or token.text == "else":
            parts.append([])
            depth = 0
    return [one for one in parts if one]


class _Roles:
    def __init__(self, tokens: Sequence[FileToken], shapes: LineShapes) -> None:
        self._shapes = shapes
        self._shape = cache(lambda text: shapes.shape(text) or text)
        self._parameters = dict(_parameters(tokens))
        self._finer: dict[str, str] = {}
        for _ in range(2):  # an index may be made of indices that are made further down
            for part in _parts(tokens):
                self._finer |= dict(self._of_assignment(part))

    def shown(self, token: FileToken) -> str:
        if token.kind == "built-in":
            return _index([token.text])
        role = self._finer.get(token.text) or self._parameters.get(token.text) if token.kind == "word" else ""
        return role or self._shape(token.text)

    def _of_assignment(self, part: Sequence[FileToken]) -> Iterator[tuple[str, str]]:
        """What the name before the first `=` is, by what it is made of."""
        at = next((n for n, one in enumerate(part) if one.text == "="), None)
        if at is None:
            return
        if part[0].text in _HEADS:
            if part[0].text == "for" and not any(one.kind == "built-in" for one in part):
                yield part[at - 1].text, "loop"
            return
        made_of = part[at + 1 :]
        name = part[at - 1].text if at else ""
        if name == "]":
            name = next((part[n - 1].text for n in range(1, at) if part[n].text == "["), "")
            source = next((self._parameters[one.text] for one in made_of if one.text in self._parameters), "")
            if self._shapes.role(name) == "tile":
                yield name, f"tile of {source}"
            return
        places = [one.text for one in made_of if one.kind == "built-in"]
        places += [where for one in made_of for where in self._finer.get(one.text, "").split() if "." in where]
        if places and self._shapes.role(name) in {"index", "local", "name"}:
            yield name, _index(places)


def _index(places: Sequence[str]) -> str:
    return " ".join(["index", *sorted(set(places))])


def _parameters(tokens: Sequence[FileToken]) -> Iterator[tuple[str, str]]:
    """Those of each kernel, by their positions."""
    for start in (n for n, one in enumerate(tokens) if one.text == "__global__"):
        begin = next((n for n in range(start, min(start + 40, len(tokens))) if tokens[n].text == "("), None)
        if begin is None:
            continue
        position = 0
        for n in range(begin + 1, min(begin + _LONGEST_HEAD, len(tokens) - 1)):
            if tokens[n + 1].text in {",", ")"} and tokens[n].kind == "word":
                yield tokens[n].text, f"parameter {position}"
            if tokens[n].text in {")", "{", ";"}:
                break
            position += tokens[n].text == ","


# Which statement of the model solution plays the part of a statement of a submission. Pure.
#
# Statements are compared by their shapes and kept in order. What is left over is then looked for elsewhere in the solution, because some
# write the same things in another order. What resembles nothing there has no counterpart: it is better to say so than to guess.

_ENOUGH = 0.55  # of 1: two statements that have less in common are not the same part
_ELSEWHERE = 0.75  # where the order does not speak for it
Shape = tuple[str, ...]


def counterparts(mine: Sequence[Statement], solution: Sequence[Statement]) -> Mapping[int, int]:
    """By number of a statement of `mine`, the number of the solution's."""
    found = dict(_in_order(mine, solution))
    for at, one in enumerate(mine):
        if at not in found and not one.is_barrier:
            likes = [_likeness(one.shape, other.shape) for other in solution]
            best = max(likes, default=0.0)
            if best >= _ELSEWHERE and likes.count(best) == 1:
                found[at] = likes.index(best)
    return found


def _in_order(mine: Sequence[Statement], solution: Sequence[Statement]) -> list[tuple[int, int]]:
    """The pairs with the largest sum of likenesses among all that cross no other."""
    columns = len(solution)
    gains = [[max(0.0, _likeness(one.shape, other.shape) - _ENOUGH + 0.01) for other in solution] for one in mine]
    best = [[0.0] * (columns + 1) for _ in range(len(mine) + 1)]
    for row in range(len(mine) - 1, -1, -1):
        here, below, gain = best[row], best[row + 1], gains[row]
        for column in range(columns - 1, -1, -1):
            skipped = max(below[column], here[column + 1])
            paired = gain[column] + below[column + 1]
            here[column] = paired if gain[column] > 0 and paired > skipped else skipped
    pairs, row, column = [], 0, 0
    while row < len(mine) and column < columns:
        if best[row][column] == best[row + 1][column]:
            row += 1
        elif best[row][column] == best[row][column + 1]:
            column += 1
        else:
            pairs.append((row, column))
            row, column = row + 1, column + 1
    return pairs


@lru_cache(maxsize=1 << 17)
def _likeness(one: Shape, other: Shape) -> float:
    """Dice's coefficient of their tokens and pairs of neighbours: 1 for equal shapes, 0 for no token in common."""
    if one == other:
        return 1.0
    mine, theirs = _grams(one), _grams(other)
    common = sum(min(count, theirs[gram]) for gram, count in mine.items() if gram in theirs)
    return 2 * common / (sum(mine.values()) + sum(theirs.values()))


@lru_cache(maxsize=1 << 14)
def _grams(shape: Shape) -> Counter[tuple[str, ...]]:
    shape = shape[:200]
    return Counter([*((one,) for one in shape), *zip(("", *shape), (*shape, ""), strict=True)])


NO_LINE = "it is not known which line is wrong"
NO_COUNTERPART = "no line of the solution corresponds to the wrong one"
MISSING_BARRIER = "this barrier is missing"
_LONGEST = 160  # characters of a line

SolutionPlace = tuple[Verdict, str, int]  # what it is, in words, and the solution's line


def solution_map(
    lab_id: str,
    file: str,
    solution: str,
    results: Sequence[Result],
    texts: Mapping[str, str],
    likenesses: Mapping[str, str],
) -> SolutionMap | None:
    """`texts`: each student's file of this lab; `likenesses`: by behaviour, which change of the solution behaves so. None where nobody
    went wrong.
    """
    statements = statements_of(solution)
    placed: dict[SolutionPlace, list[str]] = {}
    unplaced: dict[str, list[str]] = {}
    wrong = 0
    for result in results:
        lab = result.labs.get(lab_id)
        if lab is None or not went_wrong(lab) or result.submission.refused is not None:
            continue
        wrong += 1
        student = result.submission.id
        like = likenesses.get(behaviour(lab.cases), "")
        text = texts.get(student, "")
        places = set(_places(on_one_text(lab, text), _Matched(text, statements), like))
        for place in sorted(places):
            placed.setdefault(place, []).append(student)
        if not places:
            unplaced.setdefault(NO_COUNTERPART if _has_line(lab) else NO_LINE, []).append(student)
    if not wrong:
        return None
    lines = tuple(_lines(solution, placed))
    return SolutionMap(lab_id, file, wrong, lines, tuple((why, tuple(who)) for why, who in unplaced.items()))


class _Matched:
    """A student's file beside the solution."""

    def __init__(self, text: str, solution: Sequence[Statement]) -> None:
        self.mine, self.solution = statements_of(text), solution
        self.pairs = counterparts(self.mine, solution)

    def statement(self, site: Site) -> int | None:
        """The number of the solution's statement. Of several in one line, the one that names what the finding names comes first."""
        line = site.line or 0
        here = [at for at, one in enumerate(self.mine) if one.first <= line <= one.last and at in self.pairs]
        name = (getattr(site, "array", None) or "").split("[")[0]
        at = next((at for at in here if name in self.mine[at].words), here[-1] if here else None)
        return self.pairs[at] if at is not None else None

    def missing_barrier(self, first: int, then: int) -> int | None:
        """The solution's barrier on the way from one statement to the other, around a loop if it stands behind, that `mine` lacks."""
        count = len(self.solution)
        way = range(first + 1, then) if first < then else [*range(first + 1, count), *range(then)]
        has = set(self.pairs.values())
        return next((at for at in way if self.solution[at].is_barrier and at not in has), None)


def _places(lab: LabResult, matched: _Matched, like: str) -> Iterator[SolutionPlace]:
    found = False
    for finding in lab.findings:
        if finding.severity == "error" and (place := _of_finding(finding, matched)):
            found = True
            yield place
    if found or any(one.severity == "error" and one.line for one in lab.findings):
        return
    verdict = lab.verdict if lab.verdict is not Verdict.PASS else Verdict.WRONG_ANSWER
    lines = [(line, "a change here makes it right") for one in lab.suspects[:1] for line in one.lines]
    lines = lines or [(one.line, one.message) for one in lab.causes[:1] if one.line]
    for line, what in lines:
        at = matched.statement(Site(line=line))
        if at is not None:
            found = True
            yield verdict, what, matched.solution[at].first
    if not found and len(alike := lines_of(like)) == 1:
        yield verdict, f"behaves like {like}", next(iter(alike))


def _of_finding(finding: Finding, matched: _Matched) -> SolutionPlace | None:
    at = matched.statement(finding)
    if at is None:
        return None
    if finding.kind is Verdict.RACE and finding.other is not None and finding.array:
        then = matched.statement(finding.other)
        ways = [(at, then), (then, at)] if then is not None and then != at else []  # which access came first is chance
        barrier = next((one for way in ways if (one := matched.missing_barrier(*way)) is not None), None)
        if barrier is not None:
            return finding.kind, MISSING_BARRIER, matched.solution[barrier].first
    return finding.kind, "", matched.solution[at].first


def _has_line(lab: LabResult) -> bool:
    findings = [one for one in lab.findings if one.severity == "error"]
    return any(one.line for one in (*findings, *lab.causes[:1])) or bool(lab.suspects)


def _lines(solution: str, placed: Mapping[SolutionPlace, Sequence[str]]) -> Iterator[SolutionLine]:
    try:
        shown = [(one.number, one.text) for one in cut(solution, "") if one.region is not Region.PROMPT]
    except MarkerError:
        shown = list(enumerate(solution.splitlines(), start=1))
    blank = True
    for number, text in shown:
        here = [
            PlacedMistake(verdict, what, tuple(who)) for (verdict, what, line), who in placed.items() if line == number
        ]
        if blank and not text.strip():
            continue
        blank = not text.strip()
        here.sort(key=lambda one: -len(one.students))
        yield SolutionLine(number, visible_text.code(text, _LONGEST), tuple(here))
