"""Steps that open firewalls; stand-ins for firewalld and ufw keep their rules in a file."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from app.deploy.firewall import comment_of, opening_steps, rich_rule
from app.deploy.firewall_scripts import FIREWALLD_SCRIPT, TABLES_SCRIPT, UFW_SCRIPT
from app.domain.commands import Command
from app.domain.firewall import Opening, Owner
from support.deploy_world import SHELLS

UDP = Opening("udp", 51820, "192.0.2.1")
ESP = Opening("esp", 0, "192.0.2.1")
L2TP = Opening("l2tp", 0, "192.0.2.1")
INSIDE = Opening("tcp", 5201, "10.0.0.1", "tml0")

FIREWALL_CMD = r"""#!/bin/sh
# Rules are in the file `rules`, one a line: zone, tab, rule.
cd "$(dirname "$0")/.." || exit 1
zone=public
for word in "$@"; do
    value=${word#*=}
    case $word in
        --state) if [ -e off ]; then echo "not running" >&2; exit 252; fi; echo running ;;
        --get-zone-of-source=*) exit 2 ;;
        --get-zone-of-interface=eth1) echo external ;;
        --get-zone-of-interface=*) exit 2 ;;
        --get-default-zone) echo public ;;
        --zone=*) zone=$value ;;
        --add-rich-rule=*) printf '%s\t%s\n' "$zone" "$value" >> rules ;;
        --remove-rich-rule=*) grep -vxF "$(printf '%s\t%s' "$zone" "$value")" rules > new; mv new rules ;;
        --list-all-zones)
            for zone in external public; do
                printf '%s (active)\n  target: default\n  rich rules: \n' "$zone"
                sed -n "s/^$zone\t/\t/p" rules
                echo
            done ;;
    esac
done
"""

UFW = r"""#!/bin/sh
# Rules are in the file `rules`, as `ufw show added` prints them. Source: ufw 0.36.2.
cd "$(dirname "$0")/.." || exit 1
case $1 in
    status) if [ -e off ]; then echo "Status: inactive"; else echo "Status: active"; fi; exit ;;
    show) cat rules; exit ;;
    insert) [ -s rules ] || { echo "ERROR: Invalid position '1'" >&2; exit 1; }; shift 2 ;;
    delete) is_deleted=yes; shift ;;
esac
line="ufw"
while [ $# -gt 0 ]; do
    case $1 in
        comment) line="$line comment '$2'"; shift ;;
        to) case $* in *port*) line="$line to" ;; *) shift ;; esac ;;
        *) line="$line $1" ;;
    esac
    shift
done
if [ "$is_deleted" ]; then
    grep -vxF -e "$line" rules | grep -v "^$line comment " > new
else
    { echo "$line"; cat rules; } > new
fi
mv new rules
"""

IPTABLES = r"""#!/bin/sh
# Rules are in the file `chain`.
cd "$(dirname "$0")/.." || exit 1
shift 2
how=$1
shift
case $how in
    -C) grep -qxF -e "$*" chain ;;
    -I) { echo "$*"; cat chain; } > new; mv new chain ;;
    -D) grep -vxF -e "$*" chain > new; mv new chain ;;
