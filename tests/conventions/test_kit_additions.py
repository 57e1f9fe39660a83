"""CONTRIBUTING says which files a detector, a kind of finding and an intrinsic take. Here each is added to a copy, in those alone.

What was added is compiled with the kit's compiler, against the library of this tree's build, and run.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("grader", "kit", "docs/verdict_documents.py", "docs/result.schema.json", "README.md")
PANEL, TABLE = "kit/simt/observer_panel.hpp", "grader/model/verdicts.py"

# A detector of the kind $KIND: it looks at writes that are volatile.
DETECTOR = """// Volatile writes: they order nothing.
#pragma once

#include "simt/event.hpp"
#include "simt/finding_log.hpp"

namespace tilelab::simt {

class VolatileWrites final : public Observer {
 public:
  explicit VolatileWrites(FindingLog& log) : log_(log) {}
  bool watches(Space) const override { return true; }
  bool needs_every_read() const override { return false; }
  void on_access(const Access& access) override {
    if (access.kind != AccessKind::write || !access.is_volatile) return;
    RawFinding finding;
    finding.kind = Verdict::$KIND;
    finding.what = "writes {element} as volatile, which orders nothing";
    finding.site = {access.pc, access_name(access.kind), access.by};
    finding.region = access.region;
    finding.offset = static_cast<std::int64_t>(access.offset);
    finding.size = access.size;
    log_.report(finding);
  }

 private:
  FindingLog& log_;
};

}  // namespace tilelab::simt
"""
# Thread 5 writes C[2] once as volatile, once not. All observers of a launch hear of it.
LAUNCH = """
#include "simt/observer_panel.cpp"

namespace {

using namespace tilelab;

std::vector<simt::RawFinding> findings_of_a_launch() {
  static simt::Region C;
  C.name = "C";
  C.role = simt::BufferRole::output;
  C.bytes = 64;
  static simt::ObserverPanel panel(simt::RaceDetector::SameValue::races);
  simt::Announcer announcer;
  panel.join(announcer);
  simt::LaunchEvent launch;
  launch.block = {64, 1, 1};
  announcer.announce(&simt::Observer::on_launch_begin, launch);
  announcer.announce(&simt::Observer::on_block_begin, std::uint64_t{0});
  simt::Access access;
  access.kind = simt::AccessKind::write;
  access.region = &C;
  access.offset = 8;
  access.size = 4;
  access.by = {0, 5};
  for (const bool is_volatile : {true, false}) {
    access.is_volatile = is_volatile;
    access.pc = is_volatile ? 11 : 21;
    announcer.access(access);
  }
  announcer.announce(&simt::Observer::on_block_end, std::uint64_t{0}, std::uint32_t{0});
  announcer.announce(&simt::Observer::on_launch_end);
  return panel.log().deduplicated();
}

}  // namespace
"""
PRINTS_FINDINGS = """
#include <cstdio>
int main() {
  for (const auto& one : findings_of_a_launch()) {
    std::printf("%s %d %s\\n", name(one.kind).data(), static_cast<int>(one.site.pc), one.what);
  }
}
"""
# From the executor's findings to what the judge writes of the launch.
PRINTS_JUDGED_LAUNCH = """
#include <iostream>
#include "runner/finding_messages.cpp"
#include "judge/answer_record.cpp"
#include "judge/record.cpp"
#include "judge/reply_check.cpp"
int main() {
  Image image;
  image.files = {"kernel.cu"};
  image.lines = {{10, 1, 0}, {20, 2, 0}};
  protocol::LaunchReply reply;
  reply.status = protocol::Status::completed;
  reply.findings = finding_messages(findings_of_a_launch(), image, {{1, 1, 1}, {64, 1, 1}});
  judge::LaunchRecord record;
  record.shape = "N=64";
  judge::take_answer(record, {.kind = judge::Answer::Kind::reply, .text = nlohmann::json(reply).dump()});
  record.message = judge::reason(record);
  std::cout << nlohmann::json(record);
}
"""
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
# Has a launch judged, hides a part of it from the student, and makes the student's page.
PAGE = """
import json, sys
from grader.judging.judge_call import located
from grader.model.result import Case, Environment, LabResult, Launch, Result, Submission
from grader.reports.pages import student_page
from grader.scoring.deduplication import deduplicate
from grader.scoring.redaction import for_student

