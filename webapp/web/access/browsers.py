"""Browsers: the cookies of the session and of the browser itself, and who visits with them."""

import logging
from contextlib import suppress

from flask import Response, current_app, request

from webapp.config import Settings
from webapp.database.sessions import db
from webapp.queries.access import principals
from webapp.queries.access.principals import Principal, digest_of, session_organization
from webapp.services.access import sessions
from webapp.services.access.sessions import SignedIn
from webapp.services.access.visitors import FAMILIAR_FOR, Visitor
from webapp.services.operating.machine import PROXY_MARK
from webapp.web.access import requests

log = logging.getLogger("tieout")
UNTOLD_PROXY = (
    "X-Forwarded-For arrives while PROXY_HOPS is 0: behind a proxy all visitors count as one address, and strangers "
    "who guess passwords there keep out everybody who signs in with a new browser. Set PROXY_HOPS."
)


def cookie_name() -> str:
    """The name of the session cookie: `__Host-` over HTTPS, which plain HTTP on a loopback cannot set."""
    return "__Host-tieout" if request.is_secure else "tieout"


def browser_cookie_name() -> str:
    """The name of the cookie by which a browser is familiar, beside that of the session."""
    return f"{cookie_name()}-browser"


def caller() -> Principal | None:
    """Find the principal of the session whose cookie was sent, in the read snapshot that is opened for it."""
    secret = request.cookies.get(cookie_name())
    if not secret:
        return None
    with requests.looking_up(session_organization(secret)):
        return principals.by_session(db.session(), secret, requests.now())


def visitor() -> Visitor:
    """The address that sends this request; the log warns once if it may be a proxy that nobody has named."""
    settings: Settings = current_app.config["SETTINGS"]
    if "X-Forwarded-For" in request.headers and not settings.proxy_hops:
        if not current_app.extensions.get("proxy_warning"):
            log.warning(UNTOLD_PROXY)
            with suppress(OSError):
                (settings.instance_path / PROXY_MARK).touch(mode=0o600)
        current_app.extensions["proxy_warning"] = True
    return Visitor(
        address=request.remote_addr or "",
        user_agent=request.headers.get("User-Agent", ""),
        browser=request.cookies.get(browser_cookie_name(), ""),
    )


def let_in(response: Response, signed_in: SignedIn) -> Response:
    """Give the browser a new session instead of the one that it had, and make it familiar."""
    before = request.cookies.get(cookie_name())
    if before:
        sessions.close_session(digest_of(before))
    return set_session_cookie(set_browser_cookie(response, signed_in.browser), signed_in.session)


def set_browser_cookie(response: Response, secret: str) -> Response:
    """Set the cookie by which the browser is familiar."""
    response.set_cookie(
        browser_cookie_name(),
        secret,
        max_age=FAMILIAR_FOR,
        path="/",
        secure=request.is_secure,
        httponly=True,
        samesite="Lax",
    )
    return response


def set_session_cookie(response: Response, secret: str) -> Response:
    """Set the session's cookie in the browser."""
    response.set_cookie(
        cookie_name(), secret, path="/", secure=request.is_secure, httponly=True, samesite="Lax"
    )
    return response