esac
"""


class MadeUpHost:
    """Programs in a folder of their own, run by one shell."""

    def __init__(self, folder: Path, shell: str) -> None:
        self.folder = folder
        self._shell = shell.split()
        (folder / "bin").mkdir()
        for name, text in {"firewall-cmd": FIREWALL_CMD, "ufw": UFW, "iptables": IPTABLES}.items():
            (folder / "bin" / name).write_text(text)
            (folder / "bin" / name).chmod(0o755)
        (folder / "rules").touch()
        (folder / "chain").touch()

    def run(self, command: Command | None) -> bool:
        assert command is not None
        assert command.is_root
        assert command.argv[:2] == ("sh", "-c")
        path = f"{self.folder}/bin:{os.environ['PATH']}"
        argv = [*self._shell, *command.argv[1:]]
        return subprocess.run(argv, env={"PATH": path}, capture_output=True, check=False).returncode == 0

    @property
    def rules(self) -> str:
        return (self.folder / "rules").read_text()

    @property
    def chain(self) -> str:
        return (self.folder / "chain").read_text()


@pytest.fixture(params=SHELLS)
def host(request: pytest.FixtureRequest, tmp_path: Path) -> MadeUpHost:
    return MadeUpHost(tmp_path, str(request.param))


def test_steps() -> None:
    step, inside = opening_steps(Owner.NFTABLES, (UDP, INSIDE), tag="pair-1", interface="eth1")
    assert step.title == "Open the firewall for udp 51820 from 192.0.2.1"
    assert inside.title == "Open the firewall for tcp 5201 from 10.0.0.1 on tml0"
    comment = "tunnelmark pair-1 udp 51820 from 192.0.2.1"
    assert comment_of(UDP, "pair-1") == comment
    words = (comment, "udp", "17", "51820", "192.0.2.1", "")
    assert step.command.argv == ("sh", "-c", TABLES_SCRIPT, "tunnelmark", "open", *words)
    assert step.undo is not None
    assert step.undo.argv[4:] == ("close", *words)
    assert step.standing is not None
    assert step.standing.argv[4:] == ("check", *words)
    assert opening_steps(Owner.NONE, (UDP,), tag="pair-1", interface="eth1") == ()


def test_tag_is_checked() -> None:
    for tag in ("", "a b", 'a"b', "a" * 33):
        with pytest.raises(ValueError, match="not a tag"):
            opening_steps(Owner.NFTABLES, (UDP,), tag=tag, interface="eth1")


@pytest.mark.parametrize(
    "values",
    [
        ("udp", 0, "192.0.2.1"),
        ("udp", 70000, "192.0.2.1"),
        ("esp", 1, "192.0.2.1"),
        ("sctp", 1, "192.0.2.1"),
        ("udp", 1, "192.0.2"),
        ("udp", 1, "::1"),
        ("udp", 1, "192.0.2.1", "a b"),
        ("udp", 1, "192.0.2.1", '"'),
    ],
)
def test_opening_that_no_packet_has_is_refused(values: tuple[str, int, str]) -> None:
    with pytest.raises(ValueError, match=r"."):
        Opening(*values)


@pytest.mark.parametrize("owner", list(Owner))
def test_no_value_is_part_of_a_script(owner: Owner) -> None:
    for step in opening_steps(owner, (UDP, L2TP, INSIDE), tag="pair-1", interface="eth1"):
        assert step.command.argv[2] in (TABLES_SCRIPT, FIREWALLD_SCRIPT, UFW_SCRIPT)


def test_rich_rule_is_our_own() -> None:
    rule = rich_rule(UDP, "pair-1")
    assert rule.endswith('family="ipv4" source address="192.0.2.1" port port="51820" protocol="udp" accept')
    assert rule != rich_rule(UDP, "pair-2")
    assert 'protocol value="115" accept' in rich_rule(L2TP, "pair-1")


def test_firewalld(host: MadeUpHost) -> None:
    users = 'public\trule family="ipv4" source address="192.0.2.1" port port="51820" protocol="udp" accept\n'
    (host.folder / "rules").write_text(users)
    steps = opening_steps(Owner.FIREWALLD, (UDP, L2TP, INSIDE), tag="t", interface="eth1")
    for step in steps:
        assert not host.run(step.standing)
        assert host.run(step.command)
        assert host.run(step.command)
        assert host.run(step.standing)
    zones = [line.split("\t")[0] for line in host.rules.splitlines()]
    assert zones == ["public", "external", "external", "public"]
    for step in (*steps, *steps):
        assert host.run(step.undo)
    assert host.rules == users
    (host.folder / "off").touch()
    assert not host.run(steps[0].command)
    assert not host.run(steps[0].standing)
    assert host.run(steps[0].undo)


@pytest.mark.parametrize("users", ["", "ufw allow 22/tcp comment 'ssh'\n"])
def test_ufw(host: MadeUpHost, users: str) -> None:
    (host.folder / "rules").write_text(users)
    steps = opening_steps(Owner.UFW, (UDP, ESP, L2TP, INSIDE), tag="t", interface="eth1")
    for step in steps:
        assert not host.run(step.standing)
        assert host.run(step.command)
        assert host.run(step.command)
        assert host.run(step.standing)
    assert host.rules == (
        "ufw allow in on tml0 from 10.0.0.1 to any port 5201 proto tcp"
        " comment 'tunnelmark t tcp 5201 from 10.0.0.1 on tml0'\n"
        "ufw allow from 192.0.2.1 proto esp comment 'tunnelmark t esp from 192.0.2.1'\n"
        "ufw allow from 192.0.2.1 to any port 51820 proto udp comment 'tunnelmark t udp 51820 from 192.0.2.1'\n" + users
    )
    comment = "-m comment --comment tunnelmark t l2tp from 192.0.2.1 -j ACCEPT\n"
    assert host.chain == f"ufw-before-input -s 192.0.2.1/32 -p 115 {comment}"
    for step in (*steps, *steps):
        assert host.run(step.undo)
    assert host.rules == users
    assert host.chain == ""


def test_rule_of_the_user_in_ufw_keeps_its_comment(host: MadeUpHost) -> None:
    users = "ufw allow from 192.0.2.1 to any port 51820 proto udp comment 'mine'\nufw allow from 192.0.2.1 proto esp\n"
    (host.folder / "rules").write_text(users)
    steps = opening_steps(Owner.UFW, (UDP, ESP), tag="t", interface="eth1")
    for step in steps:
        assert host.run(step.command)
        assert host.run(step.standing)
    assert host.rules == users
    assert len(host.chain.splitlines()) == 2
    for step in steps:
        assert host.run(step.undo)
    assert (host.rules, host.chain) == (users, "")


def test_ufw_that_is_off_is_not_opened(host: MadeUpHost) -> None:
    (step,) = opening_steps(Owner.UFW, (UDP,), tag="t", interface="eth1")
    (host.folder / "off").touch()
    assert not host.run(step.command)
    assert host.run(step.undo)
    assert host.rules == ""
