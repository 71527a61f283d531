"""VTun: what a host's answers mean, what is offered, the configuration, its scripts, and that it is never deployed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from app.deployment.choice import choose
from app.deployment.messages import IS_NEVER_DEPLOYED
from app.discovery.candidates import missing_parts
from app.discovery.pair_discovery import Discovery
from app.domain.adapters import PlanRequest, find_suite
from app.domain.deployment import DeploymentOptions
from app.domain.errors import InvalidPlan
from app.domain.hosts import Side
from app.domain.script_files import adapter_script
from app.domain.verdicts import Verdict
from app.policy import judge_suite
from support.adapter_cases import LEGACY_PLATFORM, facts, recorded, request, result
from support.message_checks import has_message
from vpn_adapters.shared.vtund.ciphers import CIPHERS, NO_CIPHER
from vpn_adapters.shared.vtund.identity import secret_path
from vpn_adapters.shared.vtund.render import live_config_path
from vpn_adapters.vtun import adapter
from vpn_adapters.vtun.plan import log_path

HOST = facts(LEGACY_PLATFORM)
SECRET = "0123456789abcdef" * 4


def asked(name: str) -> PlanRequest:
    suite = find_suite(adapter, HOST, HOST, name)
    assert suite is not None
    return request(adapter, suite)


class TestDiscovery:
    def test_nothing_is_installed_for_it_on_a_host_without_it(self) -> None:
        support = adapter.parse_discovery(recorded("debian-13")["vtun"])
        assert [(part.what, part.package) for part in support.missing] == [("vtund", "")]
        assert "vtun" not in {part.needed_for for part in missing_parts(facts("debian-13"))}

    def test_blowfish_is_offered_where_both_have_the_legacy_provider(self) -> None:
        answers = {**recorded(LEGACY_PLATFORM)["vtun"], "providers": result("", exit_status=1)}
        support = adapter.parse_discovery(answers)
        without = replace(HOST, solutions={**HOST.solutions, "vtun": support})
        assert [suite.name for suite in adapter.suites(HOST, HOST)] == ["aes256cbc", "aes128cbc", "blowfish128ecb"]
        assert [suite.name for suite in adapter.suites(HOST, without)] == ["aes256cbc", "aes128cbc"]
        assert all("blowfish" not in one.name for one in adapter.census(without, HOST))


class TestCiphers:
    @pytest.mark.parametrize(
        ("name", "frame", "payload"), [("aes256cbc", 1000, 1026), ("blowfish128ecb", 1000, 1010), ("aes128cbc", 42, 66)]
    )
    def test_size_of_a_datagram_is_that_of_captures(self, name: str, frame: int, payload: int) -> None:
        assert CIPHERS[name].udp_payload_bytes(frame) == payload

    @pytest.mark.parametrize("name", CIPHERS)
    def test_largest_frame_fills_a_datagram_and_one_more_byte_does_not_fit(self, name: str) -> None:
        largest = CIPHERS[name].largest_frame_bytes(1472)
        assert CIPHERS[name].udp_payload_bytes(largest) <= 1472 < CIPHERS[name].udp_payload_bytes(largest + 1)

    def test_those_that_carry_nothing_are_listed_and_not_offered(self) -> None:
        broken = {name for name, one in CIPHERS.items() if one.is_broken}
        assert broken == {f"blowfish{bits}{mode}" for bits in (128, 256) for mode in ("cbc", "cfb", "ofb")}
        assert broken.isdisjoint(suite.name for suite in adapter.suites(HOST, HOST))


def test_every_suite_is_insecure_and_none_at_all_is_unprotected() -> None:
    for option in adapter.census(HOST, HOST):
        assert option.is_unprotected == (option.name == NO_CIPHER)
        assert judge_suite(option.suite, adapter.info, guidelines=())[0].severity >= Verdict.INSECURE.severity


@pytest.mark.parametrize("reason", ["", "the old plant until May"])
def test_it_is_refused_with_its_successor_whatever_the_reason(reason: str) -> None:
    options = DeploymentOptions(legacy_reason=reason)
    host = SimpleNamespace(facts=HOST)
    found = cast("Discovery", SimpleNamespace(a=host, b=host, unavailable={}, candidates=()))
    with pytest.raises(InvalidPlan, match="Choose WireGuard", check=has_message(IS_NEVER_DEPLOYED)):
        choose({"vtun": adapter}, found, ("vtun", ""), options, guidelines=())


@pytest.mark.parametrize("name", ["aes256cbc", "blowfish128ecb"])
def test_negotiated_must_be_the_cipher_that_was_asked_for_in_every_session(name: str) -> None:
    check = adapter.plan(asked(name)).a.negotiated
    assert check is not None
    line = f"vtund[s]: tunnelmark-tmk0 ether tmk0[265]: {CIPHERS[name].algorithm} encryption initialized"
    decryption = line.replace("encryption", "decryption")
    other = line.replace(CIPHERS[name].algorithm, "Blowfish-256-CBC")
    assert re.search(check.stdout_pattern, f"started\n{line}\n{decryption}\n{line}\n")
    for log in ("started\n", decryption, other, f"{line}\n{other}\n", f"{other}\n{line}\n"):
        assert not re.search(check.stdout_pattern, log), log


def test_without_a_cipher_no_line_may_name_one() -> None:
    option = next(one for one in adapter.census(HOST, HOST) if one.name == NO_CIPHER)
    check = adapter.plan(request(adapter, option.suite)).a.negotiated
    assert check is not None
    assert re.search(check.stdout_pattern, "started\n")
    for word in ("encryption", "decryption"):
        assert not re.search(check.stdout_pattern, f"started\nAES-256-CBC {word} initialized\n")


class TestConfiguration:
    def test_a_listens_at_its_own_address_and_b_calls_it(self) -> None:
        plan = adapter.plan(asked("aes256cbc"))
        assert "    addr 192.0.2.1;" in plan.a.files[0].content.decode().splitlines()
        assert b"bindaddr" not in plan.b.files[0].content
        assert plan.a.steps[-1].command.argv[-1] == "-s"
        assert plan.b.steps[-1].command.argv[-2:] == ("tunnelmark-tmk0", "192.0.2.1")

    def test_openssl_is_configured_for_blowfish_alone(self) -> None:
        counts = {name: len(adapter.plan(asked(name)).a.files) for name in ("aes256cbc", "blowfish128ecb")}
        assert counts == {"aes256cbc": 1, "blowfish128ecb": 2}

    def test_the_password_is_made_on_a_alone_and_is_a_line_of_the_file(self, tmp_path: Path) -> None:
        plan_request = asked("aes256cbc")
        assert not adapter.identity(plan_request, Side.B).steps
        (secret,) = adapter.identity(plan_request, Side.A).shared
        assert secret.path == secret_path(plan_request.link)
        made = tmp_path / "password"
        subprocess.run(["dash", "-c", adapter_script("shared/vtund", "make-password.sh"), "x", str(made)], check=True)
        word, value = made.read_text().split()
        assert (word, len(value), made.stat().st_mode & 0o777) == ("password", 65, 0o600)


FAKE = """\
#!/bin/sh
env | grep -e OPENSSL_CONF >> "$0.env"
echo "$@" >> "$0.argv"
echo "vtund[1]: VTun client ver 3.X 05/14/2022 started" >&2
exec sleep 20
"""
"""A program that ends as soon as it has started would be taken for one that failed."""


@pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh")])
def test_start_puts_the_password_in_and_on_no_command_line(tmp_path: Path, shell: tuple[str, ...]) -> None:
    plan_request = asked("blowfish128ecb")
    plan = adapter.plan(plan_request)
    fake = tmp_path / "vtund"
    fake.write_text(FAKE)
    fake.chmod(0o755)
    link = plan_request.link
    step = plan.b.steps[-1]
    argv = [word.replace(link.run_dir, str(tmp_path)) for word in step.command.argv[3:]]
    (tmp_path / "vtund.conf").write_bytes(plan.b.files[0].content)
    (tmp_path / "vtund.password").write_text(f"password {SECRET};\n")
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    subprocess.run([*shell, "-c", step.command.argv[2], *argv], check=True, env=env, timeout=120)
    live = Path(live_config_path(link).replace(link.run_dir, str(tmp_path)))
    assert f"  # password\npassword {SECRET};\n  type ether;\n" in live.read_text()
    assert live.stat().st_mode & 0o077 == 0
    assert "started" in Path(log_path(link).replace(link.run_dir, str(tmp_path))).read_text()
    assert SECRET not in (tmp_path / "vtund.argv").read_text()
    assert "vtund-openssl.cnf" in (tmp_path / "vtund.env").read_text()


@pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh")], ids=lambda shell: shell[0])
@pytest.mark.parametrize("before", ["471\n", "", None])
def test_a_file_of_the_hosts_own_daemon_is_restored_by_the_next_script(
    tmp_path: Path, before: str | None, shell: tuple[str, ...]
) -> None:
    file = tmp_path / "vtund.server.pid"
    if before is not None:
        file.write_text(before)

    def run(function: str) -> None:
        text = adapter_script("vtun", "pid-file.sh").replace("/run/vtund.server.pid", str(file))
        subprocess.run([*shell, "-c", f"{text}\n{function} {tmp_path}/live.conf"], check=True)

    run("keep_pid_file")
    file.write_text("4711\n")  # then the script is killed
    run("restore_pid_file")
    assert (file.read_text() if file.exists() else None) == before
    run("restore_pid_file")
    assert (file.read_text() if file.exists() else None) == before
    assert {one.name for one in tmp_path.iterdir()} <= {file.name}


@pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh")], ids=lambda shell: shell[0])
def test_a_session_is_not_taken_for_another_that_begins_like_it(tmp_path: Path, shell: tuple[str, ...]) -> None:
    program = tmp_path / "vtund"
    shutil.copy("/bin/sleep", program)
    with subprocess.Popen(["vtund[c]: tunnelmark-tmk10 ether tmk10", "60"], executable=program) as daemon:
        try:
            found = [
                subprocess.run(
                    [*shell, "-c", adapter_script("vtun", "alive.sh"), "sh", session, "no title", "/no/file"],
                    check=False,
                ).returncode
                for session in ("tunnelmark-tmk1", "tunnelmark-tmk10")
            ]
        finally:
            daemon.kill()
    assert found == [1, 0]