launch = located(Launch.model_validate(json.load(sys.stdin)), {"kernel.cu": ["C[2] = 1;", "C[2] = 2;"]})
name = "a hidden case"
case = Case(
    name=name, visibility="hidden", feedback="verdict", verdict=launch.verdict, passed=False, points=0, max_points=1,
    message=launch.message, launches=(launch,),
)
lab = LabResult(
    title="A lab", file="kernel.cu", verdict=launch.verdict, points=0, max_points=1, cases=(case,),
    findings=deduplicate([(name, one) for one in launch.findings]),
)
result = Result(
    submission=Submission(id="ada", name="ada"), labs={"lab": lab}, total=0, max=1,
    environment=Environment(kit="1", compiler="a compiler", sandbox="none", date="2026-01-01"),
)
shown = for_student(result)
print(shown.model_dump_json(by_alias=True))
print(student_page(shown, sources={"kernel.cu": "C[2] = 1;\\nC[2] = 2;\\n"}))
"""
INTRINSIC = "__count_both"
CALLS_IT = f"""__global__ void count(int* C) {{
  assert({INTRINSIC}(5u, 7u) == 5);
  C[threadIdx.x] = {INTRINSIC}(threadIdx.x, 1u);
}}
"""


def named_files(addition: str) -> list[str]:
    """The paths of this tree in CONTRIBUTING's row for `addition`."""
    rows = re.findall(r"^\| ([^|]+) \| (.+) \|$", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.MULTILINE)
    return [path for path in re.findall(r"`([^`]+)`", dict(rows)[addition]) if (ROOT / path).exists()]


