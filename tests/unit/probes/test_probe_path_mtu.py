from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from fake_hosts import Answer, FakeHost

from app.domain.cancel import CancelToken
from app.domain.commands import Command
from app.domain.errors import ProbeFailed
from app.probes import probe_path_mtu
from app.probes.messages import PING_CANNOT_FORBID, SMALLEST_NOT_ANSWERED
from support.message_checks import has_message


def answering(*lines: str, status: int = 0) -> FakeHost:
    def answer(command: Command, token: CancelToken) -> Answer:
        yield from lines
        return status

    return FakeHost("gateway-a", answer)


def test_headers_are_added() -> None:
    assert probe_path_mtu(answering("payload 1472"), "192.0.2.2", token=CancelToken()) == 1500


def test_the_source_is_passed_on() -> None:
    host = answering("payload 1472")
    probe_path_mtu(host, "192.0.2.2", token=CancelToken(), source="192.0.2.1")

    assert host.commands[0].argv[4:6] == ("192.0.2.1", "192.0.2.2")


@pytest.mark.parametrize("line", ["payload 99999", "payload x", "payload", "payload 3", ""])
def test_nonsense_is_no_mtu(line: str) -> None:
    with pytest.raises(ProbeFailed):
        probe_path_mtu(answering(line), "192.0.2.2", token=CancelToken())


def test_no_answer_is_reported_with_the_hosts_words() -> None:
    host = answering("From 192.0.2.1 icmp_seq=1 Destination Host Unreachable", status=3)

    with pytest.raises(
        ProbeFailed, check=has_message(SMALLEST_NOT_ANSWERED, size_bytes=576, host="gateway-a")
    ) as caught:
        probe_path_mtu(host, "192.0.2.2", token=CancelToken())

    assert "Destination Host Unreachable" in caught.value.hint


def test_a_ping_that_cannot_forbid_fragments_is_reported() -> None:
    host = answering("1 packets transmitted, 1 packets received, 0% packet loss", status=3)

    with pytest.raises(ProbeFailed, check=has_message(PING_CANNOT_FORBID, host="gateway-a")):
        probe_path_mtu(host, "192.0.2.2", token=CancelToken())


FAKE_PING = """#!/bin/sh
case " $* " in *" -M do "*) ;; *) exit 0 ;; esac
while [ $# -gt 1 ]; do [ "$1" = -s ] && size=$2; shift; done
[ "$size" -le {largest} ]
"""


def search(largest: int, folder: Path) -> int:
    """Run the script that goes to hosts here, with a ping that lets so many bytes of payload cross."""
    ping = folder / "ping"
    ping.write_text(FAKE_PING.format(largest=largest), encoding="utf-8")
    ping.chmod(0o755)

    def answer(command: Command, token: CancelToken) -> Answer:
        done = subprocess.run(
            command.argv,
            env={"PATH": f"{folder}:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        yield from done.stdout.splitlines()
        return done.returncode

    return probe_path_mtu(FakeHost("gateway-a", answer), "192.0.2.2", token=CancelToken())


@pytest.mark.parametrize("mtu", [576, 577, 1280, 1400, 1499, 1500, 1501, 8999, 9000, 9001, 9215, 9216])
def test_the_search_finds_every_mtu(mtu: int, tmp_path: Path) -> None:
    assert search(mtu - 28, tmp_path) == mtu


def test_more_than_jumbo_is_reported_as_jumbo(tmp_path: Path) -> None:
    assert search(65_507, tmp_path) == 9216
