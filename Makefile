# The front door. Every target sets itself up first: what is missing is fetched once, see kit/setup/setup.sh.
# Variables are handed to recipes through the environment, so their values may hold spaces.
MAKEFLAGS += --no-print-directory
SHELL := /bin/bash
.DEFAULT_GOAL := help
OUT ?= out
SUBMISSIONS ?= tests/class
LAB ?=
CASE ?=
OPTIONS ?=
FILE ?=
SHAPE ?=
BLOCK ?=
SWEEP ?=
EXPORT ?=
export OUT SUBMISSIONS LAB CASE OPTIONS FILE SHAPE BLOCK SWEEP EXPORT

setup := ./kit/setup/setup.sh
tilelab := .venv/bin/tilelab
# One --lab for each lab named: LAB="01-naive 02-tiled".
labs := $${LAB:+$$(printf -- '--lab %s ' $$LAB)}
# One --export for each format named: EXPORT="grades-csv another".
exports := $${EXPORT:+$$(printf -- '--export %s ' $$EXPORT)}

.PHONY: help setup grade handouts images bundle test test-gpu test-aarch64 watch report trace profile bench check lint tidy format clean
help:  ## what there is
	@echo "Tilelab grades CUDA matrix-multiplication kernels, with or without a GPU."
	@echo
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo "  make grade SUBMISSIONS=folder-or-zip OUT=folder LAB=01-naive    all three may be left out"
	@echo "  make test LAB=02-tiled CASE=\"a test's name\"                     what a student runs; LAB alone for all tests"

setup:  ## get what is missing and build; the other targets do so by themselves
	@$(setup)

grade:  ## grade SUBMISSIONS into OUT (left out: a bundled class, into out/)
	@$(setup) && $(tilelab) grade "$$SUBMISSIONS" --out "$$OUT" $(labs) $(exports) $${SANITIZE:+--sanitize} $${SWEEP:+--sweep}

handouts:  ## make the archive that students are given, in build/handouts; with LAB=..., of these labs
	@$(setup) && $(tilelab) handouts $(labs)

images:  ## container images for students and graders, see docker/README.md; IMAGES=gpu-grader, OPTIONS="..." for the builder
	@$(setup) && docker/images.sh $$OPTIONS

bundle:  ## all that set-up fetches in one archive, for machines without a network; PYTHON=3.12, OPTIONS=--cuda for nvcc too
	@$(setup) bundle $$OPTIONS

test:  ## the project's own tests; with LAB=..., that lab's public tests on its skeleton
	@if [ -n "$$LAB" ]; then $(setup) && $(tilelab) test $$LAB $${CASE:+--case "$$CASE"}; \
	else $(setup) test && .venv/bin/python tests/suite.py; fi

test-gpu:  ## what only a machine with a GPU can show, with a table at the end; elsewhere everything is skipped
	@$(setup) test && .venv/bin/python tests/gpu_table.py

watch:  ## a student's tests again whenever a file in assignments/ is saved; with LAB=..., that lab's
	@$(setup) && $(tilelab) watch $$LAB $${CASE:+--case "$$CASE"}

report:  ## the page of a student's own tests; with LAB=..., of that lab
	@$(setup) && $(tilelab) report $$LAB $${SWEEP:+--sweep}

trace:  ## what one block of your kernel does on a small input, step by step; LAB=... SHAPE=8x8x8
	@$(setup) && $(tilelab) trace $${FILE:+"$$FILE"} $${LAB:+--lab "$$LAB"} $${SHAPE:+--shape "$$SHAPE"} $${BLOCK:+--block "$$BLOCK"}

profile:  ## what your kernel asks of memory, line by line, as Nsight Compute counts it; LAB=... SHAPE=128x128x128
	@$(setup) && $(tilelab) profile $${FILE:+"$$FILE"} $${LAB:+--lab "$$LAB"} $${SHAPE:+--shape "$$SHAPE"}

test-aarch64:  ## the kit's tests and the labs' corpus on 64-bit ARM, emulated (needs g++-aarch64-linux-gnu, qemu-user-static)
	@$(setup) test && .venv/bin/python tests/aarch64/emulated.py

bench:  ## what grading costs, as ratios to nvcc and to plain execution; with a GPU, the solutions over sizes (a quiet machine; minutes)
	@$(setup) && "$$(cat build/.cmake)" --build build --target judge-bench >/dev/null && .venv/bin/python tests/benchmarks/ratios.py
	@.venv/bin/python tests/benchmarks/swept_solutions.py

check:  ## prove that the course is fit to be given (kernels, handout, write-ups, leaks); with LAB=..., of these labs
	@$(setup) && $(tilelab) check-course $(labs)

lint:  ## look at the sources without changing them
	@$(setup) dev
	@.venv/bin/ruff check . && .venv/bin/ruff format --check . && .venv/bin/mypy
	@git ls-files -z 'kit/*.[ch]pp' 'tests/kit/*.cpp' '*_tests.cpp' | xargs -0 -r .venv/bin/clang-format --dry-run --Werror
	@! command -v shellcheck >/dev/null || shellcheck --shell=bash --severity=warning --exclude=SC2154,SC2034 kit/setup/*.sh docker/*.sh docker/grader/*.sh .ci/run  # pieces share setup.sh's variables

tidy:  ## look deeper for mistakes in the C++ sources, where clang-tidy is installed (minutes)
	@command -v clang-tidy >/dev/null || { echo "install clang-tidy first"; exit 1; }
	@$(setup) && "$$(cat build/.cmake)" -S . -B build/tidy -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
	  -DCMAKE_PREFIX_PATH="$$PWD/.tilelab/prefix/usr" >/dev/null  # clang cannot read GCC's precompiled headers
	@git ls-files -z 'kit/*.cpp' | xargs -0 -r -n 4 -P "$$(nproc)" clang-tidy --quiet -p build/tidy

format:  ## bring the sources into shape
	@$(setup) dev
	@.venv/bin/ruff check --fix-only . ; .venv/bin/ruff format .
	@git ls-files -z 'kit/*.[ch]pp' 'tests/kit/*.cpp' '*_tests.cpp' | xargs -0 -r .venv/bin/clang-format -i

clean:  ## remove what was built; .venv and unpacked packages stay
	@rm -rf build
