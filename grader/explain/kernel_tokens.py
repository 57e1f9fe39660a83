"""The tokens of a CUDA source as it was written, what they stand for, and changes of them: sizes, inputs, loops, subscripts, variables that
belong together. By the words alone, so it may be wrong: it proposes what to try, and proves nothing. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from grader.engines.token_scan import Tokens, code_tokens
from grader.source.lexer import CLOSING, without_comments

_DECLARED = re.compile(r"[A-Za-z_]\w*")
_INDICES = frozenset({"threadIdx", "blockIdx"})
_ENDS = frozenset({";", "{", "}"})
# Nobody writes so much by hand, and what follows looks at it again and again.
_MOST_CHARACTERS, _MOST_TOKENS = 100_000, 10_000
_MOST_LOOKS = 2_000_000  # at a token, for all changes of one file: five times what the longest kernel of a course takes


class TooMuchWorkError(Exception):
    """The changes of a file cost more than those of any lab's."""


class Edit(NamedTuple):
    """Characters of the source, from `start` up to `end`, and what they become."""

    start: int
    end: int
    text: str


class KernelNames:
    """A source's tokens, without comments and directives; none of a source that is beyond the limit."""

    def __init__(self, source: str) -> None:
        self.source, self._looks = source, 0
        tokens = code_tokens(without_comments(source)) if len(source) <= _MOST_CHARACTERS else Tokens()
        self.tokens = tokens if len(tokens) <= _MOST_TOKENS else Tokens()
        parameters = self._parameters()
        self.sizes = [one[-1] for one in parameters if one[-2:-1] == ["int"]]
        self.inputs = [one[-1] for one in parameters if "const" in one and "*" in one[-3:-1]]  # pointers to const

    def text(self, index: int) -> str:
        """Empty beyond the ends. Raises TooMuchWorkError."""
        self.looks(1)
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def looks(self, count: int) -> None:
        """So many more. Raises TooMuchWorkError."""
        self._looks += count
        if self._looks > _MOST_LOOKS:
            raise TooMuchWorkError

    def having(self, *texts: str) -> Iterator[int]:
        """Where one of these tokens stands."""
        self.looks(len(self.tokens))
        return (index for index, token in enumerate(self.tokens) if token.text in texts)

    def places(self, *texts: str) -> Iterator[int]:
        """Where these tokens follow each other, with no white space between them."""
        self.looks(len(self.tokens))
        for index, token in enumerate(self.tokens):
            row = self.tokens[index : index + len(texts)]
            if [one.text for one in row] == list(texts) and row[-1].start == token.start + sum(map(len, texts[:-1])):
                yield index

    def end(self, index: int) -> int:
        """Where the token ends in the source."""
        return self.tokens[index].start + len(self.tokens[index].text)

    def between(self, first: int, last: int) -> str:
        """The source from the token `first` to the token `last`, including both."""
        return self.source[self.tokens[first].start : self.end(last)]

    def closing(self, index: int) -> int:
        """The bracket that closes the one at `index`, or the last token where none does."""
        return min(self.tokens.closing(index), len(self.tokens) - 1)

    def operand_end(self, index: int, stops: frozenset[str], way: int = 1) -> int:
        """The last token of the operand behind `index`; with the way -1, the first of the one before it. An operand ends at one of
        `stops`, or at a bracket around it. A `=` that belongs to `<=` or `==` is none.
        """
        at, depth = index + way, 0
        while 0 <= at < len(self.tokens):
            depth += way * ((self.text(at) in CLOSING) - (self.text(at) in CLOSING.values()))
            stopped = depth == 0 and self.text(at) in stops
            compares = (
                stopped and self.text(at) == "=" and {self.text(at - 1), self.text(at + 1)} & {"<", ">", "!", "="}
            )
            if depth < 0 or (stopped and not compares):
                break
            at += way
        return at - way

    def replaced(self, first: int, last: int, text: str) -> Edit:
        return Edit(self.tokens[first].start, self.end(last), text)

    def comparisons(self) -> Iterator[int]:
        """Each `<` and `<=` that compares. A `<` that opens template arguments follows the name of a type or a cast, and is left out."""
        for index in self.places("<"):
            before, after = self.text(index - 1), self.text(index + 1)
            if "<" not in {before, after} and before != "template" and not before.endswith("_cast"):
                yield index

    def _parameters(self) -> list[list[str]]:
        """The words of each parameter of the __global__ function: its name is the last of them."""
        opened = next(self.having("__global__"), 0)
        opened = next((at for at in self.having("(") if at >= opened), opened)
        found: list[list[str]] = [[]]
        for at in range(opened + 1, self.closing(opened)):
            if self.text(at) == ",":
                found.append([])
            else:
                found[-1].append(self.text(at))
        return found

    @cached_property
    def declared(self) -> dict[str, int]:
        """Where each `int` variable with a value is declared, by its name: the last place, if several."""
        return {
            self.text(at): at
            for at in range(1, len(self.tokens))
            if self.text(at + 1) == "=" and self.text(at + 2) != "=" and self._declares(at)
        }

    def _declares(self, at: int) -> bool:
        if not _DECLARED.fullmatch(self.text(at)) or self.in_head(at):
            return False
        types = {"int", "unsigned", "auto", "size_t", "long"}
        return any(self.text(one) in types for one in range(self.statement(at), at))

    def value(self, name: str) -> list[str]:
        """The tokens of the value that a variable is declared with."""
        begin = self.declared[name] + 2
        end = self.operand_end(begin - 1, frozenset({";", ","}))
        return [self.text(at) for at in range(begin, end + 1)]

    @cached_property
    def thread_indices(self) -> list[str]:
        """Variables whose value comes from threadIdx or blockIdx, directly."""
        return [name for name in self.declared if _INDICES & set(self.value(name))]

    def partners(self) -> list[tuple[str, str]]:
        """Pairs of them that are made of the same built-in variables: row and col, tx and ty."""
        self.looks(len(self.thread_indices) ** 2)
        made = {name: frozenset(_INDICES & set(self.value(name))) for name in self.thread_indices}
        return [(one, other) for one, other in combinations(made, 2) if made[one] == made[other]]

    @cached_property
    def tile_sides(self) -> list[str]:
        """What the sides of __shared__ arrays are called, and blockDim's."""
        found = []
        for at in self.having("__shared__"):
            end = next((one for one in range(at, len(self.tokens)) if self.text(one) == ";"), at)
            found += [self.text(one + 1) for one in range(at, end) if self.text(one) == "["]
        return [one for one in dict.fromkeys(found) if re.fullmatch(r"\w+", one)]

    @cached_property
    def loops(self) -> list[tuple[str, int, int]]:
        """Each loop's variable, its body's first token and its last."""
        found = []
        for head in self._heads("for", "while"):
            closed = head[-1]
            variable = next((self.text(one - 1) for one in head[1:-1] if self.text(one) == "="), "")
            if self.text(closed + 1) == "{":
                last = self.closing(closed + 1)
            else:
                last = next((one for one in range(closed, len(self.tokens)) if self.text(one) == ";"), closed)
            found.append((variable, closed + 1, last))
        return found

    def in_loop(self, at: int) -> bool:
        self.looks(len(self.loops))
        return any(first <= at <= last for _, first, last in self.loops)

    def loop_variables(self, at: int) -> list[str]:
        self.looks(len(self.loops))
        return list(dict.fromkeys(name for name, first, last in self.loops if name and first <= at <= last))

    def _heads(self, *words: str) -> Iterator[range]:
        for at in self.having(*words):
            if self.text(at + 1) == "(":
                yield range(at + 1, self.closing(at + 1) + 1)

    def in_head(self, at: int, *more: str) -> bool:
        """Whether it is in the head of a loop, or of a statement that begins with one of these words."""
        return any(at in head for head in self._heads("for", "while", *more))

    def statement(self, at: int) -> int:
        """The first token of the statement."""
        return next((one + 1 for one in range(at - 1, -1, -1) if self.text(one) in _ENDS), 0)

    def assignments(self) -> Iterator[int]:
        """Each `=` of a statement that assigns and declares nothing."""
        for at in self.places("="):
            around = {self.text(at - 1), self.text(at + 1)}
            if around & {"=", "<", ">", "!", "+", "-", "*", "/"} - ({"-"} if self.text(at + 1) == "-" else set()):
                continue
            first = self.statement(at)
            if self.text(first) in {"if", "else", "for", "while"}:
                opened = next((one for one in range(first, at) if self.text(one) == "("), first)
                first = self.closing(opened) + 1
            bare = first == at - 1 or self.text(first + 1) == "["
            if first < at and bare and not self.in_head(at):
                yield at

    def is_accumulator(self, name: str) -> bool:
        """Whether something is assigned or added to the variable outside its declaration."""
        after = [self._after_subscripts(at) for at in self.having(name) if not self._declares(at)]
        return any(self.text(at) in {"+", "="} and self.text(at + (self.text(at) == "+")) == "=" for at in after)

    def _after_subscripts(self, at: int) -> int:
        at += 1
        while self.text(at) == "[":
            at = self.closing(at) + 1
        return at

    def subscripts(self) -> Iterator[tuple[int, int]]:
        """The brackets of each subscript of an array that is used."""
        for first in self.places("["):
            if self.tokens[first - 1].kind == "word" and not self._is_declaration(first):
                yield first, self.closing(first)

    def _is_declaration(self, first: int) -> bool:
        return self.text(self.statement(first)) in {"__shared__", "extern", "float", "int", "const", "static"} and (
            "=" not in {self.text(at) for at in range(self.statement(first), first)}
        )

    def is_use(self, at: int) -> bool:
        """Whether a name is used, and not declared as a parameter."""
        return self.tokens[at - 1].kind != "word" or self.text(at - 1) == "return"

    def extents(self) -> Iterator[tuple[int, int, int]]:
        """`(`, the only `,` and `)` of each dim3 with two extents."""
        for at in self.having("dim3"):
            opened = at + 1 if self.text(at + 1) in {"(", "{"} else at + 2
            if self.text(opened) not in {"(", "{"}:
                continue
            closed = self.closing(opened)
            comma = self.operand_end(opened, frozenset({","})) + 1
            if comma < closed and self.operand_end(comma, frozenset({","})) + 1 == closed:
                yield opened, comma, closed
