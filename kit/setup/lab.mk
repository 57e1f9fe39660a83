# What `make` does inside a lab's folder: the same as at the top with LAB=<this folder>, unless LAB names another.
MAKEFLAGS += --no-print-directory
LAB ?=
export LAB
export FILE := $(if $(FILE),$(abspath $(FILE)))

quiet := test answers report trace profile
include ../../kit/setup/quiet_ending.mk
# Variables of the command line are in the environment, also where the flags of make are not. The Makefile of a lab asks for this one.
tilelab = LAB="$${LAB:-$$(basename "$$PWD")}" $(MAKE) --no-print-directory -C ../..

.PHONY: watch setup upgrade clean help $(quiet) $(addprefix do-,$(quiet))
$(quiet): %: do-%
	$(answer)
$(addprefix do-,$(quiet)): do-%:
	$(run) $(tilelab) $* $(remember)

watch setup upgrade clean:
	@$(tilelab) $@ $(if $(FROM),FROM="$(abspath $(FROM))")

.DEFAULT:
	$(error there is no command "make $@" in a lab's folder: make help lists them)

help:
	@echo "  make test     tests this lab; with CASE=\"a part of a test's name\", one test only"
	@echo "  make watch    tests again whenever you save; keys show the trace, the page, hints and answers"
	@echo "  make answers  says which questions are answered in answers.md, and whether your numbers are right"
	@echo "  make report   opens the page that your instructor sees, with the public tests only"
	@echo "  make trace    shows what one block of your kernel does; THREAD=1,0 follows one thread, BLOCK=1,0 another block, SHAPE=... other sizes"
	@echo "  make profile  shows your kernel's memory traffic, line by line"
