"""Load a page: its document first, then its objects over several connections that are kept open.

Arguments: server's address, TCP port, own address, connections, seconds after which an answer is late, bytes of the
document, bytes of each object. Prints seconds until the document's first byte, until its last, until all is there.
"""

import http.client
import queue
import sys
import threading
import time


class WebPage:
    """A page that is loaded."""

    def __init__(self, words: list[str]) -> None:
        self.server = (words[0], int(words[1]))
        self.own, self.connections, self.timeout_s = words[2], int(words[3]), float(words[4])
        self.document = words[5]
        self.left: queue.Queue[str] = queue.Queue()
        for size in words[6:]:
            self.left.put(size)
        self.failures: list[str] = []

    def load(self) -> tuple[float, float, float]:
        """Return the three times."""
        began_s = time.monotonic()
        first = self.connect()
        first_byte_s = self.fetch(first, self.document) - began_s
        document_s = time.monotonic() - began_s
        lines = [first, *(self.connect() for _ in range(self.connections - 1))]
        threads = [threading.Thread(target=self.work, args=(line,)) for line in lines]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return first_byte_s, document_s, time.monotonic() - began_s

    def connect(self) -> http.client.HTTPConnection:
        """Return a connection, which opens with its first request."""
        return http.client.HTTPConnection(*self.server, timeout=self.timeout_s, source_address=(self.own, 0))

    def fetch(self, line: http.client.HTTPConnection, size: str) -> float:
        """Read an object; return when its first byte came."""
        line.request("GET", "/" + size)
        answer = line.getresponse()
        came_s = time.monotonic()
        if len(answer.read()) != int(size):
            raise OSError("an object is incomplete")
        return came_s

    def work(self, line: http.client.HTTPConnection) -> None:
        """Load objects until none is left."""
        try:
            while True:
                self.fetch(line, self.left.get_nowait())
        except queue.Empty:
            line.close()
        except (OSError, http.client.HTTPException) as error:
            self.failures.append(f"{type(error).__name__}: {error}")


page = WebPage(sys.argv[1:])
times = page.load()
if page.failures:
    sys.exit(page.failures[0])
sys.stdout.write("{:.6f} {:.6f} {:.6f}\n".format(*times))
