"""Signing in and out."""

from hmac import compare_digest
from urllib.parse import urlsplit

from flask import Blueprint, Response, current_app, make_response, redirect, render_template, request, url_for

from webapp.ledger.errors import LedgerError, NotFoundError
from webapp.ledger.notation.locales import LANGUAGES
from webapp.services.access import oidc, passkeys, sessions
from webapp.services.access.second_factors import STEP_LIFETIME, StepOverError
from webapp.services.access.sessions import SignedIn
from webapp.services.operating.outbound import Gate
from webapp.web.access import requests
from webapp.web.access.auth import PUBLIC, principal, requires, settings
from webapp.web.access.browsers import cookie_name, let_in, visitor
from webapp.web.access.hosts import is_from_this_machine
from webapp.web.rendering import languages
from webapp.web.rendering.notation import sentence
from webapp.web.rendering.problems import shown_fields, shown_sentence

COOKIE_WOULD_LEAK = (
    "Over plain HTTP others could read your session. "
    "Serve Tieout over HTTPS behind a proxy and set PROXY_HOPS, or open it on this machine as http://localhost."
)

PASSWORDS_OFF = "Passwords are switched off here. Sign in with the other server."

bp = Blueprint("sessions", __name__)


@bp.get("/sign-in")
@requires(PUBLIC)
def sign_in() -> Response:
    """Show the form to sign in, in the language that was chosen on it."""
    chosen = request.args.get("language")
    if chosen not in LANGUAGES:
        return show_form()
    address = url_for("sessions.sign_in", next=request.args.get("next"))
    return languages.remember(make_response(redirect(address, 303)), chosen)


@bp.post("/sign-in")
@requires(PUBLIC)
def open_session() -> Response:
    """Check the password and open a session, or show the form with the reason."""
    if not is_cookie_safe():
        return show_form(status=403)
    email, password = request.form.get("email", ""), request.form.get("password", "")
    if not settings().takes_passwords:
        return show_form(status=403, error=sentence(PASSWORDS_OFF))
    try:
        signed_in = sessions.sign_in(email, password, visitor=visitor(), now=requests.now())
    except LedgerError as error:
        response = show_form(status=error.status, error=shown_sentence(error), email=email)
        if "retryAfter" in error.details:
            response.headers["Retry-After"] = str(error.details["retryAfter"])
        return response
    return go_on(signed_in, local_path(request.form.get("next", "")))


@bp.post("/sign-in/code")
@requires(PUBLIC)
def show_code() -> Response:
    """Check the code of an app and open the session, or ask again with the reason."""
    if not is_cookie_safe():
        return show_form(status=403)
    sent, after = request.form, local_path(request.form.get("next", ""))
    try:
        signed_in = sessions.show_code(
            sent.get("step", ""), sent.get("code", ""), visitor=visitor(), now=requests.now()
        )
    except StepOverError as error:
        return show_form(status=error.status, error=shown_sentence(error))
    except LedgerError as error:
        return ask_code(sent.get("step", ""), after, error)
    return go_on(signed_in, after)


@bp.post("/sign-in/passkey/options")
@requires(PUBLIC)
def ask_passkey() -> Response:
    """Answer what a browser needs to sign in with a passkey."""
    options = passkeys.ask(host=passkey_host(), now=requests.now())
    return Response(options, content_type="application/json")


@bp.post("/sign-in/passkey")
@requires(PUBLIC)
def sign_in_with_passkey() -> Response:
    """Check what a passkey signed and open a session, or show the form with the reason."""
    host = passkey_host()
    if not is_cookie_safe():
        return show_form(status=403)
    answer, origin = request.form.get("credential", ""), settings().public_url
    try:
        signed_in = passkeys.sign_in(answer, host=host, origin=origin, visitor=visitor(), now=requests.now())
    except LedgerError as error:
        return show_form(status=error.status, error=shown_sentence(error))
    return go_on(signed_in, local_path(request.form.get("next", "")))


@bp.get("/sign-in/oidc")
@requires(PUBLIC)
def go_elsewhere() -> Response:
    """Send the browser to the server that people sign in with, or show the form with the reason."""
    if not is_cookie_safe():
        return show_form(status=403)
    after, invitation = local_path(request.args.get("next", "")), request.args.get("invitation", "")
    try:
        address, state = oidc.begin(provider(), requests.now(), next=after, invitation=invitation)
    except LedgerError as error:
        return show_form(status=error.status, error=shown_sentence(error))
    return sent_elsewhere(address, state)


