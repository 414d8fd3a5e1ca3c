"""Authentication and authorization: deny by default, 401 before 404 before 403, a bearer token before a cookie."""

import logging
from collections.abc import Callable
from datetime import date
from typing import Any, TypeVar, cast
from urllib.parse import quote

from flask import Flask, Response, current_app, redirect, request, url_for
from flask_login import LoginManager, current_user
from werkzeug.exceptions import Forbidden, HTTPException
from werkzeug.wrappers import Response as BaseResponse

from webapp.config import Settings
from webapp.database.sessions import scope_session
from webapp.errors import is_for_api
from webapp.ledger.scopes import APPROVE, PROPOSE, scopes_of_role
from webapp.queries.access.principals import Principal
from webapp.services.audit.act import Actor
from webapp.web.access import (
    bearers,
    books,
    browsers,
    heavy_calls,
    idempotency,
    rate_limits,
    requests,
    selections,
)
from webapp.web.access.hosts import refuse_cross_site
from webapp.web.access.request_state import requested_view, state
from webapp.web.access.strictness import read_aside, refuse_undeclared, refuse_undeclared_query
from webapp.web.access.view_arguments import argument_places

View = TypeVar("View", bound=Callable[..., Any])
PUBLIC = requests.PUBLIC
# What a person may do to whom books are closed: see to the own sign-in, sign out, or go to other books.
WHERE_CLOSED = frozenset({"own_sign_in", "own_books", "sessions"})

log = logging.getLogger("tieout.auth")
login_manager = LoginManager()
login_manager.session_protection = None


class NoScopeError(Forbidden):
    """You may not do this."""

    own_code = "forbidden"

    def __init__(self, sentence: str, *, scope: str | None = None) -> None:
        super().__init__(sentence)
        self.scope = scope

    def get_headers(self, *args: Any, **kwargs: Any) -> list[tuple[str, str]]:
        """Add a challenge with the missing scope for a token (RFC 6750)."""
        headers = super().get_headers(*args, **kwargs)
        if principal().token_id is not None:
            challenge = bearers.challenge_here("insufficient_scope", scope=self.scope)
            headers.append(("WWW-Authenticate", challenge))
        return headers


class SignInNeededError(NoScopeError):
    """Only somebody who signed in may do this."""

    own_code = "person_needed"


class SecondFactorError(NoScopeError):
    """These books ask for a second factor. Sign in with one, or add one under Your sign-in; then your keys work too."""

    own_code = "second_factor_required"

    def __init__(self) -> None:
        super().__init__(str(type(self).__doc__))


class MembershipEndedError(NoScopeError):
    """Your membership of these books has ended; ask an owner for more time."""

    own_code = "membership_ended"

    def __init__(self, day: date) -> None:
        super().__init__(
            f"Your membership of these books ended on {day:%-d %b %Y}; ask an owner for more time."
        )


class ProposableError(NoScopeError):
    """A token may not do this itself, but may propose it: its owner may, and it has the scope propose."""


def requires(
    scope: str,
    *,
    body_limit: int = requests.BODY_LIMIT,
    begins: bool = True,
    is_documented: bool = False,
    session_only: bool = False,
    closes: bool = False,
    decides: bool = False,
    token_only: bool = False,
    is_heavy: bool = False,
    is_secret: bool = False,
    is_use: bool = True,
    posts: bool = False,
    writes: bool | None = None,
) -> Callable[[View], View]:
    """Declare what a view needs: a scope of behaviour.md 5, its body limit in bytes, and who opens the transaction.

    With `begins=False` the view itself calls `begin`, after reading a slow body. `is_documented` marks the interface
    document's endpoints, which ignore unknown keys. `session_only` refuses tokens: no token may make tokens, approve
    proposals, add members or switch organizations; what `decides` lets in one with the scope `approve`, and what
    `closes` a month says by a code of its own that it is such. `token_only` refuses sessions. `is_heavy` lets few of
    such calls run at once. What a page asks by itself is no use of it (`is_use`), and keeps no session alive. What may
    post entries though it needs less than `confirm` `posts`. What is sent a secret (`is_secret`) is neither proposed
    nor planned, for the body would be kept. What needs more than `read` writes; `writes` says so of what needs no
    more, or as much as what it is sent.
    """

    def declare(view: View) -> View:
        view.scope = scope  # type: ignore[attr-defined]
        view.body_limit = body_limit  # type: ignore[attr-defined]
        view.begins = begins  # type: ignore[attr-defined]
        view.is_documented = is_documented  # type: ignore[attr-defined]
        view.session_only = session_only or closes  # type: ignore[attr-defined]
        view.closes = closes  # type: ignore[attr-defined]
        view.decides = decides  # type: ignore[attr-defined]
        view.token_only = token_only  # type: ignore[attr-defined]
        view.is_secret = is_secret  # type: ignore[attr-defined]
        view.is_heavy = is_heavy  # type: ignore[attr-defined]
        view.is_use = is_use  # type: ignore[attr-defined]
        view.posts = posts  # type: ignore[attr-defined]
        view.writes = scope != "read" if writes is None else writes  # type: ignore[attr-defined]
        return view

    return declare


