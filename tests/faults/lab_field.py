"""The gateways of a practice lab as hosts that may be broken."""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from platformdirs import user_cache_path

from app.domain.cancel import CancelToken
from app.domain.commands import HostSession
from app.domain.errors import TunnelmarkError
from app.domain.hosts import Side
from app.host.inspection import take_snapshot
from app.host.snapshots import HostSnapshot, SnapshotDepth
from app.lab import Lab, LabManager, LabProgress, LabSpec
from app.ssh import SshConnector
from faults.fields import SESSIONS, Field, NoIntruder
from support.lab_deployment import ADDRESSES, MAKE_LAN, REMOVE_LAN, TAGGED
from support.lab_power import power_off, power_on
from support.lab_sessions import NoPasswords, sh
from support.net_desk import LEFT, PROGRAM, Ran

PATIENCE_S = 120.0
"""Time for which a gateway may be out of reach of this program itself, in seconds."""
_FILL = (
    "dd if=/dev/zero of=/run/fill bs=64k 2> /dev/null || :; dd if=/dev/zero of=/run/fill.more bs=512 2> /dev/null || :"
)


@dataclass
class LabDesk:
    """Implements `FaultDesk` on this computer itself."""

    folder: Path

    def start(self, *words: str) -> subprocess.Popen[str]:
        home = {"HOME": str(self.folder), "TUNNELMARK_HOME": str(self.folder / "tunnelmark")}
        return subprocess.Popen(
            [str(PROGRAM), *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **home},
        )

    def tunnelmark(self, *words: str) -> Ran:
        began_s = time.monotonic()
        with self.start(*words) as process:
            out, err = process.communicate()
        return Ran(process.returncode, out, err, time.monotonic() - began_s)


class LabFaultHost:
    """Implements `FaultHost` with a gateway of the lab, over a connection of its own.

    What must outlive that connection (shutting out SSH) is left to the gateway with the time after which it ends.
    """

    def __init__(self, manager: LabManager, lab: Lab, side: Side, folder: Path) -> None:
        self._manager, self._lab, self._side = manager, lab, side
        self._connector = SshConnector(known_hosts=folder / "known", passwords=NoPasswords(), confirm_host_key=None)
        self._session: HostSession | None = None

    def run(self, script: str) -> str:
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                return sh(self._connected(), script)
            except TunnelmarkError:
                self.close()
                if time.monotonic() > until:
                    raise
                time.sleep(1.0)

    def _connected(self) -> HostSession:
        if self._session is None:
            self._session = self._connector.open(self._lab.host(self._side, "root"), token=CancelToken())
        return self._session

    def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def inspect(self) -> HostSnapshot:
        self.run(":")
        found = take_snapshot(self._connected(), token=CancelToken(), depth=SnapshotDepth.THOROUGH)
        # systemd writes /etc/machine-id anew, with what was in it, whenever a gateway is switched on.
        files = {path: text for path, text in found.part("file").items() if path != "/etc/machine-id"}
        return replace(found, parts={**found.parts, "file": files})

    def left(self) -> list[str]:
        return self.run(LEFT).split()

    def lose_power(self) -> None:
        self.close()
        power_off(self._manager, self._lab.spec.name, self._side)

    def regain_power(self) -> None:
        power_on(self._manager, self._lab.spec.name, self._side)
        make_lan(self, self._side)

    def break_connections(self) -> None:
        self._later(f"sleep 0.2; {SESSIONS}")

    def shut_out(self) -> Callable[[], None]:
        self._later(
            f"systemctl stop ssh.socket ssh.service 2> /dev/null; {SESSIONS} sleep 40; systemctl start ssh.service"
        )
        return lambda: None

    def _later(self, script: str) -> None:
        unit = f"fault-{time.monotonic_ns()}"
        self.run(f"systemd-run --quiet --collect --unit={unit} /bin/sh -c {quoted(script)}")
        self.close()

    def cut_underlay(self) -> Callable[[], None]:
        self.run("ip link set eth1 down")
        return lambda: self._quietly("ip link set eth1 up")

    def fill_disks(self) -> Callable[[], None]:
        self.run(_FILL)
        return lambda: self._quietly("rm -f /run/fill /run/fill.more")

    def move_clock(self, seconds: int) -> Callable[[], None]:
        self.run(f"date -s @$(($(date +%s) + {seconds})) > /dev/null")
        return lambda: self._quietly(f"date -s @{int(time.time())} > /dev/null")

    def _quietly(self, script: str) -> None:
        self.run(script)


