"""One side of a telephone call: datagrams at a fixed pace to the peer, and those of the peer.

The peer may start seconds later. So a side sends hellos until it has heard the peer, and for a pause after that: what
it sends from then on is expected. A hello is a datagram whose number is that of no datagram of the call.

Arguments: own address, peer's address, UDP port, number of datagrams, seconds between two, bytes of each, seconds to
wait for the last ones, seconds to wait for the peer. Prints `SEQUENCE SENT_NS RECEIVED_NS` for each datagram of the
call that came, by the monotonic clocks of sender and receiver: a time that is set anew meanwhile does not move them.
Exit status 3: the peer was not heard.
"""

import socket
import struct
import sys
import threading
import time

HEAD = struct.Struct("!IQ")
HELLO_S, PAUSE_S = 0.05, 1.0
NOT_HEARD = 3


def greet(line: socket.socket, peer: tuple[str, int], number: int, heard: threading.Event, until: float) -> bool:
    """Send hellos until the peer was heard, and for a pause after that; return whether it was."""
    begin = None
    while begin is None or time.monotonic() < begin:
        if begin is None and heard.is_set():
            begin = time.monotonic() + PAUSE_S
        if begin is None and time.monotonic() > until:
            return False
        try:
            line.sendto(HEAD.pack(number, time.monotonic_ns()), peer)
        except OSError:
            pass  # the next one may have a route
        time.sleep(HELLO_S)
    return True


def send(line: socket.socket, peer: tuple[str, int], count: int, interval_s: float, size: int) -> None:
    """Send datagrams at their times."""
    begin = time.monotonic()
    for number in range(count):
        time.sleep(max(0.0, begin + number * interval_s - time.monotonic()))
        head = HEAD.pack(number, time.monotonic_ns())
        try:
            line.sendto(head + bytes(size - len(head)), peer)
        except OSError:
            continue  # a route that is gone for a moment: that datagram is lost


def receive(
    line: socket.socket, peer: str, count: int, heard: threading.Event, until: float, call_s: float
) -> list[tuple[int, int, int]]:
    """Return what the peer sent: number, time of sending, time of arrival.

    Datagrams of the call are awaited for call_s and the pause, from the first one of the peer on; that may be a hello.
    """
    found: list[tuple[int, int, int]] = []
    while len(found) < count and time.monotonic() < until:
        line.settimeout(max(0.01, until - time.monotonic()))
        try:
            text, source = line.recvfrom(2048)
        except OSError:
            continue
        if source[0] != peer or len(text) < HEAD.size:
            continue
        number, sent = HEAD.unpack_from(text)
        if number < count:
            found.append((number, sent, time.monotonic_ns()))
        if not heard.is_set():
            heard.set()
            until = time.monotonic() + PAUSE_S + call_s
    return found


def main(words: list[str]) -> int:
    """Send and receive at the same time, then print what came."""
    own, peer, port, count = words[0], words[1], int(words[2]), int(words[3])
    interval_s, size, wait_s, peer_s = float(words[4]), int(words[5]), float(words[6]), float(words[7])
    line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    line.bind((own, port))
    heard, until = threading.Event(), time.monotonic() + peer_s

    def call() -> None:
        # A moment longer than the peer is awaited: one that is heard at the last moment is answered.
        if greet(line, (peer, port), count, heard, until + PAUSE_S):
            send(line, (peer, port), count, interval_s, size)

    sender = threading.Thread(target=call)
    sender.start()
    found = receive(line, peer, count, heard, until, count * interval_s + wait_s)
    sender.join()
    if not heard.is_set():
        sys.stderr.write(f"nothing came from {peer} within {peer_s:g} s\n")
        return NOT_HEARD
    for one in found:
        sys.stdout.write("{} {} {}\n".format(*one))
    return 0


sys.exit(main(sys.argv[1:]))
