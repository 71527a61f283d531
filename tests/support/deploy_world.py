"""Two made-up hosts on this computer for tests of deploying: real shells and files, a made-up network.

Whatever names Tunnelmark's folder on a host (`/run/tunnelmark`) is turned into a path below the host's own folder. The
programs that would look at or change this computer's network are replaced by small scripts that keep what they are told
in files.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from app.deploy import ActiveTunnel, DeployRequest, temporary_tunnel
from app.domain.adapters import (
    EndPlan,
    IdentityRecipe,
    PlanRequest,
    PublicIdentity,
    Setting,
    Step,
    TunnelPlan,
    UpCheck,
    shell_step_argv,
)
from app.domain.audit import AuditEntry
from app.domain.cancel import CancelToken
from app.domain.commands import BatchLineSink, Command, CommandResult, FileToWrite, LineSink, SessionPair, Stream
from app.domain.errors import CommandFailed, ConnectionLost, DeadlineExceeded, HostUnreachable
from app.domain.events import Stage
from app.domain.hosts import (
    HostFacts,
    HostSpec,
    InitSystem,
    PackageManager,
    PairSpec,
    Privilege,
    Side,
    SolutionSupport,
    Tool,
    ToolFlavour,
)
from app.domain.link import STATE_DIR, Link
from app.domain.solutions import Carrier, CensusOption, SecurityProperties, SolutionInfo, Space, Suite

UNDERLAYS = {Side.A: "192.0.2.1", Side.B: "192.0.2.2"}

_IP = """#!/bin/sh
# ip as far as deploying uses it: links are files below $FAKE_NET.
case "$*" in
    "-o -batch -")
        [ -e "$FAKE_NET/knows-batch" ] || { echo "not known" >&2; exit 1; }
        while read -r line; do
            # shellcheck disable=SC2086
            "$0" -o $line
        done ;;
    "-o link show")
        n=0
        for link in "$FAKE_NET"/links/*; do
            n=$((n + 1))
            echo "$n: ${link##*/}: <UP> mtu 1500"
        done ;;
    "-o addr show") cat "$FAKE_NET/addresses" ;;
    "route show table all" | "-o route show table all") cat "$FAKE_NET/routes" ;;
    "route get "*) grep -q "^default" "$FAKE_NET/routes" && echo "$3 via somewhere" ;;
    "link add "*) [ ! -e "$FAKE_NET/links/$3" ] || { echo "File exists" >&2; exit 2; }; : > "$FAKE_NET/links/$3" ;;
    "link del "*) rm -f "$FAKE_NET/links/$3" ;;
