from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.errors import ProbeFailed
from app.probes.capture.canary import CanaryFrames
from app.probes.injection.stages import CopyRequest, copy
from app.probes.messages import NOT_COPIED
from support.local_session import LocalSession
from support.message_checks import has_message
from support.waiting import wait_until

MUTE = '#!/bin/sh\necho "$$" > "{folder}/pid"\nexec /bin/sleep 600\n'
"""A tcpdump that never says that it captures, as on a full disk, where its words have no room."""

HASTY = '#!/bin/sh\nif [ "$1" != 0.05 ] || [ ! -s "{folder}/pid" ]; then exec /bin/sleep "$@"; fi\n'
"""A sleep that leaves out the pauses of the waiting for tcpdump once that runs, not those of the frame's own watch."""


def test_a_capture_that_never_begins_does_not_go_on_on_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (("tcpdump", MUTE.format(folder=tmp_path)), ("sleep", HASTY.format(folder=tmp_path))):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    request = CopyRequest(str(tmp_path), "lo", "udp", *(["127.0.0.1"] * 4), b"first", b"second")
    with pytest.raises(ProbeFailed, check=has_message(NOT_COPIED)):
        copy(LocalSession(), request, CanaryFrames.new(), token=CancelToken())
    process = Path("/proc") / (tmp_path / "pid").read_text().strip()
    wait_until(lambda: not process.exists(), "the capture to end")
