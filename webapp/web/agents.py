"""Arguments of the service that undoes a token's acts."""

from __future__ import annotations

from typing import Any

from webapp import queries
from webapp.models import ApiToken
from webapp.web import uploads
from webapp.web.access.auth import acting, organization_id, principal


def token(token_id: int) -> ApiToken:
    """Find a token whose acts the signed-in person may undo: their own, or for an owner any; else NotFoundError."""
    user_id = None if "admin" in principal().scopes else principal().user_id
    return queries.access.tokens.get(organization_id(), token_id, user_id=user_id)


def undoing() -> dict[str, Any]:
    """The actor, the time, their scopes, and the folder of previewed files."""
    return {**acting(), "scopes": principal().scopes, "folder": uploads.folder()}
