"""Configuration files on a host are found, read once, masked and linted, and nothing is changed there."""

from __future__ import annotations

from collections.abc import Sequence

from fake_hosts import Answer, FakeHost

from app.domain.cancel import CancelToken
from app.domain.commands import BatchLineSink, Command, CommandResult, SessionPair
from app.domain.hosts import Privilege
from app.domain.verdicts import FindingQuestion
from app.linting.host_files import MAX_HOST_FILE_BYTES, lint_host, lint_hosts
from app.linting.messages import HOLDS_NUL, NOT_READ_TOO_MUCH
from app.policy.messages import (
    ACCESS_FAULT,
    FILE_HOLDS_SECRET,
    GROUP_CAN_DO_BOTH,
    OF_ANOTHER_USER,
    PATH_IS_SECRET,
    THE_GROUP,
)
from support.message_checks import has_message


class Host(FakeHost):
    """Runs a batch as one command after another."""

    def run_batch(
        self,
        commands: Sequence[Command],
        *,
        token: CancelToken,
        on_line: BatchLineSink | None = None,
        should_stop_at_failure: bool = False,
    ) -> tuple[CommandResult, ...]:
        return tuple(self.run(command, token=token) for command in commands)


FILES = {
    "/etc/openvpn/site.conf": ("-rw-r--r--", "client\ndev tun\ncipher BF-CBC\nkey site.key\nauth-token CANARY\n"),
    "/etc/wireguard/wg0.conf": ("-rw-------", "[Interface]\nPrivateKey = CANARY\n"),
    "/etc/ipsec.secrets": ("-rw-r-----", ': PSK "CANARY"\n'),
    "/etc/swanctl/conf.d/empty.conf": ("-rw-r--r--", ""),
}
KEYS = {"/etc/openvpn/site.key": "-rw-r--r--"}


def listed(path: str, mode: str, size: int, whose: str = "root root") -> list[str]:
    return [path, f"{mode} 1 {whose} {size} Jan  1 10:00 {path}"]


def answer(command: Command, _token: CancelToken) -> Answer:
    words = command.argv
    if words[0] == "head":
        yield from FILES[words[-1]][1].split("\n")
    elif "--version" in words[2]:
        yield "OpenVPN 2.4.12 x86_64" if words[-1] == "openvpn" else ""
    elif (words[4:] and "*" in "".join(words[4:])) or words[4].startswith("/etc/ipsec.secrets"):
        for path, (mode, text) in FILES.items():
            if any(_matches(path, pattern) for pattern in words[4:]):
                yield from listed(path, mode, len(text))
    else:
        for path in words[4:]:
            if path in KEYS:
                yield from listed(path, KEYS[path], 10)
    return 0


def _matches(path: str, pattern: str) -> bool:
    from fnmatch import fnmatch

    return fnmatch(path, pattern) and path.count("/") == pattern.count("/")


def test_files_are_found_by_their_places_and_linted() -> None:
    host = Host("gw1", answer)
    files = {file.path: file for file in lint_host(host, token=CancelToken())}
    assert set(files) == {f"gw1:{path}" for path in FILES}
    findings = files["gw1:/etc/openvpn/site.conf"].findings
    assert any(one.value == "BF-CBC" and one.question is FindingQuestion.INSECURE for one in findings)
    assert any("/etc/openvpn/site.key" not in one.value and has_message(PATH_IS_SECRET)(one.reason) for one in findings)
    assert any(has_message(FILE_HOLDS_SECRET)(one.reason) and one.line == 0 for one in findings)
    assert "CANARY" not in repr(files)
    assert all(not file.error for file in files.values())
    clean = files["gw1:/etc/wireguard/wg0.conf"].findings
    assert not any(has_message(FILE_HOLDS_SECRET)(one.reason) for one in clean)


def test_both_hosts_are_linted_and_those_of_a_come_first() -> None:
    sessions = SessionPair(Host("gw1", answer), Host("gw2", answer))
    files = lint_hosts(sessions, token=CancelToken())
    assert [file.path.partition(":")[0] for file in files] == [*["gw1"] * len(FILES), *["gw2"] * len(FILES)]


def test_versions_of_the_host_decide_on_defaults() -> None:
    files = lint_host(Host("gw1", answer), token=CancelToken())
    openvpn = next(file for file in files if "openvpn" in file.path)
    assert any(one.setting == "tls-version-min" and one.verdict == "insecure" for one in openvpn.findings)


def test_only_reading_commands_are_run() -> None:
    host = Host("gw1", answer, privilege=Privilege.NONE)
    lint_host(host, token=CancelToken())
    assert host.commands
    for command in host.commands:
        assert command.argv[0] in ("sh", "head")
        assert command.stdin is None
        assert not command.is_root
        assert command.max_output_bytes <= MAX_HOST_FILE_BYTES
        if command.argv[0] == "sh":
            assert not any(word in command.argv[2] for word in (" rm ", ">/etc", "tee ", "chmod", "eval"))


def test_a_file_that_is_too_large_or_binary_is_reported() -> None:
    def strange(command: Command, token: CancelToken) -> Answer:
        if command.argv[0] == "head":
            yield "\x00\x01"
            return 0
        if "/etc/wireguard/*.conf" in command.argv:
            yield from listed("/etc/wireguard/a.conf", "-rw-------", MAX_HOST_FILE_BYTES + 1)
            yield from listed("/etc/wireguard/b.conf", "-rw-------", 2)
            yield from ["rubbish", "", "/etc/wireguard/c.conf", "total nonsense"]
        return 0

    files = lint_host(Host("gw1", strange), token=CancelToken())
    assert len(files) == 2
    assert all(has_message(NOT_READ_TOO_MUCH)(file.error) or has_message(HOLDS_NUL)(file.error) for file in files)


def test_whose_a_key_is_counts() -> None:
    def other(command: Command, token: CancelToken) -> Answer:
        if command.argv[0] == "sh" and "/etc/openvpn/site.key" in command.argv:
            yield from listed("/etc/openvpn/site.key", "-rw-rw----", 10, "bob users")
            return 0
        return (yield from answer(command, token))

    files = {file.path: file for file in lint_host(Host("gw1", other), token=CancelToken())}
    reasons = [one.reason for one in files["gw1:/etc/openvpn/site.conf"].findings if "site.key" in one.reason]
    assert any(
        has_message(ACCESS_FAULT, fault=GROUP_CAN_DO_BOTH(whose=THE_GROUP(group="users")))(reason) for reason in reasons
    )
    assert any(has_message(OF_ANOTHER_USER, owner="bob")(reason) for reason in reasons)
    assert not any("group" in one.reason for one in files["gw1:/etc/ipsec.secrets"].findings)
