"""Commands in the network namespace of a node, over the session of the gateway that it is behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.domain.cancel import CancelToken
from app.domain.commands import BatchLineSink, Command, CommandResult, FileToWrite, HostSession, LineSink
from app.domain.hosts import HostSpec, Privilege


@dataclass(frozen=True, slots=True)
class NodeSession:
    """Implements `HostSession`: each command runs in the node's namespace, as root.

    Attributes:
        gateway: Session of the gateway.
        namespace: Name of the namespace.
    """

    gateway: HostSession
    namespace: str

    @property
    def spec(self) -> HostSpec:
        """The way the gateway is reached."""
        return self.gateway.spec

    @property
    def privilege(self) -> Privilege:
        """The way to root's rights on the gateway."""
        return self.gateway.privilege

    @property
    def is_connected(self) -> bool:
        """Whether the connection to the gateway is up."""
        return self.gateway.is_connected

    def run(self, command: Command, *, token: CancelToken, on_line: LineSink | None = None) -> CommandResult:
        """Run one command in the namespace; see `HostSession.run`."""
        return self.gateway.run(self._inside(command), token=token, on_line=on_line)

    def run_batch(
        self,
        commands: Sequence[Command],
        *,
        token: CancelToken,
        on_line: BatchLineSink | None = None,
        should_stop_at_failure: bool = False,
    ) -> tuple[CommandResult, ...]:
        """Run commands in turn in the namespace; see `HostSession.run_batch`."""
        inside = [self._inside(one) for one in commands]
        return self.gateway.run_batch(
            inside, token=token, on_line=on_line, should_stop_at_failure=should_stop_at_failure
        )

    def write_files(self, files: Sequence[FileToWrite], *, token: CancelToken) -> None:
        """Write files on the gateway: nodes have no files of their own."""
        self.gateway.write_files(files, token=token)

    def check_new_connection(self, *, token: CancelToken) -> float:
        """Log in to the gateway once more."""
        return self.gateway.check_new_connection(token=token)

    def reconnect(self, *, token: CancelToken) -> None:
        """Make the connection to the gateway anew."""
        self.gateway.reconnect(token=token)

    def close(self) -> None:
        """Do nothing: the gateway's session belongs to others."""

    def _inside(self, command: Command) -> Command:
        return replace(command, argv=("ip", "netns", "exec", self.namespace, *command.argv), is_root=True)
