"""Small changes of a kernel's text, by its tokens and without any lab: mistakes that are made in a model solution, to find out whether the
tests notice them, and changes of a wrong kernel, of which one may make it right. Pure.

Each is one change in one place. Some do not compile, and some compute the same as the original.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from grader.explain.kernel_tokens import Edit, KernelNames, TooMuchWorkError
from grader.source.lexer import with_changes, without_comments

# The small changes that have to do with loops: what moves on with them, their steps, and what they reset. Pure. See small_edits.py.

Edits = Iterator[Sequence[Edit]]
Operator = Callable[[KernelNames], Edits]


def follow_the_loop(names: KernelNames) -> Edits:
    """A subscript moves on with the loop around it: by its variable, or by a tile for each of its passes; and for each thread."""
    for first, last in names.subscripts():
        if names.text(first - 1) not in names.inputs:
            continue
        for variable in names.loop_variables(first):
            here = [at for at in range(first, last) if names.text(at) == variable]
            steps = [variable, *(f"{variable} * {side}" for side in names.tile_sides)]
            for at in here:
                yield from ([names.replaced(at, at, step)] for step in steps[1:] if names.text(at + 1) != "*")
            for at in range(first, last) if not here else ():
                if names.text(at) in names.thread_indices:
                    yield from ([names.replaced(at, at, f"({names.text(at)} + {step})")] for step in steps)
            yield from _follow_the_thread(names, first, last, here)


def _follow_the_thread(names: KernelNames, first: int, last: int, here: Sequence[int]) -> Edits:
    """`(start + tx)` for `start`, where no such index is beside it."""
    for at in here:
        beside = {names.text(one) for one in range(max(at - 4, first), min(at + 5, last))}
        for index in names.thread_indices:
            if index not in beside:
                yield [names.replaced(at, at, f"({names.text(at)} + {index})")]


def step_by_one(names: KernelNames) -> Edits:
    """The step of a loop without a factor."""
    for index in filter(names.in_head, names.having("*")):
        if names.tokens[index - 1].kind == "number":
            yield [names.replaced(index - 1, index, "")]
        if names.tokens[index + 1].kind == "number":
            yield [Edit(names.end(index - 1), names.end(index + 1), "")]


def follow_in_declarations(names: KernelNames) -> Edits:
    """The same for a variable in the loop that is declared to be one of the two."""
    steps = [(variable, first, last) for variable, first, last in names.loops if variable]
    for name, at in names.declared.items():
        for variable, first, last in steps:
            if not first <= at <= last or len(names.value(name)) != 1 or name == variable:
                continue
            value = names.text(at + 2)
            if value in names.thread_indices:
                yield [names.replaced(at + 2, at + 2, f"{variable} + {value}")]
            if value == variable:
                yield from ([names.replaced(at + 2, at + 2, f"{value} + {one}")] for one in names.thread_indices)


def drop_reset(names: KernelNames) -> Edits:
    """Without an assignment of a literal in a loop."""
    for index in names.assignments():
        first, of_literal = names.statement(index), names.tokens[index + 1].kind == "number"
        whole = of_literal and names.text(first) not in {"if", "else"} and names.text(index + 2) == ";"
        if whole and names.in_loop(index):
            yield [names.replaced(first, index + 1, "")]


_OTHER_AXIS = {"x": "y", "y": "x"}
_NO_FLOAT = frozenset({"int", "unsigned", "long", "short", "char", "half", "__half", "double", "size_t", "bool"})
_BUILT_IN = frozenset({"threadIdx", "blockIdx", "blockDim", "gridDim"})
_ARITHMETIC = {"+": "*", "*": "+", "-": "+"}
_OF_EACH_KIND = 14  # more of one kind are left out: a file of a thousand lines is no reason to try a thousand changes


@dataclass(frozen=True)
class SmallEdit:
    operator: str  # "drop-barrier"
    lines: tuple[int, ...]  # those that it changes, 1-based
    before: str  # these lines, without comments
    after: str
    text: str  # the whole source with the change

    @property
    def line(self) -> int:
        return self.lines[0]


def mutants_of(source: str) -> list[SmallEdit]:
    """Every mistake that can be made in `source`, each once, ordered by operator and place."""
    return _different(source, itertools.chain(*_made(_MISTAKES, source)))


def small_edits(source: str, most: int) -> list[SmallEdit]:
    """At most `most` changes, in turn from each operator, so that no kind crowds out the others."""
    kinds = (itertools.islice(one, _OF_EACH_KIND) for one in _made(_REPAIRS, source))
    return _different(source, itertools.chain.from_iterable(itertools.zip_longest(*kinds)))[:most]


def _different(source: str, edits: Iterator[SmallEdit | None]) -> list[SmallEdit]:
    """As far as a file that nobody writes by hand lets them be made."""
    made: dict[str, SmallEdit] = {}
    with suppress(TooMuchWorkError):
        for one in edits:
            if one is not None and one.text != source:
                made.setdefault(one.text, one)
    return list(made.values())


def _made(operators: Mapping[str, Operator], source: str) -> list[Iterator[SmallEdit]]:
    names = KernelNames(source)

    def of(name: str, operator: Operator) -> Iterator[SmallEdit]:
        for edits in operator(names):
            lines = sorted({source.count("\n", 0, edit.start) + 1 for edit in edits})
            yield SmallEdit(name, tuple(lines), *_changed_lines(source, edits), with_changes(source, edits))

    return [of(name, operator) for name, operator in operators.items()]


def _changed_lines(source: str, edits: Sequence[Edit]) -> tuple[str, str]:
    """The lines that the edits touch, before and after them, without comments."""
    begin, end = min(edit.start for edit in edits), max(edit.end for edit in edits)
    first, last = source.rfind("\n", 0, begin) + 1, source.find("\n", end)
    lines = source[first : last if last >= 0 else len(source)]
    changed = with_changes(lines, ((start - first, stop - first, text) for start, stop, text in edits))
    before, after = (without_comments(one, in_place=False).strip() for one in (lines, changed))
    return before, after


def _add_up(names: KernelNames) -> Edits:
    """`x += …` for `x = …`, `x -= …` and `x *= …` in a loop."""
    for index in names.assignments():
        if names.in_loop(index):
            yield [names.replaced(index, index, "+=")]
    for index in names.having("-", "*"):
        if names.text(index + 1) == "=" and names.in_loop(index):
            yield [names.replaced(index, index + 1, "+=")]


def _keep_fractions(names: KernelNames) -> Edits:
    """`float x` for `int x`, where x is added to or holds a literal; `(float)` for `(int)`."""
    for index in itertools.filterfalse(names.in_head, names.having(*_NO_FLOAT)):
        after = names.text(index + 1)
        cast = names.text(index - 1) in {"(", "<"} and after in {")", ">"}
        if cast or (names.tokens[index + 1].kind == "word" and names.is_accumulator(after)):
            yield [names.replaced(index, index, "float")]


def _swap_subscripts(names: KernelNames) -> Edits:
    """`x[b][a]` for `x[a][b]`, and then with the other of the thread's two indices."""
    pairs = {one: other for pair in names.partners() for one, other in (pair, pair[::-1])}
    both: list[list[Edit]] = []
    for first, middle in filter(lambda pair: names.text(pair[1] + 1) == "[", names.subscripts()):
        last = names.closing(middle + 1)
        one, other = names.between(first, middle), names.between(middle + 1, last)
        yield [names.replaced(first, last, other + one)]
        texts = [pairs.get(names.text(at), "") for at in (first + 1, middle + 2)]
        if middle == first + 2 and last == middle + 3 and any(texts):
            parts = [new or names.text(at) for new, at in zip(texts, (first + 1, middle + 2), strict=True)]
            both.append([names.replaced(first, last, f"[{parts[1]}][{parts[0]}]")])
            both.append([names.replaced(first, last, f"[{parts[0]}][{parts[1]}]")])
    yield from both


