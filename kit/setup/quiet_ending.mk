# Lets a goal fail without make's own `*** [Makefile:31: test] Error 1` below a student's result. Its status still says that it failed.
#
# When make is only asked whether a goal is up to date (-q), its status is the answer and it prints nothing; lines that begin with + are
# run all the same. So, if one of `quiet` is the only goal, make is asked that: $(run) begins the one line that does the work, $(remember)
# ends it and notes a failure, and $(answer), in a goal that is made after it, answers. In every other case all three are empty.
run :=
remember :=
answer :=
_letters := $(filter-out --%,$(firstword -$(MAKEFLAGS)))
ifeq ($(words $(MAKECMDGOALS))$(filter-out $(quiet),$(MAKECMDGOALS)),1)
ifeq ($(findstring n,$(_letters))$(findstring q,$(_letters))$(findstring t,$(_letters))$(findstring i,$(_letters)),)
MAKEFLAGS += -q
_failed := "$${TMPDIR:-/tmp}/tilelab-failed-$$PPID"
run := +@unset MAKEFLAGS MFLAGS; {
remember := ; } || : > $(_failed)
answer = $(if $(shell test -e $(_failed) && rm -f $(_failed) && echo failed),@exit 1)
endif
endif
ifeq ($(run),)
run := @
endif
