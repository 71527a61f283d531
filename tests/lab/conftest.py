"""Practice labs for tests: one of each kind that all share.

Where QEMU is missing the tests are skipped, unless TUNNELMARK_REQUIRE_LAB=1 says that it has to be there. A lab is
started when the first test asks for it; that of the newest platform is shared with tests/e2e. A lab that is already up
is taken instead, which saves its start, where TUNNELMARK_TEST_LAB=NAME says so for the lab that most tests share,
TUNNELMARK_TEST_LAB_DEBIAN_11=NAME for the one of debian-11, TUNNELMARK_TEST_LAB_LEGACY=NAME for the one of
debian-12-legacy, TUNNELMARK_TEST_LAB_LIBRESWAN=NAME for the one of debian-13-libreswan and
TUNNELMARK_TEST_LAB_MIXED=NAME for the one with debian-11 as A and debian-13 as B.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from platformdirs import user_cache_path, user_state_path

from app.domain.cancel import CancelToken
from app.domain.hosts import Side
from app.host.snapshots import SnapshotDepth
from app.lab import Lab, LabManager, LabSpec
from app.ssh import SshSession
from support.lab_deploy import Bench, Snapshots, wait_until_as_before
from support.lab_pairs import LEGACY, LIBRESWAN, LabPair, LabPairs
from support.lab_power import LabPower
from support.local_sshd import Sshd, connector
from support.net_bench import NetBench, net_bench
from support.net_desk import need_namespaces

LabOf = Callable[[str, str], Lab]

SHARED = "TUNNELMARK_TEST_LAB"
NEWEST = "debian-13", "debian-13"
VARIABLES = {
    NEWEST: SHARED,
    ("debian-11", "debian-11"): "TUNNELMARK_TEST_LAB_DEBIAN_11",
    ("debian-11", "debian-13"): "TUNNELMARK_TEST_LAB_MIXED",
    LEGACY: "TUNNELMARK_TEST_LAB_LEGACY",
    LIBRESWAN: "TUNNELMARK_TEST_LAB_LIBRESWAN",
}


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give programs on hosts the time to start that they need on a busy computer."""
    monkeypatch.setattr("app.probes.cpu.FIRST_TIMEOUT_S", 60.0)
    monkeypatch.setattr("app.probes.iperf_server.START_TIMEOUT_S", 60.0)
    monkeypatch.setattr("app.probes.capture.recording.START_TIMEOUT_S", 60.0)


@pytest.fixture(scope="session")
def lab_manager(has_qemu: None, home: Path) -> LabManager:
    """Labs of this test run, made from the images in the user's ordinary cache."""
    state_dir = home / "labs"
    if any(os.environ.get(variable) for variable in VARIABLES.values()):
        state_dir = user_state_path("tunnelmark") / "labs"
    return LabManager(cache_dir=user_cache_path("tunnelmark"), state_dir=state_dir)


@pytest.fixture(scope="session")
def lab_of(lab_manager: LabManager, request: pytest.FixtureRequest) -> Iterator[LabOf]:
    """Give the lab of two platforms that tests share; it is started when it is asked for the first time."""
    started: dict[tuple[str, str], Lab] = {}

    def get(platform_a: str, platform_b: str) -> Lab:
        platforms = platform_a, platform_b
        for variable in (VARIABLES[platforms], SHARED):
            named = _named_lab(lab_manager, variable)
            if named is not None and (named.spec.platform_a, named.spec.platform_b) == platforms:
                return named
        if platforms == NEWEST:
            # Those of tests/e2e work on it as well.
            newest: Lab = request.getfixturevalue("newest_lab")
            return newest
        if platforms not in started:
            spec = LabSpec(f"tests-{os.getpid()}-{len(started)}", *platforms)
            started[platforms] = lab_manager.up(spec, token=CancelToken(), on_progress=lambda _: None, is_owned=True)
        return started[platforms]

    yield get
    for lab in started.values():
        lab_manager.down(lab.spec.name)


