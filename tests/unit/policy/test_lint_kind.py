"""Files that are read as a kind that was named, and lines that are no settings of it."""

from __future__ import annotations

from app.domain.linting import ConfigKind
from app.domain.verdicts import Verdict
from app.linting.files import LintOptions
from support.lint_texts import lint_text


def test_wireguard_lines_that_are_no_settings_are_unknown_and_show_no_key() -> None:
    key = "yAnz5TF+lXXJte14tji3zlMNq+hd2rYUIgJBgB3fBmk="
    text = f"PrivateKey = {key}\n{key}\n[Interface]\nPrivateKey\n{key}\nfoo bar\n"
    found = lint_text(text, "", LintOptions(kind=ConfigKind.WIREGUARD))
    unknown = [(one.line, one.setting) for one in found.findings if one.verdict is Verdict.UNKNOWN]
    assert unknown == [
        (1, "PrivateKey (outside a section)"),
        (2, "(not shown) (outside a section)"),
        (4, "PrivateKey (no value)"),
        (5, "(not shown) (no value)"),
        (6, "(not shown) (no value)"),
    ]
    assert key[:8] not in repr(found)


def test_a_file_of_another_kind_than_named_is_not_read() -> None:
    text = "client\ndev tap\ncipher BF-CBC\nauth MD5\ncomp-lzo\n"
    assert (
        "none of its 5 lines is a setting of WireGuard"
        in lint_text(text, "a.conf", LintOptions(kind=ConfigKind.WIREGUARD)).error
    )
    assert lint_text(text, "a.conf", LintOptions(kind=ConfigKind.OPENVPN)).error == ""


def test_a_file_with_one_setting_of_the_named_kind_is_read() -> None:
    text = "Name = gw\nsomething else\nand more\n"
    assert lint_text(text, "notes", LintOptions(kind=ConfigKind.TINC)).kind is ConfigKind.TINC
