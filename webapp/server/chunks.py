"""The framing of a chunked body (RFC 9112, 7.1), as strict as gunicorn's, for bytes that come piece by piece."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto

from gunicorn.http.body import CHUNK_EXT_RE
from gunicorn.http.errors import (
    ChunkMissingTerminator,
    InvalidChunkExtension,
    InvalidChunkSize,
    InvalidHeader,
    LimitRequestHeaders,
)

LONGEST_SIZE_LINE = 8190
LONGEST_TRAILERS = 64 * 1024
HEXADECIMAL = frozenset(b"0123456789abcdefABCDEF")
CRLF = b"\r\n"


class _Expected(Enum):
    SIZE = auto()
    CONTENT = auto()
    END_OF_CHUNK = auto()
    TRAILERS = auto()
    NOTHING = auto()


class Chunks:
    """A body in chunks: takes the bytes as they come and gives its content, until it is whole.

    `check_trailers` gets the fields after the last chunk, and raises what gunicorn raises for a bad one.

    >>> chunks = Chunks(check_trailers=print)
    >>> chunks.decode(b"5;a=b" + CRLF + b"hel"), chunks.decode(b"lo" + CRLF + b"0" + CRLF), chunks.is_whole
    ([b'hel'], [b'lo'], False)
    >>> chunks.decode(CRLF + b"GET"), chunks.is_whole, chunks.rest
    ([], True, b'GET')
    """

    def __init__(self, check_trailers: Callable[[bytes], object]) -> None:
        self._check_trailers = check_trailers
        self._waiting = bytearray()
        self._part = _Expected.SIZE
        self._left = 0

    @property
    def is_whole(self) -> bool:
        """Whether the body has ended."""
        return self._part is _Expected.NOTHING

    @property
    def rest(self) -> bytes:
        """The bytes after the body, which belong to the next request."""
        return bytes(self._waiting)

    def decode(self, data: bytes) -> list[bytes]:
        """Take more bytes, and give the content in them; raises a ParseException for bad framing."""
        self._waiting += data
        content: list[bytes] = []
        steps: dict[_Expected, Callable[[], bool]] = {
            _Expected.SIZE: self._read_size,
            _Expected.CONTENT: lambda: self._read_content(content),
            _Expected.END_OF_CHUNK: self._read_end_of_chunk,
            _Expected.TRAILERS: self._read_trailers,
            _Expected.NOTHING: lambda: False,
        }
        while steps[self._part]():
            pass
        return content

    def _read_size(self) -> bool:
        end = self._waiting.find(CRLF)
        if end < 0:
            if len(self._waiting) > LONGEST_SIZE_LINE or b"\n" in self._waiting:
                raise InvalidChunkSize(b"no line that ends with CRLF")
            return False
        self._left = chunk_size(self._take(end))
        del self._waiting[:2]
        self._part = _Expected.CONTENT if self._left else _Expected.TRAILERS
        return True

    def _read_content(self, content: list[bytes]) -> bool:
        piece = self._take(min(self._left, len(self._waiting)))
        if not piece:
            return False
        content.append(piece)
        self._left -= len(piece)
        if not self._left:
            self._part = _Expected.END_OF_CHUNK
        return True

    def _read_end_of_chunk(self) -> bool:
        if not CRLF.startswith(self._waiting[:2]):
            raise ChunkMissingTerminator(bytes(self._waiting[:2]))
        if len(self._waiting) < len(CRLF):
            return False
        del self._waiting[:2]
        self._part = _Expected.SIZE
        return True

    def _read_trailers(self) -> bool:
        if self._waiting.startswith(CRLF):
            del self._waiting[:2]
        else:
            end = self._waiting.find(CRLF + CRLF)
            if end < 0:
                self._refuse_endless_trailers()
                return False
            self._check_trailers(self._take(end))
            del self._waiting[:4]
        self._part = _Expected.NOTHING
        return False

    def _refuse_endless_trailers(self) -> None:
        if len(self._waiting) > LONGEST_TRAILERS:
            raise LimitRequestHeaders("trailers")
        if self._waiting.count(b"\n") != self._waiting.count(CRLF):
            raise InvalidHeader("bare LF as line terminator")

    def _take(self, count: int) -> bytes:
        taken = bytes(self._waiting[:count])
        del self._waiting[:count]
        return taken


def chunk_size(line: bytes) -> int:
    r"""Read the line before a chunk; raises a ParseException for anything but a size and extensions.

    >>> chunk_size(b"1F"), chunk_size(b"a ;name=value")
    (31, 10)
    """
    digits, semicolon, extensions = line.partition(b";")
    if semicolon:
        if b"\r" in extensions:
            raise InvalidChunkExtension("bare CR not allowed")
        digits = digits.rstrip(b" \t")
    if not digits or not HEXADECIMAL.issuperset(digits):
        raise InvalidChunkSize(digits)
    if semicolon and not CHUNK_EXT_RE.fullmatch(b";" + extensions):
        raise InvalidChunkExtension("invalid chunk extension")
    return int(digits, 16)
