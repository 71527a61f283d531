# ruff: noqa: E501 - what programs print is kept as it came
from __future__ import annotations

from app.host.inspection import Reach, parse_inspection, parse_lock
from app.host.messages import PART_CHANGED, PART_IS_GONE, PART_IS_NEW
from app.host.snapshots import HostSnapshot, SnapshotDepth, compare_snapshots, parse_snapshot
from support.message_checks import has_message

STATE = "/run/tunnelmark"
NETWORK = r"""
1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN mode DEFAULT group default qlen 1000\    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
3: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq_codel state UP mode DEFAULT group default qlen 1000\    link/ether 52:54:00:00:00:01 brd ff:ff:ff:ff:ff:ff
7: veth1@if6: <BROADCAST,MULTICAST> mtu 1500 qdisc noop state DOWN mode DEFAULT group default qlen 1000\    link/ether 52:54:00:00:00:09 brd ff:ff:ff:ff:ff:ff link-netnsid 0
1: lo    inet 127.0.0.1/8 scope host lo\       valid_lft forever preferred_lft forever
3: eth1    inet 192.0.2.1/24 brd 192.0.2.255 scope global dynamic eth1\       valid_lft 3021sec preferred_lft 3021sec
3: eth1    inet6 fe80::1/64 scope link tentative \       valid_lft forever preferred_lft forever
192.0.2.0/24 dev eth1 proto kernel scope link src 192.0.2.1
default via 10.0.2.2 dev eth0 proto dhcp src 10.0.2.15 metric 1024 expires 300sec
unreachable 198.18.1.2 metric 4000
broadcast 192.0.2.255 dev eth1 table local proto kernel scope link src 192.0.2.1
0:	from all lookup local
32766:	from all lookup main
"""
SOCKETS = """
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 3456 1 0000000000000000 100
   1: 0102000A:0016 0202000A:C350 01 00000000:00000000 00:00000000 00000000     0        0 3457 1 0000000000000000 100
  sl  local_address                         remote_address                        st tx_queue rx_queue tr
   0: 00000000000000000000000000000000:0016 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
  100: 010200C0:52CA 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 1 2 0000000000000000 0
  101: 010200C0:1234 020200C0:0035 01 00000000:00000000 00:00000000 00000000     0        0 1 2 0000000000000000 0
  sl  local_address                         remote_address                        st tx_queue rx_queue tr
00000000000000000000000000000001 80 00000000000000000000000000000000 00 00000000000000000000000000000000 00000000 00000003 00000000 80200001       lo
fe800000000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000001 00000000 00000001     eth1
"""
L2TP = """
Tunnel 7301, encap IP
  From 192.0.2.1 to 192.0.2.2
  Peer tunnel 7301
Session 7301 in tunnel 7301
  Peer session 7301, tunnel 7301
"""
PROCESSES = (
    "==> /proc/1/cmdline <==\n/sbin/init \n==> /proc/2/cmdline <==\n\n==> /proc/200/cmdline <==\nsshd-session: root@notty\n"
    "==> /proc/201/cmdline <==\nsh -s -- /run/tunnelmark 0123 thorough \n"
    "==> /proc/202/cmdline <==\nsh /run/tunnelmark/watch.sh 0123456789abcdef \n"
    "==> /proc/203/cmdline <==\nopenvpn --config /run/tunnelmark/tunnel/openvpn.conf \n"
    "==> /proc/204/cmdline <==\nsh -c exec tunnelmark-00112233445566778899aabbccddeeff \n"
    "==> /proc/205/cmdline <=="
)


def snapshot(depth: SnapshotDepth = SnapshotDepth.QUICK, **sections: str) -> HostSnapshot:
    return parse_snapshot(sections, state_dir=STATE, depth=depth)


def test_interfaces_addresses_routes_and_rules_are_distinguished() -> None:
    found = snapshot(network=NETWORK, sockets=SOCKETS)
    assert list(found.part("interface")) == ["lo", "eth1", "veth1"]
    assert "mtu 1500" in found.part("interface")["eth1"]
    assert list(found.part("address")) == [
        "lo inet 127.0.0.1/8 scope host lo",
        "eth1 inet 192.0.2.1/24 brd 192.0.2.255 scope global dynamic eth1",
        "eth1 inet6 fe80::1/64 scope link",
    ]
    assert "default via 10.0.2.2 dev eth0 proto dhcp src 10.0.2.15 metric 1024" in found.part("route")
    assert "unreachable 198.18.1.2 metric 4000" in found.part("route")
    assert "fe80::/64 via 00000000000000000000000000000000 metric 256 dev eth1" in found.part("route")
    assert list(found.part("rule")) == ["0: from all lookup local", "32766: from all lookup main"]


def test_listening_sockets_are_read() -> None:
    assert list(snapshot(sockets=SOCKETS).part("socket")) == [
        "tcp 0.0.0.0 port 22",
        "tcp6 :: port 22",
        "udp 192.0.2.1 port 21194",
    ]


