"""Diff of files that were changed by hand on a host: no secret, no control character."""

from __future__ import annotations

import pytest

from app.linting.masked_diff import changed_by_hand, would_change

PATH = "/etc/tunnelmark/slot/id/kept/wg.conf"
WIREGUARD = "[Interface]\nListenPort = 51820\n\n[Peer]\nPublicKey = {}\nAllowedIPs = 0.0.0.0/0\n"
PUBLIC = "mC4xWlVVQ0VGR0hJSktMTU5PUFFSU1RVVldYWVphYmM="
KEY = "aGVsbG8gd29ybGQgdGhpcyBpcyBhIHNlY3JldCBrZXk="
PEM_LINE = "MC4CAQAwBQYDK2VwBCIEIFakedButSecretAllTheSame0123456789abcdefghij"
PEM = f"-----BEGIN PRIVATE KEY-----\n{PEM_LINE}\nshort==\n-----END PRIVATE KEY-----\n"


@pytest.mark.parametrize(
    ("path", "known", "pasted", "secret"),
    [
        (PATH, WIREGUARD.format(PUBLIC), f"PrivateKey = {KEY}\n", KEY),
        (PATH, WIREGUARD.format(PUBLIC), f"# {KEY}\n", KEY),
        ("/x/openvpn.conf", "dev tap\nproto udp\nremote 192.0.2.2\n", f"<key>\n{PEM}</key>\n", PEM_LINE),
        ("/x/openvpn.conf", "dev tap\nproto udp\nremote 192.0.2.2\n", f"<key>\n{PEM}</key>\n", "short=="),
        ("/x/lasting.sh", "#!/bin/sh\necho one\n", PEM, PEM_LINE),
        ("/x/lasting.sh", "#!/bin/sh\necho one\n", PEM, "short=="),
        ("/x/lasting.sh", "#!/bin/sh\necho one\n", "password=hunter2 x\n", "hunter2"),
        ("/x/config", "peer public-a\n", "psk = hunter2\n", "hunter2"),
        ("/x/lasting.sh", "#!/bin/sh\necho one\n", f"key: {'0123456789abcdef' * 4}\n", "0123456789abcdef" * 4),
    ],
)
def test_a_secret_that_was_put_into_a_file_is_not_shown(path: str, known: str, pasted: str, secret: str) -> None:
    for diff in (changed_by_hand(known, known + pasted, path), would_change(known + pasted, known, path)):
        assert secret not in diff
        assert "(not shown)" in diff


def test_what_was_deployed_is_shown_as_it_is_and_a_masked_change_is_still_a_change() -> None:
    diff = changed_by_hand(WIREGUARD.format(PUBLIC), WIREGUARD.format(KEY), PATH)
    assert f"-PublicKey = {PUBLIC}" in diff.split("\n")
    assert "+PublicKey = (not shown)" in diff.split("\n")
    assert " AllowedIPs = 0.0.0.0/0" in diff.split("\n")
    other = "mC4xWlVVQ0VGR0hJSktMTU5PUFFSU1RVVldYWVphYmQ="
    both_masked = would_change(WIREGUARD.format(KEY), WIREGUARD.format(other), PATH)
    assert {"-PublicKey = (not shown)", f"+PublicKey = {other}"} <= set(both_masked.split("\n"))


def test_a_diff_is_what_diff_prints() -> None:
    known = "\n".join(f"line {number}" for number in range(1, 11)) + "\n"
    found = known.replace("line 5\n", "line five\n")
    assert changed_by_hand(known, found, "/x/a").split("\n") == [
        *("--- /x/a (deployed)", "+++ /x/a", "@@ -2,7 +2,7 @@", " line 2", " line 3", " line 4"),
        *("-line 5", "+line five", " line 6", " line 7", " line 8"),
    ]
    assert would_change(None, "one\n", "/x/a") == "--- /dev/null\n+++ /x/a\n@@ -0,0 +1,1 @@\n+one"
    assert changed_by_hand(known, known, "/x/a") == ""


@pytest.mark.parametrize("text", ["\x1b]0;owned\x07\x1b[2J", "a\u202eb", "a\x9bc", "one\rtwo"])
def test_nothing_that_is_shown_controls_a_terminal(text: str) -> None:
    for diff in (changed_by_hand("one\n", f"one\n{text}\n", f"/x/{text}"), would_change(f"{text}\n", "one\n", "/x")):
        assert all(line.isprintable() for line in diff.split("\n"))
