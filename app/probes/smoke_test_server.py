"""An iperf3 server for one test inside a tunnel; proven to be gone afterwards."""

from __future__ import annotations

import threading
from typing import Self

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession
from app.domain.errors import Cancelled, TunnelmarkError
from app.domain.script_files import bare_script

LIMIT_S = 60
END_TIMEOUT_S = 3.0

_SERVER_SCRIPT = bare_script("probes/smoke-server.sh")

_END_SCRIPT = bare_script("probes/smoke-end.sh")


class QuickServer:
    """Runs for the length of a context, for one test.

    Args:
        host: Where it runs.
        folder: The tunnel's own folder there.
        address: What it is bound to.
        port: TCP port.
    """

    def __init__(self, host: HostSession, folder: str, address: str, port: int, *, token: CancelToken) -> None:
        self._host = host
        self._folder = folder
        self._argv = ("iperf3", "-s", "-1", "-B", address, "-p", str(port), "-i", "0")
        self._outer = token
        self._inner = CancelToken()
        self._has_ended = False
        self._thread = threading.Thread(target=self._serve, name="quick-server")

    def __enter__(self) -> Self:
        self._unregister = self._outer.on_cancel(self._inner.cancel)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._unregister()
        if kind is None:
            self._thread.join(0.3)
        is_over = not self._thread.is_alive()
        self._inner.cancel()
        if not (is_over and self._has_ended):
            self._end()
        self._thread.join()

    def _serve(self) -> None:
        argv = shell_step_argv(_SERVER_SCRIPT, str(LIMIT_S), self._folder, *self._argv)
        command = Command(argv, timeout_s=LIMIT_S + 15.0, is_root=True, max_output_bytes=4096)
        try:
            self._has_ended = self._host.run(command, token=self._inner).is_ok
        except (TunnelmarkError, Cancelled):
            pass  # the client sees that there is no answer

    def _end(self) -> None:
        command = Command(shell_step_argv(_END_SCRIPT, self._folder), timeout_s=END_TIMEOUT_S, is_root=True)
        try:
            self._host.run(command, token=CancelToken())
        except TunnelmarkError:
            pass  # a host that cannot be reached ends it itself: its frame sees to that
