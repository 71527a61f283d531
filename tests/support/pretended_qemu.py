"""A program that replaces QEMU, as far as a lab can notice: console, identity, monitor, port, underlay.

Run as a script with the standard library alone. The file that FAKE_MODE names has its behaviour: `dies`, `silent` (the
guest reports nothing), `speechless` (the same, where it was restored), `deaf` (one that was restored does not take its
identity), `unsaveable` and `unrestorable` (the monitor
refuses); otherwise it works.
"""

from __future__ import annotations

import array
import json
import os
import re
import socket
import sys
import threading
from pathlib import Path

LINE = " ".join(sys.argv)
MODE = Path(os.environ["FAKE_MODE"]).read_text()
IS_RESTORED = "-incoming" in sys.argv
MEMORY = b"memory of a virtual gateway"


def found(pattern: str) -> str:
    match = re.search(pattern, LINE)
    return match[1] if match else ""


HAS_IDENTITY = Path(found(r"file=(disk-[a-z-]+)\.qcow2") + ".identity")
"""On a real disk this is a file in the guest."""


def report(text: str) -> None:
    with Path(found(r"path=(console-\S+?\.log)")).open("a") as console:
        console.write(text)


def listening(path: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    Path(path).unlink(missing_ok=True)
    listener.bind(path)
    listener.listen()
    return listener


def take_identity(listener: socket.socket) -> None:
    connection, _ = listener.accept()
    with connection, connection.makefile("rb") as lines:
        assert lines.readline().startswith(b"time ")
        while lines.readline() != b"end\n":
            pass
        if IS_RESTORED and "deaf" in MODE:
            connection.recv(1)
            return
        connection.sendall(b"taken\n")
        HAS_IDENTITY.touch()
        if "silent" not in MODE and not (IS_RESTORED and "speechless" in MODE):
            report("TUNNELMARK-READY\n")


def obey(listener: socket.socket) -> None:
    """Answer the orders of one connection after another."""
    while True:
        connection, _ = listener.accept()
        connection.sendall(b'{"QMP": {}}\n')
        passed: list[int] = []
        while True:
            data, ancillary, _, _ = connection.recvmsg(65536, 1024)
            if not data:
                break
            for _, _, raw in ancillary:
                numbers = array.array("i")
                numbers.frombytes(raw)
                passed += numbers
            answer = carry_out(json.loads(data), passed)
            connection.sendall(json.dumps(answer).encode() + b"\n")


def carry_out(order: dict[str, object], passed: list[int]) -> dict[str, object]:
    name = order["execute"]
    if name == "migrate":
        if "unsaveable" in MODE:
            return {"error": {"desc": "this device cannot be saved"}}
        with os.fdopen(passed.pop(), "wb") as memory:
            memory.write(MEMORY)
    elif name == "migrate-incoming":
        with os.fdopen(passed.pop(), "rb") as memory:
            if memory.read() != MEMORY or "unrestorable" in MODE:
                print("qemu: load of migration failed", file=sys.stderr, flush=True)
                os._exit(1)
    elif name == "query-migrate":
        return {"return": {"status": "completed"}}
    elif name == "set_link":
        report(f"link {order['arguments']}\n")
    return {"return": {}}


def main() -> None:
    if "--version" in sys.argv:
        print("QEMU emulator version 0")
        return
    if "dies" in MODE:
        sys.exit("qemu: no memory")
    port = found(r"127\.0\.0\.1:(\d+)-")
    forward = socket.socket()
    if port:
        try:
            forward.bind(("127.0.0.1", int(port)))
        except OSError:
            sys.exit("qemu: Could not set up host forwarding rule")
        forward.listen()
    identity = listening(found(r"path=(identity-\S+?\.sock)"))
    threading.Thread(target=obey, args=(listening(found(r"path=(monitor-\S+?\.sock)")),), daemon=True).start()
    if not IS_RESTORED:
        report("[    0.1] \x1b[1mLinux\x1b[0m boots\n")
        if "silent" not in MODE:
            report("TUNNELMARK-READY\n" if HAS_IDENTITY.exists() else "TUNNELMARK-WAITING\n")
    threading.Thread(target=take_identity, args=(identity,), daemon=True).start()
    for descriptor in re.findall(r"local\.str=(\d+)", LINE):
        threading.Thread(target=report_frames, args=(int(descriptor),), daemon=True).start()
    threading.Event().wait()


def report_frames(descriptor: int) -> None:
    link = socket.socket(fileno=descriptor)
    while True:
        report(f"frame {link.recv(65536).decode()}\n")


if __name__ == "__main__":
    main()