def register_auth(app: Flask) -> None:
    """Run the guard before every view."""
    # Of Flask-Login only the user of a request is used: what `init_app` adds looks for cookies that nobody sets.
    app.login_manager = login_manager  # type: ignore[attr-defined]
    app.before_request(guard)


def guard() -> BaseResponse | None:
    """Check the request in the order of behaviour.md 6, then open the transaction."""
    view = requested_view()
    scope = getattr(view, "scope", None)
    if scope == PUBLIC or (request.endpoint or "").endswith("static"):
        _open_public(view)
        return None
    caller = _caller()
    if caller is None:
        return _answer_unauthenticated()
    if request.routing_exception is not None:
        return books.answer_older_address(caller)
    if scope is None:
        raise RuntimeError(f"{request.endpoint} declares no scope.")
    requests.limit_body(getattr(view, "body_limit", requests.BODY_LIMIT))
    refuse_cross_site(caller)
    found = state().principal = books.enter(caller)
    rate_limits.count_request(found)
    if request.blueprint not in WHERE_CLOSED and (answer := _answer_closed(found)) is not None:
        return answer
    _demand_scope(view, scope)
    _demand_kind(view)
    heavy_calls.enter(view, found)
    scope_session(found.organization_id)
    return _open(view, found)


def _open(view: Any, found: Principal) -> Response | None:
    """Open the transaction of a view, or leave that to it, after what is sent was read; a repeat is answered here."""
    read_aside(view)
    if getattr(view, "begins", True):
        begin()
    elif is_for_api():
        _begin_late(view)
    is_for_people = getattr(view, "session_only", False)
    return idempotency.answered(found, is_read=not getattr(view, "writes", False) and not is_for_people)


def _answer_closed(found: Principal) -> BaseResponse | None:
    """Refuse a caller whose membership of these books is over, or who lacks the second factor that they demand."""
    if found.member_until is not None and found.has_ended(requests.now()):
        raise MembershipEndedError(found.member_until)
    return _ask_second_factor() if found.lacks_second_factor(requests.now()) else None


def _demand_scope(view: Any, scope: str) -> None:
    """Refuse a principal without the scope of a view, unless a token may propose the call (403)."""
    found = principal()
    if getattr(view, "closes", False) and found.session_hash is None:
        raise SignInNeededError("Sign in to do this; a key prepares a close, and a person approves it.")
    if scope not in found.scopes and not _decides(view):
        state().is_proposal = may_propose(scope)
        if not state().is_proposal:
            demand(scope)


def _decides(view: Any) -> bool:
    """Return whether the caller is a key that approves, where one may decide."""
    return getattr(view, "decides", False) and APPROVE in principal().scopes


def decider_scopes() -> frozenset[str]:
    """Give what the one who decides on proposals may: with a key that approves, what its owner may."""
    found = principal()
    return scopes_of_role(found.role) if APPROVE in found.scopes else found.scopes


def demand(scope: str, held: frozenset[str] | None = None) -> None:
    """Refuse a principal without a scope, or without it among those `held` (403)."""
    held = principal().scopes if held is None else held
    if scope not in held:
        yours = ", ".join(sorted(held)) or "none"
        error = ProposableError if may_propose(scope) else NoScopeError
        raise error(f"This needs the scope {scope}; yours are {yours}.", scope=scope)


def may_propose(scope: str) -> bool:
    """Return whether a token may propose this write: its owner's role has the required scope."""
    found = principal()
    is_write = scope != "read" and is_for_api() and not requests.is_safe()
    is_scoped = found.token_id is not None and PROPOSE in found.scopes
    return is_write and is_scoped and scope in scopes_of_role(found.role)


