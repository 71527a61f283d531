"""Permissions of files with secrets, and of the keys that they name."""

from __future__ import annotations

import pytest

from app.domain.adapters import Setting
from app.domain.linting import MASK, ConfigKind, FileAccess
from app.domain.verdicts import FindingQuestion, Verdict
from app.policy.lint import key_files, lint
from app.policy.messages import (
    ACCESS_FAULT,
    ALL_CAN_CHANGE,
    ALL_CAN_DO_BOTH,
    ALL_CAN_READ,
    FILE_HOLDS_SECRET,
    GROUP_CAN_CHANGE,
    GROUP_CAN_DO_BOTH,
    GROUP_CAN_READ,
    ITS_GROUP,
    OF_ANOTHER_USER,
    PATH_IS_SECRET,
    THE_GROUP,
)
from support.message_checks import has_message
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
        assert [one.line for one in listed if has_message(ACCESS_FAULT)(one.reason)] == [3]

    @pytest.mark.parametrize(
        ("access", "faults"),
        [
            (FileAccess(0o600, "0", "0"), []),
            (FileAccess(0o400, "root", "root"), []),
            (FileAccess(0o640, "root", "root"), []),
            (FileAccess(0o600, "1000", "1000", user="1000"), []),
            (FileAccess(0o660, "0", "100"), [GROUP_CAN_DO_BOTH(whose=THE_GROUP(group="100"))]),
            (FileAccess(0o640, "root", "users"), [GROUP_CAN_READ(whose=THE_GROUP(group="users"))]),
            (FileAccess(0o620, "0", "100"), [GROUP_CAN_CHANGE(whose=THE_GROUP(group="100"))]),
            (FileAccess(0o660), [GROUP_CAN_DO_BOTH(whose=ITS_GROUP())]),
            (FileAccess(0o602, "0", "0"), [ALL_CAN_CHANGE()]),
            (FileAccess(0o604, "0", "0"), [ALL_CAN_READ()]),
            (FileAccess(0o666, "0", "0"), [ALL_CAN_DO_BOTH()]),
            (FileAccess(0o600, "1001", "0", user="1000"), [OF_ANOTHER_USER(owner="1001")]),
            (FileAccess(0o644, "bob", "root", user="alice"), [ALL_CAN_READ(), OF_ANOTHER_USER(owner="bob")]),
        ],
    )
    def test_who_may_read_and_change_a_key(self, access: FileAccess, faults: list[str]) -> None:
        parsed = KINDS[ConfigKind.OPENVPN].parse("client\nkey own.key\n")
        listed = [
            one
            for one in lint(ConfigKind.OPENVPN, parsed, access={"own.key": access})
            if has_message(PATH_IS_SECRET)(one.reason)
        ]
        secret, whole = PATH_IS_SECRET(path="own.key"), FILE_HOLDS_SECRET(line=2)
        assert [one.reason for one in listed] == [
            ACCESS_FAULT(subject=secret, fault=fault, mode=access.mode) for fault in faults
        ]
        assert {(one.line, one.question) for one in listed} <= {(2, FindingQuestion.INSECURE)}
        own = lint(ConfigKind.WIREGUARD, [Setting(2, "PrivateKey", MASK)], own_access=access)
        assert [one.reason for one in own] == [
            ACCESS_FAULT(subject=whole, fault=fault, mode=access.mode) for fault in faults
        ]

    def test_a_file_that_all_can_change(self) -> None:
        (listed,) = lint(ConfigKind.WIREGUARD, [Setting(2, "ListenPort", "1")], own_access=FileAccess(0o646, "0", "0"))
        assert (listed.line, listed.verdict, listed.replacement) == (0, Verdict.INSECURE, "chmod o-w")
