"""Running of the whole test suite: lanes, time budgets, quarantine, `make test` and `make test-full`."""
