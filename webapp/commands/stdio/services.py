"""The services for `tieout mcp`: at an address, or the books of this installation."""

import http.client
import re
import socket
import ssl
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from flask import Flask
from werkzeug.datastructures import Headers
from werkzeug.test import EnvironBuilder, run_wsgi_app

from webapp.commands.failures import FailedError
from webapp.config import is_loopback

ADDRESS: Final = "/mcp"
# Longer than any call may wait; the second is for an answer as a whole.
PATIENCE_SECONDS: Final = 60
LONGEST_SECONDS: Final = 180
LARGEST_ANSWER: Final = 32 * 1024 * 1024
PORTION: Final = 64 * 1024
PORTS: Final[Mapping[str, int]] = {"http": 80, "https": 443}
# What may stand in a request's first line and in a header, so that no failure shows the key.
VISIBLE: Final = re.compile(r"[\x21-\x7e]+")


class UnreachableError(Exception):
    """A service gives no answer; the sentence says why and what to do."""


@dataclass(frozen=True, slots=True)
class ServiceAnswer:
    """A service's answer: `retry_after` in seconds, as digits; `source` names the service in a sentence."""

    status: int
    data: bytes
    source: str
    retry_after: str | None = None


class AskedService(Protocol):
    """A service that answers messages."""

    def ask(self, body: bytes, headers: Mapping[str, str]) -> ServiceAnswer:
        """Send a message; raises UnreachableError."""


class RemoteService:
    """Tieout at an address, without proxies, and over HTTPS only with a valid certificate."""

    def __init__(self, url: str, token: str) -> None:
        """Take the address from a browser, with or without `/mcp`; raises FailedError."""
        try:
            parts = urlsplit(url)
            scheme, host, port = parts.scheme.lower(), parts.hostname or "", parts.port
        except ValueError:
            scheme, host, port = "", "", None
        if scheme not in PORTS or not host or not VISIBLE.fullmatch(url) or parts.username or parts.query:
            raise FailedError(
                "TIEOUT_URL is no address of Tieout; set it to one like https://books.example.org.",
                "unsafe_setting",
            )
        self._is_secure, self._host, self._port = scheme == "https", host, port or PORTS[scheme]
        self._path = f"{parts.path.rstrip('/').removesuffix(ADDRESS)}{ADDRESS}"
        self._headers = _credentials(token) | {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        self.name = f"{scheme}://{parts.netloc}"
        self.is_readable_on_the_way = not self._is_secure and not is_loopback(host)

    def ask(self, body: bytes, headers: Mapping[str, str]) -> ServiceAnswer:
        """Send a message on its own connection, and never send it twice."""
        connection = self._connection()
        try:
            connection.request("POST", self._path, body, {**self._headers, **headers})
            with connection.getresponse() as response:
                data = self._read(response)
                retry_after = response.headers.get("Retry-After", "")
                waits = retry_after if retry_after.isdigit() else None
                return ServiceAnswer(response.status, data, self.name, waits)
        except (OSError, http.client.HTTPException) as error:
            raise UnreachableError(self._reason(error)) from error
        finally:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        if not self._is_secure:
            return http.client.HTTPConnection(self._host, self._port, timeout=PATIENCE_SECONDS)
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(self._host, self._port, timeout=PATIENCE_SECONDS, context=context)

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        """Read an answer within limits on time and size; raises UnreachableError."""
        deadline = time.monotonic() + LONGEST_SECONDS
        data = bytearray()
        while portion := response.read1(PORTION):
            data += portion
            if len(data) > LARGEST_ANSWER or time.monotonic() > deadline:
                raise UnreachableError(
                    f"{self.name} answers more than {LARGEST_ANSWER:,} bytes, or for more than"
                    f" {LONGEST_SECONDS} seconds. Ask for less at a time."
                )
        return bytes(data)

    def _reason(self, error: Exception) -> str:
        if isinstance(error, ssl.SSLCertVerificationError):
            return (
                f"The certificate of {self.name} is not valid ({error.verify_message}). Renew it; of an authority"
                " of your own, let SSL_CERT_FILE name the certificate."
            )
        if isinstance(error, ssl.SSLError):
            return f"{self.name} does not answer over HTTPS. Correct TIEOUT_URL, or the proxy in front of Tieout."
        if isinstance(error, socket.gaierror):
            return f"There is no host of the name in {self.name}. Correct TIEOUT_URL."
        if isinstance(error, ConnectionRefusedError):
            return (
                f"Nothing answers at {self.name}. Start Tieout there (tieout serve), or correct TIEOUT_URL."
            )
        if isinstance(error, TimeoutError):
            return (
                f"{self.name} has not answered for {PATIENCE_SECONDS} seconds. What was asked may be done all the"
                " same: look there before you send it again."
            )
        return (
            f"The connection to {self.name} was lost ({type(error).__name__}). What was asked may be done all the"
            " same: look there before you send it again."
        )


class LocalService:
    """The books of this installation, by requests within the process."""

    def __init__(self, app: Flask, token: str) -> None:
        """Take the application, which trusts the name `localhost`; raises FailedError."""
        self._app, self._headers = app, _credentials(token)

    def ask(self, body: bytes, headers: Mapping[str, str]) -> ServiceAnswer:
        """Send a message."""
        builder = EnvironBuilder(
            path=ADDRESS,
            base_url="http://localhost",
            method="POST",
            headers=Headers({**self._headers, **headers}),
            data=body,
            content_type="application/json",
            environ_overrides={"REMOTE_ADDR": "127.0.0.1"},
        )
        chunks: Iterable[bytes]
        # Not through what stands before the application when it is served behind a proxy.
        call: Any = partial(Flask.wsgi_app, self._app)
        chunks, status, answered = run_wsgi_app(call, builder.get_environ(), buffered=True)
        return ServiceAnswer(int(status.split()[0]), b"".join(chunks), "Tieout", answered.get("Retry-After"))


def _credentials(token: str) -> dict[str, str]:
    if not VISIBLE.fullmatch(token):
        raise FailedError(
            "TIEOUT_TOKEN is no complete API key; copy it again, without spaces or line ends.",
            "unsafe_setting",
        )
    return {"Authorization": f"Bearer {token}"}
