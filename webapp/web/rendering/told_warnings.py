"""What acts warn of, told on pages: in the toast of the answer, or of the page that the answer leads to."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from http import HTTPStatus
from typing import Final

from flask import Flask, Response, render_template, request

from webapp.errors import is_for_api
from webapp.services.audit import action_requests
from webapp.web.access import browsers
from webapp.web.access.request_state import begun, state
from webapp.web.rendering.htmx import is_htmx

TOAST: Final = "_toast.html"
# A cookie has some 4,000 bytes.
MOST_KEPT, LONGEST_KEPT, SECONDS_KEPT = 4, 300, 120
LEADS_ON: Final = ("Location", "HX-Location", "HX-Redirect")


def register_warnings(app: Flask) -> None:
    """Let the toast of every page tell what was not told yet."""
    app.jinja_env.globals["warned"] = warned
    app.after_request(show_warnings)


def warned() -> list[str]:
    """Take the sentences of what the acts of this request warn of, and of the request that led to this page."""
    own = [sentence for _, sentence in action_requests.untold()]
    kept = _kept()
    state().tells_kept = bool(kept)
    return list(dict.fromkeys([*kept, *own]))


def show_warnings(response: Response) -> Response:
    """Keep what an answer does not tell for the page that it leads to, or add the toast to one without."""
    if begun() is None or is_for_api():
        return response
    if state().tells_kept:
        response.delete_cookie(_name(), path="/", secure=request.is_secure, httponly=True, samesite="Lax")
    if response.status_code >= HTTPStatus.BAD_REQUEST or not action_requests.count_untold():
        return response
    if any(each in response.headers for each in LEADS_ON):
        return _keep(response)
    if is_htmx() and response.mimetype == "text/html":
        toast = f'<hx-partial hx-target="#toast">{render_template(TOAST)}</hx-partial>'
        response.set_data(response.get_data(as_text=True) + toast)
    return response


def _keep(response: Response) -> Response:
    sentences = list(dict.fromkeys([*_kept(), *(sentence for _, sentence in action_requests.untold())]))
    left = len(sentences) - MOST_KEPT
    shown = [each[:LONGEST_KEPT] for each in sentences[:MOST_KEPT]]
    more = [f"And {left} more of this kind."] if left > 0 else []
    value = urlsafe_b64encode(json.dumps([_books(), *shown, *more]).encode()).decode()
    response.set_cookie(
        _name(), value, SECONDS_KEPT, path="/", secure=request.is_secure, httponly=True, samesite="Lax"
    )
    return response


def _kept() -> list[str]:
    """Read what the request before left about the same books; a cookie that is not ours says nothing."""
    try:
        found = json.loads(urlsafe_b64decode(request.cookies.get(_name(), "")))
    except ValueError:
        return []
    if not isinstance(found, list) or found[:1] != [_books()]:
        return []
    return [str(each) for each in found[1 : MOST_KEPT + 2]]


def _books() -> str | None:
    who = state().principal
    return None if who is None else who.organization_id


def _name() -> str:
    return f"{browsers.cookie_name()}-told"
