"""Files that are written while a request has its snapshot, and sent as downloads."""

import tempfile
from collections.abc import Iterator
from io import SEEK_END
from typing import IO

from flask import Response

from webapp.web.access.requests import MEBIBYTE

MOST_IN_MEMORY, PIECE_SIZE = 4 * MEBIBYTE, MEBIBYTE // 4


def spooled() -> IO[bytes]:
    """Open a file that is on disk where it is long; the sender closes it."""
    return tempfile.SpooledTemporaryFile(MOST_IN_MEMORY)


def downloaded(file: IO[bytes], name: str, content_type: str) -> Response:
    """Send what was written to a file as a download."""
    length = file.seek(0, SEEK_END)
    pieces = sent(file)
    body = b"".join(pieces) if length <= MOST_IN_MEMORY else pieces
    response = Response(body, content_type=content_type)
    response.headers.set("Content-Disposition", "attachment", filename=name)
    response.content_length = length
    return response


def sent(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file from its beginning, and close it at the end."""
    with file:
        file.seek(0)
        yield from iter(lambda: file.read(PIECE_SIZE), b"")
