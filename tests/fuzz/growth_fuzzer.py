"""Grows each construct of a submission by doubling it, and reports each step of ours that reads it and takes more time or memory than the
text grew by.

Time is processor time of this process, compared with that of a quarter of the text, and generously: what is twice as slow for a busy cache
is no finding, and what is quadratic is four times as slow as that allows. What a compiler does is its own limits' affair.
"""

from __future__ import annotations

import gc
import json
import random
import time
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from fuzzer import WrongError

Step = Callable[[str], object]

LEAST_SECONDS = 0.5  # a step that is done sooner costs nobody anything
_FACTOR, _MOST_TIMES = 4, 9.0  # so many times the text may take so many times the time or memory
_LEAST_COMPARED = 1e-3  # seconds
_LEAST_BYTES, _LEAST_CHARACTERS = 48 << 20, 32_000  # memory is looked at where a text is not small
_FIRST = 64  # repetitions
_MEASURED = 2  # times, of which the better one counts


@dataclass(frozen=True)
class Construct:
    """A text that grows. `{i}` in a unit is its number. `closing` follows once for each unit, so that units stand in one another."""

    unit: str
    before: str = ""
    closing: str = ""
    after: str = ""

    def text(self, count: int) -> str:
        numbered = "{i}" in self.unit
        units = "".join(self.unit.replace("{i}", str(i)) for i in range(count)) if numbered else self.unit * count
        return self.before + units + self.closing * count + self.after


_BODY = "__global__ void k(float* a, int n) {\n"
_MAIN = "int main() {\nfloat* a;\n"


def _lines(unit: str, before: str = _BODY) -> Construct:
    return Construct(unit + "\n", before, after="}\n")


