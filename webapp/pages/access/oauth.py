"""The authorization server of the protocol for models: OAuth 2.1 with PKCE, for clients that nobody gives a key.

It is there where PUBLIC_URL is set. Its documents are at the root form and at the path form of RFC 9728 and RFC 8414.
"""

from typing import Any, Final

from flask import Blueprint, Response, jsonify, request, url_for
from werkzeug.exceptions import NotFound

from webapp.errors import MODELS
from webapp.ledger.errors import LedgerError
from webapp.ledger.scopes import PROGRAM_SCOPES, is_token, organization_of
from webapp.services.access import connections
from webapp.services.access.connections import GrantError, Issued
from webapp.web.access import bearers, requests
from webapp.web.access.auth import PUBLIC, requires, settings
from webapp.web.access.books import with_query
from webapp.web.rendering.htmx import redirect_to

bp = Blueprint("oauth", __name__)
OFFLINE: Final = "offline_access"
SUPPORTED: Final = (*PROGRAM_SCOPES, OFFLINE)
BAD_REQUEST: Final = 400


@bp.before_request
def find_issuer() -> None:
    """Answer programs only where this server has a public address."""
    if not settings().public_url and request.endpoint != "oauth.authorize":
        raise NotFound


@bp.get("/.well-known/oauth-protected-resource")
@bp.get(f"/.well-known/oauth-protected-resource{MODELS}")
@requires(PUBLIC)
def describe_resource() -> Response:
    """Say which server gives tokens for the address of the protocol (RFC 9728)."""
    return jsonify(
        resource=bearers.resource(),
        authorization_servers=[settings().public_url],
        scopes_supported=SUPPORTED,
        bearer_methods_supported=["header"],
        resource_name="Tieout",
    )


@bp.get("/.well-known/oauth-authorization-server")
@bp.get(f"/.well-known/oauth-authorization-server{MODELS}")
@requires(PUBLIC)
def describe_server() -> Response:
    """Say where codes and tokens are to be had, and which ways there are (RFC 8414)."""
    issuer = settings().public_url
    return jsonify(
        issuer=issuer,
        authorization_endpoint=issuer + url_for("oauth.authorize"),
        token_endpoint=issuer + url_for("oauth.give_tokens"),
        revocation_endpoint=issuer + url_for("oauth.revoke"),
        scopes_supported=SUPPORTED,
        response_types_supported=["code"],
        response_modes_supported=["query"],
        grant_types_supported=["authorization_code", "refresh_token"],
        token_endpoint_auth_methods_supported=["none"],
        revocation_endpoint_auth_methods_supported=["none"],
        code_challenge_methods_supported=["S256"],
        authorization_response_iss_parameter_supported=True,
        client_id_metadata_document_supported=settings().calls_others,
    )


@bp.get("/oauth/authorize")
@requires("read", session_only=True)
def authorize() -> Response:
    """Go to the page on which a person lets a client into the books that the session chose."""
    return redirect_to(with_query(url_for("connections.consent")))


@bp.post("/oauth/token")
@requires(PUBLIC)
def give_tokens() -> Response:
    """Change a code or a refresh token for tokens."""
    form = request.form
    if any(len(values) > 1 for _, values in form.lists()):
        return refused("invalid_request", "A parameter is there twice.")
    grant = {"authorization_code": _redeem, "refresh_token": _refresh}.get(form.get("grant_type", ""))
    if grant is None:
        return refused("unsupported_grant_type", "Send an authorization_code or a refresh_token.")
    if not bearers.is_resource(form.get("resource")):
        return refused("invalid_target", str(connections.AudienceError.__doc__))
    try:
        issued = grant()
    except LedgerError as error:
        if error.status != BAD_REQUEST:
            raise
        # What was used stays used.
        requests.commit_on_error()
        return refused(error.code, str(error))
    return jsonify(
        access_token=issued.access,
        token_type="Bearer",  # noqa: S106  (a word of the protocol)
        expires_in=issued.seconds,
        refresh_token=issued.refresh,
        scope=" ".join(issued.scopes),
    )


@bp.post("/oauth/revoke")
@requires(PUBLIC)
def revoke() -> Response:
    """End a token that a client needs no more; of one that there is not, nothing is said (RFC 7009)."""
    try:
        secret = opened("token")
    except GrantError:
        return jsonify()
    try:
        connections.give_back(secret, client_id=request.form.get("client_id"), now=requests.now())
    except GrantError as error:
        return refused(error.code, str(error))
    return jsonify()


def _redeem() -> Issued:
    form = request.form
    return connections.redeem(
        opened("code"),
        client_id=form.get("client_id", ""),
        resource=bearers.resource(),
        verifier=form.get("code_verifier", ""),
        redirect=form.get("redirect_uri"),
        now=requests.now(),
    )


def _refresh() -> Issued:
    form = request.form
    scopes = [each for each in form["scope"].split() if each != OFFLINE] if form.get("scope") else None
    return connections.refresh(
        opened("refresh_token"),
        client_id=form.get("client_id", ""),
        resource=bearers.resource(),
        scopes=scopes,
        now=requests.now(),
    )


def opened(name: str) -> str:
    """Begin to write in the books that a secret of the form opens; raises GrantError for what is none."""
    secret = request.form.get(name, "")
    organization_id = organization_of(secret) if is_token(secret) else None
    if organization_id is None:
        raise GrantError
    requests.begin(organization_id)
    return secret


def refused(code: str, sentence: str) -> Response:
    """Refuse as RFC 6749, 5.2 writes it."""
    facts: dict[str, Any] = {"error": code, "error_description": sentence}
    response = jsonify(facts)
    response.status_code = BAD_REQUEST
    return response
