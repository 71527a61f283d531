from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import TunnelDown
from app.measurement.census.log_diagnosis import MAX_CHARACTERS, last_line, reason_of, root_cause_line

OPENVPN = """gateway-a:
--- /run/tunnelmark/tunnel/openvpn.log
2026-11-21 03:07:06 Note: --cipher is not set. OpenVPN versions before 2.5 defaulted to BF-CBC when negotiation failed.
2026-11-21 03:07:06 Unsupported cipher in --data-ciphers: NOSUCH
Options error: --data-ciphers list contains unsupported ciphers or is too long.
Use --help for more information.
"""
OPENVPN_DIGEST = """2026-11-20 19:05:45 OpenVPN 2.5.1 x86_64-pc-linux-gnu [SSL (OpenSSL)] built on May 14 2021
2026-11-20 19:05:45 Message hash algorithm 'NOSUCHMD' not found
2026-11-20 19:05:45 Exiting due to fatal error
"""
CHARON = """12[IKE] establishing CHILD_SA tmk{1}
07[IKE] received NO_PROPOSAL_CHOSEN notify, no CHILD_SA built
initiate failed: establishing CHILD_SA 'tmk' failed
"""
TINC = """2026-03-04 09:30:01 tinc.l2t[812]: tincd 1.0.36 starting, debug level 0
2026-03-04 09:30:01 tinc.l2t[812]: Unrecognized cipher type!
2026-03-04 09:30:01 tinc.l2t[812]: Terminating
"""


@pytest.mark.parametrize(
    ("log", "line"),
    [
        (OPENVPN, "Unsupported cipher in --data-ciphers: NOSUCH"),
        (OPENVPN_DIGEST, "Message hash algorithm 'NOSUCHMD' not found"),
        (CHARON, "received NO_PROPOSAL_CHOSEN notify, no CHILD_SA built"),
        (TINC, "Unrecognized cipher type!"),
        ("Unknown cipher type 'none'\n", "Unknown cipher type 'none'"),
        ("/etc/x line 3: Bad SSH2 cipher spec 'none'.\n", "/etc/x line 3: Bad SSH2 cipher spec 'none'."),
        ("[ 1234.567890] openvpn[812]: segfault at 0 ip 0\n", "openvpn[812]: segfault at 0 ip 0"),
        ("SIGTERM received\nExiting due to fatal error\n", "SIGTERM received"),
        ("all is well\n", ""),
        ("", ""),
    ],
)
def test_line_that_tells_why(log: str, line: str) -> None:
    assert root_cause_line(log) == line


def test_kernel_comes_before_output_and_output_before_log() -> None:
    error = TunnelDown("It ended.", context={"output": "cannot open", "log": "invalid argument"})
    assert reason_of(error, "x[1]: segfault") == "It ended. Reported: x[1]: segfault"
    assert reason_of(error) == "It ended. Reported: cannot open"
    del error.context["output"]
    assert reason_of(error) == "It ended. Reported: invalid argument"


def test_without_a_telling_line_the_last_one_is_given() -> None:
    assert reason_of(TunnelDown("It ended.", context={"log": "one\ntwo\n"})) == "It ended. Reported: two"
    assert reason_of(TunnelDown("It ended.")) == "It ended."


@given(st.text())
def test_whatever_is_printed_becomes_at_most_one_bounded_line(text: str) -> None:
    for line in (root_cause_line(text), last_line(text)):
        assert len(line) <= MAX_CHARACTERS
        assert "\n" not in line
