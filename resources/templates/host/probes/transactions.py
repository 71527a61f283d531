"""Files of one size over one TCP connection, each answered by its receiver before the next one is sent.

Arguments of the receiver: receive, own address, TCP port, bytes of a file, seconds until it ends.
Arguments of the sender: send, own address, TCP port, bytes of a file, receiver's address, seconds, seconds after which
an answer is late. It prints the seconds of each file, from its first byte to its answer.
"""

import os
import socket
import sys
import threading
import time

ANSWER = b"."


def receive(own: str, port: int, size: int, limit_s: float) -> None:
    """Take one connection after the other, and answer each file."""
    threading.Timer(limit_s, lambda: os._exit(0)).start()
    room = bytearray(262144)
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind((own, port))
        server.listen(1)
        threading.Thread(target=show_life, daemon=True).start()
        while True:
            peer, _ = server.accept()
            with peer:
                peer.settimeout(limit_s)
                left, count = size, 1
                while count:
                    count = peer.recv_into(room, min(left, len(room)))
                    left -= count
                    if not left:
                        peer.sendall(ANSWER)
                        left = size


def show_life() -> None:
    """Write lines until they are read no more, and end then: a closed channel alone ends no process."""
    try:
        sys.stdout.write("listening\n")
        while True:
            sys.stdout.write("alive\n")
            sys.stdout.flush()
            time.sleep(1.0)
    except OSError:
        os._exit(0)


def send(own: str, port: int, size: int, receiver: str, seconds: float, late_s: float) -> None:
    """Send files for some seconds, and three at least; the first one, while TCP opens its window, does not count."""
    file = bytes(size)
    times: list[float] = []
    with socket.create_connection((receiver, port), timeout=late_s, source_address=(own, 0)) as peer:
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        ends_s = time.monotonic() + seconds
        while len(times) < 3 or time.monotonic() < ends_s:
            began_s = time.monotonic()
            peer.sendall(file)
            if peer.recv(1) != ANSWER:
                sys.exit("the receiver closed the connection")
            times.append(time.monotonic() - began_s)
    sys.stdout.write("".join(f"{one:.6f}\n" for one in times[1:]))


def main(role: str, own: str, port: str, size: str, *more: str) -> None:
    """Do what the words say."""
    if role == "receive":
        receive(own, int(port), int(size), float(more[0]))
    else:
        send(own, int(port), int(size), more[0], float(more[1]), float(more[2]))


main(*sys.argv[1:])
