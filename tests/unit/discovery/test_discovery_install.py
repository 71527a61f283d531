"""Installing what is missing: what is asked first, what is refused, and that nothing starts by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.discovery import install, plan_install
from app.discovery.messages import INSTALL_WOULD_REMOVE
from app.discovery.simulate import PackageChanges, failed_simulation, read_simulation
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult
from app.domain.errors import Cancelled, CommandFailed, DiskFull, PackageMissing, PreflightRefused
from app.domain.hosts import HostFacts, MissingPart, PackageManager
from support.fake_hosts import Answer, FakeHost
from support.message_checks import has_message
from support.sample_records import facts as sample_facts

_IPERF = MissingPart("iperf3", "throughput", "iperf3")
_OPENVPN = MissingPart("openvpn", "openvpn-udp", "openvpn")
_MODULE = MissingPart("kernel module wireguard", "wireguard", "")

# As apt-get 2.6.1 printed it on Debian 12.
_APT_ADDS = """Reading package lists...
The following NEW packages will be installed:
  iperf3 libiperf0 libsctp1
0 upgraded, 3 newly installed, 0 to remove and 113 not upgraded.
Inst libsctp1 (1.0.19+dfsg-2 Debian:12.15/oldstable [amd64])
Inst libiperf0 (3.12-1+deb12u2 Debian:12.15/oldstable [amd64])
Inst iperf3 (3.12-1+deb12u2 Debian:12.15/oldstable [amd64])
Conf libsctp1 (1.0.19+dfsg-2 Debian:12.15/oldstable [amd64])
"""
_APT_REMOVES = """The following packages will be REMOVED:
Remv gnome-keyring [42.1-1+b2]
Remv systemd-sysv [252.39-1~deb12u1] [init:amd64 ]
Inst sysvinit-core (3.06-4 Debian:12.15/oldstable [amd64])
"""
_APT_UNKNOWN = "Reading package lists...\nE: Unable to locate package iperf3\n"

# Synthetic: in the form of dnf 4's cli/output.py.
_DNF_ADDS = """Dependencies resolved.
================================================================================
 Package        Architecture   Version                Repository           Size
================================================================================
Installing:
 iperf3         x86_64         3.9-10.el9             appstream           112 k
Installing dependencies:
 lksctp-tools   x86_64         1.0.19-2.el9           baseos               98 k

Transaction Summary
================================================================================
Install  2 Packages

Operation aborted.
"""
_DNF_REMOVES = """Installing:
 new-tool       x86_64         1-1                    appstream           112 k
     replacing  old-tool.x86_64 3-1
Removing dependent packages:
 victim         x86_64         2-1                    @baseos              98 k
