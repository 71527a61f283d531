"""A TCP connection from one made-up LAN to another, client and server in one process."""

from __future__ import annotations

import sys

from support.net_world import World

_SCRIPT = """
import ctypes, socket, sys, threading
address, client_net, size = sys.argv[1], sys.argv[2], int(sys.argv[3])
family = socket.AF_INET6 if ":" in address else socket.AF_INET
libc, net = ctypes.CDLL(None), 0x40000000
with socket.create_server((address, 0), family=family) as server:
    with open("/proc/self/ns/net") as here, open(f"/run/netns/{client_net}") as there:
        assert not libc.setns(there.fileno(), net)
        client = socket.socket(family)
        assert not libc.setns(here.fileno(), net)
    client.settimeout(120)
    client.connect(server.getsockname()[:2])
    accepted, _ = server.accept()
    print(*(one.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG) for one in (client, accepted)))
    for sender, receiver in ((client, accepted), (accepted, client)):
        thread = threading.Thread(target=sender.sendall, args=(bytes(size),))
        thread.start()
        left = size
        while left:
            got = len(receiver.recv(65536))
            assert got
            left -= got
        thread.join()
"""


def segments(world: World, server: str, client: str, address: str, *, size: int = 0) -> list[int]:
    """Connect two LANs, transfer bytes in both directions, and return the largest segment of each of them in bytes.

    Args:
        world: Where the LANs are.
        server: The network namespace that has the address.
        client: The one that connects.
        address: IPv4 or IPv6.
        size: Bytes for each direction.
    """
    words = ("ip", "netns", "exec", server, sys.executable, "-c", _SCRIPT, address, client, str(size))
    return [int(word) for word in world.run('"$@"', *words).split()]
