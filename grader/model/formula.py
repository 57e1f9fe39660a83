"""Formulas in a lab's files: what a result is, and how large a grid is. `C[i, j] = alpha * sum(k < K, A[i, k] * B[k, j])`.

Python's parser reads them, and every kind of node that is not listed here is refused. For given sizes a formula becomes Python that
computes all elements, or C++ that computes one number.
"""

from __future__ import annotations

import ast
import math
import operator
from array import array
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

_MOST_SIGNS = 2_000
CPP_NAME = "tilelab_"  # before names in C++: a student may have a macro N
_MOST_STEPS = 60_000_000  # of one result: a few seconds
_SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sqrt": math.sqrt, "exp": math.exp, "log": math.log, "tanh": math.tanh, "sin": math.sin, "cos": math.cos, "floor": math.floor,
    "ceil": math.ceil, "round": round, "abs": abs, "min": min, "max": max,
}  # fmt: skip
_OVER_INDICES = ("sum", "min", "max")  # sum(k < K, …)
_KEEPS_ERRORS = frozenset({"abs", "min", "max", "floor", "ceil", "round"})
_HELP = 'write it as "C[i, j] = sum(k < K, A[i, k] * B[k, j])"'


class FormulaError(ValueError):
    """A formula cannot be read, or has no value for some sizes. The text says why."""


class UnboundedError(FormulaError):
    """How much a kernel may round is not known of this formula."""


def read_formula(text: str) -> ast.expr:
    """Raises FormulaError."""
    return _parsed(text, "eval").body  # type: ignore[no-any-return]  # mode eval gives an Expression


@dataclass(frozen=True)
class Equation:
    """`C[i, j] = …`: the result's name, its indices, and what stands there."""

    name: str
    indices: tuple[str, ...]
    value: ast.expr


def read_equation(text: str) -> Equation:
    """Raises FormulaError."""
    statements = _parsed(text, "exec").body
    one = statements[0] if len(statements) == 1 else None
    if not isinstance(one, ast.Assign) or len(one.targets) != 1 or not isinstance(one.targets[0], ast.Subscript):
        raise FormulaError(f"{text!r} is no formula of a result: {_HELP}")
    target = one.targets[0]
    places = _places(target)
    if not isinstance(target.value, ast.Name) or not all(isinstance(at, ast.Name) for at in places):
        raise FormulaError(f"{text!r}: before the = stand a result and names for its indices: {_HELP}")
    names = tuple(at.id for at in places if isinstance(at, ast.Name))
    return Equation(target.value.id, names, one.value)


def _parsed(text: str, mode: str) -> Any:  # noqa: ANN401 -- by the mode
    if len(text) > _MOST_SIGNS:
        raise FormulaError(f"a formula has at most {_MOST_SIGNS} characters")
    try:
        return ast.parse(text.strip(), mode=mode)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise FormulaError(f"{text!r} cannot be read: {getattr(error, 'msg', error)}") from error


def _places(one: ast.Subscript) -> list[ast.expr]:
    return one.slice.elts if isinstance(one.slice, ast.Tuple) else [one.slice]


def names_in(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} - set(_FUNCTIONS) - {"sum", "where"}


def number_of(text: str, sizes: Mapping[str, int]) -> int:
    """Of an expression over sizes: a side of a buffer. Raises FormulaError."""
    scope = Scope(sizes)
    value = _evaluated(scope.python(read_formula(text)), scope)
    if not isinstance(value, int) and value != int(value):
        raise FormulaError(f"{text!r} is {value} for {_told(sizes)}, and no whole number")
    return int(value)


def _told(sizes: Mapping[str, float]) -> str:
    return " ".join(f"{name}={value}" for name, value in sizes.items())


@dataclass(frozen=True)
class Buffer:
    """What a formula may read: its sides, and its numbers row by row."""

    sides: tuple[int, ...]
    numbers: Sequence[float]

    def sizes_of_numbers(self) -> Sequence[float]:
        """Without their signs, as compact as they are."""
        without = map(abs, self.numbers)
        return array("f", without) if isinstance(self.numbers, array) else list(without)


