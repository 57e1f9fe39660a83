"""`tilelab trace` where the student's host code launches: each kernel once, as `tilelab check` proposes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.cli.launches.trace_command import trace_own_launches
from grader.model.labs import load_lab
from grader.run.launches.lab_launch import LaunchRefusedError

ROOT = Path(__file__).resolve().parents[4]
LAB = load_lab(ROOT, "08-scan")


def test_each_kernel_of_a_launcher_is_launched_once_and_has_its_pages(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    file = ROOT / "solutions" / "08-scan" / "rejects" / "no_barrier_before_adding.cu"
    assert trace_own_launches(file, LAB, tmp_path, show=False) == 1
    said = capfd.readouterr().out
    assert "scan_blocks is launched once with made-up arguments, not as your host code does" in said
    assert "Data race" in said
    page = (tmp_path / "08-scan-scan_blocks.html").read_text()
    assert 'id="story"' in page
    assert "part[t] += part[t - step];" in page


def test_a_file_without_kernels_is_refused_with_what_to_do_instead(tmp_path: Path) -> None:
    file = tmp_path / "scan.cu"
    file.write_text("int main() { return 0; }\n")
    with pytest.raises(LaunchRefusedError, match="--kernel NAME` runs one of its kernels"):
        trace_own_launches(file, LAB, tmp_path)
