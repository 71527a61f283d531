# Everything a newcomer types. `make demo` and `make test` set up what they need by themselves.
SHELL := /bin/sh
BIN := .venv/bin
SUITE := PYTHONPATH=$(CURDIR):$(CURDIR)/tests $(BIN)/python -m suite
SOURCES := app ui vpn_adapters resources packaging tests

.PHONY: setup setup-dev demo test test-full check unit-tests host-tests vm-tests budgets times faults bench format \
	screenshots lock messages

setup:
	@packaging/setup

setup-dev:
	@packaging/setup dev

# The main job: the practice lab, a real comparison, a ranking and a report.
demo: setup
	@$(BIN)/tunnelmark demo

# Every check and test, in two lanes: virtual machines, and all that needs none. docs/testing.md
test: setup-dev
	$(SUITE)

# What `make test` leaves out: other platforms, faults, benchmarks, tests that measure time. Hours; goes on where it
# was interrupted. FRESH=1 begins anew, PARTS="timed faults" runs these alone.
test-full: setup-dev
	$(SUITE) --full $(if $(FRESH),--fresh) $(PARTS)

# Format, lint, types, layers, scripts: no test runs here.
check: setup-dev
	$(SUITE) check

# Tests that need no hosts.
unit-tests: setup-dev
	$(SUITE) units

# Tests on hosts of this computer, made of network namespaces (need root).
host-tests: setup-dev
	$(SUITE) hosts

# Tests on virtual machines.
vm-tests: setup-dev
	$(SUITE) machines

# Time budgets of test files from what was measured last, and the table of times in docs/testing.md.
budgets: setup-dev
	$(SUITE) --write-budgets

times: setup-dev
	$(SUITE) --table --write

# Every fault in every stage of a deployment, 200 kills at random moments, and damaged files at a restart, on hosts made
# of namespaces (needs root). Goes on where it was broken off; FRESH=1 begins anew, HOSTS=lab tries the matrix on the
# gateways of a practice lab. TABLE=matrix, kills or boot: one table; ONLY=TEXT: what has that in its fault or column.
faults: setup-dev
	PYTHONPATH=.:tests $(BIN)/python -m faults $(if $(HOSTS),--hosts $(HOSTS)) $(if $(FRESH),--fresh) \
		$(if $(TABLE),--table $(TABLE)) $(if $(ONLY),--only "$(ONLY)")

# Speed, as ratios within one run. Wants a computer that does nothing else.
bench: setup-dev
	$(BIN)/python -m pytest -q -s tests/bench/bench_rank.py tests/bench/bench_window.py \
		tests/bench/bench_pages.py tests/bench/bench_lint.py
	tests/bench/on_lab.sh

format:
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

# Drives the window through a real run on the practice lab and writes docs/images.
screenshots: setup
	QT_QPA_PLATFORM=offscreen $(BIN)/python packaging/screenshots.py

# Gathers the texts to translate, compiles the catalogues, and prints how many are translated.
messages: setup-dev
	$(BIN)/python packaging/messages.py

# Makes the lock files anew. They name versions and hashes, never a registry.
lock: setup-dev
	$(BIN)/python -m pip install -q uv
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-header --python-version 3.11 pyproject.toml \
		--extra build -o requirements/runtime.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-header --python-version 3.11 pyproject.toml \
		--extra dev --extra build -c requirements/runtime.lock -o requirements/dev.lock
