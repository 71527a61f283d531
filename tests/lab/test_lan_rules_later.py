"""Rules that a firewall gets after a deployment, or lists otherwise, are noted by the supervisor."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.lan_rules_world import (
    BRIDGE,
    INNER,
    JOIN,
    PORT,
    TUNNEL,
    Lan,
    lan_of,
    load_iptables,
    remove_hosts,
    rules_world,
)
from support.net_world import World


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with rules_world() as made:
        yield made


@pytest.fixture
def lan(world: World) -> Iterator[Lan]:
    yield lan_of(world, "sh")
    remove_hosts(world)


@pytest.fixture
def watched(world: World) -> Iterator[Lan]:
    """The host as its supervisor has it, with a folder for notes."""
    world.run("rm -rf /run/notes; mkdir /run/notes")
    yield lan_of(world, "env", "TUNNELMARK_NOTES=/run/notes", "sh")
    remove_hosts(world)


def note_of(lan: Lan) -> str:
    return lan.sh("cat /run/notes/rules 2> /dev/null || :").strip()


BASE = "type filter hook input priority 0; policy accept;"


@pytest.mark.parametrize("kind", ["nft", "iptables-legacy"])
def test_rules_that_are_listed_otherwise_keep_their_copies_and_are_noted(watched: Lan, kind: str) -> None:
    lan = watched
    if kind == "nft":
        lan.load(f'table ip f {{ chain i {{ {BASE}\niifname "{PORT}" tcp dport {{ 8080, 8081 }} drop\n}}\n}}\n')
    else:
        load_iptables(lan, kind, f"-A INPUT -i {PORT} -p tcp -m tcp --dport 8080 -j DROP")
    step = lan.step(lan.read())
    assert lan.execute(step.command.argv).stdout == "did: 1 added\n"
    assert lan.execute(step.command.argv).stdout == "did:\n"
    assert lan.does(step.health_check)
    assert note_of(lan) == ""
    assert lan.does(JOIN.command)
    if kind == "nft":
        handle = next(line for line in lan.sh("nft -a list chain ip f i").splitlines() if f'"{PORT}"' in line)
        lan.sh(f'nft replace rule ip f i handle {handle.split()[-1]} iifname "{PORT}" counter drop')
    else:
        lan.sh(f"iptables-legacy -R INPUT 1 -i {PORT} -p tcp -j DROP")
    assert lan.does(step.health_check)
    assert lan.closed(8080) == ({8080}, {8080})
    assert note_of(lan) == (
        "rules for eth2 changed: 1 not applied to tmlbr0; "
        "1 still applied to tmlbr0 whose rule for eth2 changed or is gone; deploy again"
    )
    # A reload without the copy.
    if kind == "nft":
        lan.load(f'flush ruleset\ntable ip f {{ chain i {{ {BASE}\niifname "{PORT}" counter drop\n}}\n}}\n')
    else:
        lan.sh(f"iptables-legacy -F; iptables-legacy -A INPUT -i {PORT} -p tcp -j DROP")
    lan.world.run("echo before > /run/notes/rules")
    asking = Lan(lan.world, (lan.words[0], "TUNNELMARK_ASKS=yes", *lan.words[1:]))
    assert asking.does(step.health_check)
    assert note_of(lan) == "before"
    assert lan.does(step.health_check)
    assert note_of(lan) == "rules for eth2 changed: 1 not applied to tmlbr0; deploy again"
    lan.sh("nft flush ruleset; iptables-legacy -F")
    assert lan.does(step.health_check)
    assert note_of(lan) == ""


@pytest.mark.parametrize("has_rules", [False, True], ids=["no rules before", "rules before"])
@pytest.mark.parametrize("kind", ["nft", "iptables-nft", "iptables-legacy"])
def test_rules_that_are_made_after_a_deployment_are_noted(watched: Lan, kind: str, has_rules: bool) -> None:
    lan = watched
    program = "iptables-legacy" if kind == "nft" else kind
    if has_rules:
        load_iptables(
            lan, program, f"-A INPUT -i {PORT} -p tcp -m tcp --dport 8080 -j DROP\n-A INPUT ! -i {PORT} -j LOG"
        )
        lan.load(f'table ip f {{ chain i {{ {BASE}\niifname {{ "lo", "{PORT}" }} tcp dport 8080-8082 drop\n}}\n}}\n')
    else:
        lan.load(f"table ip f {{ chain i {{ {BASE}\n}}\n}}\n")
        lan.sh(f"{program} -S > /dev/null")
    rules = lan.read()
    assert len(rules.moved) == (2 if has_rules else 0)
    step = lan.step(rules)
    before = lan.listing
    assert lan.does(step.command)
    assert has_rules or lan.listing == before
    assert lan.does(JOIN.command)

    def note_after(change: str) -> str:
        lan.sh(f"{change}; rm -f /run/notes/rules-seen")
        assert lan.does(step.health_check)
        return note_of(lan)

    # A port whose name begins alike, another one, and a rule that says what it is for.
    assert note_after(f"{program} -A INPUT -i eth20 -j DROP; nft add rule ip f i iifname eth3 drop") == ""
    if kind == "nft":
        added = note_after(f"nft add rule ip f i iifname {PORT} tcp dport 9090 drop")
    else:
        added = note_after(f"{kind} -A INPUT -i {PORT} -p tcp --dport 9090 -j DROP")
    assert added == "rules for eth2 changed: 1 not applied to tmlbr0; deploy again"
    assert lan.closed(9090) == (set(), set()), "as it says"
    assert note_after(f"nft insert rule ip f i iif {PORT} tcp dport 9091 drop") == added.replace("1 not", "2 not")
    # Listing is slow: without rules to be added it is done every 20 s.
    lan.sh("nft flush chain ip f i")
    if not has_rules:
        lan.sh("cut -d . -f 1 /proc/uptime > /run/notes/rules-seen")  # however long this took
        assert lan.does(step.health_check)
        assert note_of(lan).startswith("rules for eth2 changed: 2 not")
    flushed = f"{program} -D INPUT -i eth20 -j DROP; {program} -D INPUT -i {PORT} -p tcp --dport 9090 -j DROP || :"
    assert note_after(flushed) == ""
    assert lan.does(step.undo)
    assert BRIDGE not in lan.listing


def test_addresses_that_a_joined_port_gets_later_are_noted(watched: Lan) -> None:
    lan = watched
    step = lan.step(lan.read())
    assert lan.does(step.command)
    assert lan.does(JOIN.command)
    assert lan.does(step.health_check)
    assert note_of(lan) == ""
    # What configures the port comes after the tunnel: no cable when the host started, or a client that renews.
    lan.sh(f"ip addr add 10.79.0.1/24 dev {PORT}; ip addr add 10.79.1.1/24 dev {PORT}; rm -f /run/notes/rules-seen")
    assert lan.does(step.health_check)
    assert note_of(lan) == "addresses of eth2 are not on tmlbr0: 10.79.0.1/24 10.79.1.1/24; deploy again"
    # Deploying anew moves them: so does undoing what joined the port, and joining it again.
    assert lan.does(JOIN.undo)
    lan.sh(f"ip addr add {INNER} dev {TUNNEL}; rm -f /run/notes/rules-seen")
    assert lan.does(JOIN.command)
    assert lan.does(step.health_check)
    assert note_of(lan) == ""
    assert "10.79.1.1/24" in lan.sh(f"ip -o -4 addr show dev {BRIDGE}")


def test_copy_that_cannot_be_added_fails_a_deployment_and_not_the_supervisor(watched: Lan) -> None:
    lan = watched
    full = f'table ip f {{ set s {{ type ifname; size 1; elements = {{ "{PORT}" }}\n}}\n}}\n'
    lan.load(full)
    load_iptables(lan, "iptables-legacy", f"-A INPUT -i {PORT} -p tcp -m tcp --dport 8080 -j DROP")
    step = lan.step(lan.read())
    assert not Lan(lan.world, ("sh",)).does(step.command)
    assert Lan(lan.world, ("sh",)).does(step.undo)
    assert not lan.does(step.health_check)
    done = lan.execute(step.command.argv)
    assert (done.returncode, done.stdout) == (0, "did: 1 added\n")
    assert lan.does(step.health_check)
    assert note_of(lan) == "rules for eth2 could not be added for tmlbr0; deploy again"
    # What failed is tried again after a minute, and when the rules change.
    lan.world.run("sed -i '1s/.*/-60/' /run/notes/rules-left")
    assert not lan.does(step.health_check)
    assert lan.execute(step.command.argv).stdout == "did:\n"
    assert lan.does(step.health_check)
    lan.load(f"flush ruleset\n{full.replace('size 1', 'size 2')}")
    lan.world.run("sed -i '1s/.*/-60/' /run/notes/rules-left")
    assert not lan.does(step.health_check)
    assert lan.execute(step.command.argv).stdout == "did: 1 added\n"
    assert lan.does(step.health_check)
    assert note_of(lan) == ""
    assert lan.does(step.undo)


@pytest.mark.parametrize("program", ["iptables-nft", "iptables-legacy"])
def test_rules_of_the_clock_are_moved_as_they_are_where_every_time_zone_lists_them_alike(
    lan: Lan, program: str
) -> None:
    always = "-m time --timestart 00:00:00 --timestop 23:59:59"
    never = "-m time --datestart 2037-01-01T00:00:00 --datestop 2037-01-02T00:00:00"
    rules = [f"-A INPUT -i {PORT} -p tcp --dport {port} {when} -j DROP" for port, when in ((81, always), (82, never))]
    load_iptables(lan, program, "\n".join(rules))
    zones = ("UTC", "Asia/Tokyo", "America/New_York")
    lists = {lan.sh(f"TZ={zone} {program}-save | grep -e -A") for zone in zones}
    assert len(lists) == 1, lists
    before = lan.listing
    assert lan.closed(81, 82)[0] == {81}
    step = lan.step(lan.read())
    assert lan.does(step.command)
    there = Lan(lan.world, ("env", "TZ=Asia/Tokyo", *lan.words))
    assert there.does(step.health_check)
    assert lan.does(JOIN.command)
    assert lan.closed(81, 82) == ({81}, {81})
    assert lan.does(JOIN.undo)
    assert there.does(step.undo)
    assert lan.listing == before
