"""Bearer tokens by RFC 6750: read from one header and nowhere else, and refused with a challenge that says why."""

from __future__ import annotations

import re

from flask import request

from webapp.ledger.scopes import is_token

SCHEME = re.compile(r"bearer(?: |\t|$)", re.IGNORECASE)
CREDENTIALS = re.compile(r"bearer +([\x21-\x7e]+)", re.IGNORECASE)
REALM = 'Bearer realm="Tieout"'

NOBODY = "Sign in, or send an API token as a bearer token."
ANOTHER_SCHEME = "Send an API token as Authorization: Bearer; nothing else is taken there."
NOT_ONE = "Send exactly one API token behind Authorization: Bearer."
NO_TOKEN = "What was sent is no API token, or not the whole of it: copy it again."  # noqa: S105  (a sentence)
ENDED = "This API token was revoked, has expired, or was never made; its owner may be gone, too."
IN_ADDRESS = (
    "An API token in an address is never taken, for addresses are kept in logs. "
    "Revoke the one that was sent, and send another as Authorization: Bearer."
)


def sent() -> str | None:
    """Give the token that the request's header carries, if that has the form of one of ours."""
    match = CREDENTIALS.fullmatch(_header() or "")
    return match[1] if match is not None and is_token(match[1]) else None


def refusal() -> tuple[str, str]:
    """Say why whoever asks is nobody: a sentence, and the challenge (RFC 6750, 3).

    It has no error code where no bearer token was sent; what was sent is never repeated.
    """
    header = _header()
    if header is None:
        return (IN_ADDRESS, challenge("invalid_request")) if _is_in_address() else (NOBODY, challenge())
    if not SCHEME.match(header):
        return ANOTHER_SCHEME, challenge()
    match = CREDENTIALS.fullmatch(header)
    if match is None or "," in match[1]:
        return NOT_ONE, challenge("invalid_request")
    return ENDED if is_token(match[1]) else NO_TOKEN, challenge("invalid_token")


def challenge(error: str | None = None, *, scope: str | None = None) -> str:
    """Write a challenge.

    >>> challenge(), challenge("insufficient_scope", scope="confirm")
    ('Bearer realm="Tieout"', 'Bearer realm="Tieout", error="insufficient_scope", scope="confirm"')
    """
    told = {"error": error, "scope": scope}
    return ", ".join([REALM, *(f'{name}="{value}"' for name, value in told.items() if value)])


def _header() -> str | None:
    """Give the header's value; the white space around it is none of it (RFC 9110, 5.5)."""
    header = request.headers.get("Authorization")
    return None if header is None else header.strip(" \t")


def _is_in_address() -> bool:
    return "access_token" in request.args or any(is_token(value) for value in request.args.values())
