"""`tunnelmark lint`: files of all sorts in, words, JSON, SARIF and an exit status out."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lint_corpus import BAD, FOLDER, GOOD
from sarif_check import check_sarif

from app.cli.lint_formats import as_sarif
from app.cli.main import main
from app.domain.linting import ConfigKind
from app.domain.messages import MessageForm, code_of
from app.domain.verdicts import FindingQuestion, Verdict
from app.linting.files import MAX_FILE_BYTES, LintOptions, lint_bytes, lint_file
from app.linting.messages import (
    CANNOT_BE_READ,
    CANNOT_BE_READ_BECAUSE,
    FEW_SETTINGS_OF_KIND,
    FILE_EMPTY,
    HOLDS_NUL,
    IS_A_FOLDER,
    KIND_NOT_KNOWN,
    NOT_REGULAR,
    THIS_TEXT,
    TOO_LARGE,
)
from app.policy.messages import ACCESS_FAULT, ALL_CAN_CHANGE, ALL_CAN_READ, OF_ANOTHER_USER, PATH_IS_SECRET
from support.lint_texts import lint_text
from support.message_checks import has_message, shows
from vpn_adapters.config_formats import sniff_kind

FINDING_KEYS = ["line", "setting", "value", "question", "verdict", "reason", "source", "replacement"]


@pytest.fixture(autouse=True, scope="module")
def own_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No user's own guidelines count here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TUNNELMARK_HOME", str(tmp_path_factory.mktemp("home")))
        yield


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["lint", *words])
    out, err = capsys.readouterr()
    return status, out, err


def test_good_files_pass(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, *(str(FOLDER / name) for name in GOOD))
    assert status == 0
    assert "client.ovpn (openvpn): no issues" in out


def test_a_missing_setting_is_to_be_added(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "site.ovpn"
    path.write_text("client\ndev tap\nremote 192.0.2.1\nca ca.crt\ncipher BF-CBC\n", encoding="utf-8")
    _, out, _ = run(capsys, str(path))
    assert "Add: remote-cert-tls server" in out
    assert "Instead: remote-cert-tls" not in out
    assert "Instead: " in out, "a setting that is there is replaced"
    assert "Add: another VPN" not in run(capsys, str(FOLDER / "bad"))[1]


def test_as_many_are_counted_as_are_listed_and_advice_is_called_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = run(capsys, str(FOLDER / "bad" / "openvpn-old-client.ovpn"), str(FOLDER / "bad" / "wireguard.conf"))
    for part in re.split(r"(?m)^(?=\S+ \()", out)[1:]:
        counted = re.sub(r"\(\d+ missing\)", "", part.splitlines()[0].partition("): ")[2])
        for count, kind in re.findall(r"(\d+) ([a-z ]+?)\s*(?:,|$)", counted):
            listed = re.findall(rf"(?m)^ +\| +(?:missing \({kind}\)|{kind}): ", part)
            assert len(listed) == int(count), (kind, part)
    assert "1 missing" in out
    assert "| advice: " in re.sub(" +", " ", out)
    assert "guideline (" not in out


def test_a_setting_that_the_program_does_not_have_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "site.ovpn"
    lines = "dev tap\ncipher AES-256-GCM\ncipherr foo\nsetenv opt new-one\nignore-unknown-option mine\nmine 3\n"
    path.write_text(lines + 'push "other 4"\n<connection>\nremote a\n</connection>\n', encoding="utf-8")
    status, out, _ = run(capsys, str(path))
    assert status == 1
    assert re.findall(r"unknown: (\S+) is an unknown setting", out) == ["cipherr"]
    assert "Instead: cipher\n" in out
    wg = lint_text("[Interface]\nPrivateKey = x\nlistenport = 1\nAdress = 192.0.2.1/24\n[Pear]\n", "wg0.conf")
    unknown = [one for one in wg.findings if one.verdict is Verdict.UNKNOWN]
    assert [one.setting for one in unknown] == ["Adress", "[Pear]"]
    assert [one.replacement for one in unknown] == ["Address", "[Peer]"], "as WireGuard's manual writes them"
    ssh = lint_text("Host a\n  HostName b\n  Fancyy yes\n", "ssh_config", LintOptions(kind=ConfigKind.SSH))
    assert not any(one.setting == "Fancyy" for one in ssh.findings), "not all of its settings are known"


_LEGACY_SITE = """dev tap0
proto udp
remote 192.0.2.1 1194
cipher BF-CBC
auth MD5
compress lzo
keepalvie 10 60
secret static.key
script-security 2
"""


@pytest.mark.parametrize("text", [_LEGACY_SITE, _LEGACY_SITE.replace("dev tap0\n", "")])
def test_one_misspelt_name_does_not_hide_what_a_file_is(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "site.conf"
    path.write_text(text, encoding="utf-8")
    status, out, _ = run(capsys, str(path))
    assert (status, sniff_kind(text, "site.conf")) == (1, ConfigKind.OPENVPN)
    assert "cipher BF-CBC" in out
    lines = out.split("\n")
    at = next(nth for nth, line in enumerate(lines) if "| keepalvie 10 60" in line)
    assert lines[at + 1] == "       | ^^^^^^^^^", "the name is at fault, not its argument"


def test_settings_of_newer_versions_and_other_programs_are_known() -> None:
    server = lint_text("mode server\ndev tap\noverride-username x\n", "site.ovpn")
    assert not any(one.setting == "override-username" for one in server.findings)
    phone = lint_text(
        "[Interface]\nPrivateKey = x\nExcludedApplications = a.b\nIncludedApplications = c.d\n", "wg0.conf"
    )
    assert not any(one.verdict is Verdict.UNKNOWN for one in phone.findings)


def test_bad_files_are_shown_with_line_marker_words_and_source(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, str(FOLDER / "bad/openvpn-old-client.ovpn"))
    assert status == 1
    lines = out.split("\n")
    at = lines.index("     4 | cipher BF-CBC")
    assert lines[at + 1] == "       |        ^^^^^^"
    assert lines[at + 2].strip().startswith("|        insecure: Blocks of 64 bits")
    assert any("Source: " in line for line in lines[at : at + 6])
    assert "CANARY" not in out
    assert "\x1b" not in out


def test_json_has_exactly_what_is_documented(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "--format", "json", *(str(FOLDER / name) for name in (*BAD, *GOOD)))
    assert status == 1
    data = json.loads(out)
    assert type(data["format"]) is int
    assert [file["path"] for file in data["files"]] == [str(FOLDER / name) for name in (*BAD, *GOOD)]
    for file in data["files"]:
        assert file["kind"] in {str(kind) for kind in ConfigKind}
        for finding in file["findings"]:
            assert list(finding) == FINDING_KEYS
            assert type(finding["line"]) is int
            assert finding["question"] in {str(one) for one in FindingQuestion}
            assert finding["verdict"] in {str(one) for one in Verdict}
    assert "canary" not in out.lower()


class TestUnreadable:
    @pytest.mark.parametrize(
        ("content", "form"),
        [(b"\x7fELF\x00\x00\x01", HOLDS_NUL), (b"Dear reader,\nhello.\n", KIND_NOT_KNOWN), (b"", FILE_EMPTY)],
    )
    def test_content(self, tmp_path: Path, content: bytes, form: MessageForm) -> None:
        path = tmp_path / "file"
        path.write_bytes(content)
        file = lint_file(path)
        assert file.kind is None
        assert has_message(form)(file.error)

    def test_a_folder(self, tmp_path: Path) -> None:
        assert has_message(IS_A_FOLDER)(lint_file(tmp_path).error)

    def test_what_is_not_there(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        good = str(FOLDER / GOOD[0])
        status, out, _ = run(capsys, str(tmp_path / "nothing"), good)
        assert status == 2
        assert shows(out, CANNOT_BE_READ_BECAUSE.text, reason="No such file or directory")
        assert f"{good} (openvpn)" in out

    def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        assert has_message(NOT_REGULAR)(lint_file(tmp_path / "pipe").error)

    def test_a_huge_file(self, tmp_path: Path) -> None:
        with (tmp_path / "huge.conf").open("wb") as file:
            file.truncate(MAX_FILE_BYTES + 1)
        assert has_message(TOO_LARGE, limit=16)(lint_file(tmp_path / "huge.conf").error)

    def test_a_path_that_cannot_be_one(self) -> None:
        assert code_of(lint_file(Path("a\0b")).error) in {CANNOT_BE_READ.code, CANNOT_BE_READ_BECAUSE.code}


OTHER_TEXTS = {
    "guide.md": "# Guide\n\nThe window asks first.\n\nHost keys are verified.\nNothing is sent.\n- a list\n| a | b |\n",
    "project.toml": 'name = "x"\nversion = "1"\nlicense = "x"\nexperimentalprotocol = "no"\n[tool.x]\n',
    "keys.plist": "<plist>\n<dict>\n<key>\nName\n</key>\n<string>x</string>\n</dict>\n</plist>\n",
}


@pytest.mark.parametrize("name", OTHER_TEXTS)
def test_a_text_of_another_kind_is_not_read(capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(OTHER_TEXTS[name], encoding="utf-8")
    assert sniff_kind(OTHER_TEXTS[name], str(path)) is not None, "it has something of a configuration"
    status, out, _ = run(capsys, str(path))
    assert status == 2
    assert shows(out, FEW_SETTINGS_OF_KIND.text)
    pasted = lint_text(OTHER_TEXTS[name])
    assert has_message(FEW_SETTINGS_OF_KIND, what=THIS_TEXT())(pasted.error)
    assert (pasted.kind, pasted.findings) == (None, ())


@pytest.mark.parametrize("name", [*GOOD, *BAD, "../../../../docs/examples/old-site.ovpn"])
def test_most_lines_of_a_configuration_are_settings(name: str) -> None:
    assert lint_text((FOLDER / name).read_text(encoding="utf-8")).error == ""


@pytest.mark.parametrize("content", ["", "\n \n", "\ufeff"])
def test_an_empty_file_is_called_empty(capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str) -> None:
    path = tmp_path / "wg0.conf"
    path.write_text(content, encoding="utf-8")
    status, out, _ = run(capsys, str(path))
    assert status == 2
    assert shows(out, FILE_EMPTY.text)
    assert "--kind" not in out


def test_keys_in_a_configuration_are_no_other_text() -> None:
    key = "-----BEGIN CERTIFICATE-----\n" + 40 * "MIIB/ab+cd\n" + "-----END CERTIFICATE-----\n"
    blocks = "".join(f"<{name}>\n{key}</{name}>\n" for name in ("ca", "cert", "key"))
    inline = lint_text(f"client\ndev tap\n{blocks}{key}ifconfig-noexec\n")
    assert (inline.kind, inline.error) == (ConfigKind.OPENVPN, "")


@pytest.mark.parametrize(
    ("data", "note"),
    [
        ("client\ndev tun\ncipher BF-CBC\n".encode("utf-16"), ""),
        (b"\xef\xbb\xbfclient\ndev tun\ncipher BF-CBC\n", ""),
        (b"client\r\ndev tun\r\ncipher BF-CBC\r\n", ""),
        (b"client\n# caf\xe9\ndev tun\ncipher BF-CBC\n", "Line 2 is not UTF-8"),
    ],
)
def test_encodings(data: bytes, note: str) -> None:
    file = lint_bytes(data, "a.conf", LintOptions())
    assert file.kind is ConfigKind.OPENVPN
    assert any(one.value == "BF-CBC" for one in file.findings)
    assert note in "".join(file.notes)


@settings(max_examples=2 * settings.default.max_examples)
@given(
    st.one_of(st.binary(max_size=300), st.sampled_from([(FOLDER / name).read_bytes() for name in BAD])),
    st.binary(max_size=40),
    st.integers(0, 400),
    st.sampled_from([None, *ConfigKind]),
)
def test_no_bytes_make_it_fail(data: bytes, inserted: bytes, place: int, kind: ConfigKind | None) -> None:
    file = lint_bytes(data[:place] + inserted + data[place:], "x", LintOptions(kind=kind))
    assert file.error or file.kind is not None
    check_sarif(as_sarif((file,), "1.0"))


def test_kind_can_be_reported(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "something"
    path.write_text("Cipher = none\n", encoding="utf-8")
    status, out, _ = run(capsys, "--kind", "tinc", "--format", "json", str(path))
    assert (status, json.loads(out)["files"][0]["kind"]) == (1, "tinc")


def test_versions_and_guidelines_are_options(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "a.conf"
    path.write_text("mode server\ntls-server\ndev tap\npeer-fingerprint x\ntls-version-min 1.2\n", encoding="utf-8")
    assert run(capsys, "--version", "openvpn=2.6", "--policy", "none", str(path))[0] == 0
    assert run(capsys, "--version", "openvpn=2.4", "--policy", "bsi-tr-02102-2", str(path))[0] == 1
    assert "up to 2.6; 9 is judged" in run(capsys, "--version", "openvpn=9", str(path))[2]
    assert not run(capsys, "--version", "openvpn=2.7", str(path))[2]
    for words in (["--version", "2.4"], ["--version", "foo=1"], ["--policy", "nobody"]):
        status, _, err = run(capsys, *words, str(path))
        assert status == 2
        assert "Error:" in err


@pytest.mark.parametrize("words", [[], ["--host", "x", "file"]])
def test_either_files_or_a_pair(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert run(capsys, *words)[0] == 2


def test_permissions_of_files_and_keys(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    config, key = tmp_path / "a.conf", tmp_path / "own.key"
    config.write_text(
        "mode server\ntls-server\ndev tap\npeer-fingerprint x\ntls-version-min 1.2\n"
        "data-ciphers AES-256-GCM\nkey own.key\n",
        encoding="utf-8",
    )
    key.write_text("", encoding="utf-8")
    key.chmod(0o644)
    assert run(capsys, str(config))[0] == 0
    status, out, _ = run(capsys, "--permissions", str(config))
    assert status == 1
    assert ACCESS_FAULT(subject=PATH_IS_SECRET(path="own.key"), fault=ALL_CAN_READ(), mode=0o644) in out
    key.chmod(0o600)
    assert run(capsys, "--permissions", str(config))[0] == 0
    key.chmod(0o602)
    assert (
        ACCESS_FAULT(subject=PATH_IS_SECRET(path="own.key"), fault=ALL_CAN_CHANGE(), mode=0o602)
        in run(capsys, "--permissions", str(config))[1]
    )


def test_a_key_of_another_user(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, key = tmp_path / "a.conf", tmp_path / "own.key"
    config.write_text("client\ndev tap\nkey own.key\n", encoding="utf-8")
    key.write_text("", encoding="utf-8")
    key.chmod(0o600)
    assert not shows(run(capsys, "--permissions", str(config))[1].replace("|", " "), OF_ANOTHER_USER.text)
    if os.geteuid() == 0:
        os.chown(key, 12345, 0)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert shows(
        run(capsys, "--permissions", str(config))[1].replace("|", " "), OF_ANOTHER_USER.text, owner=key.stat().st_uid
    )
