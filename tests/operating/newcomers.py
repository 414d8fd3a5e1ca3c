"""A newcomer's first minutes with an installed Tieout: its commands in an empty folder, and the hub in a browser."""

import base64
import http.cookiejar
import os
import re
import signal
import subprocess
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.concurrency.crowds import Client
from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.servers import PATIENCE_SECONDS, free_port, wait_until_ready

OWN = ("DATABASE_URL", "INSTANCE_PATH", "HOST", "PORT", "PYTHONPATH", "TZ", "PYTHONDONTWRITEBYTECODE")
FIRST = re.compile(r"/start/[\w-]{43}")
BOOKS = {"name": "Lantern Studio", "baseCurrency": "EUR", "ownName": "Ada", "email": "ada@example.org"}
PASSWORD = "a long enough phrase"
# The demo keeps the books of fourteen months.
DEMO_SECONDS = 300
STYLE = re.compile(r'href="(/static/[^"]+\.css)"')


@dataclass
class Newcomer:
    """Somebody who runs `tieout` by some words in a folder, with nothing in the environment but `settings`."""

    tieout: tuple[str, ...]
    folder: Path
    settings: dict[str, str] = field(default_factory=dict)
    log: str = ""
    server: subprocess.Popen[str] | None = None

    def start(self, *words: str) -> subprocess.Popen[str]:
        environment = {name: text for name, text in os.environ.items() if name not in OWN}
        return subprocess.Popen(  # noqa: S603  (our own words)
            [*self.tieout, *words],
            cwd=self.folder,
            env={**environment, **self.settings},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end; answers its exit status and what it wrote."""
        process = self.start(*words)
        out, err = process.communicate(timeout=DEMO_SECONDS)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def told(self, *words: str) -> str:
        """Run a command that succeeds; answers what it wrote."""
        done = self.run(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    @contextmanager
    def served(self, *words: str) -> Iterator[str]:
        """Serve the books at an address, and end the server as an operator does; `log` has what it wrote."""
        port = free_port()
        self.settings["PORT"] = str(port)
        process, address = self.start(*(words or ("serve",))), f"http://127.0.0.1:{port}"
        self.server, self.log = process, ""
        try:
            wait_until_ready(address, Told(process))
            yield address
        finally:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            # An engine of containers passes signals on to the program; bwrap dies of them.
            server = children.read_text().split()[0] if self.tieout[:1] == ("bwrap",) else process.pid
            os.kill(int(server), signal.SIGTERM)
            self.log += process.communicate(timeout=PATIENCE_SECONDS)[1]
        assert process.returncode == 0, self.log

    def hub(self, email: str, password: str) -> str:
        """Serve the books, sign in as a browser does, and end the server; answers the hub."""
        with self.served() as address:
            return signed_in(address, email, password)

    def first_link(self) -> str:
        """Read the log until it shows the path by which the first books are started."""
        # Past what Python would read ahead, which `communicate` does not give back.
        while not (found := FIRST.search(self.log)):
            part = os.read(self.server.stderr.fileno(), 4096)
            assert part, self.log
            self.log += part.decode()
        return found[0]


@dataclass(frozen=True)
class Told:
    """A process as `wait_until_ready` looks at it."""

    process: subprocess.Popen[str]

    @property
    def returncode(self) -> int | None:
        return self.process.poll()

    def said(self) -> str:
        self.process.kill()
        return "".join(self.process.communicate())


def signed_in(address: str, email: str, password: str) -> str:
    """Sign in; answers the first page."""
    return sent(address, "/sign-in", {"email": email, "password": password})


def started(address: str, link: str) -> str:
    """Start the first books; answers their hub."""
    return sent(address, link, BOOKS | {"password": PASSWORD})


def sent(address: str, path: str, fields: dict[str, str]) -> str:
    """Send a form as a browser does; answers the page to which it leads, whose style is there too."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    form = urllib.parse.urlencode(fields).encode()
    request = urllib.request.Request(f"{address}{path}", form, {"Origin": address})  # noqa: S310  (our own address)
    with browser.open(request, timeout=PATIENCE_SECONDS) as answer:
        page = answer.read().decode()
    with browser.open(address + STYLE.search(page)[1], timeout=PATIENCE_SECONDS) as style:
        assert len(style.read()) > 1000
    return page


def proven(address: str, token: str) -> dict:
    """Go from a bank file to a proof over the API; answers the proof."""
    file = bank_file(
        Line("2026-10-02", "900.00"), Line("2026-10-05", "-50.00"), account="DE02120300000000202051"
    )
    with closing(Client(address, token)) as client:

        def done(method: str, path: str, body: object = None) -> dict:
            answer = client.send(method, f"/api{path}", body)
            assert answer.status < 300, answer
            return answer.body

        content = base64.b64encode(file).decode()
        imported = done("POST", "/feeds/imports", {"fileName": "october.ofx", "content": content})
        account = imported["import"]["accounts"][0]["faId"]
        lines = done("GET", f"/transactions?faId={account}&entryStatus=DRAFT")["transactions"]
        done("POST", "/transactions/confirm", {"ids": [each["id"] for each in lines]})
        place = f"/reconciliations/accounts/{account}"
        done("PUT", f"{place}/draft", {"statementDate": "2026-10-31", "statementBalance": "850.00"})
        done("PUT", f"{place}/draft/lines", {"auto": True})
        return done("POST", f"{place}/complete")["reconciliation"]