esac
exit 0
"""
_PING = """#!/bin/sh
[ ! -e "$FAKE_NET/deaf" ] && echo "1 packets transmitted, 1 received"
"""
_NOTHING = "#!/bin/sh\nexit 1\n"
_ETC = re.compile(r"/etc(?=[/\\\s\"')]|$)")


class LocalHost:
    """Implements HostSession by running everything on this computer, in a folder of its own.

    Args:
        side: Which host.
        root: Its folder.
        shell: Program and arguments of its POSIX shell.
    """

    def __init__(self, side: Side, root: Path, *, shell: Sequence[str] = ("dash",)) -> None:
        self.side = side
        self.root = root
        self.state_dir = root / "run" / "tunnelmark"
        self.net = root / "net"
        self.shell = tuple(shell)
        self.is_cut = False
        self.can_reconnect = True
        self.can_connect_anew = True
        self.does_hang_up = True
        self.has_etc = False
        self.commands: list[str] = []
        self.on_run: Callable[[Command], None] | None = None
        self.on_line: Callable[[str], None] | None = None
        self._bin = root / "bin"
        self._make()

    def _make(self) -> None:
        (self.root / "run").mkdir(parents=True)
        (self.net / "links").mkdir(parents=True)
        (self.net / "links" / "eth1").touch()
        if "busybox" not in self.shell:
            (self.net / "knows-batch").touch()
        address = UNDERLAYS[self.side]
        (self.net / "addresses").write_text(f"2: eth1    inet {address}/24 brd 192.0.2.255 scope global eth1\n")
        (self.net / "routes").write_text("default via 192.0.2.254 dev eth1\n192.0.2.0/24 dev eth1 scope link\n")
        self._bin.mkdir()
        scripts = {"ip": _IP, "ping": _PING, "nft": _NOTHING, "systemd-run": _NOTHING, "logger": _NOTHING}
        for name, text in scripts.items():
            (self._bin / name).write_text(text)
            (self._bin / name).chmod(0o755)
        # /bin/sh of this host is the shell that was asked for.
        (self._bin / "sh").write_text(f'#!/bin/bash\nexec {" ".join(self.shell)} "$@"\n')
        (self._bin / "sh").chmod(0o755)

    # --- HostSession --------------------------------------------------------------------------------------------------

    @property
    def spec(self) -> HostSpec:
        return HostSpec(f"gateway-{self.side.value}", f"10.0.0.{1 if self.side is Side.A else 2}")

    @property
    def privilege(self) -> Privilege:
        return Privilege.ROOT

    @property
    def is_connected(self) -> bool:
        return not self.is_cut

    def run(self, command: Command, *, token: CancelToken, on_line: LineSink | None = None) -> CommandResult:
        if self.is_cut:
            raise ConnectionLost(f"There is no connection to {self.spec.label} any more.")
        token.raise_if_cancelled()
        self.commands.append(" ".join(command.argv)[:200])
        if self.on_run is not None:
            self.on_run(command)
        argv = [self._here(word) for word in command.argv]
        process = subprocess.Popen(
            argv,
            env={**self._environment(), "TUNNELMARK_RUN": "fake"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        return self._attend(process, command, token, on_line)

    def _attend(  # noqa: C901 - stands in for a whole channel
        self, process: subprocess.Popen[bytes], command: Command, token: CancelToken, on_line: LineSink | None
    ) -> CommandResult:
        out: list[str] = []
        err: list[str] = []
        lost: list[ConnectionLost] = []

        def drain(stream: Stream, lines: list[str]) -> None:
            source = process.stdout if stream is Stream.STDOUT else process.stderr
            assert source is not None
            with source:
                for raw in source:
                    line = raw.decode(errors="replace").removesuffix("\n")
                    lines.append(line)
                    if stream is Stream.STDOUT and self.on_line is not None:
                        self.on_line(line)
                    if on_line is not None:
                        on_line(stream, line)
                    if self.is_cut and not lost:
                        lost.append(ConnectionLost(f"The connection to {self.spec.label} broke."))
                        closed.set()
                        return

        closed = threading.Event()
        unregister = token.on_cancel(closed.set)
        threads = [
            threading.Thread(target=drain, args=(stream, lines), daemon=True)
            for stream, lines in ((Stream.STDOUT, out), (Stream.STDERR, err))
        ]
        for thread in threads:
            thread.start()
        assert process.stdin is not None
        try:
            process.stdin.write(self._here((command.stdin or b"").decode()).encode())
            process.stdin.close()
        except BrokenPipeError:
            pass

        def finish() -> None:
            process.wait()
            closed.set()

        waiter = threading.Thread(target=finish, daemon=True)
        waiter.start()
        in_time = closed.wait(command.timeout_s)
        unregister()
        if token.is_cancelled or lost or not in_time:
            # What a closed channel does: the command's next line finds nobody who reads it.
            if token.is_cancelled:
                self._hang_up(process)
            self._join([*threads, waiter] if token.is_cancelled else [])
            token.raise_if_cancelled()
            if lost:
                self._abandoned(process, [*threads, waiter])
                raise lost[0]
            self._hang_up(process)
            raise DeadlineExceeded(f"{command.argv[0]} took too long.")
        self._join([*threads, waiter])
        if lost:
            raise lost[0]
        return CommandResult(
            command.argv, process.returncode, self._there("\n".join(out)), self._there("\n".join(err)), 0.0
        )

    def _hang_up(self, process: subprocess.Popen[bytes]) -> None:
        if process.poll() is None and self.does_hang_up:
            try:
                os.killpg(process.pid, signal.SIGHUP)
            except ProcessLookupError:
                pass

    def _abandoned(self, process: subprocess.Popen[bytes], threads: list[threading.Thread]) -> None:
        self._hang_up(process)
        if self.does_hang_up:
            self._join(threads)
        # Otherwise nobody reads any more; what runs there goes on until it wants to say something.

    @staticmethod
    def _join(threads: list[threading.Thread]) -> None:
        for thread in threads:
            thread.join(timeout=30)

    def run_batch(
        self,
        commands: Sequence[Command],
        *,
        token: CancelToken,
        on_line: BatchLineSink | None = None,
        should_stop_at_failure: bool = False,
    ) -> tuple[CommandResult, ...]:
        results: list[CommandResult] = []
        for command in commands:
            if should_stop_at_failure and any(not result.is_ok for result in results):
                results.append(CommandResult(command.argv, None, "", "", 0.0))
            else:
                results.append(self.run(command, token=token))
        return tuple(results)

    def write_files(self, files: Sequence[FileToWrite], *, token: CancelToken) -> None:
        if self.is_cut:
            raise ConnectionLost(f"There is no connection to {self.spec.label} any more.")
        token.raise_if_cancelled()
        for file in files:
            path = Path(self._here(file.path))
            if not path.parent.is_dir():
                raise CommandFailed(f"{path.parent} does not exist.")
            path.write_bytes(file.content)
            path.chmod(file.mode)

    def check_new_connection(self, *, token: CancelToken) -> float:
        token.raise_if_cancelled()
        if not self.can_connect_anew:
            raise HostUnreachable(f"{self.spec.label} cannot be reached.")
        return 0.1

    def reconnect(self, *, token: CancelToken) -> None:
        token.raise_if_cancelled()
        if not self.can_reconnect:
            raise HostUnreachable(f"{self.spec.label} cannot be reached.")
        self.is_cut = False

    def close(self) -> None:
        self.is_cut = True

    # --- for tests ----------------------------------------------------------------------------------------------------

    @property
    def links(self) -> set[str]:
        return {path.name for path in (self.net / "links").iterdir()}

    def path(self, path: str) -> Path:
        """Return where a path of the host lies on this computer."""
        return Path(self._here(path))

    def shell_run(self, *argv: str) -> subprocess.CompletedProcess[str]:
        """Run something as an engineer at the host's console."""
        words = [self._here(word) for word in argv]
        return subprocess.run(words, env=self._environment(), capture_output=True, text=True, check=False, timeout=60)

    def processes(self) -> list[int]:
        """Return the host's processes: those with its folder in their environment."""
        needle = f"FAKE_NET={self.net}".encode()
        found: list[int] = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if needle in (folder / "environ").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue
        return found

    def end_processes(self) -> None:
        """Kill everything on the host, and what that was just starting."""
        while found := self.processes():
            for pid in found:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    continue

    def _environment(self) -> dict[str, str]:
        return {"PATH": f"{self._bin}:{os.environ['PATH']}", "FAKE_NET": str(self.net), "LC_ALL": "C.UTF-8"}

    def _here(self, text: str) -> str:
        text = text.replace(STATE_DIR, str(self.state_dir))
        if self.has_etc:
            text = _ETC.sub(str(self.root / "etc"), text)
            # What is uploaded has become longer by the folder's name.
            text = text.replace('[ "$got" -eq "$want" ]', '[ "$got" -ge "$want" ]')
            text = text.replace("/sys/class/net", str(self.net / "links")).replace(
                "/run/systemd", f"{self.root}/systemd"
            )
        return text

    def make_etc(self) -> None:
        """Give it an /etc of its own, with BusyBox's way to start services, for what stays there."""
        self.has_etc = True
        (self.root / "etc" / "init.d").mkdir(parents=True)
        (self.root / "etc" / "init.d" / "rcS").touch()

    def etc_files(self) -> dict[str, tuple[str, int]]:
        """Return what lies in its /etc: paths with their content and time of change."""
        folder = self.root / "etc"
        return {
            str(path.relative_to(folder)): ("" if path.is_dir() else path.read_text(), path.stat().st_mtime_ns)
            for path in (folder, *folder.rglob("*"))
        }

    def _there(self, text: str) -> str:
        return text.replace(str(self.state_dir), STATE_DIR)


