"""From the broker's record to sentences with the student's lines and names."""

from __future__ import annotations

from typing import Any

import pytest

from grader.run.programs.host_build import UnusedResult
from grader.run.programs.host_toolchain import SourceLine
from grader.run.programs.program_findings import crashed, ending, host_findings, kernel_findings
from grader.run.programs.run_record import AllocationRecord, MemoryNames, RunFacts, RunRecord

LINES = [
    "int main() {",
    "  float *d_a, *d_b;",
    "  CHECK(cudaMalloc((void**)&d_a, n * sizeof(float))); cudaMalloc(&d_b, 4);",
    "  cudaMemcpy(d_a, h_a, 2 * n, cudaMemcpyHostToDevice);",
    "  scale<<<1, 2048>>>(d_a);",
    "  cudaFree(d_a);",
    "}",
]
A, B = 0x200000000000, 0x200000200000
PLACES = {
    10: SourceLine("a.cu", 3),
    11: SourceLine("a.cu", 3),
    20: SourceLine("a.cu", 4),
    30: SourceLine("a.cu", 5),
    40: SourceLine("a.cu", 6),
}


def facts(unused: tuple[UnusedResult, ...] = (), **record: Any) -> RunFacts:  # noqa: ANN401 - fields of a record
    allocations = [
        {"index": 0, "address": A, "bytes": 4096, "at": 10},
        {"index": 1, "address": B, "bytes": 4, "at": 11},
    ]
    made = RunRecord.model_validate({"ended": "exit", "allocations": allocations} | record)
    return RunFacts(made, PLACES, {"a.cu": LINES}, {"_Z5scalePf": "scale"}, unused)


def test_memory_has_the_name_of_the_pointer_even_where_one_line_allocates_twice() -> None:
    found = host_findings(facts(host=[{"kind": "leak", "at": 11, "allocation": 1, "bytes": 4}]))
    assert [(one.line, one.message) for one in found] == [(3, "`d_b` (4 bytes) is allocated here and never freed.")]


def test_a_copy_that_is_too_long_says_both_sizes_and_the_line_of_the_allocation() -> None:
    record = {"kind": "copy-size", "at": 20, "allocation": 0, "bytes": 8192, "room": 4096, "side": "to"}
    (found,) = host_findings(facts(host=[record]))
    assert (found.line, found.other.line if found.other else 0) == (4, 3)
    assert "8,192 bytes" in found.message
    assert "`d_a`, allocated in line 3, has only 4,096 bytes" in found.message


@pytest.mark.parametrize(("seen", "severity"), [(True, "note"), (False, "error")])
def test_a_failed_call_is_a_mistake_only_where_nobody_looks_at_its_error(seen: bool, severity: str) -> None:
    unused = (UnusedResult("a.cu", 4, "cudaMemcpy"),)
    (found,) = host_findings(facts(unused, errors=[{"op": "cudaMemcpy", "error": 1, "at": 20, "seen": seen}]))
    assert (found.severity, found.line) == (severity, 4)
    assert "invalid argument" in found.message


@pytest.mark.parametrize(("op", "kind"), [("allocate", "error"), ("free", "unchecked-error")])
def test_nobody_looks_at_a_value_only_where_it_is_that_calls_value(op: str, kind: str) -> None:
    lines = {"a.cu": ["if (cudaMalloc(&d_a, n) != cudaSuccess) { cudaFree(d_b); return 0; }"]}
    record = RunRecord.model_validate({"ended": "exit", "errors": [{"op": op, "error": 2, "at": 10, "seen": False}]})
    unused = (UnusedResult("a.cu", 1, "cudaFree"),)
    (found,) = host_findings(RunFacts(record, {10: SourceLine("a.cu", 1)}, lines, {}, unused))
    assert found.kind == kind


def test_a_launch_whose_error_is_never_asked_for_is_named_once_for_its_line() -> None:
    record = {"kind": "unasked-launch", "at": 30, "kernel": "_Z5scalePf", "error": 9}
    found = host_findings(facts(host=[record, record]))
    assert [(one.line, one.count) for one in found] == [(5, 2)]
    assert "`scale` fails here" in found[0].message


def test_a_finding_of_a_kernel_names_the_launch_and_the_students_memory() -> None:
    finding = {
        "kind": "out-of-bounds",
        "severity": "error",
        "file": "a.cu",
        "line": 5,
        "access": "write",
        "array": "memory#0",
        "element": "memory#0[4096]",
        "message": "memory#0[4096] is past the end.",
        "kernel": "_Z5scalePf",
        "at": 30,
    }
    (found,) = kernel_findings(facts(findings=[finding]))
    assert (found.element, found.kernel, found.launch_line) == ("d_a[4096]", "scale", 5)
    assert found.source == LINES[4]


def test_a_launch_that_did_not_end_is_a_finding_of_its_own() -> None:
    launch = {"kernel": "_Z5scalePf", "at": 30, "status": "timeout", "detail": "The launch ran out of time."}
    (found,) = kernel_findings(facts(launches=[launch]))
    assert (found.kind.value, found.line, found.message) == ("timeout", 5, "The kernel did not end.")


