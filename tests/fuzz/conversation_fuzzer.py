"""Fuzzes what a hostile runner may say to the judge: a real judge, a runner that lies, and all that the grader makes of it.

Nobody computes anything. So whatever the runner says, no case may pass, the judge must write a report that holds each case once,
and every page can be made. `internal-error` is allowed here: a runner may say so of itself, and nobody gains by it.
"""

from __future__ import annotations

import json
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from document_edits import as_json, edited_bytes, edited_tree
from fuzzer import WrongError
from shown_outcome import check_tame, render_outcome

from grader.model.labs import Lab
from grader.model.outcome import LabOutcome
from grader.model.result import Build
from grader.run.judge_call import JudgeCall, run_judge

_RUNNER = Path(__file__).resolve().with_name("lying_runner.py")
_HOW = ("frame",) * 60 + ("bare", "bytewise", "twice", "unasked", "half", "long", "files", "dies", "closes")
_SOURCE = "".join(f"// line {number}\n" for number in range(1, 41))


@dataclass(frozen=True)
class ConversationFuzzer:
    judge: Path
    lab: Lab
    name: str = "conversation"
    seconds: float = 100

    def make(self, chance: random.Random, folder: Path) -> None:
        messages = []
        for _ in range(chance.choice((1, 3, 10))):
            data = as_json(edited_tree(honest_reply(chance), chance, chance.choice((0, 0, 1, 1, 2, 6))))
            if chance.random() < 0.1:
                data = edited_bytes(data, chance, chance.choice((1, 3, 10)))
            messages.append((chance.choice(_HOW), data.decode("latin-1")))
        (folder / "messages.json").write_text(json.dumps(messages), encoding="utf-8")

    def check(self, folder: Path) -> str:
        argv = [sys.executable, "-I", "-S", str(_RUNNER), str(folder / "messages.json")]
        lines = _SOURCE.split("\n")
        cases = run_judge(JudgeCall(self.judge, 1, seconds=self.seconds - 10), self.lab, argv, folder, lines)
        names = sorted(case.name for case in cases if case.seen == 1)
        if names != sorted(case.name for case in self.lab.cases):
            message = f"the report does not hold each case once: {[(case.name, case.seen) for case in cases]}"
            raise WrongError(message)
        if passed := [case.name for case in cases if case.passed and self._judges(case.name)]:
            message = f"{passed[0]!r} passed, although nothing was computed"
            raise WrongError(message)
        result = render_outcome(self.lab, LabOutcome(self.lab.id, build=Build(ok=True), cases=cases), _SOURCE)
        check_tame(result)
        if result.points > 0:
            message = f"{result.points} points for a runner that computed nothing"
            raise WrongError(message)
        return result.verdict.value

    def _judges(self, name: str) -> bool:
        return any(case.name == name and case.role == "correctness" for case in self.lab.cases)


def honest_reply(chance: random.Random) -> dict[str, Any]:
    """A reply with every field that there is."""
    site = {
        "file": "matmul.cu",
        "line": 12,
        "function": "matmul(float*)",
        "access": "write",
        "block": [0, 1, 0],
        "thread": [3, 4, 0],
    }
    kinds = ["race", "out-of-bounds", "uninitialized-read", "barrier-divergence", "input-modified", "misaligned"]
    findings = [
        {"kind": kind, "severity": chance.choice(("error", "note", "note")), **site, "other": site | {"line": 15, "access": "read"},
         "array": "As", "element": "As[3][17]", "message": "two threads meet", "count": 7}
        for kind in chance.sample(kinds, 2)
    ]  # fmt: skip
    metrics = {
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 12,
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 48,
    }
    return {
        "status": chance.choice(("completed", "completed", "completed", "launch-error", "crash", "timeout", "internal-error")),
        "detail": "what happened",
        "config": {"grid": [2, 2, 1], "block": [16, 16, 1], "shared_bytes": 4096},
        "findings": findings if chance.random() < 0.6 else [],
        "counters": {"global_load_bytes": 8192, "global_store_bytes": 1024, "events": 1000},
        "printed": "caf\u00e9\n",
        "needs_reversed_run": chance.random() < 0.2,
        "left_data": chance.random() < 0.2,
        "trace": {"arrays": [{"name": "A", "space": "global", "element": "float", "element_bytes": 4, "dimensions": [4, 4], "base": 0}],
                  "places": [{"file": "matmul.cu", "function": "f", "line": 3, "calls": "", "element": ""}],
                  "steps": "0,1,0,0,4,4,7,0,0,0,1,1025,0,0,4,4,7,0,0,0",
                  "complete": True, "full": False},
        "traffic": {"metrics": metrics, "lines": [{"file": "matmul.cu", "line": 12, "metrics": metrics}], "complete": True},
    }  # fmt: skip
