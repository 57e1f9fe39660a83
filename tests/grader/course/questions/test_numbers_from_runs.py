"""Every right number of every lab's questions comes out of a run: of a program that does what the question describes, or of a launch
whose accesses are counted. What was measured on a GPU stands in the write-up's table. So no number that was worked out by hand stays wrong.
"""

from __future__ import annotations

import json
import re
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

from grader.course.number_text import rounded
from grader.course.question_file import NumberSpec, load_questions
from grader.engines.toolset import Toolset
from grader.model.labs import lab_ids, load_lab
from grader.run.kernels.kernel_source import read_kernel_source
from grader.run.launches.kernel_check import Checked, CheckRequest, check_kernel

ROOT = Path(__file__).resolve().parents[4]
KERNELS = ROOT / "tests" / "labs" / "questions"
BLOCKS, BLOCK = 16, 256
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum"
REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_{}.sum"
PASSES = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
READS = "smsp__inst_executed_op_shared_ld.sum"


def asked() -> dict[str, tuple[Fraction, NumberSpec]]:
    """By lab/question/label: the right number, and how it is compared."""
    found: dict[str, tuple[Fraction, NumberSpec]] = {}
    for lab_id in lab_ids(ROOT):
        questions = load_questions(load_lab(ROOT, lab_id))
        assert questions is not None
        specs = {(one.id, number.label): number for one in questions.questions for number in one.number}
        found |= {"/".join((lab_id, *key)): (value, specs[key]) for key, value in questions.numbers.items()}
    return found


ASKED = asked()


@pytest.fixture(scope="module")
def computed() -> dict[str, Fraction]:
    """What the program prints. It has to be clean itself."""
    command = [str(ROOT / ".venv" / "bin" / "tilelab"), "run", "--json", str(KERNELS / "answered_numbers.cu")]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    report = json.loads(run.stdout)
    assert (run.returncode, report["findings"], report["host"]) == (0, [], []), report["message"]
    return {place: Fraction(number) for place, number in re.findall(r"^(.+) = (\S+)$", report["output"], re.MULTILINE)}


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Fraction]:
    source = read_kernel_source(KERNELS / "answered_counts.cu")
    arguments = [f"float[{BLOCKS * BLOCK}]=random"] * 4
    request = CheckRequest(source.name, "answered_counts", (BLOCKS, 1, 1), (BLOCK, 1, 1), 0, arguments)
    toolset = Toolset.open(ROOT, allow_no_sandbox=True)
    launch = check_kernel(toolset, source, request, tmp_path_factory.mktemp("counts"))
    assert isinstance(launch, Checked)
    assert launch.traffic is not None
    marks = {
        at: mark
        for at, text in enumerate(source.texts[source.name].split("\n"), 1)
        for mark in re.findall(r"// \[(.+)\]$", text)
    }
    lines = {marks[one.line]: one.metrics for one in launch.traffic.lines if one.line in marks}
    assert sorted(lines) == sorted(marks.values())
    numbers = BLOCKS * BLOCK

    def each(mark: str, metric: str, base: str) -> Fraction:
        return Fraction(lines[mark][metric], lines[mark][base])

    def sectors(mark: str) -> Fraction:
        return each(mark, SECTORS.format("ld"), REQUESTS.format("ld"))

    def passes(width: int) -> Fraction:
        return each(f"column of {width}", PASSES, READS)

    def bytes_of(*marks: str) -> Fraction:
        moved = sum(lines[mark].get(SECTORS.format(way), 0) for mark in marks for way in ("ld", "st"))
        return Fraction(32 * moved, numbers)

    tiles = ("02 tile of A", "02 tile of B")
    loads = sum(lines[mark][REQUESTS.format("ld")] for mark in tiles)
    assert sectors(tiles[0]) == sectors(tiles[1])
    return {
        "01-naive/sectors-of-a-warp/sectors of A": sectors("01 row of A"),
        "01-naive/sectors-of-a-warp/sectors of B": sectors("01 row of B"),
        "02-tiled/sectors-of-a-load/requests of one warp": Fraction(loads, numbers // 32),
        "02-tiled/sectors-of-a-load/sectors of one request": sectors(tiles[0]),
        "04-open/sectors-for-a-product/sectors for each product": Fraction(
            sum(lines[mark][SECTORS.format("ld")] for mark in ("04 tile of A", "04 tile of B")), BLOCKS * 64 * 64 * 16
        ),
        "04-open/column-of-a-tile/accesses with 32": passes(32),
        "04-open/column-of-a-tile/accesses with 33": passes(33),
        "05-transpose/passes-of-a-column/passes with 33": passes(33),
        "05-transpose/passes-of-a-column/passes with 34": passes(34),
        "05-transpose/passes-of-a-column/passes with 40": passes(40),
        "05-transpose/banks-of-small-tiles/lanes without padding": passes(16),
        "05-transpose/banks-of-small-tiles/lanes with padding": passes(17),
        "08-scan/bytes/scan, then add": bytes_of(
            "08 scan: loads", "08 scan: stores", "08 add: loads", "08 add: stores"
        ),
        "08-scan/bytes/sum, then scan": bytes_of("08 sum: loads", "08 scan of sums: loads", "08 scan of sums: stores"),
        "10-softmax/reads-of-each-element/with three kernels": bytes_of("10 maxima", "10 sums", "10 division") / 4,
        "10-softmax/reads-of-each-element/with one kernel": bytes_of("10 one kernel") / 4,
    }


@pytest.fixture(scope="module")
def measured() -> dict[str, Fraction]:
    """From the write-up's table of speeds, in TFLOP/s, which a test holds against the drawn ones."""
    text = (ROOT / "assignments" / "04-open" / "README.md").read_text(encoding="utf-8")
    row = re.search(r"^\| 4096 \| (.+) \|$", text, re.MULTILINE)
    peak = re.search(r"([0-9]+) TFLOP/s of the data sheet", text)
    assert row is not None
    assert peak is not None
    speeds = [Fraction(cell.split()[0]) for cell in row[1].split(" | ")]
    found = {}
    for name, speed in (("naive", speeds[0]), ("cuBLAS", speeds[-1])):
        found[f"04-open/naive-and-library/{name}"] = Fraction(2 * 4096**3) / (speed * 10**9)
        found[f"04-open/naive-and-library/{name}, of the peak"] = speed / int(peak[1])
    return found


def test_every_right_number_is_what_a_run_gives(
    computed: dict[str, Fraction], counted: dict[str, Fraction], measured: dict[str, Fraction]
) -> None:
    found = {**computed, **counted, **measured}
    assert len(found) == len(computed) + len(counted) + len(measured)
    assert sorted(found) == sorted(ASKED)
    given = {place: rounded(found[place], spec.digits) for place, (_, spec) in ASKED.items()}
    assert given == {place: number for place, (number, _) in ASKED.items()}