def _exchange_axis(names: KernelNames, of: frozenset[str] = _BUILT_IN) -> Edits:
    for index in names.having(*of):
        if names.text(index + 1) == "." and names.text(index + 2) in _OTHER_AXIS:
            yield [names.replaced(index + 2, index + 2, _OTHER_AXIS[names.text(index + 2)])]


def _exchange_names(names: KernelNames) -> Edits:
    """The names of two variables in their declarations: `row` gets what `col` got, and the other way round."""
    for one, other in names.partners():
        at, there = names.declared[one], names.declared[other]
        yield [names.replaced(at, at, other), names.replaced(there, there, one)]


def _exchange_in_subscript(names: KernelNames) -> Edits:
    """`row` and `col` in one subscript, and a row's length with them."""
    pairs = {one: other for pair in names.partners() for one, other in (pair, pair[::-1])}
    both, single, resized = [], [], []
    for first, last in names.subscripts():
        uses = [at for at in range(first, last) if names.text(at) in pairs]
        lengths = [at for at in range(first, last) if names.text(at - 1) == "*" and names.text(at) in names.sizes]
        swapped = [names.replaced(at, at, pairs[names.text(at)]) for at in uses]
        single += [[edit] for edit in swapped]
        if len(uses) > 1:
            both.append(swapped)
            others = itertools.product(lengths, names.sizes)
            resized += [[*swapped, names.replaced(at, at, size)] for at, size in others]
    for some in itertools.zip_longest(both, resized, single):
        yield from (edits for edits in some if edits)


