"""Selection of tests: automatic markers, `--full`, and skips that are not allowed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from suite.plan import BEGUN_FIRST, ROOT
from support.tiny_suite import make_suite, run_pytest

TESTS = """
    import pytest

    @pytest.fixture
    def gateway(has_qemu):
        pass

    @pytest.fixture
    def any_host(request):
        request.getfixturevalue("gateway")

    def test_asks_a_gateway(gateway): pass

    def test_asks_nothing(): pass

    @pytest.mark.full
    def test_of_another_platform(gateway): pass

    def test_asks_behind_our_back(any_host): pass
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return make_suite(tmp_path / "suite", some=TESTS)


def collected(suite: Path, *words: str) -> list[str]:
    out = run_pytest(suite, "--collect-only", "-q", *words).stdout
    return [line.rpartition("::")[2] for line in out.splitlines() if "::" in line]


def test_what_asks_for_a_machine_is_marked(suite: Path) -> None:
    assert collected(suite, "-m", "machines") == ["test_asks_a_gateway"]
    assert collected(suite, "-m", "not machines") == ["test_asks_nothing", "test_asks_behind_our_back"]


def test_full_tests_run_only_if_asked_for(suite: Path) -> None:
    assert "test_of_another_platform" not in collected(suite)
    assert collected(suite, "--full", "-m", "full and machines") == ["test_of_another_platform"]


def test_machine_that_no_marker_announces_is_refused(suite: Path) -> None:
    done = run_pytest(suite, "-m", "not machines")
    assert done.returncode == 1
    assert "1 passed, 2 deselected, 1 error" in done.stdout, "left out, not skipped"
    assert "without being marked" in done.stdout


@pytest.mark.parametrize(("variable", "status"), [("", 0), ("1", 1)])
def test_skipped_test_fails_where_none_may_be(tmp_path: Path, variable: str, status: int) -> None:
    suite = make_suite(tmp_path / "suite", skipped="import pytest\ndef test_a(): pytest.skip('no reason')\n")
    done = run_pytest(suite, TUNNELMARK_NO_SKIPS=variable)
    assert done.returncode == status
    assert ("none may be here" in done.stdout) == (status == 1)


def test_machines_are_refused_where_the_lane_without_them_runs_everything(suite: Path) -> None:
    (suite / "tests" / "widgets").mkdir()
    (suite / "tests" / "test_some.py").rename(suite / "tests" / "widgets" / "test_some.py")
    done = run_pytest(suite, "tests")
    assert done.returncode == 4
    assert "test_asks_a_gateway needs virtual machines: it belongs into tests/lab" in done.stderr


def test_files_that_are_begun_first_are_there_and_are_begun_first() -> None:
    assert [file for file in BEGUN_FIRST if not (ROOT / file).is_file()] == []
    words = (
        sys.executable,
        "-m",
        "pytest",
        "--collect-only",
        "-q",
        "tests/lab/test_lan_dhcp.py",
        "tests/lab/test_lan_rules_hosts.py",
    )
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    files = list(dict.fromkeys(line.partition("::")[0] for line in done.stdout.splitlines() if "::" in line))
    assert files[0] == "tests/lab/test_lan_rules_hosts.py"
    assert "tests/lab/test_lan_dhcp.py" in files