Operation aborted.
"""
# Synthetic: in the form of opkg's libopkg/opkg_install.c.
_OPKG_ADDS = "Installing iperf3 (3.16-1) to root...\nInstalling libiperf3 (3.16-1) to root...\n"
_OPKG_REMOVES = f"{_OPKG_ADDS}Removing obsolete package iperf.\nRemoving package netperf from root...\n"


def _facts(manager: PackageManager = PackageManager.APT) -> HostFacts:
    return replace(sample_facts(), package_manager=manager)


# --- plans ------------------------------------------------------------------------------------------------------------


def test_a_plan_names_each_package_once_and_not_what_no_one_brings() -> None:
    plan = plan_install(_facts(), (_IPERF, _OPENVPN, replace(_OPENVPN, needed_for="openvpn-tcp"), _MODULE))
    assert plan.packages == ("iperf3", "openvpn")


@pytest.mark.parametrize(
    ("manager", "program", "simulates"),
    [
        (PackageManager.APT, "apt-get", "--simulate"),
        (PackageManager.DNF, "dnf", "--assumeno"),
        (PackageManager.OPKG, "opkg", "--noaction"),
        (PackageManager.PACMAN, "pacman", "--print-format"),
    ],
)
def test_every_package_manager_can_say_beforehand_what_it_would_do(
    manager: PackageManager, program: str, simulates: str
) -> None:
    plan = plan_install(_facts(manager), (_IPERF,))
    for argv in (plan.simulate, plan.install):
        assert program in argv
        assert argv[-1] == "iperf3"
        assert "LC_ALL=C" in argv
    assert simulates in plan.simulate
    assert simulates not in plan.install


def test_apt_asks_no_questions_and_removes_nothing() -> None:
    plan = plan_install(_facts(), (_IPERF,))
    assert "DEBIAN_FRONTEND=noninteractive" in plan.install
    assert "--no-remove" in plan.install


@pytest.mark.parametrize(
    ("manager", "parts"),
    [
        (PackageManager.NONE, (_IPERF,)),
        (PackageManager.APT, (_MODULE,)),
        (PackageManager.APT, ()),
        (PackageManager.APT, (replace(_IPERF, package="-o=APT::x"),)),
        (PackageManager.APT, (replace(_IPERF, package="a b"),)),
        (PackageManager.APT, (replace(_IPERF, package="x;reboot"),)),
    ],
)
def test_what_cannot_be_installed_is_reported(manager: PackageManager, parts: Sequence[MissingPart]) -> None:
    with pytest.raises(PackageMissing) as caught:
        plan_install(_facts(manager), parts)
    assert caught.value.hint


# --- what package managers say ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("manager", "text", "expected"),
    [
        (PackageManager.APT, _APT_ADDS, PackageChanges(("libsctp1", "libiperf0", "iperf3"), ())),
        (PackageManager.APT, _APT_REMOVES, PackageChanges(("sysvinit-core",), ("gnome-keyring", "systemd-sysv"))),
        (PackageManager.APT, "Purg x [1]\n", PackageChanges((), ("x",))),
        (PackageManager.DNF, _DNF_ADDS, PackageChanges(("iperf3", "lksctp-tools"), ())),
        (PackageManager.DNF, _DNF_REMOVES, PackageChanges(("new-tool",), ("old-tool.x86_64", "victim"))),
        (PackageManager.OPKG, _OPKG_ADDS, PackageChanges(("iperf3", "libiperf3"), ())),
        (PackageManager.OPKG, _OPKG_REMOVES, PackageChanges(("iperf3", "libiperf3"), ("iperf", "netperf"))),
        (PackageManager.PACMAN, "iperf3\nlksctp-tools\n", PackageChanges(("iperf3", "lksctp-tools"), ())),
    ],
)
def test_simulations_are_understood(manager: PackageManager, text: str, expected: PackageChanges) -> None:
    assert read_simulation(manager, text) == expected


@given(st.sampled_from(list(PackageManager)), st.text(max_size=400))
def test_simulations_may_say_anything(manager: PackageManager, text: str) -> None:
    change = read_simulation(manager, text)
    assert all(name.isprintable() for name in (*change.installed, *change.removed))
    failed_simulation(manager, CommandResult(("x",), 1, text, "", 0.0))


# --- the sequence -----------------------------------------------------------------------------------------------------


class _Apt:
    """Answers as apt-get would, and remembers what it was asked to do."""

    def __init__(
        self, *simulations: tuple[str, int], install: tuple[str, int] = ("Setting up iperf3 ...\n", 0)
    ) -> None:
        self.simulations = list(simulations)
        self.install = install
        self.done: list[str] = []
        self.token: CancelToken | None = None

    def __call__(self, command: Command, token: CancelToken) -> Answer:
        assert command.is_root
        if "--simulate" in command.argv:
            self.done.append("simulate")
            text, status = self.simulations.pop(0)
        elif command.argv[-1] == "update":
            self.done.append("refresh")
            text, status = "Hit:1\n", 0
        else:
            assert command.argv[0] == "sh"
            self.done.append("install")
            text, status = self.install
            if self.token is not None:
                self.token.cancel()
        yield from text.splitlines()
        return status


def _run(apt: _Apt, token: CancelToken | None = None) -> tuple[object, list[AuditEntry]]:
    entries: list[AuditEntry] = []
    host = FakeHost("gateway-a", apt)
    plan = plan_install(_facts(), (_IPERF,))
    outcome = install(host, plan, token=token or CancelToken(), on_change=entries.append)
    return outcome, entries


def test_it_is_simulated_then_installed_and_written_down() -> None:
    apt = _Apt((_APT_ADDS, 0), install=("Setting up iperf3\ntunnelmark-stopped: iperf3.service\n", 0))
    outcome, entries = _run(apt)
    assert apt.done == ["simulate", "install"]
    assert str(getattr(outcome, "sentence", "")) == (
        "Installed libsctp1, libiperf0, iperf3 on gateway-a. Not started, and not enabled: iperf3.service."
    )
    (entry,) = entries
    assert (entry.host, entry.exit_status, entry.what) == ("192.0.2.1", 0, "install packages")
    assert "apt-get" in entry.command
    assert entry.command.endswith("install -- iperf3")


def test_lists_of_packages_are_fetched_only_where_one_is_not_known() -> None:
    apt = _Apt((_APT_UNKNOWN, 100), (_APT_ADDS, 0))
    _, entries = _run(apt)
    assert apt.done == ["simulate", "refresh", "simulate", "install"]
    assert [entry.what for entry in entries] == ["fetch lists of packages", "install packages"]


def test_a_package_that_no_one_has_is_reported_and_nothing_is_changed() -> None:
    apt = _Apt((_APT_UNKNOWN, 100), (_APT_UNKNOWN, 100))
    with pytest.raises(PackageMissing, match="Unable to locate package iperf3") as caught:
        _run(apt)
    assert "install" not in apt.done
    assert caught.value.hint


def test_an_installation_that_would_remove_something_is_refused_and_nothing_is_changed() -> None:
    apt = _Apt((_APT_REMOVES, 0))
    with pytest.raises(
        PreflightRefused, check=has_message(INSTALL_WOULD_REMOVE, removed=("gnome-keyring", "systemd-sysv"))
    ):
        _run(apt)
    assert apt.done == ["simulate"]


@pytest.mark.parametrize(
    ("reported", "error"),
    [
        ("E: Could not get lock /var/lib/dpkg/lock-frontend\n", CommandFailed),
        ("dpkg: error: cannot copy extracted data: failed to write (No space left on device)\n", DiskFull),
        ("E: You don't have enough free space in /var/cache/apt/archives/.\n", DiskFull),
        ("", CommandFailed),
    ],
)
def test_an_installation_that_fails_says_why(reported: str, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        _run(_Apt((_APT_ADDS, 0), install=(reported, 100)))
    assert "gateway-a" in str(caught.value)


def test_cancelling_before_the_installation_changes_nothing() -> None:
    token = CancelToken()
    token.cancel()
    apt = _Apt((_APT_ADDS, 0))
    with pytest.raises(Cancelled):
        _run(apt, token)
    assert apt.done == []


def test_cancelling_during_the_installation_lets_it_come_to_its_end() -> None:
    token = CancelToken()
    apt = _Apt((_APT_ADDS, 0))
    apt.token = token
    with pytest.raises(Cancelled):
        _run(apt, token)
    assert apt.done == ["simulate", "install"]
