"""nginx in front of a server, as it is by default in Debian, and as it is least careful of what it passes on."""

import re
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Self

from tests.fixtures.servers import free_port
from tests.tree import ROOT

PATIENCE_SECONDS = 10
CONFIGURING = (ROOT / "docs" / "operating" / "configure.md").read_text(encoding="utf-8")
DOCUMENTED = "".join(re.findall(r"^ +proxy_set_header .*\n", CONFIGURING, re.MULTILINE))
#: The second proxy in a row adds to what the first one says.
ADDING = """
    proxy_set_header Host $http_host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_set_header X-Forwarded-Proto "$http_x_forwarded_proto, $scheme";
    proxy_set_header X-Forwarded-Host "$http_x_forwarded_host, $http_host";
"""
#: Connections that stay, and bodies that are passed on as they come: what a smuggled request needs.
CARELESS = """
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $http_host;
    proxy_request_buffering off;
    proxy_buffering off;
"""
CONFIG = """
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 2000; }}
http {{
  access_log off;
  client_max_body_size 200m;
  client_body_temp_path {folder}/bodies;
  proxy_temp_path {folder}/answers;
  fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u;
  scgi_temp_path {folder}/s;
  upstream books {{ server 127.0.0.1:{to}; keepalive 4; }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://books;
      {settings}
    }}
  }}
}}
"""


class Nginx:
    """nginx at `port`, one that is free unless it is named, which ends with its block."""

    def __init__(self, to: int, settings: str, port: int | None = None) -> None:
        self.port = port or free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._folder = Path(tempfile.mkdtemp(prefix="nginx-"))
        config = self._folder / "nginx.conf"
        config.write_text(CONFIG.format(folder=self._folder, to=to, port=self.port, settings=settings))
        program = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")
        assert program, "nginx is needed: .ci/system nginx"
        self._words = [program, "-p", str(self._folder), "-c", str(config)]

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(self._words, stderr=subprocess.DEVNULL)  # noqa: S603  (our own words)
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
            except OSError:
                time.sleep(0.02)
            else:
                return self
        raise AssertionError((self._folder / "error.log").read_text())

    def __exit__(self, *_error: object) -> None:
        self._process.terminate()
        self._process.wait(PATIENCE_SECONDS)
        shutil.rmtree(self._folder)
