"""What somebody who undoes what a token did brings along."""

from __future__ import annotations

from typing import Any

from webapp import queries
from webapp.models import ApiToken
from webapp.web import uploads
from webapp.web.access.auth import acting, organization_id, principal


def token(token_id: int) -> ApiToken:
    """Find a token whose acts the visitor may undo: his own, or for an owner anybody's; or NotFoundError."""
    user_id = None if "admin" in principal().scopes else principal().user_id
    return queries.access.tokens.get(organization_id(), token_id, user_id=user_id)


def undoing() -> dict[str, Any]:
    """Give the service who undoes, when, what he may, and where previewed files are kept."""
    return {**acting(), "scopes": principal().scopes, "folder": uploads.folder()}
