"""A person's own sign-in: another name, address or password, and where the person is signed in."""

from collections.abc import Sequence
from urllib.parse import parse_qs, urlsplit

from flask import Blueprint, Response, request, url_for
from markupsafe import Markup

from webapp import queries, services
from webapp.ledger.errors import LedgerError
from webapp.pages.access.sessions import (
    leave,
    passkey_host,
    provider,
    refusal_for_script,
    sent_elsewhere,
)
from webapp.schemas.access import (
    CodeFormSchema,
    CurrentPasswordFormSchema,
    IdentityFormSchema,
    LetterKeysFormSchema,
    OwnLanguageFormSchema,
    OwnLettersFormSchema,
    OwnLocaleFormSchema,
    OwnPasswordFormSchema,
    OwnPersonFormSchema,
    OwnSessionFormSchema,
    OwnSignInPageSchema,
    PasskeyFormSchema,
    ThemeFormSchema,
)
from webapp.web.access import requests
from webapp.web.access.auth import acting, organization_id, principal, requires, settings
from webapp.web.access.browsers import let_in, visitor
from webapp.web.headers import allow_form_to
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_back, redirect_to, render
from webapp.web.rendering.languages import marked
from webapp.web.rendering.notation import notations
from webapp.web.rendering.problems import REFUSALS, Problem, problem_of
from webapp.web.rendering.wording import device_of

bp = Blueprint("own_sign_in", __name__, url_prefix="/settings/sign-in")
# The letters that nobody has to get.
LETTERS = {
    "WAITING": marked("A proposal waits for your decision"),
    "CONNECTION_ENDS": marked("A program that you connected is disconnected soon"),
    "BANK_ENDS": marked("A bank needs your consent again soon"),
}


@bp.get("")
@requires("read", session_only=True)
def show() -> Response:
    """Show where the viewer is signed in, and the form for another password."""
    return show_sign_in()


@bp.post("/password")
@requires("read", session_only=True, begins=False)
def change_password() -> Response:
    """Change the viewer's password and go on in a new session, or show the error."""
    try:
        signed_in = services.access.own_sign_in.change_password(
            principal().email,
            **OwnPasswordFormSchema().load(form_body()),
            is_strong=principal().is_strong,
            visitor=visitor(),
            **acting(),
        )
    except REFUSALS as error:
        return show_refused(problem_of(error))
    return let_in(redirect_to(url_for("own_sign_in.show", done="password")), signed_in)


@bp.post("/person")
@requires("read", session_only=True, begins=False)
def change_person() -> Response:
    """Change the viewer's name and address, or show the error."""
    try:
        body = OwnPersonFormSchema().load(form_body())
        done = services.access.own_sign_in.change_person(
            principal().email,
            new_email=body.pop("email"),
            **body,
            proves=bool(settings().smtp_url),
            visitor=visitor(),
            **acting(),
        )
    except REFUSALS as error:
        return show_refused(problem_of(error))
    return redirect_to(url_for("own_sign_in.show", done=done))


@bp.post("/passkeys/options")
@requires("read", session_only=True, begins=False)
def offer_passkey() -> Response:
    """Answer what the viewer's browser needs to make a passkey, or why it may not."""
    try:
        options = services.access.passkeys.offer(
            principal().email,
            request.form.get("current", ""),
            host=passkey_host(),
            is_strong=principal().is_strong,
            visitor=visitor(),
            **acting(),
        )
    except LedgerError as error:
        return refusal_for_script(error)
    return Response(options, content_type="application/json")


@bp.post("/passkeys")
@requires("read", session_only=True)
def add_passkey() -> Response:
    """Keep the passkey that the viewer's browser made, or show the error."""
    try:
        body = PasskeyFormSchema().load(form_body())
        services.access.passkeys.add(
            body["credential"], body["name"], host=passkey_host(), origin=settings().public_url, **acting()
        )
    except REFUSALS as error:
        return show_refused(problem_of(error, place="passkey"))
    signed_in = services.access.own_sign_in.strengthened(visitor(), **acting())
    return let_in(redirect_to(url_for("own_sign_in.show", done="passkey")), signed_in)


