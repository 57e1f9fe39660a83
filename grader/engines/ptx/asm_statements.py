"""Finds the `asm` statements of a preprocessed text and puts C++ in their place: calls of the kit's functions, in a block of its own.

The new text has the lines of the old one: markers say from which line each part comes. It is compiled and proved like any other
text, so nothing here has to be trusted. Of a PTX text, nothing but numbers gets into C++; of the operands, C++ that was scanned
like the rest. What is not understood is refused by name, and never compiled.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from grader.engines.changed_text import LineMarkers
from grader.engines.ptx.ptx_reader import (
    CONSTRAINTS,
    KIT,
    Declaration,
    Instruction,
    NotUnderstoodError,
    Register,
    Registers,
    statements_of,
)
from grader.engines.ptx.ptx_table import statements_for
from grader.engines.refusal import Refusal, needs_gpu
from grader.engines.token_scan import Tokens, code_tokens
from grader.model.verdicts import Verdict
from grader.source.lexer import CLOSING, with_changes

# Reads one `asm` statement of a preprocessed text: its PTX text, its outputs and its inputs. What it means is not asked here.

ASSEMBLY = frozenset({"asm", "__asm", "__asm__"})
_QUALIFIERS = frozenset({"volatile", "__volatile__", "__volatile", "inline", "__inline__"})
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "r": "\r", "'": "'"}
_RAW = re.compile(r'R"([^()\\\s]{0,16})\((.*)\)\1"', re.DOTALL)
_FORM = "this form of `asm`"


@dataclass(frozen=True)
class AsmOperand:
    constraint: str
    name: str
    text: str
    at: int


@dataclass(frozen=True)
class AsmStatement:
    """One asm statement. `pieces`: of the PTX text, each with where its literal stands in the file."""

    pieces: tuple[tuple[str, int], ...]
    outputs: tuple[AsmOperand, ...]
    inputs: tuple[AsmOperand, ...]
    end: int  # behind its closing parenthesis


def _statement(text: str, tokens: Tokens, at: int) -> AsmStatement:
    while tokens.text(at) in _QUALIFIERS:
        at += 1
    end = tokens.closing(at)
    if tokens.text(at) != "(" or end == len(tokens):
        raise NotUnderstoodError("`asm goto`" if tokens.text(at) == "goto" else _FORM)
    sections: list[list[int]] = [[]]  # places of tokens that are in no bracket of their own
    at += 1
    while at < end:
        sign = tokens[at].text
        if sign in {":", "::"}:
            sections += [[] for _ in sign]
        else:
            sections[-1].append(at)
        at = tokens.closing(at) + 1 if sign in CLOSING else at + 1
    literals, outputs, inputs, clobbers, *others = (*sections, *[list[int]() for _ in range(4 - len(sections))])
    known = re.fullmatch(r'(?:"memory"(?:,(?!$)|$))*', "".join(tokens[one].text for one in clobbers))
    if not literals or others or not known or any(tokens[one].kind != "string" for one in literals):
        raise NotUnderstoodError(_FORM)
    pieces = tuple((_literal(tokens[one].text), tokens[one].start) for one in literals)
    given = _operands(text, tokens, outputs), _operands(text, tokens, inputs)
    return AsmStatement(pieces, *given, tokens[end].start + 1)


def _operands(text: str, tokens: Tokens, places: Sequence[int]) -> tuple[AsmOperand, ...]:
    groups: list[list[int]] = [[]] if places else []
    for place in places:
        if tokens[place].text == ",":
            groups.append([])
        else:
            groups[-1].append(place)
    return tuple(_operand(text, tokens, *group) for group in groups)


def _operand(text: str, tokens: Tokens, *group: int) -> AsmOperand:
    if len(group) not in {2, 3}:
        raise NotUnderstoodError(_FORM)
    *named, constraint, opening = group
    closing = tokens.closing(opening)
    if (
        tokens[constraint].kind != "string"
        or tokens[opening].text != "("
        or any(tokens[one].text != "[" or tokens.closing(one) != one + 2 for one in named)
        or any(one.text in ASSEMBLY for one in tokens[opening:closing])
    ):
        raise NotUnderstoodError(_FORM)
    name = tokens[named[0] + 1].text if named else ""
    inside = text[tokens[opening].start + 1 : tokens[closing].start]
    return AsmOperand(_literal(tokens[constraint].text), name, inside, tokens[constraint].start)


def _literal(text: str) -> str:
    """What a string literal holds. Only the escapes that PTX texts have."""
    if raw := _RAW.fullmatch(text):
        return raw[2]
    if not text.startswith('"') or re.search(r"\\[^nt\"\\r'\n]", text):
        raise NotUnderstoodError("this kind of string")
    return re.sub(r"\\(.)", lambda escape: _ESCAPES[escape[1]], text[1:-1])


_NAME = re.compile(r"[A-Za-z_]\w*")
# Directives of the host's assembler that PTX does not have: they read files, or put data and code elsewhere.
_OF_THE_HOST = re.compile(
    r"\.(?:incbin|include|pushsection|popsection|previous|subsection|globl|macro|rept|text|data)\b"
)
_HOSTS = "This `asm` is for the host's assembler, and not PTX: a submission may not have it. Remove it."
_MOST_INSTRUCTIONS = 2_000  # in one file


def rewrite_assembly(preprocessed: str, file_name: str, folder: str = "") -> tuple[str, dict[int, Refusal | None]]:
    """With all that was understood in place; and for each statement, by where its `asm` stands, why it was not. `folder`: as for
    `code_tokens`.
    """
    tokens = code_tokens(preprocessed, file_name, folder)
    lines = LineMarkers(preprocessed)
    replaced: list[tuple[int, int, str]] = []
    refusals: dict[int, Refusal | None] = {}
    budget = _MOST_INSTRUCTIONS
    for index, token in enumerate(tokens):
        if token.kind != "word" or token.text not in ASSEMBLY:
            continue
        try:
            statement = _statement(preprocessed, tokens, index + 1)
            code, count = _code(statement, lines)
            budget -= count
            if budget < 0:
                raise NotUnderstoodError("so much inline PTX in one file")  # noqa: TRY301 -- it ends as the others do
            replaced.append((token.start, statement.end, code))
            refusals[token.start] = None
        except NotUnderstoodError as error:
            opening = next((at for at in range(index + 1, min(index + 5, len(tokens))) if tokens[at].text == "("), None)
            closing = opening and tokens.closing(opening)
            if (
                closing
                and closing < len(tokens)
                and _OF_THE_HOST.search(preprocessed, token.start, tokens[closing].start)
            ):
                refusals[token.start] = Refusal(Verdict.REJECTED, token.line, _HOSTS)
                continue
            what = f"The CPU executor does not know {error} in inline PTX"
            refusals[token.start] = needs_gpu(token.line, what)
    return with_changes(preprocessed, replaced), refusals


def _code(statement: AsmStatement, lines: LineMarkers) -> tuple[str, int]:
    """The C++ for a statement, and how many instructions it has."""
    operands = [*statement.outputs, *statement.inputs]
    before, after, known = [], [], []
    for number, operand in enumerate(operands):
        is_output = number < len(statement.outputs)
        said = re.fullmatch(r"([=+])&?(.*)" if is_output else r"()(.*)", operand.constraint, re.DOTALL)
        letter = said[2] if said else ""
        variable, marker = f"tilelab_o{number}", f"\n{lines.back_to(operand.at)}"
        is_constant = letter == "n" and not is_output
        if said is None or not (is_constant or letter in CONSTRAINTS):
            raise NotUnderstoodError(f'the constraint "{operand.constraint}"')
        known.append(Register(variable, "n" if is_constant else CONSTRAINTS[letter]))
        if is_constant:
            value = f"static_cast<unsigned long long>({operand.text})"
            before.append(f"{marker}constexpr unsigned long long {variable} = {value};")
        elif not is_output:
            before.append(f"{marker}unsigned long long {variable} = {KIT}in_{letter}({operand.text});")
        else:
            place = operand.text.strip()
            if not _NAME.fullmatch(place):
                before.append(f"{marker}auto& tilelab_l{number} = ({operand.text});")
                place = f"tilelab_l{number}"
            first = f"{KIT}in_{letter}({place})" if said[1] == "+" else "0"
            before.append(f"{marker}unsigned long long {variable} = {first};")
            after.append(f"{marker}{place} = {KIT}out_{letter}{{{variable}}};")
    named = {operand.name: known[number] for number, operand in enumerate(operands) if operand.name}
    registers = Registers(known, named)
    body, count = _body(statement, registers, lines)
    declared = "".join(f" unsigned long long {name} = 0;" for name in registers.declared)
    return f"do {{{''.join(before)}{declared}{body}{''.join(after)}\n{lines.back_to(statement.end)}}} while (0)", count


def _body(statement: AsmStatement, registers: Registers, lines: LineMarkers) -> tuple[str, int]:
    text, starts = "", []
    for piece, at in statement.pieces:
        starts.append((len(text), at))
        text += piece
    code, count = [], 0
    for found in statements_of(text):
        if isinstance(found, str):
            (registers.open if found == "{" else registers.close)()
        elif isinstance(found, Declaration):
            registers.declare(found.type, found.names)
        else:
            count += 1
            place = starts[bisect_right(starts, (found.at, 1 << 60)) - 1][1]
            code.append(f"\n{lines.back_to(place)}" + " ".join(_instruction(found, registers)))
    return "".join(code), count


def _instruction(instruction: Instruction, registers: Registers) -> list[str]:
    name = f"`{instruction.name.replace(':', '::')}`"
    try:
        code = statements_for(instruction, registers)
    except NotUnderstoodError as error:
        if str(error) == name:
            raise
        raise NotUnderstoodError(f"{error} of {name}") from error
    if instruction.guard is None:
        return code
    return [f"if ({registers.predicate(instruction.guard)}) {{", *code, "}"]
