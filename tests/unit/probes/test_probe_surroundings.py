from __future__ import annotations

import pytest
from fake_hosts import Answer, FakeHost
from hypothesis import given
from hypothesis import strategies as st

from app.domain.cancel import CancelToken
from app.domain.commands import Command, SessionPair
from app.domain.hosts import Side
from app.probes.surroundings import inspect_surroundings, parse_surroundings

# As a Debian 13 gateway printed it, shaped on purpose.
OUTPUT = """\
51.90 - cpu  1000 0 500 8000 0 0 0 100 0 0
device eth1
qdisc netem 8001: root refcnt 2 limit 1000 delay 250ms loss 0.1% seed 1 rate 10Mbit
qdisc fq_codel 0: parent 1:1 limit 10240p flows 1024
52.41 - cpu  1010 0 510 8075 0 0 0 105 0 0
"""


def test_what_a_host_is_like() -> None:
    found = parse_surroundings(OUTPUT)

    assert found.busy_pct == pytest.approx(25.0)
    assert found.steal_pct == pytest.approx(5.0)
    assert found.device == "eth1"
    assert found.shapers == ("qdisc netem 8001: root refcnt 2 limit 1000 delay 250ms loss 0.1% seed 1 rate 10Mbit",)


def test_a_host_that_says_nothing() -> None:
    found = parse_surroundings("sh: 1: tc: not found\n")

    assert (found.busy_pct, found.steal_pct, found.device, found.shapers) == (None, None, "", ())


@given(st.text(max_size=300))
def test_nothing_a_host_prints_makes_it_fail(text: str) -> None:
    parse_surroundings(text)


@given(
    st.lists(
        st.sampled_from(["Ip:", "FragCreates", "7", "-1", "x", "\n", "qdisc", "netem", "device", "cpu"]), max_size=30
    )
)
def test_nor_do_the_right_words_in_the_wrong_places(words: list[str]) -> None:
    parse_surroundings(" ".join(words))


def host(label: str, text: str) -> FakeHost:
    def answer(command: Command, token: CancelToken) -> Answer:
        yield from text.splitlines()

    return FakeHost(label, answer)


def test_both_hosts_are_inspected() -> None:
    a, b = host("gateway-a", OUTPUT), host("gateway-b", "")

    found = inspect_surroundings(SessionPair(a, b), "192.0.2.1", "192.0.2.2", token=CancelToken())

    assert found[Side.A].device == "eth1"
    assert found[Side.B].device == ""
    assert a.commands[0].argv[-1] == "192.0.2.1"
    assert b.commands[0].argv[-1] == "192.0.2.2"
