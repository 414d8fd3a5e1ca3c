"""Security headers, the same on every answer, and gzip for pages in which no secret stands."""

import gzip
import secrets
from http.client import SERVICE_UNAVAILABLE
from io import BytesIO
from typing import Final

from flask import Response, request

from webapp.errors import RETRY_AFTER_SECONDS
from webapp.web.access.request_state import state

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "object-src 'none'",
    )
)
# What every answer has; the policy alone may have been set by its view.
OF_ALL: Final = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
)
LEAST_BYTES = 1024
LEVEL = 3
MOST_PADDING = 96


def allow_frames(response: Response) -> Response:
    """Let a page show files of ours in a frame, which are sandboxed themselves."""
    response.headers["Content-Security-Policy"] = f"{CONTENT_SECURITY_POLICY}; frame-src 'self'"
    return response


def allow_form_to(response: Response, origin: str) -> Response:
    """Let the form of a page lead to another site, to which its answer sends the person."""
    policy = CONTENT_SECURITY_POLICY.replace("form-action 'self'", f"form-action 'self' {origin}")
    response.headers["Content-Security-Policy"] = policy
    return response


def add_headers(response: Response) -> Response:
    """Add the security headers; only static files may be cached by a browser."""
    headers = response.headers
    if "Content-Security-Policy" not in headers:
        headers.add("Content-Security-Policy", CONTENT_SECURITY_POLICY)
    if response.status_code == SERVICE_UNAVAILABLE:
        # A page that shows the failure at the place of the act has not come by the handlers of errors.
        headers.setdefault("Retry-After", RETRY_AFTER_SECONDS)
    # No view sets these, so that they are added without a search for ones that are there.
    for name, value in OF_ALL:
        headers.add(name, value)
    if request.is_secure:
        headers.add("Strict-Transport-Security", "max-age=31536000")
    if not (request.endpoint or "").endswith("static"):
        headers["Cache-Control"] = "no-store"
        headers.add("Vary", "HX-Request, Cookie, Authorization, Accept-Language")
    return response


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
        and request.blueprint not in {"joining", "mailed_links"}
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
