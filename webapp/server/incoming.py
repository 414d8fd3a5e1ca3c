"""A request as its bytes come in: where it ends, what is too large, and by when it has to move on. No sockets here."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from gunicorn.http.errors import InvalidHeader, NoMoreData
from gunicorn.http.parser import RequestParser

from webapp.server import refusals
from webapp.server.chunks import Chunks
from webapp.server.limits import KIBIBYTE, MEBIBYTE, Limits, Pace
from webapp.server.refusals import RequestRefusedError
from webapp.server.spools import Budget, BudgetSpentError, Spool

END_OF_HEAD = b"\r\n\r\n"
BARE_LF = re.compile(rb"(?:^|[^\r])\n")
SESSION_COOKIE = re.compile(r"(?:^|;)\s*(?:__Host-)?tieout=[^;\s]")

#: gunicorn's own parser, with its own strictness, reads a whole head.
Parse = Callable[[bytes], Any]


def plain(cfg: Any) -> Any:
    """Give gunicorn's settings as they are now, which its parser reads a dozen times for each head, as plain values."""
    values = {name: setting.get() for name, setting in cfg.settings.items()}
    return SimpleNamespace(**values, is_ssl=cfg.is_ssl, forwarded_allow_networks=cfg.forwarded_allow_networks)


def parser_for(cfg: Any, client: Any) -> Parse:
    """Read heads of requests of a client by gunicorn's parser."""

    def parse(head: bytes) -> Any:
        parser = RequestParser(cfg, iter([head]), client)
        request = next(parser)
        if parser.unreader.take_buffered():
            raise InvalidHeader("bytes after the head")
        return request

    return parse


class Incoming:
    """The next request of a connection.

    `most_bytes` answers how large the body of a parsed request may be.
    """

    def __init__(
        self, parse: Parse, most_bytes: Callable[[Any], int], limits: Limits, budget: Budget
    ) -> None:
        self._parse, self._most_bytes, self._limits, self._budget = parse, most_bytes, limits, budget
        self._head = bytearray()
        self._body: _Body | None = None
        self._head_deadline: float | None = None
        self.request: Any = None
        self.rest = b""

    @property
    def has_begun(self) -> bool:
        """Whether a first byte has come."""
        return self._head_deadline is not None

    @property
    def is_whole(self) -> bool:
        """Whether head and body have come."""
        return self._body is not None and self._body.is_whole

    @property
    def deadline(self) -> float:
        """When it is too slow, unless more comes; for a request that has begun."""
        return self._body.deadline if self._body is not None else (self._head_deadline or 0)

    @property
    def appetite(self) -> int:
        """How many bytes to read at once: all the rest of a body of known length, but nothing after it."""
        return self._body.appetite if self._body is not None else 64 * KIBIBYTE

    @property
    def awaits_go_ahead(self) -> bool:
        """Whether the client waits for "100 Continue" before it sends the body."""
        return self._body is not None and self._body.awaits_go_ahead

    @property
    def needs_voucher(self) -> bool:
        """Whether the body is larger than one whose sender nobody has looked at."""
        return self._body is not None and self._body.needs_voucher

    def vouch(self, now: float) -> None:
        """Take the rest of the body too: its sender is known. Its period begins anew."""
        if self._body is not None:
            self._body.vouch(now)

    def feed(self, data: bytes, now: float) -> None:
        """Take bytes that came; raises a ParseException or a RequestRefusedError."""
        if self._head_deadline is None:
            self._head_deadline = now + self._limits.head_seconds
        if self._body is None:
            data = self._feed_head(data, now)
        if self._body is not None:
            self.rest = self._body.feed(data, now)

    def _feed_head(self, data: bytes, now: float) -> bytes:
        """Take bytes of the head; answers those that come after it."""
        searched = max(0, len(self._head) - 3)
        self._head += data
        end = self._head.find(END_OF_HEAD, searched)
        if end < 0:
            if len(self._head) > self._limits.head_bytes or BARE_LF.search(self._head, searched):
                raise self._flaw()
            return b""
        end += len(END_OF_HEAD)
        head, rest = bytes(self._head[:end]), bytes(self._head[end:])
        self._head.clear()
        self.request = self._parse(head)
        self._body = _Body(self.request, self._most_bytes, self._limits, self._budget, now)
        return rest

    def _flaw(self) -> Exception:
        """What gunicorn finds wrong with a head that has not ended and never will."""
        try:
            self._parse(bytes(self._head))
        except NoMoreData:
            return RequestRefusedError(refusals.HEADERS_TOO_LARGE)
        except Exception as error:  # noqa: BLE001  (whatever it is, it is the answer)
            return error
        return RequestRefusedError(refusals.MALFORMED)

    def body_as_file(self) -> Any:
        """The body, for the application to read; give it back with `close`."""
        return self._body.as_file() if self._body is not None else io.BytesIO()

    def close(self) -> None:
        """Give back the room of the body."""
        if self._body is not None:
            self._body.close()


