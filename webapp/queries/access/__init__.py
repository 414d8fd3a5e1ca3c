"""Principals, who asks, tokens, sessions, organizations, their members and invitations."""

from webapp.queries.access import (
    callers,
    clients,
    invitations,
    organizations,
    principals,
    saved_views,
    sessions,
    tokens,
)
