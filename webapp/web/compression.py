"""Pages are sent as gzip where no secret stands in them, with a length that does not tell what they hold."""

from __future__ import annotations

import gzip
import secrets
from io import BytesIO

from flask import Response, request

from webapp.web.access.request_state import state

LEAST_BYTES = 1024
LEVEL = 5
MOST_PADDING = 96


def compress_page(response: Response) -> Response:
    """Send the page of a signed-in person as gzip, where the browser takes it.

    A new secret (a key, a link of an invitation) is shown only in the answer to a POST, and an invitation only at an
    address without a signed-in person's books: neither is compressed. Exports and documents are no pages.
    """
    if response.mimetype != "text/html" or not _is_page(response):
        return response
    response.vary.add("Accept-Encoding")
    data = response.get_data()
    if request.accept_encodings["gzip"] <= 0 or len(data) < LEAST_BYTES:
        return response
    response.set_data(padded_gzip(data))
    response.content_encoding = "gzip"
    return response


def _is_page(response: Response) -> bool:
    return (
        request.method == "GET"
        and state().principal is not None
        and request.blueprint != "invitations"
        and response.status_code == 200  # noqa: PLR2004  (the status of a page)
        and not response.is_streamed
        and not response.direct_passthrough
        and "Content-Encoding" not in response.headers
        and "Content-Disposition" not in response.headers
    )


def padded_gzip(data: bytes) -> bytes:
    """Compress bytes, with a random number of bytes in the place of a file name in the head.

    Whoever can have a guess printed in a page and sees the length of the answer on the wire would learn from it
    whether the guess is in the page (BREACH). Each answer has another length, so that this takes very many answers.
    """
    packed = BytesIO()
    name = "a" * secrets.randbelow(MOST_PADDING)
    with gzip.GzipFile(filename=name, mode="wb", compresslevel=LEVEL, fileobj=packed, mtime=0) as file:
        file.write(data)
    return packed.getvalue()