class LabField:
    """Implements `Field` with a lab."""

    pair = "faults"

    def __init__(self, manager: LabManager, lab: Lab, folder: Path) -> None:
        self._lab = lab
        self._manager = manager
        self._hosts = {side: LabFaultHost(manager, lab, side, folder) for side in Side}

    @property
    def name(self) -> str:
        return self._lab.spec.name

    def host(self, side: Side) -> LabFaultHost:
        return self._hosts[side]

    def desk(self, folder: Path) -> LabDesk:
        folder.mkdir(parents=True)
        desk, pair = LabDesk(folder), self._lab.pair
        words = ["--underlay", f"{pair.underlay_a},{pair.underlay_b}"]
        for side in Side:
            spec = self._lab.host(side, "root")
            words += [f"--{side.value}", f"root@{spec.address}:{spec.port}"]
            if side is Side.A:
                words += ["--identity", spec.identity_file or "", "--host-key-file", spec.host_key_file or ""]
        done = desk.tunnelmark("pair", "add", self.pair, *words)
        assert done.status == 0, done.err
        return desk

    def crosses(self) -> bool:
        # What was heard of the other side before is forgotten, as after some minutes.
        for host in self._hosts.values():
            host.run("ip -n plant neigh flush dev port")
        with contextlib.suppress(AssertionError):
            self._hosts[Side.A].run(f"ip netns exec plant ping -c 3 -W 2 {ADDRESSES[Side.B]} > /dev/null")
            return True
        return False

    def intruder(self) -> NoIntruder:
        # Only the other gateway is on a lab's underlay; tests/lab/test_adapter_injection.py attacks from there.
        return NoIntruder()

    def broken(self) -> str:
        lab = next((one for one in self._manager.status() if one.name == self.name), None)
        if lab is None:
            return "the practice lab has ended"
        gone = [side.upper() for side, process in zip(Side, lab.pids, strict=True) if process is None]
        return f"the machine of {' and '.join(gone)} has ended" if gone else ""

    def close(self) -> None:
        for host in self._hosts.values():
            with contextlib.suppress(AssertionError, TunnelmarkError):
                host.run(REMOVE_LAN)
            host.close()


def make_lan(host: LabFaultHost, side: Side) -> None:
    """Put a network with one host behind a gateway; the port has its IPv6 address when this returns."""
    host.run(MAKE_LAN.format(address=ADDRESSES[side], tagged=TAGGED[side]))
    host.run(
        "n=0; until ip -6 -o addr show dev lan0 scope link | grep fe80 | grep -qv tentative; do "
        "n=$((n + 1)); [ $n -lt 100 ] || break; sleep 0.1; done"
    )


def quoted(text: str) -> str:
    """Return a word of shell."""
    return "'" + text.replace("'", "'\\''") + "'"


class Reported:
    """Reports how far a lab has come, each thing once.

    Args:
        name: The lab's.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._last = ""

    def __call__(self, progress: LabProgress) -> None:
        if progress.text != self._last:
            print(f"{self._name}: {progress.text}", file=sys.stderr)
        self._last = progress.text


@contextlib.contextmanager
def lab_fields() -> Iterator[Callable[[], Field]]:
    """Give what makes a lab, and takes the one that the same thread had before down."""
    with tempfile.TemporaryDirectory(prefix="tunnelmark-faults-") as folder:
        manager = LabManager(cache_dir=user_cache_path("tunnelmark"), state_dir=Path(folder) / "labs")
        fields: dict[int, LabField] = {}
        numbers = itertools.count(1)

        def down(thread: int) -> None:
            field = fields.pop(thread, None)
            if field is not None:
                field.close()
                manager.down(field.name)

        def new() -> Field:
            down(threading.get_ident())
            name = f"faults-{next(numbers)}"
            # Booted: a restored gateway names its cards otherwise once it has lost its power.
            lab = manager.up(
                LabSpec(name), token=CancelToken(), on_progress=Reported(name), is_owned=True, is_cold=True
            )
            field = LabField(manager, lab, Path(folder))
            fields[threading.get_ident()] = field
            for side in Side:
                make_lan(field.host(side), side)
            return field

        try:
            yield new
        finally:
            for thread in list(fields):
                down(thread)
