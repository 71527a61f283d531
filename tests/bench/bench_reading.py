"""Cost of reading what ping prints while it runs: by output, script, socket, cipher of SSH, and CPU sampling.

Each way runs the same pings on A, with OpenSSH's client on connections that are there already; ways alternate, in an
order that is turned round by round. The base keeps the output in a file that is fetched at the end, which is what
Tunnelmark's probes do. Printed is each way's median RTT and the time of its pings over those of the base of the same
round, with 95 % intervals.

Needs a running practice lab: `PYTHONPATH=. python tests/bench/bench_reading.py NAME`.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from app.domain.hosts import Side
from app.domain.link import FRAME_TO_PAYLOAD_BYTES
from app.lab import Lab
from app.probes import LatencyRequest
from app.probes.latency import ping_argv
from support.by_hand import A, B, ByHand
from support.paired import paired
from support.running_lab import lab_option, running_lab

SIZES = (60, 1514)
"""Frame sizes in bytes."""
CIPHERS = {"AES-128-GCM": "aes128-gcm@openssh.com", "ChaCha20": "chacha20-poly1305@openssh.com"}
BASE = "in a file, fetched at the end"
_TIME = re.compile(r" time=([0-9.]+) ms")
_READ = "while read -r line; do printf '%s\\n' \"$line\"; done"
"""Script that reads line by line."""
_SAMPLE = "while head -n 1 /proc/stat; do sleep 0.5; done"
_RECEIVER = """
import socket, sys
server = socket.create_server(("127.0.0.1", 2999))
print("ready", flush=True)
end, _ = server.accept()
with open("/run/bench-reading", "wb") as file:
    while data := end.recv(65536):
        file.write(data)
"""


@dataclass(frozen=True)
class Measured:
    """One way, once: the median RTT in ms, and seconds that its pings took as they count themselves."""

    median_ms: float
    ping_s: float


class Connection(ByHand):
    """OpenSSH's client with one cipher."""

    def __init__(self, lab: Lab, folder: Path, cipher: str) -> None:
        super().__init__(lab, folder)
        self._cipher = cipher

    def ssh(self, side: Side, *words: str) -> list[str]:
        argv = super().ssh(side, *words)
        return [argv[0], "-c", self._cipher, *argv[1:]]


def ways(connections: Mapping[str, Connection], pings: int) -> dict[str, Callable[[], Measured]]:
    """Return each way by its name; the first one is the base."""
    head = " ".join(ping_argv(LatencyRequest(B, A, SIZES, pings)))
    ping = "; ".join(f"{head} -c {pings} -s {size - FRAME_TO_PAYLOAD_BYTES} {B}" for size in SIZES)
    fetch = "cat /run/bench-reading; rm /run/bench-reading"
    first, *_ = connections.values()

    def once(script: str, connection: Connection = first) -> Measured:
        return read(connection.run(Side.A, script))

    def beside_sampling() -> Measured:
        with sampling(first):
            return once(f"({ping})")

    def by_socket() -> Measured:
        with receiver(first):
            first.run(Side.A, f"bash -c '({ping}) >/dev/tcp/127.0.0.1/2999'")
        return once(fetch)

    found: dict[str, Callable[[], Measured]] = {
        BASE: lambda: once(f"({ping}) >/run/bench-reading; {fetch}"),
        "the same once more": lambda: once(f"({ping}) >/run/bench-reading; {fetch}"),
        "through a script, in a file": lambda: once(f"({ping}) | {_READ} >/run/bench-reading; {fetch}"),
        "line by line through a socket of the host": by_socket,
    }
    for name, one in connections.items():
        found[f"line by line over SSH, {name}"] = lambda one=one: once(f"({ping})", one)  # type: ignore[misc]
    found["line by line over SSH, through a script"] = lambda: once(f"({ping}) | {_READ}")
    found["line by line over SSH, CPU read every 0.5 s"] = beside_sampling
    return found


def read(output: str) -> Measured:
    """Return what pings printed: one run per size."""
    medians = [statistics.median(map(float, _TIME.findall(block))) for block in output.split("PING ")[1:]]
    took_s = sum(float(one) / 1e3 for one in re.findall(r"time ([0-9]+)ms", output))
    return Measured(statistics.geometric_mean(medians), took_s)


@contextmanager
def sampling(connection: Connection) -> Iterator[None]:
    """CPU counters of A come over a channel of their own."""
    words = connection.ssh(Side.A, _SAMPLE)
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as running:
        time.sleep(1.0)
        try:
            yield
        finally:
            running.terminate()


@contextmanager
def receiver(connection: Connection) -> Iterator[None]:
    """A program on A that takes lines from a socket there."""
    words = connection.ssh(Side.A, f"python3 -c '{_RECEIVER}'")
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        running.stdout.readline()
        try:
            yield
        finally:
            running.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    lab_option(parser)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--pings", type=int, default=500)
    options = parser.parse_args()
    lab = running_lab(parser, options.lab)
    with ExitStack() as stack:
        connections = {}
        for name, cipher in CIPHERS.items():
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            connections[name] = one = Connection(lab, folder, cipher)
            stack.callback(one.close)
            one.run(Side.A, "true")
        todo = ways(connections, options.pings)
        found: dict[str, list[Measured]] = {name: [] for name in todo}
        for number in range(options.rounds):
            names = list(todo)
            names = names[number % len(names) :] + names[: number % len(names)]
            for name in names:
                found[name].append(todo[name]())
    print(f"{options.rounds} rounds, {options.pings} requests of {' and '.join(map(str, SIZES))} bytes each")
    print(f"{BASE}: {statistics.median(one.median_ms for one in found[BASE]):.3f} ms")
    for name, each in found.items():
        if name != BASE:
            median = paired([one.median_ms for one in each], [one.median_ms for one in found[BASE]]).percent
            took = paired([one.ping_s for one in each], [one.ping_s for one in found[BASE]]).percent
            texts = (
                f"{text} {one[0]:+.1f} % ({one[1]:+.1f} to {one[2]:+.1f})"
                for text, one in (("median RTT", median), ("time of pings", took))
            )
            print(f"{name:45} {'  '.join(texts)}")


if __name__ == "__main__":
    main()
