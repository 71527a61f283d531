"""Programs that make PPP interfaces: they see folders of ours in place of the host's, and are ended without a trace."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from app.deployment.choice import choose
from app.discovery.pair_discovery import Discovery
from app.domain.adapters import Adapter, PlanRequest
from app.domain.deployment import DeploymentOptions
from app.domain.errors import InvalidPlan
from app.domain.hosts import Side
from app.domain.script_files import adapter_script
from support.adapter_cases import LEGACY_PLATFORM, facts, request
from vpn_adapters.ppp_ssh import adapter as ppp_ssh
from vpn_adapters.pptp import adapter as pptp
from vpn_adapters.shared.ppp import log_path, secret_path
from vpn_adapters.stunnel import adapter as stunnel
from vpn_adapters.vtun_ppp import adapter as vtun_ppp
from vpn_adapters.xl2tpd import adapter as xl2tpd

SHELLS = pytest.mark.parametrize("shell", ["dash", "busybox sh"])
BOTH = pytest.mark.parametrize("adapter", [pptp, xl2tpd], ids=lambda one: one.info.name)
ALL = pytest.mark.parametrize("adapter", [pptp, xl2tpd, ppp_ssh, stunnel, vtun_ppp], ids=lambda one: one.info.name)
SECRET = "0123456789abcdef" * 4

# A program with a child that leaves it, as pptp's call manager does, and one that leaves its folders, as sshd's does
# before a client has logged in.
PROGRAM = """\
cat /etc/ppp/* /etc/home/.ppprc > $STATE/seen
ls /run > $STATE/run
: > /run/left-over
(setsid sleep 61 &)
perl -e 'chroot "/run/sshd" or die; chdir "/"; open(my $at, ">", "/left") or die; sleep 66' 61 &
until [ -e /run/sshd/left ]; do sleep 0.1; done
echo ready
exec sleep 62
"""
# The host has secrets of its own, and something in /run; in a namespace, as the host of this test may have neither.
HOST = """\
mount -t tmpfs etc /etc && mkdir /etc/ppp && mount -t tmpfs run /run && mkdir -p $STATE/tunnel /run/mount || exit 1
mkdir /etc/home && echo defaultroute > /etc/home/.ppprc && echo root:x:0:0::/etc/home:/bin/sh > /etc/passwd
echo 'other server foreign *' > /etc/ppp/chap-secrets; chmod 600 /etc/ppp/chap-secrets; : > /run/own-daemon
echo "b a $SECRET 198.18.1.2" > $STATE/secret
start() { $SHELL_UNDER_TEST -c "$START" sh $STATE $STATE/tunnel/ppp tunnelmark-x \\
    "$SECRET_FILE" $STATE/log $STATE/log '^ready$' sh -c "$PROGRAM"; }
end() { $SHELL_UNDER_TEST -c "$END" sh "$1" tunnelmark-x $STATE/tunnel/ppp $STATE/log; }
running() { cat /proc/[0-9]*/cmdline 2> /dev/null | tr '\\0' '\\n' | grep -c '^6[12]$'; }
start || exit 2
# "ready" is there before the last of the three runs under its own name.
n=0; until [ "$(running)" = 3 ] || [ "$n" = 100 ]; do n=$((n + 1)); sleep 0.1; done
echo "running $(running)"; cat /proc/[0-9]*/cmdline 2> /dev/null | grep -c "[0]${SECRET#0}"
end "$SIGNAL" || exit 3
echo "running $(running)"; ls /run $STATE $STATE/tunnel; cat /etc/ppp/*; stat -c %a /etc/ppp/chap-secrets
end TERM && echo again
cat $STATE/seen $STATE/run
"""


@SHELLS
@pytest.mark.parametrize(
    ("signal", "secret"), [("TERM", "/run/tunnelmark/secret"), ("KILL", "/run/tunnelmark/secret"), ("TERM", "")]
)
def test_only_own_folders_are_seen_and_nothing_is_left(shell: str, signal: str, secret: str) -> None:
    variables = {
        "STATE": "/run/tunnelmark",
        "START": adapter_script("shared", "ppp-start.sh"),
        "END": adapter_script("shared", "ppp-end.sh"),
        "PROGRAM": PROGRAM,
        "SECRET": SECRET,
        "SECRET_FILE": secret,
        "SIGNAL": signal,
        "SHELL_UNDER_TEST": shell,
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    }
    argv = ["unshare", "--pid", "--fork", "--mount", "--mount-proc", "sh", "-c", HOST]
    done = subprocess.run(argv, env=variables, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    during, after = done.stdout.split("running 3\n0\n")
    assert during == ""
    ended, seen = after.split("again\n")
    assert ended.split() == [
        *("running", "0", "/run:", "mount", "own-daemon", "tunnelmark"),
        *("/run/tunnelmark:", "run", "secret", "seen", "tunnel", "/run/tunnelmark/tunnel:"),
        *("other", "server", "foreign", "*", "600"),
    ]
    login = ["b", "a", SECRET, "198.18.1.2"] if secret else []
    assert seen.split() == [*login, "lock", "pptp", "sshd", "tunnelmark", "xl2tpd"]


# A start that is cut off before it has its folders: `mount` takes long.
SLOW_HOST = """\
mount -t tmpfs etc /etc && mkdir /etc/ppp && mount -t tmpfs run /run && mkdir -p $STATE/tunnel $STATE/bin || exit 1
echo secret > $STATE/secret; printf '#!/bin/sh\\nexec sleep 63\\n' > $STATE/bin/mount; chmod +x $STATE/bin/mount
starting() { cat /proc/[0-9]*/cmdline 2> /dev/null | tr '\\0' '\\n' | grep -c '^start-tunnelmark-x[.]$'; }
end() { $SHELL_UNDER_TEST -c "$END" sh TERM $1 $STATE/tunnel/ppp; }
PATH=$STATE/bin:$PATH $SHELL_UNDER_TEST -c "$START" sh $STATE $STATE/tunnel/ppp tunnelmark-x \\
    $STATE/secret $STATE/log $STATE/log '^ready$' sleep 64 &