@dataclass(frozen=True)
class Copy:
    """A copy of what is added to, and of what is made of it."""

    root: Path

    def create(self, path: str, text: str) -> None:
        assert not (self.root / path).exists(), f"{path} is there already"
        (self.root / path).write_text(text, encoding="utf-8")

    def replace(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} in {path}"
        (self.root / path).write_text(text.replace(old, new), encoding="utf-8")

    def add_detector(self, kind: str) -> None:
        self.create("kit/simt/observers/volatile_writes.hpp", DETECTOR.replace("$KIND", kind))
        self.replace(
            PANEL,
            '#include "simt/redundant_reads.hpp"\n',
            '#include "simt/observers/volatile_writes.hpp"\n#include "simt/redundant_reads.hpp"\n',
        )
        self.replace(PANEL, "      InputGuard, ", "      VolatileWrites,\n      InputGuard, ")

    def compile(self, source: str, *arguments: str) -> Path:
        """A program or an object of C++ text, with the kit's headers of this copy."""
        made = self.root / "made"
        compiler = json.loads((ROOT / "build" / "kit.json").read_text(encoding="utf-8"))["compiler"]
        folders = [*(self.root / folder for folder in ("build/generated", "kit", "kit/include", "kit/simt/device"))]
        command = [compiler, "-std=c++20", "-x", "c++", *(f"-I{folder}" for folder in folders), "-"]
        command += [f"-isystem{ROOT / '.tilelab' / 'prefix' / 'usr' / 'include'}", "-o", str(made), *arguments]
        done = subprocess.run(command, input=source, text=True, capture_output=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr
        return made

    def run(self, main: str) -> str:
        """What a program prints that is linked with this tree's executor."""
        kit = json.loads((ROOT / "build" / "kit.json").read_text(encoding="utf-8"))
        program = self.compile(f"{LAUNCH}{main}", "-x", "none", *kit["archives"], "-pthread")
        return subprocess.run([program], capture_output=True, text=True, check=True, timeout=60).stdout

    def python(self, *words: str, given: str = "") -> str:
        """What the copy's own grader prints."""
        environment = os.environ | {"PYTHONPATH": str(self.root), "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1"}
        done = subprocess.run(
            [sys.executable, *words], cwd=self.root, env=environment, input=given, capture_output=True, text=True,
            check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def touched(self) -> set[str]:
        """Files that the copy has and this tree has not, or has otherwise."""
        paths = (path for name in COPIED for path in ((self.root / name), *(self.root / name).rglob("*")))
        names = (path.relative_to(self.root).as_posix() for path in paths if path.is_file())
        return {
            name
            for name in names
            if not (ROOT / name).is_file() or (ROOT / name).read_bytes() != (self.root / name).read_bytes()
        }


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (tmp_path / name).parent.mkdir(exist_ok=True)
            shutil.copyfile(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "build" / "generated", tmp_path / "build" / "generated")
    return Copy(tmp_path)


def test_a_detector_is_one_file_and_its_registration(copy: Copy) -> None:
    copy.add_detector("race")
    assert copy.run(PRINTS_FINDINGS) == "race 11 writes {element} as volatile, which orders nothing\n"

    addition = "a detector of an existing kind of finding"
    assert named_files(addition) == ["kit/simt/observers/", PANEL]
    assert copy.touched() == {"kit/simt/observers/volatile_writes.hpp", PANEL}


def test_a_kind_of_finding_is_its_detector_its_row_and_what_is_written_from_the_row(copy: Copy) -> None:
    copy.add_detector("volatile_write")
    copy.replace(TABLE, '    WRONG_ANSWER = "wrong-answer"\n', f'{ENUMERATOR}    WRONG_ANSWER = "wrong-answer"\n')
    copy.replace(TABLE, "    Verdict.WRONG_ANSWER: Ver", f"{ROW}    Verdict.WRONG_ANSWER: Ver")
    copy.python("docs/verdict_documents.py")
    header = copy.root / "build/generated/simt/verdict_list.hpp"
    cmake = (ROOT / "build" / ".cmake").read_text(encoding="utf-8").strip()
    script = copy.root / "kit/simt/verdict_list.cmake"
    subprocess.run(
        [cmake, f"-DTABLE={copy.root / TABLE}", f"-DHEADER={header}", "-P", str(script)], check=True, timeout=60
    )

    launch = json.loads(copy.run(PRINTS_JUDGED_LAUNCH))
    assert launch["verdict"] == "volatile-write"
    (finding,) = launch["findings"]
    told = "Thread (5,0,0) of block (0,0,0) writes C[2] as volatile, which orders nothing."
    assert (finding["kind"], finding["line"], finding["message"]) == ("volatile-write", 1, told)

    result, page = copy.python("-c", PAGE, given=json.dumps(launch)).split("\n", 1)
    (shown,) = json.loads(result)["labs"]["lab"]["findings"]
    assert (shown["kind"], shown["message"]) == ("volatile-write", "a volatile write stands where a barrier is meant")
    for words in ("Volatile write", "The kernel writes as volatile where it means a barrier.", shown["message"]):
        assert words in page
    assert "C[2] as volatile" not in page

    assert "| `volatile-write` | a write that is volatile where a barrier is meant |" in (
        copy.root / "README.md"
    ).read_text(encoding="utf-8")
    named = ["kit/simt/observers/", PANEL, TABLE, "README.md", "docs/result.schema.json"]
    assert named_files("a new kind of finding") == named
    assert copy.touched() == {
        "kit/simt/observers/volatile_writes.hpp", PANEL, TABLE, "README.md", "docs/result.schema.json",
    }  # fmt: skip
    assert len(copy.touched()) <= 5


def test_an_intrinsic_is_its_declaration_and_its_definition(copy: Copy) -> None:
    name = "integer_functions"
    declared, defined = f"kit/simt/device/{name}.hpp", f"kit/simt/device_impl/{name}.cpp"
    last = "int __popcll(unsigned long long a);\n"
    copy.replace(declared, last, f"{last}int {INTRINSIC}(unsigned a, unsigned b);\n")
    text = (copy.root / defined).read_text(encoding="utf-8")
    first = next(line for line in text.splitlines(keepends=True) if line.startswith("int __popc("))
    copy.replace(
        defined, first, f"int {INTRINSIC}(unsigned a, unsigned b) {{ return __popc(a) + __popc(b); }}\n{first}"
    )

    # The definition comes before the library's own, which is then not linked.
    kit = json.loads((ROOT / "build" / "kit.json").read_text(encoding="utf-8"))
    made = copy.compile((copy.root / defined).read_text(encoding="utf-8"), "-O1", "-c").rename(copy.root / f"{name}.o")
    kit["archives"] = [str(made), *kit["archives"]]
    kit["includes"] = [str(copy.root / "kit" / "include")]
    (copy.root / "assignments").mkdir()  # as every course has
    (copy.root / "build" / "bin").symlink_to(ROOT / "build" / "bin")
    (copy.root / "build" / "kit.json").write_text(json.dumps(kit), encoding="utf-8")
    (copy.root / "count.cu").write_text(CALLS_IT, encoding="utf-8")
    check = "from grader.commands.cli import app; app()"
    words = ["check", "count.cu", "--kernel", "count", "--block", "32", "--arg", "int[32]"]
    assert "Clean" in copy.python("-c", check, *words)

    assert named_files("an intrinsic: a CUDA function for device code") == ["kit/simt/device/", "kit/simt/device_impl/"]
    assert copy.touched() == {declared, defined}