@bp.post("/passkeys/<id:passkey_id>/remove")
@requires("read", session_only=True)
def remove_passkey(passkey_id: int) -> Response:
    """Remove one of the viewer's passkeys."""
    try:
        services.access.passkeys.remove(passkey_id, is_strong=principal().is_strong, **acting())
    except LedgerError as error:
        return show_refused(problem_of(error, place="passkey"))
    return redirect_to(url_for("own_sign_in.show", done="passkey"))


@bp.post("/app/offer")
@requires("read", session_only=True, begins=False)
def offer_app() -> Response:
    """Show what an authenticator app reads, or the error."""
    try:
        body = CurrentPasswordFormSchema().load(form_body())
        address = services.access.own_sign_in.offer_app(
            principal().email,
            **body,
            is_strong=principal().is_strong,
            visitor=visitor(),
            **acting(),
        )
    except REFUSALS as error:
        return show_refused(problem_of(error, place="app"))
    return show_sign_in(app_address=address)


@bp.post("/app")
@requires("read", session_only=True)
def confirm_app() -> Response:
    """Let an app count and show the recovery codes, only now, or show the error."""
    try:
        code = CodeFormSchema().load(form_body())["code"]
        codes = services.access.second_factors.confirm(code, **acting())
    except REFUSALS as error:
        return show_refused(problem_of(error, place="app"))
    signed_in = services.access.own_sign_in.strengthened(visitor(), **acting())
    return let_in(show_sign_in(codes=codes), signed_in)


@bp.post("/app/codes")
@requires("read", session_only=True, begins=False)
def renew_codes() -> Response:
    """Make new recovery codes and show them, only now, or show the error."""
    try:
        body = CurrentPasswordFormSchema().load(form_body())
        codes = services.access.own_sign_in.renew_codes(
            principal().email, **body, is_strong=principal().is_strong, visitor=visitor(), **acting()
        )
    except REFUSALS as error:
        return show_refused(problem_of(error, place="app"))
    return show_sign_in(codes=codes)


@bp.post("/app/remove")
@requires("read", session_only=True, begins=False)
def remove_app() -> Response:
    """Remove the viewer's app and recovery codes, or show the error."""
    try:
        body = CurrentPasswordFormSchema().load(form_body())
        services.access.own_sign_in.remove_app(
            principal().email, **body, is_strong=principal().is_strong, visitor=visitor(), **acting()
        )
    except REFUSALS as error:
        return show_refused(problem_of(error, place="app"))
    return redirect_to(url_for("own_sign_in.show", done="factor"))


@bp.post("/identities")
@requires("read", session_only=True, begins=False)
def link_identity() -> Response:
    """Send the browser to the other server, whose account is then linked with the viewer, or show the error."""
    try:
        body = CurrentPasswordFormSchema().load(form_body())
        address, state = services.access.oidc.link(
            provider(),
            principal().email,
            **body,
            is_strong=principal().is_strong,
            visitor=visitor(),
            **acting(),
        )
    except REFUSALS as error:
        return show_refused(problem_of(error, place="identity"))
    return sent_elsewhere(address, state)


@bp.post("/identities/remove")
@requires("read", session_only=True)
def unlink_identity() -> Response:
    """Let the viewer sign in with an account no more."""
    services.access.oidc.unlink(**IdentityFormSchema().load(form_body()), **acting())
    return redirect_to(url_for("own_sign_in.show", done="identity"))


@bp.post("/letter-keys")
@requires("read", session_only=True)
def switch_letter_keys() -> Response:
    """Switch the letter keys of all pages on or off for the viewer."""
    body = LetterKeysFormSchema().load(form_body())
    services.access.own_sign_in.switch_letter_keys(principal().user_id, is_on=body["is_on"])
    return redirect_back(url_for("own_sign_in.show"))


@bp.post("/locale")
@requires("read", session_only=True)
def choose_locale() -> Response:
    """Choose the locale of the viewer's pages."""
    body = OwnLocaleFormSchema().load(form_body())
    services.access.own_sign_in.choose_locale(principal().user_id, body["locale"])
    return redirect_to(url_for("own_sign_in.show", done="locale"))


@bp.post("/letters")
@requires("read", session_only=True)
def choose_letters() -> Response:
    """Choose which letters the viewer gets."""
    body = OwnLettersFormSchema().load(form_body(lists=frozenset({"letters"})))
    services.access.own_sign_in.choose_letters(principal().user_id, body["letters"])
    return redirect_to(url_for("own_sign_in.show", done="letters"))


