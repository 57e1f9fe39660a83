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
	@echo "  make test     tests this lab; with CASE=\"a part of its name\", one test only"
	@echo "  make watch    tests again whenever you save; ? lists its keys"
	@echo "  make answers  says which questions are open, and which numbers are right"
	@echo "  make report   opens the page that your instructor sees, of the public tests"
	@echo "  make trace    steps through one block; SHAPE=8x8x8 BLOCK=0,0 THREAD=1,0"
	@echo "  make profile  shows your kernel's memory traffic, line by line"
