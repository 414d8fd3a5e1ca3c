"""The one way out: an address that somebody chose, over HTTPS, to a machine of the world that was looked at first."""

import http.client
import re
import socket
import ssl
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from threading import Timer
from time import monotonic
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from webapp.ledger.errors import LedgerError

HOST: Final = re.compile(
    r"(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]"
)
HTTPS_PORT: Final = 443
PIECE: Final = 64 * 1024
# Of IPv6 only this part is given to machines of the world; `is_global` is true for others too.
WORLD: Final = ip_network("2000::/3")
# 6to4 and Teredo, by which an address leads to another one, and addresses for books: some are global to Python.
REFUSED: Final = tuple(ip_network(each) for each in ("2002::/16", "2001::/32", "3fff::/20", "192.88.99.0/24"))


class OutboundClosedError(LedgerError):
    """The settings of this server do not let it call that address; see OUTBOUND and OUTBOUND_HOSTS."""

    status = 422
    code = "outbound_closed"


class OutboundAddressError(LedgerError):
    """That address is not called: it is no HTTPS address of a machine on the Internet."""

    status = 422
    code = "outbound_address"


class OutboundFailedError(LedgerError):
    """The other server did not answer as it should; try again later."""

    status = 503
    code = "outbound_failed"


class OutboundAnswer(NamedTuple):
    """What another server answers, with the time after which it is to be asked again, as it writes it."""

    status: int
    data: bytes
    retry_after: str


@dataclass(frozen=True, slots=True)
class Gate:
    """What this server may call: nobody, or hosts that are wanted, narrowed to `hosts` where the operator lists any.

    Only those in `inner` may have addresses of the operator's own network.
    """

    is_open: bool
    hosts: frozenset[str] = frozenset()
    inner: frozenset[str] = frozenset()

    def get(self, address: str, wanted: Collection[str], *, most_bytes: int, seconds: float) -> bytes:
        """Read an address whose host is wanted; raises a LedgerError. It follows no redirect."""
        status, data = self.call("GET", address, wanted, most_bytes=most_bytes, seconds=seconds)
        if status != http.client.OK:
            raise OutboundFailedError(f"{urlsplit(address).hostname} answers {status}.")
        return data

    def call(
        self,
        method: str,
        address: str,
        wanted: Collection[str],
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        most_bytes: int,
        seconds: float,
    ) -> tuple[int, bytes]:
        """Call an address whose host is wanted, and give the status and the body; raises a LedgerError."""
        answer = self.ask(
            method, address, wanted, headers=headers, body=body, most_bytes=most_bytes, seconds=seconds
        )
        return answer.status, answer.data

    def ask(
        self,
        method: str,
        address: str,
        wanted: Collection[str],
        *,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        most_bytes: int,
        seconds: float,
    ) -> OutboundAnswer:
        """Call an address whose host is wanted, and give the whole answer; raises a LedgerError."""
        host, port, path = self._parsed(address, wanted)
        until = monotonic() + seconds
        connection = _Checked(host, port, self._resolved(host, port), seconds)
        own = {"User-Agent": "Tieout", "Accept-Encoding": "identity"}
        # Each byte may come in time, and all of them far too late.
        ending = Timer(seconds, connection.abort)
        ending.start()
        try:
            connection.request(method, path, body, {**own, **(headers or {})})
            answer = connection.getresponse()
            data = _read(answer, host, most_bytes, until)
            return OutboundAnswer(answer.status, data, answer.headers.get("Retry-After", ""))
        except (OSError, http.client.HTTPException) as error:
            raise OutboundFailedError(f"{host} does not answer ({type(error).__name__}).") from error
        finally:
            ending.cancel()
            connection.close()

    def require(self, address: str, wanted: Collection[str]) -> str:
        """Give the host of an address that may be called; raises a LedgerError."""
        return self._parsed(address, wanted)[0]

    def _parsed(self, address: str, wanted: Collection[str]) -> tuple[str, int, str]:
        try:
            parts = urlsplit(address)
            host, port = parts.hostname or "", parts.port or HTTPS_PORT
        except ValueError:
            raise OutboundAddressError from None
        is_plain = address.isascii() and address.isprintable() and not set(address) & set(" \\")
        if parts.scheme != "https" or "@" in parts.netloc or not is_plain or not HOST.fullmatch(host):
            raise OutboundAddressError
        if not self.is_open or host not in wanted or (self.hosts and host not in self.hosts):
            raise OutboundClosedError
        return host, port, (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    def _resolved(self, host: str, port: int) -> str:
        """Give the address to connect to; one that may not be called refuses all that the name has."""
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise OutboundFailedError(f"{host} is not known.") from error
        numbers = [str(each[4][0]) for each in found]
        if host not in self.inner and not all(map(is_of_the_world, numbers)):
            raise OutboundAddressError
        return numbers[0]


def is_of_the_world(text: str) -> bool:
    """Return whether an address is of one machine on the Internet.

    >>> is_of_the_world("9.9.9.9"), is_of_the_world("127.0.0.1"), is_of_the_world("64:ff9b::7f00:1")
    (True, False, False)
    """
    address: IPv4Address | IPv6Address = ip_address(text)
    if address.version == WORLD.version and (address not in WORLD or getattr(address, "scope_id", None)):
        return False
    if any(address in network for network in REFUSED if network.version == address.version):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


class _Checked(http.client.HTTPSConnection):
    """A connection to the address that was looked at, whose certificate is of the name."""

    def __init__(self, host: str, port: int, number: str, seconds: float) -> None:
        self._number, self._tls = number, ssl.create_default_context()
        self._also: socket.socket | None = None
        super().__init__(host, port, timeout=seconds, context=self._tls)

    def connect(self) -> None:
        """Connect, without asking for the name again: it could have another address by now."""
        plain = socket.create_connection((self._number, self.port), self.timeout)
        self._also = plain.dup()
        self.sock = self._tls.wrap_socket(plain, server_hostname=self.host)

    def abort(self) -> None:
        """End what goes on, also in the midst of a handshake."""
        if self._also is not None:
            with suppress(OSError):
                self._also.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close it."""
        super().close()
        if self._also is not None:
            self._also.close()


def _read(answer: http.client.HTTPResponse, host: str, most_bytes: int, until: float) -> bytes:
    found = b""
    while piece := answer.read1(PIECE):
        found += piece
        if len(found) > most_bytes:
            raise OutboundFailedError(f"{host} answers with more than is read.")
        if monotonic() > until:
            raise OutboundFailedError(f"{host} answers too slowly.")
    if answer.length:
        raise OutboundFailedError(f"{host} ended its answer too early.")
    return found