@bp.get("/sign-in/oidc/back")
@requires(PUBLIC)
def come_back() -> Response:
    """Take what the other server says and open a session, or show the form with the reason."""
    sent, state = request.args, request.cookies.get(step_cookie_name(), "")
    try:
        server = provider()
        # Who comes with the answer to somebody else's question is signed in as nobody.
        if not state or not compare_digest(state.encode(), sent.get("state", "").encode()):
            raise StepOverError
        signed_in, facts = oidc.sign_in(
            server, sent.get("code", ""), state, sent.get("iss"), visitor=visitor(), now=requests.now()
        )
    except LedgerError as error:
        response = show_form(status=error.status, error=shown_sentence(error))
    else:
        if signed_in is None:
            response = make_response(redirect(url_for("own_sign_in.show", done="identity"), 303))
        else:
            response = go_on(signed_in, local_path(facts.get("next", "")))
    response.delete_cookie(
        step_cookie_name(), path="/", secure=request.is_secure, httponly=True, samesite="Lax"
    )
    return response


@bp.get("/session")
@requires("read")
def is_open() -> Response:
    """Answer with nothing while the session lives."""
    return Response(status=204)


@bp.post("/sign-out")
@requires("read")
def close_session() -> Response:
    """End the session, and clear the browser's data of it."""
    if principal().session_hash is not None:
        sessions.close_session(principal().session_hash or "")
    return leave()


def leave() -> Response:
    """Answer somebody whose session has ended: the form to sign in, and nothing left in the browser."""
    response = make_response(redirect(url_for("sessions.sign_in"), 303))
    response.delete_cookie(cookie_name(), path="/", secure=request.is_secure, httponly=True, samesite="Lax")
    response.headers["Clear-Site-Data"] = '"cache", "storage"'
    return response


def provider() -> oidc.Provider:
    """The server that people sign in with, or raise NotFoundError where there is none."""
    found = settings()
    if not found.oidc_issuer:
        raise NotFoundError
    gate = Gate(*found.outbound)
    back = found.public_url + url_for("sessions.come_back")
    return oidc.Provider(found.oidc_issuer, found.oidc_client_id, found.oidc_client_secret, back, gate)


def sent_elsewhere(address: str, state: str) -> Response:
    """Send a browser away that remembers, until it is back, that it went."""
    response = make_response(redirect(address, 303))
    seconds = int(STEP_LIFETIME.total_seconds())
    response.set_cookie(
        step_cookie_name(),
        state,
        max_age=seconds,
        path="/",
        secure=request.is_secure,
        httponly=True,
        samesite="Lax",
    )
    return response


def step_cookie_name() -> str:
    """The name of the cookie of a sign-in elsewhere."""
    return f"{cookie_name()}-step"


def go_on(signed_in: SignedIn | str, after: str) -> Response:
    """Let somebody in who goes on to a page, or ask for the code where a step of the sign-in is left."""
    if isinstance(signed_in, str):
        return ask_code(signed_in, after)
    return let_in(make_response(redirect(after, 303)), signed_in)


def ask_code(step: str, after: str, error: LedgerError | None = None) -> Response:
    """Render the form for a code."""
    page = render_template(
        "sessions/code.html", step=step, next=after, problem=shown_sentence(error) if error else ""
    )
    response = make_response(page, error.status if error else 200)
    if error and "retryAfter" in error.details:
        response.headers["Retry-After"] = str(error.details["retryAfter"])
    return response


def show_form(*, status: int = 200, error: str = "", email: str = "") -> Response:
    """Render the form, or how to serve over HTTPS where plain HTTP would expose the cookie."""
    page = render_template(
        "sessions/sign_in.html",
        problem=error if is_cookie_safe() else sentence(COOKIE_WOULD_LEAK),
        email=email,
        is_new=first_link() is not None,
        next=local_path(request.values.get("next", "")),
        has_mail=bool(settings().smtp_url),
        has_passkeys=settings().passkey_host is not None,
        elsewhere=urlsplit(settings().oidc_issuer).hostname,
        takes_passwords=settings().takes_passwords,
    )
    return make_response(page, status)


def first_link() -> str | None:
    """The secret by which the first books are started, as long as nobody is here."""
    secret: str | None = current_app.extensions.get("first_link")
    return secret if secret is not None and sessions.is_new() else None


def passkey_host() -> str:
    """The host of passkeys, or raise NotFoundError where there are none."""
    host = settings().passkey_host
    if host is None:
        raise NotFoundError
    return host


def refusal_for_script(error: LedgerError) -> Response:
    """Answer a script, which shows the sentence at the place of the act."""
    text = "; ".join(each for messages in shown_fields(error).values() for each in messages)
    return Response(text or shown_sentence(error), error.status, content_type="text/plain; charset=utf-8")


def is_cookie_safe() -> bool:
    """Return whether a cookie is safe: over HTTPS, or on this machine only."""
    return request.is_secure or is_from_this_machine()


def local_path(address: str) -> str:
    """Return a local path, or the hub's for anything else.

    >>> local_path("/journal?q=1"), local_path("//evil.example"), local_path("https://evil.example")
    ('/journal?q=1', '/', '/')
    """
    is_ours = address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable()
    return address if is_ours and "\\" not in address else "/"
