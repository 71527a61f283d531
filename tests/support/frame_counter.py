"""Count of frames that arrive at a station of a plant made of namespaces."""

from __future__ import annotations

import subprocess
import sys

from app.domain.hosts import Side
from support.net_world import World

# Counts arriving frames with each of some words in them, until one has the last word, or else until a line comes.
_COUNT = """
import select, socket, sys
got = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
got.setsockopt(socket.SOL_SOCKET, 33, 1 << 26)  # SO_RCVBUFFORCE
got.bind((sys.argv[1], 0))
last = sys.argv[2].encode()
words = [word.encode() for word in sys.argv[3:]]
counts = [0 for _ in words]
print("ready", flush=True)
while True:
    readable, _, _ = select.select([got] if last else [got, sys.stdin], [], [])
    if got not in readable:
        break
    frame, sender = got.recvfrom(2048)
    if sender[2] != 4:  # PACKET_OUTGOING
        for number, word in enumerate(words):
            counts[number] += word in frame
        if last and last in frame:
            break
print(*counts)
"""


class Counter:
    """A count of the frames with certain words in them that arrive at a LAN's station.

    Args:
        world: Where.
        side: Which LAN.
        words: They.
        last: What ends the count when it arrives; empty where it goes on until it is read.
    """

    def __init__(self, world: World, side: Side, *words: str, last: str = "") -> None:
        plant = f"plant-{side.value}"
        inside = [*world.inside("-n", "-m", "-p"), "ip", "netns", "exec", plant, sys.executable, "-c", _COUNT]
        self._process = subprocess.Popen(
            [*inside, "port", last, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "ready\n"

    def read(self) -> list[int]:
        """Return how many there were of each."""
        out, _ = self._process.communicate("\n", timeout=120)
        return [int(word) for word in out.split()]