def test_a_launch_that_the_end_of_the_run_stopped_did_nothing_wrong() -> None:
    launch = {"kernel": "_Z5scalePf", "at": 30, "status": "timeout"}
    error = {"op": "launch", "error": 702, "at": 30, "seen": False}
    stopped = facts(ended="timeout", launches=[launch], errors=[error])
    assert (kernel_findings(stopped), host_findings(stopped)) == ((), ())


def test_what_kernels_print_after_the_last_wait_is_told_as_lost() -> None:
    launch = {"kernel": "_Z5scalePf", "at": 30}
    (found,) = host_findings(facts(launches=[launch], printed="hello 1\nhello 2\n"))
    assert (found.kind, found.line, "hello 1" in found.message) == ("lost-output", 5, True)


def test_a_program_that_gives_up_after_an_error_leaks_nothing() -> None:
    leak = {"kind": "leak", "at": 10, "allocation": 0, "bytes": 4096}
    error = {"op": "copy", "error": 1, "at": 20, "seen": True}
    assert [one.kind for one in host_findings(facts(host=[leak], errors=[error], status=1))] == ["error"]
    assert [one.kind for one in host_findings(facts(host=[leak], errors=[error], status=0))] == ["error", "leak"]


def test_the_launch_that_ran_when_the_time_was_over_is_no_mistake() -> None:
    record: dict[str, Any] = {
        "ended": "timeout",
        "launches": [{"kernel": "_Z5scalePf", "at": 30, "status": "timeout", "error": 702}],
        "errors": [{"op": "launch", "error": 702, "at": 30, "seen": False}],
        "host": [{"kind": "unasked-launch", "at": 30, "error": 702}],
    }
    assert kernel_findings(facts(**record)) == ()
    assert host_findings(facts(**record)) == ()


def test_the_copy_that_set_too_little_is_named_with_what_was_never_set() -> None:
    allocation = {"index": 0, "address": A, "bytes": 4096, "at": 10, "filled": {"at": 20, "bytes": 1024}}
    finding = {"kind": "uninitialized-read", "array": "memory#0", "message": "It has no value.", "at": 30}
    (found,) = kernel_findings(facts(allocations=[allocation], findings=[finding]))
    assert found.message == "It has no value. Line 4 sets only the first 1,024 of the 4,096 bytes of `d_a`."


def test_a_crash_is_told_in_the_users_line_nearest_to_it() -> None:
    (found,) = host_findings(
        facts(host=[{"kind": "host-crash", "at": 99, "frames": [99, 20, 30], "signal": 11, "address": 0}])
    )
    assert (found.line, "null pointer" in found.message) == (4, True)


class Places(dict[int, SourceLine]):
    """Counts how often it is asked."""

    asked = 0

    def get(self, key: int, default: SourceLine | None = None) -> SourceLine | None:  # type: ignore[override]  # one overload of three
        self.asked += 1
        return super().get(key, default)


@pytest.mark.parametrize("count", [100, 1000])
def test_names_of_many_allocations_take_work_in_proportion_to_their_number(count: int) -> None:
    records = [AllocationRecord(index=i, address=A + i, bytes=4, at=10 + i % 2) for i in range(count)]
    places = Places(PLACES)
    names = MemoryNames(records, places, {"a.cu": LINES})
    assert (names.name(0), names.name(count - 1)) == ("d_a", "d_b")
    assert places.asked <= 3 * count


def test_work_that_the_host_did_is_told_in_the_line_of_its_copy() -> None:
    sent, read = host_findings(facts(host=[{"kind": "host-computed", "at": 20}, {"kind": "host-reads", "at": 30}]))
    assert (sent.line, "sends numbers of the result" in sent.message) == (4, True)
    assert (read.line, "hangs on something that the host was shown" in read.message) == (PLACES[30].line, True)


def test_a_kind_that_is_not_known_is_shown_and_not_hidden() -> None:
    (found,) = host_findings(facts(host=[{"kind": "something-new", "at": 40}]))
    assert "something-new" in found.message


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"ended": "timeout", "limit": "processor-time", "most": 4000}, "it used 4 seconds of processor time"),
        ({"ended": "timeout", "limit": "wall-clock", "most": 3000}, "it did not end in 3 seconds"),
        (
            {"ended": "exit", "status": 153, "limit": "file-size", "most": 2 << 30},
            "it writes more than 2.0 GiB into a file",
        ),
        ({"ended": "exit", "status": 134, "limit": "memory", "most": 8 << 30}, "more memory than the 8.0 GiB"),
    ],
)
def test_the_limit_that_a_program_met_is_told_and_not_the_signal(record: dict[str, Any], said: str) -> None:
    made = RunRecord.model_validate(record)
    assert said in ending(made, 3)
    assert crashed(made) == (made.ended == "exit")


def test_a_crash_after_memory_was_refused_is_told_as_that() -> None:
    (found,) = host_findings(
        facts(host=[{"kind": "host-crash", "at": 20, "signal": 6, "refused_bytes": 24_000_000_000}])
    )
    assert (found.line, "24,000,000,000 bytes of the host's memory" in found.message) == (4, True)