@dataclass
class Scope:
    """What the names of a formula mean. `indices`: how far each goes; None: that depends on another one."""

    sizes: Mapping[str, float]
    buffers: Mapping[str, Buffer] = field(default_factory=dict)
    indices: dict[str, int | None] = field(default_factory=dict)

    def python(self, node: ast.expr, *, magnitude: bool = False) -> str:
        """Of the value; with `magnitude`, of the sum of all absolute values, which a rounding is a part of."""
        match node:
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _SIGNS:
                text = self._sum_or_product(left, _SIGNS[type(op)], right, magnitude=magnitude)
            case ast.Subscript(value=ast.Name(id=name)) if name in self.buffers:
                element = f"b_{name}[{self._place(name, _places(node))}]"
                text = f"abs({element})" if magnitude else element
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]):
                text = self._call(name, args, magnitude=magnitude)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                text = self.python(inner, magnitude=True) if magnitude else f"(-{self.python(inner)})"
            case ast.Name(id=name) if name in self.indices:
                text = f"v_{name}"
            case ast.Name(id=name) if name in self.sizes:
                text = f"({abs(self.sizes[name]) if magnitude else self.sizes[name]!r})"
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool) and math.isfinite(value):
                text = repr(abs(value) if magnitude else value)
            case _:
                text = self._condition(node)
        return text

    def _condition(self, node: ast.expr) -> str:
        match node:
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return f"(not {self.python(inner)})"
            case ast.BoolOp(op=op, values=values):
                return f"({(' and ' if isinstance(op, ast.And) else ' or ').join(map(self.python, values))})"
            case ast.Compare(left=left, ops=ops, comparators=others) if all(type(one) in _SIGNS for one in ops):
                pairs = zip(ops, others, strict=True)
                return f"({self.python(left)}{''.join(f' {_SIGNS[type(sign)]} {self.python(one)}' for sign, one in pairs)})"
        raise FormulaError(f"`{ast.unparse(node)[:80]}` has no meaning in a formula; known are {self._known()}")

    def _known(self) -> str:
        return ", ".join([*self.sizes, *self.buffers, *self.indices, "sum", "where", *_FUNCTIONS])

    def _sum_or_product(self, left: ast.expr, sign: str, right: ast.expr, *, magnitude: bool) -> str:
        if not magnitude:
            return f"({self.python(left)} {sign} {self.python(right)})"
        if sign in {"/", "//", "%"} and (sign != "/" or names_in(right) & set(self.buffers)):
            raise UnboundedError(f"how far `{ast.unparse(left)[:40]} {sign} …` may be rounded is not known")
        return (
            f"({self.python(left, magnitude=True)} {'+' if sign == '-' else sign} {self.python(right, magnitude=True)})"
        )

    def _call(self, name: str, args: list[ast.expr], *, magnitude: bool) -> str:
        deep = {"magnitude": magnitude}
        if name in _OVER_INDICES and len(args) == 2 and isinstance(args[0], ast.Compare):  # noqa: PLR2004 -- range, body
            loop, inner = self._loop(args[0])
            if inner is not None:
                if name == "sum" and (lines := self._lines(args[1], loop, magnitude=magnitude)):
                    return f"sum({lines})"
                joined = inner.python(args[1], **deep)
                return f"{name}({joined} {loop})" if name == "sum" else f"{name}(({joined} {loop}), default=0)"
        if name == "where" and len(args) == 3:  # noqa: PLR2004 -- condition, then, else
            yes, no = (self.python(one, **deep) for one in args[1:])
            return f"({yes} if {self.python(args[0])} else {no})"
        if name not in _FUNCTIONS or not args:
            raise FormulaError(f"there is no function {name}() with {len(args)} arguments in formulas")
        if magnitude and name not in _KEEPS_ERRORS and any(names_in(one) & set(self.buffers) for one in args):
            raise UnboundedError(f"how far {name}() may be rounded is not known")
        if magnitude:
            return f"max({', '.join(self.python(one, **deep) for one in args)}, 0)"
        return f"{name}({', '.join(map(self.python, args))})"

    def _lines(self, body: ast.expr, loop: str, *, magnitude: bool) -> str:
        """Of a sum over one element, or a product of two, that lie in equal steps: several times as fast as one after another."""
        index, _, span = loop.removeprefix("for v_").partition(" in ")
        parts = [body.left, body.right] if isinstance(body, ast.BinOp) and isinstance(body.op, ast.Mult) else [body]
        found = []
        for part in parts:
            name = part.value.id if isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name) else ""
            places = _places(part) if isinstance(part, ast.Subscript) and name in self.buffers else []
            at = [number for number, place in enumerate(places) if isinstance(place, ast.Name) and place.id == index]
            if len(at) != 1 or any(index in names_in(place) for place in places if place is not places[at[0]]):
                return ""
            sides = self.buffers[name].sides
            first = self._place(name, [ast.Constant(0) if place is places[at[0]] else place for place in places])
            step, numbers = math.prod(sides[at[0] + 1 :]), f"{'a' if magnitude else 'b'}_{name}"
            found.append(f"line({name!r}, {numbers}, {first}, {step}, {span}, {sides[at[0]]})")
        return f"map(mul, {', '.join(found)})" if len(found) > 1 else found[0]

    def _loop(self, over: ast.Compare) -> tuple[str, Scope | None]:
        """`k < K`, `k <= i`, `2 <= k < K`; None: the comparison is one of two values."""
        parts, ops = [over.left, *over.comparators], over.ops
        index = parts[-2]
        known = {**self.sizes, **self.buffers, **self.indices}
        if len(parts) > 3 or not isinstance(index, ast.Name) or index.id in known:  # noqa: PLR2004 -- from, index, to
            return "", None
        if not all(isinstance(op, (ast.Lt, ast.LtE)) for op in ops):
            raise FormulaError(f"`{ast.unparse(over)}`: an index runs as in `k < K` or `2 <= k < K`")
        first = self.python(parts[0]) if len(parts) == 3 else "0"  # noqa: PLR2004
        first += " + 1" if len(parts) == 3 and isinstance(ops[0], ast.Lt) else ""  # noqa: PLR2004
        end = self.python(parts[-1]) + (" + 1" if isinstance(ops[-1], ast.LtE) else "")
        fixed = not names_in(parts[-1]) & set(self.indices)
        most = int(_evaluated(end, self)) if fixed and not names_in(parts[-1]) & set(self.buffers) else None
        positive = len(parts) == 2 or (isinstance(parts[0], ast.Constant))  # noqa: PLR2004
        inner = Scope(self.sizes, self.buffers, {**self.indices, index.id: most if positive else None})
        return f"for v_{index.id} in range(int({first}), int({end}))", inner

    def _place(self, name: str, at: list[ast.expr]) -> str:
        sides = self.buffers[name].sides
        if len(at) != len(sides):
            raise FormulaError(
                f"{name} has {len(sides)} indices, and `{name}[{', '.join(map(ast.unparse, at))}]` {len(at)}"
            )
        text = ""
        for side, index in zip(sides, at, strict=True):
            most = self.indices.get(index.id) if isinstance(index, ast.Name) else None
            inside = (
                self.python(index)
                if most is not None and most <= side
                else f"at({name!r}, {self.python(index)}, {side})"
            )
            text = f"({text}) * {side} + {inside}" if text else inside
        return text

    def steps(self, node: ast.expr) -> int:
        """How many operations an element takes at most, with every index at its end."""
        if isinstance(node, ast.Call) and len(node.args) == 2 and isinstance(node.args[0], ast.Compare):  # noqa: PLR2004
            _, inner = self._loop(node.args[0])
            if inner is not None:
                last = {name: max((most or 1) - 1, 0) for name, most in self.indices.items()}
                ends = Scope({**self.sizes, **last}, self.buffers)
                count = _evaluated(f"len({ends._loop(node.args[0])[0].partition(' in ')[2]})", ends)
                return int(count) * (inner.steps(node.args[1]) + 1)
        own = isinstance(node, (ast.BinOp, ast.Call))
        return own + sum(self.steps(one) for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr))


