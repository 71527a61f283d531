"""One side of a telephone call: datagrams at a fixed pace to the peer, and those of the peer.

Arguments: own address, peer's address, UDP port, number of datagrams, seconds between two, bytes of each, seconds to
wait for the last ones. Prints `SEQUENCE SENT_NS RECEIVED_NS` for each that came, by the clocks of sender and receiver.
"""

import socket
import struct
import sys
import threading
import time

HEAD = struct.Struct("!IQ")


def send(line: socket.socket, peer: tuple[str, int], count: int, interval_s: float, size: int) -> None:
    """Send datagrams at their times."""
    begin = time.monotonic() + 1.0
    for number in range(count):
        time.sleep(max(0.0, begin + number * interval_s - time.monotonic()))
        head = HEAD.pack(number, time.time_ns())
        try:
            line.sendto(head + bytes(size - len(head)), peer)
        except OSError:
            continue  # a route that is gone for a moment: that datagram is lost


def receive(line: socket.socket, peer: str, count: int, until: float) -> list[tuple[int, int, int]]:
    """Return what the peer sent: number, time of sending, time of arrival."""
    found: list[tuple[int, int, int]] = []
    while len(found) < count and time.monotonic() < until:
        line.settimeout(max(0.01, until - time.monotonic()))
        try:
            text, source = line.recvfrom(2048)
        except OSError:
            continue
        if source[0] == peer and len(text) >= HEAD.size:
            number, sent = HEAD.unpack_from(text)
            found.append((number, sent, time.time_ns()))
    return found


def main(words: list[str]) -> None:
    """Send and receive at the same time, then print what came."""
    own, peer, port, count = words[0], words[1], int(words[2]), int(words[3])
    interval_s, size, wait_s = float(words[4]), int(words[5]), float(words[6])
    line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    line.bind((own, port))
    sender = threading.Thread(target=send, args=(line, (peer, port), count, interval_s, size))
    sender.start()
    found = receive(line, peer, count, time.monotonic() + 1.0 + count * interval_s + wait_s)
    sender.join()
    for one in found:
        sys.stdout.write("{} {} {}\n".format(*one))


main(sys.argv[1:])