def test_l2tp_entries_are_joined() -> None:
    assert list(snapshot(l2tp=L2TP).part("L2TP tunnel or session")) == [
        "Tunnel 7301, encap IP From 192.0.2.1 to 192.0.2.2 Peer tunnel 7301",
        "Session 7301 in tunnel 7301 Peer session 7301, tunnel 7301",
    ]


def test_cookies_of_l2tp_sessions_are_left_out() -> None:
    text = (
        f"{L2TP}  interface name: tmk0\n  offset 0,   peer offset 0\n  cookie 0123456789abcdef  peer cookie 00c0ffee\n"
    )
    found = list(snapshot(l2tp=text).part("L2TP tunnel or session"))
    assert found[1].endswith("interface name: tmk0 offset 0,   peer offset 0")


def test_processes_of_ssh_and_of_ours_are_left_out_but_not_daemons() -> None:
    found = snapshot(SnapshotDepth.THOROUGH, processes=PROCESSES)
    assert list(found.part("process")) == ["/sbin/init", "openvpn --config /run/tunnelmark/tunnel/openvpn.conf"]


def test_equal_hosts_have_no_differences() -> None:
    later = NETWORK.replace("3021sec", "2999sec").replace("expires 300sec", "expires 12sec").replace(" tentative", "")
    assert compare_snapshots(snapshot(network=NETWORK), snapshot(network=later)) == ()


def test_differences_are_reported_as_sentences() -> None:
    later = NETWORK.replace("mtu 1500 qdisc fq_codel", "mtu 1400 qdisc fq_codel").replace(
        "unreachable 198.18.1.2 metric 4000\n", ""
    )
    later += "9: tmk0: <UP> mtu 1500 state UP\n"
    sentences = compare_snapshots(snapshot(network=NETWORK), snapshot(network=later))
    assert PART_IS_NEW(kind="interface", name="tmk0") in sentences
    assert PART_IS_GONE(kind="route", name="unreachable 198.18.1.2 metric 4000") in sentences
    assert any(
        has_message(PART_CHANGED, kind="interface", name="eth1")(text) and "mtu 1400" in text for text in sentences
    )
    assert len(sentences) == 3


def test_what_a_host_prints_cannot_break_a_sentence() -> None:
    before, after = snapshot(network=""), snapshot(network="x\x1b[2J\u202eevil")
    (sentence,) = compare_snapshots(before, after)
    assert sentence.isprintable()


def test_firewall_rules_are_compared_without_their_counters_and_with_their_order() -> None:
    one = "counter packets 1 bytes 60 drop\n:INPUT ACCEPT [5:300]\n-A INPUT -j DROP"
    two = "counter packets 9 bytes 99 drop\n:INPUT ACCEPT [7:400]\n-A INPUT -j DROP"
    assert compare_snapshots(snapshot(firewall=one), snapshot(firewall=two)) == ()
    swapped = ":INPUT ACCEPT [7:400]\n-A INPUT -j DROP\ncounter packets 9 bytes 99 drop"
    assert compare_snapshots(snapshot(firewall=one), snapshot(firewall=swapped))


def test_changed_files_are_found_by_mode_owner_time_and_content() -> None:
    files = "-rw-r--r-- 0:0 10 1763.1 /etc/a b -> \nlrwxrwxrwx 0:0 3 1763.1 /etc/link -> a b"
    sums = f"{'0' * 64}  /etc/a b"
    before = snapshot(SnapshotDepth.THOROUGH, files=files, sums=sums)
    assert before.part("file") == {
        "/etc/a b": "-rw-r--r-- 0:0 10 1763.1",
        "/etc/link": "lrwxrwxrwx 0:0 3 1763.1 -> a b",
    }
    mode = snapshot(SnapshotDepth.THOROUGH, files=files.replace("-rw-r--r--", "-rw-------"), sums=sums)
    content = snapshot(SnapshotDepth.THOROUGH, files=files, sums=sums.replace("00", "11"))
    assert len(compare_snapshots(before, mode)) == 1
    assert len(compare_snapshots(before, content)) == 1


def test_lock_of_another_user_at_work() -> None:
    lock = parse_lock(
        "there\nid 0123\nsince 100\nlease 190       \nwatched yes\nowner ann on pc, process 7\nowner k:7:1\nnow 130"
    )
    assert lock is not None
    assert (lock.tunnel, lock.owner, lock.owner_key) == ("0123", "ann on pc, process 7", "k:7:1")
    assert (lock.age_s, lock.left_s) == (30, 60)
    assert lock.is_watched
    assert lock.is_complete
    assert not lock.has_undo_begun


def test_lock_that_was_never_finished() -> None:
    lock = parse_lock("there\nid \nnow 130")
    assert lock is not None
    assert not lock.is_complete


def test_no_lock() -> None:
    assert parse_lock("\n") is None


def test_inspection_of_a_host_that_prints_nonsense_does_not_break() -> None:
    sections = dict.fromkeys(
        ("lock", "network", "sockets", "l2tp", "reach", "present", "firewall"), "\x00:: <>\n sl x\n7:"
    )
    found = parse_inspection(sections, state_dir=STATE, depth=SnapshotDepth.THOROUGH)
    assert found.reach is Reach.NOT_ASKED
    assert found.lock is not None
