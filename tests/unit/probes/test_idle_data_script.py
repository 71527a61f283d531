"""The capture of an idle tunnel under the shells that hosts have: the whole time counts, or none of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from fake_hosts import Answer, FakeHost

from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.errors import ProbeFailed
from app.probes.messages import CAPTURE_ENDED_EARLY
from app.probes.workloads import WORKLOADS, WorkloadPath, idle_data
from support.message_checks import has_message

SHELLS = pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh")], ids=lambda one: one[0])

_TCPDUMP = f"""#!{sys.executable}
import os, signal, sys
signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
print("listening on eth1, link-type EN10MB (Ethernet), snapshot length 96 bytes", flush=True)
print("52:54:00:00:00:0a > 52:54:00:00:00:0b, IPv4, length 122: 192.0.2.1.7 > 192.0.2.2.7: UDP, length 80", flush=True)
if os.path.exists(os.path.join(os.path.dirname(sys.argv[0]), "gone")):
    sys.exit("tcpdump: pcap_loop: The interface disappeared")
while True:
    signal.pause()
"""


def measured(shell: tuple[str, ...], folder: Path) -> Mapping[str, float]:
    """Run the workload on a host with this shell; its tcpdump ends at once if there is a file `gone`."""
    for name, text in (("tcpdump", _TCPDUMP), ("ip", "#!/bin/sh\necho '2: eth1    inet 192.0.2.1/24 brd x'\n")):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)

    def answer(command: Command, _token: CancelToken) -> Answer:
        env = {"PATH": f"{folder}:{os.environ['PATH']}"}
        argv = [*shell, *command.argv[1:]]
        done = subprocess.run(argv, env=env, capture_output=True, text=True, check=False, timeout=300)
        yield from done.stdout.splitlines()
        return done.returncode

    host = FakeHost("gateway-a", answer)
    underlay = ("192.0.2.1", "192.0.2.2")
    return WORKLOADS["idle-data"].run(
        WorkloadPath(SessionPair(host, host), "10.0.0.1", "10.0.0.2", underlay, "", 5201, 0.0, CancelToken())
    )


@SHELLS
def test_a_month_follows_from_the_whole_time(
    shell: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idle_data, "_SETTLE_S", 0)
    monkeypatch.setattr(idle_data, "WINDOW_S", 2)
    found = measured(shell, tmp_path)
    assert (found["bytes"], found["frames"]) == (122.0, 1_800.0)


@SHELLS
def test_a_capture_that_ended_early_gives_no_month(
    shell: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idle_data, "_SETTLE_S", 0)
    (tmp_path / "gone").touch()
    with pytest.raises(ProbeFailed, check=has_message(CAPTURE_ENDED_EARLY, host="gateway-a", seconds=121)) as caught:
        measured(shell, tmp_path)
    assert "pcap_loop: The interface disappeared" in caught.value.sentence()
