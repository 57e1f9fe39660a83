"""CONTRIBUTING says which files a detector, a kind of finding and an intrinsic take. Here each is added to a copy, in those alone.

What was added is compiled with the kit's compiler, against the library of this tree's build, and run. The additions lie in
`additions/`, and the programs that show them.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conventions.conftest import CopiedTree, named_files

pytestmark = [pytest.mark.long, pytest.mark.in_turn(6)]

ROOT = Path(__file__).resolve().parents[2]
COPIED = (
    "grader", "kit", "docs/verdict_documents.py", "docs/result.schema.json", "docs/device_function_table.py", "docs/marked_section.py",
    "docs/cuda-on-the-cpu.md", "docs/results.md",
)  # fmt: skip
LIST, TABLE = "kit/executor/observer_list.hpp", "grader/model/verdicts.py"
ADDITIONS = Path(__file__).parent / "additions"
DETECTOR = "kit/executor/observers/volatile_writes.hpp"

ENUMERATOR, ROW = (
    '    VOLATILE_WRITE = "volatile-write"\n',
    """    Verdict.VOLATILE_WRITE: VerdictFacts(
        label="Volatile write",
        short="volatile",
        glyph="%",
        tone="bad",
        happened="a write that is volatile where a barrier is meant",
        sentence="The kernel writes as volatile where it means a barrier.",
        next_step="Ask what orders this write.",
        advice="Put a barrier where the order matters.",
        redacted="a volatile write stands where a barrier is meant",
    ),
""",
)
INTRINSIC = "__count_both"
# What is compiled here stands before the library's own. That may be one object with much else: sources are compiled together, at times.
FIRST_WINS = "-Wl,-z,muldefs"


@dataclass(frozen=True)
class Copy(CopiedTree):
    """A copy of what is added to, and of what is made of it."""

    def add_detector(self) -> None:
        self.create(DETECTOR, (ADDITIONS / Path(DETECTOR).name).read_text(encoding="utf-8"))
        self.replace(
            LIST,
            '#include "executor/observers/work_counters.hpp"\n',
            '#include "executor/observers/volatile_writes.hpp"\n#include "executor/observers/work_counters.hpp"\n',
        )
        self.replace(LIST, "      BarrierChecker, ", "      VolatileWrites,\n      BarrierChecker, ")

    def compile(self, source: Path, *arguments: str) -> Path:
        """A program or an object, with the kit's headers of this copy."""
        made = self.root / f"{source.stem}.made"
        compiler = json.loads((ROOT / "build" / "kit.json").read_text(encoding="utf-8"))["compiler"]
        folders = [*(self.root / folder for folder in ("build/generated", "kit", "kit/include", "kit/executor/device"))]
        command = [compiler, "-std=c++20", *(f"-I{folder}" for folder in folders), str(source), "-o", str(made)]
        command += [f"-isystem{ROOT / '.tilelab' / 'prefix' / 'usr' / 'include'}", *arguments]
        subprocess.run(command, check=True, timeout=300)
        return made

    def run(self, main: str) -> str:
        """What a program prints that is linked with this tree's executor."""
        kit = json.loads((ROOT / "build" / "kit.json").read_text(encoding="utf-8"))
        submission = ROOT / "tests" / "kit" / "fake_submission.cpp"
        program = self.compile(ADDITIONS / main, str(submission), FIRST_WINS, *kit["archives"], "-pthread")
        return subprocess.run([program], capture_output=True, text=True, check=True, timeout=300).stdout

    def python(self, *words: str, given: str = "") -> str:
        """What the copy's own grader prints."""
        environment = os.environ | {"PYTHONPATH": str(self.root), "NO_COLOR": "1"}
        done = subprocess.run(
            [sys.executable, *words], cwd=self.root, env=environment, input=given, capture_output=True, text=True,
            check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name)  # with its bytecode: compiling it anew takes long
        else:
            (tmp_path / name).parent.mkdir(exist_ok=True)
            shutil.copyfile(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "build" / "generated", tmp_path / "build" / "generated")
    return Copy(tmp_path, COPIED)


