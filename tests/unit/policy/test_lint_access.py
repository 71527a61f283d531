"""Permissions of files with secrets, and of the keys that they name."""

from __future__ import annotations

import pytest

from app.domain.adapters import Setting
from app.domain.linting import MASK, ConfigKind, FileAccess
from app.domain.verdicts import FindingQuestion, Verdict
from app.policy.lint import key_files, lint
from vpn_adapters.config_formats import KINDS


class TestPermissions:
    def test_a_file_with_a_secret_that_all_can_read(self) -> None:
        (listed,) = [
            one
            for one in lint(ConfigKind.WIREGUARD, [Setting(2, "PrivateKey", MASK)], own_access=FileAccess(0o644))
            if one.line == 0
        ]
        assert (listed.question, listed.verdict) == (FindingQuestion.INSECURE, Verdict.INSECURE)
        assert "0644" in listed.reason

    def test_a_file_without_a_secret_may_be_read(self) -> None:
        assert lint(ConfigKind.WIREGUARD, [Setting(2, "ListenPort", "1")], own_access=FileAccess(0o644)) == ()

    def test_keys_that_a_file_names(self) -> None:
        parsed = KINDS[ConfigKind.OPENVPN].parse("client\nkey own.key\ntls-crypt ta.key\n<key>\nx\n</key>\n")
        assert [path for _, path in key_files(ConfigKind.OPENVPN, parsed)] == ["own.key", "ta.key"]
        listed = lint(ConfigKind.OPENVPN, parsed, access={"own.key": FileAccess(0o600), "ta.key": FileAccess(0o664)})
        assert [one.line for one in listed if "can read it" in one.reason] == [3]

    @pytest.mark.parametrize(
        ("access", "words"),
        [
            (FileAccess(0o600, "0", "0"), []),
            (FileAccess(0o400, "root", "root"), []),
            (FileAccess(0o640, "root", "root"), []),
            (FileAccess(0o600, "1000", "1000", user="1000"), []),
            (FileAccess(0o660, "0", "100"), ["the group 100 can read and change it (mode 0660)"]),
            (FileAccess(0o640, "root", "users"), ["the group users can read it (mode 0640)"]),
            (FileAccess(0o620, "0", "100"), ["the group 100 can change it (mode 0620)"]),
            (FileAccess(0o660), ["its group can read and change it (mode 0660)"]),
            (FileAccess(0o602, "0", "0"), ["every user of this computer can change it (mode 0602)"]),
            (FileAccess(0o604, "0", "0"), ["every user of this computer can read it (mode 0604)"]),
            (FileAccess(0o666, "0", "0"), ["every user of this computer can read and change it (mode 0666)"]),
            (
                FileAccess(0o600, "1001", "0", user="1000"),
                ["it belongs to another user (1001), who can read and change it (mode 0600)"],
            ),
            (
                FileAccess(0o644, "bob", "root", user="alice"),
                [
                    "every user of this computer can read it (mode 0644)",
                    "it belongs to another user (bob), who can read and change it (mode 0644)",
                ],
            ),
        ],
    )
    def test_who_may_read_and_change_a_key(self, access: FileAccess, words: list[str]) -> None:
        parsed = KINDS[ConfigKind.OPENVPN].parse("client\nkey own.key\n")
        listed = [
            one for one in lint(ConfigKind.OPENVPN, parsed, access={"own.key": access}) if "is secret" in one.reason
        ]
        assert [one.reason for one in listed] == [f"own.key is secret, and {word}." for word in words]
        assert {(one.line, one.question) for one in listed} <= {(2, FindingQuestion.INSECURE)}
        own = lint(ConfigKind.WIREGUARD, [Setting(2, "PrivateKey", MASK)], own_access=access)
        assert [one.reason for one in own] == [f"The file holds a secret (line 2), and {word}." for word in words]

    def test_a_file_that_all_can_change(self) -> None:
        (listed,) = lint(ConfigKind.WIREGUARD, [Setting(2, "ListenPort", "1")], own_access=FileAccess(0o646, "0", "0"))
        assert (listed.line, listed.verdict, listed.replacement) == (0, Verdict.INSECURE, "chmod o-w")
