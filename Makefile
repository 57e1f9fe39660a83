# Every command of the project. Each sets itself up first: it fetches once what is missing, see kit/setup/setup.sh. Recipes get
# variables through the environment, so their values may contain spaces.
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
THREAD ?=
INPUTS ?=
GPU ?=
SWEEP ?=
EXPORT ?=
ASSIGNMENT ?=
ROSTER ?=
ATTEMPT ?=
TIMEZONE ?=
COMMENTS ?=
COURSE ?=
STUDENT ?=
PLATFORM ?=
BUNDLE ?=
IMAGE ?=
MINUTES ?= 10
SEED ?=
BASE ?=
BASE_TREE ?=
SCOPE ?= sample
ONLY ?=
export BASE BASE_TREE SCOPE ONLY MINUTES SEED OUT SUBMISSIONS LAB CASE OPTIONS FILE SHAPE BLOCK THREAD INPUTS GPU SWEEP EXPORT ASSIGNMENT ROSTER ATTEMPT TIMEZONE COMMENTS COURSE STUDENT PLATFORM BUNDLE IMAGE

setup := bash kit/setup/setup.sh
tilelab := .venv/bin/tilelab
# One --lab for each lab in LAB="01-naive 02-tiled".
labs := $${LAB:+$$(printf -- '--lab %s ' $$LAB)}
# One --export for each format in EXPORT="grades-csv another".
exports := $${EXPORT:+$$(printf -- '--export %s ' $$EXPORT)}

.PHONY: help setup grade export pages history autograder leaderboard handouts wheel images bundle test test-changed test-gpu test-aarch64 fuzz same watch report answers trace profile bench ladder order site check lint tidy format clean
help:  ## list these commands
	@echo "Tilelab grades CUDA matrix-multiplication kernels, with or without a GPU."
	@echo
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {said[$$1] = $$2; all[++count] = $$1} \
	  function group(title, names,  n, i, word) {n = split(names, word, " "); print title ":"; for (i = 1; i <= n; ++i) show(word[i]); print ""} \
	  function show(name,  n, i, word, line) {n = split(said[name], word, " "); line = sprintf("  make %-12s", name); \
	    for (i = 1; i <= n; ++i) {if (length(line word[i]) > 79) {print line; line = sprintf("%19s", "")} line = line " " word[i]} print line; delete said[name]} \
	  END {group("For an instructor", "handouts grade pages export history check wheel site leaderboard autograder images bundle"); \
	    group("What a student has", "test watch answers trace profile report"); print "For a maintainer:"; for (i = 1; i <= count; ++i) if (all[i] in said) show(all[i])}' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo "  make grade SUBMISSIONS=folder-or-zip OUT=folder LAB=01-naive    none is needed"
	@echo "  make grade EXPORT=\"canvas moodle-feedback\"                     docs/exports.md"
	@echo "  make export EXPORT=canvas ASSIGNMENT=\"Week 3 (4711)\"          Canvas's column"
	@echo "  make grade ROSTER=roster.csv                                    docs/roster.md"
	@echo "  make grade SUBMISSIONS=\"a.zip b.zip\" ATTEMPT=best           docs/downloads.md"
	@echo "  make grade COMMENTS=comments.toml                one comment for each mistake"
	@echo "  make test LAB=02-tiled CASE=\"a test's name\"               as a student runs it"

setup:  ## get what is missing and build; every other command does this first
	@$(setup) && echo "next: make grade"

grade:  ## grade SUBMISSIONS into OUT; without them, the bundled class into out/
	@$(setup) && $(tilelab) grade "$$SUBMISSIONS" --out "$$OUT" $(labs) $(exports) $${ASSIGNMENT:+--assignment "$$ASSIGNMENT"} $${ROSTER:+--roster "$$ROSTER"} $${ATTEMPT:+--attempt "$$ATTEMPT"} $${TIMEZONE:+--timezone "$$TIMEZONE"} $${COURSE:+--course "$$COURSE"} $${COMMENTS:+--comments "$$COMMENTS"} $${SANITIZE:+--sanitize} $${SWEEP:+--sweep} $${SEARCH_SECONDS:+--search-seconds "$$SEARCH_SECONDS"}