def test_a_kind_of_finding_is_its_detector_its_row_and_what_is_written_from_the_row(copy: Copy) -> None:
    copy.add_detector()
    assert named_files("a detector of an existing kind of finding") == ["kit/executor/observers/", LIST]
    assert copy.touched() == {DETECTOR, LIST}  # a detector is one file and its registration

    copy.replace(TABLE, '    WRONG_ANSWER = "wrong-answer"\n', f'{ENUMERATOR}    WRONG_ANSWER = "wrong-answer"\n')
    copy.replace(TABLE, "    Verdict.WRONG_ANSWER: Ver", f"{ROW}    Verdict.WRONG_ANSWER: Ver")
    copy.python("docs/verdict_documents.py")
    header = copy.root / "build/generated/executor/verdict_list.hpp"
    cmake = (ROOT / "build" / ".cmake").read_text(encoding="utf-8").strip()
    script = copy.root / "kit/executor/verdict_list.cmake"
    subprocess.run(
        [cmake, f"-DTABLE={copy.root / TABLE}", f"-DHEADER={header}", "-P", str(script)], check=True, timeout=300
    )

    launch = json.loads(copy.run("printed_judgement.cpp"))
    assert launch["verdict"] == "volatile-write"
    (finding,) = launch["findings"]
    told = "Thread (5,0,0) of block (0,0,0) writes C[2] as volatile, which orders nothing."
    assert (finding["kind"], finding["line"], finding["message"]) == ("volatile-write", 1, told)

    result, page = copy.python(str(ADDITIONS / "shown_launch.py"), given=json.dumps(launch)).split("\n", 1)
    lab = json.loads(result)["labs"]["lab"]
    (shown,) = lab["findings"]
    assert (shown["kind"], shown["message"]) == ("volatile-write", told)
    secret = lab["cases"][1]
    assert (secret["message"], secret["launches"]) == ("a volatile write stands where a barrier is meant", [])
    for words in ("Volatile write", "The kernel writes as volatile where it means a barrier.", secret["message"]):
        assert words in page

    page = (copy.root / "docs" / "results.md").read_text(encoding="utf-8")
    assert "| `volatile-write` | a write that is volatile where a barrier is meant |" in page
    named = ["kit/executor/observers/", LIST, TABLE, "docs/results.md", "docs/result.schema.json"]
    assert named_files("a new kind of finding") == named
    assert copy.touched() == {DETECTOR, LIST, TABLE, "docs/results.md", "docs/result.schema.json"}
    assert len(copy.touched()) <= 5


def test_an_intrinsic_is_a_row_that_declares_and_defines_it(copy: Copy) -> None:
    declared, defined = (
        "kit/executor/device/arithmetic_functions.hpp",
        "kit/executor/device_impl/arithmetic_functions.cpp",
    )
    last = "int __popcll(unsigned long long a) TILELAB_IS(std::popcount(a));\n"
    row = f"int {INTRINSIC}(unsigned a, unsigned b) TILELAB_IS(__popc(a) + __popc(b));\n"
    copy.replace(declared, last, last + row)

    # The definitions come before the library's own, which are then not linked.
    kit = json.loads((ROOT / "build" / "kit.json").read_text(encoding="utf-8"))
    made = copy.compile(copy.root / defined, "-O1", "-c").rename(copy.root / "intrinsic.o")
    whole = copy.root / "runner.o"
    runner, *others = kit["archives"]
    together = [kit["compiler"], "-nostdlib", "-r", FIRST_WINS, str(made), "-Wl,--whole-archive", runner, "-o", whole]
    subprocess.run(together, check=True, timeout=300)
    kit["archives"] = [str(whole), *others]
    kit["includes"] = [str(copy.root / "kit" / "include")]
    (copy.root / "assignments").mkdir()  # as every course has
    (copy.root / "build" / "bin").symlink_to(ROOT / "build" / "bin")
    (copy.root / "build" / "kit.json").write_text(json.dumps(kit), encoding="utf-8")
    check = "from grader.cli.cli import app; app()"
    words = ["check", str(ADDITIONS / "count_both.cu"), "--kernel", "count", "--block", "32", "--arg", "int[32]"]
    assert "Clean" in copy.python("-c", check, *words)

    assert f"`{INTRINSIC}`" in copy.python("docs/device_function_table.py")
    copy.python("docs/device_function_table.py", "docs/marked_section.py", "--write")  # the page stays as it is

    assert named_files("an intrinsic: a CUDA function for device code") == ["kit/executor/device/"]
    assert copy.touched() == {declared}
