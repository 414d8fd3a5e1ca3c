"""A newcomer's first minutes with an installed Tieout: its commands in an empty folder, and the hub in a browser."""

import http.cookiejar
import os
import re
import signal
import subprocess
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

from tests.fixtures.servers import PATIENCE_SECONDS, free_port, wait_until_ready

OWN = ("DATABASE_URL", "INSTANCE_PATH", "HOST", "PORT", "PYTHONPATH", "TZ", "PYTHONDONTWRITEBYTECODE")
STYLE = re.compile(r'href="(/static/[^"]+\.css)"')


@dataclass
class Newcomer:
    """Somebody who runs `tieout` by some words in a folder, with nothing in the environment but `settings`."""

    tieout: tuple[str, ...]
    folder: Path
    settings: dict[str, str] = field(default_factory=dict)

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
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
        return subprocess.CompletedProcess(words, process.returncode, out, err)

    def told(self, *words: str) -> str:
        """Run a command that succeeds; answers what it wrote."""
        done = self.run(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    def hub(self, email: str, password: str) -> tuple[str, str]:
        """Serve the books, sign in as a browser does, and end the server; answers the hub and the log."""
        port = free_port()
        self.settings["PORT"] = str(port)
        process, address = self.start("serve"), f"http://127.0.0.1:{port}"
        try:
            wait_until_ready(address, Told(process))
            page = signed_in(address, email, password)
        finally:
            process.send_signal(signal.SIGTERM)
            log = process.communicate(timeout=PATIENCE_SECONDS)[1]
        assert process.returncode == 0, log
        return page, log


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
    """Sign in; answers the first page, whose style is there too."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    form = urllib.parse.urlencode({"email": email, "password": password}).encode()
    request = urllib.request.Request(f"{address}/sign-in", form, {"Origin": address})  # noqa: S310  (our own address)
    with browser.open(request, timeout=PATIENCE_SECONDS) as answer:
        page = answer.read().decode()
    with browser.open(address + STYLE.search(page)[1], timeout=PATIENCE_SECONDS) as style:
        assert len(style.read()) > 1000
    return page