def _exchange_terms(names: KernelNames) -> Edits:
    """`[b * N + a]` for `[a * N + b]`, and then with another row's length."""
    resized: list[list[Edit]] = []
    for first, last in names.subscripts():
        inside = [names.text(at) for at in range(first + 1, last)]
        if len(inside) != len("a*N+b") or {inside[1], inside[3]} != {"*", "+"}:
            continue
        one, size, other = inside[::2] if inside[1] == "*" else (inside[2], inside[4], inside[0])
        yield [names.replaced(first + 1, last - 1, f"{other} * {size} + {one}")]
        others = [length for length in names.sizes if length != size]
        resized += [[names.replaced(first + 1, last - 1, f"{other} * {length} + {one}")] for length in others]
    yield from resized


def _another_size(names: KernelNames) -> Edits:
    """Another of the kernel's sizes, first as a row's length and then elsewhere."""
    used = sorted(filter(names.is_use, names.having(*names.sizes)), key=lambda at: names.text(at - 1) != "*")
    for turn in (1, 2):
        for at in used:
            size = names.sizes[(names.sizes.index(names.text(at)) + turn) % len(names.sizes)]
            yield [names.replaced(at, at, size)]


def _another_operand(names: KernelNames) -> Edits:
    """Another of the kernel's inputs."""
    for first, _ in names.subscripts():
        if (name := names.text(first - 1)) in names.inputs:
            yield from ([names.replaced(first - 1, first - 1, other)] for other in names.inputs if other != name)


def _move_bound(names: KernelNames) -> Edits:
    """`<` for `<=` and the other way round, `>` for `>=` likewise."""
    for index in names.comparisons():
        closed = names.text(index + 1) == "="
        yield [names.replaced(index, index + closed, "<" if closed else "<=")]
    for index in names.places(">"):
        if names.text(index + 1) == "=":
            yield [names.replaced(index, index + 1, ">")]
        elif names.in_head(index, "if"):
            yield [names.replaced(index, index, ">=")]


def _drop_one(names: KernelNames) -> Edits:
    """`K` for `K - 1` and for `K + 1`; 0 for 1 and 1 for 0 where a variable begins."""
    for index in names.having("+", "-", "="):
        sums, number = names.text(index) != "=", names.text(index + 1)
        rounds = names.text(index + 2) == ")" and names.text(index + 3) == "/"
        if sums and number == "1" and not rounds:
            yield [Edit(names.end(index - 1), names.end(index + 1), "")]
        if sums and re.fullmatch(r"[2-9]", number):
            yield [names.replaced(index + 1, index + 1, str(int(number) - 1))]
        if not sums and re.fullmatch(r"[01](\.0*)?f?", number):
            yield [names.replaced(index + 1, index + 1, ("1" if number[0] == "0" else "0") + number[1:])]