# What a file consists of, in one another, in one line, and line by line.
CONSTRUCTS: Mapping[str, Construct] = {
    "braces in one another": Construct("{", _BODY, "}", "}\n"),
    "parentheses in one another": Construct("(", _BODY + "n = ", ")", ";}\n"),
    "subscripts in one another": Construct("a[", _BODY + "n = ", "0]", ";}\n"),
    "templates in one another": Construct("V<", "template <class T> struct V;\n", "int>", " v;\n"),
    "lambdas in one another": Construct("[&] { ", _BODY, "}();", "}\n"),
    "conditions in one another": Construct("if (n) ", _BODY, after=";}\n"),
    "conditional expressions": Construct("n ? n : ", _BODY + "n = ", after="0;}\n"),
    "#if in one another": Construct("#if 1\n", closing="#endif\n"),
    "#if 0 in one another": Construct("#if 0\n", closing="#endif\n"),
    "#elif": Construct("#elif X == {i}\n", "#if 0\n", after="#endif\n"),
    "namespaces": Construct("namespace n{i} { ", closing="}", after="\n"),
    "classes in one another": Construct("struct S{i} { ", closing="};", after="\n"),
    "only openings": Construct("({["),
    "only angles": Construct("<"),
    "only triple angles": Construct("<<<"),
    "only closings": Construct(")}]>"),
    "semicolons": Construct(";", _BODY, after="}\n"),
    "returns in a line": Construct("return;", _BODY, after="}\n"),
    "returns": _lines("  if (n == {i}) return;"),
    "statements in a line": Construct("a[n] = a[n + 1] * 2;", _BODY, after="}\n"),
    "statements": _lines("  a[n * {i}] = a[n + {i}] * 2.0f;"),
    "stores": _lines("  a[{i}] = {i};"),
    "reads": _lines("  n += a[{i}];"),
    "reads in one statement": Construct("+ a[n] ", _BODY + "n = 1 ", after=";}\n"),
    "angles behind names": Construct("}\nk<<<1, f("),
    "marked functions without a body": Construct("__device__ f() "),
    "kernels in namespaces": Construct("namespace n{i} { __global__ void k{i}() {} "),
    "loops": _lines("  for (int i = 0; i < n; ++i) a[i] += {i};"),
    "loops in one another": Construct("for (int i{i} = 0; i{i} < n; ++i{i})\n", _BODY, after=";}\n"),
    "while loops": _lines("  while (n < {i}) { a[n] = 0; }"),
    "labels": _lines("  l{i}: if (n == {i}) goto l{i};"),
    "cases": Construct("    case {i}: a[{i}] = 1; break;\n", _BODY + "  switch (n) {\n", after="  }\n}\n"),
    "barriers": _lines("  __syncthreads();"),
    "barriers in a line": Construct("__syncthreads();", _BODY, after="}\n"),
    "barriers that are named": _lines("  __syncthreads;"),
    "declarations": _lines("  int v{i} = {i};"),
    "declarations without a value": _lines("  int v{i};\n  v{i} += 1;"),
    "sums without a value": _lines("  float sum;\n  sum += a[{i}];"),
    "declarators in one declaration": Construct(", v{i}[4]", _BODY + "int v[4]", after=";}\n"),
    "pointers in one declaration": Construct("*", _BODY + "int ", after=" p;}\n"),
    "shared arrays": _lines("  __shared__ float s{i}[32];\n  s{i}[threadIdx.x] = a[n];"),
    "shared arrays that are not marked": _lines("  float tile{i}[32];\n  tile{i}[threadIdx.x] = a[n];\n  __syncthreads();"),
    "dynamic shared arrays": _lines("  extern __shared__ float s{i}[];"),
    "initialisers": Construct("{i}, ", "__constant__ int c[] = {", after="};\n"),
    "initialisers in one another": Construct("{", "int c = ", "}", ";\n"),
    "strings side by side": Construct('"x" ', "const char* s = ", after=";\n"),
    "additions": Construct("+ n ", _BODY + "n = 1 ", after=";}\n"),
    "signs": Construct("- ", _BODY + "n = ", after="n;}\n"),
    "calls in one another": Construct("f(", _BODY + "n = ", ")", ";}\n"),
    "arguments of a call": Construct(", {i}", _BODY + "f(n", after=");}\n"),
    "members": Construct(".x", _BODY + "n = a", after=";}\n"),
    "scopes": Construct("a::", _BODY + "n = ", after="b;}\n"),
    "parameters": Construct(", float* p{i}", "__global__ void k(float* a", after=") {}\n"),
    "kernels": Construct("__global__ void k{i}(float* a, int n) { a[n] = {i}; }\n"),
    "kernels of one name": Construct("__global__ void k(float* a, int n{i}) { a[n{i}] = 0; }\n"),
    "kernels that are only declared": Construct("__global__ void k{i}(float* a, const int* b);\n"),
    "device functions": Construct("__device__ int f{i}(int n) { return f{i}(n) + 1; }\n"),
    "functions that call the next": Construct("__device__ void f{i}() { void g(); g(); }\n"),
    "functions of the host": Construct("void f{i}(float* a) { cudaFree(a); }\n"),
    "variables": Construct("__device__ float v{i};\n"),
    "constants": Construct("constexpr int N{i} = 2 * {i};\n"),
    "constants of the one before": Construct("const int B{i} = A + 1, A{i} = B{i};\n"),
    "aliases": Construct("using T{i} = float;\n"),
    "typedefs": Construct("typedef float T{i};\n"),
    "enumerators": Construct("e{i}, ", "enum E { ", after="};\n"),
    "members of a class": Construct("  float m{i}; __device__ float g{i}() { return m{i}; }\n", "struct S {\n", after="};\n"),
    "templates": Construct("template <int N> __global__ void k{i}(float* a) { a[N] = 0; }\n"),
    "attributes": Construct("__attribute__((aligned(4))) ", "int x ", after=";\n"),
    "attributes in brackets": Construct("[[maybe_unused]] ", after="int x;\n"),
    "attributes of one list": Construct("unused, ", "int x __attribute__((", after="unused));\n"),
    "alignments": Construct("__align__(16) struct S{i} { int x; };\n"),
    "asm statements": _lines('  asm("add.s32 %0, %0, {i};" : "+r"(n));'),
    "asm statements in a line": Construct('asm("add.s32 %0, %0, 1;" : "+r"(n));', _BODY, after="}\n"),
    "instructions of one asm": Construct("add.s32 %0, %0, {i};\\n", _BODY + '  asm("', after='" : "+r"(n));\n}\n'),
    "registers of one asm": Construct(".reg .b32 r{i};", _BODY + '  asm("{', after='}" : "+r"(n));\n}\n'),
    "blocks of one asm": Construct("{", _BODY + '  asm("', "}", '" : "+r"(n));\n}\n'),
    "labels of one asm": Construct("L{i}: bra L{i};\\n", _BODY + '  asm("{', after='}");\n}\n'),
    "blanks in an open brace of asm": Construct(" ", _BODY + '  asm("mov.b64 %0, {', after='x");\n}\n'),
    "strings of one asm": Construct('"add.s32 %0, %0, 1;\\n"\n', _BODY + "  asm(", after=' : "+r"(n));\n}\n'),
    "operands of one asm": Construct(', "r"(n)', _BODY + '  asm("mov.b32 %0, %0;" : "+r"(n) : "r"(n)', after=");\n}\n"),
    "colons of one asm": Construct(": ", _BODY + '  asm("" ', after=");\n}\n"),
    "a long name": Construct("x", _BODY + "n = ", after=";}\n"),
    "a long string": Construct("x", 'const char* s = "', after='";\n'),
    "a long string of escapes": Construct("\\\\", 'const char* s = "', after='";\n'),
    "a string without an end": Construct("\\x", 'const char* s = "'),
    "a long comment": Construct("* ", "/*", after="*/\n"),
    "a comment without an end": Construct("* / ", "/*"),
    "a long line comment": Construct("/ ", "//", after="\n"),
    "comments": Construct("/* a */ // b\n"),
    "openings of comments": Construct("/*"),
    "slashes": Construct("/"),
    "a long number": Construct("1", _BODY + "n = ", after=";}\n"),
    "a number with quotes": Construct("1'", _BODY + "n = ", after="1;}\n"),
    "a number with exponents": Construct("1e+", _BODY + "n = ", after="1;}\n"),
    "blanks in a line": Construct(" ", _BODY + "n =", after="1;}\n"),
    "blanks and signs": Construct(" (", _BODY + "n", after="}\n"),
    "empty lines": Construct("\n", after="int x;\n"),
    "lines of blanks": Construct("   \n"),
    "splices": Construct("\\\n", "int ", after="x;\n"),
    "splices in a comment": Construct("a\\\n", "//", after="\n"),
    "splices in a directive": Construct("a \\\n", "#define A ", after="\n"),
    "escaped quotes": Construct('@\\"'),
    "escaped single quotes": Construct("@\\'"),
    "quotes": Construct('"'),
    "single quotes": Construct("'"),
    "backslashes": Construct("\\"),
    "raw strings": Construct('R"(a)" ', "const char* s = ", after=";\n"),
    "raw strings without an end": Construct('R"('),
    "raw strings of other marks": Construct('R"m{i}('),
    "ends of raw strings": Construct(')" '),
    "hashes": Construct("#"),
    "hashes in lines": Construct("#\n"),
    "line markers": Construct('# {i} "k.cu"\n'),
    "line markers of other files": Construct('# 1 "/usr/include/x{i}.h" 1 3\nint a{i};\n# {i} "k.cu" 2\n'),
    "#line": Construct("#line {i}\n"),
    "includes": Construct('#include "h{i}.h"\n'),
    "includes of one header": Construct("#include <cstdio>\n"),
    "pragmas": Construct("#pragma unroll\n", _BODY, after="for (;;) ; }\n"),
    "macros": Construct("#define M{i} {i}\n"),
    "macros of macros": Construct("#define M{i} M N{i}\n"),
    "macros that double": Construct("#define M{i} M M\n"),
    "one macro again and again": Construct("#define M {i}\n#undef M\n"),
    "parameters of a macro": Construct(", p{i}", "#define M(a", after=") a\n"),
    "body of a macro": Construct("x{i} ", "#define M ", after="\n"),
    "tests of macros": Construct("defined(A{i}) || ", "#if ", after="0\n#endif\n"),
    "digraphs": Construct("<: :> <% %> "),
    "odd characters": Construct("\u00e4\u2028\x0c"),
    "NUL": Construct("\0"),
    "carriage returns": Construct("int a;\r"),
    "launches": Construct("  k<<<{i}, 256>>>(a, n);\n", _BODY + "}\n" + _MAIN, after="}\n"),
    "launches in a line": Construct("k<<<1, 256>>>(a, n);", _BODY + "}\n" + _MAIN, after="}\n"),
    "launches without an end": Construct("k<<<1, ", _BODY + "}\n" + _MAIN, after="}\n"),
    "launches in one another": Construct("k<<<1, f(", _BODY + "}\n" + _MAIN, ")>>>(a, n)", ";}\n"),
    "grids": Construct("  dim3 g{i}(n / {i}, 1);\n  k<<<g{i}, 32>>>(a, n);\n", _BODY + "}\n" + _MAIN, after="}\n"),
    "grids of one name": Construct("  dim3 grid(n, 1); grid.x = {i};\n", _BODY + "}\n" + _MAIN, after="k<<<grid, 32>>>(a, n);}\n"),
    "allocations": Construct("  float* p{i}; cudaMalloc(&p{i}, {i} * sizeof(float));\n", _MAIN, after="}\n"),
    "pointers without memory": Construct("  float* p{i}; p{i}[0] = 1;\n", _BODY, after="}\n"),
    "copies": Construct("  cudaMemcpy(a, b{i}, n * sizeof(float), cudaMemcpyHostToDevice);\n", _MAIN, after="}\n"),
    "blocks of the launch function": Construct(
        "  int b{i} = b + 1;\n", "LaunchConfig k_launch(int n) {\n", after="  return {dim3(n), dim3(32)};\n}\n"
    ),
    "returns of the launch function": Construct(
        "  if (n) return {dim3(n), dim3({i})};\n", "LaunchConfig k_launch(int n) {\n", after="}\n"
    ),
    "launch functions": Construct("LaunchConfig k_launch(int n) { return {dim3(n), dim3({i})}; }\n"),
    "indices": _lines("  int i{i} = blockIdx.x * blockDim.x + threadIdx.x;"),
    "names like others": _lines("  int abcd{i} = abce{i};"),
    "constructors": Construct("struct S{i} { S{i}(int n) : m(n) {} int m; } s{i}(1);\n"),
    "pointers to functions": Construct("void (*f{i})(int);\n"),
    "virtual functions": Construct("struct V{i} { virtual void f(); };\n"),
    "extern C": Construct('extern "C" {', closing="}", after="\n"),
    "operators": Construct("float operator+(S{i}, S{i});\n"),
    "words": Construct("w{i} "),
    "words of one letter": Construct("a "),
    "numbers": Construct("{i} "),
    "equal signs": Construct("= "),
    "commas": Construct(","),
    "stars": Construct("*"),
    "at signs": Construct("@"),
}  # fmt: skip
# Those that compile, whatever their number: a compiler's output grows with them.
BUILT = (
    "stores", "statements", "statements in a line", "returns", "loops", "loops in one another", "while loops", "labels",
    "cases", "barriers", "declarations", "shared arrays", "declarators in one declaration", "initialisers", "additions",
    "kernels", "device functions", "functions that call the next", "functions of the host", "variables", "constants",
    "members of a class", "asm statements", "instructions of one asm", "lambdas in one another",
    "conditions in one another", "constructors",
)  # fmt: skip


