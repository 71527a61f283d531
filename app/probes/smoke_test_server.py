"""An iperf3 server for one test inside a tunnel; proven to be gone afterwards."""

from __future__ import annotations

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession
from app.domain.errors import TunnelmarkError
from app.domain.script_files import bare_script
from app.probes.host_program import HostProgram

LIMIT_S = 60
END_TIMEOUT_S = 3.0

_SERVER_SCRIPT = bare_script("probes/smoke-server.sh")

_END_SCRIPT = bare_script("probes/smoke-end.sh")


class QuickServer(HostProgram):
    """Runs for the length of a context, for one test.

    Args:
        host: Where it runs.
        folder: The tunnel's own folder there.
        address: What it is bound to.
        port: TCP port.
    """

    def __init__(self, host: HostSession, folder: str, address: str, port: int, *, token: CancelToken) -> None:
        iperf = ("iperf3", "-s", "-1", "-B", address, "-p", str(port), "-i", "0")
        argv = shell_step_argv(_SERVER_SCRIPT, str(LIMIT_S), folder, *iperf)
        command = Command(argv, timeout_s=LIMIT_S + 15.0, is_root=True, max_output_bytes=4096)
        super().__init__(host, command, "quick-server", token=token)
        self._folder = folder

    def __exit__(self, *error: object) -> None:
        self._unregister()
        if not any(error):
            self._thread.join(0.3)
        is_over = not self._thread.is_alive()
        self._inner.cancel()
        if not (is_over and self._is_ok):
            self._end()
        self._thread.join()

    def _end(self) -> None:
        command = Command(shell_step_argv(_END_SCRIPT, self._folder), timeout_s=END_TIMEOUT_S, is_root=True)
        try:
            self._host.run(command, token=CancelToken())
        except TunnelmarkError:
            pass  # a host that cannot be reached ends it itself: its frame sees to that