class _Body:
    def __init__(
        self,
        request: Any,
        most_bytes: Callable[[Any], int],
        limits: Limits,
        budget: Budget,
        now: float,
    ) -> None:
        headers = dict(request.headers)
        self._budget = budget
        # gunicorn's parser has refused both at once, two of one, and lengths that are no number.
        is_chunked = "TRANSFER-ENCODING" in headers
        self._chunks = (
            Chunks(lambda fields: request.parse_headers(fields, from_trailer=True)) if is_chunked else None
        )
        self._left = 0 if is_chunked else int(headers.get("CONTENT-LENGTH", 0))
        self._size = 0
        self._is_stranger = not has_credentials(headers)
        # Most requests have no body, and their address need not be looked up here.
        self._most_bytes = most_bytes(request) if is_chunked or self._left else 0
        if self._is_stranger:
            self._most_bytes = min(self._most_bytes, limits.stranger_bytes)
        self._refuse_larger_than(self._left)
        expects = headers.get("EXPECT", "").lower() == "100-continue" and request.version >= (1, 1)
        self.awaits_go_ahead = expects and not self.is_whole
        # Most requests have no body, and need no room for one.
        self._spool: Spool | None = None
        self._limits, self._is_vouched = limits, False
        self._pace = self._new_pace(now)

    def _new_pace(self, now: float) -> Pace:
        return Pace(self._limits.body_pace_seconds, self._limits.pace_bytes, now)

    @property
    def needs_voucher(self) -> bool:
        return not self._is_vouched and self._size + self._left > self._limits.unproven_bytes

    def vouch(self, now: float) -> None:
        self._is_vouched = True
        self._pace = self._new_pace(now)

    @property
    def is_whole(self) -> bool:
        return self._chunks.is_whole if self._chunks is not None else self._left == 0

    @property
    def deadline(self) -> float:
        return self._pace.deadline

    @property
    def appetite(self) -> int:
        return min(self._left, MEBIBYTE) or 64 * KIBIBYTE

    def feed(self, data: bytes, now: float) -> bytes:
        """Take bytes; answers those that come after the body."""
        if data:
            self.awaits_go_ahead = False
        if self._chunks is not None:
            self._keep(b"".join(self._chunks.decode(data)), now)
            return self._chunks.rest if self._chunks.is_whole else b""
        content, rest = data[: self._left], data[self._left :]
        self._left -= len(content)
        self._keep(content, now)
        return rest

    def _keep(self, content: bytes, now: float) -> None:
        if not content:
            return
        self._size += len(content)
        self._refuse_larger_than(self._size)
        try:
            self._budget.take(len(content))
        except BudgetSpentError:
            raise RequestRefusedError(refusals.FULL) from None
        if self._spool is None:
            self._spool = Spool(self._budget, self._limits.memory_bytes)
        try:
            self._spool.append(content)
        except OSError as error:
            self._budget.give_back(len(content))
            raise RequestRefusedError(refusals.NO_DISK) from error
        self._pace.moved(len(content), now)

    def _refuse_larger_than(self, size: int) -> None:
        if size > self._most_bytes:
            raise RequestRefusedError(refusals.UNAUTHENTICATED if self._is_stranger else refusals.TOO_LARGE)

    def as_file(self) -> Any:
        return io.BytesIO() if self._spool is None else self._spool.as_file()

    def close(self) -> None:
        if self._spool is not None:
            self._spool.close()


def has_credentials(headers: dict[str, str]) -> bool:
    """Return whether a request names a session or a key, be they right or wrong.

    >>> has_credentials({"COOKIE": "theme=dark; tieout=3f0c"}), has_credentials({"COOKIE": "theme=dark"})
    (True, False)
    """
    return "AUTHORIZATION" in headers or bool(SESSION_COOKIE.search(headers.get("COOKIE", "")))
