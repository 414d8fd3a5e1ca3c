"""A request as its bytes come in: what is refused, where it ends, and one form of it that can be read in one way."""

import re
from collections.abc import Callable, Generator, Iterator

KIBIBYTE, HEAD_BYTES, MOST_FIELDS = 1024, 64 * 1024, 100
CRLF = b"\r\n"
REQUEST_LINE = re.compile(rb"[A-Z]{1,20} (?:(?:https?://[\w.:-]+)?/[!-~]*|\*) HTTP/1\.([01])")
FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t -~\x80-\xff]*)")
LENGTH = re.compile(rb"[0-9]{1,15}")
CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[\t -~\x80-\xff]*)?")
#: A request that is sent on with this field is answered with the refusal that it names (webapp/errors.py).
REFUSAL = b"tieout-refusal"
OF_A_REFUSAL = re.compile(rb"host|x-request-id|x-forwarded-[a-z]+")
UNKNOWN_HEAD = b"OPTIONS * HTTP/1.1\r\n"
#: What must not come twice: proxies and servers choose differently which one counts.
SINGLE = frozenset(b"host authorization content-length transfer-encoding content-type expect".split())


class RefusedError(Exception):
    """The request is not read on; its text is the code of the refusal."""


class Incoming:
    """The requests of a connection, one after the other.

    `limit_of` answers how large a body may be, by its first line and its fields, how a larger one is refused, and
    `until` when it is not read. `take` takes room for a body. `count` requests were whole, `size` bytes of the next
    have come; an act may write.
    """

    def __init__(self, limit_of: Callable[..., tuple[int, str, float]], take: Callable[[int], None]) -> None:
        self._limit_of, self._take = limit_of, take
        self._waiting, self._pieces = bytearray(), self._read()
        self._refused_head, self._limit, self._excess, self.until = UNKNOWN_HEAD, 0, "", 0.0
        self.size, self.count, self.is_last, self.is_act = 0, 0, False, False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Take bytes that came, and give those that waitress is to have; raises RefusedError."""
        self._waiting += data
        self.size += len(data)
        while (piece := next(self._pieces)) is not None:
            yield piece

    def refusal(self, code: str) -> bytes:
        """Give the request that is answered with a refusal, in the place of the one that came."""
        self.count, self.size = self.count + 1, 0
        return self._refused_head + b"connection: close\r\n%b: %b\r\n\r\n" % (REFUSAL, code.encode())

    def _read(self) -> Iterator[bytes | None]:
        """Read one request after the other; None is where more bytes have to come."""
        while True:
            line, *lines = yield from self._head()
            version, fields = _matched(REQUEST_LINE, line)[1], _fields_of(lines)
            self.is_act = not line.startswith((b"GET ", b"HEAD ", b"OPTIONS "))
            named = dict(fields)
            self._refused_head = _written(line, [each for each in fields if OF_A_REFUSAL.fullmatch(each[0])])
            is_chunked, length = _framing(named, is_old=version == b"0")
            dropped = {b"connection"} if self.is_last else set()
            if is_chunked or length:
                self._limit, self._excess, self.until = self._limit_of(line.decode("latin-1"), named)
                self._refuse_larger_than(length)
            else:
                dropped.add(b"expect")  # waitress would wait for a body
            fields = [each for each in fields if each[0] not in dropped]
            yield _written(line, fields + [(b"connection", b"close")] * self.is_last) + CRLF
            yield from self._chunks() if is_chunked else self._content(length)
            self._refused_head, self.size = UNKNOWN_HEAD, len(self._waiting)
            self.count += 1

    def _head(self) -> Generator[None, None, list[bytes]]:
        while True:
            while self._waiting.startswith(CRLF):
                # RFC 9112, 2.2: some clients send an empty line after a body.
                del self._waiting[:2]
                self.size = len(self._waiting)
            end = self._waiting.find(CRLF + CRLF)
            if (len(self._waiting) if end < 0 else end) > HEAD_BYTES:
                raise RefusedError("headers_too_large")
            if end >= 0:
                return self._cut(end + 4)[:-4].split(CRLF)
            if self._waiting.count(b"\n") != self._waiting.count(CRLF):
                raise RefusedError("bad_request")
            yield None

    def _content(self, left: int) -> Iterator[bytes | None]:
        while left:
            piece = self._cut(min(left, len(self._waiting)))
            self._take(len(piece))
            left -= len(piece)
            yield piece or None

    def _chunks(self) -> Iterator[bytes | None]:
        size = 0
        while left := int(_matched(CHUNK_SIZE, (yield from self._line()))[1], 16):
            size += left
            self._refuse_larger_than(size)
            for piece in self._content(left):
                yield piece and b"%x\r\n%b\r\n" % (len(piece), piece)
            if (yield from self._line()):
                raise RefusedError("bad_request")
        while line := (yield from self._line()):
            # Nobody needs what a trailer says.
            size += len(line)
            self._refuse_larger_than(size)
            _fields_of([line])
        yield b"0\r\n\r\n"

    def _line(self) -> Generator[None, None, bytes]:
        while (end := self._waiting.find(CRLF)) < 0 and len(self._waiting) <= KIBIBYTE:
            yield None
        if not 0 <= end <= KIBIBYTE:
            raise RefusedError("bad_request")
        return self._cut(end + 2)[:-2]

    def _cut(self, count: int) -> bytes:
        piece = bytes(self._waiting[:count])
        del self._waiting[:count]
        return piece

    def _refuse_larger_than(self, size: int) -> None:
        if size > self._limit:
            raise RefusedError(self._excess)


def _framing(named: dict[bytes, bytes], *, is_old: bool) -> tuple[bool, int]:
    """Answer whether the body comes in chunks, and its length where it has one."""
    coding = named.get(b"transfer-encoding")
    length = int(_matched(LENGTH, named.get(b"content-length", b"0"))[0])
    is_odd = coding is not None and (is_old or coding.lower() != b"chunked" or b"content-length" in named)
    if is_odd or (b"host" not in named and not is_old):
        raise RefusedError("bad_request")
    return coding is not None, length


def _fields_of(lines: list[bytes]) -> list[tuple[bytes, bytes]]:
    """Read the lines of a head, without those whose names have an underscore: a proxy may mean another field."""
    fields: list[tuple[bytes, bytes]] = []
    for line in lines:
        field = _matched(FIELD, line)
        if b"_" not in field[1]:
            fields.append((field[1].lower(), field[2].strip(b" \t")))
    if len(lines) > MOST_FIELDS:
        raise RefusedError("headers_too_large")
    names = [name for name, _ in fields if name in SINGLE]
    if len(names) != len(set(names)) or REFUSAL in dict(fields):
        raise RefusedError("bad_request")
    return fields


def _matched(pattern: re.Pattern[bytes], text: bytes) -> re.Match[bytes]:
    found = pattern.fullmatch(text)
    if found is None:
        raise RefusedError("bad_request")
    return found


def _written(line: bytes, fields: list[tuple[bytes, bytes]]) -> bytes:
    return line + CRLF + b"".join([b"%b: %b\r\n" % field for field in fields])