def _seconds(step: Step, text: str) -> float:
    gc.disable()
    began = time.process_time()
    try:
        step(text)
    finally:
        gc.enable()
    return time.process_time() - began


def _peak(step: Step, text: str) -> int:
    tracemalloc.start()
    try:
        step(text)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@dataclass(frozen=True)
class Ruler:
    """`most`: characters that are tried at most. `least`: seconds, below which nothing is compared."""

    most: int
    least: float = LEAST_SECONDS

    def too_fast_growth(self, step: Step, construct: Construct) -> str:
        """In a sentence how time or memory grows; empty where it is in proportion."""
        taken: dict[int, float] = {}
        count = _FIRST
        while len(larger := construct.text(count)) <= self.most and max(taken.values(), default=0) < self.least:
            taken[count] = _seconds(step, larger)
            if taken[count] >= self.least and (how := self._in_time(step, construct, count)):
                return f"{how}: {taken[count]:.2f} s"
            count *= 2
        return self._in_memory(step, construct, max((one for one in taken if taken[one] < self.least), default=0))

    @staticmethod
    def _in_time(step: Step, construct: Construct, count: int) -> str:
        smaller, larger = construct.text(count // _FACTOR), construct.text(count)
        grew = len(larger) / len(smaller)
        times = min(_seconds(step, larger) / max(_seconds(step, smaller), _LEAST_COMPARED) for _ in range(_MEASURED))
        said = f"{grew:.1f} times the text, {len(larger):,} characters, takes {times:.1f} times the time"
        return said if times > _MOST_TIMES * grew / _FACTOR else ""

    @staticmethod
    def _in_memory(step: Step, construct: Construct, count: int) -> str:
        if len(construct.text(count)) < _LEAST_CHARACTERS:
            return ""
        more = _peak(step, construct.text(count))
        times = more / _peak(step, construct.text(count // _FACTOR)) if more > _LEAST_BYTES else 0.0
        said = (
            f"{_FACTOR} times the text, {len(construct.text(count)):,} characters, takes {times:.1f} times the memory"
        )
        return f"{said}: {more >> 20} MiB" if times > _MOST_TIMES else ""


@dataclass
class GrowthFuzzer:
    """A case is some pieces of constructs, and what is repeated of them. `capped`: steps that stop at a limit of their own, which come to
    it before a text is large.
    """

    steps: Mapping[str, Step]
    capped: Mapping[str, float] = field(default_factory=dict)  # seconds that they take at most
    ruler: Ruler = Ruler(1 << 16)
    name: str = "growth"
    seconds: float = 600

    def make(self, chance: random.Random, folder: Path) -> None:
        known = list(CONSTRUCTS.values())
        some = [chance.choice(known) for _ in range(chance.randint(1, 3))]
        unit = "".join(chance.choice((one.unit, one.unit, one.before, one.closing, one.after)) for one in some)
        closing = chance.choice((some[0].closing, "", "", ""))
        case = {"unit": unit or ";", "before": chance.choice(known).before, "closing": closing, "after": some[-1].after}
        (folder / "construct.json").write_text(json.dumps(case), encoding="utf-8")

    def check(self, folder: Path) -> str:
        self.hold(Construct(**json.loads((folder / "construct.json").read_text(encoding="utf-8"))))
        return "in proportion"

    def hold(self, construct: Construct) -> None:
        """Raises WrongError with the steps that grow faster than the text."""
        found = []
        for name, step in self.steps.items():
            ruler = replace(self.ruler, least=max(self.ruler.least, self.capped.get(name, 0)))
            if how := ruler.too_fast_growth(step, construct):
                found.append(f"{name}: {how}")
        if found:
            raise WrongError("; ".join(found))
