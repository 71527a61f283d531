"""Builds and removes a tunnel with nothing but an adapter's own files and steps: no transaction, lock or timer."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

from app.domain.adapters import Adapter, PlanRequest, PlanStep, PublicIdentity, TunnelPlan, UpCheck
from app.domain.cancel import CancelToken
from app.domain.commands import Command, CommandResult, FileToWrite, HostSession, SessionPair
from app.domain.concurrency import run_both
from app.domain.hosts import HostFacts, Side
from app.domain.link import STATE_DIR, Link
from app.domain.solutions import Suite
from support.lab_sessions import sh
from support.made_up_capture import MARK, captured
from support.waiting import PATIENCE_S

T = TypeVar("T")

# Few programs, since each costs an emulated computer a tenth of a second; keys do not leave the host.
_SNAPSHOT_SCRIPT = """\
ip -o -force -batch - 2> /dev/null <<END
link show
addr show
route show table all
rule show
l2tp show tunnel
l2tp show session
xfrm policy
END
ip -6 rule
ip xfrm state | grep -c spi
nft list tables
echo '#sockets'
ss -Hlntu
echo '#files'
find /run/tunnelmark /etc/openvpn /etc/swanctl /etc/tinc /etc/fastd /etc/freelan /var/log/openvpn 2> /dev/null
find /etc/ppp /run/pptp /run/xl2tpd /run/pppd2.tdb 2> /dev/null
find /etc/ipsec.conf /etc/ipsec.secrets /etc/ipsec.d /var/lib/ipsec /run/pluto -printf '%p %T@\\n' 2> /dev/null
echo '#processes'
head -c 200 /proc/[0-9]*/cmdline 2> /dev/null | tr '\\0' ' '
"""
# Names of kernel threads are not in it: an idle one keeps the name of the last work queue it served.
_DAEMONS = re.compile(
    r"(/usr/s?bin/|/s?bin/)?(openvpn|wg|tincd|fastd|freelan|vtund|pppd|pptp|pptpd|xl2tpd|charon|swanctl|wpa_supplicant)"
    r"|(?!==> |sh -c).*/run/tunnelmark"
)


@dataclass
class BareTunnel:
    """One tunnel between the lab's gateways.

    Attributes:
        sessions: Connections as root.
        adapter: The VPN.
        request: Link, suite, facts; identities once the keys are made.
    """

    sessions: SessionPair
    adapter: Adapter
    request: PlanRequest

    def session(self, side: Side) -> HostSession:
        """Return one host's connection."""
        return self.sessions.a if side is Side.A else self.sessions.b

    def both(self, work: Callable[[Side], T]) -> tuple[T, T]:
        """Do the same on both hosts at the same time."""
        return run_both(lambda: work(Side.A), lambda: work(Side.B))

    def make_keys(self) -> None:
        """Make the folder and the keys on both hosts, and learn their public parts."""
        folder = self.request.link.run_dir
        self.both(lambda side: sh(self.session(side), f"umask 077; mkdir -p {folder}"))
        a, b = self.both(self._identity)
        self.request = replace(self.request, identity_a=a, identity_b=b)
        self._share()

    def _share(self) -> None:
        """Give each host what the other one made for both, or have both derive it."""
        for side in Side:
            for secret in self.adapter.identity(self.request, side).shared:
                text = self.session(side).run(secret.show, token=CancelToken()).stdout.strip()
                file = FileToWrite(secret.path, f"{text}\n".encode(), mode=0o600)
                self.session(side.other).write_files([file], token=CancelToken())
            for one in self.adapter.identity(self.request, side).encapsulated:
                value = self.request.identity(side).values[one.public]
                ciphertext = self._run_with(side.other, one.encapsulate, value)
                self._run_with(side, one.decapsulate, ciphertext)

    def _run_with(self, side: Side, command: Command, text: str) -> str:
        result = self.session(side).run(replace(command, stdin=text.encode()), token=CancelToken())
        assert result.is_ok, f"on {side}: {result.exit_status} {result.stderr}"
        return result.stdout

    def _identity(self, side: Side) -> PublicIdentity:
        recipe = self.adapter.identity(self.request, side)
        commands = [*(step.command for step in recipe.steps), *recipe.public.values()]
        if not commands:
            return PublicIdentity()
        results = self._run(side, commands)
        return self.adapter.parse_identity(dict(zip(recipe.public, results[len(recipe.steps) :], strict=True)))

    @property
    def plan(self) -> TunnelPlan:
        """The plan with the identities that are known by now."""
        return self.adapter.plan(self.request)

    def apply(self, *, count: int | None = None) -> None:
        """Write the files and run the steps of both sides; only the first `count` of them, if that is given."""
        plan = self.plan
        self.both(lambda side: self._apply(side, plan.on(side).steps[:count]))

    def _apply(self, side: Side, steps: tuple[PlanStep, ...]) -> None:
        self.session(side).write_files(self.plan.on(side).files, token=CancelToken())
        if steps:
            self._run(side, [step.command for step in steps])

    def wait_until_up(self, *, timeout_s: float) -> None:
        """Ask both sides' checks until all hold, and then until a frame crosses, as a deployment does."""
        self.both(lambda side: self._wait_until_up(side, timeout_s))
        ping = Command(("ping", "-n", "-q", "-c", "1", "-W", "1", self.plan.probe_address_b), timeout_s=20.0)
        CancelToken().wait_for(
            lambda: self.sessions.a.run(ping, token=CancelToken()).is_ok,
            timeout_s=timeout_s,
            what="a first frame to cross",
        )

    def _wait_until_up(self, side: Side, timeout_s: float) -> None:
        CancelToken().wait_for(
            lambda: all(self.holds(side, check) for check in self.plan.on(side).up_checks),
            timeout_s=timeout_s,
            what=f"{self.adapter.info.name} on {side}",
            interval_s=0.1,
        )

    def holds(self, side: Side, check: UpCheck) -> bool:
        """Whether a check holds now."""
        result = self.session(side).run(check.command, token=CancelToken())
        return result.is_ok and re.search(check.stdout_pattern, result.stdout) is not None

    def undo(self) -> None:
        """Run the undo of every step, last first, whatever was applied; then remove the folder."""
        self.both(lambda side: self._undo(side, self.adapter.identity(self.request, side).steps))
        self.both(lambda side: sh(self.session(side), f"rm -rf {STATE_DIR}"))

    def undo_steps(self) -> None:
        """Run the undo of every step of the plan, last first, whatever was applied; keys and files are kept."""
        self.both(lambda side: self._undo(side, ()))

    def _undo(self, side: Side, before: tuple[PlanStep, ...]) -> None:
        steps = (*before, *self.plan.on(side).steps)
        commands = [step.undo for step in reversed(steps) if step.undo is not None]
        if commands:
            self._run(side, commands)

    def _run(self, side: Side, commands: list[Command]) -> tuple[CommandResult, ...]:
        results = self.session(side).run_batch(commands, token=CancelToken(), should_stop_at_failure=True)
        for result in results:
            assert result.is_ok, f"on {side}: {result.argv}: {result.exit_status} {result.stdout} {result.stderr}"
        return results

    def snapshot(self, side: Side) -> str:
        """Return what could be left behind on a host."""
        return _steady(sh(self.session(side), _SNAPSHOT_SCRIPT))

    def check_as(self, before: tuple[str, str], snapshot: Callable[[Side], str] | None = None) -> None:
        """See that both hosts are as before, once what was ended there has ended."""
        until_s = time.monotonic() + PATIENCE_S
        while (now := self.both(snapshot or self.snapshot)) != before and time.monotonic() < until_s:
            time.sleep(0.5)
        assert now == before

    def logs(self) -> str:
        """Return both daemons' logs."""
        paths = [(side, path) for side in Side for path in self.plan.on(side).log_paths]
        return "\n".join(f"--- {side}\n" + sh(self.session(side), f"cat {path} || true") for side, path in paths)


