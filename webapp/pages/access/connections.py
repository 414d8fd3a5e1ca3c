"""Connections: the page on which a person lets a client into the books, and the list of those that are in."""

import re
from datetime import timedelta
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode, urlsplit

import marshmallow as ma
from flask import Blueprint, Response, make_response, redirect, request, url_for

from webapp import queries, services
from webapp.ledger.errors import LedgerError
from webapp.ledger.scopes import PRESETS, PROGRAM_SCOPES, scopes_of_role
from webapp.pages.access.tokens import LISTS, expiry_and_caps, owner_id, typed_fields
from webapp.queries.access.clients import Client
from webapp.schemas.access import TokenChangesFormSchema
from webapp.services.access.connections import Consented
from webapp.services.operating.outbound import Gate
from webapp.web.access import bearers, requests
from webapp.web.access.auth import acting, begin, organization_id, principal, requires, settings
from webapp.web.access.books import with_query
from webapp.web.headers import allow_form_to
from webapp.web.rendering.forms import form_body
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.problems import REFUSALS, Problem, problem_of

bp = Blueprint("connections", __name__)
# The SHA-256 of a verifier, in base64url.
CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
ENDS_AFTER: Final = timedelta(days=180)
TWICE: Final = "A parameter is there twice."


class UnknownClientError(LedgerError):
    """This server does not know the program that sent you here, or not the address that it wants you sent back to."""

    status = 422
    code = "unknown_client"


class OtherAddressError(LedgerError):
    """This program wants you sent to an address that did not come with Tieout. Only an owner may allow it."""

    status = 403
    code = "other_address"


class ConnectionRequest(NamedTuple):
    """What a client asks a person for: the books, for these scopes, with an answer to its address."""

    consented: Consented
    state: str | None
    scopes: tuple[str, ...]


@bp.get("/settings/connections")
@requires("read")
def index() -> Response:
    """List the clients that are in these books: one's own, for an owner everybody's."""
    found = queries.access.tokens.listed(organization_id(), user_id=owner_id(), connects=True)
    return render(
        "settings/connections.html",
        connections=found,
        proposed=queries.audit.proposals.counts_of_tokens(organization_id(), [each.id for each in found]),
        address=bearers.resource() if settings().public_url else None,
    )


@bp.get("/connect")
@requires("read", session_only=True, begins=False)
def consent() -> Response:
    """Show which client asks for these books, or send the person back with what is wrong with its request."""
    if request.args and settings().public_url:
        services.access.clients.renew(
            request.args.get("client_id", ""),
            settings().instance_path,
            Gate(*settings().outbound),
            requests.now(),
        )
    begin()
    if not request.args:
        return redirect_to(url_for("connections.index"))
    client = asked()
    fault = fault_of(client)
    return sent_back(client, **fault) if fault else show_consent(client)


@bp.post("/connect")
@requires("read", session_only=True)
def connect() -> Response:
    """Let the client in and send the person back with its code, or back without one."""
    client = asked()
    fault = {"error": "access_denied"} if request.form.get("decision") == "deny" else fault_of(client)
    if fault:
        return sent_back(client, **fault)
    try:
        body = TokenChangesFormSchema().load(form_body(lists=LISTS))
        if not set(body["scopes"]) <= set(client.scopes):
            raise ma.ValidationError({"scopes": ["The program did not ask for all of these."]})
        member = queries.access.organizations.membership(organization_id(), principal().user_id)
        code = services.access.connections.connect(
            member, client.consented, **expiry_and_caps(body), **body, **acting()
        )
    except REFUSALS as error:
        return show_consent(client, problem_of(error))
    return sent_back(client, code=code)


def asked() -> ConnectionRequest:
    """Read what the client asks for from the address of the page; raises UnknownClientError or OtherAddressError."""
    sent = request.args
    hosts = settings().outbound_hosts if settings().calls_others else None
    client = queries.access.clients.find(sent.get("client_id", ""), settings().instance_path, hosts)
    address = sent.get("redirect_uri", "")
    if not settings().public_url or client is None or not client.takes(address):
        raise UnknownClientError
    if client.needs_owner(address) and "admin" not in principal().scopes:
        raise OtherAddressError
    consented = Consented(client, address, sent.get("code_challenge", ""), bearers.resource())
    return ConnectionRequest(consented, sent.get("state"), offered(sent.get("scope", "")))


def fault_of(client: ConnectionRequest) -> dict[str, str]:
    """Say what is wrong with the request of a client that is known, in the words of RFC 6749, 4.1.2.1."""
    sent = request.args
    if any(len(values) > 1 for _, values in sent.lists()):
        return {"error": "invalid_request", "error_description": TWICE}
    if sent.get("response_type") != "code":
        return {"error": "unsupported_response_type"}
    is_hashed = sent.get("code_challenge_method") == "S256"
    if not is_hashed or not CHALLENGE.fullmatch(client.consented.challenge):
        return {"error": "invalid_request", "error_description": "Send a code_challenge by S256."}
    return {} if bearers.is_resource(sent.get("resource")) else {"error": "invalid_target"}


def offered(scope: str) -> tuple[str, ...]:
    """Choose the scopes that the person may give: those of the person that were asked for, or all, and always read."""
    own = scopes_of_role(principal().role)
    named = set(scope.split()) & set(PROGRAM_SCOPES)
    return tuple(each for each in PROGRAM_SCOPES if each in own and (not named or each in {*named, "read"}))


def show_consent(client: ConnectionRequest, problem: Problem | None = None) -> Response:
    """Render the page, with a refused form as it was typed."""
    today = queries.access.organizations.today(organization_id(), requests.now())
    of_client: Client = client.consented.client
    typed = {"name": of_client.name, "expiresOn": today + ENDS_AFTER}
    response = render(
        "connections/consent.html",
        client=of_client,
        goes_to=urlsplit(client.consented.redirect).hostname,
        books=[
            {"value": each.id, "label": each.name, "href": with_query(url_for(".consent", books=each.id))}
            for each in queries.access.organizations.of_user(principal().user_id)
        ],
        action=with_query(url_for(".connect")),
        scopes=client.scopes,
        chosen=request.form.getlist("scopes") if problem else PRESETS["propose"],
        typed=typed_fields() if problem else typed,
        problem=problem,
        most_requests=settings().rate_limit,
    )
    parts = urlsplit(client.consented.redirect)
    return allow_form_to(response, f"{parts.scheme}://{parts.netloc}")


def sent_back(client: ConnectionRequest, **answer: str) -> Response:
    """Send the person back to the client with an answer that says whose it is (RFC 9207)."""
    said: dict[str, Any] = {**answer, "iss": settings().public_url}
    if client.state is not None:
        said["state"] = client.state
    joint = "&" if urlsplit(client.consented.redirect).query else "?"
    return make_response(redirect(f"{client.consented.redirect}{joint}{urlencode(said)}", 303))
