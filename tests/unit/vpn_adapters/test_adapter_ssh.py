"""OpenSSH: what it lists, its files as OpenSSH itself reads them, arithmetic, the census and the key."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from app.domain.adapters import PlanRequest
from app.domain.errors import CommandFailed
from app.domain.hosts import HostFacts, Side
from app.domain.link import Link
from app.domain.solutions import CensusOption, OptionKind
from support.adapter_cases import facts, recorded, request, result
from vpn_adapters.shared.openssh import identity
from vpn_adapters.ssh import adapter
from vpn_adapters.ssh.discovery import parse
from vpn_adapters.ssh.plan import overhead_bytes

PLATFORMS = pytest.mark.parametrize("platform", ["debian-11", "debian-13"])
LOG = (
    "debug1: kex: algorithm: mlkem768x25519-sha256\r\n"
    "debug1: kex: host key algorithm: ssh-ed25519\r\n"
    "debug1: kex: server->client cipher: aes256-gcm@openssh.com MAC: <implicit> compression: none\r\n"
    "debug1: kex: client->server cipher: aes256-gcm@openssh.com MAC: <implicit> compression: none\r\n"
)
"""As OpenSSH 10.0 wrote it on Debian 13."""


def default_request() -> PlanRequest:
    return request(adapter, adapter.suites(facts(), facts())[0])


def census(platform: str) -> dict[str, CensusOption]:
    host = facts(platform)
    return {option.suite.name: option for option in adapter.census(host, host)}


def file_text(name: str, plan_request: PlanRequest) -> str:
    plan = adapter.plan(plan_request)
    files = {Path(file.path).name: file.content.decode() for end in (plan.a, plan.b) for file in end.files}
    return files[name]


def in_folder(plan_request: PlanRequest, folder: Path) -> PlanRequest:
    link = replace(plan_request.link, run_dir=str(folder), underlay_a="127.0.0.1", underlay_b="127.0.0.1")
    return replace(plan_request, link=link)


def with_features(host: HostFacts, *features: str) -> HostFacts:
    support = replace(host.solutions["ssh"], features=features)
    return replace(host, solutions={**host.solutions, "ssh": support})


class TestDiscovery:
    @pytest.mark.parametrize(
        ("platform", "version", "ciphers", "kex"),
        [("debian-11", "8.4p1", 11, "kex:curve25519-sha256"), ("debian-13", "10.0p2", 10, "kex:mlkem768x25519-sha256")],
    )
    def test_of_both_platforms(self, platform: str, version: str, ciphers: int, kex: str) -> None:
        support = parse(recorded(platform)["ssh"])
        assert support.version == version
        assert (len(support.ciphers), len(support.digests)) == (ciphers, 16)
        assert support.features[0] == kex
        assert "sshd:/usr/sbin/sshd" in support.features

    @pytest.mark.parametrize(
        ("question", "answer", "words"),
        [
            ("kernel", "5.4.0-9-generic\n", "5.5"),
            ("root", "locked\n", "root is locked"),
            ("version", "OpenSSH_7.2p2, OpenSSL 1.0.2g\n", "7.2"),
        ],
    )
    def test_obstacles_are_reported(self, question: str, answer: str, words: str) -> None:
        support = parse({**recorded("debian-13")["ssh"], question: result(answer)})
        assert not support.is_available
        assert words in support.note

    def test_dropbears_client_is_no_openssh(self) -> None:
        support = parse({**recorded("debian-13")["ssh"], "version": result(stderr="Dropbear v2022.83\n")})
        assert [part.what for part in support.missing] == ["ssh"]

    @pytest.mark.parametrize("path", ["sshd", "/usr/sbin/sshd;reboot", "/x y/sshd", "/usr/sbin/dropbear", ""])
    def test_path_of_sshd_is_a_plain_absolute_one(self, path: str) -> None:
        support = parse({**recorded("debian-13")["ssh"], "sshd": result(path)})
        assert [part.what for part in support.missing] == ["sshd"]


class TestSuites:
    @pytest.mark.parametrize(
        ("aes_a", "aes_b", "first"),
        [(True, True, "aes-256-gcm"), (True, False, "chacha20-poly1305"), (False, False, "chacha20-poly1305")],
    )
    def test_default_follows_the_cpus(self, aes_a: bool, aes_b: bool, first: str) -> None:
        assert adapter.suites(facts(has_aes=aes_a), facts(has_aes=aes_b))[0].name == first

    def test_key_exchange_is_the_best_that_both_have(self) -> None:
        new, old = facts("debian-13"), facts("debian-11")
        middle = with_features(new, "kex:sntrup761x25519-sha512@openssh.com", "kex:curve25519-sha256")
        assert adapter.suites(new, new)[0].settings["kex"] == "mlkem768x25519-sha256"
        assert adapter.suites(new, middle)[0].settings["kex"] == "sntrup761x25519-sha512@openssh.com"
        assert adapter.suites(new, old)[0].settings["kex"] == "curve25519-sha256"
        assert adapter.suites(new, with_features(new)) == ()


class TestCensus:
    @PLATFORMS
    def test_every_name_with_the_studys_partner(self, platform: str) -> None:
        support = facts(platform).solutions["ssh"]
        options = census(platform)
        assert len(options) == len(support.ciphers) + len(support.digests)
        for option in options.values():
            partner = option.suite.settings["cipher" if option.kind is OptionKind.MAC else "mac"]
            assert partner == ("aes128-cbc" if option.kind is OptionKind.MAC else "hmac-sha1")
        assert sum(option.kind is OptionKind.AEAD for option in options.values()) == 3

    def test_alias_is_marked(self) -> None:
        aliases = {option.name: option.alias_of for option in census("debian-11").values() if option.alias_of}
        assert aliases == {"rijndael-cbc@lysator.liu.se": "aes256-cbc"}


class TestFiles:
    def test_sshd_accepts_its_configuration_and_lets_nothing_else_through(self, tmp_path: Path) -> None:
        sshd = shutil.which("sshd", path="/usr/sbin:/sbin:/usr/bin:/usr/local/sbin")
        assert sshd is not None
        if os.geteuid() == 0:  # from whom alone sshd wants it, where none has been started yet
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        host = with_features(facts("debian-11"), "kex:curve25519-sha256")
        good = request(adapter, adapter.suites(host, host)[0])
        asked = in_folder(good, tmp_path)
        (tmp_path / "sshd_config").write_text(file_text("sshd_config", asked), encoding="utf-8")
        (step,) = identity.recipe(asked.link, Side.A).steps
        subprocess.run(step.command.argv, check=True, capture_output=True)
        asking = [sshd, "-T", "-f", str(tmp_path / "sshd_config"), "-C", "user=root,host=x,addr=127.0.0.1"]
        found = subprocess.run(asking, check=True, capture_output=True, text=True).stdout.lower().splitlines()
        assert {
            "permitrootlogin forced-commands-only",
            "passwordauthentication no",
            "kbdinteractiveauthentication no",
            "permittunnel ethernet",
            "allowtcpforwarding no",
            "allowstreamlocalforwarding no",
            "permittty no",
            "x11forwarding no",
            "forcecommand exec cat",
            "allowusers root@127.0.0.1",
            "ciphers aes256-gcm@openssh.com",
            "listenaddress 127.0.0.1:21222",
        } <= set(found)

    def test_ssh_reads_its_configuration_and_no_other(self, tmp_path: Path) -> None:
        host = facts("debian-11")
        asked = in_folder(request(adapter, adapter.suites(host, host)[0]), tmp_path)
        (tmp_path / "ssh_config").write_text(file_text("ssh_config", asked), encoding="utf-8")
        asking = ["ssh", "-G", "-F", str(tmp_path / "ssh_config"), "tunnelmark-peer"]
        found = subprocess.run(asking, check=True, capture_output=True, text=True).stdout.lower().splitlines()
        assert {
            "stricthostkeychecking true",
            "globalknownhostsfile /dev/null",
            f"userknownhostsfile {tmp_path}/known_hosts".lower(),
            "hostkeyalias tunnelmark-peer",
            "batchmode yes",
            "identitiesonly yes",
            "tunnel ethernet",
            "tunneldevice 7301:7301",
            "exitonforwardfailure yes",
            "forwardagent no",
            "port 21222",
        } <= set(found)

    def test_one_key_may_make_the_one_tunnel_and_no_more(self) -> None:
        line = file_text("authorized_keys", default_request()).splitlines()[-1]
        assert line.startswith('restrict,from="192.0.2.2",tunnel="7301",command="exec cat" ssh-ed25519 AAAA')
        known = file_text("known_hosts", default_request()).splitlines()[-1]
        assert known.startswith("tunnelmark-peer ssh-ed25519 AAAA")
        assert line.split()[-1] != known.split()[-1]


class TestPlan:
    def test_only_the_server_listens(self) -> None:
        plan = adapter.plan(default_request())
        assert plan.a.listens == (("tcp", 21222),)
        assert plan.b.listens == ()

    def test_negotiated_must_be_what_was_asked_for_in_both_directions(self) -> None:
        for end in (adapter.plan(default_request()).a, adapter.plan(default_request()).b):
            assert end.negotiated is not None
            pattern = end.negotiated.stdout_pattern
            assert re.search(pattern, LOG)
            assert not re.search(pattern, LOG.replace("aes256-gcm", "aes128-gcm"))
            assert not re.search(pattern, LOG.replace("client cipher: aes256-gcm", "client cipher: aes128-gcm"))
            assert not re.search(pattern, LOG.replace("mlkem768x25519-sha256", "curve25519-sha256"))
            assert not re.search(pattern, LOG.replace("ssh-ed25519", "ssh-rsa"))
            assert not re.search(pattern, "\n".join(LOG.splitlines()[:3]))

    def test_negotiated_names_the_mac_where_one_is_used(self) -> None:
        asked = request(adapter, census("debian-13")["mac-hmac-md5"].suite)
        check = adapter.plan(asked).b.negotiated
        assert check is not None
        log = LOG.replace("aes256-gcm@openssh.com MAC: <implicit>", "aes128-cbc MAC: hmac-md5")
        assert re.search(check.stdout_pattern, log)
        assert not re.search(check.stdout_pattern, log.replace("hmac-md5", "hmac-md5-96"))

    @pytest.mark.parametrize(
        ("cipher", "mac", "outer"),
        [
            ("3des-cbc", "hmac-sha2-256", 1122),
            ("aes128-ctr", "hmac-sha2-256", 1122),
            ("aes256-gcm@openssh.com", "hmac-sha2-256", 1110),
            ("chacha20-poly1305@openssh.com", "hmac-sha2-256", 1102),
            ("aes128-ctr", "hmac-sha1", 1110),
            ("aes128-ctr", "hmac-sha1-96", 1102),
            ("aes128-ctr", "hmac-sha2-512", 1154),
            ("aes128-ctr", "hmac-md5", 1106),
            ("aes128-ctr", "umac-64@openssh.com", 1098),
            ("aes128-ctr", "umac-128@openssh.com", 1106),
            ("aes128-ctr", "hmac-sha1-etm@openssh.com", 1114),
            ("aes128-ctr", "hmac-sha2-512-etm@openssh.com", 1158),
            ("aes128-ctr", "umac-64-etm@openssh.com", 1102),
        ],
    )
    def test_overhead_as_captured_on_debian_13(self, cipher: str, mac: str, outer: int) -> None:
        assert 1000 + overhead_bytes(1000, cipher, mac) == outer

    def test_smallest_frame_as_captured(self) -> None:
        assert 60 + overhead_bytes(60, "aes256-gcm@openssh.com", "hmac-sha2-256") == 166


class TestIdentity:
    def test_key_remains_and_its_public_part_is_read(self, tmp_path: Path) -> None:
        link = Link("192.0.2.1", "192.0.2.2", run_dir=str(tmp_path))
        recipe = identity.recipe(link, Side.B)
        (step,) = recipe.steps
        for _ in range(2):
            subprocess.run(step.command.argv, check=True, capture_output=True)
        assert Path(identity.key_path(link)).stat().st_mode & 0o077 == 0
        shown = subprocess.run(recipe.public["ssh-public-key"].argv, check=True, capture_output=True, text=True).stdout
        assert identity.parse({"ssh-public-key": result("hello\n" + shown)}).values["ssh-public-key"] == shown.strip()
        assert step.undo is not None
        for _ in range(2):
            subprocess.run(step.undo.argv, check=True)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("text", ["ssh-ed25519 AAAA", "ssh-rsa AAAAB3NzaC1yc2E", 'ssh-ed25519 "$(reboot)"'])
    def test_other_text_is_refused(self, text: str) -> None:
        with pytest.raises(CommandFailed):
            identity.parse({"ssh-public-key": result(text)})
