"""Connections to both hosts of a pair, and what is reported where neither can be reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import pytest
from fake_hosts import FakeHost

from app.domain.cancel import CancelToken
from app.domain.commands import HostSession
from app.domain.errors import (
    AuthenticationFailed,
    Cancelled,
    HostKeyChanged,
    HostKeyUnknown,
    HostUnreachable,
    InvalidFile,
    TunnelmarkError,
)
from app.domain.hosts import HostSpec, NodeHost, PairSpec
from app.measurement.node_machines import log_in_to_nodes
from app.measurement.transfers import NODE_NEEDS
from app.ssh import SshConnector
from app.ssh.connections import Connections
from app.ssh.messages import HOST_KEY_REVOKED, HOST_UNREACHABLE, NAME_UNKNOWN

PAIR = PairSpec("plant", HostSpec("gw-a", "192.0.2.1"), HostSpec("gw-b", "192.0.2.2"), "10.1.0.1", "10.1.0.2")
A_REFUSES = HostUnreachable(HOST_UNREACHABLE(host="gw-a", why=["connection refused"]), context={"host": "gw-a"})
B_IS_UNKNOWN = HostUnreachable(NAME_UNKNOWN(name="gw-b", reason="no such name"), context={"host": "gw-b", "port": "22"})


class Connector:
    """Opens the sessions that it has, and raises the errors that it has instead."""

    def __init__(self, errors: Mapping[str, BaseException]) -> None:
        self._errors = errors
        self.opened: list[str] = []

    def open(self, spec: HostSpec, *, token: CancelToken) -> HostSession:
        if spec.label in self._errors:
            raise self._errors[spec.label]
        self.opened.append(spec.label)
        return FakeHost(spec.label, lambda _command, _token: iter(()))


def connect(**errors: BaseException) -> tuple[str, str]:
    connections = Connections(cast("SshConnector", Connector({f"gw-{side}": error for side, error in errors.items()})))
    pair = connections.pair(PAIR, token=CancelToken())
    return pair.a.spec.label, pair.b.spec.label


def test_both_hosts_are_connected() -> None:
    assert connect() == ("gw-a", "gw-b")


@pytest.mark.parametrize("side", ["a", "b"])
def test_the_error_of_one_host_is_raised_as_it_is(side: str) -> None:
    error = {"a": A_REFUSES, "b": B_IS_UNKNOWN}[side]
    with pytest.raises(HostUnreachable) as caught:
        connect(**{side: error})
    assert caught.value is error


def test_where_neither_host_can_be_reached_the_error_says_why_of_each() -> None:
    with pytest.raises(HostUnreachable) as caught:
        connect(a=A_REFUSES, b=B_IS_UNKNOWN)
    error = caught.value
    assert A_REFUSES.message in error.message
    assert B_IS_UNKNOWN.message in error.message
    assert A_REFUSES.hint in error.hint
    assert B_IS_UNKNOWN.hint in error.hint
    assert error.code == "ssh.host-unreachable"
    assert error.context == {"host": "gw-a\ngw-b", "port": "22"}
    assert error.__cause__ is A_REFUSES


def test_a_node_whose_host_key_is_not_known_is_refused_as_a_gateway_is() -> None:
    nodes = {side: NodeHost(HostSpec(f"node-{side}", f"192.0.2.1{side}"), "eth1", "eth2") for side in (1, 2)}
    pair = replace(PAIR, node_a=nodes[1], node_b=nodes[2])
    error = HostKeyUnknown("The host key of node-2 is not known.")
    connector = Connector({"node-2": error})
    connections = Connections(cast("SshConnector", connector))
    token = CancelToken()
    with pytest.raises(HostKeyUnknown) as caught:
        log_in_to_nodes(
            pair, lambda both: connections.pair(both, token=token), NODE_NEEDS, token=token, audit=lambda _entry: None
        )
    assert caught.value is error
    assert connector.opened == ["node-1"]


def test_one_advice_for_both_hosts_is_given_once() -> None:
    other = HostUnreachable(HOST_UNREACHABLE(host="gw-b", why=["no route to host"]))
    with pytest.raises(HostUnreachable) as caught:
        connect(a=A_REFUSES, b=other)
    assert caught.value.hint == A_REFUSES.hint


@pytest.mark.parametrize("side", ["a", "b"])
def test_of_two_errors_the_one_that_another_try_does_not_mend_counts(side: str) -> None:
    refused = AuthenticationFailed("The gateway refused the login.", hint="Give the password.")
    other = {"a": "b", "b": "a"}[side]
    with pytest.raises(AuthenticationFailed) as caught:
        connect(**{side: refused, other: B_IS_UNKNOWN})
    assert caught.value.message == f"{refused.message} {B_IS_UNKNOWN.message}"
    assert not caught.value.is_retryable
    assert caught.value.__cause__ is refused


@pytest.mark.parametrize("side", ["a", "b"])
@pytest.mark.parametrize("other", [A_REFUSES, AuthenticationFailed("The other gateway refused the login.")])
def test_a_changed_host_key_is_reported_as_such_whatever_the_other_host_says(side: str, other: TunnelmarkError) -> None:
    changed = HostKeyChanged(HOST_KEY_REVOKED(host="gw", key_type="ssh-ed25519", fingerprint="SHA256:x"))
    with pytest.raises(HostKeyChanged) as caught:
        connect(**{side: changed, {"a": "b", "b": "a"}[side]: other})
    assert caught.value.code == changed.code
    assert caught.value.message.startswith(changed.message)
    assert other.message in caught.value.message


def test_what_is_wrong_on_this_computer_is_reported_once() -> None:
    errors: list[TunnelmarkError] = [InvalidFile("~/.ssh/config cannot be read.") for _ in range(2)]
    with pytest.raises(InvalidFile) as caught:
        connect(a=errors[0], b=errors[1])
    assert caught.value is errors[0]


def test_a_cancelled_connection_is_no_error_of_the_other_host() -> None:
    with pytest.raises(Cancelled):
        connect(a=A_REFUSES, b=Cancelled())
