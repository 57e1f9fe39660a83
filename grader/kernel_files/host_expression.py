"""The value of an expression in host code, as far as constants of the file give it: `(N + 255) / 256`, `n * sizeof(float)`.

Integers divide as in C. What is not known or not understood has no value; nothing is guessed.
"""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping

Number = int | float
_MOST_CHARACTERS = 400
_MAX_DEPTH = 24
_LARGEST = 1 << 62
_SIZES = {
    "char": 1, "bool": 1, "uchar": 1, "short": 2, "half": 2, "__half": 2, "int": 4, "unsigned": 4, "uint": 4, "float": 4, "long": 8,
    "double": 8, "size_t": 8, "float2": 8, "int2": 8, "float3": 12, "int3": 12, "float4": 16, "int4": 16, "double2": 16, "uchar4": 4,
    "uchar3": 3, "uint8_t": 1, "int8_t": 1, "uint16_t": 2, "int16_t": 2, "uint32_t": 4, "int32_t": 4, "uint64_t": 8, "int64_t": 8,
}  # fmt: skip
_WORDS = (
    r"(?:const\s+)?(?:(?:unsigned|signed|long|short)\s+)*(?:int|float|double|size_t|long|unsigned|char|u?int\d+_t|uint)"
)
_CAST = re.compile(rf"\(\s*({_WORDS})\s*\)\s*(?:([\w.]+)(?![\w.]|\s*\()|(?=\())")
_STATIC_CAST = re.compile(r"\bstatic_cast\s*<([^<>]*)>")
_SIZEOF = re.compile(r"\bsizeof\s*\(\s*((?:unsigned|signed|long)\s+)?(\w+)\s*\)")
_LITERAL = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)[uUlLfF]*(?!\w)")
_OPERATORS: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
}  # fmt: skip
_WHOLE: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.LShift: lambda a, b: a << min(b, 62), ast.RShift: lambda a, b: a >> min(b, 62), ast.BitAnd: operator.and_, ast.BitOr: operator.or_,
}  # fmt: skip
_CALLS: dict[str, Callable[..., Number]] = {
    "ceil": lambda a: float(math.ceil(a)), "ceilf": lambda a: float(math.ceil(a)), "floor": lambda a: float(math.floor(a)),
    "min": min, "max": max, "sqrt": math.sqrt, "int": int, "float": float, "double": float, "size_t": int, "unsigned": int,
}  # fmt: skip


def value_of(expression: str, names: Mapping[str, str], depth: int = 0) -> Number | None:
    """`names`: the expression that each constant stands for."""
    text = _STATIC_CAST.sub(lambda match: _conversion(match[1]), expression)
    text = _SIZEOF.sub(lambda match: str(_SIZES.get(match[2], f"{match[2]} +")), text)
    text = _LITERAL.sub(r"\1", _CAST.sub(_converted, text)).replace("std::", "").strip()
    if not text or len(text) > _MOST_CHARACTERS or depth > _MAX_DEPTH:
        return None
    try:
        found = _value(ast.parse(text, mode="eval").body, names, depth)
    except (SyntaxError, ValueError, TypeError, ArithmeticError, RecursionError, KeyError):
        return None
    return found if abs(found) < _LARGEST else None


def _conversion(kind: str) -> str:
    return "float" if "float" in kind or "double" in kind else "int"


def _converted(match: re.Match[str]) -> str:
    """`(float)n` and `(float)(n + 1)` become calls. The cast of a call stays, and is not understood."""
    conversion = _conversion(match[1])
    return f"{conversion}({match[2]})" if match[2] else conversion


def _value(node: ast.expr, names: Mapping[str, str], depth: int) -> Number:
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    if isinstance(node, ast.Name):
        found = value_of(names[node.id], {name: text for name, text in names.items() if name != node.id}, depth + 1)
        if found is None:
            raise KeyError(node.id)
        return found
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):  # block.x
        return _value(ast.Name(f"{node.value.id}.{node.attr}"), names, depth)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        inner = _value(node.operand, names, depth)
        return -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp):
        return _combined(node.op, _value(node.left, names, depth), _value(node.right, names, depth))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return _CALLS[node.func.id](*(_value(one, names, depth) for one in node.args))
    raise ValueError(ast.dump(node))


def _combined(op: ast.operator, left: Number, right: Number) -> Number:
    if type(op) in _OPERATORS:
        return _OPERATORS[type(op)](left, right)
    if isinstance(left, int) and isinstance(right, int):
        if isinstance(op, ast.Div):
            return int(left / right) if abs(left) < 1 << 52 else left // right
        if isinstance(op, ast.Mod):
            return int(math.fmod(left, right))
        return _WHOLE[type(op)](left, right)
    if isinstance(op, ast.Div):
        return left / right
    raise ValueError(op)