def _steady(shown: str) -> str:
    """Return a host's snapshot without what changes by itself: order, numbers, counters, other processes."""
    network, _, rest = shown.partition("#sockets\n")
    assert re.search(r"^\d+: eth1[:@]", network, re.MULTILINE), shown
    sockets, _, rest = rest.partition("#files\n")
    files, _, processes = rest.partition("#processes\n")
    lines: list[str] = []
    for line in network.splitlines():
        words = line.split()
        if re.match(r"\d+: \S+ +inet", line):
            lines.append(f"{words[1]} {words[3]}")
        else:
            lines.append(re.sub(r"^\d+: |qdisc.*", "", line))
    lines += sorted(f"{words[0]} {words[4]}" for words in map(str.split, sockets.splitlines()))
    lines += sorted(files.splitlines())
    return "\n".join((*lines, *filter(_DAEMONS.match, processes.splitlines())))


def new_tunnel(
    sessions: SessionPair, adapter: Adapter, suite: Suite, hosts: tuple[HostFacts, HostFacts], link: Link
) -> BareTunnel:
    """Return a tunnel of which nothing is made yet."""
    return BareTunnel(sessions, adapter, PlanRequest(link=link, suite=suite, facts_a=hosts[0], facts_b=hosts[1]))


Make = Callable[..., BareTunnel]
"""Gives a tunnel of an adapter's default suite, of which nothing is made yet."""


