from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from app.domain.cancel import CancelToken
from app.domain.errors import ProbeFailed
from app.probes.capture.canary import CanaryFrames
from app.probes.injection.stages import CopyRequest, copy
from app.probes.messages import NOT_COPIED
from support.local_session import LocalSession
from support.message_checks import has_message

MUTE = '#!/bin/sh\necho "$$" > "{folder}/pid"\nexec /bin/sleep 60\n'
"""A tcpdump that never says that it captures, as on a full disk, where its words have no room."""

HASTY = '#!/bin/sh\n[ "$1" = 0.05 ] || exec /bin/sleep "$@"\n'
"""A sleep that leaves the pauses of the waiting for tcpdump out, and not those of the frame's own watch."""


def test_a_capture_that_never_begins_does_not_go_on_on_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in (("tcpdump", MUTE.format(folder=tmp_path)), ("sleep", HASTY)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    request = CopyRequest(str(tmp_path), "lo", "udp", *(["127.0.0.1"] * 4), b"first", b"second")
    with pytest.raises(ProbeFailed, check=has_message(NOT_COPIED)):
        copy(LocalSession(), request, CanaryFrames.new(), token=CancelToken())
    process = Path("/proc") / (tmp_path / "pid").read_text().strip()
    deadline_s = time.monotonic() + 10
    while process.exists() and time.monotonic() < deadline_s:
        time.sleep(0.02)
    assert not process.exists(), (process / "cmdline").read_bytes()
