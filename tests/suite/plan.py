"""The steps of `make test` and `make check`, and the lane that each belongs to."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from suite.lanes import Job, Lane, Stage

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(sys.executable).parent
SOURCES = ("app", "ui", "vpn_adapters", "resources", "packaging", "tests")
UNIT_FOLDERS = ("tests/unit", "tests/contract", "tests/widgets", "tests/repo")
_COMPUTING = frozenset(
    (
        *("cli", "discovery", "domain", "export", "linting", "policy", "ranking", "reports", "secrets", "services"),
        *("storage", "vpn_adapters", "wording"),
    )
)
"""Folders of tests/unit whose tests compute and hardly wait for anything: they miss no time beside machines."""
_HOST_FOLDERS = ("tests/lab", "tests/e2e")
"""Folders whose tests ask for no hosts, and those whose tests do."""
MACHINES, COMPUTER = "machines", "computer"
_WITHOUT_MACHINES = Path(__file__).with_name("without_machines")
"""A folder with a QEMU that refuses to start: a test that needs one without asking for `has_qemu` fails in its lane."""
BEGUN_FIRST = tuple(
    f"tests/lab/{name}.py"
    for name in (
        *("test_underlay_hosts", "test_campaign_hosts", "test_lan_deployment", "test_firewall_hosts"),
        *("test_adapter_hosts", "test_lan_rules_hosts", "test_lan_addresses", "test_lan_guard_switches"),
        *("test_probe_link", "test_faults_sample", "test_deployment_hosts", "test_power_hosts"),
    )
)
"""Longest files on hosts: begun last, each would leave the other processors without work for a minute or two."""
COMPUTER_NICE = 15
"""Emulated machines, which are installed meanwhile, miss their times where something else takes their processor."""
HOSTS_NICE = 5
"""Niceness of tests on hosts of this computer: they measure, and a late answer under load ends a measurement."""


def pytest_job(name: str, *words: str) -> Job:
    """Return a process of tests."""
    # Results are kept by the runner; two processes would write the same cache.
    return Job(name, (sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", *words), is_pytest=True)


def _program(name: str, *words: str) -> Job:
    return Job(name, (str(PROGRAMS / words[0]), *words[1:]))


def check_jobs(_processors: int = 1) -> tuple[Job, ...]:
    """Return format, lint, types, layers and scripts, the slowest first. No test runs here."""
    # Scripts that run on hosts are checked with what they include: tests/repo/test_shell_files.py.
    named = "packaging/setup .ci/run tests/suite/without_machines '*/sbin/*' '*/init-bottom/*' '*.sh'"
    named += " ':!resources/templates' ':!vpn_adapters'"
    return (
        _program("mypy", "mypy"),
        _program("lint-imports", "lint-imports"),
        Job("shellcheck", ("sh", "-c", f"exec shellcheck $(git ls-files {named})")),
        _program("ruff-check", "ruff", "check", *SOURCES),
        _program("ruff-format", "ruff", "format", "--check", *SOURCES),
    )


def _unit_job(name: str, processes: int, folders: Iterable[str]) -> Job:
    return pytest_job(name, "-n", str(processes), "--dist", "worksteal", "-m", "not timed", *folders)


def _in_units(*, is_computing: bool) -> list[str]:
    folders = (ROOT / "tests" / "unit").iterdir()
    names = sorted(one.name for one in folders if one.is_dir() and any(one.glob("test_*.py")))
    return [f"tests/unit/{name}" for name in names if (name in _COMPUTING) == is_computing]


def unit_jobs(processors: int) -> tuple[Job, ...]:
    """Return the tests that need neither hosts nor machines, and that wait for processes."""
    # One process more than there are processors, since some tests wait for what they have started.
    return (_unit_job("units", processors + 1, _in_units(is_computing=False)),)


def computing_jobs(processors: int) -> tuple[Job, ...]:
    """Return the other tests that need neither hosts nor machines.

    Those of the repository have a process of their own: they go through the same sources, parsed once per process.
    """
    return (
        _unit_job("computing", processors, (*_in_units(is_computing=True), "tests/widgets", "tests/contract")),
        pytest_job("repository", "-m", "not timed", "tests/repo"),
    )


def host_jobs(processors: int) -> tuple[Job, ...]:
    """Return the tests on hosts of this computer: namespaces, or an sshd of their own."""
    # One more than there are processors, since they wait for hosts: as many took 17:40 min instead of some 12.
    spread = ("-n", str(processors + 1), "--dist", "loadfile") if processors > 1 else ()
    job = pytest_job("hosts", *spread, "-m", "not machines and not timed", *_HOST_FOLDERS)
    path = f"{_WITHOUT_MACHINES}{os.pathsep}{os.environ['PATH']}"
    return (replace(job, variables={"PATH": path}, nice=HOSTS_NICE),)


def machine_jobs(_processors: int) -> tuple[Job, ...]:
    """Return the tests on virtual machines. One process: it boots each lab once, and two labs slow each other down."""
    return (pytest_job("machines", "-m", "machines and not timed", *_HOST_FOLDERS),)


def image_jobs(_processors: int = 1) -> tuple[Job, ...]:
    """Return what makes the images that the machines are started from; it ends at once where they are there."""
    path = f"{ROOT}{os.pathsep}{ROOT / 'tests'}"
    return (Job("images", (sys.executable, "-m", "suite.images"), variables={"PYTHONPATH": path}),)


CHECK = Stage("check", check_jobs)
UNITS = Stage("units", unit_jobs)
COMPUTING = Stage("computing", computing_jobs)
"""Last, when the lane of machines leaves processors idle, so that machines need not wait for these tests."""
HOSTS = Stage("hosts", host_jobs)
IMAGES = Stage("images", image_jobs)
MACHINE_TESTS = Stage("machines", machine_jobs, after=UNITS.name)
"""Machines and tests that wait for processes want all processors: side by side, they missed times they kept alone."""
LANES = (
    Lane(MACHINES, (IMAGES, MACHINE_TESTS)),
    Lane(COMPUTER, (CHECK, UNITS, HOSTS, COMPUTING), nice=COMPUTER_NICE),
)
JUDGED = (MACHINES,)
"""Lanes with time budgets. The other one gets what this one leaves: its files took up to three times as long from one
run to the next, as another part of this lane ran beside them."""
_FOLLOWS = {IMAGES: MACHINE_TESTS, COMPUTING: UNITS}
"""Stages that are asked for with another one, and that one."""
STAGES = {stage.name: (lane.name, stage) for lane in LANES for stage in lane.stages if stage not in _FOLLOWS}
"""Those that can be asked for by name, and their lanes."""


def lanes_of(names: list[str]) -> tuple[Lane, ...]:
    """Return all lanes, or one lane after the other of the named stages alone.

    Args:
        names: Of stages; empty for everything.
    """
    if not names:
        return LANES
    names = [*names, *(one.name for one, other in _FOLLOWS.items() if other.name in names)]
    return tuple(
        Lane(lane.name, stages)
        for lane in LANES
        if (stages := tuple(stage for stage in lane.stages if stage.name in names))
    )
