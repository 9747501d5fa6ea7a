"""A store on loopback that serves the files of a folder by the protocol of S3, read-only.

Each answer waits for a set time, as long as a request to an object store takes. moto, with which
the tests write to a store, reads a whole object for each range of it, so times would be moto's.
As a script (`python -m benchmarks.s3.server FOLDER MILLISECONDS`) it serves until its standard
input ends, and prints its address first.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit
from urllib.request import urlopen
from xml.sax.saxutils import escape

from benchmarks.settings import ROOT

BUCKET = "bench"
_COUNTS = "/-/counts"
_NO_SUCH_KEY = b"<Error><Code>NoSuchKey</Code><Message>There is no such file.</Message></Error>"


@contextmanager
def running(folder: Path, milliseconds: int) -> Iterator[str]:
    """Keep a store of the files of a folder for the block, and give its address."""
    command = [sys.executable, "-m", __name__, str(folder), str(milliseconds)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdin
        assert process.stdout
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()
            process.wait(30)


def counts(address: str) -> Counter[str]:
    """Return the requests since the last call by kind (GET, HEAD, LIST), and the bytes sent."""
    with urlopen(f"{address}{_COUNTS}", timeout=30) as answer:
        return Counter(json.loads(answer.read()))


class Store(ThreadingHTTPServer):
    """The server, with the folder whose files it serves, and its counts."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, folder: Path, seconds: float) -> None:
        """Serve on a free port of loopback."""
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder = folder
        self.seconds = seconds
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()

    def add(self, **more: int) -> None:
        """Add to the counts."""
        with self._lock:
            self._counts.update(more)

    def take(self) -> Counter[str]:
        """Return the counts, and start again."""
        with self._lock:
            taken, self._counts = self._counts, Counter()
            return taken


class _Handler(BaseHTTPRequestHandler):
    """Answers GET, HEAD and LIST, which is a GET of the bucket."""

    server: Store
    protocol_version = "HTTP/1.1"  # which keeps connections
    disable_nagle_algorithm = True

    def do_HEAD(self) -> None:
        self._object("HEAD")

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if url.path == _COUNTS:
            self._send(json.dumps(self.server.take()).encode(), "application/json")
        elif "list-type" in parse_qs(url.query):
            self.server.add(LIST=1)
            time.sleep(self.server.seconds)
            self._send(self._listing(parse_qs(url.query)), "application/xml")
        else:
            self._object("GET")

    def _object(self, kind: str) -> None:
        self.server.add(**{kind: 1})
        time.sleep(self.server.seconds)
        file = self.server.folder / unquote(urlsplit(self.path).path).removeprefix(f"/{BUCKET}/")
        if not file.is_file():
            self._send(_NO_SUCH_KEY, "application/xml", status=404)
            return
        status = file.stat()
        first, end = self._range(status.st_size)
        is_part = (first, end) != (0, status.st_size)
        self.send_response(206 if is_part else 200)
        if is_part:
            self.send_header("Content-Range", f"bytes {first}-{end - 1}/{status.st_size}")
        self.send_header("Content-Length", str(end - first))
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("ETag", _tag(status))
        self.send_header("Last-Modified", formatdate(status.st_mtime, usegmt=True))
        self.end_headers()
        if kind == "GET":
            with file.open("rb") as source:
                self._copy(source.fileno(), first, end)

    def _copy(self, source: int, first: int, end: int) -> None:
        self.wfile.flush()
        try:
            while first < end:
                sent = os.sendfile(
                    self.connection.fileno(), source, first, min(end - first, 1 << 20)
                )
                self.server.add(bytes=sent)
                first += sent
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client does not want the rest

    def _range(self, size: int) -> tuple[int, int]:
        found = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if not found:
            return 0, size
        return int(found[1]), min(int(found[2]) + 1, size) if found[2] else size

    def _listing(self, query: dict[str, list[str]]) -> bytes:
        prefix = query.get("prefix", [""])[0]
        delimiter = query.get("delimiter", [""])[0]
        files, folders = [], set()
        for file in sorted(each for each in self.server.folder.rglob("*") if each.is_file()):
            key = file.relative_to(self.server.folder).as_posix()
            if key.startswith(prefix):
                rest = key.removeprefix(prefix)
                if delimiter and delimiter in rest:
                    folders.add(prefix + rest.partition(delimiter)[0] + delimiter)
                else:
                    files.append(_listed(key, file.stat()))
        inner = (f"<CommonPrefixes><Prefix>{escape(f)}</Prefix></CommonPrefixes>" for f in folders)
        return (
            f"<ListBucketResult><Name>{BUCKET}</Name><Prefix>{escape(prefix)}</Prefix>"
            f"<KeyCount>{len(files) + len(folders)}</KeyCount><IsTruncated>false</IsTruncated>"
            f"{''.join(files)}{''.join(inner)}</ListBucketResult>"
        ).encode()

    def _send(self, body: bytes, kind: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_request(self, *_: object) -> None:
        """Leave requests out of the log."""


def _listed(key: str, status: os.stat_result) -> str:
    changed = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(status.st_mtime))
    return (
        f"<Contents><Key>{escape(key)}</Key><LastModified>{changed}</LastModified>"
        f"<ETag>{escape(_tag(status))}</ETag><Size>{status.st_size}</Size>"
        "<StorageClass>STANDARD</StorageClass></Contents>"
    )


def _tag(status: os.stat_result) -> str:
    return f'"{status.st_mtime_ns:x}-{status.st_size:x}"'


def main() -> None:
    """Serve until standard input ends."""
    store = Store(Path(sys.argv[1]), int(sys.argv[2]) / 1000)
    threading.Thread(target=store.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{store.server_port}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
