"""Bearer tokens by RFC 6750: read from the Authorization header only, whose they are, and refused with a challenge."""

import re
from typing import Any

from flask import current_app, request
from werkzeug.exceptions import Unauthorized

from webapp.config import Settings
from webapp.database.sessions import db
from webapp.errors import MODELS, is_for_models
from webapp.ledger.scopes import PRESETS, is_token, organization_of
from webapp.queries.access import principals
from webapp.queries.access.principals import Principal
from webapp.web.access import requests
from webapp.web.access.rate_limits import WITHIN

SCHEME = re.compile(r"bearer(?: |\t|$)", re.IGNORECASE)
CREDENTIALS = re.compile(r"bearer +([\x21-\x7e]+)", re.IGNORECASE)
OTHER_HEADERS = ("X-API-Key", "X-Api-Token", "X-Auth-Token", "Api-Key")
IN_QUERY = ("access_token", "token", "api_key", "apikey")
REALM = 'Bearer realm="Tieout"'
# What a client asks for that was told nothing else: a person may give it more.
ASKED_FOR = " ".join(PRESETS["propose"])

NOBODY = "Sign in, or send an API token as a bearer token."
ANOTHER_SCHEME = "Send an API token as Authorization: Bearer; other schemes are not accepted."
ANOTHER_HEADER = "Send the API token as Authorization: Bearer; no other header is read."
NOT_ONE = "Send exactly one API token as Authorization: Bearer."
NO_TOKEN = "This is not a complete API token; copy it again."  # noqa: S105  (a sentence)
ENDED = "This API token was revoked, has expired, or does not exist; its owner may have been removed."
IN_ADDRESS = (
    "An API token in a URL is not accepted, because URLs are written to logs. "
    "Revoke this token, and send another one as Authorization: Bearer."
)


class UnauthenticatedError(Unauthorized):
    """No valid session or token."""

    own_code = "unauthenticated"

    def __init__(self) -> None:
        sentence, self.challenge = refusal()
        super().__init__(sentence)

    def get_headers(self, *args: Any, **kwargs: Any) -> list[tuple[str, str]]:
        """Add the challenge."""
        return [*super().get_headers(*args, **kwargs), ("WWW-Authenticate", self.challenge)]


def sent_token() -> str | None:
    """The token in the request's header, if it has the form of an API token."""
    match = CREDENTIALS.fullmatch(_header() or "")
    return match[1] if match is not None and is_token(match[1]) else None


def caller() -> Principal | None:
    """Find the principal of the sent token in the session's read snapshot, which is opened for it.

    The access token of a connection counts at the address of the protocol for models, and in the calls made from there.
    """
    secret = sent_token()
    if not secret:
        return None
    named, session, now = organization_of(secret), db.session(), requests.now()
    with requests.looking_up(named):
        found = principals.by_token(session, named, secret, now)
        if found is None and (is_for_models(request.path) or WITHIN in request.environ):
            return principals.by_access_token(session, named, secret, resource(), now)
        return found


def resource() -> str:
    """Give the public address of the protocol for models, for which access tokens are."""
    return _public_url() + MODELS


def is_resource(address: str | None) -> bool:
    """Return whether an address that a client names is the protocol's; one that names none means it."""
    return address is None or address.removesuffix("/") == resource()


def _public_url() -> str:
    found: Settings = current_app.config["SETTINGS"]
    return found.public_url


def refusal() -> tuple[str, str]:
    """The reason why a request is not authenticated: a sentence, and the challenge (RFC 6750, 3).

    It has no error code where no bearer token was sent; the token itself is never repeated.
    """
    header = _header()
    if header is None and any(name in request.headers for name in OTHER_HEADERS):
        return ANOTHER_HEADER, challenge_here("invalid_request")
    if header is None:
        return (
            (IN_ADDRESS, challenge_here("invalid_request"))
            if _is_in_address()
            else (NOBODY, challenge_here())
        )
    if not SCHEME.match(header):
        return ANOTHER_SCHEME, challenge_here()
    match = CREDENTIALS.fullmatch(header)
    if match is None or "," in match[1]:
        return NOT_ONE, challenge_here("invalid_request")
    return ENDED if is_token(match[1]) else NO_TOKEN, challenge_here("invalid_token")


def challenge_here(error: str | None = None, *, scope: str | None = None) -> str:
    """The challenge of this request: at the address of the protocol it says how to get an access token (RFC 9728)."""
    if not _public_url() or not is_for_models(request.path):
        return challenge(error, scope=scope)
    metadata = f"{_public_url()}/.well-known/oauth-protected-resource{MODELS}"
    return challenge(error, scope=scope or ASKED_FOR, metadata=metadata)


def challenge(error: str | None = None, *, scope: str | None = None, metadata: str | None = None) -> str:
    """The value of a WWW-Authenticate header.

    >>> challenge(), challenge("insufficient_scope", scope="confirm")
    ('Bearer realm="Tieout"', 'Bearer realm="Tieout", error="insufficient_scope", scope="confirm"')
    """
    parameters = {"error": error, "scope": scope, "resource_metadata": metadata}
    return ", ".join([REALM, *(f'{name}="{value}"' for name, value in parameters.items() if value)])


def _header() -> str | None:
    """The header's value without surrounding white space (RFC 9110, 5.5)."""
    header = request.environ.get("HTTP_AUTHORIZATION")
    return None if header is None else header.strip(" \t")


def _is_in_address() -> bool:
    return any(name in request.args for name in IN_QUERY) or any(
        is_token(value) for value in request.args.values()
    )