export:  ## write the grades in OUT in other formats, EXPORT="canvas moodle-feedback" ASSIGNMENT=...; docs/exports.md
	@$(setup) && $(tilelab) export "$$OUT" $(labs) $(exports) $${ASSIGNMENT:+--assignment "$$ASSIGNMENT"} $${ROSTER:+--roster "$$ROSTER"}

pages:  ## write the pages and exports of OUT again, with new comments and overrides; nothing is judged
	@$(setup) && $(tilelab) pages "$$OUT" $(exports) $${ASSIGNMENT:+--assignment "$$ASSIGNMENT"} $${COMMENTS:+--comments "$$COMMENTS"} $${COURSE:+--course "$$COURSE"}

history:  ## show how grades in OUT changed, and why; with STUDENT=..., those of one student
	@$(setup) && $(tilelab) history "$$OUT" $${STUDENT:+"$$STUDENT"}

autograder:  ## pack what a platform needs to grade by itself, PLATFORM=gradescope LAB=...; docs/autograders.md
	@$(setup) && $(tilelab) autograder "$$PLATFORM" $(labs) $${BUNDLE:+--bundle "$$BUNDLE"} $${IMAGE:+--image "$$IMAGE"}

leaderboard:  ## write the public leaderboard of OUT again; with LAB=..., of that timed lab
	@$(setup) && $(tilelab) leaderboard "$$OUT" $(labs)

handouts:  ## make the archive for students, in build/handouts; with LAB=..., for these labs only
	@$(setup) && $(tilelab) handouts $(labs)

wheel:  ## make a wheel for `pip install` and notebooks, in build/wheel; with LAB=..., with these labs only
	@$(setup) && PYTHONPATH=. .venv/bin/python handouts/wheel/make_wheel.py $$LAB

images:  ## make container images, IMAGES=gpu-grader OPTIONS="..." for the builder; docker/README.md
	@$(setup) && docker/images.sh $$OPTIONS

bundle:  ## pack everything that set-up fetches, for machines without a network; PYTHON=3.12, OPTIONS=--cuda for nvcc too
	@$(setup) bundle $$OPTIONS

test:  ## with LAB=..., run that lab's public tests on its starter; without LAB, the project's own tests
	@if [ -n "$$LAB" ]; then $(setup) && $(tilelab) test $$LAB $${CASE:+--case "$$CASE"}; \
	else $(setup) test && .venv/bin/python tests/suite.py; fi

test-changed:  ## run the tests that are near to what differs from the last commit, for about a minute; BASE=REVISION for another one
	@$(setup) test && .venv/bin/python tests/changed_tests.py

test-gpu:  ## run the tests that need a GPU, with a table at the end; without a GPU all are skipped
	@$(setup) test && .venv/bin/python tests/gpu_table.py

fuzz:  ## fuzz for MINUTES=10; SEED=... repeats a run, OPTIONS="--only kernels" for one fuzzer
	@$(setup) test && .venv/bin/python tests/fuzz/fuzz.py --minutes "$$MINUTES" $${SEED:+--seed "$$SEED"} $$OPTIONS

same:  ## compare results with those of revision BASE; SCOPE=whole, ONLY="class check run", BASE_TREE=a-built-clone
	@$(setup) && .venv/bin/python tests/same.py $${BASE:+--base "$$BASE"} $${BASE_TREE:+--base-tree "$$BASE_TREE"} --scope "$$SCOPE" $${ONLY:+$$(printf -- '--only %s ' $$ONLY)} $$OPTIONS

watch:  ## run a student's tests again whenever a file in assignments/ is saved; with LAB=..., of that lab
	@$(setup) && $(tilelab) watch $$LAB $${CASE:+--case "$$CASE"}

answers:  ## say which questions are answered in answers.md; with LAB=..., of that lab
	@$(setup) && $(tilelab) answers $$LAB

report:  ## make the page of a student's own tests; with LAB=..., of that lab
	@$(setup) && $(tilelab) report $$LAB $${SWEEP:+--sweep}