# --- a VPN ------------------------------------------------------------------------------------------------------------

MADE_DIR = f"{STATE_DIR}-host"
"""A folder of the host that is not Tunnelmark's."""


def step(title: str, script: str, undo: str | None, *arguments: str, retry_s: float = 0.0) -> Step:
    """Return a step from two scripts with the same arguments."""
    back = Command(shell_step_argv(undo, *arguments), timeout_s=5.0, is_root=True) if undo is not None else None
    return Step(title, Command(shell_step_argv(script, *arguments), timeout_s=10.0, is_root=True), back, retry_s)


def link_step(name: str) -> Step:
    """Return a step that makes a made-up interface."""
    return Step(
        f"Make {name}",
        Command(("ip", "link", "add", name), timeout_s=5.0, is_root=True),
        Command(("ip", "link", "del", name), timeout_s=5.0, is_root=True),
    )


@dataclass
class MadeUpVpn:
    """Implements Adapter: a key, a file, an interface and a daemon that sleeps."""

    steps: Mapping[Side, tuple[Step, ...]] = field(default_factory=dict)
    files: Mapping[Side, tuple[FileToWrite, ...]] = field(default_factory=dict)
    up_checks: tuple[UpCheck, ...] = ()
    negotiated: UpCheck | None = None
    interface: str = "tmk0"
    has_identity: bool = True
    up_timeout_s: float = 3.0

    @property
    def info(self) -> SolutionInfo:
        security = SecurityProperties(True, True, True, True, True)
        return SolutionInfo("made-up", "Made up", "For tests.", Space.USER, Carrier.UDP, security, 1, 2)

    def discovery(self) -> Mapping[str, Command]:
        return {}

    def parse_discovery(self, outputs: Mapping[str, CommandResult]) -> SolutionSupport:
        return SolutionSupport("made-up", is_available=True)

    def suites(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[Suite, ...]:
        return (SUITE,)

    def identity(self, request: PlanRequest, side: Side) -> IdentityRecipe:
        if not self.has_identity:
            return IdentityRecipe()
        path = f"{request.link.run_dir}/key"
        make = step("Make a key", 'echo "secret of $2" > "$1"', 'rm -f "$1"', path, side.value)
        show = Command(shell_step_argv('echo "public"; tail -c 2 "$1"', path), is_root=True)
        return IdentityRecipe((make,), {"public": show})

    def parse_identity(self, outputs: Mapping[str, CommandResult]) -> PublicIdentity:
        words = outputs["public"].stdout.split()
        if outputs["public"].exit_status != 0 or len(words) != 2:
            raise CommandFailed("The host printed no public key.")
        return PublicIdentity({"public": "-".join(words)})

    def plan(self, request: PlanRequest) -> TunnelPlan:
        return TunnelPlan(
            solution="made-up",
            suite=request.suite,
            a=self._end(request, Side.A),
            b=self._end(request, Side.B),
            probe_address_a=request.link.inner_ip(Side.A),
            probe_address_b=request.link.inner_ip(Side.B),
            inner_mtu_bytes=1500,
            overhead_bytes=0,
            overhead_note="",
            largest_unfragmented_frame_bytes=None,
            up_timeout_s=self.up_timeout_s,
        )

    def _end(self, request: PlanRequest, side: Side) -> EndPlan:
        peer = request.identity(side.other).values.get("public", f"<public-of-{side.other}>")
        log = f"{request.link.run_dir}/daemon.log"
        if not self.interface:
            return EndPlan((), (), "")
        default = (link_step(self.interface), daemon_step(request.link.run_dir))
        return EndPlan(
            files=(
                FileToWrite(f"{request.link.run_dir}/config", f"peer {peer}\n".encode()),
                *self.files.get(side, ()),
            ),
            steps=self.steps.get(side, default),
            interface=self.interface,
            up_checks=self.up_checks,
            negotiated=self.negotiated,
            log_paths=(log,),
            listens=(("udp", 21194),),
        )

    def census(self, facts_a: HostFacts, facts_b: HostFacts) -> tuple[CensusOption, ...]:
        return ()

    def parse_config(self, text: str) -> Sequence[Setting]:
        return ()


SUITE = Suite("strong", "Strong", is_default=True)

_START = 'cd /; echo "$$ begins" > "$1/daemon.log"; sleep 600 & echo $! > "$1/pid"'
_STOP = 'if [ -s "$1/pid" ]; then kill "$(cat "$1/pid")" 2>/dev/null; fi; rm -f "$1/pid"; exit 0'


def daemon_step(run_dir: str) -> Step:
    """Return a step that starts a daemon with a pid file."""
    return step("Start the daemon", _START, _STOP, run_dir)


def made_up_facts(side: Side) -> HostFacts:
    """Return what discovery might have found."""
    return HostFacts(
        collected_at=datetime(2026, 1, 1, tzinfo=UTC),
        hostname=f"gateway-{side.value}",
        os_id="debian",
        os_name="Debian",
        kernel="6.12",
        architecture="x86_64",
        cpu_model="made up",
        cpu_count=1,
        cpu_flags=(),
        is_virtual=True,
        memory_total_mib=512,
        memory_available_mib=256,
        nics=(),
        clock_offset_ms=0.0,
        clock_error_ms=0.0,
        init_system=InitSystem.UNKNOWN,
        privilege=Privilege.ROOT,
        user="root",
        package_manager=PackageManager.NONE,
        tools={"ping": Tool("ping", ToolFlavour.IPUTILS)},
    )


@dataclass
class World:
    """Two hosts and what is to be built on them."""

    a: LocalHost
    b: LocalHost
    request: DeployRequest

    @property
    def hosts(self) -> tuple[LocalHost, LocalHost]:
        return (self.a, self.b)

    @property
    def sessions(self) -> SessionPair:
        return SessionPair(self.a, self.b)

    def host(self, side: Side) -> LocalHost:
        return self.a if side is Side.A else self.b

    def with_vpn(self, vpn: MadeUpVpn) -> DeployRequest:
        return replace(self.request, adapter=vpn)


def make_world(root: Path, *, shell: Sequence[str] = ("dash",)) -> World:
    """Return two hosts below a folder."""
    a, b = (LocalHost(side, root / side.value, shell=shell) for side in Side)
    pair = PairSpec("pair", a.spec, b.spec, UNDERLAYS[Side.A], UNDERLAYS[Side.B])
    request = DeployRequest(
        pair=pair,
        adapter=MadeUpVpn(),
        suite=SUITE,
        link=Link(UNDERLAYS[Side.A], UNDERLAYS[Side.B]),
        facts_a=made_up_facts(Side.A),
        facts_b=made_up_facts(Side.B),
    )
    return World(a, b, request)


def ignore_stage(_stage: Stage, _detail: str) -> None:
    """Take a stage and do nothing with it."""


def open_tunnel(
    world: World,
    request: DeployRequest | None = None,
    *,
    token: CancelToken | None = None,
    on_stage: Callable[[Stage, str], None] = ignore_stage,
    audit: list[AuditEntry] | None = None,
    lease_s: float = 30,
) -> AbstractContextManager[ActiveTunnel]:
    """Return a context in which a tunnel stands between the two hosts."""
    return temporary_tunnel(
        world.sessions,
        request or world.request,
        token=token or CancelToken(),
        on_stage=on_stage,
        audit=audit.append if audit is not None else None,
        lease_s=lease_s,
    )