def _round_up(names: KernelNames) -> Edits:
    """`(a + b - 1) / b` for `a / b`: each in a statement, and then all of it."""
    in_statement: dict[int, list[Edit]] = {}
    for at in names.having("/"):
        one, other = names.text(at - 1), names.text(at + 1)
        if re.fullmatch(r"\w+", one) and re.fullmatch(r"\w+", other):
            edit = names.replaced(at - 1, at + 1, f"(({one} + {other} - 1) / {other})")
            in_statement.setdefault(names.statement(at), []).append(edit)
    for edits in in_statement.values():
        yield edits
        if len(edits) > 1:
            yield from ([edit] for edit in edits)


def _another_factor(names: KernelNames) -> Edits:
    """The loop's own variable or a thread's index for another variable in a subscript."""
    for first, last in names.subscripts():
        for at in range(first + 1, last):
            if names.text(at) in names.thread_indices or names.text(at) in names.loop_variables(first):
                others = [*names.loop_variables(first), *names.thread_indices]
                yield from ([names.replaced(at, at, other)] for other in others if other != names.text(at))


def _another_sign(names: KernelNames) -> Edits:
    """`a[i] * b[i]` for `a[i] + b[i]`."""
    for index in names.having(*_ARITHMETIC):
        if names.text(index - 1) == "]" and names.text(index + 1) != "=":
            yield [names.replaced(index, index, _ARITHMETIC[names.text(index)])]


def _another_side(names: KernelNames) -> Edits:
    """Another of the file's numbers above 1, where blocks and tiles are declared."""
    numbers = [at for at, token in enumerate(names.tokens) if re.fullmatch(r"[2-9]|\d\d+", token.text)]
    for at, text in itertools.product(numbers, dict.fromkeys(names.text(one) for one in numbers)):
        yield [names.replaced(at, at, text)]


def _exchange_extents(names: KernelNames) -> Edits:
    """`dim3(b, a)` for `dim3(a, b)`, with the sizes in it."""
    for opened, comma, closed in names.extents():
        one, other = names.between(opened + 1, comma - 1), names.between(comma + 1, closed - 1)
        yield [names.replaced(opened + 1, closed - 1, f"{other}, {one}")]


def _exchange_launch(names: KernelNames) -> Edits:
    """The grid and the block that the launch function returns."""
    for index in names.having("LaunchConfig"):
        if names.text(index + 1) in {"{", "("} and names.text(index + 3) == ",":
            one, other = names.text(index + 2), names.text(index + 4)
            if names.text(index + 5) in {"}", ")", ","}:
                yield [names.replaced(index + 2, index + 4, f"{other}, {one}")]


def _other_logic(names: KernelNames) -> Edits:
    yield from ([names.replaced(index, index, "||")] for index in names.having("&&"))
    yield from ([names.replaced(index, index + 1, "&&")] for index in names.places("|", "|"))


# Mistakes that courses know. Which of them a lab's tests do not notice is listed by its author.


def _drop_barrier(names: KernelNames) -> Edits:
    for index in names.having("__syncthreads", "__syncwarp"):
        if names.text(index + 1) == "(":
            yield [names.replaced(index, names.closing(index + 1), "")]


def _shorten_loop(names: KernelNames) -> Edits:
    """The bound in the head of a `for`, minus one."""
    for index in names.places("for"):
        closing = names.closing(index + 1)
        for at in names.comparisons():
            if index < at < closing:
                last = names.operand_end(at, frozenset({";"}))
                yield [Edit(names.end(last), names.end(last), " - 1")]


def _drop_condition(names: KernelNames) -> Edits:
    """One side of `&&` or `||` only."""
    stops = frozenset({"&&", "|", "?", ":", ";", ",", "=", "return"})
    for index in names.having("&&", "|"):
        width = 1 if names.text(index) == "&&" else 2
        if names.text(index + width - 1) != names.text(index):
            continue
        first, last = names.operand_end(index, stops, -1), names.operand_end(index + width - 1, stops)
        yield [names.replaced(first, last, names.between(first, index - 1))]
        yield [names.replaced(first, last, names.between(index + width, last))]


