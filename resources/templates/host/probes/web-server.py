"""A web server for one page: `/N` is an object of N bytes. Arguments: address, TCP port, seconds until it ends."""

import http.server
import os
import sys
import threading
import time

CHUNK = bytes(65536)


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers with as many bytes as the path names."""

    protocol_version = "HTTP/1.1"
    timeout = 60
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Send an object."""
        size = min(int(self.path[1:]) if self.path[1:].isdigit() else 0, 10_000_000)
        self.send_response(200)
        self.send_header("Content-Length", str(size))
        self.end_headers()
        while size:
            size -= self.wfile.write(CHUNK[: min(size, len(CHUNK))])

    def log_message(self, *_: object) -> None:
        """Log nothing."""


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


def main(words: list[str]) -> None:
    """Serve until the time is over."""
    server = http.server.ThreadingHTTPServer((words[0], int(words[1])), Handler)
    server.daemon_threads = True
    limit = threading.Timer(float(words[2]), server.shutdown)
    limit.daemon = True
    limit.start()
    threading.Thread(target=show_life, daemon=True).start()
    server.serve_forever(poll_interval=0.1)


main(sys.argv[1:])