@contextmanager
def tunnels_made(sessions: SessionPair, facts: tuple[HostFacts, HostFacts], link: Link) -> Iterator[Make]:
    """Give what makes tunnels of an adapter and a suite, the default one unless it is named.

    At the end of the `with` block all are undone, and nothing of them may be left.
    """
    made: list[tuple[BareTunnel, tuple[str, str]]] = []

    def new(adapter: Adapter, wanted: str = "") -> BareTunnel:
        suite = next(one for one in adapter.suites(*facts) if (one.name == wanted if wanted else one.is_default))
        tunnel = new_tunnel(sessions, adapter, suite, facts, link)
        made.append((tunnel, tunnel.both(tunnel.snapshot)))
        return tunnel

    yield new
    for tunnel, before in made:
        tunnel.undo()
        tunnel.check_as(before)


def build(tunnel: BareTunnel) -> float:
    """Make keys, apply and wait until it is up.

    Returns:
        How long that took, in seconds.
    """
    started_at_s = time.monotonic()
    tunnel.make_keys()
    tunnel.apply()
    try:
        tunnel.wait_until_up(timeout_s=PATIENCE_S)
    except BaseException as error:
        error.add_note(tunnel.logs())
        raise
    return time.monotonic() - started_at_s


def expect_a_former_key(tunnel: BareTunnel) -> None:
    """Make keys twice, and have B expect A's former one, which neither host has.

    B's own in its place would show nothing: fastd and WireGuard ignore a peer that has the key of their own.
    """
    tunnel.make_keys()
    former = tunnel.request.identity_a
    tunnel.both(lambda side: sh(tunnel.session(side), f"rm -r {tunnel.request.link.run_dir}"))
    tunnel.make_keys()
    assert tunnel.request.identity_a != former
    tunnel.request = replace(tunnel.request, identity_a=former)


def ping_sizes(host: HostSession, address: str, sizes: Sequence[int], *, count: int = 10) -> dict[int, int]:
    """Return for each size how many frames, none of which may be fragmented inside, were answered."""
    one = f"ping -n -q -c {count} -i 0.02 -w 60 -M do -s $((size - 42)) {address} 2>&1 || true"
    shown = sh(host, f"for size in {' '.join(map(str, sizes))}; do echo size $size; {one}; done", timeout_s=480)
    found = re.findall(r"^size (\d+)\n(?:(?!size ).*\n)*?.* (\d+) received", shown, re.MULTILINE)
    assert len(found) == len(sizes), shown
    return {int(size): int(received) for size, received in found}


def ping_command(
    address: str,
    *,
    frame_bytes: int = 1514,
    count: int = 10,
    mark: bool = False,
    wait_s: int = 60,
    interval_s: float = 0.02,
) -> Command:
    """Return what sends frames, none of which may be fragmented inside, until at least `count` were answered.

    Without -w, ping ends two round trips after the last request, which on a busy computer loses answers.
    """
    pattern = f"-p {MARK.hex()}" if mark else ""
    words = f"-c {count} -i {interval_s:g} -w {wait_s} -M do {pattern} -s {frame_bytes - 42}"
    script = f"ping -n -q {words} {address} 2>&1 || true"
    return Command(("sh", "-c", script), timeout_s=wait_s + 120.0, is_root=True)


def ping(
    host: HostSession, address: str, *, frame_bytes: int = 1514, count: int = 10, mark: bool = False, wait_s: int = 60
) -> int:
    """Return how many frames were answered; see `ping_command`."""
    command = ping_command(address, frame_bytes=frame_bytes, count=count, mark=mark, wait_s=wait_s)
    result = host.run(command, token=CancelToken())
    shown = result.stdout
    assert result.is_ok, shown
    if "unreachable" in shown.lower() and "received" not in shown:
        return 0  # its interface is gone
    match = re.search(r"(\d+) received", shown)
    assert match, shown
    return int(match.group(1))


def marks_on_underlay(tunnel: BareTunnel, while_capturing: Callable[[], object], *, side: Side = Side.A) -> int:
    """Return how many marks one host sent readably on the underlay meanwhile."""
    return captured(tunnel.session(side), tunnel.request.link.underlay(side.other), while_capturing).canaries
