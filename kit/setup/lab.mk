# What `make` does inside a lab's folder: the same as at the top with LAB=<this folder>, unless LAB names another.
MAKEFLAGS += --no-print-directory
LAB ?=
CASE ?=
FILE ?=
SHAPE ?=
BLOCK ?=
THREAD ?=
INPUTS ?=
GPU ?=
OPTIONS ?=
export LAB CASE SHAPE BLOCK THREAD INPUTS GPU OPTIONS
export FILE := $(if $(FILE),$(abspath $(FILE)))

tilelab := lab=$${LAB:-$$(basename "$$PWD")}; cd ../.. && bash kit/setup/setup.sh && .venv/bin/tilelab

quiet := test answers report trace profile
include ../../kit/setup/quiet_ending.mk

.PHONY: watch setup upgrade clean help $(quiet) $(addprefix do-,$(quiet))
test: do-test
	$(answer)
do-test:
	$(run) $(tilelab) test $$lab $${CASE:+--case "$$CASE"} $(remember)

watch:
	@$(tilelab) watch $$lab $${CASE:+--case "$$CASE"}

answers: do-answers
	$(answer)
do-answers:
	$(run) $(tilelab) answers $$lab $(remember)

report: do-report
	$(answer)
do-report:
	$(run) $(tilelab) report $$lab $(remember)

trace: do-trace
	$(answer)
do-trace:
	$(run) $(tilelab) trace $${FILE:+"$$FILE"} --lab "$$lab" $${SHAPE:+--shape "$$SHAPE"} $${BLOCK:+--block "$$BLOCK"} \
	  $${THREAD:+--thread "$$THREAD"} $${INPUTS:+--inputs "$$INPUTS"} $$OPTIONS $(remember)

profile: do-profile
	$(answer)
do-profile:
	$(run) $(tilelab) profile $${FILE:+"$$FILE"} --lab "$$lab" $${SHAPE:+--shape "$$SHAPE"} $${GPU:+--gpu "$$GPU"} $(remember)

setup upgrade clean:
	@$(MAKE) -C ../.. $@ $(if $(FROM),FROM="$(abspath $(FROM))")

.DEFAULT:
	$(error there is no command "make $@" in a lab's folder: make help lists them)

help:
	@echo "  make test     tests this lab; with CASE=\"a part of a test's name\", one test only"
	@echo "  make watch    tests again whenever you save; keys show the trace, the page, hints and answers"
	@echo "  make answers  says which questions are answered in answers.md, and whether your numbers are right"
	@echo "  make report   opens the page that your instructor sees, with the public tests only"
	@echo "  make trace    shows what one block of your kernel does; THREAD=1,0 follows one thread, BLOCK=1,0 another block, SHAPE=... other sizes"
	@echo "  make profile  shows your kernel's memory traffic, line by line"