@pytest.fixture(scope="session")
def lab(lab_manager: LabManager, lab_of: LabOf) -> Lab:
    """The lab that tests share, of debian-13 unless another was named; they leave its gateways as they found them."""
    return _named_lab(lab_manager, SHARED) or lab_of(*NEWEST)


@pytest.fixture(scope="session")
def lab_mixed(lab_of: LabOf) -> Lab:
    """The lab with debian-11 as A and debian-13 as B that tests share."""
    return lab_of("debian-11", "debian-13")


@pytest.fixture(scope="session")
def lab_pairs(lab_of: LabOf, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabPairs]:
    """Connections to the shared labs, each of which is started when it is asked for."""
    pairs = LabPairs(lab_of, lambda: tmp_path_factory.mktemp("ssh"))
    yield pairs
    pairs.close()


@pytest.fixture(scope="module")
def lab_pair(lab: Lab, lab_pairs: LabPairs) -> LabPair:
    """Both gateways of the lab that most tests share, logged in to and inspected."""
    return lab_pairs.get(lab.spec.platform_a, lab.spec.platform_b)


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NetBench]:
    """Two hosts made of namespaces; a module that asks for them is on their network, and not on this computer's."""
    need_namespaces()
    with net_bench(tmp_path_factory.mktemp("net")) as made:
        yield made


@pytest.fixture(scope="module")
def net_before(net: NetBench) -> Snapshots:
    """Snapshots of both hosts made of namespaces from the beginning."""
    return net.inspect(SnapshotDepth.THOROUGH)


@pytest.fixture(
    scope="module", params=["hosts", pytest.param("gateways", marks=[pytest.mark.full, pytest.mark.machines])]
)
def hosts_or_gateways(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Two hosts made of namespaces; in `make test-full`, the gateways of the practice lab as well."""
    if request.param == "hosts":
        need_namespaces()
        with net_bench(tmp_path_factory.mktemp("net")) as made:
            yield made
        return
    # Asked for only here, so that a test on hosts made of namespaces starts no virtual machine.
    lab: Lab = request.getfixturevalue("lab")
    pairs: LabPairs = request.getfixturevalue("lab_pairs")
    opened = pairs.get(lab.spec.platform_a, lab.spec.platform_b)
    yield Bench(lab.pair, opened.sessions, opened.facts)


@pytest.fixture
def net_unchanged(net: NetBench, net_before: Snapshots) -> Iterator[None]:
    """See to it that a test leaves both hosts as it found them, to the byte."""
    yield
    wait_until_as_before(net.sessions, net_before)


@pytest.fixture
def powered(lab: Lab, lab_manager: LabManager, lab_pairs: LabPairs) -> Iterator[LabPower]:
    """Give the power switches of the lab that tests share; both gateways are on again afterwards."""
    lab_pairs.close()
    power = LabPower(lab_manager, lab)
    yield power
    is_running = next(one.is_running for one in lab_manager.status() if one.name == lab.spec.name)
    power.on(*(side for side, is_on in zip(Side, is_running, strict=True) if not is_on))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    """An sshd of this computer, which the tests of a file share."""
    sshd = Sshd(tmp_path_factory.mktemp("sshd"))
    sshd.start("ed25519")
    yield sshd
    sshd.stop()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Sshd]:
    """A server of the test's own, not started yet."""
    sshd = Sshd(tmp_path / "sshd")
    yield sshd
    sshd.stop()


@pytest.fixture
def session(server: Sshd, tmp_path: Path) -> Iterator[SshSession]:
    """A session with that sshd."""
    opened = connector(tmp_path).open(server.spec, token=CancelToken())
    yield opened
    opened.close()


def _named_lab(manager: LabManager, variable: str) -> Lab | None:
    wanted = os.environ.get(variable)
    if not wanted:
        return None
    found = manager.find(wanted)
    assert found is not None, f"no lab {wanted} is up, which {variable} names"
    return found
