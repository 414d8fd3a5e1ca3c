"""Security headers, the same on every answer."""

from __future__ import annotations

from http.client import SERVICE_UNAVAILABLE

from flask import Response, request

from webapp.errors import RETRY_AFTER_SECONDS

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


def allow_frames(response: Response) -> Response:
    """Let a page show files of ours in a frame, which are sandboxed themselves."""
    response.headers["Content-Security-Policy"] = f"{CONTENT_SECURITY_POLICY}; frame-src 'self'"
    return response


def add_headers(response: Response) -> Response:
    """Add the security headers; only static files may be cached by a browser."""
    headers = response.headers
    headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
    if response.status_code == SERVICE_UNAVAILABLE:
        # A page that shows the failure at the place of the act has not come by the handlers of errors.
        headers.setdefault("Retry-After", RETRY_AFTER_SECONDS)
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = "same-origin"
    headers["Cross-Origin-Opener-Policy"] = "same-origin"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    if request.is_secure:
        headers["Strict-Transport-Security"] = "max-age=31536000"
    if not (request.endpoint or "").endswith("static"):
        headers["Cache-Control"] = "no-store"
        headers.add("Vary", "HX-Request, Cookie, Authorization")
    return response