trace:  ## show what one block of your kernel does on a small input, step by step; LAB=... SHAPE=8x8x8 BLOCK=0,0 THREAD=1,0
	@$(setup) && $(tilelab) trace $${FILE:+"$$FILE"} $${LAB:+--lab "$$LAB"} $${SHAPE:+--shape "$$SHAPE"} $${BLOCK:+--block "$$BLOCK"} $${LAUNCH:+--launch "$$LAUNCH"} $${THREAD:+--thread "$$THREAD"} $${INPUTS:+--inputs "$$INPUTS"} $$OPTIONS

profile:  ## show your kernel's memory traffic, line by line, as Nsight Compute counts it; LAB=... SHAPE=128x128x128
	@$(setup) && $(tilelab) profile $${FILE:+"$$FILE"} $${LAB:+--lab "$$LAB"} $${SHAPE:+--shape "$$SHAPE"} $${GPU:+--gpu "$$GPU"}

test-aarch64:  ## run the kit's tests and the labs' kernels on emulated 64-bit ARM (needs qemu-user-static)
	@$(setup) test && .venv/bin/python tests/aarch64/emulated.py

bench:  ## measure what grading costs, with a GPU also the solutions over sizes (minutes); SHORT=1 tries each step
	@$(setup) && "$$(cat build/.cmake)" --build build --target judge-bench >/dev/null && .venv/bin/python tests/benchmarks/ratios.py $${SHORT:+--short}
	@.venv/bin/python tests/benchmarks/swept_solutions.py $${SHORT:+--short}

ladder:  ## write the open lab's ladder again; with a GPU, time its kernels against cuBLAS first
	@$(setup) && .venv/bin/python tests/benchmarks/ladder_speeds.py && .venv/bin/python docs/ladder_table.py --write

order:  ## try the model of speed on 47 kernels, and write the section in docs/evidence.md
	@$(setup) && .venv/bin/python tests/benchmarks/order_counts.py && .venv/bin/python tests/benchmarks/speed_order.py && .venv/bin/python docs/speed_order_table.py --write

site:  ## make a web site of documents and write-ups, in build/site, for the course's web server
	@$(setup) site && .venv/bin/python -m sphinx -W --keep-going -q -c docs/site -d build/site-parts . build/site
	@echo "open build/site/index.html, or copy build/site to the course's web server"

check:  ## prove that the course is ready for students (kernels, handout, write-ups, leaks); with LAB=..., these labs only
	@$(setup) && $(tilelab) check-course $(labs)

lint:  ## check layout and types of the sources without changing them
	@$(setup) dev
	@.venv/bin/ruff check . && .venv/bin/ruff format --check . && .venv/bin/mypy
	@git ls-files -z 'kit/*.[ch]pp' 'tests/kit/*.cpp' 'tests/fuzz/native/*.cpp' 'tests/other_courses/problems/*' '*_tests.cpp' | xargs -0 -r .venv/bin/clang-format --dry-run --Werror
	@! command -v shellcheck >/dev/null || shellcheck --shell=bash --severity=warning --exclude=SC2154,SC2034 kit/setup/*.sh docker/*.sh docker/grader/*.sh docker/autograders/*/*.sh docker/autograders/gradescope/run_autograder .ci/*  # these files share setup.sh's variables

tidy:  ## look for more mistakes in the C++ sources with clang-tidy, if it is installed (minutes)
	@command -v clang-tidy >/dev/null || { echo "install clang-tidy first"; exit 1; }
	@$(setup) && "$$(cat build/.cmake)" -S . -B build/tidy -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
	  -DCMAKE_PREFIX_PATH="$$PWD/.tilelab/prefix/usr" >/dev/null  # clang cannot read GCC's precompiled headers
	@git ls-files -z 'kit/*.cpp' | xargs -0 -r -n 4 -P "$$(nproc)" clang-tidy --quiet -p build/tidy

format:  ## correct the layout of the sources
	@$(setup) dev
	@.venv/bin/ruff check --fix-only . ; .venv/bin/ruff format .
	@git ls-files -z 'kit/*.[ch]pp' 'tests/kit/*.cpp' 'tests/fuzz/native/*.cpp' 'tests/other_courses/problems/*' '*_tests.cpp' | xargs -0 -r .venv/bin/clang-format -i

clean:  ## remove what was built; keep .venv and unpacked packages
	@rm -rf build