until cat /proc/[0-9]*/cmdline 2> /dev/null | tr '\\0' '\\n' | grep -q '^63$'; do sleep 0.1; done
end tunnelmark || exit 3
echo "starting $(starting)"
mkdir -p $STATE/tunnel/ppp
end tunnelmark-x || exit 4
echo "starting $(starting)"; ls $STATE/tunnel
"""


@SHELLS
def test_a_start_that_has_no_folders_yet_is_ended(shell: str) -> None:
    variables = {
        "STATE": "/run/tunnelmark",
        "START": adapter_script("shared", "ppp-start.sh"),
        "END": adapter_script("shared", "ppp-end.sh"),
        "SHELL_UNDER_TEST": shell,
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    }
    argv = ["unshare", "--pid", "--fork", "--mount", "--mount-proc", "sh", "-c", SLOW_HOST]
    done = subprocess.run(argv, env=variables, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["starting", "1", "starting", "0"]


def asked(adapter: Adapter) -> PlanRequest:
    host = facts(LEGACY_PLATFORM)
    return request(adapter, adapter.suites(host, host)[0])


@BOTH
def test_the_password_is_made_on_a_alone_and_is_a_line_of_its_secrets(adapter: Adapter, tmp_path: Path) -> None:
    plan_request = asked(adapter)
    assert not adapter.identity(plan_request, Side.B).steps
    recipe = adapter.identity(plan_request, Side.A)
    assert [one.path for one in recipe.shared] == [secret_path(plan_request.link)]
    made = tmp_path / "secret"
    argv = [word.replace(secret_path(plan_request.link), str(made)) for word in recipe.steps[0].command.argv]
    subprocess.run(argv, check=True)
    assert re.fullmatch(r"tunnelmark-b tunnelmark-a [0-9a-f]{64} 198\.18\.1\.2\n", made.read_text())
    assert made.stat().st_mode & 0o777 == 0o600


@BOTH
def test_options_name_the_interface_and_give_b_its_address(adapter: Adapter) -> None:
    plan = adapter.plan(asked(adapter))
    a, b = (plan.on(side).files[-1].content.decode().splitlines() for side in Side)
    for lines in (a, b):
        assert {"ifname tmklow0", "noipv6", "nodefaultroute", "hide-password"} <= set(lines)
        assert f"logfile {log_path(asked(adapter).link)}" in lines
    assert "198.18.1.2:198.18.1.1" in b
    assert {"name tunnelmark-b", "remotename tunnelmark-a"} <= set(b)
    assert "noauth" not in a


@BOTH
def test_a_frame_that_fills_the_underlay_is_one_packet(adapter: Adapter) -> None:
    plan = adapter.plan(asked(adapter))
    assert plan.largest_unfragmented_frame_bytes is not None
    assert plan.overhead_bytes is not None
    assert plan.largest_unfragmented_frame_bytes + plan.overhead_bytes == 1514


@ALL
@pytest.mark.parametrize("reason", ["", "the old plant until May"])
def test_it_is_refused_with_its_successor_whatever_the_reason(adapter: Adapter, reason: str) -> None:
    options, name = DeploymentOptions(legacy_reason=reason), adapter.info.name
    host = SimpleNamespace(facts=facts(LEGACY_PLATFORM))
    found = cast("Discovery", SimpleNamespace(a=host, b=host, unavailable={}, candidates=()))
    with pytest.raises(InvalidPlan, match=r"never deployed: .*Choose WireGuard in its place, or .*OpenVPN"):
        choose({name: adapter}, found, (name, ""), options, guidelines=())
