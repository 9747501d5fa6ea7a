"""A server on loopback that speaks the protocol of S3: moto's, with two additions.

It records the requests, and its listings can give times to the millisecond, as those of several
stores do; the answer to HEAD has whole seconds at all of them. As a script it serves until its
standard input ends, and prints its address first.
"""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from support.processes import environment, program

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

# In buckets whose names start so, listings give whole seconds, too.
WHOLE_SECONDS = "seconds"
REQUESTS = "/-/requests"
LISTED = re.compile(rb"<Key>([^<]*)</Key>(.*?)<LastModified>([^<.Z]*)(?:\.\d*)?Z<", re.DOTALL)


@contextmanager
def running(folder: Path) -> Iterator[str]:
    """Keep a server for the block, with its log in `folder`, and give its address."""
    with (folder / "object-store.log").open("wb") as log:
        process = subprocess.Popen(
            program(__name__),
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            start_new_session=True,  # Ctrl-C is for pytest, which then ends this
        )
        with process:
            assert process.stdin
            assert process.stdout
            try:
                address = process.stdout.readline().strip()
                assert address, f"the server did not start: see {log.name}"
                yield address
            finally:
                process.stdin.close()
                process.wait(30)


class Recorded:
    """An application that records requests and refines the times in listings."""

    def __init__(self, application: WSGIApplication) -> None:
        """Wrap moto's application."""
        self.application = application
        self.requests: list[dict[str, str]] = []
        self.milliseconds: dict[str, int] = {}
        self.writes = itertools.count(1)

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        """Answer a request; for `REQUESTS`, with those since it was last asked for."""
        method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"]
        if path == REQUESTS:
            seen, self.requests = self.requests, []
            start("200 OK", [("Content-Type", "application/json")])
            return [json.dumps(seen).encode()]
        is_listing = method == "GET" and "list-type=" in environ["QUERY_STRING"]
        kind = "LIST" if is_listing else method
        query, span = environ["QUERY_STRING"], environ.get("HTTP_RANGE", "")
        self.requests.append({"kind": kind, "path": path, "query": query, "range": span})
        if method == "PUT":
            # No two writes have the same time, and none is at a whole second.
            self.milliseconds[path] = next(self.writes) % 999 + 1
        if is_listing and not path.startswith(f"/{WHOLE_SECONDS}"):
            return self.refined(environ, start, path)
        return self.application(environ, start)

    def refined(
        self, environ: WSGIEnvironment, start: StartResponse, bucket: str
    ) -> Iterable[bytes]:
        """Answer with a listing whose times have milliseconds."""
        begun: list[Any] = []

        def begin(status: str, headers: list[tuple[str, str]], *_: object) -> Any:
            begun[:] = status, [each for each in headers if each[0].lower() != "content-length"]
            return lambda _: None

        def finer(found: re.Match[bytes]) -> bytes:
            key, between, second = found.groups()
            fraction = self.milliseconds[f"{bucket.rstrip('/')}/{unquote(key.decode())}"]
            time = b"%s.%03dZ" % (second, fraction)
            return b"<Key>%s</Key>%s<LastModified>%s<" % (key, between, time)

        body = LISTED.sub(finer, b"".join(self.application(environ, begin)))
        status, headers = begun
        start(status, [*headers, ("Content-Length", str(len(body)))])
        return [body]


def main() -> None:
    """Serve until standard input ends."""
    from moto.moto_server.werkzeug_app import (
        DomainDispatcherApplication,
        MotoRequestHandler,
        create_backend_app,
    )
    from werkzeug.serving import make_server

    class Handler(MotoRequestHandler):
        protocol_version = "HTTP/1.1"  # which keeps connections

        def log_request(self, *_: object) -> None:
            """Leave requests out of the log."""

    application = Recorded(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
