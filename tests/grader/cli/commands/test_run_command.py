"""`tilelab run`: exit statuses, what a program may reach, and what stays on standard output."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

KERNEL = "#include <cstdio>\n#include <cstdlib>\n__global__ void set(int* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 7; }\n"


def run(folder: Path, body: str, *words: str, before: str = KERNEL) -> subprocess.CompletedProcess[str]:
    """A program with this main."""
    (folder / "prog.cu").write_text(f"{before}int main(int count, char** words) {{\n{body}\n}}\n", encoding="utf-8")
    command = [str(Path(sys.executable).with_name("tilelab")), "run", "prog.cu", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


def test_the_programs_own_status_is_told_and_its_output_stands_alone(tmp_path: Path) -> None:
    body = "int* x; cudaMalloc(&x, 32 * sizeof(int)); set<<<1, 32>>>(x, 32); int h; cudaMemcpy(&h, x, 4, cudaMemcpyDeviceToHost);\n"
    body += 'cudaFree(x); printf("%d %s\\n", h, words[1]); return 5;'
    done = run(tmp_path, body, "--json")
    assert (done.returncode, done.stdout) == (4, "7 --json\n"), done.stderr
    assert "Ended with status 5" in done.stderr
    assert "nothing was found" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("next: look at what the program says")


def test_a_mistake_changes_the_exit_status(tmp_path: Path) -> None:
    body = "int* x; cudaMalloc(&x, 16 * sizeof(int)); set<<<1, 32>>>(x, 32); cudaDeviceSynchronize(); cudaFree(x);"
    done = run(tmp_path, body)
    assert done.returncode == 1
    assert "x[16]" in done.stderr


def test_a_program_reaches_the_current_folder_and_nothing_else(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "input.txt").write_text("31", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("32", encoding="utf-8")
    body = (
        'int n = 0; FILE* in = fopen("input.txt", "r"); if (in) { if (fscanf(in, "%d", &n) != 1) n = -1; fclose(in); }\n'
        'FILE* out = fopen("output.txt", "w"); if (out) { fprintf(out, "%d", n); fclose(out); }\n'
        'fopen("../made.txt", "w"); printf("%d %d\\n", n, fopen("../secret.txt", "r") != 0);'
    )
    done = run(inside, body)
    assert done.stdout == "31 0\n", done.stderr
    assert (inside / "output.txt").read_text(encoding="utf-8") == "31"
    assert not (tmp_path / "made.txt").exists()  # a sandbox may show a folder of its own there


def test_a_library_is_refused_by_its_name(tmp_path: Path) -> None:
    done = run(tmp_path, "cufftHandle plan; return cufftPlan1d(&plan, 8, CUFFT_C2C, 1);", before="#include <cufft.h>\n")
    assert done.returncode == 2
    assert "cuFFT" in done.stderr