@bp.post("/theme")
@requires("read", session_only=True)
def choose_theme() -> Response:
    """Choose whether the viewer's pages are light or dark, and go on where the viewer is."""
    services.access.own_sign_in.choose_theme(
        principal().user_id, ThemeFormSchema().load(form_body())["theme"]
    )
    return redirect_back(url_for("own_sign_in.show", done="theme"))


@bp.post("/language")
@requires("read", session_only=True)
def choose_language() -> Response:
    """Choose the language of the viewer's pages."""
    body = OwnLanguageFormSchema().load(form_body())
    services.access.own_sign_in.choose_language(principal().user_id, body["language"])
    return redirect_to(url_for("own_sign_in.show", done="language"))


@bp.post("/sessions/end")
@requires("read", session_only=True)
def end_session() -> Response:
    """Sign the viewer out in one browser."""
    body = OwnSessionFormSchema().load(form_body())
    services.access.own_sign_in.end_session(principal().user_id, body["session"])
    return redirect_to(url_for("own_sign_in.show", done="session"))


@bp.post("/sessions/end-all")
@requires("read", session_only=True)
def end_all_sessions() -> Response:
    """Sign the viewer out in all browsers, this one too."""
    services.access.own_sign_in.end_all_sessions(principal().user_id)
    return leave()


def letters_to_choose() -> list[tuple[str, str, bool]]:
    """List the letters that nobody has to get, where mail is set: kind, name, and whether the viewer wants it."""
    if not settings().smtp_url:
        return []
    unwanted = services.access.own_sign_in.unwanted_letters(principal().user_id)
    return [(each, LETTERS[each], each not in unwanted) for each in LETTERS]


def picture_of(address: str) -> Markup:
    """Draw what an app reads; it is black on white in any theme."""
    import segno  # noqa: PLC0415  (few processes draw one)

    return Markup(segno.make(address, error="m").svg_inline(scale=5, light="#fff"))  # noqa: S704  (our own text)


def show_refused(problem: Problem) -> Response:
    """Render the page with the error of a form that has the present password."""
    response = show_sign_in(problem)
    if "retryAfter" in problem.details:
        response.headers["Retry-After"] = str(problem.details["retryAfter"])
    return response


def show_sign_in(
    problem: Problem | None = None, *, app_address: str | None = None, codes: Sequence[str] = ()
) -> Response:
    """Render the page, with the error of a refused password.

    `app_address` is what a new app reads, `codes` are recovery codes to show once.
    """
    query = OwnSignInPageSchema.read_leniently(request.query_string.decode())
    sessions = queries.access.sessions.of_person(
        principal().user_id, principal().session_hash or "", requests.now()
    )
    response = render(
        "settings/sign_in.html",
        sessions=[{"record": each, "device": device_of(each.user_agent)} for each in sessions],
        passkeys=services.access.passkeys.of_person(principal().user_id),
        passkey_host=settings().passkey_host,
        app=services.access.second_factors.of_person(principal().user_id),
        codes_left=services.access.second_factors.codes_left(principal().user_id),
        letters=letters_to_choose(),
        has_password=services.access.own_sign_in.has_password(principal().email),
        sends_links=bool(settings().smtp_url) and settings().takes_passwords,
        waiting_address=services.access.own_sign_in.waiting_address(principal().user_id, requests.now()),
        app_address=app_address,
        app_picture=picture_of(app_address) if app_address else None,
        app_secret=app_address and parse_qs(urlsplit(app_address).query)["secret"][0],
        codes=codes,
        identities=services.access.oidc.of_person(principal().user_id),
        elsewhere=urlsplit(settings().oidc_issuer).hostname,
        needed_from=services.access.second_factors.needed_from(
            principal().user_id, is_strong=principal().is_strong
        ),
        key_count=len(services.access.own_sign_in.own_keys(organization_id(), principal().user_id)),
        locales=notations(),
        own_locale=principal().own_locale,
        own_language=principal().language,
        done=query["done"] if problem is None else None,
        form=request.form,
        problem=problem,
    )
    # The form that links an account leads there.
    parts = urlsplit(settings().oidc_issuer)
    return allow_form_to(response, f"{parts.scheme}://{parts.netloc}") if parts.netloc else response
