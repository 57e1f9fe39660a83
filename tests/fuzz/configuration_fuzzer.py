"""Fuzzes what an instructor or a full disk may have spoilt: lab.toml, grading.toml, kit.json, the seed's file, kept outcomes.

Each of them is either refused in one sentence that names the file, or taken; and what was taken can be scored and shown.
"""

from __future__ import annotations

import json
import math
import random
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from document_edits import as_json, edited_bytes, edited_tree
from fuzzer import WrongError
from shown_outcome import render_outcome

from grader.engines.toolset import Toolset
from grader.model.course_root import course_seed, load_labs
from grader.model.errors import RemediableError
from grader.model.labs import Lab, load_lab
from grader.model.outcome import JudgedCase, LabOutcome, unjudged
from grader.model.result import Build, Launch, Traffic
from grader.model.verdicts import Verdict
from grader.roll.batch.job_store import OUTCOME_JSON, JobStore, lab_fingerprint
from grader.run.scoring.lab_score import score_lab

_SHARES = {"lab.toml": 5, "grading.toml": 6, "outcome.json": 3, "seed": 2, "kit.json": 1}
_METRICS = {
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 2000, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 500,
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": 200, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": 50,
}  # fmt: skip


@dataclass(frozen=True)
class ConfigurationFuzzer:
    root: Path  # of the course that is copied
    outcome: LabOutcome = field(hash=False)  # as a batch keeps it
    name: str = "configuration"
    seconds: float = 60  # a mended kit.json may make the toolset compile its header anew

    def make(self, chance: random.Random, folder: Path) -> None:
        target = chance.choices(list(_SHARES), list(_SHARES.values()))[0]
        lab = chance.choice(load_labs(self.root, []))
        assert lab.private_dir is not None
        public, private = lab.public_dir / "lab.toml", lab.private_dir / "grading.toml"
        texts = {
            f"assignments/{lab.id}/lab.toml": self._toml(public, chance, edit=target == "lab.toml"),
            f"solutions/{lab.id}/grading.toml": self._toml(private, chance, edit=target == "grading.toml"),
        }
        if target == "kit.json":
            texts["build/kit.json"] = self._json((self.root / "build" / "kit.json").read_bytes(), chance)
        if target == "seed":
            seeds = (
                b"12\n",
                b"9" * chance.choice((30, 39, 5000)),
                "٣٣".encode(),
                b"\xff",
                b"",
                b"0x12",
                b"1_000",
                b"-1",
                "²".encode(),
            )
            texts[".tilelab/seed"] = edited_bytes(chance.choice(seeds), chance, chance.choice((0, 0, 1, 3)))
        if target == "outcome.json":
            texts["jobs/key.json"] = self._json(OUTCOME_JSON.dump_json(self.outcome), chance)
        for name, text in texts.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(text)
        (folder / "target.json").write_text(json.dumps([target, lab.id]), encoding="utf-8")

    @staticmethod
    def _json(text: bytes, chance: random.Random) -> bytes:
        if chance.random() < 0.3:
            return edited_bytes(text, chance, chance.choice((1, 3, 10)))
        return as_json(edited_tree(json.loads(text), chance, chance.choice((1, 1, 2, 5))))

    @staticmethod
    def _toml(path: Path, chance: random.Random, *, edit: bool) -> bytes:
        text = path.read_bytes()
        if not edit:
            return text
        if chance.random() < 0.3:
            return edited_bytes(text, chance, chance.choice((1, 3, 10)))
        if chance.random() < 0.05:
            return text.replace(b"= ", b"= " + b"[" * chance.choice((90, 3000)), 1)  # deeper than a reader may go
        edited = edited_tree(tomllib.loads(text.decode()), chance, chance.choice((1, 1, 2, 5)))
        return as_toml(edited if isinstance(edited, dict) else {"": edited})

    def check(self, folder: Path) -> str:
        target, lab_id = json.loads((folder / "target.json").read_text(encoding="utf-8"))
        try:
            self._readers(folder, lab_id)[target]()
        except RemediableError as refusal:
            if (
                str(folder) not in str(refusal) and target != "kit.json"
            ):  # a kit may name another path, which is refused
                message = f"the refusal does not name the file: {refusal}"
                raise WrongError(message) from refusal
            return f"{target} refused"
        return f"{target} taken"

    def _readers(self, folder: Path, lab_id: str) -> Mapping[str, Callable[[], None]]:
        def read_lab() -> None:
            _check_lab(load_lab(folder, lab_id))

        def read_outcome() -> None:
            outcome = JobStore(folder / "jobs").find("key")
            if outcome is not None:
                render_outcome(load_lab(self.root, self.outcome.lab_id), outcome, "// a file\n" * 20)

        def open_kit() -> None:
            (folder / "build" / "bin").mkdir()
            for name in ("bin/confine", "prelude"):
                (folder / "build" / name).symlink_to(self.root / "build" / name)
            (folder / "kit").symlink_to(self.root / "kit")
            Toolset.open(folder, allow_no_sandbox=True)

        def read_seed() -> None:
            if not 0 <= course_seed(folder) < 1 << 128:
                message = "the seed is out of its range"
                raise WrongError(message)

        return {
            "lab.toml": read_lab,
            "grading.toml": read_lab,
            "kit.json": open_kit,
            "seed": read_seed,
            "outcome.json": read_outcome,
        }


def _check_lab(lab: Lab) -> None:
    """What was taken can be scored and shown, for a file that was never judged and for one that is right."""
    if Path(lab.public.file).name != lab.public.file:
        message = f"{lab.public.file!r} is no plain file name, and was taken as the file that students hand in"
        raise WrongError(message)
    lab_fingerprint(lab)
    for outcome in (unjudged(lab.id, Verdict.REJECTED, "refused"), _right(lab)):
        result = score_lab(lab, outcome)
        if (
            not all(map(math.isfinite, (result.points, result.max_points, lab.max_points)))
            or not 0 <= result.points <= result.max_points
        ):
            message = f"{result.points} of {result.max_points} points"
            raise WrongError(message)
        render_outcome(lab, outcome, "// a file\n")


def _right(lab: Lab) -> LabOutcome:
    traffic = Traffic(metrics=_METRICS, complete=True, work_unit="multiply-add", work=30000, compulsory_bytes=4096)
    launch = Launch(shape="M=32 N=32 K=32", inputs="random", verdict=Verdict.PASS, grid=(2, 2, 1), block=(16, 16, 1),
                    counters={"global_load_bytes": 8192, "global_store_bytes": 4096}, traffic=traffic)  # fmt: skip
    cases = tuple(JudgedCase(case.name, passed=True, verdict=Verdict.PASS, launches=(launch,)) for case in lab.cases)
    return LabOutcome(lab.id, build=Build(ok=True), cases=cases)


def as_toml(tree: Mapping[str, Any]) -> bytes:
    """One line for each key at the top, with what JSON can say that TOML cannot left as it is: then it is refused."""
    lines = (f"{json.dumps(str(key), ensure_ascii=False)} = {_toml_value(value)}\n" for key, value in tree.items())
    return "".join(lines).encode("utf-8", "surrogatepass")


def _toml_value(value: Any) -> str:  # noqa: ANN401 -- any JSON
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(
                f"{json.dumps(str(key), ensure_ascii=False)} = {_toml_value(one)}" for key, one in value.items()
            )
            + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    if isinstance(value, float) and not isinstance(value, bool):
        return {1e308: "inf", 1e-320: "nan"}.get(value, repr(value))
    return json.dumps(value, ensure_ascii=False)
