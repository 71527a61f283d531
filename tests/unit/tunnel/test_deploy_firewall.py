"""Steps that open firewalls; replacements for firewalld and iptables keep their rules in files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from app.domain.commands import Command
from app.domain.firewall import Opening, Owner
from app.tunnel.firewall import FIREWALLD_SCRIPT, TABLES_SCRIPT, UFW_SCRIPT, comment_of, opening_steps, rich_rule
from app.tunnel.messages import OPEN_FIREWALL
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

NFT = """#!/bin/sh
[ "$*" = "list table inet firewalld" ] && cat "$(dirname "$0")/../table"
"""

IPTABLES = r"""#!/bin/sh
# Rules are in the file `chain`.
cd "$(dirname "$0")/.." || exit 1
shift 2
how=$1
shift
case $how in
    -S) exit ;;
    -C) grep -qxF -e "$*" chain ;;
    -I) { echo "$*"; cat chain; } > new; mv new chain ;;
    -D) [ ! -e locked ] || exit 4; grep -vxF -e "$*" chain > new; mv new chain ;;
esac
"""


class MadeUpHost:
    """Programs in a folder of their own, run by one shell."""

    def __init__(self, folder: Path, shell: str) -> None:
        self.folder = folder
        self._shell = shell.split()
        (folder / "bin").mkdir()
        for name, text in {"firewall-cmd": FIREWALL_CMD, "iptables": IPTABLES, "nft": NFT}.items():
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
    places = ("inet filter input", "ip more second")
    step, inside = opening_steps(Owner.NFTABLES, {UDP: places, INSIDE: ()}, tag="pair-1", interface="eth1")
    assert step.title == OPEN_FIREWALL(opening="udp 51820 from 192.0.2.1")
    assert inside.title == OPEN_FIREWALL(opening="tcp 5201 from 10.0.0.1 on tml0")
    comment = "tunnelmark pair-1 udp 51820 from 192.0.2.1"
    assert comment_of(UDP, "pair-1") == comment
    words = (comment, "udp", "17", "51820", "192.0.2.1", "eth1", "inet filter input,ip more second")
    assert step.command.argv == ("sh", "-c", TABLES_SCRIPT, "tunnelmark", "open", *words)
    assert step.undo is not None
    assert step.undo.argv[4:] == ("close", *words)
    assert step.health_check is not None
    assert step.health_check.argv[4:] == ("check", *words)
    assert inside.command.argv[-2:] == ("tml0", "")
    assert opening_steps(Owner.NONE, dict.fromkeys((UDP,), ()), tag="pair-1", interface="eth1") == ()


def test_tag_is_checked() -> None:
    for tag in ("", "a b", 'a"b', "a" * 33):
        with pytest.raises(ValueError, match="not a tag"):
            opening_steps(Owner.NFTABLES, dict.fromkeys((UDP,), ()), tag=tag, interface="eth1")


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
    for step in opening_steps(owner, dict.fromkeys((UDP, L2TP, INSIDE), ()), tag="pair-1", interface="eth1"):
        assert step.command.argv[2] in (TABLES_SCRIPT, FIREWALLD_SCRIPT, UFW_SCRIPT)


def test_rich_rule_is_our_own() -> None:
    rule = rich_rule(UDP, "pair-1")
    assert rule.endswith('family="ipv4" source address="192.0.2.1" port port="51820" protocol="udp" accept')
    assert rule != rich_rule(UDP, "pair-2")
    assert 'protocol value="115" accept' in rich_rule(L2TP, "pair-1")


def test_firewalld(host: MadeUpHost) -> None:
    users = 'public\trule family="ipv4" source address="192.0.2.1" port port="51820" protocol="udp" accept\n'
    (host.folder / "rules").write_text(users)
    steps = opening_steps(Owner.FIREWALLD, dict.fromkeys((UDP, L2TP, INSIDE), ()), tag="t", interface="eth1")
    for step in steps:
        assert host.run(step.command)
        assert host.run(step.command)
    zones = [line.split("\t")[0] for line in host.rules.splitlines()]
    assert zones == ["public", "external", "external", "public"]
    for step in (*steps, *steps):
        assert host.run(step.undo)
    assert host.rules == users
    (host.folder / "off").touch()
    # Nothing has to be opened then.
    assert host.run(steps[0].command)
    assert host.run(steps[0].undo)
    assert host.rules == users


def test_openings_that_firewalld_dropped_at_a_reload_are_missed(host: MadeUpHost) -> None:
    (host.folder / "rules").write_text("")
    openings = dict.fromkeys((UDP, ESP, L2TP, INSIDE), ())
    steps = opening_steps(Owner.FIREWALLD, openings, tag="t", interface="eth1")
    # As nft 1.0.6 prints the table of firewalld 1.3.3.
    table = (
        "\t\tip saddr 192.0.2.1 udp dport 51820 accept\n\t\tip saddr 192.0.2.1 meta l4proto esp accept\n"
        "\t\tip saddr 192.0.2.1 meta l4proto 115 accept\n\t\tip saddr 10.0.0.1 tcp dport 5201 accept\n"
    )
    (host.folder / "table").write_text(table)
    assert [host.run(step.health_check) for step in steps] == [True] * 4
    # Reloaded: what is left is another peer's, and another port's.
    (host.folder / "table").write_text(table.replace("192.0.2.1 ", "192.0.2.10 ").replace("5201", "52011"))
    assert [host.run(step.health_check) for step in steps] == [False] * 4
    for step in steps:
        assert host.run(step.command)
    # A version that writes its rules otherwise: firewalld itself is asked.
    assert [host.run(step.health_check) for step in steps] == [True] * 4
    (host.folder / "rules").write_text("")
    (host.folder / "table").unlink()
    assert [host.run(step.health_check) for step in steps] == [True] * 4, "without its table nothing is known"


@pytest.mark.parametrize("users", ["", "ufw-before-input -s 192.0.2.1/32 -p 50 -j ACCEPT\n"])
def test_ufw(host: MadeUpHost, users: str) -> None:
    (host.folder / "chain").write_text(users)
    steps = opening_steps(Owner.UFW, dict.fromkeys((UDP, ESP, L2TP, INSIDE), ()), tag="t", interface="eth1")
    for step in steps:
        assert not host.run(step.health_check)
        assert host.run(step.command)
        assert host.run(step.command)
        assert host.run(step.health_check)
    inside = "-i tml0 -m tcp --dport 5201"
    rules = (
        f"-s 10.0.0.1/32 -p 6 {inside} -m comment --comment tunnelmark t tcp 5201 from 10.0.0.1 on tml0",
        "-s 192.0.2.1/32 -p 115 -i eth1 -m comment --comment tunnelmark t l2tp from 192.0.2.1",
        "-s 192.0.2.1/32 -p 50 -i eth1 -m comment --comment tunnelmark t esp from 192.0.2.1",
        "-s 192.0.2.1/32 -p 17 -i eth1 -m udp --dport 51820 -m comment --comment tunnelmark t udp 51820 from 192.0.2.1",
    )
    assert host.chain == "".join(f"ufw-before-input {rule} -j ACCEPT\n" for rule in rules) + users
    for step in (*steps, *steps):
        assert host.run(step.undo)
    assert host.chain == users


def test_rules_that_are_not_known_to_be_gone_count_as_there(host: MadeUpHost) -> None:
    (step,) = opening_steps(Owner.UFW, {UDP: ()}, tag="t", interface="eth1")
    assert host.run(step.command)
    (host.folder / "locked").touch()
    assert not host.run(step.undo)
    assert host.chain
    (host.folder / "locked").unlink()
    assert host.run(step.undo)
    assert host.chain == ""
