# Everything a newcomer types. `make demo` and `make test` set up what they need by themselves.
SHELL := /bin/sh
BIN := .venv/bin
SOURCES := app ui vpn_adapters resources tests

.PHONY: setup setup-dev demo test check format unit-tests vm-tests faults bench screenshots lock

setup:
	@packaging/setup

setup-dev:
	@packaging/setup dev

# The main job: the practice lab, a real quick comparison, a ranking and a report.
demo: setup
	@$(BIN)/tunnelmark demo

test: setup-dev check unit-tests vm-tests

# Format, lint, types, layers, scripts: no test runs here.
check: setup-dev
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy
	$(BIN)/mypy tests/faults
	$(BIN)/lint-imports
	shellcheck packaging/setup .ci/run $$(git ls-files '*.sh' ':!resources/templates')

unit-tests: setup-dev
	$(BIN)/python -m pytest -q -n 2 --dist worksteal tests/unit tests/contract tests/widgets tests/repo

# One after the other: emulated machines take all of a small computer, and several labs at once make it slower. What
# failed is shown and tried once more, by itself: a computer that is busy with something else makes emulated ones miss
# their times. What fails twice or broke the run off fails; so does what was skipped, where .ci/run says so.
vm-tests: setup-dev
	$(BIN)/python -m pytest -q --cache-clear tests/lab tests/e2e || \
		$(BIN)/python -m pytest -q --last-failed --last-failed-no-failures none tests/lab tests/e2e

# Every fault in every stage of a deployment, and 200 kills at random moments, on hosts made of namespaces (needs root).
# Goes on where it was broken off; FRESH=1 begins anew, HOSTS=lab tries the matrix on the gateways of a practice lab.
faults: setup-dev
	PYTHONPATH=.:tests $(BIN)/python -m faults $(if $(HOSTS),--hosts $(HOSTS)) $(if $(FRESH),--fresh)

# Speed, as ratios within one run. Wants a computer that does nothing else.
bench: setup-dev
	$(BIN)/python -m pytest -q -s tests/bench/bench_rank.py tests/bench/bench_window.py tests/bench/bench_lint.py
	$(BIN)/tunnelmark lab up --name bench
	-PYTHONPATH=. $(BIN)/python tests/bench/bench_deploy.py bench
	-PYTHONPATH=. $(BIN)/python tests/bench/bench_probes.py bench
	$(BIN)/tunnelmark lab down --name bench

format:
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/ruff check --fix $(SOURCES)

# Drives the window through a real run on the practice lab and writes docs/images.
screenshots: setup
	QT_QPA_PLATFORM=offscreen $(BIN)/python -m ui.screenshots

# Makes the lock files anew. They name versions and hashes, never a registry.
lock: setup-dev
	$(BIN)/python -m pip install -q uv
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-header --python-version 3.11 pyproject.toml \
		--extra build -o requirements/runtime.lock
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-header --python-version 3.11 pyproject.toml \
		--extra dev --extra build -c requirements/runtime.lock -o requirements/dev.lock