def _at(name: str, index: float, side: int) -> int:
    if not 0 <= index < side or index != int(index):
        raise FormulaError(f"the formula reads {name} at {index}, and there are {side}")
    return int(index)


def _line(name: str, numbers: Sequence[float], first: int, step: int, span: range, side: int) -> Sequence[float]:
    """Elements `span` of a row, a column or the like that begins at `first`."""
    for end in (span[0], span[-1]) if span else ():
        _at(name, end, side)
    return numbers[first + span.start * step : first + span.stop * step : step] if span else ()


def _evaluated(text: str, scope: Scope, places: Sequence[tuple[int, ...]] = ()) -> Any:  # noqa: ANN401 -- a number, or a list of them
    known = {**_FUNCTIONS, "at": _at, "range": range, "int": int, "len": len, "sum": sum, "__builtins__": {}}
    known |= {"map": map, "mul": operator.mul, "line": _line, "places": places}
    known |= {f"b_{name}": one.numbers for name, one in scope.buffers.items()}
    known |= {f"a_{name}": one.sizes_of_numbers() for name, one in scope.buffers.items() if f"a_{name}" in text}
    try:
        return eval(compile(text, "<formula>", "eval"), known)  # noqa: S307 -- made above, of listed nodes alone
    except FormulaError:
        raise
    except (ArithmeticError, ValueError, TypeError, NameError, IndexError, RecursionError, MemoryError) as error:
        raise FormulaError(f"a formula has no value: {error}") from error


