"""A condition on hosts of the user's own: its step, and the options of netem."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from app.domain.condition_files import presets
from app.domain.conditions import LinkDirection
from app.domain.errors import InvalidPlan
from app.domain.script_files import bare_script
from app.tunnel.messages import DELAY_CHANGES
from app.tunnel.shaping import netem_options, refuse_unshaped
from support.message_checks import has_message


@pytest.mark.parametrize(
    ("way", "words"),
    [
        (LinkDirection(), "limit 100000"),
        (LinkDirection(delay_ms=250.0, rate_mbit_s=10.0, queue_ms=500.0), "delay 250000us rate 10000kbit limit 619"),
        (LinkDirection(loss_pct=1.0), "loss random 1% limit 100000"),
        (LinkDirection(loss_pct=1.0, burst_frames=4.0), "loss gemodel 0.2525% 25.0000% limit 100000"),
        (LinkDirection(delay_ms=0.5, rate_mbit_s=0.1, queue_ms=10.0), "delay 500us rate 100kbit limit 10"),
    ],
)
def test_netem_is_given_what_a_direction_asks_for(way: LinkDirection, words: str) -> None:
    assert " ".join(netem_options(way)) == words


@pytest.mark.parametrize("name", presets())
def test_delays_that_change_are_refused(name: str) -> None:
    condition = presets()[name]
    if condition.a_to_b.trace_ms:
        with pytest.raises(InvalidPlan, check=has_message(DELAY_CHANGES, condition=condition.name)):
            refuse_unshaped(condition)
    else:
        refuse_unshaped(condition)


class StubHost:
    """A folder with programs that keep an interface's queue and segments in files, and a script that runs with them."""

    def __init__(self, shell: str, folder: Path) -> None:
        self.folder, self._shell = folder, shell
        self.write("root", "qdisc fq_codel 0: root refcnt 2")
        self.write("segments", "65535")
        self._program("modprobe", "")
        self._program(
            "tc",
            'case "$*" in *show*) cat root ;; *"del dev"*) echo "qdisc fq_codel 0: root refcnt 2" > root ;;\n'
            '*" netem "*) printf "qdisc prio 7e57: root x\\nqdisc netem 7e58: parent 7e57:4 y\\n" > root ;; esac',
        )
        self._program(
            "ip",
            'case "$*" in *show*) echo "2: eth1: <UP> gso_max_size 65536 gso_max_segs $(cat segments) x" ;;\n'
            '*gso_max_segs*) for word; do :; done; echo "$word" > segments ;; esac',
        )

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(f"{text}\n")

    def read(self, name: str) -> str:
        return (self.folder / name).read_text().strip()

    def _program(self, name: str, script: str) -> None:
        (self.folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.folder / name).chmod(0o755)

    def run(self, action: str) -> int:
        words = [action, "eth1", "192.0.2.2", str(self.folder / "kept"), "delay", "20ms", "loss", "1%"]
        argv = [*self._shell.split(), "-c", bare_script("tunnel/shape.sh"), "tunnelmark", *words]
        env = {"PATH": f"{self.folder}:{os.environ['PATH']}"}
        return subprocess.run(argv, env=env, cwd=self.folder, capture_output=True, check=False).returncode


@pytest.fixture(params=["dash", "busybox sh"])
def stub(request: pytest.FixtureRequest, tmp_path: Path) -> StubHost:
    return StubHost(request.param, tmp_path)


def test_a_shaped_interface_sends_no_long_segments_until_it_is_as_before(stub: StubHost) -> None:
    assert stub.run("check") != 0
    assert stub.run("set") == 0
    assert (stub.read("segments"), stub.run("check")) == ("1", 0)
    stub.write("segments", "65535")
    assert stub.run("check") != 0, "somebody has switched them on again"
    assert stub.run("unset") == 0
    assert (stub.read("segments"), stub.read("root")) == ("65535", "qdisc fq_codel 0: root refcnt 2")
    assert not (stub.folder / "kept").exists()
    assert stub.run("unset") == 0


def test_what_is_shaped_by_others_and_what_cannot_be_set_is_left_alone(stub: StubHost) -> None:
    stub.write("root", "qdisc netem 8001: root refcnt 2")
    assert stub.run("set") == 3
    stub.write("root", "qdisc fq_codel 0: root refcnt 2")
    (stub.folder / "ip").write_text("#!/bin/sh\n")
    assert stub.run("set") == 3
    assert stub.read("root") == "qdisc fq_codel 0: root refcnt 2"
    assert stub.run("unset") == 0
