"""Packets of a tunnel withheld on one host.

They arrive at its interface and no further. So its peer can copy what it sends, and send the copies before anything
else is delivered; they are known by their code point. The hold ends with its channel, and its rule by itself before.
"""

from __future__ import annotations

import re
from typing import Self

from app.domain.adapters import shell_step_argv
from app.domain.cancel import CancelToken
from app.domain.commands import Command, HostSession
from app.domain.errors import ProbeFailed, TunnelmarkError
from app.domain.script_files import bare_script
from app.probes.host_program import HostProgram
from app.probes.injection.packets import DSCP
from app.probes.injection.stages import LIMIT_S, TIMEOUT_S
from app.probes.messages import NOT_HELD_BACK, PROGRAM_PRINTED

HOLD_TABLE = "tunnelmark_hold"
HOLD_S = 30
"""After how many seconds the kernel lets packets pass again by itself."""
START_S = 20.0

_HOLD_SCRIPT = bare_script("injection/hold.sh")

_RELEASE_SCRIPT = bare_script("injection/release.sh")

_HELD = re.compile(r"\bcounter packets (\d{1,12}) ")


class Hold(HostProgram):
    """Packets of the tunnel withheld on one host for the length of a context.

    Args:
        folder: Folder of the tunnel there.
        peer: Whose packets are withheld: the other host's underlay address.
        kind: How they are known: `udp` by a port, `l2tp` by a session, `protocol` by an IP protocol.
        number: That port, session or protocol.
        cookie_bytes: Length of the session's cookie.

    Attributes:
        packets: How many were withheld; known at the end.
    """

    def __init__(
        self,
        host: HostSession,
        folder: str,
        peer: str,
        kind: str,
        number: int,
        *,
        cookie_bytes: int = 0,
        token: CancelToken,
    ) -> None:
        words = (folder, peer, HOLD_TABLE, str(HOLD_S), str(DSCP), kind, str(number), str(cookie_bytes))
        argv = shell_step_argv(_HOLD_SCRIPT, str(LIMIT_S), *words)
        command = Command(argv, timeout_s=LIMIT_S + 30.0, is_root=True, max_output_bytes=65_536)
        super().__init__(host, command, f"hold-{host.spec.label}", token=token)
        self._folder = folder
        self._is_held = False
        self.packets = 0

    def __enter__(self) -> Self:
        super().__enter__()
        with self._condition:
            self._condition.wait_for(lambda: self._is_held or self._has_ended, START_S)
            is_held = self._is_held
        if not is_held:
            self.__exit__()
            self._outer.raise_if_cancelled()
            if isinstance(self._error, Exception) and not isinstance(self._error, TunnelmarkError):
                raise self._error
            words = [*self._words, *([str(self._error)[:200]] if self._error else [])]
            raise ProbeFailed(
                NOT_HELD_BACK(host=self._host.spec.label),
                hint=PROGRAM_PRINTED(program="nft", output="; ".join(words[-3:])) if words else "",
                context={"host": self._host.spec.label},
            )
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self._release()
        finally:
            super().__exit__(*error)

    def _release(self) -> None:
        argv = shell_step_argv(_RELEASE_SCRIPT, self._folder, HOLD_TABLE)
        shown = self._host.run(Command(argv, timeout_s=TIMEOUT_S, is_root=True), token=CancelToken()).stdout
        self.packets = sum(int(one[1]) for one in _HELD.finditer(shown))
        self._thread.join(START_S)

    def _take(self, line: str) -> None:
        if line == "#held":
            self._is_held = True
        elif not line.startswith(("#", "@")) and len(self._words) < 10:
            self._words.append(line.strip()[:200])