@dataclass(frozen=True)
class Computed:
    """All elements, row by row. `magnitudes` and `roundings`: an element may differ by so many roundings of its magnitude."""

    values: list[float]
    magnitudes: list[float] | None  # None: not known
    roundings: int


def computed(
    equation: Equation, sides: Sequence[int], scope: Scope, at: Sequence[tuple[int, ...]] | None = None
) -> Computed:
    """`at`: these elements alone, each by its indices. Raises FormulaError."""
    if len(equation.indices) != len(sides):
        raise FormulaError(f"{equation.name} has {len(sides)} indices, and its formula names {len(equation.indices)}")
    if repeated := set(equation.indices) & {*scope.sizes, *scope.buffers}:
        raise FormulaError(f"{min(repeated)} is a size or a buffer, and no index")
    inner = Scope(scope.sizes, scope.buffers, dict(zip(equation.indices, sides, strict=True)))
    steps = inner.steps(equation.value)
    total = steps * (math.prod(sides) if at is None else len(at))
    if total > _MOST_STEPS:
        raise FormulaError(
            f"{equation.name} takes {total:,} steps for {_told(scope.sizes)}; at most {_MOST_STEPS:,} are made"
        )
    loops = "".join(f" for v_{name} in range({side})" for name, side in zip(equation.indices, sides, strict=True))

    if at is not None:
        loops = f" for {', '.join(f'v_{name}' for name in equation.indices)}, in places"

    def all_of(element: str) -> list[float]:
        return list(_evaluated(f"[{element}{loops}]", inner, at or ()))

    magnitudes: list[float] | None = None
    with suppress(UnboundedError):
        magnitudes = all_of(inner.python(equation.value, magnitude=True))
    return Computed(all_of(inner.python(equation.value)), magnitudes, steps)


def as_cpp(text: str) -> str:
    """An expression over sizes in C++, of whole numbers: `ceil(N / 16)` is rounded up, N / 16 down. Raises FormulaError."""
    return _cpp(read_formula(text))


def _cpp(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            return f"{value}LL"
        case ast.Name(id=name):
            return f"{CPP_NAME}{name}"
        case ast.Call(func=ast.Name(id="ceil"), args=[ast.BinOp(left=left, op=ast.Div(), right=right)], keywords=[]):
            return f"(({_cpp(left)} + {_cpp(right)} - 1) / {_cpp(right)})"
        case ast.Call(func=ast.Name(id="min" | "max" as name), args=[left, right], keywords=[]):
            a, b = _cpp(left), _cpp(right)
            return f"({a} {'<' if name == 'min' else '>'} {b} ? {a} : {b})"
        case ast.BinOp(
            left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() | ast.FloorDiv() | ast.Mod() as op, right=right
        ):
            return f"({_cpp(left)} {_SIGNS[type(op)][0]} {_cpp(right)})"
    raise FormulaError(f"`{ast.unparse(node)[:80]}` is no arithmetic over sizes: write `ceil(N / 16)`, `2 * T * T * 4`")