def _demand_kind(view: Any) -> None:
    """Refuse a token where only people may ask, and a person where only tokens may (403)."""
    if getattr(view, "session_only", False) and not _decides(view):
        demand_session()
    if getattr(view, "token_only", False) and principal().token_id is None:
        raise NoScopeError("Only an API key may ask this; a session may not.")


def demand_session() -> None:
    """Refuse a token, for acts of signed-in people only (403)."""
    if principal().session_hash is None:
        raise NoScopeError(
            "Sign in to do this; a token cannot make tokens, approve proposals, add members or switch organizations."
        )


def begin() -> None:
    """Read the rest of the request, then open its transaction, so that nobody waits for a slow sender."""
    if is_for_api():
        requests.read_json_body()
        refuse_undeclared()
    else:
        _ = request.form
    requests.begin(principal().organization_id)


def _begin_late(view: Any) -> None:
    """Leave the transaction to the view, unless this is a dry run or a proposal: then read everything first."""
    selections.read(view)
    refuse_undeclared_query(view)
    _read_body(view)
    if state().is_proposal or state().is_dry_run:
        _ = request.files
        requests.begin(principal().organization_id)


def _read_body(view: Any) -> None:
    """Read the JSON body of a view that takes one; where it may hold a file it may be larger, but not as a form."""
    places = argument_places(view)
    if "body" not in places or ("form" in places and request.mimetype == "multipart/form-data"):
        return
    takes_form = "form" in places
    if takes_form:
        requests.limit_body(requests.BODY_LIMIT_WITH_FILE)
    requests.read_json_body(or_form=takes_form)


def _open_public(view: Any) -> None:
    requests.limit_body(getattr(view, "body_limit", requests.BODY_LIMIT))
    refuse_cross_site(None)


def _answer_unauthenticated() -> Response:
    if is_for_api():
        raise bearers.UnauthenticatedError
    if isinstance(request.routing_exception, HTTPException) and books.older_page() is None:
        raise request.routing_exception
    address = url_for("sessions.sign_in")
    if request.method == "GET" and request.path != "/":
        address += "?next=" + quote(request.full_path.rstrip("?"), safe="/")
    if request.headers.get("HX-Request") == "true":
        return Response("Sign in again.", 401, headers={"HX-Redirect": address}, content_type="text/plain")
    return cast("Response", redirect(address, 303))


def _ask_second_factor() -> BaseResponse:
    """Send a person to where a second factor is added; raises SecondFactorError for programs."""
    if is_for_api():
        raise SecondFactorError
    address = url_for("own_sign_in.show", done="factor")
    if request.headers.get("HX-Request") == "true":
        return Response("", 403, headers={"HX-Redirect": address})
    return redirect(address, 303)


def _caller() -> Principal | None:
    """Find who asks: of a token without the way through Flask-Login, which is for pages."""
    if "HTTP_AUTHORIZATION" in request.environ:
        return find_caller()
    # Flask-Login's name for the caller is a proxy, which knows nobody once the request has ended.
    return state().principal if current_user.is_authenticated else None


@login_manager.request_loader
def load_principal(_request: Any) -> Principal | None:
    """Find the principal, for Flask-Login."""
    return find_caller()


def find_caller() -> Principal | None:
    """Find the principal. If there is an Authorization header, a bad one never falls back to the cookie."""
    found = bearers.caller() if "HTTP_AUTHORIZATION" in request.environ else browsers.caller()
    if found is not None:
        state().principal = found
    return found


def principal() -> Principal:
    """The principal of the request, behind the guard."""
    return cast("Principal", state().principal)


def organization_id() -> str:
    """The organization whose books the request is on; its caller is a member of it."""
    return principal().organization_id


def acting() -> dict[str, Any]:
    """The actor and the time, as arguments of a service."""
    found = principal()
    is_token_ = found.token_id is not None
    actor = Actor(
        organization_id=found.organization_id,
        kind="TOKEN" if is_token_ else "PERSON",
        id=found.token_id if is_token_ else found.user_id,
        name=(found.token_name or "") if is_token_ else found.user_name,
        user_id=found.user_id,
        request_id=state().id,
        address=request.remote_addr,
        counts_for=state().counts_for if is_decided_on() else found.token_id,
        is_admin="admin" in found.scopes,
        note=state().note,
        is_late=state().is_late,
    )
    return {"actor": actor, "now": requests.now()}


def is_decided_on() -> bool:
    """Return whether the call runs as a proposal or because a person approved it."""
    return state().is_decided_on


def settings() -> Settings:
    """The installation's settings."""
    found: Settings = current_app.config["SETTINGS"]
    return found