def _drop_guard(names: KernelNames) -> Edits:
    """`if (true)` for a condition. A condition of two parts is left out: `_drop_condition` drops each part."""
    for index in names.places("if"):
        closing = names.closing(index + 1)
        inside = {names.text(at) for at in range(index + 2, closing)}
        if not {"&&", "|"} & inside:
            yield [names.replaced(index + 2, closing - 1, "true")]
        if names.text(closing + 1) == "return":
            yield [names.replaced(index + 2, closing - 1, "false")]


def _drop_zero_fill(names: KernelNames) -> Edits:
    """`if (inside) x = load;` for `x = inside ? load : 0;`."""
    stops = frozenset({";", "{", "}"})
    for index in names.places("?"):
        first, last = names.operand_end(index, stops, -1), names.operand_end(index, stops)
        if names.text(last - 1) != ":" or not re.fullmatch(r"0(\.0*)?f?", names.text(last)):
            continue
        assigned = next((at for at in range(first, index) if names.text(at) == "="), None)
        if assigned is None:
            continue
        target, condition = names.between(first, assigned - 1), names.between(assigned + 1, index - 1)
        yield [names.replaced(first, last, f"if ({condition}) {target} = {names.between(index + 1, last - 2)}")]


def _assign(names: KernelNames) -> Edits:
    """`=` for `+=`, except in the heads of loops, where the loop would never end."""
    heads = [(index, names.closing(index + 1)) for index in names.places("for")]
    for index in names.places("+", "="):
        if not any(first < index < last for first, last in heads):
            yield [names.replaced(index, index + 1, "=")]


def _another_row_length(names: KernelNames) -> Edits:
    """`* N` for `* K` in an index, where N and K are among the kernel's sizes."""
    sizes = names.sizes
    for index in names.places("["):
        for at in range(index, names.closing(index)):
            if names.text(at) == "*" and names.text(at + 1) in sizes:
                other = sizes[(sizes.index(names.text(at + 1)) + 1) % len(sizes)]
                yield [names.replaced(at + 1, at + 1, other)]


def _round_down(names: KernelNames) -> Edits:
    """`N / tile` for `(N + tile - 1) / tile`."""
    for index in names.places(")"):
        if names.text(index + 1) != "/" or names.text(index - 1) != "1" or names.text(index - 2) != "-":
            continue
        plus = next((at for at in range(index - 3, 0, -1) if names.text(at) in {"+", "("}), 0)
        if names.text(plus) == "+":
            yield [Edit(names.end(plus - 1), names.end(index - 1), "")]


def _include_bound(names: KernelNames) -> Edits:
    return (edits for edits in _move_bound(names) if edits[0].text != ">=")


def _swap_indices(names: KernelNames) -> Edits:
    """`x[b][a]` for `x[a][b]`, also behind other subscripts, where an array is used and not declared."""
    for first in names.places("["):
        middle = names.closing(first)
        declared = names.tokens[first - 2].kind == "word" and names.text(first - 2) != "return"
        if names.text(middle + 1) == "[" and not declared:
            last = names.closing(middle + 1)
            yield [names.replaced(first, last, names.between(middle + 1, last) + names.between(first, middle))]


_MISTAKES: dict[str, Operator] = {
    "drop-barrier": _drop_barrier,
    "include-bound": _include_bound,
    "shorten-loop": _shorten_loop,
    "swap-indices": _swap_indices,
    "drop-condition": _drop_condition,
    "drop-guard": _drop_guard,
    "drop-zero-fill": _drop_zero_fill,
    "assign": _assign,
    "another-row-length": _another_row_length,
    "round-down": _round_down,
    "exchange-axes": partial(_exchange_axis, of=frozenset({"threadIdx", "blockIdx"})),
}
_REPAIRS: dict[str, Operator] = {
    one.__name__.strip("_"): one
    for one in (
        _add_up,
        _keep_fractions,
        _swap_subscripts,
        _another_size,
        _exchange_names,
        _exchange_in_subscript,
        _exchange_terms,
        follow_the_loop,
        _exchange_axis,
        _move_bound,
        _drop_one,
        _another_operand,
        _another_sign,
        follow_in_declarations,
        step_by_one,
        _another_factor,
        drop_reset,
        _exchange_launch,
        _round_up,
        _exchange_extents,
        _other_logic,
        _another_side,
    )
}
