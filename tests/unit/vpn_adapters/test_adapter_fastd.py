"""fastd: what a host's answers mean, what is offered, the configuration, its scripts, and what hostile hosts print."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.adapters import PlanRequest, find_suite
from app.domain.errors import CommandFailed, InvalidPlan
from app.domain.hosts import Side
from app.domain.link import Link
from app.domain.profiles import FRAME_BYTES
from app.domain.script_files import adapter_script
from app.domain.solutions import OptionKind, Suite
from app.domain.verdicts import Verdict
from app.policy import UNKNOWN_REASON, judge, judge_suite
from support.adapter_cases import facts, recorded, request, result
from support.waiting import wait_until
from vpn_adapters.fastd import adapter
from vpn_adapters.fastd.methods import METHODS
from vpn_adapters.shared.messages import KERNEL_MODULE_PART

HOST, OLD_HOST = facts("debian-13"), facts("debian-11")
LOG = """\
2026-11-26 18:46:12 +0000 --- Info: fastd v22 starting
2026-11-26 18:46:12 +0000 --- Verbose: 192.0.2.2:21194 authenticated as <gw-b>
2026-11-26 18:46:12 +0000 --- Info: connection with <gw-b> established.
2026-11-26 18:46:12 +0000 --- Verbose: new session with <gw-b> established using method `aes128-gcm' (compat mode).
""".replace("gw-b", "tunnelmark-b")
"""As fastd 22 wrote it, with a peer of version 21; without these words where both have 22."""
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"


def default_request() -> PlanRequest:
    return request(adapter, adapter.suites(HOST, HOST)[0])


def asked(name: str) -> PlanRequest:
    suite = find_suite(adapter, HOST, HOST, name)
    assert suite is not None
    return request(adapter, suite)


def config(plan_request: PlanRequest, side: Side = Side.A) -> list[str]:
    return adapter.plan(plan_request).on(side).files[0].content.decode().splitlines()


def run_script(name: str, *arguments: str, interpreter: tuple[str, ...] = ("dash",), first: Path | None = None) -> str:
    argv = [*interpreter, "-c", adapter_script("fastd", name), "tunnelmark", *arguments]
    path = PATH if first is None else f"{first}:{PATH}"
    ran = subprocess.run(argv, capture_output=True, text=True, check=False, env={"PATH": path, "TZ": "UTC"}, cwd=first)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


class TestDiscovery:
    @pytest.mark.parametrize(("platform", "version"), [("debian-11", "21"), ("debian-13", "23")])
    def test_both_platforms_have_it(self, platform: str, version: str) -> None:
        support = facts(platform).solutions["fastd"]
        assert (support.is_available, support.version, support.features) == (True, version, ("user:nobody",))

    def test_methods_are_those_that_the_program_accepts(self) -> None:
        assert HOST.solutions["fastd"].ciphers == tuple(METHODS)
        # L2TPv3's format came with fastd 22.
        assert set(METHODS) - set(OLD_HOST.solutions["fastd"].ciphers) == {"null@l2tp"}

    @pytest.mark.parametrize(
        ("question", "what"), [("version", "fastd"), ("ip", "iproute2"), ("modules", KERNEL_MODULE_PART(module="tun"))]
    )
    def test_each_missing_part_is_named(self, question: str, what: str) -> None:
        answers = {**recorded("debian-13")["fastd"], question: result(stderr="not found", exit_status=127)}
        support = adapter.parse_discovery(answers)
        assert not support.is_available
        assert [part.what for part in support.missing] == [what]

    def test_one_that_a_stranger_can_end_is_refused_in_words(self) -> None:
        answers = {**recorded("debian-13")["fastd"], "version": result("fastd v20\n")}
        support = adapter.parse_discovery(answers)
        assert not support.is_available
        assert "fastd 20" in support.note
        assert "CVE-2020-27638" in support.note

    @pytest.mark.parametrize("answer", [result("0\n"), result("", exit_status=1), result("x\n"), result("-1\n")])
    def test_without_an_unprivileged_user_none_is_named(self, answer: object) -> None:
        support = adapter.parse_discovery({**recorded("debian-13")["fastd"], "user": answer})  # type: ignore[dict-item]
        assert (support.is_available, support.features) == (True, ())

    def test_what_else_a_host_prints_is_no_method(self) -> None:
        answers = {**recorded("debian-13")["fastd"], "methods": result("aes128-gcm\nrm -rf /\nnull\n")}
        assert adapter.parse_discovery(answers).ciphers == ("aes128-gcm", "null")

    def test_the_program_here_has_every_method_of_the_manual(self) -> None:
        names = (*METHODS, "no-such-method")
        assert run_script("methods.sh", *names, interpreter=("busybox", "sh")).split() == list(METHODS)


class TestSuites:
    def test_aes_is_first_where_both_cpus_have_instructions_for_it(self) -> None:
        names = ["aes128-gcm", "salsa2012-umac", "salsa2012-gmac"]
        slow = facts("debian-13", has_aes=False)
        assert [suite.name for suite in adapter.suites(HOST, HOST)] == names
        for hosts in ((HOST, slow), (slow, HOST), (slow, slow)):
            assert [suite.name for suite in adapter.suites(*hosts)] == [*names[1:], names[0]]

    def test_what_does_not_encrypt_is_never_offered_but_in_the_census(self) -> None:
        options = {option.name: option for option in adapter.census(HOST, HOST)}
        assert list(options) == list(METHODS)
        plain = {name for name, option in options.items() if option.is_unprotected}
        assert plain == {name for name in METHODS if name.startswith("null")}
        assert {options[name].kind for name in ("null", "null@l2tp")} == {OptionKind.CIPHER}
        assert options["null+salsa2012+umac"].kind is OptionKind.MAC
        offered = {suite.settings["method"] for suite in adapter.suites(HOST, HOST)}
        assert not offered & plain

    def test_verdicts(self) -> None:
        for option in adapter.census(HOST, HOST):
            assert [name for name in option.suite.algorithms if judge(name).reason == UNKNOWN_REASON] == []
            verdict, _ = judge_suite(option.suite, adapter.info, guidelines=())
            assert verdict is (Verdict.UNPROTECTED if option.is_unprotected else Verdict.ACCEPTABLE), option.name

    def test_methods_are_those_that_both_hosts_have(self) -> None:
        assert "null@l2tp" not in [option.name for option in adapter.census(OLD_HOST, HOST)]
        assert len(adapter.census(OLD_HOST, HOST)) == len(METHODS) - 1


class TestPlan:
    @pytest.mark.parametrize("side", list(Side))
    def test_the_peer_is_known_by_its_key_alone(self, side: Side) -> None:
        lines = config(default_request(), side)
        peer = {Side.A: "b", Side.B: "a"}[side]
        assert [line for line in lines if line.startswith("  key")] == [f'  key "{peer * 64}";']
        assert f'peer "tunnelmark-{peer}" {{' in lines
        assert not any(line.startswith(("on ", "secret", "status", "offload")) for line in lines)

    def test_one_side_alone_calls(self) -> None:
        assert [line for line in config(default_request(), Side.B) if "remote" in line] == ["  remote 192.0.2.1:21194;"]
        assert not any("remote" in line for line in config(default_request(), Side.A))

    def test_the_daemon_has_no_rights_and_is_no_longer_root(self) -> None:
        lines = config(default_request())
        assert {'user "nobody";', "drop capabilities force;"} <= set(lines)
        lacking = replace(HOST.solutions["fastd"], features=())
        host = replace(HOST, solutions={**HOST.solutions, "fastd": lacking})
        lines = config(replace(default_request(), facts_a=host))
        assert not any(line.startswith("user") for line in lines)
        assert "drop capabilities force;" in lines

    @pytest.mark.parametrize("method", METHODS)
    def test_each_option_is_held_to_its_method(self, method: str) -> None:
        lines = config(asked(method.replace("+", "-").replace("@", "-")))
        assert [line for line in lines if line.startswith("method")] == [f'method "{method}";']

    @pytest.mark.parametrize("side", list(Side))
    def test_the_program_accepts_the_configuration(self, side: Side, tmp_path: Path) -> None:
        link = Link("127.0.0.1", "127.0.0.2", run_dir=str(tmp_path))
        run_script("make-key.sh", f"{tmp_path}/fastd.key")
        (show,) = adapter.identity(replace(default_request(), link=link), side).public.values()
        key = subprocess.run(show.argv, capture_output=True, text=True, check=True).stdout
        own = adapter.parse_identity({"hex-public-key": result(key)})
        path = tmp_path / "fastd.conf"
        plan = adapter.plan(replace(default_request(), link=link, identity_a=own, identity_b=own))
        path.write_bytes(plan.on(side).files[0].content)
        argv = ["fastd", "--verify-config", "--config", str(path)]
        ran = subprocess.run(argv, capture_output=True, text=True, check=False)
        assert (ran.returncode, "Error" in ran.stderr) == (0, False), ran.stderr

    @pytest.mark.parametrize(
        ("log", "is_as_asked"),
        [
            (LOG, True),
            (LOG.replace(" (compat mode)", ""), True),
            (LOG.replace("aes128-gcm", "null"), False),
            (LOG.replace("tunnelmark-b", "tunnelmark-c"), False),
            ("", False),
        ],
    )
    def test_negotiated_reads_the_log(self, log: str, is_as_asked: bool) -> None:
        check = adapter.plan(default_request()).a.negotiated
        assert check is not None
        shown = "".join(f"{line}\n" for line in log.splitlines() if check.command.argv[2] in line)
        assert (re.search(check.stdout_pattern, shown) is not None) == is_as_asked

    @pytest.mark.parametrize(
        ("name", "overhead"), [("aes128-gcm", 66), ("salsa2012-umac", 66), ("null-l2tp", 50), ("null", 43)]
    )
    def test_overhead_is_the_same_for_every_frame(self, name: str, overhead: int) -> None:
        plan = adapter.plan(asked(name))
        assert (plan.overhead_bytes, dict(plan.overhead_by_frame)) == (overhead, {})
        assert plan.largest_unfragmented_frame_bytes == 1514 - overhead
        assert max(FRAME_BYTES) > 1514 - overhead

    def test_only_the_daemon_is_started_anew_for_another_suite(self) -> None:
        one, other = (adapter.plan(asked(name)).a for name in ("aes128-gcm", "null"))
        assert [step.title for step in one.steps if step.depends_on_suite] == ["Start fastd"]
        assert [step.undo for step in one.steps] == [step.undo for step in other.steps]

    def test_a_suite_without_settings_is_refused(self) -> None:
        with pytest.raises(InvalidPlan):
            adapter.plan(replace(default_request(), suite=Suite(name="x", title="x")))


class TestScripts:
    @pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh")], ids=lambda shell: shell[0])
    def test_a_key_is_for_root_alone_and_its_public_part_is_printed(
        self, shell: tuple[str, ...], tmp_path: Path
    ) -> None:
        path = tmp_path / "fastd.key"
        assert run_script("make-key.sh", str(path), interpreter=shell) == ""
        assert path.stat().st_mode & 0o777 == 0o600
        assert re.fullmatch(r'secret "[0-9a-f]{64}";\n', path.read_text())
        assert [one.name for one in tmp_path.iterdir()] == ["fastd.key"]
        show = adapter.identity(replace(default_request(), link=Link("a", "b", run_dir=str(tmp_path))), Side.A).public
        (command,) = show.values()
        ran = subprocess.run(command.argv, capture_output=True, text=True, check=True)
        (key,) = adapter.parse_identity({"hex-public-key": result(ran.stdout)}).values.values()
        assert key not in path.read_text()

    def test_a_call_that_came_too_early_is_repeated_at_once(self, tmp_path: Path) -> None:
        # A daemon that has a session as soon as it is made to call again, and time that passes ten times as fast.
        self.program(
            tmp_path / "fastd",
            "(trap 'echo session established using method >&2; exit' USR2; : > ready; n=0",
            'while [ "$n" -lt 200 ]; do /bin/sleep 0.01; n=$((n + 1)); done) &',
            "until [ -e ready ]; do /bin/sleep 0.01; done",
        )
        self.program(tmp_path / "sleep", "exec /bin/sleep 0.01")
        log = tmp_path / "log"
        run_script("start.sh", "fastd.conf", str(log), "calls", first=tmp_path)
        # A shell that just forks the next sleep has two processes of that name, and says that one got the signal.
        assert log.read_text().splitlines()[-1] == "session established using method"

    def test_a_daemon_that_does_not_start_says_why(self, tmp_path: Path) -> None:
        self.program(tmp_path / "fastd", "echo no such port >&2", "exit 1")
        with pytest.raises(AssertionError, match="no such port"):
            run_script("start.sh", "fastd.conf", str(tmp_path / "log"), "", first=tmp_path)

    @pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh")], ids=lambda shell: shell[0])
    def test_a_daemon_is_known_by_its_configuration(self, shell: tuple[str, ...], tmp_path: Path) -> None:
        self.program(tmp_path / "fastd", 'read -r _ < "$3"')
        configs = tmp_path / "own.conf", tmp_path / "other.conf"
        os.mkfifo(configs[0])
        with subprocess.Popen([tmp_path / "fastd", "--daemon", "--config", configs[0]]) as daemon:
            wait_until(lambda: Path(f"/proc/{daemon.pid}/comm").read_text() == "fastd\n", "its name")
            run_script("alive.sh", str(configs[0]), interpreter=shell)
            with pytest.raises(AssertionError):
                run_script("alive.sh", str(configs[1]), interpreter=shell)
            configs[0].write_text("end\n")
        with pytest.raises(AssertionError):
            run_script("alive.sh", str(configs[0]), interpreter=shell)

    def program(self, path: Path, *lines: str) -> None:
        path.write_text("\n".join(("#!/bin/sh", *lines, "")))
        path.chmod(0o755)

    @pytest.mark.parametrize("shell", [("dash",), ("busybox", "sh")], ids=lambda shell: shell[0])
    def test_when_keys_were_agreed_on(self, shell: tuple[str, ...], tmp_path: Path) -> None:
        log = tmp_path / "log"
        log.write_text(LOG)
        assert run_script("handshake.sh", str(log), interpreter=shell) == "1795718772\n"
        log.write_text("")
        assert run_script("handshake.sh", str(log), interpreter=shell) == ""


class TestIdentity:
    @settings(deadline=None, max_examples=40)
    @given(text=st.text() | st.text(alphabet='0123456789abcdef \n";', min_size=60, max_size=70))
    def test_hostile_output_is_refused_or_a_key(self, text: str) -> None:
        try:
            values = adapter.parse_identity({"hex-public-key": result(text)}).values
        except CommandFailed:
            return
        assert re.fullmatch(r"[0-9a-f]{64}", values["hex-public-key"])
