"""Fuzzes the kit's readers of messages, in C++ with libFuzzer: builds the program with Clang, and runs it once for each reader.

libFuzzer makes its inputs itself, guided by what the code does with them. The same seed and number of runs give the same inputs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from campaign import Campaign, Finding
from message_samples import message_samples

_LONGEST = 16_384  # bytes of an input
_FOUND = "SUMMARY:"


@dataclass(frozen=True)
class MessageFuzzing:
    program: Path
    scratch: Path
    name: str = "messages"

    def run(self, seed: int, seconds: float, cases: int, findings: Path) -> Campaign:
        """Each reader for its share of `seconds`; with `cases`, so many inputs for each instead."""
        done = Campaign(self.name)
        began = time.monotonic()
        samples = message_samples()
        for reader in samples:
            runs, trouble, artifact = self.run_reader(reader, seed, seconds / len(samples), cases)
            done.cases += runs
            done.tally[reader] += runs
            if trouble:
                kept = findings / f"{self.name}-{seed}-{reader}"
                shutil.rmtree(kept, ignore_errors=True)
                kept.mkdir(parents=True)
                if artifact is not None:
                    shutil.copy(artifact, kept / "input")
                (kept / "reader").write_text(reader, encoding="utf-8")
                (kept / "finding.txt").write_text(trouble, encoding="utf-8")
                done.findings.append(Finding(self.name, seed, runs, _summary(trouble), kept))
        done.seconds = time.monotonic() - began
        return done

    def run_reader(self, reader: str, seed: int, seconds: float, cases: int) -> tuple[int, str, Path | None]:
        """How many inputs were tried, what went wrong with the last of them, and the file that holds it."""
        folder = self.scratch / reader
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "corpus").mkdir(parents=True)
        samples = message_samples()
        (folder / "corpus" / "sample").write_bytes(samples.get(reader, samples["reply"]))
        limit = [f"-runs={cases}"] if cases else [f"-max_total_time={max(1, round(seconds))}"]
        options = [
            *limit,
            f"-seed={seed % (1 << 32) or 1}",
            f"-max_len={_LONGEST}",
            "-mutate_depth=1",
            "-timeout=10",
            "-rss_limit_mb=1024",
            "-print_final_stats=1",
        ]
        done = self._start(reader, [*options, f"-artifact_prefix={folder}/", str(folder / "corpus")])
        tried = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stderr)
        left = sorted(path for path in folder.iterdir() if path.is_file())
        return int(tried[1]) if tried else 0, done.stderr if done.returncode else "", left[0] if left else None

    def again(self, folder: Path) -> str:
        """What is wrong with a kept input, or an empty text."""
        done = self._start((folder / "reader").read_text(encoding="utf-8"), [str(folder / "input")])
        return done.stderr if done.returncode else ""

    def finds_what_is_planted(self) -> bool:
        """Whether the mistake in the reader `planted` is found. If not, no other result means anything."""
        return "message-fuzz: planted" in self.run_reader("planted", 1, 0, 50_000)[1]

    def _start(self, reader: str, arguments: list[str]) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "TILELAB_READER": reader}
        return subprocess.run(
            [str(self.program), *arguments],
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )


def _summary(log: str) -> str:
    """The one line of libFuzzer, and what the program said itself."""
    lines = [
        line
        for line in log.splitlines()
        if line.startswith(("message-fuzz:", _FOUND)) or "ERROR:" in line or "runtime error" in line
    ]
    return "; ".join(lines) or log.strip()[-300:] or "it ended without a word"


def build(root: Path) -> Path:
    """The fuzzing program, built anew where a source changed. Raises subprocess.CalledProcessError with what the compiler said."""
    cmake = (root / "build" / ".cmake").read_text(encoding="utf-8").strip()
    folder = root / "build" / "fuzz" / "native"
    configure = [
        cmake,
        "-S",
        str(root),
        "-B",
        str(folder),
        "-DCMAKE_CXX_COMPILER=clang++",
        "-DTILELAB_FUZZ=ON",
        f"-DCMAKE_PREFIX_PATH={root}/.tilelab/prefix/usr",
    ]
    for command in (configure, [cmake, "--build", str(folder), "--target", "message-fuzz"]):
        subprocess.run(command, check=True, capture_output=True, text=True)
    return folder / "bin" / "message-fuzz"
