"""A made-up host on this computer for tests of deploying: real shells and files, a made-up network.

Whatever names Tunnelmark's folder on a host (`/run/tunnelmark`) is turned into a path below the host's own folder, and
so is the clock that scripts read (`/proc/uptime`): tests move it. The programs that would read or change this
computer's network are replaced by small scripts that keep their arguments in files.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from app.domain.cancel import CancelToken
from app.domain.commands import BatchLineSink, Command, CommandResult, FileToWrite, LineSink
from app.domain.errors import CommandFailed, ConnectionLost, DeadlineExceeded, HostUnreachable
from app.domain.hosts import HostSpec, Privilege, Side
from app.domain.link import STATE_DIR
from support.made_up_output import Output
from support.made_up_programs import PROGRAMS
from support.waiting import PATIENCE_S, wait_until

UNDERLAYS = {Side.A: "192.0.2.1", Side.B: "192.0.2.2"}

_UPTIME = "/proc/uptime"
_NF_TABLES = "/sys/module/nf_tables"
LONGEST_PAUSE_S = 5.0
"""Longest sleep of scripts between two checks, in seconds."""
_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
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
        self._uptime = root / "uptime"
        self._mounts = root / "mounts"
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
        for name, text in PROGRAMS.items():
            (self._bin / name).write_text(text)
            (self._bin / name).chmod(0o755)
        # /bin/sh of this host is the shell that was asked for; BusyBox goes by the name that it is called by.
        program = shutil.which(self.shell[0])
        assert program is not None, self.shell
        (self._bin / "sh").symlink_to(program)
        self._uptime.symlink_to(_UPTIME)
        self.mount_run("tmpfs")

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
        self._raise_if_cut()
        token.raise_if_cancelled()
        self.commands.append(" ".join(command.argv)[:200])
        if self.on_run is not None:
            self.on_run(command)
            self._raise_if_cut()
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

    def _attend(
        self, process: subprocess.Popen[bytes], command: Command, token: CancelToken, on_line: LineSink | None
    ) -> CommandResult:
        output = Output(self, process, on_line)
        unregister = token.on_cancel(output.closed.set)
        output.start_reading()
        self._feed(process, command.stdin or b"")
        output.start_waiting()
        in_time = output.closed.wait(command.timeout_s)
        unregister()
        if token.is_cancelled:
            self._hang_up(process)
            output.join()
            token.raise_if_cancelled()
        if output.is_lost:
            self._hang_up(process)
            # Otherwise no one reads any more; what runs there goes on until it writes something.
            if self.does_hang_up:
                output.join()
        elif not in_time:
            self._hang_up(process)
            raise DeadlineExceeded(f"{command.argv[0]} took too long.")
        else:
            output.join()
        if output.is_lost:
            raise ConnectionLost(f"The connection to {self.spec.label} broke.")
        out, err = (self._there("\n".join(lines)) for lines in (output.out, output.err))
        return CommandResult(command.argv, process.returncode, out, err, 0.0)

    def _feed(self, process: subprocess.Popen[bytes], text: bytes) -> None:
        assert process.stdin is not None
        try:
            process.stdin.write(self._here(text.decode()).encode())
            process.stdin.close()
        except BrokenPipeError:
            pass

    def _hang_up(self, process: subprocess.Popen[bytes]) -> None:
        """Do what a closed channel does: the command's next line finds no reader."""
        if process.poll() is None and self.does_hang_up:
            try:
                os.killpg(process.pid, signal.SIGHUP)
            except ProcessLookupError:
                pass

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
        self._raise_if_cut()
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
        return subprocess.run(words, env=self._environment(), capture_output=True, text=True, check=False, timeout=300)

    def processes(self) -> list[int]:
        """Return the host's processes: those with its folder in their environment."""
        needle = f"FAKE_NET={self.net}".encode()
        found: list[int] = []
        for name in os.listdir("/proc"):  # noqa: PTH208 - asked for again and again, and paths take three times as long
            if not name.isdecimal():
                continue
            try:
                with open(f"/proc/{name}/environ", "rb", buffering=0) as file:  # noqa: PTH123
                    if needle in file.read():
                        found.append(int(name))
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

    def mount_run(self, kind: str) -> None:
        """Have its /run be a file system of that kind."""
        self._mounts.write_text(f"/dev/sda1 / ext4 rw 0 0\nnone {self.root.resolve()}/run {kind} rw 0 0\n")

    @property
    def uptime_s(self) -> float:
        """Time of its clock, in seconds since the host was started."""
        return float(self._uptime.read_text().split()[0])

    @property
    def is_clock_held(self) -> bool:
        """Whether its clock is stopped until it is moved."""
        return not self._uptime.is_symlink()

    def hold_clock(self) -> None:
        """Stop its clock until it is moved: no lease ends because this computer is busy."""
        self.move_clock(0)

    def follow_clock(self) -> None:
        """Have its clock run like this computer's again."""
        self._uptime.unlink()
        self._uptime.symlink_to(_UPTIME)

    def pass_time(self, step_s: float, until: Callable[[], bool], what: str) -> None:
        """Move its clock ahead again and again, until a condition holds; what sleeps no longer than a step wakes up.

        Args:
            step_s: How far at a time, in seconds.
            until: The condition.
            what: What is awaited, for the error's sentence.
        """

        def move_on() -> None:
            self.move_clock(step_s)
            self._end_sleeps(step_s)

        _repeat(move_on, until, what)

    def wake(self, until: Callable[[], bool], what: str, timeout_s: float = PATIENCE_S) -> None:
        """Wait for a condition, and end the pauses that its scripts make between two rounds meanwhile.

        Args:
            until: The condition.
            what: What is awaited, for the error's sentence.
            timeout_s: Deadline in seconds.
        """

        _repeat(lambda: self._end_sleeps(LONGEST_PAUSE_S), until, what, timeout_s)

    def end_pauses(self) -> None:
        """End the pauses that its scripts make now; they go on, and may make others."""
        self._end_sleeps(LONGEST_PAUSE_S)

    def move_clock(self, seconds: float) -> None:
        """Move its clock ahead; from then on it is stopped."""
        moved = self._uptime.with_suffix(".new")
        moved.write_text(f"{self.uptime_s + seconds:.2f} 0.00\n")
        moved.replace(self._uptime)

    def _end_sleeps(self, up_to_s: float) -> None:
        for pid in self.processes():
            try:
                words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                if words[0] == b"sleep" and 1 <= float(words[1]) <= up_to_s:
                    os.kill(pid, signal.SIGTERM)
            except (OSError, ValueError, IndexError):
                continue

    def _raise_if_cut(self) -> None:
        if self.is_cut:
            raise ConnectionLost(f"There is no connection to {self.spec.label} any more.")

    def _environment(self) -> dict[str, str]:
        return {"PATH": f"{self._bin}:{_PATH}", "FAKE_NET": str(self.net), "LC_ALL": "C"}

    def _here(self, text: str) -> str:
        text = text.replace(STATE_DIR, str(self.state_dir)).replace(_UPTIME, str(self._uptime))
        text = text.replace("/proc/mounts", str(self._mounts)).replace(_NF_TABLES, str(self.net / "nf_tables"))
        if self.has_etc:
            text = _ETC.sub(str(self.root / "etc"), text)
            # What is uploaded has become longer by the folder's name.
            text = text.replace('[ "$got" -eq "$want" ]', '[ "$got" -ge "$want" ]')
            text = text.replace("/sys/class/net", str(self.net / "links")).replace(
                "/run/systemd", f"{self.root}/systemd"
            )
        return text

    def make_etc(self) -> None:
        """Give it an /etc of its own, with BusyBox's way to start services, for what is kept there."""
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


def _repeat(step: Callable[[], None], until: Callable[[], bool], what: str, timeout_s: float = PATIENCE_S) -> None:
    """Do a step again and again until a condition holds, and not once more."""

    def has_come() -> bool:
        if until():
            return True
        step()
        return False

    wait_until(has_come, what, timeout_s)
