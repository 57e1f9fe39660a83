# What `make` does inside a lab's folder: the same as at the top with LAB=<this folder>, unless LAB names another.
MAKEFLAGS += --no-print-directory
LAB ?=
CASE ?=
export LAB CASE

tilelab := lab=$${LAB:-$$(basename "$$PWD")}; cd ../.. && ./kit/setup/setup.sh && .venv/bin/tilelab

.PHONY: test watch report help
test:
	@$(tilelab) test $$lab $${CASE:+--case "$$CASE"}

watch:
	@$(tilelab) watch $$lab $${CASE:+--case "$$CASE"}

report:
	@$(tilelab) report $$lab

help:
	@echo "  make test     tests this lab; with CASE=\"a part of a test's name\", one test only"
	@echo "  make watch    tests again whenever you save"
	@echo "  make report   opens the page that your instructor sees, with the public tests only"
