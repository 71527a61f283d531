"""Real packets from one host made of namespaces to another, and those that get past its input rules."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.firewall import PROTOCOL_NUMBERS, Opening
from support.net_hosts import NetHost
from support.net_world import ENVIRONMENT

# Arguments are pairs of protocol number and port. A raw socket gets packets behind the input rules. What arrives is
# printed once, as `number port`, until a line comes from stdin and nothing has arrived for a while.
_RECEIVER = """
import select, socket, sys
sockets = {}
for number, port in zip(*[iter(map(int, sys.argv[1:]))] * 2):
    kind = {6: socket.SOCK_STREAM, 17: socket.SOCK_DGRAM}.get(number, socket.SOCK_RAW)
    one = socket.socket(socket.AF_INET, kind, 0 if port else number)
    if port:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind(("0.0.0.0", port))
    if number == 6:
        one.listen()
    sockets[one] = (number, port)
print("ready", flush=True)
is_over = False
while sockets:
    found = select.select([*sockets, *([] if is_over else [sys.stdin])], [], [], 0.6 if is_over else 120)[0]
    if not found:
        break
    for one in found:
        if one is sys.stdin:
            is_over = True
            continue
        if sockets[one][0] == 6:
            one.accept()
        elif sockets[one][0] == 1 and one.recv(2048)[20] != 8:
            continue
        print(*sockets.pop(one), flush=True)
"""

# Arguments are the destination, and pairs of protocol number and port.
_SENDER = """
import os, socket, struct, sys, time
to = sys.argv[1]
waiting = []
for number, port in zip(*[iter(map(int, sys.argv[2:]))] * 2):
    if number == 6:
        one = socket.socket()
        one.setblocking(False)
        one.connect_ex((to, port))
        waiting.append(one)
        continue
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM if port else socket.SOCK_RAW, 0 if port else number)
    body = b"\\0\\0\\0\\1" + os.urandom(28)
    if number == 1:
        body = struct.pack("!BBHHH", 8, 0, 0, os.getpid() & 0xFFFF, 1)
        body = body[:2] + struct.pack("!H", 0xFFFF - sum(struct.unpack("!4H", body)) % 0xFFFF) + body[4:]
    one.sendto(body, (to, port))
time.sleep(0.3)
"""


@dataclass(frozen=True)
class PacketTrial:
    """A way for packets.

    Attributes:
        sender: The host that sends.
        receiver: The host whose firewall is tried.
        address: The receiver's address.
    """

    sender: NetHost
    receiver: NetHost
    address: str

    def arrived(self, openings: Sequence[Opening]) -> set[Opening]:
        """Send one packet for each opening, and return those that arrived."""
        by_key = {(PROTOCOL_NUMBERS[one.protocol], one.port): one for one in openings}
        words = [str(number) for key in by_key for number in key]
        python = "/usr/bin/python3"
        with subprocess.Popen(
            [*self.receiver.enter(), python, "-c", _RECEIVER, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
        ) as receiver:
            assert receiver.stdout is not None
            assert receiver.stdout.readline() == "ready\n"
            sent = [*self.sender.enter(), python, "-c", _SENDER, self.address, *words]
            subprocess.run(sent, check=True, env=ENVIRONMENT, timeout=120)
            output, _ = receiver.communicate("sent\n", timeout=150)
        assert receiver.returncode == 0
        keys = [tuple(int(number) for number in line.split()) for line in output.splitlines()]
        return {by_key[number, port] for number, port in keys}
