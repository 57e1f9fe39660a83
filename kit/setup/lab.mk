# What `make test` does inside a lab's folder: the same as `make test LAB=<this folder>` at the top.
MAKEFLAGS += --no-print-directory
CASE ?=
export CASE
.PHONY: test
test:
	@cd ../.. && ./kit/setup/setup.sh
	@lab=$$(basename "$$PWD"); cd ../.. && .venv/bin/tilelab test "$$lab" $${CASE:+--case "$$CASE"}
