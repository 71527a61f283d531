"""The practice lab's virtual gateways as they come up: who may log in, what is installed, and what the link is like."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.commands import HostSession
from app.domain.hosts import Side
from app.lab import Lab
from support.lab_pairs import LabPair
from support.lab_sessions import answered_pings, sh

LOGIN_S = 300.0


def run(lab: Lab, side: Side, *words: str, user: str = "root", status: int | None = 0) -> str:
    done = subprocess.run(
        [*lab.ssh_argv(side, user), *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LOGIN_S,
        check=False,
    )
    assert status is None or done.returncode == status, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture
def hosts(lab_pair: LabPair) -> dict[Side, HostSession]:
    """Both gateways as root, over connections that are there already: a login takes an emulated CPU a second."""
    return {Side.A: lab_pair.sessions.a, Side.B: lab_pair.sessions.b}


def test_the_gateways_are_two_machines(hosts: dict[Side, HostSession]) -> None:
    command = "hostname; cat /etc/machine-id /sys/class/net/eth0/address /sys/class/net/eth1/address"
    a, b = (sh(hosts[side], command).split() for side in Side)
    assert (a[0], b[0]) == ("gateway-a", "gateway-b")
    assert not set(a) & set(b)
    assert len(set(a[2:] + b[2:])) == 4


def test_the_clock_is_right(hosts: dict[Side, HostSession]) -> None:
    for side in Side:
        before = time.time()
        there = float(sh(hosts[side], "date +%s.%N"))
        assert before - 10 < there < time.time() + 10


def test_the_kernel_has_what_the_vpns_need(hosts: dict[Side, HostSession]) -> None:
    sh(hosts[Side.A], "modprobe -n -a wireguard l2tp_ip l2tp_eth tun udp_tunnel && test -c /dev/net/tun")


def test_the_link_carries_frames_and_nothing_else_does(lab: Lab, hosts: dict[Side, HostSession]) -> None:
    for side in Side:
        sh(hosts[side], answered_pings(lab.pair.underlay(side.other)))
        assert sh(hosts[side], "ip route show default") == ""
        assert "mtu 1500" in sh(hosts[side], "ip link show eth1")


def test_the_computer_that_it_runs_on_cannot_be_reached(hosts: dict[Side, HostSession]) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.settimeout(0)
        address = f"/dev/tcp/10.0.2.2/{listener.getsockname()[1]}"  # QEMU's name for this computer
        line = f"timeout 3 bash -c 'echo > {address}' 2> /dev/null && echo reached || echo lost"
        assert sh(hosts[Side.A], line) == "lost\n"
        with pytest.raises(BlockingIOError):
            listener.accept()


RIGHTS = {
    "root": ("id -u", "0"),
    "operator": ("sudo -n id -u 2>&1", "sudo: a password is required"),
    "nopass": ("sudo -n id -u", "0"),
    "doasuser": ("doas -n id -u", "0"),
    "plain": ("doas -n id -u 2>&1", "doas: Operation not permitted"),
}


@pytest.mark.parametrize(("user", "side"), list(zip(RIGHTS, (*Side, *Side, Side.B), strict=True)))
def test_users_have_the_rights_that_tests_expect(lab: Lab, user: str, side: Side) -> None:
    # Both gateways are made of one image: each user logs in to one of them.
    command, expected = RIGHTS[user]
    assert run(lab, side, f"whoami; {command}", user=user, status=None) == f"{user}\n{expected}\n"


def test_the_operator_s_password_opens_sudo(lab: Lab) -> None:
    password = lab.passwords()["operator"].value
    done = subprocess.run(
        [*lab.ssh_argv(Side.B, "operator"), "sudo -k -S -p '' id -u"],
        input=f"{password}\n",
        capture_output=True,
        text=True,
        timeout=LOGIN_S,
        check=False,
    )
    assert done.stdout.strip() == "0", done.stderr


def password_login(lab: Lab, tmp_path: Path, user: str, password: str) -> subprocess.CompletedProcess[str]:
    """Log in with OpenSSH and a password, which it gets from a program that it asks."""
    helper = tmp_path / "ask"
    helper.write_text('#!/bin/sh\nprintf "%s\\n" "$LAB_TEST_PASSWORD"\n')
    helper.chmod(0o700)
    argv = [word if word != "BatchMode=yes" else "BatchMode=no" for word in lab.ssh_argv(Side.A, user)]
    argv[1:1] = ["-o", "PubkeyAuthentication=no", "-o", "NumberOfPasswordPrompts=1"]
    environment = {**os.environ, "SSH_ASKPASS": str(helper), "SSH_ASKPASS_REQUIRE": "force"}
    environment["LAB_TEST_PASSWORD"] = password
    return subprocess.run(
        [*argv, "whoami"],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LOGIN_S,
        check=False,
    )


@pytest.mark.parametrize(("user", "may_log_in"), [("operator", True), ("plain", True), ("root", False)])
def test_passwords_let_in_all_but_root(lab: Lab, tmp_path: Path, user: str, may_log_in: bool) -> None:
    secret = lab.passwords().get(user, lab.passwords()["operator"])
    done = password_login(lab, tmp_path, user, secret.value)
    assert (done.stdout == f"{user}\n") is may_log_in, done.stderr


def test_a_wrong_password_is_refused_and_locks_no_one_out(lab: Lab, tmp_path: Path) -> None:
    for _ in range(2):
        assert password_login(lab, tmp_path, "plain", "wrong").returncode == 255
    assert run(lab, Side.A, "whoami", user="plain") == "plain\n"


def test_another_host_key_is_refused(lab: Lab, tmp_path: Path) -> None:
    a, b = lab.ssh_argv(Side.A), lab.ssh_argv(Side.B)
    lines = (lab.folder / "known_hosts").read_text().splitlines()
    keys = [line.split(" ", 1) for line in lines]
    swapped = tmp_path / "known_hosts"
    swapped.write_text(f"{keys[0][0]} {keys[1][1]}\n{keys[1][0]} {keys[0][1]}\n")
    for argv in (a, b):
        option = f"UserKnownHostsFile={swapped}"
        words = [option if word.startswith("UserKnownHostsFile=") else word for word in argv]
        done = subprocess.run([*words, "true"], capture_output=True, text=True, timeout=LOGIN_S, check=False)
        assert done.returncode == 255
        assert "Host key verification failed" in done.stderr


def test_many_sessions_at_once(lab: Lab, tmp_path: Path) -> None:
    master = tmp_path / "m"
    argv = [*lab.ssh_argv(Side.A)]
    shared = [argv[0], "-S", str(master), *argv[1:]]
    keeper = subprocess.Popen([shared[0], "-M", "-N", *shared[1:]], stdin=subprocess.DEVNULL)
    try:
        CancelToken().wait_for(master.exists, timeout_s=LOGIN_S, what="the first login")
        with ThreadPoolExecutor(20) as pool:
            jobs = [
                pool.submit(subprocess.run, [*shared, "sleep 1; echo here"], capture_output=True, timeout=LOGIN_S)
                for _ in range(20)
            ]
            assert [job.result().stdout for job in jobs] == [b"here\n"] * 20
    finally:
        # Asked to end, it waits for what is left of its connection, which a busy gateway may keep for minutes.
        keeper.kill()
        keeper.wait(LOGIN_S)


def test_every_vpn_package_is_in_the_repository(hosts: dict[Side, HostSession]) -> None:
    for side in Side:
        sources = sh(hosts[side], "cat /etc/apt/sources.list; ls /etc/apt/sources.list.d")
        assert sources.strip() == "deb [trusted=yes] file:/srv/tunnelmark-repo ./"
    listed = sh(hosts[Side.A], "cd /srv/tunnelmark-repo; cat Packages; ls *.deb").splitlines()
    packages = {line.removeprefix("Package: ") for line in listed if line.startswith("Package: ")}
    assert {"iperf3", "openvpn", "wireguard-tools", "tcpdump", "libiperf0", "libpcap0.8t64"} <= packages
    named = {line.removeprefix("Filename: ./") for line in listed if line.startswith("Filename: ")}
    assert len(named) == len(packages)
    assert named == {line for line in listed if line.endswith(".deb") and ": " not in line}


@pytest.mark.full
def test_a_removed_package_can_be_installed_without_a_network(hosts: dict[Side, HostSession]) -> None:
    host = hosts[Side.B]
    sh(host, "DEBIAN_FRONTEND=noninteractive apt-get remove -q -y iperf3 && ! command -v iperf3", timeout_s=300)
    try:
        plan = sh(host, "apt-get -s install iperf3", timeout_s=300)
        assert "Inst iperf3" in plan
        assert "Remv" not in plan
    finally:
        sh(host, "DEBIAN_FRONTEND=noninteractive apt-get install -q -y iperf3", timeout_s=300)
    assert "iperf 3" in sh(host, "iperf3 --version")


def test_no_secret_of_the_lab_is_where_guests_users_can_read_it(lab: Lab, hosts: dict[Side, HostSession]) -> None:
    assert run(lab, Side.A, "cat /dev/vdb /etc/ssh/ssh_host_ed25519_key 2> /dev/null; true", user="plain") == ""
    assert sh(hosts[Side.A], "ls /run/tunnelmark-lab-passwords 2> /dev/null; true") == ""
    stored = json.loads((lab.folder / "passwords.json").read_text())
    arguments = b"".join(_content(path) for path in Path("/proc").glob("[0-9]*/cmdline"))
    assert not any(value.encode() in arguments for value in stored.values())


def _content(path: Path) -> bytes:
    """Return a file's content; nothing of a process that has ended meanwhile."""
    try:
        return path.read_bytes()
    except OSError:
        return b""
