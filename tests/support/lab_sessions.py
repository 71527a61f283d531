"""Connections to a running lab, and questions that tests ask its gateways."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession, SessionPair
from app.domain.credentials import Secret, SecretKey
from app.domain.hosts import PairSpec
from app.lab import Lab
from app.ssh import SshConnector


class NoPasswords:
    """Knows none: the lab's keys open everything that these tests need."""

    def confirm(self, key: SecretKey, *, token: object = None) -> None:
        pass

    def get(self, key: SecretKey, *, is_retry: bool, token: object = None) -> Secret | None:
        return None


@contextmanager
def connected(where: Lab | PairSpec, folder: Path, user: str = "root") -> Iterator[SessionPair]:
    """Log in to both gateways for the length of a block."""
    pair = where if isinstance(where, PairSpec) else where.pair
    connector = SshConnector(known_hosts=folder / "known_hosts", passwords=NoPasswords(), confirm_host_key=None)
    a = connector.open(replace(pair.a, user=user), token=CancelToken())
    try:
        b = connector.open(replace(pair.b, user=user), token=CancelToken())
        try:
            yield SessionPair(a, b)
        finally:
            b.close()
    finally:
        a.close()


def sh(host: HostSession, script: str, *, timeout_s: float = 180.0) -> str:
    """Run a line of shell as root on a gateway and return what it printed; it must succeed."""
    result = host.run(Command(("sh", "-c", script), timeout_s=timeout_s, is_root=True), token=CancelToken())
    assert result.is_ok, f"{script}: {result.exit_status} {result.stdout} {result.stderr}"
    return result.stdout


def answered_pings(address: str, *options: str, count: int = 3, wait_s: int = 30) -> str:
    """Return a shell line that succeeds only if each of some echo requests is answered, however late.

    One by one: ping ends two round trips after the last of several, which on a busy computer loses answers.
    """
    ping = " ".join(("ping -n -q -c 1 -W", str(wait_s), *options, address))
    return f"n=0; while [ $n -lt {count} ]; do {ping} > /dev/null || exit 1; n=$((n + 1)); done"


def until_answered(address: str, *options: str, tries: int = 60) -> str:
    """Return a shell line that succeeds once an echo request is answered; each of the tries takes a second at most."""
    ping = " ".join(("ping -n -q -c 1 -W 1", *options, address))
    return f"n=0; until {ping} > /dev/null; do n=$((n + 1)); [ $n -lt {tries} ] || exit 1; done"


def left_running(host: HostSession) -> list[str]:
    """Return the measuring processes on a gateway."""
    wanted = "grep -E '^(ping|iperf3|sh -c|bash -c)' | grep -E 'ping|iperf3|/proc/stat' | grep -v 'grep -E'"
    script = f"ps -e -o args= | {wanted} || true"
    return [line[:120] for line in sh(host, script).splitlines()]


def wait_until_clean(*hosts: HostSession, timeout_s: float = 120.0) -> None:
    """Wait until no measuring process is left on the gateways."""
    token = CancelToken()
    for host in hosts:
        token.wait_for(partial(_is_clean, host), timeout_s=timeout_s, what=f"{host.spec.label} to be clean")


def _is_clean(host: HostSession) -> bool:
    return not left_running(host)
